package setup

import (
	"runtime"
	"strings"

	"blackboard/board/text"
)

// plainPath matches a path that needs no quotes in any shell.
var plainPath = text.NewRegexp(`^[A-Za-z0-9_./:@%+=,-]+$`)

func quote(path string) string {
	switch {
	case plainPath.MatchString(path):
		return path
	case runtime.GOOS == "windows": // where no path holds a double quote
		return `"` + path + `"`
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// firstWord splits the program off a command line, without its quotes.
func firstWord(line string) (word, rest string) {
	line = strings.TrimLeft(strings.TrimPrefix(line, "& "), " ")
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ':
			return b.String(), line[i:]
		case c == '\'' || c == '"':
			end := strings.IndexByte(line[i+1:], c)
			if end < 0 {
				return "", line
			}
			b.WriteString(line[i+1 : i+1+end])
			i += end + 1
		case c == '\\' && i+1 < len(line) && line[i+1] == '\'':
			i++
			b.WriteByte('\'')
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// hookLine matches the end of our command lines: the event and the harness.
var hookLine = text.NewRegexp(`^ hook ([A-Za-z_]+) --harness ([a-z]+)$`)

// isProgram reports whether a path is this program's, or an earlier one's by its name.
func isProgram(path, binary string) bool {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	return path != "" && (path == binary ||
		strings.TrimSuffix(strings.ToLower(base), ".exe") == "board")
}

// ownHook parses a command line that calls `board hook`, of any version and at any path.
func ownHook(line, binary string) (path, event string, ok bool) {
	path, rest := firstWord(line)
	m := hookLine.FindStringSubmatch(rest)
	if m == nil || byName(m[2]) == nil || !isProgram(path, binary) {
		return "", "", false
	}
	return path, m[1], true
}

func (p *place) hookCommand(event, harness string) string {
	return quote(p.binary) + " hook " + event + " --harness " + harness
}

func powershell(path, rest string) string {
	if plainPath.MatchString(path) {
		return path + rest
	}
	return `& "` + path + `"` + rest
}
