package board

import (
	"strings"

	"blackboard/board/lazyregexp"
)

// SplitSource parts one way to cite, FILE:LINE or "DOC @ PLACE", into the document and
// the place in it. What is neither, such as an address with a port, a capsule or a time
// of a transcript, is a document as it stands.
func SplitSource(source string) (doc, place string) {
	if i := strings.LastIndex(source, " @ "); i > 0 {
		return strings.TrimSpace(source[:i]), strings.TrimSpace(source[i+len(" @ "):])
	}
	m := fileLine.FindStringSubmatch(source)
	if m == nil || bareHost.MatchString(m[1]) || clockPart.MatchString(m[1]) {
		return source, ""
	}
	return m[1], strings.ReplaceAll(m[2], "L", "")
}

var (
	fileLine  = lazyregexp.New(`^(.*[^:\s]):(L?[1-9][0-9]*(?:-L?[1-9][0-9]*)?)$`)
	bareHost  = lazyregexp.New(`^[a-zA-Z][a-zA-Z0-9+.-]*://[^/]*$`)
	clockPart = lazyregexp.New(`(?:^|:)[0-9]+$`) // 00:17 of 00:17:31
)
