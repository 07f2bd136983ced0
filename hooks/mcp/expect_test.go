package mcp

import (
	"strings"
	"testing"
)

// TestNoVacuousPass: over MCP too, neither gate nor survival passes on an empty board;
// the gate waits for who is expected, and a wait for a run that is not there yet.
func TestNoVacuousPass(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	says := func(tool, args string, want ...string) {
		t.Helper()
		text := must(t, c, tool, args)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s %s says %q, without %q", tool, args, text, w)
			}
		}
	}
	says("board_wait", `{"run":"later","for":"gate","timeout_seconds":0}`,
		"Not within 0 seconds. There is no run later yet.")
	refused(t, c, "board_gate", `{"run":"later"}`, "there is no run later")
	says("board_expect", `{"names":["reader-1","reader-2"]}`,
		"reader-1  expected, nothing posted\nreader-2  expected, nothing posted")
	says("board_gate", `{}`, "  nothing was posted or raised yet", "to pass: board_post (content: …)",
		"expected  reader-1 has not finished yet", "to pass: board_done (names: reader-1), "+
			"or board_done (drop: true, names: reader-1, note: …)")
	says("board_survival", `{"text":"Nothing."}`, "FAILED", "the run has no entries")
	says("board_wait", `{"for":"gate","timeout_seconds":0}`, "Not within 0 seconds.", "gate of r1: CLOSED")
	says("board_post", `{"content":"Tokens never expire","must_surface":true}`)
	says("board_post", `{"content":"Tokens expire after a day","supersedes":["e1"],"drop_duty":"the parser was read wrongly"}`)
	says("board_survival", `{"text":"Nothing."}`,
		"not checked, 0 of 0 items present\nwarning: nothing on the board must surface",
		"e1     need not surface: scout", "| Tokens never expire")
	says("board_survival", `{"text":"Nothing.","min_items":1}`,
		"FAILED", "0 items had to surface; the minimum is 1")
	says("board_expect", `{"do":"done","worker":"reader-1","reason":"the index is left open"}`,
		"reader-1  done, nothing posted: the index is left open")
	refused(t, c, "board_expect", `{"do":"drop","names":["reader-2"]}`, "needs a reason")
	refused(t, c, "board_expect", `{"do":"drop","reason":"late"}`, "drop takes one worker, not 0")
	says("board_expect", `{"do":"drop","names":["reader-2"],"reason":"late"}`,
		"reader-2  dropped by scout", ": late")
	says("board_state", `{}`, "expected   reader-1 done, reader-2 dropped")
	says("board_gate", `{"min_entries":3}`,
		"2 entries were posted; at least 3 are needed")
	says("board_gate", `{}`, "gate of r1: open")
}
