package setup

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"blackboard/board/fault"
	"blackboard/hooks/harness"
)

// A fileError reports a file that cannot be read, parsed or written. A conflict reports
// another program's entry in the place of ours. In both cases nothing was written.
var fileError, conflict = fault.Failure.New, fault.Conflict.New

//go:embed SKILL.md
var skill string

// ownMark is in every file that is ours alone, except JSON, which has no comments.
const ownMark = "Written by `board setup`"

// programMark stands for the program's path in an embedded file, as a string.
const programMark = `"@PROGRAM@"`

func (p *place) filled(text string) []byte {
	return []byte(strings.Replace(text, programMark, quoteJSON(p.binary), 1))
}

// ownHooksFile returns the content of a hooks file that is ours alone.
func (p *place) ownHooksFile(h *harness.Harness) []byte {
	if text := h.Plugin(); text != "" {
		return p.filled(text)
	}
	var events object
	for _, hook := range h.Hooks() {
		line := p.hookCommand(hook.Event, h.Name)
		entry := h.OwnEntry(line, powershell(p.binary, strings.TrimPrefix(line,
			quote(p.binary))), hook)
		events = append(events, pair{hook.Event, []any{ordered(entry)}})
	}
	st := (&doc{}).style()
	return []byte(st.render(object{{"version", 1}, {"hooks", events}}, "") + "\n")
}

// isOwnFile reports whether a file at the path of one of ours is ours, of any version.
func (p *place) isOwnFile(path string, b []byte) bool {
	if !strings.HasSuffix(path, ".json") {
		return strings.Contains(string(b), ownMark)
	}
	var file struct {
		Hooks map[string][]struct{ Bash string }
	}
	if json.Unmarshal(b, &file) != nil || len(file.Hooks) == 0 {
		return false
	}
	for _, entries := range file.Hooks {
		for _, e := range entries {
			if _, _, ok := ownHook(e.Bash, p.binary); !ok {
				return false
			}
		}
	}
	return true
}

// programIn returns the program's path in a file of ours, or "".
func programIn(path string, b []byte) string {
	if strings.HasSuffix(path, ".json") {
		d, err := parseJSON(b)
		if err != nil {
			return ""
		}
		for _, event := range members(at(d.root, "hooks")) {
			for _, hook := range elements(&event.Value) {
				word, _ := firstWord(textOf(at(&hook, "bash")))
				return word
			}
		}
		return ""
	}
	_, rest, found := strings.Cut(string(b), "const program = ")
	line, _, _ := strings.Cut(rest, "\n")
	var program string
	if !found || json.Unmarshal([]byte(strings.TrimSpace(line)), &program) != nil {
		return ""
	}
	return program
}

func (p *place) skillFile() []byte { return p.filled(skill) }

func parseError(err error, path string) error {
	return fileError(fmt.Sprintf("cannot parse %s: %v; nothing was changed", path, err),
		"correct the file, then set up again")
}
