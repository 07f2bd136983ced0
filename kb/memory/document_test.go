package memory

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/kb/store"
)

// TestRecordsRoundTrip: what an export has written of an item is read as it was, in the same
// order, without what is derived.
func TestRecordsRoundTrip(t *testing.T) {
	m := furnish(t)
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	all := []Item{{ID: "m1", Content: "a < b & “c”", Created: at},
		{ID: "m2", Content: "two\nlines", Created: at, Expires: &at, Tags: []string{"x"}}}
	for _, it := range all {
		stored := it
		stored.Model, stored.Dim = "some", 384
		raw := mustJSON(t, itemRecord{Item: stored})
		if bytes.Contains(raw, []byte("embedding_model")) || bytes.Contains(raw, []byte(`"dim"`)) {
			t.Errorf("%s", raw)
		}
		raw = mustJSON(t, stored) // what is derived is not read either
		var r itemRecord
		if why := store.ReadRecord(raw, &r); why != "" {
			t.Fatal(why)
		}
		if !reflect.DeepEqual(r, itemRecord{Item: it}) {
			t.Errorf("%+v is not %+v", r, it)
		}
	}
	doc := string(exported(t, m.person, everything))
	if !strings.Contains(doc, `"alice says <3>`) || strings.Contains(doc, `embedding_model":"m`) {
		t.Error("an export escapes signs, or has models")
	}
	var out Imported
	err := newImporter(m.person, ImportOptions{}).document(&out).Read(t.Context(), strings.NewReader(doc))
	if err != nil || out.Workspace != m.person.Workspace() || out.Exported.IsZero() ||
		len(out.Refused)+len(out.Notes) > 0 {
		t.Errorf("%v: %+v", err, out)
	}
}

// TestReadRefuses: an invalid record is refused by itself, an invalid document as a whole.
func TestReadRefuses(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	read := func(doc string) (*importer, Imported, error) {
		im, out := newImporter(s, ImportOptions{}), Imported{Counts: map[string]ImportCounts{}}
		err := im.document(&out).Read(t.Context(), strings.NewReader(doc))
		return im, out, err
	}
	im, out, err := read(`{"schema_version": 1, "items": [{"id": 5}, {"id": "m1"}, []], "later": {}}`)
	if err != nil || len(im.read[listItems]) != 1 || im.read[listItems][0].nth != 1 || len(out.Refused) != 2 ||
		out.Refused[0].Place != "items[0]" || out.Refused[1].Place != "items[2]" ||
		out.Refused[0].Reason != "id is a number and should be a string" || len(out.Notes) != 1 {
		t.Errorf("%v: %+v", err, out)
	}
	for _, in := range []string{``, `[]`, `{"items": []}`, `{"schema_version": 2}`,
		`{"schema_version": 1, "items": {}}`, `{"schema_version": 1} x`} {
		if _, _, err := read(in); !errors.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", in, err)
		}
	}
}
