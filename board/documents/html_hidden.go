package documents

import (
	"slices"
	"strings"
)

// maxHTMLDepth is how many elements may be open at once. What hides beyond hides all
// that follows.
const maxHTMLDepth = 4096

// htmlVoid are the elements without an end tag.
var htmlVoid = []string{"area", "base", "br", "col", "embed", "hr",
	"img", "input", "link", "meta", "param", "source", "track", "wbr"}

func isBlock(name string) bool {
	_, block := slices.BinarySearch(htmlBlocks(), name)
	return block
}

// tagName returns the name of an element in small letters, from its start or end tag.
func tagName(tag string) string {
	name := strings.TrimPrefix(tag[1:], "/")
	return asciiLower(name[:strings.IndexAny(name, " \t\n\r\f/>")]) // as long as it stands there
}

// isStruck reports whether an element's text is struck.
func isStruck(name string) bool { return name == "s" || name == "strike" || name == "del" }

// isHidden reports whether an element's text is struck or hidden. Style sheets are not
// read. aria-hidden does not count, because it hides text only from screen readers.
func isHidden(name string, attributes [][2]string) bool {
	if isStruck(name) {
		return true
	}
	shut := name == "dialog"
	for _, a := range attributes {
		switch a[0] {
		case "hidden":
			return true
		case "open":
			shut = false
		case "style":
			style := strings.Join(strings.Fields(strings.ToLower(a[1])), "")
			if strings.Contains(style, "display:none") ||
				strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return shut
}

// tagAttributes returns the names, in small letters, and values in a tag.
func tagAttributes(name, tag string) (all [][2]string) {
	for rest := strings.TrimPrefix(tag[1:], "/")[len(name):]; ; {
		rest = strings.TrimLeft(rest, " \t\n\r\f/")
		if rest == "" || rest[0] == '>' {
			return all
		}
		n := strings.IndexAny(rest[1:], " \t\n\r\f/>=") + 1
		if n == 0 {
			return all
		}
		a := [2]string{strings.ToLower(rest[:n])}
		rest = strings.TrimLeft(rest[n:], " \t\n\r\f")
		if strings.HasPrefix(rest, "=") {
			a[1], rest = attributeValue(strings.TrimLeft(rest[1:], " \t\n\r\f"))
		}
		all = append(all, a)
	}
}

// attributeValue reads the value that s begins with, and returns what follows it.
func attributeValue(s string) (value, rest string) {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		value, rest, _ = strings.Cut(s[1:], s[:1])
		return value, rest
	}
	n := strings.IndexAny(s, " \t\n\r\f>")
	if n < 0 {
		n = len(s)
	}
	return s[:n], s[n:]
}

// htmlOpen are the elements that are open, to know whether the text in them is shown.
type htmlOpen struct {
	elements []htmlElement
	names    map[string]int // how many of each are open
	hiding   int            // how many of them hide
}

type htmlElement struct {
	name  string
	hides bool
}

// start opens an element. It ends those that it implies the end of, such as the
// paragraph before.
func (o *htmlOpen) start(name string, block, hides bool) {
	switch name {
	case "li":
		o.imply([]string{"li"}, []string{"ul", "ol", "menu"})
	case "dt", "dd":
		o.imply([]string{"dt", "dd"}, []string{"dl"})
	case "tr":
		o.imply([]string{"tr"}, []string{"table"})
	case "td", "th":
		o.imply([]string{"td", "th"}, []string{"tr", "table"})
	}
	if block {
		o.imply([]string{"p"}, []string{"td", "th"})
	}
	if len(o.elements) == maxHTMLDepth {
		if hides {
			o.hiding++
		}
		return
	}
	if o.names == nil {
		o.names = map[string]int{}
	}
	o.elements = append(o.elements, htmlElement{name, hides})
	o.names[name]++
	if hides {
		o.hiding++
	}
}

// imply ends the nearest of the named elements, if none of the borders is nearer nor, for a
// paragraph, another block. It looks at the last 20.
func (o *htmlOpen) imply(names, borders []string) {
	const far = 20
	for i := len(o.elements) - 1; i >= max(0, len(o.elements)-far); i-- {
		name := o.elements[i].name
		if slices.Contains(names, name) {
			o.closeTo(i)
			return
		}
		if slices.Contains(borders, name) || names[0] == "p" && isBlock(name) {
			return
		}
	}
}

// end closes the nearest element of that name and those in it; if there is none,
// nothing.
func (o *htmlOpen) end(name string) {
	if o.names[name] == 0 {
		return
	}
	i := len(o.elements) - 1
	for o.elements[i].name != name {
		i--
	}
	o.closeTo(i)
}

// closeTo closes the element at i and those in it.
func (o *htmlOpen) closeTo(i int) {
	for _, e := range o.elements[i:] {
		o.names[e.name]--
		if e.hides {
			o.hiding--
		}
	}
	o.elements = o.elements[:i]
}
