package harness

import (
	"cmp"
	"strconv"
	"strings"

	"blackboard/board/text"
)

// MaxText is how much of a tool's text is read, in bytes. Far less is kept, and the
// search for secrets takes time.
const MaxText = 8 << 10

// Head returns the first MaxText bytes of a text.
func Head(s string) string {
	if len(s) > MaxText {
		return strings.ToValidUTF8(s[:MaxText], "")
	}
	return s
}

// setInput sets a tool's input.
func (t *Tool) setInput(v any) {
	in := asObject(v)
	if in == nil {
		t.Input = Head(textOf(v))
		return
	}
	t.Command = Head(in.str("command", "cmd", "command_line", "script"))
	if argv := in.list("command"); argv != nil {
		t.Command = Head(commandLine(argv))
	}
	t.Path = Head(in.str("file_path", "filePath", "path", "notebook_path", "absolute_path",
		"target_file", "filename", "dir_path", "workdir"))
	if strings.HasPrefix(strings.TrimSpace(t.Command), patchBegin) {
		t.patch()
	}
	if t.Command == "" && t.Path == "" && t.Input == "" {
		t.Input = Head(compact(in))
	}
}

// commandLine returns a list of words as a shell's line. For `bash -lc LINE` it is LINE.
func commandLine(argv []any) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = textOf(a)
	}
	if len(words) == 3 && (words[1] == "-lc" || words[1] == "-c") {
		return words[2]
	}
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"`$&|;<>()*?[]#~\\") && len(words) > 1 {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// patchBegin is the first line of a patch, which Codex sends as a command.
const patchBegin = "*** Begin Patch"

// patchFile matches a line of a patch that names a file.
var patchFile = text.NewRegexp(
	`(?m)^\*\*\* (Add|Update|Delete) File: (.+)$|^\*\*\* (Move) to: (.+)$`)

// patch replaces the text of a patch by the names of its files, which is short.
func (t *Tool) patch() {
	var files []string
	for _, m := range patchFile.FindAllStringSubmatch(t.Command, -1) {
		what, path := m[1]+m[3], strings.TrimSpace(m[2]+m[4])
		t.Path = cmp.Or(t.Path, path)
		files = append(files, what+" "+path)
	}
	t.Command = ""
	if len(files) != 1 || !strings.HasSuffix(files[0], t.Path) {
		t.Input = strings.Join(files, ", ")
	}
}

// Formats of exit codes in the output of tools. A program can print such a line too, so
// only the last one counts, and only for shells.
var exitLine = text.NewRegexp(
	`(?mi)^(?:command exited with code|exit code:?|exit status|<shellId: \S+ completed with exit code|<exited with exit code) (\d{1,9})>?\r?$`)

// parseExit sets the exit code that a text ends with, if any.
func (t *Tool) parseExit(s string) bool {
	all := exitLine.FindAllStringSubmatch(s, -1)
	if all == nil {
		return false
	}
	code, err := strconv.Atoi(all[len(all)-1][1])
	if err == nil {
		t.setExit(code)
	}
	return err == nil
}

// parseFirstExit does the same for a harness that puts the exit code before the output.
func (t *Tool) parseFirstExit(s string) bool {
	line, _, _ := strings.Cut(s, "\n")
	return t.parseExit(line)
}

// setDuration sets the duration in milliseconds.
func (t *Tool) setDuration(p object, keys ...string) {
	if ms, ok := p.number(keys...); ok && ms >= 0 {
		t.DurationMS = &ms
	}
}

// ErrorText returns the tool's error message without what the harness adds. Of a long
// text it starts at the first line that reports an error.
func (t *Tool) ErrorText() string {
	s := t.Error
	if o := asObject(s); o != nil {
		if inner := cmp.Or(o.str("error", "message", "stderr", "output", "stdout", "content"),
			textOf(o["content"]), o.obj("error").str("message")); inner != "" {
			s = inner
		}
	}
	var lines []string
	from := -1
	for line := range strings.Lines(around.ReplaceAllString(s, "")) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "Output:"); ok {
			line = strings.TrimSpace(rest)
		}
		if line == "" || exitLine.MatchString(line) || plumbing.MatchString(line) {
			continue
		}
		if from < 0 && telling.MatchString(line) {
			from = len(lines)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines[max(0, from):], "\n")
}

var (
	// around matches the marks that harnesses put around a tool's output.
	around = text.NewRegexp(
		`</?(?:tool_use_error|untrusted_context|shell_metadata|bash_metadata|error|stderr|stdout|output)>`)
	// plumbing matches lines that harnesses add to a tool's output.
	plumbing = text.NewRegexp(
		`^(?:Process Group PGID|Background PIDs|Wall time|Signal|Chunk ID|Original token count|Directory|Process exited with code)\b|^(?:Error|Output|Signal|Exit Code): \((?:none|empty)\)$|^\(empty\)$`)
	// telling matches words of a line that reports an error.
	telling = text.NewRegexp(
		`(?i)error\b|ERR!|\b(?:fail(?:ed|ure|s)?|fatal|panic|exception|denied|not found|no such|cannot|can't|undefined|invalid|refused|rejected|unable|expected|missing)\b`)
)

// setFailed sets the outcome to failed, with the error.
func (t *Tool) setFailed(why string) {
	ok := false
	t.OK, t.Error = &ok, Head(why)
}
