package documents

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
)

// maxSlides is how many slides a presentation may have.
const maxSlides = 10_000

// readPPTX reads a presentation: its slides in order, each with the notes of its
// speaker. A paragraph is a line; so is a row of a table. Hidden slides and shapes, and
// struck text, are left out.
func readPPTX(a *archive) (*Document, error) {
	parts, err := a.relations("ppt/presentation.xml")
	if err != nil {
		return nil, err
	}
	w := writer{unit: "slide"}
	var slides []string
	err = a.tokens("ppt/presentation.xml", func(t xml.Token) error {
		if t, ok := t.(xml.StartElement); ok && t.Name.Local == "sldId" {
			slides = append(slides, parts[relationID(t)].target)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(slides) > maxSlides {
		return nil, errors.New("too many slides")
	}
	for i, part := range slides {
		if a.files[part] == nil {
			return nil, fmt.Errorf("slide %d is missing", i+1)
		}
		w.place(i + 1)
		p := pptxParser{w: &w}
		if err := a.tokens(part, p.visit(&p)); err != nil {
			return nil, err
		}
		if p.hiddenSlide {
			continue
		}
		related, err := a.relations(part)
		if err != nil {
			return nil, err
		}
		for _, r := range related {
			if r.kind == "notesSlide" {
				notes := pptxParser{w: &w, notes: true}
				if err := a.tokens(r.target, notes.visit(&notes)); err != nil {
					return nil, err
				}
				break
			}
		}
	}
	return w.document(a.name), nil
}

// pptxParser turns DrawingML into lines.
type pptxParser struct {
	nesting
	w           *writer
	notes       bool // the part is the notes of a slide
	hiddenSlide bool
	shape       int  // the depth of the shape that is read
	title       bool // the shape is a title
	inText      bool
	struck      bool
	line        strings.Builder
	inRow       bool
	row         []string
	cell        []string
}

func (p *pptxParser) text(s string) {
	if p.inText && !p.struck {
		p.line.WriteString(s)
	}
}

func (p *pptxParser) start(t xml.StartElement) {
	switch t.Name.Local {
	case "sld":
		if show := attribute(t, "show"); show == "0" || show == "false" {
			p.hiddenSlide, p.skip = true, p.depth
		}
	case "Fallback":
		p.skip = p.depth
	case "sp", "grpSp", "graphicFrame", "pic", "cxnSp":
		p.shape, p.title = p.depth, false
	case "cNvPr":
		if isTrue(attribute(t, "hidden")) {
			p.skipShape()
		}
	case "ph":
		switch attribute(t, "type") {
		case "title", "ctrTitle":
			p.title = true
		case "sldNum", "dt", "hdr", "ftr", "sldImg":
			if p.notes {
				p.skipShape()
			}
		}
	case "tr":
		p.inRow, p.row = true, nil
	case "tc":
		p.cell = nil
	case "r", "fld":
		p.struck = false
	case "rPr":
		strike := attribute(t, "strike")
		p.struck = strike != "" && strike != "noStrike"
	case "t":
		p.inText = true
	case "br":
		p.line.WriteByte(' ')
	}
}

// skipShape leaves out what the shape has from here on: what it has of text comes later.
func (p *pptxParser) skipShape() {
	if p.shape > 0 && p.shape < p.depth {
		p.skip = p.shape
	}
}

func (p *pptxParser) end(t xml.EndElement) {
	switch t.Name.Local {
	case "t":
		p.inText = false
	case "r", "fld":
		p.struck = false
	case "p":
		text := strings.Join(strings.Fields(p.line.String()), " ")
		p.line.Reset()
		switch {
		case text == "":
		case p.inRow:
			p.cell = append(p.cell, text)
		default:
			p.w.add(text, p.title, 0)
		}
	case "tc":
		p.row = append(p.row, strings.Join(p.cell, " "))
		p.cell = nil
	case "tr":
		p.inRow = false
		if text := strings.Join(p.row, " | "); strings.Trim(text, " |") != "" {
			p.w.add(text, false, 0)
		}
	}
}
