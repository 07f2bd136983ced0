package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// node is a value in a JSON text and where it stands. The text may have comments, trailing commas and a byte order mark, as the files of several harnesses do.
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

// maxDepth is how deep values may be nested. What is deeper is no configuration.
const maxDepth = 2000

var bom = []byte("\xef\xbb\xbf")

type jsonParser struct {
	b     []byte
	i     int
	depth int
}

// parseJSON reads a text that holds one value. It is nil for a text that holds none: only white space and comments.
func parseJSON(b []byte) (*node, error) {
	p := &jsonParser{b: b}
	if bytes.HasPrefix(b, bom) {
		p.i = len(bom)
	}
	if err := p.skip(); err != nil || p.i == len(b) {
		return nil, err
	}
	n, err := p.value()
	if err != nil {
		return nil, err
	}
	if err := p.skip(); err != nil {
		return nil, err
	}
	if p.i < len(b) {
		return nil, p.errorf("there is something behind the end of the value")
	}
	return n, nil
}

func (p *jsonParser) errorf(format string, a ...any) error {
	return fmt.Errorf("line %d: %s", 1+bytes.Count(p.b[:min(p.i, len(p.b))], []byte{'\n'}), fmt.Sprintf(format, a...))
}

// skip goes over white space and comments.
func (p *jsonParser) skip() error {
	for p.i < len(p.b) {
		switch c := p.b[p.i]; {
		case isBlank(c):
			p.i++
		case c == '/':
			end := commentEnd(p.b, p.i)
			if end < 0 {
				return p.errorf("a comment does not end, or a slash stands alone")
			}
			p.i = end
		default:
			return nil
		}
	}
	return nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// commentEnd is where the comment at i ends, before the end of its line if it goes that far, or -1 if there is none.
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

func (p *jsonParser) value() (*node, error) {
	if p.i == len(p.b) {
		return nil, p.errorf("the text ends where a value should be")
	}
	switch c := p.b[p.i]; c {
	case '{', '[':
		return p.container(c)
	case '"':
		return p.text()
	}
	start := p.i
	for p.i < len(p.b) && (p.b[p.i] >= '0' && p.b[p.i] <= '9' || p.b[p.i]|0x20 >= 'a' && p.b[p.i]|0x20 <= 'z' || strings.IndexByte("+-.", p.b[p.i]) >= 0) {
		p.i++
	}
	if !json.Valid(p.b[start:p.i]) {
		word := string(p.b[start:min(max(p.i, start+1), start+20)])
		p.i = start
		return nil, p.errorf("%q is no value", word)
	}
	return &node{kind: 'x', start: start, end: p.i}, nil
}

func (p *jsonParser) text() (*node, error) {
	start := p.i
	for p.i++; p.i < len(p.b) && p.b[p.i] != '"' && p.b[p.i] != '\n'; p.i++ {
		if p.b[p.i] == '\\' {
			p.i++
		}
	}
	if p.i >= len(p.b) || p.b[p.i] != '"' {
		p.i = start
		return nil, p.errorf("a string does not end on its line")
	}
	p.i++
	n := &node{kind: '"', start: start, end: p.i}
	if err := json.Unmarshal(p.b[start:p.i], &n.str); err != nil {
		p.i = start
		return nil, p.errorf("a string is broken: %v", err)
	}
	return n, nil
}

func (p *jsonParser) container(open byte) (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.errorf("values are nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	n := &node{kind: open, start: p.i}
	p.i++
	for {
		if err := p.skip(); err != nil {
			return nil, err
		}
		if p.i < len(p.b) && p.b[p.i] == open+2 { // the closing one of both kinds
			p.i++
			n.end = p.i
			return n, nil
		}
		if k := len(n.items); k > 0 && n.items[k-1].comma < 0 {
			return nil, p.errorf("a comma or %q is missing", open+2)
		}
		it, err := p.item(open == '{')
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, it)
	}
}

func (p *jsonParser) item(member bool) (it item, err error) {
	it.start, it.comma = p.i, -1
	if member {
		if p.i == len(p.b) || p.b[p.i] != '"' {
			return it, p.errorf("a name in double quotes is missing")
		}
		key, err := p.text()
		if err != nil {
			return it, err
		}
		it.key = key.str
		if err := p.skip(); err != nil {
			return it, err
		}
		if p.i == len(p.b) || p.b[p.i] != ':' {
			return it, p.errorf("a colon is missing behind %q", it.key)
		}
		p.i++
		if err := p.skip(); err != nil {
			return it, err
		}
	}
	if it.value, err = p.value(); err != nil {
		return it, err
	}
	if err := p.skip(); err != nil {
		return it, err
	}
	if p.i < len(p.b) && p.b[p.i] == ',' {
		it.comma = p.i
		p.i++
	}
	return it, nil
}

// member is the value of a name and its index. Of a name that is there twice the last one counts, as for every reader of JSON.
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

// at is the value that a path of names leads to, or nil.
func (n *node) at(path ...string) *node {
	for _, key := range path {
		n, _ = n.member(key)
	}
	return n
}

// text is a string's, or "".
func (n *node) text() string {
	if n == nil {
		return ""
	}
	return n.str
}

// word is the text of a number, true, false or null, or "".
func (n *node) word(b []byte) string {
	if n == nil || n.kind != 'x' {
		return ""
	}
	return string(b[n.start:n.end])
}

// meaning is a value as the standard library has it.
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

// called names the kind of a value for people.
func (n *node) called(b []byte) string {
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
