package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"blackboard/hooks/harness"
)

// node is a value in a JSON text with its position. The text may have comments,
// trailing commas and a byte order mark.
type node struct {
	kind       byte // '{', '[', '"', or 'x' for a number or a word
	start, end int  // it is text[start:end]
	str        string
	items      []item
}

// item is a member of an object or an element of an array.
type item struct {
	key   string // of a member
	start int    // where its key, or the element, begins
	value *node
	comma int // where the comma behind it stands, or -1
}

// maxDepth is the deepest accepted nesting of values.
const maxDepth = 2000

var bom = []byte("\xef\xbb\xbf")

// parseJSON parses a text with one value. It returns nil for a text of only white space
// and comments.
func parseJSON(b []byte) (*node, error) {
	text, strict, err := blanked(b)
	if err != nil || isAllBlank(text) {
		return nil, err
	}
	var wrong *json.SyntaxError
	if err := json.Unmarshal(strict, new(json.RawMessage)); errors.As(err, &wrong) {
		return nil, errorAt(b, int(wrong.Offset), wrong.Error())
	}
	return (&jsonReader{b: text}).value(), nil
}

func errorAt(b []byte, at int, what string) error {
	return fmt.Errorf("line %d: %s", 1+bytes.Count(b[:at], []byte{'\n'}), what)
}

// blanked replaces byte order mark and comments by blanks (text), and trailing commas
// too (strict).
func blanked(b []byte) (text, strict []byte, err error) {
	text = bytes.Clone(b)
	blank := func(from, end int) { copy(text[from:end], bytes.Repeat([]byte{' '}, end-from)) }
	if bytes.HasPrefix(b, bom) {
		blank(0, len(bom))
	}
	var commas []int     // the trailing ones
	last, before := 0, 0 // the places of the last two characters that are not blank
	for i, depth := 0, 0; i < len(b); i++ {
		switch text[i] {
		case ' ', '\t', '\n', '\r':
			continue
		case '/':
			if end := commentEnd(b, i); end >= 0 {
				blank(i, end)
				i = end - 1
				continue
			}
		case '{', '[':
			if depth++; depth > maxDepth {
				return nil, nil, errorAt(b, i, fmt.Sprintf("values are nested deeper than %d",
					maxDepth))
			}
		case '}', ']':
			if depth--; text[last] == ',' && text[before] != '{' && text[before] != '[' {
				commas = append(commas, last)
			}
		}
		last, before = i, last
		if b[i] == '"' {
			i = stringEnd(b, i)
		}
	}
	strict = bytes.Clone(text)
	for _, i := range commas {
		strict[i] = ' '
	}
	return text, strict, nil
}

// refusedSyntax returns the first refused syntax in a text, and its line; "" if there
// is none. parseJSON must accept the text.
func refusedSyntax(b []byte, refused harness.Syntax) (what string, line int) {
	text, strict, err := blanked(b)
	if err != nil {
		return "", 0
	}
	marked := 0
	if bytes.HasPrefix(b, bom) {
		if marked = len(bom); refused&harness.ByteOrderMark != 0 {
			return "a byte order mark", 1
		}
	}
	for i := marked; i < len(b); i++ {
		switch {
		case b[i] != text[i] && refused&harness.Comments != 0:
			what = "a comment"
		case text[i] != strict[i] && refused&harness.TrailingCommas != 0:
			what = "a comma behind the last item"
		default:
			continue
		}
		return what, 1 + bytes.Count(b[:i], []byte{'\n'})
	}
	return "", 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// commentEnd returns the end of the comment at i, before its line end, or -1 if there
// is no comment.
func commentEnd(b []byte, i int) int {
	switch {
	case bytes.HasPrefix(b[i:], []byte("//")):
		end := bytes.IndexByte(b[i:], '\n')
		if end < 0 {
			return len(b)
		}
		if b[i+end-1] == '\r' {
			end--
		}
		return i + end
	case bytes.HasPrefix(b[i:], []byte("/*")):
		if end := bytes.Index(b[i+2:], []byte("*/")); end >= 0 {
			return i + 2 + end + 2
		}
	}
	return -1
}

// stringEnd returns the position of the closing quotes of the string at i, or the end
// of the text.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b) && b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return min(i, len(b))
}

// jsonReader finds the values in a valid text, which may have trailing commas.
type jsonReader struct {
	b []byte
	i int
}

// next skips white space and returns the next character.
func (r *jsonReader) next() byte {
	for isBlank(r.b[r.i]) {
		r.i++
	}
	return r.b[r.i]
}

func (r *jsonReader) value() *node {
	n := &node{kind: r.next(), start: r.i}
	switch n.kind {
	case '{', '[':
		for r.i++; r.next() != n.kind+2; { // the closing one of both kinds
			it := item{start: r.i, comma: -1}
			if n.kind == '{' {
				it.key = r.value().str
				r.next()
				r.i++ // the colon
			}
			it.value = r.value()
			if r.next() == ',' {
				it.comma = r.i
				r.i++
			}
			n.items = append(n.items, it)
		}
		r.i++
	case '"':
		r.i = stringEnd(r.b, r.i) + 1
		json.Unmarshal(r.b[n.start:r.i], &n.str) // it is valid
	default:
		for n.kind = 'x'; r.i < len(r.b) && bytes.IndexByte([]byte(" \t\r\n,]}"), r.b[r.i]) < 0; {
			r.i++
		}
	}
	n.end = r.i
	return n
}

// member returns the value of a name and its index. If a name occurs twice, the last
// one counts, as in every JSON parser.
func (n *node) member(key string) (*node, int) {
	if n == nil || n.kind != '{' {
		return nil, -1
	}
	for i := len(n.items) - 1; i >= 0; i-- {
		if n.items[i].key == key {
			return n.items[i].value, i
		}
	}
	return nil, -1
}

// at returns the value at a path of names, or nil.
func (n *node) at(path ...string) *node {
	for _, key := range path {
		n, _ = n.member(key)
	}
	return n
}

// text returns a string's text, or "".
func (n *node) text() string {
	if n == nil {
		return ""
	}
	return n.str
}

// word returns the text of a number, true, false or null, or "".
func (n *node) word(b []byte) string {
	if n == nil || n.kind != 'x' {
		return ""
	}
	return string(b[n.start:n.end])
}

// meaning returns a value as encoding/json decodes it.
func (n *node) meaning(b []byte) (v any) {
	o, l := map[string]any{}, []any{}
	for _, it := range n.items {
		o[it.key] = it.value.meaning(b)
		l = append(l, o[it.key])
	}
	switch n.kind {
	case '{':
		return o
	case '[':
		return l
	}
	json.Unmarshal(b[n.start:n.end], &v) // the parser has looked that it can be
	return v
}

// kindName returns the kind of a value in words.
func (n *node) kindName(b []byte) string {
	switch n.kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	}
	return n.word(b)
}
