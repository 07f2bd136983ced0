package main

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// classes gives each set of CSS declarations a class the first time that it is used.
type classes struct {
	names map[string]string
	rules strings.Builder
}

// attribute is the class attribute for the declarations; none for none.
func (c *classes) attribute(css string) string {
	if css == "" {
		return ""
	}
	name, known := c.names[css]
	if !known {
		if c.names == nil {
			c.names = map[string]string{}
		}
		name = "s" + strconv.Itoa(len(c.names))
		c.names[css] = name
		c.rules.WriteString("." + name + "{" + css + "}\n")
	}
	return ` class="` + name + `"`
}

// painter draws rows.
type painter struct {
	theme   *theme
	classes classes
}

// row draws the cells of a row around y 0, the base line: backgrounds and blocks, then lines, then
// text. A row that shows nothing is "".
func (p *painter) row(cells []cell) string {
	var out strings.Builder
	p.backgrounds(&out, cells)
	p.boxes(&out, cells)
	p.text(&out, cells)
	return out.String()
}

// backgrounds draws what lies behind the text, and block characters, as rectangles. Neighbours
// that look the same become one.
func (p *painter) backgrounds(out *strings.Builder, cells []cell) {
	var css string
	var from, to int
	flush := func() {
		if css != "" {
			p.rect(out, css, shade{x: float64(from), width: float64(to - from), height: cellHeight})
		}
	}
	x := 0
	for _, c := range cells {
		next := ""
		if colour := p.theme.backdrop(c.style); colour != "" {
			next = "fill:" + colour
		}
		if next != css {
			flush()
			css, from = next, x
		}
		x += c.width * cellWidth
		to = x
	}
	flush()
	p.blocks(out, cells)
}

func (p *painter) blocks(out *strings.Builder, cells []cell) {
	x := 0
	for i := 0; i < len(cells); i++ {
		c, at := cells[i], x
		x += c.width * cellWidth
		s, is := blockOf(c.text)
		if !is || c.blank() {
			continue
		}
		for s.width >= cellWidth && i+1 < len(cells) && cells[i+1] == c { // a bar
			i++
			s.width += cellWidth
			x += cellWidth
		}
		css := p.paint("fill", c.style)
		if s.opacity < 1 {
			css = join(css, "fill-opacity:"+decimal(s.opacity))
		}
		s.x += float64(at)
		p.rect(out, css, s)
	}
}

func (p *painter) rect(out *strings.Builder, css string, s shade) {
	fmt.Fprintf(out, `<rect x="%s" y="%s" width="%s" height="%s"%s/>`, decimal(s.x), decimal(s.y-ascent), decimal(s.width), decimal(s.height), p.classes.attribute(css))
}

// boxes draws box-drawing characters, a path for each style.
func (p *painter) boxes(out *strings.Builder, cells []cell) {
	var styles []string
	paths := map[string]*lines{}
	x := 0
	for _, c := range cells {
		if b, is := boxOf(c.text); is && !c.blank() {
			css := p.paint("stroke", c.style)
			if b.heavy {
				css = join(css, "stroke-width:"+decimal(heavyWidth))
			}
			if paths[css] == nil {
				paths[css] = &lines{}
				styles = append(styles, css)
			}
			paths[css].add(b, float64(x))
		}
		x += c.width * cellWidth
	}
	for _, css := range styles {
		l := paths[css]
		l.flush()
		fmt.Fprintf(out, `<path%s d="%s"/>`, p.classes.attribute(css), l.path.String())
	}
}

// text draws the rest. A run of plain characters of one style is one element, stretched to the
// columns that it takes, whatever the font; two blanks end it, so that what stands in columns
// begins exactly there. Any other character is an element of its own: it may come from another
// font.
func (p *painter) text(out *strings.Builder, cells []cell) {
	x := 0
	for i := 0; i < len(cells); {
		c := cells[i]
		if c.blank() || drawn(c.text) {
			x += c.width * cellWidth
			i++
			continue
		}
		n := 1
		if plain(c) {
			n = runLength(cells[i:])
		}
		var run strings.Builder
		columns := 0
		for _, c := range cells[i : i+n] {
			run.WriteString(c.text)
			columns += c.width
		}
		fmt.Fprintf(out, `<text x="%d"`, x)
		if n > 1 {
			fmt.Fprintf(out, ` textLength="%d"`, columns*cellWidth)
		}
		fmt.Fprintf(out, `%s>%s</text>`, p.classes.attribute(p.textCSS(c.style)), escape(run.String()))
		x += columns * cellWidth
		i += n
	}
}

// runLength is the number of cells from the first that make one element of text.
func runLength(cells []cell) int {
	end, blanks := 0, 0
	for i, c := range cells {
		if !plain(c) || c.style != cells[0].style {
			break
		}
		if !c.blank() {
			end, blanks = i+1, 0
		} else if blanks++; blanks == 2 {
			break
		}
	}
	return end
}

// plain reports whether every monospace font has the character, in the width of the others: Latin
// letters and what is on keyboards.
func plain(c cell) bool {
	r, size := utf8.DecodeRuneInString(c.text)
	return size == len(c.text) && r < 0x250 && c.width == 1
}

// drawn reports whether the text is a shape, not a character of a font.
func drawn(text string) bool {
	_, isBox := boxOf(text)
	_, isBlock := blockOf(text)
	return isBox || isBlock
}

// paint is how a style colours shapes; property is fill or stroke.
func (p *painter) paint(property string, s style) string {
	css := ""
	if colour := p.theme.foreground(s); colour != p.theme.foreground(style{}) {
		css = property + ":" + colour
	}
	if s.has(faint) {
		css = join(css, "opacity:.6")
	}
	return css
}

// textCSS is how a style writes.
func (p *painter) textCSS(s style) string {
	css := p.paint("fill", s)
	if s.has(bold) {
		css = join(css, "font-weight:700")
	}
	if s.has(italic) {
		css = join(css, "font-style:italic")
	}
	switch {
	case s.has(underline) && s.has(strike):
		css = join(css, "text-decoration:underline line-through")
	case s.has(underline):
		css = join(css, "text-decoration:underline")
	case s.has(strike):
		css = join(css, "text-decoration:line-through")
	}
	return css
}

func join(css, declaration string) string {
	if css == "" {
		return declaration
	}
	return css + ";" + declaration
}

// escape writes text into XML. No control character comes here: a screen has none.
func escape(text string) string {
	return html.EscapeString(text)
}
