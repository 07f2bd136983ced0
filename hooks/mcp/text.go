package mcp

import (
	"bytes"
	"cmp"
	"strings"

	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/hooks/mcp/transport"
)

// inLine keeps a text within its line: what somebody noted must not look like what the
// server says.
func inLine(s string) string {
	return strings.Join(strings.Fields(cleanText(s)), " ")
}

// indented keeps a text of several lines within its block: each of its lines but the
// first has a mark before it, so that none looks like what the server says.
func indented(s string) string {
	return strings.ReplaceAll(strings.TrimSpace(cleanText(s)), "\n", "\n  | ")
}

// lines joins a line for each of some things, or returns none if there are none.
func lines[T any](all []T, parting, none string, line func(*T) string) string {
	return cmp.Or(strings.Join(op.Each(all, line), parting), none)
}

// cleanText is what of a text may leave to a model: without control characters but line
// ends and tabs, without what turns the direction of writing, and without tags, which
// nobody but models sees. What ends lines for some readers alone is a blank.
func cleanText(s string) string {
	if ordinary(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u2028' || r == '\u2029':
			return ' '
		case r == '\n' || r == '\t':
			return r
		case text.Hidden(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// ordinary reports whether a text is of ASCII alone, and clean: nearly all are, and this
// is seen at a twentieth of the cost.
func ordinary[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; c != '\n' && c != '\t' && (c < ' ' || c > '~') {
			return false
		}
	}
	return true
}

// cleanJSON is JSON whose texts are clean, the names of members too.
func cleanJSON(body []byte) []byte {
	if !escaped(body) && (ordinary(body) || cleanText(string(body)) == string(body)) {
		return body
	}
	v, err := decodeAny(body)
	if err != nil {
		return nil // invalid JSON must not leave
	}
	clean, err := transport.Marshal(cleanAny(v))
	if err != nil {
		return nil
	}
	return clean
}

// escaped reports whether JSON has escapes that may stand for characters to be removed.
func escaped(body []byte) bool {
	for i, b := range body[:max(0, len(body)-1)] {
		if b == '\\' && bytes.IndexByte([]byte("urbf"), body[i+1]) >= 0 {
			return true
		}
	}
	return false
}

func cleanAny(v any) any {
	switch v := v.(type) {
	case string:
		return cleanText(v)
	case []any:
		for i := range v {
			v[i] = cleanAny(v[i])
		}
	case map[string]any:
		for name, member := range v {
			clean := cleanText(name)
			if clean != name {
				delete(v, name)
			}
			v[clean] = cleanAny(member)
		}
	}
	return v
}

// tokens estimates the tokens of a text.
func tokens(s string) int { return text.Tokens(s) }

// clipTokens returns the longest beginning of a text that has at most so many tokens.
func clipTokens(s string, most int) string { return text.ClipTokens(s, most) }
