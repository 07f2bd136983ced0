package documents

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

const maxXMLDepth = 500

// readZip reads a docx file: the body, then notes, headers and footers. A paragraph is a line; so is a table row outside other tables.
func readZip(name string, data []byte) (*Document, error) {
	damaged := func(err error) error {
		return invalid(fmt.Sprintf("the docx file %s is damaged: %v", name, err), "open it in a word processor and save it again")
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, damaged(err)
	}
	files := map[string]*zip.File{}
	for _, f := range archive.File {
		files[f.Name] = f
	}
	if files["word/document.xml"] == nil {
		return nil, unread(name, zipKind(files))
	}
	w, left := writer{}, int64(Max)
	for _, part := range docxParts(files) {
		n, err := readPart(files[part], left, &w)
		if errors.Is(err, errTooLarge) {
			return nil, tooLarge(name)
		}
		if err != nil {
			return nil, damaged(fmt.Errorf("%s: %w", part, err))
		}
		left -= n
	}
	return w.document(name), nil
}

// zipKind names a zip file that is not docx.
func zipKind(files map[string]*zip.File) string {
	for _, k := range []struct{ part, kind string }{
		{"xl/workbook.xml", "an Excel workbook (xlsx)"},
		{"ppt/presentation.xml", "a PowerPoint presentation (pptx)"},
		{"META-INF/container.xml", "an EPUB book"},
		{"content.xml", "an OpenDocument file"},
	} {
		if files[k.part] != nil {
			return k.kind
		}
	}
	return "a zip archive without a Word document in it"
}

// docxParts lists the parts that hold text, in the order they are read.
func docxParts(files map[string]*zip.File) []string {
	parts := []string{"word/document.xml"}
	for _, prefix := range []string{"word/footnotes", "word/endnotes", "word/header", "word/footer"} {
		var some []string
		for path := range files {
			if rest, ok := strings.CutPrefix(path, prefix); ok && strings.HasSuffix(rest, ".xml") && !strings.Contains(rest, "/") {
				some = append(some, path)
			}
		}
		slices.Sort(some)
		parts = append(parts, some...)
	}
	return parts
}

var errTooLarge = errors.New("too large")

// limited fails, rather than ends, when more than left bytes are read.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, errTooLarge
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left+1)])
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// readPart adds the text of one part and returns how many bytes it had.
func readPart(f *zip.File, left int64, w *writer) (int64, error) {
	if f.UncompressedSize64 > uint64(left) { // it may lie, so what is read is limited, too
		return 0, errTooLarge
	}
	r, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	l := &limited{r: r, left: left}
	p := docxParser{decoder: xml.NewDecoder(l), w: w}
	for {
		token, err := p.decoder.Token()
		if err == io.EOF {
			return left - l.left, nil
		}
		if err != nil {
			return 0, err
		}
		if err := p.token(token); err != nil {
			return 0, err
		}
	}
}

// docxParser turns WordprocessingML into lines.
type docxParser struct {
	decoder    *xml.Decoder
	w          *writer
	depth      int
	skip       int              // deleted text, fallbacks: what lies deeper than this does not count; 0: nothing is skipped
	properties int              // likewise the depth of w:pPr
	inText     bool             // in w:t
	hidden     bool             // the run is not shown
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
		if p.depth++; p.depth > maxXMLDepth {
			return errors.New("its elements are nested too deeply")
		}
		if p.skip == 0 {
			p.start(t)
		}
	case xml.EndElement:
		switch {
		case p.skip == 0:
			p.end(t)
		case p.skip == p.depth:
			p.skip = 0
		}
		p.depth--
	case xml.CharData:
		if p.inText && p.skip == 0 && !p.hidden {
			p.write(string(t))
		}
	}
	return nil
}

// write adds to the paragraph. Text outside any paragraph is not shown by word processors either.
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
	if !wordprocessing(t.Name) {
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
	case "vanish":
		v := attribute(t, "val")
		p.hidden = v != "0" && v != "false" && v != "off"
	case "t":
		p.inText = true
	case "tab":
		p.write("\t")
	case "br", "cr":
		p.write("\v") // ends a line, but not the paragraph
	case "noBreakHyphen":
		p.write("-")
	case "del", "moveFrom":
		p.skip = p.depth
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
	if t.Name.Local == "t" {
		p.inText = false
	}
	if !wordprocessing(t.Name) {
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

// line ends a line that lies in so many tables: in a cell it is only part of the cell's text.
func (p *docxParser) line(text string, heading bool, tables int) {
	text = strings.ReplaceAll(text, "\n", " ")
	if n := min(tables, len(p.tables)); n > 0 {
		p.tables[n-1].cell = append(p.tables[n-1].cell, text)
		return
	}
	p.w.add(text, heading, 0)
}

// wordprocessing reports whether a name is of WordprocessingML, transitional or strict.
func wordprocessing(n xml.Name) bool {
	return strings.HasSuffix(n.Space, "/main") && strings.Contains(n.Space, "wordprocessingml")
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
