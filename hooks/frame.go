package hooks

import (
	"strings"

	"blackboard/board/text"
)

// oneLine returns a harmless text without line ends, of at most n bytes.
func oneLine(s string, n int) string {
	return clip(strings.Join(strings.Fields(text.Harmless(s)), " "), n)
}

// clip cuts a text to at most n bytes. A mark shows that it was cut.
var clip = text.ClipBytes

// quoted returns a harmless text of several lines, each after a mark. The mark keeps a
// line from passing for one of our headings.
func quoted(s string) string {
	lines := strings.Split(strings.Trim(text.Harmless(s), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight("| "+l, " ")
	}
	return strings.Join(lines, "\n")
}
