package learn

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"blackboard/board/lazyregexp"
)

// This file parses an entry of a worklog and its outcome. Hooks use different names for
// the fields; harvest.go lists them.

type outcome uint8

const (
	untold outcome = iota
	passed
	failed
)

// work is one entry of a worklog. It holds no output, which is long: thousands of
// entries are kept at a time.
type work struct {
	line, seq            int
	tool, command, about string
	file, cwd            string
	outcome              outcome
	wrong                string // the line of the output that says what is wrong, if it failed
}

// readWork reads an entry. A field may stand in any of the places, under any of its
// names; the entry itself comes first.
func readWork(m map[string]any) (w work) {
	places := []map[string]any{m}
	for _, k := range []string{"tool_input", "tool_info", "input", "tool_response",
		"tool_output", "result", "error"} {
		switch v := m[k].(type) {
		case map[string]any:
			places = append(places, v)
		case string: // Cursor: an object in a string
			var inner map[string]any
			if strings.HasPrefix(v, "{") && json.Unmarshal([]byte(v), &inner) == nil {
				places = append(places, inner)
			}
		}
	}
	get := func(names ...string) any {
		for _, n := range names {
			for _, p := range places {
				if v := p[n]; v != nil && v != "" {
					return v
				}
			}
		}
		return nil
	}
	text := func(names ...string) string {
		for _, n := range names {
			for _, p := range places {
				if s, _ := p[n].(string); s != "" {
					return asUTF8(s)
				}
			}
		}
		return ""
	}
	w.tool, w.about, w.cwd = text("tool", "tool_name", "toolName"),
		text("description"), text("cwd")
	w.file = text("file", "file_path", "filePath", "path")
	switch v := get("command", "command_line", "cmd").(type) {
	case string:
		w.command = asUTF8(v)
	case []any: // ["bash", "-lc", "make test"]
		var words []string
		for _, e := range v {
			s, _ := e.(string)
			words = append(words, s)
		}
		if len(words) == 3 && strings.HasPrefix(words[1], "-") &&
			strings.HasSuffix(words[1], "c") {
			words = words[2:]
		}
		w.command = asUTF8(strings.Join(words, " "))
	}
	w.command = strings.TrimSpace(strings.ReplaceAll(firstBytes(w.command, harvestText),
		"\x00", ""))
	// Codex: a patch is the command of its tool
	if m := patchFile.FindStringSubmatch(w.command); m != nil {
		w.command, w.file = "", m[1]
	}
	var errText string
	switch v := get("error", "error_message").(type) {
	case string:
		errText = v
	case map[string]any:
		errText, _ = v["message"].(string)
	case bool:
		if v {
			w.outcome = failed
		}
	}
	w.outcome = max(w.outcome, readOutcome(get, text, errText))
	if w.outcome != failed {
		return w
	}
	output := ""
	for _, s := range []string{errText, text("stderr"), text("output", "stdout"),
		text("text", "result", "tool_response", "llmContent")} {
		output += firstBytes(s, harvestText) + "\n"
		if n := len(s); n > harvestText { // what went wrong often stands at the end
			output += strings.ToValidUTF8(s[max(harvestText, n-harvestText):], "") + "\n"
		}
	}
	w.wrong = errorLine(output)
	return w
}

func (w *work) passedLine() string {
	return fmt.Sprintf("line %d: passed: %s", w.line, oneLine(w.command, 80))
}

func (w *work) failedLine(what string) string {
	return fmt.Sprintf("line %d: failed: %s: %s", w.line, what, oneLine(w.wrong, 120))
}

// readOutcome believes numbers before words, and words before the name of the event,
// which some harnesses give to successes and failures alike.
func readOutcome(get func(...string) any, text func(...string) string, errText string) outcome {
	is := func(good bool) outcome {
		if good {
			return passed
		}
		return failed
	}
	switch v := get("exit_code", "exitCode", "exit", "returncode").(type) {
	case float64:
		return is(v == 0)
	case string:
		if n, err := strconv.Atoi(v); err == nil {
			return is(n == 0)
		}
	}
	if v, ok := get("ok", "success").(bool); ok {
		return is(v)
	}
	if v, ok := get("is_error", "isError").(bool); ok {
		return is(!v)
	}
	switch strings.ToLower(text("status", "outcome")) {
	case "ok", "success", "succeeded", "completed", "passed", "pass", "done":
		return passed
	case "error", "failed", "failure", "fail", "timeout", "denied":
		return failed
	}
	// Gemini
	if m := exitLine.FindStringSubmatch(text("llmContent", "error", "tool_response")); m != nil {
		return is(m[1] == "0")
	}
	event := text("hook_event_name", "event", "kind")
	switch {
	case errText != "", strings.HasSuffix(event, "Failure"):
		return failed
	case text("tool_response") != "": // Codex tells successes and failures alike, and no exit code
	case strings.EqualFold(event, "PostToolUse"), event == "AfterTool":
		return passed
	}
	return untold
}

var (
	exitLine  = lazyregexp.New(`(?m)^Exit [Cc]ode:? (\d+)$`)
	patchFile = lazyregexp.New(`(?m)^\*\*\* (?:Add|Update|Delete) File: (.+)$`)
)

// reads says whether a tool only looks at a file: then nothing was changed that could
// be why a command passes now.
func (w *work) reads() bool {
	t := strings.ToLower(w.tool)
	return slices.ContainsFunc([]string{"read", "view", "grep", "glob", "list", "ls", "search",
		"fetch", "open", "find", "cat"}, func(s string) bool {
		return strings.HasPrefix(t, s) ||
			strings.HasSuffix(t, "_"+s)
	})
}

// inPlace returns a path relative to the working directory, if it is below it, because
// a project has another path on another machine.
func inPlace(file, cwd string) string {
	if rel, err := filepath.Rel(cwd, file); err == nil && cwd != "" &&
		!strings.HasPrefix(rel, "..") {
		return oneLine(rel, 200)
	}
	return oneLine(file, 200)
}
