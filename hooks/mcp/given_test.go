package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board"
	"blackboard/testdata/expect"
)

// TestKeepGiven: what a client was given is on the board of the run, with what it asked
// but for secrets. A run that there is not is not made, and a client that may not write
// leaves nothing on a board; both are answered, and told.
func TestKeepGiven(t *testing.T) {
	full := everything(t, func(cfg *Config) { cfg.Agent = "scout-1" })
	grants := full.cfg.Grants
	ask := func(tool, args string) string {
		t.Helper()
		s := New(full.cfg)
		defer s.Close()
		s.cfg.Grants = grants
		params := &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)}
		r, err := connect(t, s, nil).CallTool(t.Context(), params)
		if err != nil || r.IsError {
			t.Fatalf("%s %s: %v %s", tool, args, err, textOf(r))
		}
		return textOf(r)
	}
	ask("kb_remember", `{"title":"SQL injection in login","body":"The form's fields are in the query."}`)
	const question = `{"query":"SQL injection in login AKIAQYLPMN5HHHFPZAM2"}`
	if got := ask("kb_search", question); !strings.Contains(got, "SQL injection") ||
		!strings.Contains(got, "what was given is not kept on the board: there is no run r1") {
		t.Errorf("without a run: %s", got)
	}
	b := expect.Value(board.Create(t.Context(), full.boards(), "r1", "", "lead", nil))(t)
	defer b.Close()
	grants = expect.Value(ParseGrants([]string{KBRead, RunRead}))(t)
	if got := ask("kb_search", question); !strings.Contains(got, "SQL injection") ||
		!strings.Contains(got, "not granted") {
		t.Errorf("to a reader: %s", got)
	}
	grants = full.cfg.Grants
	for tool, args := range map[string]string{"kb_search": question,
		"kb_brief": `{"task":"SQL injection in login","role":"planner","run":"r1"}`} {
		got := ask(tool, args)
		if !strings.Contains(got, "SQL injection") || strings.Contains(got, "not kept") {
			t.Errorf("%s: %s", tool, got)
		}
	}
	all, err := b.Retrievals(t.Context(), 0)
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, r := range all {
		if r.Worker != "scout-1" || len(r.Capsules) != 1 || r.Capsules[0].Evidence == 0 ||
			r.Way == board.ByBrief && r.Role != "planner" ||
			!strings.HasPrefix(r.Task, "SQL injection in login") ||
			strings.Contains(r.Task, "AKIAQ") {
			t.Errorf("%+v", r)
		}
	}
}
