package importers

import (
	"path/filepath"
	"strings"
	"testing"

	"blackboard/kb"
)

func TestImportMCP(t *testing.T) {
	dir := importFiles(t, map[string]string{"memory.json": strings.Join([]string{
		`{"type":"entity","name":"Ann","entityType":"person","observations":["likes Go\nand SQL","speaks German"]}`,
		`{"type":"entity","name":"Acme","entityType":"","observations":[],"createdAt":"2025-06-01","colour":"red"}`,
		`{"type":"relation","from":"Ann","to":"Acme","relationType":"works at","since":2020}`,
		`{"type":"relation","from":"Ann","to":"Bob","relationType":"knows"}`,
		`{"type":"relation","from":"Ann","to":"Ann","relationType":"trusts"}`,
	}, "\n")})
	set := importSet(t, filepath.Join(dir, "memory.json"), "auto")
	if len(set.Items) != 2 || len(set.Refused) != 0 || !noted(set.Notes, "3 relations") {
		t.Fatalf("%+v", set)
	}
	ann, acme := set.Items[0].Capsule, set.Items[1].Capsule
	want := "- likes Go\n  and SQL\n- speaks German\n\nrelations:\n- Ann works at Acme; since: 2020\n- Ann knows Bob\n- Ann trusts Ann"
	if ann.Title != "Ann" || ann.Kind != "fact" || ann.Scope != "universal" ||
		strings.Join(ann.Tags, ",") != "person" || ann.Body != want {
		t.Errorf("%+v", ann)
	}
	if acme.Body != "relations:\n- Ann works at Acme; since: 2020\n\ncolour: red" ||
		acme.Created.IsZero() || !noted(set.Items[1].Notes, "colour") {
		t.Errorf("%+v", set.Items[1])
	}
}

func TestImportMCPRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ line, words string }{
		"not JSON":     {`{"type":`, "not a JSON object"},
		"another type": {`{"type":"node","name":"a"}`, `"node" is neither`},
		"no type":      {`{"name":"a"}`, `"" is neither`},
		"no name":      {`{"type":"entity","name":" ","observations":["a"]}`, "has no name"},
		"nothing to say": {`{"type":"entity","name":"a","entityType":"b","observations":[" "]}`,
			"nothing to import"},
		"no observations": {`{"type":"entity","name":"a","entityType":"b"}`,
			"nothing to import"},
		"wrong type": {`{"type":"entity","name":7,"observations":["a"]}`,
			`"name" has the wrong type: number`},
		"no list": {`{"type":"entity","name":"a","observations":"a"}`,
			`"observations" has the wrong type: string`},
		"NUL": {`{"type":"entity","name":"a","observations":["\u0000"]}`, "NUL"},
		"too large": {`{"type":"entity","name":"a","observations":["` + strings.Repeat("x",
			kb.MaxBody) + `"]}`, "at most 65536"},
		"unknown ends": {`{"type":"relation","from":"a","to":"b","relationType":"c"}`,
			`it relates "a" and "b", but neither`},
		"half a relation": {`{"type":"relation","from":"a","relationType":"c"}`,
			"lacks its from, to or relationType"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := importFiles(t, map[string]string{"m.jsonl": "\n" + tc.line})
			importRefused(t, importSet(t, filepath.Join(dir, "m.jsonl"), "mcp-memory"),
				"m.jsonl:2", tc.words)
		})
	}
	dir := importFiles(t, map[string]string{"m": strings.Join([]string{
		`{"type":"entity","name":"a","observations":["b"]}`,
		`{"type":"entity","name":"a","observations":["c"]}`,
		`{"type":"entity","name":"large","observations":["` +
			strings.Repeat("x", kb.MaxBody) + `"]}`,
		`{"type":"relation","from":"large","to":"z","relationType":"is"}`,
	}, "\n")})
	set := importSet(t, filepath.Join(dir, "m"), "auto")
	if len(set.Items) != 1 || len(set.Refused) != 3 || !strings.Contains(set.Refused[0].Why,
		"occurs already at "+set.Items[0].From) ||
		!strings.Contains(set.Refused[2].Why, "were refused") {
		t.Errorf("%+v", set)
	}
}
