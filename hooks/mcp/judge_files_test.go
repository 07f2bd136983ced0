package mcp

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/testdata/expect"
)

// TestSurvivalOfFiles: a client names files and directories below the workspace, and
// nothing that is no file: the server's own input is what it hears its client through.
func TestSurvivalOfFiles(t *testing.T) {
	s := everything(t, nil)
	c := connect(t, s, nil)
	must(t, c, "board_post", `{"content":"Crestline owes $4.5 million","must_surface":true}`)
	dir := filepath.Join(s.cfg.Workspace, "docs")
	expect.OK(t, os.WriteFile(filepath.Join(dir, "table.csv"), []byte("Name,Debt\nCrestline,owes "+
		"$4.5 million\n"), 0o600))
	for _, files := range []string{`["docs"]`, `["docs/*.csv"]`,
		`["docs/a.md","docs/table.csv"]`} {
		if got := must(t, c, "board_survival", `{"files":`+files+`}`); !strings.Contains(got,
			"1 of 1 item present") {
			t.Errorf("%s: %s", files, got)
		}
	}
	if got := must(t, c, "board_survival",
		`{"text":"# Report\n\nCrestline owes $5.5 million"}`); !strings.Contains(got,
		"text.md:3 (100 % of its words)") {
		t.Errorf("the place of the nearest passage: %s", got)
	}
	expect.OK(t, os.WriteFile(filepath.Join(dir, "z.png"), []byte("\x89PNG\x00"), 0o600))
	must(t, c, "board_post", `{"content":"Beta owes 7","must_surface":true}`)
	if got := must(t, c, "board_survival", `{"files":["docs"]}`); !strings.Contains(got,
		"not read: ") || !strings.Contains(got, "z.png") {
		t.Errorf("what is not read: %s", got)
	}
	refused(t, c, "board_survival", `{"files":["none"]}`, "there is no file")
	if runtime.GOOS == "windows" {
		return
	}
	expect.OK(t, os.Symlink("/dev/stdin", filepath.Join(dir, "link")))
	for _, file := range []string{"/dev/stdin", "/dev/null", "docs/link", "/dev/fd/0"} {
		refused(t, c, "board_survival", `{"files":["`+file+`"]}`, "not a regular file")
	}
}

// TestGateFollowsThePolicy: what the workspace's board.yaml says, with what a call says
// in its place.
func TestGateFollowsThePolicy(t *testing.T) {
	s := everything(t, nil)
	c := connect(t, s, nil)
	must(t, c, "board_post", `{"content":"Crestline owes $4.5 million"}`)
	gate := func(args, want string) {
		t.Helper()
		if got := must(t, c, "board_gate", args); !strings.Contains(got, want) {
			t.Errorf("%s: %s", args, got)
		}
	}
	gate(`{}`, ": open")
	file := filepath.Join(s.cfg.Workspace, "board.yaml")
	expect.OK(t, os.WriteFile(file, []byte("gate: {min_entries: 3, block: [low]}"),
		0o600))
	gate(`{}`, "at least 3 are needed")
	gate(`{"min_entries":1}`, ": open")
	must(t, c, "board_signal", `{"content":"Who pays?","priority":"low"}`)
	gate(`{"min_entries":1}`, "s1     low ")
	gate(`{"min_entries":1,"block":["high"]}`, ": open")
	listed := func(want string) {
		t.Helper()
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "board://runs"})
		if err != nil || !strings.Contains(r.Contents[0].Text, want) {
			t.Errorf("board://runs: %v %+v", err, r)
		}
	}
	listed(`"gate_open": false`)
	expect.OK(t, os.WriteFile(file, []byte("gate: {block: []}"), 0o600))
	listed(`"gate_open": true`)
	if got := must(t, c, "board_digest", `{}`); !strings.Contains(got, "Gate open: no priority is set to block.") {
		t.Errorf("digest: %s", got)
	}
	expect.OK(t, os.WriteFile(file, []byte("gates: {}"), 0o600))
	refused(t, c, "board_gate", `{}`, "unknown key gates")
}
