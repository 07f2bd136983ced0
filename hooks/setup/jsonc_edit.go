package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"blackboard/hooks/harness"
)

// This file changes JSON texts in place. Each change inserts or cuts a span; every
// other byte stays.

// edit replaces text[at:at+cut].
type edit struct {
	at, cut int
	put     string
}

// apply makes the edits, which are sorted by position and do not overlap.
func apply(b []byte, edits []edit) []byte {
	var out bytes.Buffer
	i := 0
	for _, e := range edits {
		out.Write(b[i:e.at])
		out.WriteString(e.put)
		i = e.at + e.cut
	}
	out.Write(b[i:])
	return out.Bytes()
}

// inverse returns the edits that undo edits of b.
func inverse(b []byte, edits []edit) []edit {
	back, shift := make([]edit, 0, len(edits)), 0
	for _, e := range edits {
		back = append(back, edit{e.at + shift, len(e.put), string(b[e.at : e.at+e.cut])})
		shift += len(e.put) - e.cut
	}
	return back
}

func sortEdits(edits []edit) []edit {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.at - b.at })
	return edits
}

// object is a JSON object whose members keep their order.
type object []pair

type pair struct {
	key   string
	value any // object, []any, string, int or bool
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

// style is the layout of a text.
type style struct {
	nl    string // what ends a line
	unit  string // one step of indentation
	colon string // ": " or ":"
	lines bool   // items stand on lines of their own
}

func styleOf(b []byte, root *node) style {
	s := style{nl: "\n", unit: "  ", colon: ": ", lines: true}
	if i := bytes.IndexByte(b, '\n'); i > 0 && b[i-1] == '\r' {
		s.nl = "\r\n"
	}
	if root == nil || len(root.items) == 0 {
		return s
	}
	s.lines = bytes.IndexByte(b[root.start:root.end], '\n') >= 0
	first := root.items[0]
	if lead, own := indentAt(b, first.start); own && lead != "" {
		s.unit = lead
	}
	if root.kind == '{' && b[first.value.start-1] == ':' {
		s.colon = ":"
	}
	return s
}

// indentAt returns the indentation of the line of i, and whether nothing else is before
// i.
func indentAt(b []byte, i int) (lead string, own bool) {
	start := bytes.LastIndexByte(b[:i], '\n') + 1
	if start == 0 && bytes.HasPrefix(b, bom) {
		start = len(bom)
	}
	end := start
	for end < i && (b[end] == ' ' || b[end] == '\t') {
		end++
	}
	return string(b[start:end]), end == i
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
	return open + strings.Join(parts, s.comma()) + end
}

// comma separates items on one line.
func (s style) comma() string {
	if s.colon == ":" {
		return ","
	}
	return ", "
}

func quoteJSON(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(text) // a string and a buffer cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// insert appends items to a container: pairs to an object, values to an array.
func (s style) insert(b []byte, c *node, items []any) []edit {
	if len(items) == 0 {
		return nil
	}
	inside := b[c.start+1 : c.end-1]
	s.lines = bytes.IndexByte(inside, '\n') >= 0 || s.lines && len(c.items) == 0
	closing, _ := indentAt(b, c.start)
	lead := closing + s.unit
	if len(c.items) > 0 {
		if l, own := indentAt(b, c.items[0].start); own {
			lead = l
		}
	}
	texts := make([]string, 0, len(items))
	for _, it := range items {
		if p, ok := it.(pair); ok {
			texts = append(texts, quoteJSON(p.key)+s.colon+s.render(p.value, lead))
		} else {
			texts = append(texts, s.render(it, lead))
		}
	}
	gap := strings.TrimPrefix(s.comma(), ",")
	if s.lines {
		gap = s.nl + lead
	}
	put := gap + strings.Join(texts, ","+gap)
	if len(c.items) == 0 {
		return s.insertFirst(b, c, put, closing)
	}
	last := c.items[len(c.items)-1]
	end := max(last.value.end, last.comma+1)
	at := end
	if s.lines {
		at = lineEnd(b, end)
	}
	switch {
	case last.comma >= 0:
		return []edit{{at, 0, put + ","}}
	case at > end:
		return []edit{{end, 0, ","}, {at, 0, put}}
	}
	return []edit{{end, 0, "," + put}}
}

// insertFirst adds items to an empty container.
func (s style) insertFirst(b []byte, c *node, put, closing string) []edit {
	at := lineEnd(b, c.start+1)
	rest := b[at : c.end-1]
	switch {
	case !s.lines:
		return []edit{{at, 0, strings.TrimPrefix(put, " ")}}
	case bytes.IndexByte(rest, '\n') >= 0:
		return []edit{{at, 0, put}}
	}
	return []edit{{at, len(rest), put + s.nl + closing}}
}

// lineEnd skips comments after i that end on the same line. It returns i if there are
// none.
func lineEnd(b []byte, i int) int {
	end := i
	for i < len(b) {
		switch {
		case b[i] == ' ' || b[i] == '\t':
			i++
		case b[i] == '/':
			j := commentEnd(b, i)
			if j < 0 || bytes.IndexByte(b[i:j], '\n') >= 0 {
				return end
			}
			i, end = j, j
		default:
			return end
		}
	}
	return end
}

// remove cuts item i out of a container, with its comma and the white space before it.
func remove(b []byte, c *node, i int) []edit {
	it := c.items[i]
	from := it.start
	for from > c.start+1 && isBlank(b[from-1]) {
		from--
	}
	own := bytes.LastIndexByte(b[from:it.start], '\n')
	if own >= 0 {
		from += own
		if b[from-1] == '\r' {
			from--
		}
	}
	end := it.value.end
	switch {
	case len(c.items) == 1:
		stop := max(end, it.comma+1)
		if isAllBlank(b[c.start+1:it.start]) && isAllBlank(b[stop:c.end-1]) {
			return []edit{{c.start + 1, c.end - c.start - 2, ""}}
		}
		if it.comma < 0 {
			return []edit{{from, end - from, ""}}
		}
	case it.comma < 0: // the last one: the comma before it goes too
		return []edit{{c.items[i-1].comma, 1, ""}, {from, end - from, ""}}
	case own < 0 && i == 0 && isAllBlank(b[it.comma+1:c.items[1].start]):
		return []edit{{it.start, end - it.start, ""}, {it.comma, c.items[1].start - it.comma, ""}}
	}
	return []edit{{from, end - from, ""}, {it.comma, 1, ""}}
}

func isAllBlank(b []byte) bool { return len(bytes.TrimLeft(b, " \t\r\n")) == 0 }
