package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"blackboard/hooks/harness"
	"blackboard/hooks/topics"
	"blackboard/testdata/expect"
)

func TestWorthRecording(t *testing.T) {
	yes, no, one, two := true, false, 1, 2
	for _, c := range []struct {
		tool harness.Tool
		want bool
	}{
		{harness.Tool{Name: "Bash", Command: "go test ./..."}, true},
		{harness.Tool{Name: "Read", Path: "a.go", OK: &yes}, false},
		{harness.Tool{Name: "read_file", Path: "a.go", OK: &no}, true},
		{harness.Tool{Name: "Edit", Path: "a.go"}, true},
		{harness.Tool{Name: "Bash", Command: "board kb search retry"}, false},
		{harness.Tool{Name: "Bash", Command: "BOARD_RUN=x /usr/local/bin/board signals"}, false},
		{harness.Tool{Name: "Bash", Command: "board hook SessionStart"}, false},
		{harness.Tool{Name: "Bash", Command: "board kb remember x --title y"}, true},
		{harness.Tool{Name: "Bash", Command: "board kb search retry && rm -rf build"}, true},
		{harness.Tool{Name: "Bash", Command: "board"}, true},
		{harness.Tool{Name: "mcp__board__kb_search", Input: "{}", OK: &yes}, false},
		{harness.Tool{Name: "mcp__plugin_board_board__kb_search", Input: "{}"}, false},
		{harness.Tool{Name: "mcp__board__kb_remember", Input: "{}"}, false},
		{harness.Tool{Name: "mcp__board__set_state", Input: "{}", OK: &no}, false},
		{harness.Tool{Name: "board-kb_search", Input: "{}"}, false},
		{harness.Tool{Name: "mcp_board_kb_search", Input: "{}"}, false},
		{harness.Tool{Name: "board.kb_search", Input: "{}"}, false},
		{harness.Tool{Name: "codemode",
			Input: `{"code":"await board.kb_search({query: 1})"}`}, false},
		{harness.Tool{Name: "codemode", Input: `{"code":"await tickets.close(7)"}`}, true},
		{harness.Tool{Name: "boardroom", Input: "{}"}, true},
		{harness.Tool{Name: "Bash", Command: "cat a.go | head"}, false},
		{harness.Tool{Name: "Bash", Command: "cat a.go", OK: &no, ExitCode: &two}, true},
		{harness.Tool{Name: "Bash", Command: "rg x src", OK: &no, ExitCode: &one}, false},
		{harness.Tool{Name: "Bash", Command: "rg x src", OK: &no, ExitCode: &two}, true},
		{harness.Tool{Name: "Bash", Command: "cat a.go > b.go"}, true},
		{harness.Tool{Name: "board_kb_search", Input: "{}"}, false},
		{harness.Tool{Name: "MCP:kb_search", Input: "{}"}, false},
		{harness.Tool{Name: "MCP:search", Input: "{}"}, true},
		{harness.Tool{Name: "mcp__clipboard_tools__search", Input: "{}"}, true},
		{harness.Tool{}, false},
	} {
		if got := worthRecording(&harness.Event{Kind: harness.ToolResult,
			Tool: &c.tool}); got != c.want {
			t.Errorf("%+v: %v", c.tool, got)
		}
	}
	if worthRecording(&harness.Event{Kind: harness.ToolResult, Tool: &harness.Tool{Name: "Bash",
		Command: "x"}, Echo: true}) {
		t.Error("an echo is recorded")
	}
}

// TestWorklog: what tools did is in the worklog of the session's topic, once, with how
// it went; and at the session's end, what it comes to.
func TestWorklog(t *testing.T) {
	w := newWorld(t)
	w.tell("SessionStart", map[string]any{"source": "startup"})
	w.now = w.now.Add(time.Minute)
	for range 2 { // harnesses call twice where two configurations name the hook
		w.tell("PostToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "t1",
			"tool_input": map[string]any{"command": "make"}, "duration_ms": 1500})
	}
	w.tell("PostToolUseFailure", map[string]any{"tool_name": "Bash", "tool_use_id": "t2",
		"tool_input": map[string]any{"command": "go vet ./..."},
		"error":      "Exit code 3\nmain.go:7: unused"})
	w.tell("PostToolUse", map[string]any{"tool_name": "Read", "tool_use_id": "t3",
		"tool_input": map[string]any{"file_path": "/a.go"}})
	w.tell("PostToolUse", map[string]any{"tool_name": "Edit", "tool_use_id": "t4",
		"tool_input": map[string]any{"file_path": "/a.go"}, "agent_type": "Explore"})
	w.now = w.now.Add(time.Minute)
	w.tell("SessionEnd", map[string]any{"reason": "other"})
	var lines []string
	for _, e := range w.worklog("session-s1") {
		lines = append(lines, e.String())
	}
	want := []string{
		"2026-11-21 12:01:00 Bash: make (ok, 1.5s)",
		"2026-11-21 12:01:00 Bash: go vet ./... (failed, exit 3: main.go:7: unused)",
		"2026-11-21 12:01:00 Edit: /a.go, (subagent Explore) (ok)",
		"2026-11-21 12:02:00 SessionEnd: session ended: 2 ok, 1 failed (2m0s)",
	}
	if fmt.Sprintf("%q", lines) != fmt.Sprintf("%q", want) {
		t.Errorf("the worklog is\n%q, not\n%q", lines, want)
	}
	if s, err := openSession(w.home, "s1"); err != nil || !s.Started.IsZero() {
		t.Errorf("the session still runs: %+v, %v", s, err)
	}
}

// TestNothingLeaks: what is private and what is secret reach no file, whatever field of
// whatever event has them.
func TestNothingLeaks(t *testing.T) {
	w := newWorld(t)
	w.searcher = found(hit("k1", "t", "b", 1))
	w.env["BOARD_DEPTH"] = "a " + token
	for _, s := range []string{"<private>hidden-words</private> and " + token,
		"&lt;private&gt;hidden-words " + token, token + " hidden-words</private>"} {
		for _, event := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse",
			"PostToolUseFailure", "SessionEnd"} {
			w.tell(event, map[string]any{"prompt": "please look at " + s, "tool_name": "Bash " + s,
				"tool_use_id":   s,
				"tool_input":    map[string]any{"command": "run " + s, "file_path": s},
				"tool_response": s, "error": "Exit code 1\n" + s, "source": s, "reason": s,
				"transcript_path": s, "agent_type": s})
			w.tell(event, map[string]any{"tool_name": "x", "tool_input": s, "session_id": "s2",
				"tool_response": map[string]any{"isError": true,
					"content": []any{map[string]any{"text": s}}}})
		}
	}
	w.handle("claude", "x "+token, []byte(`{"broken": "`+token))
	if all := everything(t, w.home, w.specs); !strings.Contains(all, "«secret:") ||
		strings.Contains(all, token) || strings.Contains(all, "hidden-words") {
		t.Errorf("the files have\n%s", all)
	}
	for _, q := range w.searcher.(*answering).asked {
		if strings.Contains(q.Text, token) || strings.Contains(q.Text, "hidden-words") {
			t.Errorf("%q was searched for", q.Text)
		}
	}
}

// TestEchoes: of two events for one thing, one is recorded.
func TestEchoes(t *testing.T) {
	w := newWorld(t)
	base := fmt.Sprintf(`"cursor_version":"1","conversation_id":"s1","workspace_roots":[%q]`,
		w.project)
	w.handle("cursor", "afterShellExecution",
		[]byte(`{"hook_event_name":"afterShellExecution",`+base+`,"command":"make","output":"x"}`))
	w.handle("cursor", "postToolUse",
		[]byte(`{"hook_event_name":"postToolUse",`+base+`,"tool_name":"Shell","tool_input":{"command":"make"},`+
			`"tool_output":"{\"output\":\"x\",\"exitCode\":2}","tool_use_id":"a\nb"}`))
	got := w.worklog("session-s1")
	if len(got) != 1 || got[0].ExitCode == nil || *got[0].ExitCode != 2 || got[0].Error != "x" {
		t.Errorf("the worklog has %+v", got)
	}
}

// TestPatchInShell: of a patch that Codex is given in a command of its shell, no hook
// is told: it is in the worklog by the rollout, once, however often the session is
// resumed.
func TestPatchInShell(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(w.home, "rollout-2026-11-21T12-00-00-s1.jsonl")
	line := func(at time.Time, kind string, payload map[string]any) {
		t.Helper()
		data := encodeJSON(map[string]any{"timestamp": at.Format("2006-01-02T15:04:05.000Z"),
			"type": kind, "payload": payload})
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.Write(data)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	change := func(id, status string, files ...string) {
		changes := map[string]any{}
		for _, f := range files {
			changes[filepath.Join(w.project, f)] = map[string]any{"type": "update",
				"unified_diff": "@@ -1 +1 @@\n-a\n+b\n", "move_path": nil}
		}
		line(w.now, "event_msg", map[string]any{"type": "item_completed",
			"turn_id": "t1", "item": map[string]any{
				"type": "FileChange", "id": id, "changes": changes, "status": status,
				"stdout": "Success.", "stderr": ""}})
		line(w.now, "response_item", map[string]any{"type": "function_call_output", "call_id": id,
			"output": "Wall time: 0.0000 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\nSuccess."})
	}
	tell := func(event string, p map[string]any) {
		w.now = w.now.Add(time.Minute)
		p["transcript_path"] = path
		w.asks("codex", event, p)
	}
	expect.OK(t, os.MkdirAll(w.home, 0o700))
	change("call_0", "completed", "before.md") // in a sitting whose end was not told
	tell("SessionStart", map[string]any{"source": "resume"})
	change("call_1", "completed", "a.md", "docs/tax.md")
	change("call_2", "completed", "told.md")
	tell("PostToolUse", map[string]any{"turn_id": "t1", "tool_name": "apply_patch",
		"tool_use_id":   "call_2",
		"tool_input":    map[string]any{"command": "*** Begin Patch\n*** Update File: told.md\n"},
		"tool_response": "Exit code: 0\n"})
	change("call_3", "failed", "b.md")
	tell("SessionEnd", map[string]any{"reason": "other"})
	tell("SessionStart", map[string]any{"source": "resume"})
	change("call_4", "completed", "a.md")
	tell("SessionEnd", map[string]any{"reason": "other"})
	var got []string
	for _, e := range w.worklog("session-s1") {
		got = append(got, e.String())
	}
	want := []string{"2026-11-21 12:02:00 apply_patch: told.md (ok)",
		"2026-11-21 12:01:00 apply_patch: a.md, Update a.md, Update docs/tax.md (ok)",
		"2026-11-21 12:03:00 SessionEnd: session ended: 2 ok (2m0s)",
		"2026-11-21 12:04:00 apply_patch: a.md (ok)",
		"2026-11-21 12:05:00 SessionEnd: session ended: 1 ok (1m0s)"}
	if !slices.Equal(got, want) {
		t.Errorf("the worklog has\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestQuickResume: a session that is resumed at once, and does nothing, leaves no line:
// what it did before is not counted twice.
func TestQuickResume(t *testing.T) {
	w := newWorld(t)
	w.tell("SessionStart", map[string]any{"source": "startup"})
	w.tell("PostToolUse", map[string]any{"tool_name": "Bash",
		"tool_input": map[string]any{"command": "make"}})
	w.tell("SessionEnd", map[string]any{"reason": "other"})
	w.now = w.now.Add(300 * time.Millisecond)
	w.tell("SessionStart", map[string]any{"source": "resume"})
	w.now = w.now.Add(300 * time.Millisecond)
	w.tell("SessionEnd", map[string]any{"reason": "other"})
	if got := w.worklog("session-s1"); len(got) != 2 ||
		got[1].Summary != "session ended: 1 ok" {
		t.Errorf("the worklog has %+v", got)
	}
}

// TestPlaces: the topic is that of the place that the payload names, else the harness's
// environment; the working directory counts only where nobody names one.
func TestPlaces(t *testing.T) {
	other := t.TempDir()
	gone := filepath.Join(other, "gone")
	for _, c := range []struct {
		name, cwd string
		env       map[string]string
		want      string
	}{
		{"the payload", "PROJECT", map[string]string{"CLAUDE_PROJECT_DIR": other}, "PROJECT"},
		{"the environment", "", map[string]string{"CLAUDE_PROJECT_DIR": other}, other},
		{"a directory that is gone", gone, map[string]string{"GEMINI_PROJECT_DIR": other}, other},
		{"BOARD_WORKSPACE", "PROJECT", map[string]string{"BOARD_WORKSPACE": other}, other},
		{"nothing but a directory that is gone", gone, nil, ""},
		{"a relative path", "..", map[string]string{"QWEN_PROJECT_DIR": other}, other},
	} {
		w := newWorld(t)
		expand := func(s string) string { return strings.ReplaceAll(s, "PROJECT", w.project) }
		for k, v := range c.env {
			w.env[k] = v
		}
		w.tell("PostToolUse", map[string]any{"cwd": expand(c.cwd), "tool_name": "Bash",
			"tool_input": map[string]any{"command": "make"}})
		all := everything(t, w.specs)
		if want := expand(c.want); want == "" && all != "" || want != "" &&
			!strings.Contains(all, filepath.Join(w.specs, real(t, want),
				topics.SessionTopic("s1"))) {
			t.Errorf("%s: %s", c.name, all)
		}
	}
}

// lateReader is an input that takes its time.
type lateReader struct {
	io.Reader
	wait time.Duration
}

func (r *lateReader) Read(b []byte) (int, error) {
	time.Sleep(r.wait)
	r.wait = 0
	return r.Reader.Read(b)
}

// TestRecordedThoughLate: a use of a tool is in the worklog though the hook had no time
// for it: its deadline passes before the payload is there, or before it knows where the
// session works. After keepWithin it gives up, and the log counts the loss.
func TestRecordedThoughLate(t *testing.T) {
	w := newWorld(t)
	use := func(id string, input, slow time.Duration) (line bool) {
		synctest.Test(t, func(t *testing.T) {
			payload := encodeJSON(map[string]any{"hook_event_name": "PostToolUse",
				"session_id": "s1", "cwd": w.project, "tool_name": "Bash", "tool_use_id": id,
				"tool_input": map[string]any{"command": "make"}})
			r := Handle(t.Context(), Config{Harness: "claude", Event: "PostToolUse", Home: w.home,
				Now: func() time.Time { return w.now }, Env: func(k string) string {
					if k == "BOARD_WORKSPACE" {
						time.Sleep(slow)
					}
					if k == "BOARD_HOOK_TIMEOUT" {
						return ""
					}
					return w.env[k]
				}}, &lateReader{bytes.NewReader(payload), input})
			if string(r.Answer) != "{}\n" {
				t.Errorf("the answer is %q", r.Answer)
			}
			line = slices.ContainsFunc(w.worklog(topics.SessionTopic("s1")),
				func(e topics.Entry) bool { return e.ID == id })
			time.Sleep(input + slow) // until the hook that went on alone is done
		})
		return line
	}
	if !use("late", 0, 3*DefaultTimeout) || !use("late input", 3*DefaultTimeout, 0) ||
		w.logged() != "" {
		t.Errorf("the line is not there; logged is %q", w.logged())
	}
	if use("too late", 0, DefaultTimeout+2*recordWithin) ||
		strings.Count(w.logged(), "lost a worklog line") != 1 {
		t.Errorf("the loss is not counted; logged is %q", w.logged())
	}
}

// TestRelative: paths within the workspace are relative, others stay as they are.
func TestRelative(t *testing.T) {
	for in, want := range map[string]string{
		"/w/p/a.go": "a.go", "/w/p": ".", "/w/p/": ".", "cd /w/p && make": "cd . && make",
		`cat "/w/p/a b" /w/p2/c`: `cat "a b" /w/p2/c`, "/x/w/p/a": "/x/w/p/a",
		"--dir=/w/p --x=/w/p/y":               "--dir=. --x=y",
		"open /w/p/a: no such file\n/w/p/b:3": "open a: no such file\nb:3",
		"/w/p/w/p/a":                          "w/p/a", "none": "none", "": "",
	} {
		if got := relative(in, []string{"/w/p"}); got != want {
			t.Errorf("%q is %q, not %q", in, got, want)
		}
	}
}

// TestOutcomes: an exit code that a harness puts into a text is found, one that it does
// not tell is not made up; and what went wrong is told without the harness's own words.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct{ name, harness, event, payload, want string }{
		{"Copilot, exit 3", "copilot", "postToolUse", `{"timestamp":1,"sessionId":"s","toolName":"bash","toolArgs":{"command":"make"},"toolResult":{"resultType":"success",
			"textResultForLlm":"oops: no rule\n<shellId: 1 completed with exit code 3>"}}`, "failed, exit 3: oops: no rule"},
		{"Copilot, exit 0", "copilot", "postToolUse", `{"timestamp":1,"sessionId":"s","toolName":"bash","toolArgs":{"command":"make"},"toolResult":{"resultType":"success",
			"textResultForLlm":"fine\n<shellId: 1 completed with exit code 0>"}}`, "ok"},
		{"Copilot, still running", "copilot", "postToolUse", `{"timestamp":1,"sessionId":"s","toolName":"bash","toolArgs":{"command":"make"},"toolResult":{"resultType":"success",
			"textResultForLlm":"<command with shellId: 1 is still running>"}}`, "unknown"},
		{"Codex", "codex", "PostToolUse",
			`{"turn_id":"t","session_id":"s","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":"Exit code: 0\n"}`, "unknown"},
		{"Codex, argv", "codex", "PostToolUse",
			`{"turn_id":"t","session_id":"s","tool_name":"Bash","tool_input":{"command":["bash","-lc","make | cat"]},"tool_response":""}`, "unknown"},
		{"Claude, in the background", "claude", "PostToolUse",
			`{"session_id":"s","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":{"stdout":"","backgroundTaskId":"b1"}}`, "unknown"},
		{"Claude, interrupted", "claude", "PostToolUse",
			`{"session_id":"s","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":{"stdout":"half","interrupted":true}}`, "failed: half"},
		{"Claude, an edit", "claude", "PostToolUseFailure",
			`{"session_id":"s","tool_name":"Edit","tool_input":{"file_path":"a"},"error":"<tool_use_error>String to replace not found</tool_use_error>"}`,
			"failed: String to replace not found"},
		{"Gemini, no output", "gemini", "AfterTool", `{"session_id":"s","tool_name":"run_shell_command","tool_input":{"command":"make"},
			"tool_response":{"llmContent":"<untrusted_context>\nOutput: (empty)\nError: (none)\nExit Code: 2\nProcess Group PGID: 1\n</untrusted_context>","returnDisplay":""}}`, "failed, exit 2"},
		{"Gemini, a long output", "gemini", "AfterTool", `{"session_id":"s","tool_name":"run_shell_command","tool_input":{"command":"make"},
			"tool_response":{"llmContent":"Output: a\nExit Code: 2\n","returnDisplay":"> build\nwarming up\nx.c:1: error: no\nmore"}}`, "failed, exit 2: x.c:1: error: no more"},
	} {
		_, e, err := harness.Read([]byte(c.payload), c.harness, c.event, noEnv)
		if err != nil || e.Tool == nil {
			t.Fatalf("%s: %v, %+v", c.name, err, e)
		}
		line := entry(&e, t0).String()
		if !strings.HasSuffix(line, " ("+c.want+")") {
			t.Errorf("%s: %s, not %s", c.name, line, c.want)
		}
	}
}
