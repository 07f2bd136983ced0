package documents

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// readODT reads a text of OpenDocument. A paragraph is a line; so is a row of a table.
// Deleted, struck and hidden text, and comments, are left out.
func readODT(a *archive) (*Document, error) {
	p := odtParser{w: writer{unit: "paragraph"}, hidden: map[string]bool{}}
	for _, part := range []string{"styles.xml", "content.xml"} {
		p.body = false
		if err := a.tokens(part, p.visit(&p)); err != nil {
			return nil, err
		}
	}
	if !p.isText {
		return nil, errUnread
	}
	return p.w.document(a.name), nil
}

type odtParser struct {
	nesting
	w      writer
	isText bool
	body   bool
	style  string
	hidden map[string]bool // the styles of what no reader sees
	lines  []*strings.Builder
	rows   [][]string // of tables, the innermost last
	cells  [][]string
}

func (p *odtParser) text(s string) {
	p.write(strings.NewReplacer("\n", " ", "\t", " ").Replace(s))
}

func (p *odtParser) write(s string) {
	if n := len(p.lines); n > 0 {
		p.lines[n-1].WriteString(s)
	}
}

func (p *odtParser) start(t xml.StartElement) {
	switch t.Name.Local {
	case "style":
		p.style = attribute(t, "name")
	case "text-properties":
		struck := attribute(t, "text-line-through-style")
		if struck != "" && struck != "none" || attribute(t, "display") == "none" {
			p.hidden[p.style] = true
		}
	case "text":
		if strings.HasSuffix(t.Name.Space, ":office:1.0") {
			p.isText, p.body = true, true
		}
	}
	if !p.body {
		return
	}
	switch t.Name.Local {
	case "tracked-changes", "annotation", "forms", "sequence-decls", "hidden-text":
		p.skip = p.depth
	case "h", "p":
		p.lines = append(p.lines, &strings.Builder{})
		if p.hidden[attribute(t, "style-name")] {
			p.skip = p.depth
			p.lines = p.lines[:len(p.lines)-1]
		}
	case "span":
		if p.hidden[attribute(t, "style-name")] {
			p.skip = p.depth
		}
	case "section":
		if attribute(t, "display") == "none" {
			p.skip = p.depth
		}
	case "s":
		n, _ := strconv.Atoi(attribute(t, "c"))
		p.write(strings.Repeat(" ", min(max(n, 1), 100)))
	case "tab":
		p.write("\t")
	case "line-break":
		p.write("\v")
	case "table-row":
		p.rows, p.cells = append(p.rows, nil), append(p.cells, nil)
	}
}

func (p *odtParser) end(t xml.EndElement) {
	if !p.body {
		return
	}
	switch n := len(p.rows); t.Name.Local {
	case "h", "p":
		k := len(p.lines)
		if k == 0 {
			return
		}
		text := p.lines[k-1].String()
		p.lines = p.lines[:k-1]
		if n > 0 {
			p.cells[n-1] = append(p.cells[n-1], text)
		} else {
			p.w.add(text, t.Name.Local == "h", 0)
		}
	case "table-cell":
		if n > 0 {
			p.rows[n-1] = append(p.rows[n-1], strings.Join(p.cells[n-1], " "))
			p.cells[n-1] = nil
		}
	case "table-row":
		if n == 0 {
			return
		}
		text := strings.Join(p.rows[n-1], " | ")
		if p.rows, p.cells = p.rows[:n-1], p.cells[:n-1]; n > 1 {
			p.cells[n-2] = append(p.cells[n-2], text)
		} else {
			p.w.add(text, false, 0)
		}
	}
}
