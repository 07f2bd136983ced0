package exchange

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
)

// TestWriteAndRead: what a Writer has written is read as it was, in the same order.
func TestWriteAndRead(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	items := []Item{{ID: "m1", Content: "a < b & “c”", Created: at},
		{ID: "m2", Content: "two\nlines", Created: at, Expires: &at, Tags: []string{"x"}}}
	var out bytes.Buffer
	w := NewWriter(&out)
	if err := w.Header(at, "/work/project", []string{"workspace"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range Lists {
		n, err := w.List(name, func(add func(any) error) error {
			if name != ListItems {
				return nil
			}
			return errors.Join(add(items[0]), add(items[1]))
		})
		if err != nil || n != map[bool]int{true: 2}[name == ListItems] {
			t.Fatal(name, n, err)
		}
	}
	if err := w.Close(); err != nil || w.Bytes() != int64(out.Len()) {
		t.Fatal(err, w.Bytes(), out.Len())
	}
	if !strings.Contains(out.String(), `"a < b & “c”"`) {
		t.Errorf("%s", out.String())
	}
	doc, err := Read(t.Context(), &out, MaxBytes)
	if err != nil || doc.Workspace != "/work/project" || !doc.Exported.Equal(at) ||
		len(doc.Refused)+len(doc.Remarks) > 0 || len(doc.Items) != 2 {
		t.Fatalf("%v: %+v", err, doc)
	}
	for i, r := range doc.Items {
		if r.At != i || !reflect.DeepEqual(r.Record, items[i]) {
			t.Errorf("%+v is not %+v", r, items[i])
		}
	}
}

// TestReadRefuses: an invalid record is refused by itself, an invalid document as a whole.
func TestReadRefuses(t *testing.T) {
	doc, err := Read(t.Context(), strings.NewReader(
		`{"schema_version": 1, "items": [{"id": 5}, {"id": "m1"}, []], "later": {}}`), MaxBytes)
	if err != nil || len(doc.Items) != 1 || doc.Items[0].At != 1 || len(doc.Refused) != 2 ||
		doc.Refused[0].Place != "items[0]" || doc.Refused[1].Place != "items[2]" ||
		len(doc.Remarks) != 1 {
		t.Errorf("%v: %+v", err, doc)
	}
	for _, in := range []string{``, `[]`, `{"items": []}`, `{"schema_version": 2}`,
		`{"schema_version": 1, "items": {}}`, `{"schema_version": 1} x`} {
		if _, err := Read(t.Context(), strings.NewReader(in), MaxBytes); !errors.Is(err,
			fault.Invalid) {
			t.Errorf("%s: %v", in, err)
		}
	}
}
