package harness

import (
	"cmp"
	"strconv"
	"strings"

	"blackboard/board/lazyregexp"
)

// MaxText is how much of a text of a tool is looked at, in bytes: what is kept is far less, and looking for secrets costs time.
const MaxText = 8 << 10

// Head is the beginning of a text.
func Head(s string) string {
	if len(s) > MaxText {
		return strings.ToValidUTF8(s[:MaxText], "")
	}
	return s
}

// given notes what a tool was given.
func (t *Tool) given(v any) {
	in := asObject(v)
	if in == nil {
		t.Input = Head(text(v))
		return
	}
	t.Command = Head(in.str("command", "cmd", "command_line", "script"))
	if argv := in.list("command"); argv != nil {
		t.Command = Head(commandLine(argv))
	}
	t.Path = Head(in.str("file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file", "filename", "dir_path"))
	if strings.HasPrefix(strings.TrimSpace(t.Command), patchBegin) {
		t.patch()
	}
	if t.Command == "" && t.Path == "" && t.Input == "" {
		t.Input = Head(compact(in))
	}
}

// commandLine is a list of words as the line of a shell: of `bash -lc LINE` the line itself.
func commandLine(argv []any) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = text(a)
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

// patchBegin is the first line of a patch, which Codex has in place of a command.
const patchBegin = "*** Begin Patch"

// patchFile is a line of a patch that names a file.
var patchFile = lazyregexp.New(`(?m)^\*\*\* (Add|Update|Delete) File: (.+)$|^\*\*\* (Move) to: (.+)$`)

// patch replaces the text of a patch by the files that it is about: it says what was done, and is short.
func (t *Tool) patch() {
	var files []string
	for _, m := range patchFile.FindAllStringSubmatch(t.Command, -1) {
		what, path := m[1]+m[3], strings.TrimSpace(m[2]+m[4])
		if t.Path == "" {
			t.Path = path
		}
		files = append(files, what+" "+path)
	}
	t.Command = ""
	if len(files) != 1 || !strings.HasSuffix(files[0], t.Path) {
		t.Input = strings.Join(files, ", ")
	}
}

// How tools tell an exit code in their output. A program can print such a line too, so the last one counts; and only for shells is it asked for.
var exitLine = lazyregexp.New(`(?mi)^(?:command exited with code|exit code:?|exit status|<shellId: \S+ completed with exit code|<exited with exit code) (\d{1,9})>?\r?$`)

// told looks for an exit code in a text.
func (t *Tool) told(s string) bool {
	all := exitLine.FindAllStringSubmatch(s, -1)
	if all == nil {
		return false
	}
	code, err := strconv.Atoi(all[len(all)-1][1])
	if err == nil {
		t.exited(code)
	}
	return err == nil
}

// firstTold is told for a harness that puts the exit code before the output, which may have such lines too.
func (t *Tool) firstTold(s string) bool {
	line, _, _ := strings.Cut(s, "\n")
	return t.told(line)
}

// took notes a duration in milliseconds.
func (t *Tool) took(p object, keys ...string) {
	if ms, ok := p.number(keys...); ok && ms >= 0 {
		t.DurationMS = &ms
	}
}

// Wrong is what went wrong, in the tool's words: without what the harness puts around them, and of
// a long text from the first line on that tells it.
func (t *Tool) Wrong() string {
	s := t.Error
	if o := asObject(s); o != nil {
		if inner := cmp.Or(o.str("error", "message", "stderr", "output", "stdout", "content"), text(o["content"]), o.obj("error").str("message")); inner != "" {
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
	// around are the marks that harnesses put around what a tool said.
	around = lazyregexp.New(`</?(?:tool_use_error|untrusted_context|shell_metadata|bash_metadata|error|stderr|stdout|output)>`)
	// plumbing are lines that harnesses add to what a tool said.
	plumbing = lazyregexp.New(`^(?:Process Group PGID|Background PIDs|Wall time|Signal|Chunk ID|Original token count|Directory|Process exited with code)\b|^(?:Error|Output|Signal|Exit Code): \((?:none|empty)\)$|^\(empty\)$`)
	// telling are words of a line that says what is wrong.
	telling = lazyregexp.New(`(?i)error\b|ERR!|\b(?:fail(?:ed|ure|s)?|fatal|panic|exception|denied|not found|no such|cannot|can't|undefined|invalid|refused|rejected|unable|expected|missing)\b`)
)

// failed notes that it went wrong, and why.
func (t *Tool) failed(why string) {
	ok := false
	t.OK, t.Error = &ok, Head(why)
}
