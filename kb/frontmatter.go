package kb

import "strings"

// splitFrontMatter splits a markdown text into the YAML between its first line, "---", and the next line "---" or "...", and what follows. A text
// without such a block is all body. Line ends are made "\n", and a byte order mark is dropped.
func splitFrontMatter(text string) (meta, body string, found bool) {
	text = strings.TrimPrefix(text, "\ufeff")
	text = lineEnds.ReplaceAllString(text, "\n")
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimRight(first, " \t") != "---" {
		return "", text, false
	}
	for at := 0; at < len(rest); {
		line, _, more := strings.Cut(rest[at:], "\n")
		next := at + len(line) + 1
		if l := strings.TrimRight(line, " \t"); l == "---" || l == "..." {
			if !more {
				return rest[:at], "", true
			}
			return rest[:at], rest[next:], true
		}
		if !more {
			break
		}
		at = next
	}
	return "", text, false
}
