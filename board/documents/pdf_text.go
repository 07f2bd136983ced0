package documents

import (
	"bytes"
	"errors"
	"math"
	"strings"
)

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
	ctm                                 pdfMatrix
	font                                *pdfFont
	size, spacing, blank, leading, rise float64
	scale                               float64
}

// pdfPage draws a page, and takes down its text.
type pdfPage struct {
	f    *pdfFile
	w    *writer
	line strings.Builder
	pdfState
	saved      []pdfState
	text, from pdfMatrix // where the pen is, and where its line begins
	drawn      bool      // something was drawn on the page
	x, y       float64   // where the last text ended, in units of the page
	depth      int       // of forms
}

func (f *pdfFile) readPage(w *writer, page pdfDict) error {
	p := &pdfPage{f: f, w: w, pdfState: pdfState{ctm: pdfIdentity, scale: 1},
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
		if word == "ID" { // an image within the page
			i := bytes.Index(in.data[in.at:], []byte("EI"))
			if i < 0 {
				return nil
			}
			in.at += i + 2
		}
		if err := p.operate(string(word), operands, resources); err != nil {
			return err
		}
		operands = operands[:0]
	}
	return nil
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
	case "Ts":
		p.rise = n(0)
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
	if m := p.f.array(s.dict["Matrix"]); len(m) == 6 {
		var by pdfMatrix
		for i := range by {
			by[i] = p.f.number(m[i])
		}
		p.ctm = by.times(p.ctm)
	}
	p.saved = nil
	err = p.draw(data, resources)
	p.pdfState, p.saved = before, saved
	return err
}

func (p *pdfPage) move(x, y float64) {
	p.from = pdfMatrix{1, 0, 0, 1, x, y}.times(p.from)
	p.text = p.from
}

// show draws texts, and moves the pen by the numbers between them.
func (p *pdfPage) show(list []any, skip int) error {
	if p.font == nil {
		return nil
	}
	for _, o := range list[min(skip, len(list)):] {
		switch o := o.(type) {
		case float64:
			p.forward(-o / 1000 * p.size * p.scale)
		case pdfString:
			text, width, codes, blanks := p.font.decode(o)
			if p.f.left -= len(text); p.f.left < 0 {
				return errTooLarge
			}
			p.write(text)
			p.forward((width/1000*p.size + float64(codes)*p.spacing +
				float64(blanks)*p.blank) * p.scale)
			if at := p.text.times(p.ctm); strings.TrimSpace(text) != "" {
				p.x, p.y = at[4], at[5]
			}
		}
	}
	return nil
}

func (p *pdfPage) forward(x float64) {
	p.text = pdfMatrix{1, 0, 0, 1, x, 0}.times(p.text)
}

// Distances from one text to the next, in heights of the font: another line, a blank,
// and so much that it is another cell of a table.
const (
	pdfLine = 0.6
	pdfGap  = 0.18
	pdfCell = 1.2
)

// write adds text to the line, or to a new one.
func (p *pdfPage) write(text string) {
	if strings.TrimSpace(text) == "" {
		if p.line.Len() > 0 && text != "" {
			p.line.WriteByte(' ')
		}
		return
	}
	at := p.text.times(p.ctm)
	size := math.Abs(p.size) * math.Hypot(at[2], at[3])
	if size == 0 || math.IsNaN(size) {
		size = 1
	}
	if p.drawn {
		// Along the text and across it: it may be turned.
		along, across := at[4]-p.x, at[5]-p.y
		if length := math.Hypot(at[0], at[1]); length > 0 {
			cos, sin := at[0]/length, at[1]/length
			along, across = along*cos+across*sin, across*cos-along*sin
		}
		switch {
		case math.Abs(across) > pdfLine*size:
			p.endLine()
		case along > pdfCell*size && p.line.Len() > 0:
			p.line.WriteString(" | ")
		case along > pdfGap*size || along < -size:
			p.line.WriteByte(' ')
		}
	}
	p.drawn = true
	p.line.WriteString(text)
}

func (p *pdfPage) endLine() {
	if text := strings.Join(strings.Fields(p.line.String()), " "); text != "" {
		p.w.add(strings.Trim(text, "| "), false, 0)
	}
	p.line.Reset()
}
