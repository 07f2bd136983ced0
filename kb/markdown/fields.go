package markdown

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"blackboard/board/fault"
)

const MaxFront = 256 << 10

// maxKey is the most bytes of a key that is a list or a mapping.
const maxKey = 100

type Field struct {
	Key  string
	Line int // in the file
	Node *yaml.Node
}

// ReadFields returns the fields of front matter in their order, and what follows
// it. A text that begins with "---" but has no keys there, as one with a rule at its
// top, has no front matter. The error names the line.
func ReadFields(file string) (fields []Field, body string, err error) {
	meta, body, found := Split(file)
	if !found {
		return nil, body, nil
	}
	if len(meta) > MaxFront {
		return nil, body, fmt.Errorf("its front matter has %d bytes; the limit is %d",
			len(meta), MaxFront)
	}
	if hasOnlyComments(meta) {
		return nil, body, nil
	}
	var doc yaml.Node
	if err := Load(meta, &doc); err != nil {
		return nil, body, fmt.Errorf("its front matter is not YAML: %w", err)
	}
	root := &doc
	if doc.Kind == yaml.DocumentNode && len(doc.Content) == 1 {
		root = doc.Content[0]
	}
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, body, nil
	}
	if root.Kind != yaml.MappingNode {
		_, whole, _ := strings.Cut(file, "\n")
		return nil, "---\n" + LineEnds.ReplaceAllString(whole, "\n"), nil
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k := root.Content[i]
		f := Field{Key: k.Value, Line: k.Line + 1, Node: root.Content[i+1]}
		if k.Kind != yaml.ScalarNode {
			left := maxKey
			f.Key, _ = nodeText(k, &left, false)
		}
		if first, twice := seen[f.Key]; twice {
			return nil, body, fmt.Errorf("line %d: its front matter has the key %q "+
				"already in line %d", f.Line, fault.Clip(f.Key, 60), first)
		}
		seen[f.Key] = f.Line
		fields = append(fields, f)
	}
	return fields, body, nil
}

func hasOnlyComments(meta string) bool {
	for l := range strings.Lines(meta) {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			return false
		}
	}
	return true
}

// Text returns a value as text: [a, b], {k: v}; false if left, which it takes from, is too little.
func (f *Field) Text(left *int) (string, bool) { return nodeText(f.Node, left, false) }

func (f *Field) Scalar() (string, bool) { return Scalar(f.Node) }

func nodeText(n *yaml.Node, left *int, inside bool) (string, bool) {
	*left -= 1 + len(n.Value)
	if *left < 0 {
		return "", false
	}
	list := func(open, close string, each func(i int) (string, bool), count int) (string, bool) {
		parts := make([]string, 0, count)
		for i := range count {
			s, ok := each(i)
			if !ok {
				return "", false
			}
			parts = append(parts, s)
		}
		return open + strings.Join(parts, ", ") + close, true
	}
	switch n.Kind {
	case yaml.AliasNode:
		return nodeText(n.Alias, left, inside)
	case yaml.SequenceNode:
		return list("[", "]", func(i int) (string, bool) {
			return nodeText(n.Content[i], left,
				true)
		}, len(n.Content))
	case yaml.MappingNode:
		return list("{", "}", func(i int) (string, bool) {
			k, ok1 := nodeText(n.Content[2*i], left, true)
			v, ok2 := nodeText(n.Content[2*i+1], left, true)
			return k + ": " + v, ok1 && ok2
		}, len(n.Content)/2)
	}
	switch {
	case n.Tag == "!!null":
		return "", true
	case inside && (n.Value == "" || strings.ContainsAny(n.Value, ",[]{}\"\n#") ||
		strings.Contains(n.Value, ": ")):
		return strconv.Quote(n.Value), true
	}
	return n.Value, true
}

// Scalar returns a value that is a single text, trimmed, "" for null; false if it is none.
func Scalar(n *yaml.Node) (string, bool) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		return "", false
	}
	if n.Tag == "!!null" {
		return "", true
	}
	return strings.TrimSpace(n.Value), true
}

// List returns the texts of a list, or of a text with commas; false for anything else.
func (f *Field) List(commas bool) ([]string, bool) {
	n := f.Node
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.SequenceNode {
		s, ok := Scalar(n)
		if !ok || s == "" {
			return nil, ok
		}
		if commas {
			return strings.Split(s, ","), true
		}
		return []string{s}, true
	}
	all := make([]string, 0, len(n.Content))
	for _, c := range n.Content {
		s, ok := Scalar(c)
		if !ok {
			return nil, false
		}
		all = append(all, s)
	}
	return all, true
}

var timeLayouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", "2006-01-02 15:04",
	time.DateOnly, "2006/01/02"}

// ParseTime reads a program's time, UTC without a zone; a number counts from 1970.
func ParseTime(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n > 0 && len(s) >= 9 && len(s) <= 13 {
		if len(s) > 11 {
			return time.UnixMilli(n), true
		}
		return time.Unix(n, 0), true
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
