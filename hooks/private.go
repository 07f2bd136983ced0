package hooks

import (
	"strings"
	"unicode/utf8"

	"blackboard/board/lazyregexp"
	"blackboard/hooks/harness"
	"blackboard/kb/secret"
)

// privateTag is a tag around what nobody is to keep, however it is written; harnesses may have escaped it.
var privateTag = lazyregexp.New(`(?i)(?:<|&lt;)\s*(/?)\s*private\b[^<>]*?(?:>|&gt;|/>)`)

// withheld stands where something private was.
const withheld = "«private»"

// dropPrivate takes out what stands between <private> and </private>. Where one of the two is missing, everything on its side goes: it may have been cut off.
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
				b.WriteString(withheld)
			}
			depth++
		} else if depth == 0 { // its beginning is not here
			b.Reset()
			b.WriteString(withheld)
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

// clean is a text that may be kept or searched for: without what is private, and without secrets. Only its beginning is looked at.
func clean(s string) string { return secret.Redact(dropPrivate(whole(harness.Head(s)))) }

// whole is a text without the end of what may have been cut within a word: half of a secret looks like none. Secrets are ASCII; a script without spaces keeps its words.
func whole(s string) string {
	if len(s) <= harness.MaxText-utf8.UTFMax {
		return s
	}
	return strings.TrimRightFunc(s, func(r rune) bool { return r > ' ' && r < utf8.RuneSelf })
}
