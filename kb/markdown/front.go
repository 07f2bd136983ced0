package markdown

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Front is what the front matter of a document says.
type Front struct {
	Title  string
	Tags   []string
	Fields string // the other fields, a line each, to be found like text
}

// ReadFront reads the front matter of a document. What is no YAML is kept as it is.
func ReadFront(text string) (f Front) {
	meta, _, _ := Split(text)
	var root yaml.Node
	if err := Load(meta, &root); err != nil {
		return Front{Fields: strings.TrimSpace(meta)}
	}
	if len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode {
		return Front{Fields: strings.TrimSpace(meta)}
	}
	var name string
	var lines []string
	for pairs := root.Content[0].Content; len(pairs) > 1; pairs = pairs[2:] {
		key, value := pairs[0].Value, frontValue(pairs[1])
		switch strings.ToLower(key) {
		case "title":
			f.Title = plainTitle(value)
		case "name":
			name = plainTitle(value)
		case "tags", "tag":
			f.addTags(value)
		default:
			if value != "" {
				lines = append(lines, key+": "+value)
			}
		}
	}
	f.Title = cmp.Or(f.Title, name)
	f.Fields = strings.Join(lines, "\n")
	return f
}

// frontValue returns a value on one line, with commas in lists and maps.
func frontValue(n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return ""
		}
		return strings.Join(strings.Fields(n.Value), " ")
	case yaml.SequenceNode:
		all := make([]string, len(n.Content))
		for i, item := range n.Content {
			all[i] = frontValue(item)
		}
		return strings.Join(all, ", ")
	case yaml.MappingNode:
		var all []string
		for pairs := n.Content; len(pairs) > 1; pairs = pairs[2:] {
			all = append(all, pairs[0].Value+": "+frontValue(pairs[1]))
		}
		return strings.Join(all, ", ")
	}
	return "" // an alias says what is said elsewhere
}

// maxFrontTag is the most bytes of a tag. A longer one is a sentence.
const maxFrontTag = 60

// addTags takes tags with commas between them, or, as some editors write them, blanks.
func (f *Front) addTags(list string) {
	split := func(r rune) bool { return r == ',' }
	if !strings.Contains(list, ",") {
		split = func(r rune) bool { return r == ' ' }
	}
	for _, tag := range strings.FieldsFunc(list, split) {
		tag = strings.TrimLeft(strings.TrimSpace(tag), "#")
		if tag != "" && len(tag) <= maxFrontTag && !slices.Contains(f.Tags, tag) {
			f.Tags = append(f.Tags, tag)
		}
	}
}
