package foreign

import (
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// TestReadIrys: what our boards have no field for is kept, whatever it is called.
func TestReadIrys(t *testing.T) {
	b := expect.Value(ReadIrys([]byte(`{"task_instruction": "audit", "extra": {"x": [1, 2]},
		"Extra": 3, "entries": [{"id": "e1", "type": "gap", "content": "none", "extra": "kept",
		"created_by": {"worker_id": "ada", "role": "reader"}, "reviewed": null}], "signals": []}`)))(t)
	e := b.Entries[0]
	if b.Task != "audit" || len(b.Extra) != 2 || string(b.Extra["extra"]) != `{"x":[1,2]}` ||
		string(b.Extra["Extra"]) != "3" {
		t.Errorf("%+v", b)
	}
	if e.CreatedBy.Worker != "ada" || len(e.Extra) != 2 || string(e.Extra["extra"]) != `"kept"` ||
		string(e.Extra["created_by"]) != `{"worker_id":"ada","role":"reader"}` {
		t.Errorf("%+v", e)
	}
	for in, want := range map[string]string{
		`[`: "not valid JSON", `{"entries": 5}`: "not an Irys board", `{}`: "no entries or no signals",
		"{\"task\xff\": 1}": "not valid UTF-8",
	} {
		if _, err := ReadIrys([]byte(in)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", in, err)
		}
	}
}
