package documents

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"strings"

	txt "blackboard/board/text"
)

// pdfText is a line of a page, and how high it lies there.
type pdfText struct {
	text string
	y    float64
}

// A pdfMatrix places points: x' = a·x + c·y + e, y' = b·x + d·y + f.
type pdfMatrix [6]float64

var pdfIdentity = pdfMatrix{1, 0, 0, 1, 0, 0}

// times applies m first, then n.
func (m pdfMatrix) times(n pdfMatrix) pdfMatrix {
	return pdfMatrix{m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5]}
}

// pdfState is what the operators of a page set.
type pdfState struct {
	ctm                           pdfMatrix
	font                          *pdfFont
	size, spacing, blank, leading float64
	scale                         float64
}

// pdfPage draws a page, and takes down its text.
type pdfPage struct {
	f     *pdfFile
	lines []pdfText
	line  pdfLine
	pdfState
	saved      []pdfState
	text, from pdfMatrix // where the pen is, and where its line begins
	depth      int       // of forms
}

// readPage reads a page: what it draws, then its annotations.
func (f *pdfFile) readPage(w *writer, page pdfDict) error {
	p := &pdfPage{f: f, pdfState: pdfState{ctm: pdfIdentity, scale: 1},
		text: pdfIdentity, from: pdfIdentity}
	parts := pdfArray{page["Contents"]}
	if a := f.array(page["Contents"]); a != nil {
		parts = a
	}
	var all []byte
	for _, part := range parts {
		if s, ok := f.resolve(part).(pdfStream); ok {
			data, err := f.unpack(s)
			if err != nil {
				return err
			}
			all = append(append(all, data...), '\n')
		}
	}
	if err := p.draw(all, f.dict(page["Resources"])); err != nil {
		return err
	}
	p.endLine()
	for _, o := range f.array(page["Annots"]) {
		if err := p.annotation(f.dict(o)); err != nil {
			return err
		}
	}
	for _, l := range p.lines {
		w.addLines(l.text)
	}
	return nil
}

// draw runs the operators of a page or a form.
func (p *pdfPage) draw(data []byte, resources pdfDict) error {
	in := pdfParser{data: data}
	var operands []any
	for !in.ended() {
		o := in.object(0)
		word, ok := o.(pdfWord)
		if !ok {
			if len(operands) < 100 {
				operands = append(operands, o)
			}
			continue
		}
		if word == "ID" && !in.skipImage() {
			return nil
		}
		if err := p.operate(string(word), operands, resources); err != nil {
			return err
		}
		operands = operands[:0]
	}
	return nil
}

// skipImage goes past an image within the page.
func (p *pdfParser) skipImage() bool {
	for {
		i := bytes.Index(p.data[p.at:], []byte("EI"))
		if i < 0 {
			return false
		}
		before, after := p.at+i-1, p.at+i+2
		p.at = after
		if isPDFSpace(p.data[before]) && (after == len(p.data) || isPDFSpace(p.data[after])) {
			return true
		}
	}
}

func (p *pdfPage) operate(word string, operands []any, resources pdfDict) error {
	n := func(i int) float64 {
		if i < len(operands) {
			v, _ := operands[i].(float64)
			return v
		}
		return 0
	}
	switch word {
	case "q":
		if len(p.saved) < 1000 {
			p.saved = append(p.saved, p.pdfState)
		}
	case "Q":
		if k := len(p.saved); k > 0 {
			p.pdfState, p.saved = p.saved[k-1], p.saved[:k-1]
		}
	case "cm":
		p.ctm = pdfMatrix{n(0), n(1), n(2), n(3), n(4), n(5)}.times(p.ctm)
	case "BT":
		p.text, p.from = pdfIdentity, pdfIdentity
	case "Tf":
		if len(operands) > 1 {
			name, _ := operands[0].(pdfName)
			font, err := p.f.font(resources, name)
			if err != nil {
				return err
			}
			p.font, p.size = font, n(1)
		}
	case "Tc":
		p.spacing = n(0)
	case "Tw":
		p.blank = n(0)
	case "Tz":
		p.scale = n(0) / 100
	case "TL":
		p.leading = n(0)
	case "Td":
		p.move(n(0), n(1))
	case "TD":
		p.leading = -n(1)
		p.move(n(0), n(1))
	case "Tm":
		p.from = pdfMatrix{n(0), n(1), n(2), n(3), n(4), n(5)}
		p.text = p.from
	case "T*":
		p.move(0, -p.leading)
	case "'":
		p.move(0, -p.leading)
		return p.show(operands, 0)
	case "\"":
		p.blank, p.spacing = n(0), n(1)
		p.move(0, -p.leading)
		return p.show(operands, 2)
	case "Tj":
		return p.show(operands, 0)
	case "TJ":
		if len(operands) > 0 {
			list, _ := operands[0].(pdfArray)
			return p.show(list, 0)
		}
	case "Do":
		if len(operands) > 0 {
			name, _ := operands[0].(pdfName)
			return p.form(p.f.resolve(p.f.dict(resources["XObject"])[name]), resources)
		}
	}
	return nil
}

// form draws content that several pages share.
func (p *pdfPage) form(o any, resources pdfDict) error {
	s, ok := o.(pdfStream)
	if !ok || s.dict["Subtype"] != pdfName("Form") {
		return nil
	}
	if p.depth++; p.depth > maxPDFDepth {
		return errors.New("its forms are nested too deeply")
	}
	defer func() { p.depth-- }()
	data, err := p.f.unpack(s)
	if err != nil {
		return err
	}
	if own := p.f.dict(s.dict["Resources"]); own != nil {
		resources = own
	}
	before, saved := p.pdfState, p.saved
	if m := p.f.numbers(s.dict["Matrix"], 6); m != nil {
		p.ctm = pdfMatrix(m).times(p.ctm)
	}
	p.saved = nil
	err = p.draw(data, resources)
	p.pdfState, p.saved = before, saved
	return err
}

// Flags of annotations that viewers do not show.
const pdfNotShown = 1<<1 | 1<<5

// annotation adds the text of a field of a form, of a note, or of what else lies over a
// page: how it is drawn, then its value unless that says the same. Notes that are shown
// only when they are opened do not count in a report.
func (p *pdfPage) annotation(d pdfDict) error {
	kind, _ := p.f.resolve(d["Subtype"]).(pdfName)
	flags := p.f.integer(d["F"])
	if kind == "Popup" || kind == "Link" || flags&pdfNotShown != 0 && !p.f.whole {
		return nil
	}
	from, rect := len(p.lines), p.f.numbers(d["Rect"], 4)
	look := p.f.resolve(p.f.dict(d["AP"])["N"])
	if states, ok := look.(pdfDict); ok { // of a box that may be ticked
		state, _ := p.f.resolve(d["AS"]).(pdfName)
		look = p.f.resolve(states[state])
	}
	if s, ok := look.(pdfStream); ok {
		s.dict = maps.Clone(s.dict)
		s.dict["Subtype"] = pdfName("Form") // which it need not say
		if box := p.f.numbers(s.dict["BBox"], 4); box != nil && rect != nil {
			p.ctm = pdfMatrix{1, 0, 0, 1, rect[0] - box[0], rect[1] - box[1]}
		}
		if err := p.form(s, nil); err != nil {
			return err
		}
		p.endLine()
	}
	value := p.f.text(d["Contents"])
	if kind == "Widget" {
		value = p.f.fieldValue(d, 0)
	} else if kind != "FreeText" && !p.f.whole {
		return nil
	}
	drawn := ""
	for _, l := range p.lines[from:] {
		drawn += l.text
	}
	if !strings.Contains(strings.ReplaceAll(drawn, " ", ""),
		strings.Join(strings.Fields(value), "")) {
		p.lines = append(p.lines, pdfText{text: value})
	}
	if kind == "Widget" && rect != nil {
		p.besideLabel(from, min(rect[1], rect[3]), max(rect[1], rect[3]))
	}
	return nil
}

// besideLabel moves what a field has into the line of the page that it stands in.
func (p *pdfPage) besideLabel(from int, low, high float64) {
	for i, l := range p.lines[:from] {
		if l.y < low || l.y > high {
			continue
		}
		for _, field := range p.lines[from:] {
			l.text += " | " + field.text
		}
		p.lines[i].text, p.lines = l.text, p.lines[:from]
		return
	}
}

// fieldValue returns the value of a field, or of the one above it: a text, or several.
func (f *pdfFile) fieldValue(d pdfDict, depth int) string {
	if value := d["V"]; value != nil {
		var all []string
		for _, o := range append(f.array(value), value) {
			if s := f.text(o); s != "" {
				all = append(all, s)
			}
		}
		return strings.Join(all, ", ")
	}
	if above := f.dict(d["Parent"]); above != nil && depth < maxPDFDepth {
		return f.fieldValue(above, depth+1)
	}
	return ""
}

// text returns a text outside of pages: UTF-16 or UTF-8 with a mark, or bytes.
func (f *pdfFile) text(o any) string {
	s, _ := f.resolve(o).(pdfString)
	if f.left -= len(s); f.left < 0 {
		return ""
	}
	text, _ := txt.Decode([]byte(s))
	return text
}

func (p *pdfPage) move(x, y float64) {
	p.from = pdfMatrix{1, 0, 0, 1, x, y}.times(p.from)
	p.text = p.from
}

// show draws texts, and moves the pen by the numbers between them.
func (p *pdfPage) show(list []any, skip int) error {
	if p.font == nil {
		p.font, _ = p.f.readFont(nil)
	}
	for _, o := range list[min(skip, len(list)):] {
		switch o := o.(type) {
		case float64:
			p.forward(-o / 1000 * p.size * p.scale)
		case pdfString:
			for len(o) > 0 {
				g, n := p.font.next(o)
				p.f.left -= max(1, len(g.text)) + (len(p.font.spaces)+len(p.font.cids))/8
				if p.f.left < 0 {
					return errTooLarge
				}
				p.write(g)
				o = o[n:]
			}
		}
	}
	return nil
}

func (p *pdfPage) forward(x float64) {
	p.text = pdfMatrix{1, 0, 0, 1, x, 0}.times(p.text)
}

// write adds a glyph to the line, or to a new one, and moves the pen past it.
func (p *pdfPage) write(g pdfGlyph) {
	at := p.text.times(p.ctm)
	em, wide := math.Abs(p.size)*p.font.height, math.Hypot(at[0], at[1])*p.scale
	width, more := g.width/1000*p.size, p.spacing
	if g.blank {
		more += p.blank
	}
	isBlank := strings.TrimSpace(g.text) == ""
	switch {
	case !isBlank && p.line.isOnOtherLine(at, em*math.Hypot(at[2], at[3])):
		p.endLine()
	case isBlank && g.text != "":
		if g.text = " "; len(p.line.marks) == 0 || more < 0 && width+more < pdfGap/2*em {
			g.text = "" // a blank that is taken back
		}
	}
	if g.text != "" {
		p.line.add(g.text, at, em*wide, p.spacing*wide)
	}
	p.forward(width * p.scale)
	if g.text != "" {
		p.line.end(p.text.times(p.ctm))
	}
	p.forward(more * p.scale)
}

func (p *pdfPage) endLine() {
	y := p.line.y
	if text := p.line.take(); text != "" {
		p.lines = append(p.lines, pdfText{text, y})
	}
}
