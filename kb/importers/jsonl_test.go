package importers

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"blackboard/kb"
	"blackboard/testdata/expect"
)

func exported(caps []kb.Capsule, err error) iter.Seq2[kb.Capsule, error] {
	return func(yield func(kb.Capsule, error) bool) {
		for _, c := range caps {
			if !yield(c, nil) {
				return
			}
		}
		if err != nil {
			yield(kb.Capsule{}, err)
		}
	}
}

// fullCapsule has a value in every field.
func fullCapsule() kb.Capsule {
	half := 0.5
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	return kb.Capsule{ID: "k3f9x0c2ma", Kind: "gotcha", Scope: "project",
		Title: "<Title> & \"quotes\"", Body: "line\n\n- 中 \u2028 😀\n", Tags: []string{"a", "b"},
		DomainTags: []string{"c"}, Source: "f.go:1",
		Confidence: &half, VerifiedBy: "x", Supersedes: []string{"k000000000"},
		SupersededBy: "k111111111", Refs: []string{"r1", "r0"}, Workspace: "/w",
		Project: "p", DecayScore: 0.25,
		Created: at, Updated: at.Add(time.Hour), Retrieved: &at, Retired: &at, RetiredWhy: "old",
		Revision: 3, Ingested: &kb.Ingested{File: "d.md", SHA256: strings.Repeat("0", 64),
			Part: 1, Of: 2},
		Model: "m", Dim: 384}
}

// TestExportRoundTrip: what WriteExport writes, Read reads, every field of it.
func TestExportRoundTrip(t *testing.T) {
	full := fullCapsule()
	v := reflect.ValueOf(full)
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() && v.Field(i).IsZero() {
			t.Errorf("the test has nothing in the field %s", v.Type().Field(i).Name)
		}
	}
	small := kb.Capsule{ID: "k222222222", Kind: "fact", Scope: "universal",
		Title: "small", Body: "b"}
	var b bytes.Buffer
	if n, err := WriteExport(&b, exported([]kb.Capsule{full, small}, nil)); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if strings.Contains(b.String(), "null,\"domain_tags\"") ||
		!strings.HasPrefix(b.String(), jsonlHeader) {
		t.Errorf("%s", b.String())
	}
	path := filepath.Join(t.TempDir(), "x.jsonl")
	expect.OK(t, os.WriteFile(path, b.Bytes(), 0o600))
	set := importSet(t, path, "auto")
	if len(set.Items) != 2 || len(set.Refused)+len(set.Notes)+len(set.Items[0].Notes) != 0 {
		t.Fatalf("%+v", set)
	}
	for i, want := range []kb.Capsule{full, small} {
		expect.OK(t, want.Normalise())
		if got := set.Items[i].Capsule; !reflect.DeepEqual(got, want) {
			t.Errorf("read\n%+v, want\n%+v", got, want)
		}
	}
	if set.Items[1].From != path+":3" {
		t.Errorf("from %s", set.Items[1].From)
	}
}

type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func TestExportErrors(t *testing.T) {
	many := make([]kb.Capsule, 100)
	for i := range many {
		many[i] = fullCapsule()
	}
	if n, err := WriteExport(&fullDisk{5000}, exported(many, nil)); err == nil || n == 100 {
		t.Error(n, err)
	}
	if n, err := WriteExport(&fullDisk{10}, exported(nil, nil)); err == nil || n != 0 {
		t.Error(n, err)
	}
	stop := errors.New("stop")
	if n, err := WriteExport(&bytes.Buffer{}, exported(many[:2], stop)); n != 2 ||
		!errors.Is(err, stop) {
		t.Error(n, err)
	}
}

func TestImportJSONLRefuses(t *testing.T) {
	line := func(fields string) string { return `{"title":"t","body":"b"` + fields + `}` }
	for name, tc := range map[string]struct{ line, words string }{
		"not JSON":      {`hello`, "not a JSON object"},
		"cut":           {`{"title":"t","body"`, "is incomplete"},
		"a list":        {`["title"]`, "does not begin with {"},
		"two objects":   {`{"title":"t","body":"b"} {}`, "something follows"},
		"a field twice": {line(`,"body":"c"`), `"body" occurs twice`},
		"wrong type": {line(`,"confidence":"high"`),
			`"confidence" has the wrong type: string instead of float64`},
		"wrong list": {line(`,"tags":"a"`), `"tags" has the wrong type`},
		"wrong time": {line(`,"created":"yesterday"`), `invalid field "created"`},
		"confidence": {line(`,"confidence":7`), "the confidence 7 is not between"},
		"kind": {line(`,"kind":"rumour"`),
			`kind "rumour" is unknown: choose one of fact`},
		"scope":        {line(`,"scope":"galaxy"`), `scope "galaxy" is unknown`},
		"no workspace": {line(`,"scope":"workspace"`), "names no workspace"},
		"no title":     {`{"body":"b"}`, "the title is empty"},
		"no body":      {`{"title":"b","body":" "}`, "the body is empty"},
		"a large body": {`{"title":"b","body":"` + strings.Repeat("x", kb.MaxBody+1) + `"}`,
			"at most 65536"},
		"an id":         {line(`,"id":"e12"`), `"e12" is not a capsule id`},
		"superseded by": {line(`,"superseded_by":"x"`), `"x" is not a capsule id`},
		"supersedes":    {line(`,"supersedes":["x"]`), `"x" is not a capsule id`},
		"itself": {line(`,"id":"k000000000","supersedes":["k000000000"]`),
			"supersedes itself"},
		"a tag":    {line(`,"tags":["a,b"]`), "has a comma"},
		"revision": {line(`,"revision":-1`), "negative"},
		"ingested": {line(`,"ingested":{"file":"x"}`), "is invalid"},
		"a time too late": {line(`,"created":"9999-12-31T23:59:59-12:00"`),
			"outside of the years"},
		"NUL":       {`{"title":"t","body":"a\u0000b"}`, "NUL"},
		"not UTF-8": {"{\"title\":\"t\",\"body\":\"\xff\"}", "not valid UTF-8"},
		"a very long line": {`{"title":"` + strings.Repeat("x", maxImportLine) + `"}`,
			"exceeds"},
		"deep": {line(`,"x":` + strings.Repeat("[", 100_000)), "not a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := importFiles(t,
				map[string]string{"x.jsonl": jsonlHeader + "\n" + tc.line + "\n"})
			importRefused(t, importSet(t, filepath.Join(dir, "x.jsonl"), "jsonl"), "x.jsonl:3",
				tc.words)
		})
	}
}

func TestImportJSONLGoesOn(t *testing.T) {
	id := func(n int) string {
		return fmt.Sprintf(`{"id":"k00000000%d","title":"t%d","body":"b"}`, n, n)
	}
	text := `{"v":1,"schema":"blackboard.capsules","from":"here"}` + "\r\n" + id(1) + "\r\n{\n" +
		strings.Repeat("x", maxImportLine+1) + "\n" + id(1) + "\n" +
		`{"title":"no id","body":"b","colour":"red","Kind":"gotcha"}` + "\n" +
		strings.Replace(id(2), `"b"`, `""`, 1) + "\n" + id(2)
	set := importSet(t, filepath.Join(importFiles(t, map[string]string{"x": text}), "x"), "auto")
	if len(set.Items) != 3 || len(set.Refused) != 4 {
		t.Fatalf("%+v", set)
	}
	if !noted(set.Notes, `unknown field "from"`) {
		t.Errorf("notes: %q", set.Notes)
	}
	if r := set.Refused[2]; !strings.HasSuffix(r.From, ":5") ||
		!strings.Contains(r.Why, "k000000001") || !strings.Contains(r.Why, "x:2") {
		t.Errorf("%+v", r)
	}
	it := set.Items[1]
	if it.Capsule.ID != "" || it.Capsule.Kind != "fact" || it.Capsule.Scope != "universal" ||
		len(it.Notes) != 3 || !noted(it.Notes, `"colour" was not kept: "red"`) ||
		!noted(it.Notes, `"Kind"`) {
		t.Errorf("%+v", it)
	}
	if set.Items[2].Capsule.ID != "k000000002" { // the first with that id was refused
		t.Errorf("%+v", set.Items[2])
	}
}
