package mcp

import (
	"strings"
	"testing"
	"time"

	"blackboard/kb/memory"
	"blackboard/testdata/expect"
)

// TestTidyUp plans and makes a pass, and restores what it has archived, as the command does.
func TestTidyUp(t *testing.T) {
	past := time.Now().Add(-365 * 24 * time.Hour)
	s := everything(t, nil)
	m := expect.Value(memory.Open(s.cfg.Home, memory.Options{Workspace: s.cfg.Workspace, Agent: "scout",
		Now: func() time.Time { return past }}))(t)
	var ids []string
	for _, it := range []memory.Item{{Content: "The tax table is imported by hand",
		Importance: .5}, {Content: "The gateway gives up after 30 s", Importance: .8},
		{Content: "The gateway gives up after 90 s", Importance: .8}} {
		it.Tier = memory.Workspace
		r := expect.Value(m.Put(t.Context(), it, memory.PutOptions{}))(t)
		ids = append(ids, r.Item.ID)
	}
	m.Close()
	c := connect(t, s, nil)
	says := func(tool, in string, want ...string) {
		t.Helper()
		text := must(t, c, tool, in)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s %s has no %q: %s", tool, in, w, text)
			}
		}
	}
	says("memory_consolidate", `{}`,
		"archive  "+ids[0]+"  The tax table is imported by hand\n", "not read for 365 days",
		"these may not both hold", "30 s and 90 s")
	says("memory_consolidate", `{"do":"pass","scopes":["workspace"]}`, "1 archived")
	if read := must(t, c, "memory_read", `{"query":"tax table"}`); strings.Contains(read, ids[0]) {
		t.Errorf("it is in sight: %s", read)
	}
	says("memory_read", `{"query":"tax table","archived":true}`, ids[0])
	says("memory_update", `{"id":"`+ids[0]+`","restore":true}`, ids[0]+" is restored")
	says("memory_read", `{"query":"tax table"}`, ids[0])
	says("memory_consolidate", `{"do":"plan"}`, "30 s and 90 s", ids[1], ids[2])
	says("memory_forget", `{"id":"`+ids[0]+`","why":"by mistake"}`)
	says("memory_update", `{"id":"`+ids[0]+`","restore":true}`, ids[0]+" is restored")
	says("memory_read", `{"query":"tax table"}`, ids[0])
	refused(t, c, "memory_consolidate", `{"scopes":["attic"]}`, "attic")
}
