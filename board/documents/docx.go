package documents

import (
	"encoding/xml"
	"slices"
	"strings"
)

// readDocx reads a docx file: the body, then notes, headers and footers, and of a source
// the comments. A paragraph is a line; so is a table row outside other tables.
func readDocx(a *archive) (*Document, error) {
	w := writer{unit: "paragraph"}
	for _, part := range docxParts(a) {
		p := docxParser{w: &w, whole: a.whole}
		if err := a.tokens(part, p.token); err != nil {
			return nil, err
		}
	}
	return w.document(a.name), nil
}

// docxParts lists the parts that hold text, in the order they are read.
func docxParts(a *archive) []string {
	parts := []string{"word/document.xml"}
	for _, prefix := range []string{"word/footnotes", "word/endnotes",
		"word/header", "word/footer", "word/comments"} {
		var some []string
		for path := range a.files {
			if rest, ok := strings.CutPrefix(path, prefix); ok &&
				strings.HasSuffix(rest, ".xml") && !strings.Contains(rest, "/") {
				some = append(some, path)
			}
		}
		if slices.Sort(some); prefix == "word/comments" && !a.whole {
			break
		}
		parts = append(parts, some...)
	}
	return parts
}

// docxParser turns WordprocessingML into lines.
type docxParser struct {
	depth      int
	skip       int // what lies deeper does not count: deleted text, fallbacks; 0: nothing is skipped
	w          *writer
	whole      bool             // hidden and deleted text counts
	properties int              // the depth of w:pPr; 0: it is not in one
	inText     bool             // in w:t
	hidden     bool             // the run is not shown, and that matters
	paragraphs []*docxParagraph // nested ones are text boxes
	tables     []*docxTable
}

type docxParagraph struct {
	text    strings.Builder
	heading bool
	tables  int // how many tables it lies in
}

type docxTable struct {
	row  []string
	cell []string
}

func (p *docxParser) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		if p.depth++; p.skip == 0 {
			p.start(t)
		}
	case xml.EndElement:
		if p.skip == 0 {
			p.end(t)
		} else if p.skip == p.depth {
			p.skip = 0
		}
		p.depth--
	case xml.CharData:
		if p.skip == 0 && p.inText && !p.hidden {
			p.write(string(t))
		}
	}
	return nil
}

// write adds to the paragraph. Text outside any paragraph is not shown by word
// processors either.
func (p *docxParser) write(s string) {
	if n := len(p.paragraphs); n > 0 {
		p.paragraphs[n-1].text.WriteString(s)
	}
}

func (p *docxParser) start(t xml.StartElement) {
	if t.Name.Local == "Fallback" && strings.Contains(t.Name.Space, "markup-compatibility") {
		p.skip = p.depth // the choice beside it says the same
		return
	}
	if t.Name.Local == "t" && strings.HasSuffix(t.Name.Space, "/math") {
		p.inText = true
	}
	if !isWordprocessing(t.Name) {
		return
	}
	if t.Name.Local == "rPrChange" || t.Name.Local == "pPrChange" {
		p.skip = p.depth // how it looked before a tracked change
		return
	}
	if p.properties > 0 {
		switch t.Name.Local {
		case "pStyle":
			style := strings.ToLower(attribute(t, "val"))
			p.heading(strings.HasPrefix(style, "heading") || style == "title")
		case "outlineLvl":
			level := attribute(t, "val")
			p.heading(len(level) == 1 && level < "9")
		}
		return
	}
	switch t.Name.Local {
	case "p":
		p.paragraphs = append(p.paragraphs, &docxParagraph{tables: len(p.tables)})
	case "pPr":
		p.properties = p.depth
	case "vanish", "webHidden", "strike", "dstrike":
		if v := attribute(t, "val"); v != "0" && v != "false" && v != "off" {
			p.hidden = !p.whole
		}
	case "t", "delText":
		p.inText = true
	case "tab":
		p.write("\t")
	case "br", "cr":
		p.write("\v") // ends a line, but not the paragraph
	case "noBreakHyphen":
		p.write("-")
	case "del", "moveFrom":
		if !p.whole {
			p.skip = p.depth
		}
	case "tbl":
		p.tables = append(p.tables, &docxTable{})
	}
}

func (p *docxParser) heading(is bool) {
	if n := len(p.paragraphs); n > 0 && is {
		p.paragraphs[n-1].heading = true
	}
}

func (p *docxParser) end(t xml.EndElement) {
	if p.properties == p.depth {
		p.properties = 0
	}
	if t.Name.Local == "t" || t.Name.Local == "delText" {
		p.inText = false
	}
	if !isWordprocessing(t.Name) {
		return
	}
	switch n := len(p.tables); t.Name.Local {
	case "r":
		p.hidden = false
	case "p":
		if k := len(p.paragraphs); k > 0 {
			last := p.paragraphs[k-1]
			p.paragraphs = p.paragraphs[:k-1]
			p.line(last.text.String(), last.heading, last.tables)
		}
	case "tc":
		if n > 0 {
			table := p.tables[n-1]
			table.row = append(table.row, strings.Join(table.cell, " "))
			table.cell = nil
		}
	case "tr":
		if n > 0 {
			row := p.tables[n-1].row
			p.tables[n-1].row = nil
			p.line(strings.Join(row, " | "), false, n-1)
		}
	case "tbl":
		if n > 0 {
			p.tables = p.tables[:n-1]
		}
	}
}

// line ends a line at this depth of tables. In a cell it is only part of the cell's
// text.
func (p *docxParser) line(text string, heading bool, tables int) {
	text = strings.ReplaceAll(text, "\n", " ")
	if n := min(tables, len(p.tables)); n > 0 {
		p.tables[n-1].cell = append(p.tables[n-1].cell, text)
		return
	}
	p.w.add(text, heading, 0)
}

// isWordprocessing reports whether a name is of WordprocessingML, transitional or strict.
func isWordprocessing(n xml.Name) bool {
	return strings.HasSuffix(n.Space, "/main") && strings.Contains(n.Space, "wordprocessingml")
}
