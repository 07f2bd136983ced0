package mcp

import (
	"strings"
	"time"
	"unicode"
)

// timeText writes a time as data has it.
func timeText(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// inLine keeps a text within its line: what somebody noted must not look like what the server says.
func inLine(s string) string {
	return strings.Join(strings.Fields(strings.Map(printable, s)), " ")
}

// indented keeps a text of several lines within its block: each of its lines but the first has a mark before it, so that none looks like what the server says.
func indented(s string) string {
	return strings.ReplaceAll(strings.TrimSpace(strings.Map(printable, s)), "\n", "\n  | ")
}

// printable drops control characters, but for line ends and tabs, and what hides or turns text around.
func printable(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r == '\u2028' || r == '\u2029': // line ends to some
		return '\n'
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r >= 0xe0000 && r <= 0xe007f: // the last are tags, which nobody sees
		return -1
	}
	return r
}
