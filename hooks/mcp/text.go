package mcp

import (
	"bytes"
	"encoding/json"
	"strings"

	"blackboard/board/text"
)

// inLine keeps a text within its line: a note must not look like the server's words.
func inLine(s string) string {
	return strings.Join(strings.Fields(cleanText(s)), " ")
}

// indented keeps a text of several lines within its block: each of its lines but the
// first has a mark before it, so that none looks like what the server says.
func indented(s string) string {
	return strings.ReplaceAll(strings.TrimSpace(cleanText(s)), "\n", "\n  | ")
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

// ordinary reports clean ASCII: nearly all texts are, and to see it costs a twentieth.
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
	clean, err := marshal(cleanAny(v))
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

// marshal writes data as JSON, with <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
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

func tokens(s string) int { return text.Tokens(s) }

func clipTokens(s string, most int) string { return text.ClipTokens(s, most) }
