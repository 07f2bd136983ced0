package hooks

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"blackboard/testdata/expect"
)

// A labelled is a use of a tool in a sequence of sessions, as a person has labelled it:
// see testdata/worklog/README.md.
type labelled struct {
	session    int
	keep       bool
	told       string // what its line is to say of how it went
	exit       int    // of a command
	ok         bool
	tool, arg  string
	mark       string // what of a line that is kept has to stand in the next start
	output     string
	id, source string
}

var labelledLine = regexp.MustCompile(`^(keep|noise) (?:true=(\w+) )?(\S+) (\S+) (.*)$`)

// readLabelled reads a sequence; @P in it is the project.
func readLabelled(t *testing.T, name, project string) (all []labelled) {
	t.Helper()
	data := expect.Value(os.ReadFile(filepath.Join("testdata", "worklog", name+".txt")))(t)
	session := 0
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if line == "session" {
			session++
			continue
		}
		m := labelledLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("line %d of %s makes no sense: %q", i+1, name, line)
		}
		rest, output, _ := strings.Cut(m[5], " ⇐ ")
		arg, mark, _ := strings.Cut(rest, " ⇒ ")
		plain := func(s string) string {
			return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(s, `\n`, "\n"),
				`\t`, "\t"), "@P", project)
		}
		l := labelled{session: session, keep: m[1] == "keep", told: m[2], tool: m[4],
			arg: plain(arg), mark: mark, output: plain(output),
			id: fmt.Sprintf("%s_%d", name, i+1), source: line, ok: m[3] == "ok"}
		if code, err := strconv.Atoi(m[3]); err == nil {
			l.exit, l.ok = code, code == 0
		}
		if l.told == "" {
			l.told = map[bool]string{true: "ok", false: "failed"}[l.ok]
		}
		if l.mark == "" {
			l.mark = strings.TrimPrefix(l.arg, project+"/")
		}
		all = append(all, l)
	}
	return all
}

// input is what the tool is given.
func (l *labelled) input() map[string]any {
	if l.tool == "sh" {
		return map[string]any{"command": l.arg, "description": "a step"}
	}
	switch strings.ToLower(l.tool) {
	case "read", "read_file", "edit", "replace", "write", "write_file":
		return map[string]any{"file_path": l.arg}
	case "list", "list_directory":
		return map[string]any{"path": l.arg}
	case "webfetch":
		return map[string]any{"url": l.arg, "format": "text"}
	}
	return map[string]any{"query": l.arg}
}

// payload is how a harness tells of it: the event, and what its payload has besides the
// session.
func (l *labelled) payload(harness, rollout string) (event string, p map[string]any) {
	tool := map[string]string{"claude": "Bash", "codex": "Bash", "gemini": "run_shell_command",
		"opencode": "bash"}[harness]
	if l.tool != "sh" {
		tool = l.tool
	}
	p = map[string]any{"tool_name": tool, "tool_use_id": l.id, "tool_input": l.input()}
	switch harness {
	case "codex": // neither an exit code, nor an event for what fails
		p["turn_id"], p["transcript_path"], p["tool_response"] = "t1", rollout, l.output
		return "PostToolUse", p
	case "gemini":
		delete(p, "tool_use_id")
		response := map[string]any{"llmContent": l.output, "returnDisplay": l.output}
		if l.tool == "sh" {
			code := ""
			if l.exit != 0 {
				code = fmt.Sprintf("Exit Code: %d\n", l.exit)
			}
			response["llmContent"] = "<untrusted_context>\nOutput: " + l.output + "\n" + code +
				"Process Group PGID: 19648\n</untrusted_context>"
		} else if !l.ok {
			response["error"] = map[string]any{"message": l.output,
				"type": "edit_no_occurrence_found"}
		}
		p["tool_response"], p["timestamp"] = response, "2026-11-21T00:21:34.083Z"
		return "AfterTool", p
	case "opencode": // as the plugin passes it on
		p["duration_ms"], p["tool_response"] = 40, l.output
		switch {
		case l.tool == "sh":
			p["metadata"] = map[string]any{"output": l.output, "exit": l.exit, "truncated": false}
		case !l.ok:
			p["error"] = l.output
			return "PostToolUseFailure", p
		default:
			p["metadata"] = map[string]any{"truncated": false}
		}
		return "PostToolUse", p
	}
	p["duration_ms"] = 40
	switch {
	case l.ok && l.tool == "sh":
		p["tool_response"] = map[string]any{"stdout": l.output, "stderr": "", "interrupted": false,
			"isImage": false, "noOutputExpected": false}
	case l.ok:
		p["tool_response"] = map[string]any{"filePath": l.arg}
	case l.tool == "sh":
		p["error"], p["is_interrupt"] = fmt.Sprintf("Exit code %d\n%s", l.exit, l.output), false
		return "PostToolUseFailure", p
	default:
		p["error"] = l.output
		return "PostToolUseFailure", p
	}
	return "PostToolUse", p
}

// rollout is Codex' own record of a session: what its hooks do not tell, the exit
// codes, is there.
func rollout(t *testing.T, dir string, all []labelled, session int) string {
	t.Helper()
	path := filepath.Join(dir, fmt.Sprintf("rollout-2026-11-21T00-19-%02d-s%d.jsonl", session,
		session))
	var b strings.Builder
	for _, l := range all {
		if l.session == session {
			b.Write(encodeJSON(map[string]any{"type": "response_item",
				"payload": map[string]any{"type": "function_call",
					"name": "exec_command", "call_id": l.id}}))
			b.Write(encodeJSON(map[string]any{"type": "response_item",
				"payload": map[string]any{"type": "function_call_output", "call_id": l.id,
					"output": fmt.Sprintf(
						"Chunk ID: 1a2b\nWall time: 0.1 seconds\nProcess exited with code %d\nOriginal token count: 9\nOutput:\n%s", l.exit, l.output)}}))
		}
	}
	expect.OK(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

// startAfter plays a sequence, and returns the lines of the worklog in the start of the
// session after it.
func startAfter(t *testing.T, w *world, harness string, all []labelled) []string {
	t.Helper()
	tell := func(event string, session int, p map[string]any) Result {
		w.now = w.now.Add(20 * time.Second)
		p["session_id"], p["cwd"] = fmt.Sprintf("%s-%d", harness, session), w.project
		if harness != "opencode" {
			p["hook_event_name"] = event
		}
		return w.handle(harness, event, encodeJSON(p))
	}
	last := all[len(all)-1].session
	for session := 1; session <= last; session++ {
		path := ""
		if harness == "codex" && session < last { // that of the last one is gone
			path = rollout(t, w.home, all, session)
		}
		tell("SessionStart", session, map[string]any{"source": "startup", "transcript_path": path})
		for i := range all {
			if all[i].session == session {
				event, p := all[i].payload(harness, path)
				tell(event, session, p)
			}
		}
		tell("SessionEnd", session, map[string]any{"reason": "other", "transcript_path": path})
		// a session in which nothing is done
		tell("SessionStart", 100+session, map[string]any{"source": "startup"})
		tell("SessionEnd", 100+session, map[string]any{"reason": "other"})
	}
	r := tell("SessionStart", last+1, map[string]any{"source": "startup"})
	oneAnswer(t, harness, r.Answer)
	var lines []string
	for _, line := range strings.Split(strings.Join(answered(t, r.Answer), "\n"), "\n") {
		if worklogLine.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

var worklogLine = regexp.MustCompile(`^\| (?:\d\d-\d\d )?\d\d:\d\d`)

// answered are the texts of an answer.
func answered(t *testing.T, answer []byte) []string {
	t.Helper()
	p := map[string]any{}
	mustDecode(t, answer, &p)
	return texts(p)
}

// TestWorklogKeeps: of what a person marks as worth keeping in three sessions, nine
// tenths are in the start of the next one; of its lines at most a fifth is noise. And
// each line that is there says how it went, as far as that is known.
func TestWorklogKeeps(t *testing.T) {
	for _, harness := range []string{"claude", "codex", "gemini", "opencode"} {
		t.Run(harness, func(t *testing.T) {
			w := newWorld(t)
			expect.OK(t, os.MkdirAll(filepath.Join(w.project, ".git"), 0o700))
			expect.OK(t, os.MkdirAll(w.home, 0o700))
			expect.OK(t, os.WriteFile(filepath.Join(w.project, ".git", "HEAD"),
				[]byte("ref: refs/heads/feat\n"), 0o600))
			all := readLabelled(t, harness, w.project)
			last := map[string]*labelled{} // the latest with a mark
			for i := range all {
				if harness == "codex" && all[i].session == all[len(all)-1].session {
					all[i].told = "unknown" // nobody has said
				}
				if all[i].keep {
					last[all[i].mark] = &all[i]
				}
			}
			lines := startAfter(t, w, harness, all)
			kept, marked, noise, told := 0, 0, 0, 0
			of := func(mark string) string {
				for i := len(lines) - 1; i >= 0; i-- {
					if strings.Contains(lines[i], mark) {
						return lines[i]
					}
				}
				return ""
			}
			for i := range all {
				if all[i].keep {
					marked++
					if of(all[i].mark) != "" {
						kept++
					} else {
						t.Logf("lost: %s", all[i].source)
					}
				}
			}
			for mark, l := range last {
				line := of(mark)
				if line == "" {
					continue
				}
				told++
				if !slices.ContainsFunc(lines, func(s string) bool {
					return strings.Contains(s,
						mark) && strings.Contains(s, " ("+l.told)
				}) {
					t.Errorf("%q is to say %q: %s", mark, l.told, line)
				}
			}
			for _, line := range lines {
				useful := false
				for mark := range last {
					useful = useful || strings.Contains(line, mark)
				}
				if !useful {
					noise++
					t.Logf("noise: %s", line)
				}
				if strings.Contains(line, real(t, w.project)) ||
					strings.Contains(line, w.project) {
					t.Errorf("a path is absolute: %s", line)
				}
			}
			t.Logf("%d of %d kept (%.0f %%), %d of %d lines are noise (%.0f %%), %d marks", kept,
				marked, 100*float64(kept)/float64(marked),
				noise, len(lines), 100*float64(noise)/float64(max(1, len(lines))), told)
			if 10*kept < 9*marked {
				t.Errorf("only %d of %d that are worth keeping are there", kept, marked)
			}
			if 5*noise > len(lines) {
				t.Errorf("%d of %d lines are noise", noise, len(lines))
			}
		})
	}
}

func mustDecode(t *testing.T, data []byte, v any) {
	t.Helper()
	expect.OK(t, json.Unmarshal(data, v))
}
