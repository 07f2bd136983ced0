package importers

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"blackboard/kb"
	"blackboard/kb/markdown"

	"go.yaml.in/yaml/v4"
)

const (
	maxFrontMatter = 256 << 10 // bytes
	// maxExpanded bounds what aliases in front matter make of it, in bytes and nodes: a
	// few lines can stand for billions.
	maxExpanded = 4 * kb.MaxBody
)

// metaField is a key of front matter with its value.
type metaField struct {
	key  string
	line int // in the file
	node *yaml.Node
}

// readFrontMatter returns the front matter's fields in their order, and what follows
// it. A text that begins with "---" but has no keys there, as one with a rule at its
// top, has no front matter. The error names the line.
func readFrontMatter(text string) (fields []metaField, body string, err error) {
	meta, body, found := markdown.Split(text)
	if !found {
		return nil, body, nil
	}
	if len(meta) > maxFrontMatter {
		return nil, body, fmt.Errorf("its front matter has %d bytes; the limit is %d",
			len(meta), maxFrontMatter)
	}
	if onlyComments(meta) {
		return nil, body, nil
	}
	var doc yaml.Node
	if err := loadNode(meta, &doc); err != nil {
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
		_, whole, _ := strings.Cut(text, "\n")
		return nil, "---\n" + markdown.LineEnds.ReplaceAllString(whole, "\n"), nil
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k := root.Content[i]
		f := metaField{key: k.Value, line: k.Line + 1, node: root.Content[i+1]}
		if k.Kind != yaml.ScalarNode {
			left := kb.MaxTag
			f.key, _ = nodeText(k, &left, false)
		}
		if first, twice := seen[f.key]; twice {
			return nil, body, fmt.Errorf("line %d: its front matter has the key %q "+
				"already in line %d", f.line, clip(f.key, 60), first)
		}
		seen[f.key] = f.line
		fields = append(fields, f)
	}
	return fields, body, nil
}

func onlyComments(meta string) bool {
	for l := range strings.Lines(meta) {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			return false
		}
	}
	return true
}

// loadNode reads YAML without giving it a meaning: texts stay as they are written, and
// aliases are not followed. The error names the line of the file.
func loadNode(meta string, into *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil { // a parser's bug is no reason to lose everything else
			err = fmt.Errorf("%v", r)
		}
	}()
	err = yaml.Load([]byte(meta), into)
	var at *yaml.LoadError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &at):
		mark := at.Mark
		if mark.Line == 0 || at.ContextMark.Line > 0 &&
			strings.HasSuffix(at.Message, "end of stream") {
			mark = at.ContextMark // where what is not closed begins
		}
		if mark.Line > 0 {
			return fmt.Errorf("line %d: %s", mark.Line+1, at.Message)
		}
		return errors.New(strings.TrimPrefix(at.Message, "yaml: "))
	}
	return errors.New(inOneLine(strings.TrimPrefix(err.Error(), "yaml: ")))
}

// nodeText returns a value as text: a text unchanged, lists and mappings as [a, b] and
// {k: v}. It returns false if the value exceeds the rest of the limit.
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

// nodeScalar returns the text of a value that is a single one.
func nodeScalar(n *yaml.Node) (string, bool) {
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

// nodeList returns the texts of a list; a single text is a list of what its commas
// part, if they may.
func nodeList(n *yaml.Node, commas bool) ([]string, bool) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.SequenceNode {
		s, ok := nodeScalar(n)
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
		s, ok := nodeScalar(c)
		if !ok {
			return nil, false
		}
		all = append(all, s)
	}
	return all, true
}
