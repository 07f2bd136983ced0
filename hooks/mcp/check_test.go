package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/board/verify"
	"blackboard/testdata/expect"
)

// fillChecked is a run of which one quote is wrong, and two findings contradict each
// other.
func fillChecked(t *testing.T, s *Server) {
	t.Helper()
	ctx := t.Context()
	b := expect.Value(board.OpenOrCreate(ctx, s.boards(), "r1"))(t)
	defer b.Close()
	for _, p := range []board.Post{
		{Content: "Tokens expire after 15 minutes", SourceDoc: "auth.md",
			Evidence: "Tokens expire after 15 minutes", MustSurface: true},
		{Content: "Keys are rotated every 90 days", SourceDoc: "auth.md",
			Evidence: "Keys are rotated every 90 days", MustSurface: true},
		{Content: "Ironworks has 98 sites in Iowa", SourceDoc: "annual report"},
		{Content: "Ironworks has 99 sites in Iowa", SourceDoc: "interview"},
	} {
		expect.Value(b.Post(ctx, "reader", p))(t)
	}
}

// inProject writes a file of the server's project.
func inProject(t *testing.T, s *Server, name, text string) {
	t.Helper()
	path := filepath.Join(s.cfg.Workspace, name)
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	expect.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

const authSource = "# Auth\n\nTokens expire after 15 minutes. Keys are rotated every 30 days.\n"

func hasAll(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%q is not in:\n%s", w, got)
		}
	}
}

// TestCheck: an agent about to write learns in one call what is wrong from source to
// text, with the ids and the next steps; the policy is the workspace's.
func TestCheck(t *testing.T) {
	s := everything(t, nil)
	fillChecked(t, s)
	c := connect(t, s, nil)
	inProject(t, s, "docs/auth.md", authSource)
	got := must(t, c, "board_check", `{}`)
	hasAll(t, got, "passed   gate: open", "not checked  verify: ", "not checked  survival: ", "not checked  trace: ", "warning  conflicts: ")

	must(t, c, "board_post", `{"content":"Ironworks was founded in 1903","source_doc":"x.md"}`)
	hasAll(t, must(t, c, "board_check", `{"sources":["docs"]}`),
		"no file is called x.md; the sources are docs/a.md, docs/auth.md [d")
	must(t, c, "board_post", `{"content":"Ironworks is old","supersedes":["e5"]}`)

	draft := "Tokens expire after 15 minutes. It costs $9.25 a month."
	got = must(t, c, "board_check", fmt.Sprintf(`{"text":%q,"sources":["docs"]}`, draft))
	hasAll(t, got, "check of r1: FAILED: verify, survival", "FAILED   verify: ",
		"e2     nearly: ", "| Keys are rotated every 90 days", "correct it: board_correct (id: e2, quote: …)",
		"e3     Ironworks has 98 sites", "board_accept (id: e3, other: e4, reason: …)",
		"text.md:1 $9.25 a month (money): ", "warning  trace: ", "FAILED   survival: ")

	inProject(t, s, "board.yaml", "sources: [docs]\nreports: [out.md]\ntrace: {max_unsupported: "+
		"0}\nconflicts: {max: 0}\ngate: {require_verified: true}\n")
	got = must(t, c, "board_check", `{}`)
	// the report is not written yet
	hasAll(t, got, "FAILED: gate, verify, conflicts", "not verified", "not checked  survival: ")
	got = must(t, c, "board_check", `{"step":"trace"}`)
	hasAll(t, got, "FAILED: trace", "there is no file")
	inProject(t, s, "out.md", draft)
	hasAll(t, must(t, c, "board_check", `{}`), "FAILED   trace: ", "out.md:1 $9.25")
	hasAll(t, must(t, c, "board_check", `{"files":["out.md"]}`), "FAILED   trace: ", "out.md:1 $9.25")

	must(t, c, "board_post",
		`{"content":"Keys are rotated every 30 days","source_doc":"auth.md","evidence":"Keys are rotated every 30 days","supersedes":["e2"]}`)
	must(t, c, "board_settle", `{"entry":"e3","other":"e4","reason":"one is of 2024"}`)
	const good = `{"text":"Tokens expire after 15 minutes. Keys are rotated every 30 days."}`
	must(t, c, "board_check", good)
	got = must(t, c, "board_check", good)
	hasAll(t, got, "check of r1: passed", "passed   gate: open", "passed   trace: ", "passed   survival: ")

	inProject(t, s, "board.yaml", "tarce: {}\n")
	refused(t, c, "board_check", `{}`, "unknown key tarce")
	refused(t, c, "board_check", `{"run":"none"}`, "there is no run none")
}

// TestCheckIsBounded: however much is wrong, the answer costs an agent no more than some
// 1,500 tokens, and says how much there is besides.
func TestCheckIsBounded(t *testing.T) {
	s := everything(t, nil)
	c := connect(t, s, nil)
	b := expect.Value(board.OpenOrCreate(t.Context(), s.boards(), "r1"))(t)
	defer b.Close()
	for i := range 60 {
		long := fmt.Sprintf("Site %d of Ironworks costs $%d,000 a year. ", i, 1000+i) +
			strings.Repeat("unbroken-words ", 40)
		expect.Value(b.Post(t.Context(), "w", board.Post{Content: long, SourceDoc: "a.md",
			Evidence: long, MustSurface: true}))(t)
		expect.Value(b.Signal(t.Context(), "w", board.Raise{Content: long,
			Priority: "high"}))(t)
	}
	inProject(t, s, "docs/a.md", "Nothing of it.\n")
	inProject(t, s, "board.yaml", "sources: [docs]\ntrace: {max_unsupported: 0}\nconflicts: "+
		"{max: 0}\n")
	var draft strings.Builder
	for i := range 100 {
		fmt.Fprintf(&draft, "Vexler %d sold 7%d.5 %% of it to %s.\n\n", i, i,
			strings.Repeat("Long-Name-", 30))
	}
	got := must(t, c, "board_check", fmt.Sprintf(`{"text":%q}`, draft.String()))
	if len(got) > 6000 {
		t.Errorf("%d bytes:\n%s", len(got), got)
	}
	hasAll(t, got, "FAILED   gate: ", "FAILED   verify: ", "FAILED   survival: ", "FAILED   trace: ",
		" more; only: trace lists more of them")
	inProject(t, s, "board.yaml", "sources: [docs]\n") // the facts only warn
	got = must(t, c, "board_check", fmt.Sprintf(`{"text":%q,"only":"trace"}`, draft.String()))
	if n := strings.Count(got, "(percent)"); n < 50 || strings.Contains(got, "lists more of them") {
		t.Errorf("the one step lists %d facts:\n%s", n, got)
	}
}

// TestCheckReads: without the grant no file is read, neither one that is named, nor one
// that the policy or the board names; and nothing is written for who may only read.
func TestCheckReads(t *testing.T) {
	files := everything(t, nil)
	fillChecked(t, files)
	inProject(t, files, "docs/auth.md", authSource)
	inProject(t, files, "board.yaml", "sources: [docs]\nreports: [docs/auth.md]\n")
	b := expect.Value(board.Open(t.Context(), files.boards(), "r1"))(t)
	defer b.Close()
	expect.Value(b.AddSources(t.Context(), "w",
		[]verify.File{{Name: "auth.md", Path: filepath.Join(files.cfg.Workspace, "docs",
			"auth.md")}}, false))(t)
	reads := expect.Value(ParseGrants([]string{"run:read"}))(t)
	c := connect(t, everything(t, func(cfg *Config) {
		cfg.Home, cfg.Workspace, cfg.Grants = files.cfg.Home, files.cfg.Workspace, reads
	}), nil)
	before := expect.Value(b.State(t.Context()))(t)
	got := must(t, c, "board_check",
		`{"text":"Tokens expire after 15 minutes. Keys are rotated every 90 days, not 30 days."}`)
	if strings.Contains(got, "every 30 days") || strings.Contains(got, "auth.md:") {
		t.Errorf("a file was read: %s", got)
	}
	hasAll(t, got, "2 findings were not checked", "register the source", "passed   survival: ")
	refused(t, c, "board_check", `{"files":["docs/auth.md"]}`, "can grant files")
	refused(t, c, "board_check", `{"sources":["docs"]}`, "can grant files")
	if after, err := b.State(t.Context()); err != nil || after.Seq != before.Seq {
		t.Errorf("who may only read wrote events %d to %d, %v", before.Seq, after.Seq, err)
	}
	c = connect(t, files, nil)
	refused(t, c, "board_check", `{"files":["/dev/stdin"]}`, "not a regular file")
	hasAll(t, must(t, c, "board_check", `{"sources":["docs"],"text":"x"}`), "  e2 ")
	if after, err := b.State(t.Context()); err != nil || after.Seq == before.Seq {
		t.Errorf("no verdict was written, %v", err)
	}
}
