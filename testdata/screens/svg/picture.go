package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Measures of the window in pixels.
const (
	margin   = 16 // between the window's edge and the cells
	rounding = 10 // the radius of its corners
)

// fonts are tried in this order: what systems call their own, then what is there if they have no
// name for it.
const fonts = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"

// frame is a screen and when it is first shown, in seconds.
type frame struct {
	name   string
	at     float64
	screen screen
}

// picture is what is shown: one frame, or several of an animation.
type picture struct {
	frames        []frame
	theme         theme
	columns, rows int // of the terminal; 0: as many as the screens take
	title         string
	hold          float64 // seconds that the last frame is shown
}

// svg draws the picture. A screen that is larger than the terminal is said to be is an error.
func (p *picture) svg() (string, error) {
	columns, rows, err := p.size()
	if err != nil {
		return "", err
	}
	paint := &painter{theme: &p.theme}
	shown := make([][]string, len(p.frames))
	times := map[string]int{}
	for i, f := range p.frames {
		for _, cells := range f.screen.rows {
			row := paint.row(cells)
			shown[i] = append(shown[i], row)
			times[row]++
		}
	}
	w, h := columns*cellWidth+2*margin, rows*cellHeight+2*margin
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" role="img" width="%d" height="%d" viewBox="0 0 %d %d" font-family="%s" font-size="%d" fill="#%06x">`+"\n",
		w, h, w, h, fonts, fontSize, p.theme.text)
	if p.title != "" {
		fmt.Fprintf(&out, "<title>%s</title>\n", escape(p.title))
	}
	fmt.Fprintf(&out, "<style>\ntext{white-space:pre}\nrect{shape-rendering:crispEdges}\npath{fill:none;stroke:#%06x}\n%s%s</style>\n", p.theme.text, paint.classes.rules.String(), p.motion())
	// The window's edge is half a pixel within the picture, so that its line is sharp.
	fmt.Fprintf(&out, `<rect x=".5" y=".5" width="%d" height="%d" rx="%d" style="fill:#%06x;stroke:#%06x;shape-rendering:auto"/>`+"\n", w-1, h-1, rounding, p.theme.background, p.theme.border)
	ids := definitions(&out, shown, times)
	fmt.Fprintf(&out, `<g transform="translate(%d %d)">`+"\n", margin, margin+ascent)
	for i, rows := range shown {
		out.WriteString(p.open(i))
		for y, row := range rows {
			switch id := ids[row]; {
			case row == "":
			case id != "":
				fmt.Fprintf(&out, `<use href="#%s" y="%d"/>`+"\n", id, y*cellHeight)
			default:
				fmt.Fprintf(&out, `<g transform="translate(0 %d)">%s</g>`+"\n", y*cellHeight, row)
			}
		}
		out.WriteString("</g>\n")
	}
	out.WriteString("</g>\n</svg>\n")
	return out.String(), nil
}

// size is the size of the terminal in cells.
func (p *picture) size() (columns, rows int, err error) {
	for _, f := range p.frames {
		if c := f.screen.columns(); c > p.columns && p.columns > 0 {
			return 0, 0, fmt.Errorf("%s: a line takes %d columns, and the terminal has %d (-columns)", f.name, c, p.columns)
		}
		if r := len(f.screen.rows); r > p.rows && p.rows > 0 {
			return 0, 0, fmt.Errorf("%s: it has %d rows, and the terminal %d (-rows)", f.name, r, p.rows)
		}
		columns, rows = max(columns, f.screen.columns()), max(rows, len(f.screen.rows))
	}
	if p.columns > 0 {
		columns = p.columns
	}
	if p.rows > 0 {
		rows = p.rows
	}
	return columns, rows, nil
}

// definitions writes each row that occurs more than once, as a screen that scrolls has them, and
// returns their ids.
func definitions(out *strings.Builder, shown [][]string, times map[string]int) map[string]string {
	ids := map[string]string{}
	for _, rows := range shown {
		for _, row := range rows {
			if row == "" || times[row] < 2 || ids[row] != "" {
				continue
			}
			if len(ids) == 0 {
				out.WriteString("<defs>\n")
			}
			ids[row] = "r" + strconv.Itoa(len(ids))
			fmt.Fprintf(out, `<g id="%s">%s</g>`+"\n", ids[row], row)
		}
	}
	if len(ids) > 0 {
		out.WriteString("</defs>\n")
	}
	return ids
}

// open begins the group of a frame.
func (p *picture) open(i int) string {
	if len(p.frames) == 1 {
		return "<g>\n"
	}
	return fmt.Sprintf(`<g id="f%d" class="f">`+"\n", i)
}

// motion is the CSS that shows one frame after the other. Without it, where motion is not wanted
// or not possible, the last frame is seen.
func (p *picture) motion() string {
	if len(p.frames) == 1 {
		return ""
	}
	var out strings.Builder
	last := len(p.frames) - 1
	whole := p.frames[last].at + p.hold
	percent := func(at float64) string {
		return strconv.FormatFloat(math.Round(at/whole*1e6)/1e4, 'f', -1, 64) + "%"
	}
	fmt.Fprintf(&out, ".f{visibility:hidden}\n#f%d{visibility:visible}\n", last)
	fmt.Fprintf(&out, "@media (prefers-reduced-motion:no-preference){\n.f{animation:%ss step-end infinite}\n", decimal(math.Round(whole*1e3)/1e3))
	for i := range p.frames {
		fmt.Fprintf(&out, "#f%d{animation-name:k%d}\n", i, i)
	}
	out.WriteString("}\n")
	for i, f := range p.frames {
		fmt.Fprintf(&out, "@keyframes k%d{", i)
		if i > 0 {
			out.WriteString("0%{visibility:hidden}")
		}
		out.WriteString(percent(f.at) + "{visibility:visible}")
		if i < last {
			out.WriteString(percent(p.frames[i+1].at) + "{visibility:hidden}")
		}
		out.WriteString("}\n")
	}
	return out.String()
}
