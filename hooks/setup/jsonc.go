package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tailscale/hujson"

	"blackboard/board/text"
	"blackboard/hooks/harness"
)

// doc is a JSON text that may have comments, trailing commas and a byte order mark. What
// is changed in its tree changes nothing else in the text.
type doc struct {
	mark, text []byte        // the byte order mark or nothing, and what follows as it was read
	root       *hujson.Value // nil: the text has only white space and comments
}

// maxDepth is the deepest accepted nesting of values.
const maxDepth = 2000

var bom = []byte("\xef\xbb\xbf")

// parseJSON parses a text with one value, or with none.
func parseJSON(b []byte) (*doc, error) {
	d := &doc{text: bytes.TrimPrefix(b, bom)}
	d.mark = b[:len(b)-len(d.text)]
	if isDeep(d.text) {
		return nil, errors.New("values are nested deeper than 2000")
	}
	whole := append(bytes.Clone(d.text), '\n') // ends a comment; bytes takes it off again
	root, err := hujson.Parse(whole)
	if err == nil {
		d.root = &root
		return d, nil
	}
	if blank, e := hujson.Parse(append(whole, "{}"...)); e == nil && blank.StartOffset == len(whole) {
		return d, nil
	}
	_, err = hujson.Parse(d.text) // whose end is in the right line
	return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
}

// notSign matches what has brackets that nest nothing.
var notSign = text.NewRegexp(`(?s)"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/`)

// isDeep reports whether values are nested deeper than the parser's stack may become.
func isDeep(text []byte) bool {
	if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) <= maxDepth {
		return false
	}
	depth := 0
	for _, c := range notSign.ReplaceAllString(string(text), "") {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

// bytes returns the text as it is now.
func (d *doc) bytes() []byte {
	if d.root == nil {
		return append(bytes.Clone(d.mark), d.text...)
	}
	return append(bytes.Clone(d.mark), bytes.TrimSuffix(d.root.Pack(), []byte("\n"))...)
}

// standard is the text as read, with blanks for comments and trailing commas.
func (d *doc) standard() []byte {
	v, err := hujson.Parse(append(bytes.Clone(d.text), '\n')) // its Clone loses commas
	if err != nil {
		return bytes.Repeat([]byte(" "), len(d.text))
	}
	v.Standardize()
	return v.Pack()[:len(d.text)]
}

// refusedSyntax is the first refused syntax in a text that parseJSON accepts, or "", and its line.
func refusedSyntax(b []byte, refused harness.Syntax) (what string, line int) {
	d, err := parseJSON(b)
	if err != nil {
		return "", 0
	}
	if len(d.mark) > 0 && refused&harness.ByteOrderMark != 0 {
		return "a byte order mark", 1
	}
	found := len(d.text)
	see := func(say string, i int, refuses harness.Syntax) {
		if i < found && refused&refuses != 0 {
			what, found = say, i
		}
	}
	for i, c := range d.standard() {
		if d.text[i] == '/' && c != '/' {
			see("a comment", i, harness.Comments)
			break
		}
	}
	if d.root != nil {
		for v := range d.root.All() {
			if last := lastOf(v); last != nil && last.AfterExtra != nil {
				see("a comma behind the last item", last.EndOffset+len(last.AfterExtra),
					harness.TrailingCommas)
			}
		}
	}
	if what == "" {
		return "", 0
	}
	return what, 1 + bytes.Count(d.text[:found], []byte{'\n'})
}

// lastOf is the last value of an object or array, or nil; AfterExtra if a comma follows it.
func lastOf(c *hujson.Value) *hujson.Value {
	if _, values, _ := inside(c); len(values) > 0 {
		return values[len(values)-1]
	}
	return nil
}

// meaning returns the text as encoding/json decodes it.
func (d *doc) meaning() (v any) {
	json.Unmarshal(d.standard(), &v) // the parser has looked that it can be
	return v
}

func isAllBlank(b []byte) bool { return len(bytes.TrimLeft(b, " \t\r\n")) == 0 }

// kindOf returns the first byte of a value, 0 for none.
func kindOf(v *hujson.Value) hujson.Kind {
	if v == nil {
		return 0
	}
	return v.Value.Kind()
}

func members(v *hujson.Value) []hujson.ObjectMember {
	if kindOf(v) != '{' {
		return nil
	}
	return v.Value.(*hujson.Object).Members
}

func elements(v *hujson.Value) []hujson.Value {
	if kindOf(v) != '[' {
		return nil
	}
	return v.Value.(*hujson.Array).Elements
}

// member returns a name's value and index; the last one if twice, as every JSON parser does.
func member(v *hujson.Value, key string) (*hujson.Value, int) {
	all := members(v)
	for i := len(all) - 1; i >= 0; i-- {
		if textOf(&all[i].Name) == key {
			return &all[i].Value, i
		}
	}
	return nil, -1
}

// at returns the value at a path of names, or nil.
func at(v *hujson.Value, path ...string) *hujson.Value {
	for _, key := range path {
		v, _ = member(v, key)
	}
	return v
}

func textOf(v *hujson.Value) string {
	if kindOf(v) != '"' {
		return ""
	}
	return v.Value.(hujson.Literal).String()
}

// word returns the text of a number, true, false or null, or "".
func word(v *hujson.Value) string {
	if l, ok := literal(v); ok && l.Kind() != '"' {
		return string(l)
	}
	return ""
}

func literal(v *hujson.Value) (l hujson.Literal, ok bool) {
	if v != nil {
		l, ok = v.Value.(hujson.Literal)
	}
	return l, ok
}

func kindName(v *hujson.Value) string {
	switch kindOf(v) {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	}
	return word(v)
}
