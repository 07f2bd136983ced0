package documents

import (
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits of a workbook: Excel's own, or far above those of real files.
const (
	maxRow     = 1 << 20
	maxColumn  = 1 << 14
	maxStyles  = 1 << 16
	maxFormats = 4096
	maxSheets  = 10_000
	maxCovered = 1 << 26 // how often cells are held against merged ranges
	cellCost   = 32      // bytes that a cell takes besides its text
)

// xlsxBook is what the sheets of a workbook share.
type xlsxBook struct {
	a       *archive
	strings []string
	struck  []bool      // by cell style
	formats []xlsxStyle // by cell style
	date04  bool        // days count from 1904
	left    int         // how much text the cells may still have: many can name one long text
	w       writer
}

// readXLSX reads a workbook. Each sheet is a heading and a line for each row with text. A
// formula has the value that was computed last. Of a report, hidden sheets, rows and
// columns, struck text and cell comments are left out.
func readXLSX(a *archive) (*Document, error) {
	b := &xlsxBook{a: a, left: Max, w: writer{unit: "sheet", sheets: []string{}}}
	parts, err := a.relations("xl/workbook.xml")
	if err != nil {
		return nil, err
	}
	type sheet struct{ name, part string }
	var sheets []sheet
	err = a.tokens("xl/workbook.xml", func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "workbookPr":
				b.date04 = isTrue(attribute(t, "date1904"))
			case "sheet":
				part := parts[relationID(t)]
				if state := attribute(t, "state"); part.kind == "worksheet" &&
					(a.whole || state == "" || state == "visible") {
					sheets = append(sheets, sheet{attribute(t, "name"), part.target})
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(sheets) > maxSheets {
		return nil, errors.New("too many sheets")
	}
	for _, part := range parts {
		switch part.kind {
		case "sharedStrings":
			err = b.readStrings(part.target)
		case "styles":
			err = b.readStyles(part.target)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, s := range sheets {
		if a.files[s.part] == nil {
			return nil, fmt.Errorf("the sheet %s is missing", s.name)
		}
		err := b.readSheet(s.name, s.part)
		if err == nil && a.whole {
			err = b.readComments(s.part)
		}
		if err != nil {
			return nil, err
		}
	}
	return b.w.document(a.name), nil
}

func isTrue(v string) bool { return v == "1" || v == "true" }

// readComments adds the comments on a sheet that was read, each at its cell.
func (b *xlsxBook) readComments(sheet string) error {
	parts, err := b.a.relations(sheet)
	for _, id := range slices.Sorted(maps.Keys(parts)) {
		if kind := parts[id].kind; err != nil || kind != "comments" && kind != "threadedComment" {
			continue
		}
		var c xlsxCell
		text := richText{whole: true}
		err = b.a.tokens(parts[id].target, func(t xml.Token) error {
			text.token(t)
			switch t := t.(type) {
			case xml.StartElement:
				if ref := attribute(t, "ref"); ref != "" {
					c.row, c.col = cellReference(ref)
				}
				text.inText = text.inText || t.Name.Local == "text" // of a threaded one
			case xml.EndElement:
				if t.Name.Local == "comment" || t.Name.Local == "threadedComment" {
					if c.text = text.take(); c.text != "" {
						b.addRow(len(b.w.sheets)-1, []xlsxCell{c})
					}
				}
			}
			return nil
		})
	}
	return err
}

// richText collects the text of a string: of its runs those that are not struck, unless
// it is read whole.
type richText struct {
	b              strings.Builder
	inText, struck bool
	phonetic       bool
	whole          bool
}

func (r *richText) token(t xml.Token) {
	switch t := t.(type) {
	case xml.StartElement:
		switch t.Name.Local {
		case "t":
			r.inText = true
		case "r":
			r.struck = false
		case "rPh":
			r.phonetic = true
		case "strike":
			if v := attribute(t, "val"); v == "" || isTrue(v) {
				r.struck = true
			}
		}
	case xml.EndElement:
		switch t.Name.Local {
		case "t":
			r.inText = false
		case "r":
			r.struck = false
		case "rPh":
			r.phonetic = false
		}
	case xml.CharData:
		if r.inText && (!r.struck || r.whole) && !r.phonetic {
			r.b.Write(t)
		}
	}
}

// take returns the text on one line, and begins anew.
func (r *richText) take() string {
	s := strings.Join(strings.Fields(r.b.String()), " ")
	r.b.Reset()
	return s
}

func (b *xlsxBook) readStrings(part string) error {
	text := richText{whole: b.a.whole}
	return b.a.tokens(part, func(t xml.Token) error {
		text.token(t)
		if end, ok := t.(xml.EndElement); ok && end.Name.Local == "si" {
			b.strings = append(b.strings, text.take())
		}
		return nil
	})
}

func (b *xlsxBook) readStyles(part string) error {
	formats, parsed := map[int]string{}, map[int]xlsxStyle{}
	var struckFonts []bool
	in := ""
	return b.a.tokens(part, func(t xml.Token) error {
		start, ok := t.(xml.StartElement)
		if !ok {
			return nil
		}
		switch name := start.Name.Local; name {
		case "fonts", "cellXfs", "cellStyleXfs", "dxfs", "fills", "borders":
			in = name
		case "numFmt":
			if in == "" { // the formats come first; those of conditions later
				formats[parseNumber(attribute(start, "numFmtId"))] = attribute(start, "formatCode")
			}
		case "font":
			if in == "fonts" {
				struckFonts = append(struckFonts, false)
			}
		case "strike":
			if v := attribute(start, "val"); in == "fonts" && len(struckFonts) > 0 &&
				(v == "" || isTrue(v)) {
				struckFonts[len(struckFonts)-1] = true
			}
		case "xf":
			if in == "cellXfs" {
				id, font := parseNumber(attribute(start, "numFmtId")),
					parseNumber(attribute(start, "fontId"))
				if _, known := parsed[id]; !known {
					code := formats[id]
					if code == "" && id >= 0 && id < len(builtinFormats) {
						code = builtinFormats[id]
					}
					parsed[id] = parseFormat(code)
				}
				if len(b.formats) == maxStyles || len(parsed) > maxFormats {
					return errors.New("too many styles")
				}
				b.formats = append(b.formats, parsed[id])
				b.struck = append(b.struck, font >= 0 && font < len(struckFonts) &&
					struckFonts[font])
			}
		}
		return nil
	})
}

// parseNumber returns a count or an index in an attribute, -1 if it is invalid.
func parseNumber(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// xlsxCell is a cell with text.
type xlsxCell struct {
	row, col int
	text     string
}

// xlsxSpan is a rectangle of merged cells.
type xlsxSpan struct{ row, col, toRow, toCol int }

// xlsxSheet is a sheet as it is read.
type xlsxSheet struct {
	book    *xlsxBook
	row     int
	hidden  bool         // the row
	columns map[int]bool // those that are hidden
	merged  []xlsxSpan
	cells   []xlsxCell

	at        xlsxCell
	kind      string
	style     int
	value     strings.Builder
	inValue   bool
	inline    richText
	inlineNow bool
}

func (b *xlsxBook) readSheet(name, part string) error {
	s := &xlsxSheet{book: b, columns: map[int]bool{}, inline: richText{whole: b.a.whole}}
	if err := b.a.tokens(part, s.token); err != nil {
		return err
	}
	slices.SortStableFunc(s.cells, func(a, b xlsxCell) int {
		if a.row != b.row {
			return a.row - b.row
		}
		return a.col - b.col
	})
	cells := s.cells
	if !b.a.whole {
		var err error
		if cells, err = withoutCovered(cells, s.merged); err != nil {
			return err
		}
	}
	b.w.sheets = append(b.w.sheets, name)
	sheet := len(b.w.sheets) - 1
	b.w.place(sheet)
	b.w.add(name, true, 0)
	for len(cells) > 0 {
		n := 1
		for n < len(cells) && cells[n].row == cells[0].row {
			n++
		}
		b.addRow(sheet, cells[:n])
		cells = cells[n:]
	}
	return nil
}

// addRow adds the line of a row, and where in it each cell begins.
func (b *xlsxBook) addRow(sheet int, cells []xlsxCell) {
	var line strings.Builder
	first := len(b.w.places)
	for i, c := range cells {
		if i > 0 {
			line.WriteString(" | ")
		}
		b.w.place(sheet)
		p := &b.w.places[first+i]
		p.at, p.row, p.col = p.at+line.Len(), c.row, c.col
		line.WriteString(c.text)
	}
	b.w.add(line.String(), false, 0)
}

func (s *xlsxSheet) token(t xml.Token) error {
	if s.inlineNow {
		s.inline.token(t)
	}
	switch t := t.(type) {
	case xml.StartElement:
		return s.start(t)
	case xml.CharData:
		if s.inValue {
			s.value.Write(t)
		}
	case xml.EndElement:
		switch t.Name.Local {
		case "v":
			s.inValue = false
		case "is":
			s.inlineNow = false
		case "c":
			return s.endCell()
		}
	}
	return nil
}

func (s *xlsxSheet) start(t xml.StartElement) error {
	switch t.Name.Local {
	case "col":
		if isTrue(attribute(t, "hidden")) {
			for c := max(0, parseNumber(attribute(t, "min"))); c <= min(parseNumber(attribute(t, "max")),
				maxColumn) && !s.columns[c]; c++ {
				s.columns[c] = true
			}
		}
	case "row":
		s.row++
		if n := parseNumber(attribute(t, "r")); n > 0 {
			s.row = n
		}
		if s.row > maxRow {
			return errors.New("too many rows")
		}
		s.hidden, s.at = isTrue(attribute(t, "hidden")), xlsxCell{row: s.row}
	case "c":
		s.at.col++
		if row, col := cellReference(attribute(t, "r")); col > 0 {
			s.at.row, s.at.col = row, col
		}
		if s.at.col > maxColumn {
			return errors.New("too many columns")
		}
		s.kind, s.style = attribute(t, "t"), max(0, parseNumber(attribute(t, "s")))
		s.value.Reset()
		s.inline.take()
	case "v":
		s.inValue = true
	case "is":
		s.inlineNow = true
	case "mergeCell":
		from, to, _ := strings.Cut(attribute(t, "ref"), ":")
		var m xlsxSpan
		m.row, m.col = cellReference(from)
		m.toRow, m.toCol = cellReference(to)
		if m.col > 0 && m.toCol > 0 {
			s.merged = append(s.merged, m)
		}
	}
	return nil
}

func (s *xlsxSheet) endCell() error {
	if !s.book.a.whole && (s.hidden || s.columns[s.at.col] ||
		s.style < len(s.book.struck) && s.book.struck[s.style]) {
		return nil
	}
	c := s.at
	value := strings.Join(strings.Fields(s.value.String()), " ")
	switch s.kind {
	case "s":
		i := parseNumber(value)
		if i < 0 || i >= len(s.book.strings) {
			return fmt.Errorf("the cell %s%d refers to a missing text",
				columnName(c.col), c.row)
		}
		c.text = s.book.strings[i]
	case "inlineStr":
		c.text = s.inline.take()
	case "b":
		c.text = map[bool]string{true: "TRUE", false: "FALSE"}[isTrue(value)]
	case "", "n":
		c.text = s.showNumber(value)
	default: // the text of a formula, an error, a date
		c.text = value
	}
	if c.text == "" {
		return nil
	}
	if s.book.left -= len(c.text) + cellCost; s.book.left < 0 {
		return errTooLarge
	}
	s.cells = append(s.cells, c)
	return nil
}

// showNumber returns a number as the sheet shows it, and plain behind it where that differs.
func (s *xlsxSheet) showNumber(value string) string {
	if value == "" {
		return ""
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return value
	}
	format := xlsxStyle{}
	if s.style < len(s.book.formats) {
		format = s.book.formats[s.style]
	}
	return format.show(v, s.book.date04)
}

// withoutCovered leaves out the cells that lie under merged ones, in place. The cells are in
// order.
func withoutCovered(cells []xlsxCell, merged []xlsxSpan) ([]xlsxCell, error) {
	slices.SortFunc(merged, func(a, b xlsxSpan) int { return a.row - b.row })
	var active []xlsxSpan
	out, work, row := cells[:0], 0, 0
	for _, c := range cells {
		if c.row != row {
			row = c.row
			for len(merged) > 0 && merged[0].row <= row {
				active, merged = append(active, merged[0]), merged[1:]
			}
			work += len(active)
			active = slices.DeleteFunc(active, func(m xlsxSpan) bool { return m.toRow < row })
		}
		if work += len(active); work > maxCovered {
			return nil, errors.New("too many merged cells")
		}
		if !slices.ContainsFunc(active, func(m xlsxSpan) bool {
			return m.col <= c.col && c.col <= m.toCol && (m.row != c.row || m.col != c.col)
		}) {
			out = append(out, c)
		}
	}
	return out, nil
}

// cellReference parses a name such as B7; 0, 0 if it is invalid.
func cellReference(s string) (row, col int) {
	i := 0
	for ; i < len(s) && isLetter(s[i]); i++ {
		if col = col*26 + int(s[i]|0x20-'a') + 1; col > maxColumn {
			return 0, 0
		}
	}
	if row = parseNumber(s[i:]); i == 0 || row < 1 || row > maxRow {
		return 0, 0
	}
	return row, col
}

// columnName is the letters of a column: A, B … Z, AA.
func columnName(col int) string {
	var b []byte
	for ; col > 0; col = (col - 1) / 26 {
		b = append(b, byte('A'+(col-1)%26))
	}
	slices.Reverse(b)
	return string(b)
}
