package mcp

import (
	"strings"
	"testing"
)

// TestSettle: an agent that meets a conflict can say why it is none, once.
func TestSettle(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	must(t, c, "board_post", `{"content":"Ironworks has 98 sites in Iowa","source_doc":"a.md"}`)
	must(t, c, "board_post", `{"content":"Ironworks has 99 sites in Iowa","source_doc":"b.md"}`)
	const gate = `{"max_conflicts":0}`
	if got := must(t, c, "board_gate", gate); !strings.Contains(got,
		"e1 and e2 may contradict each other") ||
		!strings.Contains(got, "board_accept (id: e1, other: e2, reason: …)") {
		t.Errorf("the gate says %q", got)
	}
	refused(t, c, "board_settle", `{"entry":"e1","other":"e2","reason":" "}`,
		"settling needs a reason")
	refused(t, c, "board_settle", `{"entry":"e1","other":"e7","reason":"x"}`, "e7")
	refused(t, c, "board_settle", `{"entry":"e1","reason":"x"}`, "no doubt about e1")
	got := must(t, c, "board_settle", `{"entry":"e2","other":"e1","reason":"e1 is of 2024"}`)
	if got != "settled e1 and e2 on r1: e1 is of 2024" {
		t.Error(got)
	}
	if got := must(t, c, "board_gate", gate); !strings.Contains(got, ": open") {
		t.Errorf("the gate says %q", got)
	}
	refused(t, c, "board_settle", `{"entry":"e1","other":"e2","reason":"again"}`, "settled")

	must(t, c, "board_post",
		`{"content":"Keys are rotated each quarter","source_doc":"gone.md","must_surface":true}`)
	for args, want := range map[string]string{
		`{"require_verified":true}`: "e3     not verified",
		`{"require_evidence":true}`: "e3     no quote",
	} {
		if got := must(t, c, "board_gate", args); !strings.Contains(got, want) {
			t.Errorf("%s: the gate says %q", args, got)
		}
	}
}
