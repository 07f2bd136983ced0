package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"blackboard/board/text"
	"blackboard/hooks/harness"
)

// This file puts items into JSON texts' objects and arrays, in their style, and takes them out.

// object is a JSON object whose members keep their order.
type object []pair

type pair struct {
	key   string
	value any // object, []any, string, int or bool
}

// anys are the members as items.
func anys(o object) []any {
	all := make([]any, len(o))
	for i, p := range o {
		all[i] = p
	}
	return all
}

// ordered converts an object of package harness, which has alternating names and values.
func ordered(o harness.Object) (all object) {
	for i := 0; i < len(o); i += 2 {
		value := o[i+1]
		if inner, ok := value.(harness.Object); ok {
			value = ordered(inner)
		}
		all = append(all, pair{o[i].(string), value})
	}
	return all
}

type style struct {
	text  []byte // as it was read
	nl    string // what ends a line
	unit  string // one step of indentation
	colon string // ": " or ":"
	lines bool   // items stand on lines of their own
}

// lineEnd returns what ends the lines of a text.
func lineEnd(b []byte) string {
	if i := bytes.IndexByte(b, '\n'); i > 0 && b[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func (d *doc) style() style {
	s := style{text: d.text, nl: lineEnd(d.text), unit: "  ", colon: ": ", lines: true}
	if d.root == nil {
		return s
	}
	befores, values, _ := inside(d.root)
	if len(values) == 0 {
		return s
	}
	s.lines = bytes.IndexByte(d.text[d.root.StartOffset:d.root.EndOffset], '\n') >= 0
	if lead, own := leadOf(*befores[0]); own && lead != "" {
		s.unit = lead
	}
	if kindOf(d.root) == '{' && len(values[0].BeforeExtra) == 0 {
		s.colon = ":"
	}
	return s
}

// inside returns what an object or an array has: what stands before each item, the
// values, and what stands behind the last item and its comma.
func inside(c *hujson.Value) (befores []*hujson.Extra, values []*hujson.Value,
	after *hujson.Extra) {
	switch t := c.Value.(type) {
	case *hujson.Object:
		for i := range t.Members {
			befores = append(befores, &t.Members[i].Name.BeforeExtra)
			values = append(values, &t.Members[i].Value)
		}
		return befores, values, &t.AfterExtra
	case *hujson.Array:
		for i := range t.Elements {
			befores = append(befores, &t.Elements[i].BeforeExtra)
			values = append(values, &t.Elements[i])
		}
		return befores, values, &t.AfterExtra
	}
	return nil, nil, nil
}

// leadOf returns the indentation of an item, and whether its line begins with it.
func leadOf(before []byte) (lead string, own bool) {
	i := bytes.LastIndexByte(before, '\n')
	return string(before[i+1:]), i >= 0 && isAllBlank(before[i+1:])
}

func (s style) indentAt(i int) string {
	line := s.text[bytes.LastIndexByte(s.text[:i], '\n')+1 : i]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// render returns a value as text, with lead before each line except the first.
func (s style) render(v any, lead string) string {
	var open, end string
	var parts []string
	inner := lead + s.unit
	switch v := v.(type) {
	case object:
		open, end = "{", "}"
		for _, p := range v {
			parts = append(parts, quoteJSON(p.key)+s.colon+s.render(p.value, inner))
		}
	case []any:
		open, end = "[", "]"
		for _, e := range v {
			parts = append(parts, s.render(e, inner))
		}
	case string:
		return quoteJSON(v)
	default:
		return fmt.Sprint(v)
	}
	switch {
	case len(parts) == 0:
		return open + end
	case s.lines:
		return open + s.nl + inner + strings.Join(parts, ","+s.nl+inner) + s.nl + lead + end
	}
	return open + strings.Join(parts, ","+s.gap()) + end
}

// gap separates items on one line, behind the comma.
func (s style) gap() string { return strings.TrimPrefix(s.colon, ":") }

func quoteJSON(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(text) // a string and a buffer cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// sameLine matches the comments that end on the line on which they begin.
var sameLine = text.NewRegexp(`^(?:[ \t]*(?://[^\r\n]*|/\*[^\n]*?\*/))+`)

// insert appends items to a container: pairs to an object, values to an array.
func (s style) insert(c *hujson.Value, items ...any) {
	if len(items) == 0 {
		return
	}
	befores, values, after := inside(c)
	s.lines = bytes.IndexByte(s.text[c.StartOffset:c.EndOffset], '\n') >= 0 ||
		s.lines && len(values) == 0
	closing := s.indentAt(c.StartOffset)
	lead, gap, last := closing+s.unit, s.gap(), lastOf(c)
	trailing := last != nil && last.AfterExtra != nil
	if last != nil {
		if l, own := leadOf(*befores[0]); own {
			lead = l
		}
	}
	before := ""
	if s.lines || len(values) == 0 { // comments behind the last item stay on its line
		before = sameLine.FindString(string(*after))
		*after = (*after)[len(before):]
	}
	switch {
	case s.lines:
		gap = s.nl + lead
	case len(values) == 0:
		gap = ""
	}
	if len(values) == 0 && s.lines && bytes.IndexByte(*after, '\n') < 0 {
		*after = []byte(s.nl + closing)
	}
	for i, it := range items {
		if before += gap; i > 0 && !s.lines {
			before = s.gap()
		}
		s.put(c, it, before, lead, trailing && i == len(items)-1)
		before = ""
	}
}

// put appends an item. With comma, another follows it that ends the list.
func (s style) put(c *hujson.Value, it any, before, lead string, comma bool) {
	v := hujson.Value{BeforeExtra: []byte(before)}
	if comma {
		v.AfterExtra = []byte{}
	}
	switch t := c.Value.(type) {
	case *hujson.Object:
		p := it.(pair)
		name := hujson.Value{BeforeExtra: v.BeforeExtra, Value: hujson.Literal(quoteJSON(p.key))}
		v.BeforeExtra, v.Value = []byte(s.gap()), hujson.Literal(s.render(p.value, lead))
		t.Members = append(t.Members, hujson.ObjectMember{Name: name, Value: v})
	case *hujson.Array:
		v.Value = hujson.Literal(s.render(it, lead))
		t.Elements = append(t.Elements, v)
	}
}

// insertTop adds members to a text's top object, and creates it if needed.
func (d *doc) insertTop(s style, add object) {
	if d.root != nil {
		s.insert(d.root, anys(add)...)
		return
	}
	if len(d.text) > 0 && d.text[len(d.text)-1] != '\n' { // behind a comment
		d.text = append(bytes.Clone(d.text), s.nl...)
	}
	d.text = append(bytes.Clone(d.text), s.render(add, "")+s.nl...)
}

// remove takes item i out of a container, with its comma and space before it. Comments stay.
func remove(c *hujson.Value, i int) {
	befores, values, after := inside(c)
	last, next := len(values)-1, after
	if i < last {
		next = befores[i+1]
	}
	kept := slices.Concat(withoutLead(*befores[i], *next), values[i].AfterExtra)
	switch {
	case i == 0 && i < last && len(kept) == 0 && isAllBlank(*next) && bytes.IndexByte(*befores[0], '\n') < 0:
		*next = *befores[0]
	default:
		*next = slices.Concat(kept, *next)
	}
	if i == last && i > 0 {
		before := values[i-1]
		if values[i].AfterExtra == nil { // the comma before it goes too
			*after = slices.Concat(before.AfterExtra, *after)
			before.AfterExtra = nil
		} else if before.AfterExtra == nil {
			before.AfterExtra = []byte{}
		}
	}
	if last == 0 && isAllBlank(*after) {
		*after = nil
	}
	switch t := c.Value.(type) {
	case *hujson.Object:
		t.Members = slices.Delete(t.Members, i, i+1)
	case *hujson.Array:
		t.Elements = slices.Delete(t.Elements, i, i+1)
	}
}

// withoutLead returns what stands before an item without the white space right before
// it, but for the line end of a comment that what follows must not become a part of.
func withoutLead(before, next []byte) []byte {
	kept := bytes.TrimRight(before, " \t\r\n")
	blanks := before[len(kept):]
	i := bytes.LastIndexByte(blanks, '\n')
	switch follows := bytes.TrimLeft(next, " \t\r"); {
	case i < 0:
		return kept
	case len(kept) > 0 && (len(follows) == 0 || follows[0] != '\n'):
		return before
	}
	return before[:len(kept)+len(bytes.TrimSuffix(blanks[:i], []byte("\r")))]
}
