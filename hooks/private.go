package hooks

import (
	"strings"
	"unicode/utf8"

	"blackboard/board/text"
	"blackboard/hooks/harness"
	"blackboard/kb/secret"
)

// privateTag matches tags around text that must not be stored, also as harnesses escape them.
var privateTag = text.NewRegexp(`(?i)(?:<|&lt;)\s*(/?)\s*private\b[^<>]*?(?:>|&gt;|/>)`)

// privateMark replaces private text.
const privateMark = "«private»"

// dropPrivate removes text between <private> and </private>. If one of the two is
// missing, everything on its side goes, because the tag may have been cut off.
func dropPrivate(s string) string {
	if !strings.Contains(strings.ToLower(s), "private") {
		return s
	}
	var b strings.Builder
	depth, at := 0, 0
	for _, m := range privateTag.FindAllStringSubmatchIndex(s, -1) {
		if closing := m[2] != m[3]; !closing {
			if depth == 0 {
				b.WriteString(s[at:m[0]])
				b.WriteString(privateMark)
			}
			depth++
		} else if depth == 0 { // the opening tag is missing
			b.Reset()
			b.WriteString(privateMark)
		} else {
			depth--
		}
		at = m[1]
	}
	if depth == 0 {
		b.WriteString(s[at:])
	}
	return b.String()
}

// clean returns the beginning of a text without private parts and secrets, to store or search for.
func clean(s string) string { return secret.Redact(dropPrivate(trimCutWord(harness.Head(s)))) }

// trimCutWord removes the last word of a text that may have been cut, because half a
// secret does not look like one. Secrets are ASCII, so words in other scripts stay.
func trimCutWord(s string) string {
	if len(s) <= harness.MaxText-utf8.UTFMax {
		return s
	}
	return strings.TrimRightFunc(s, func(r rune) bool { return r > ' ' && r < utf8.RuneSelf })
}
