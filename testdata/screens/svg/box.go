package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Measures of a cell in pixels. Rows are drawn around their base line, so that text needs no y;
// middles are at half pixels, so that thin lines are sharp.
const (
	cellWidth  = 9
	cellHeight = 19
	ascent     = 14 // from the top of a cell to the base line
	fontSize   = 15
	midX       = cellWidth / 2.0
	midY       = cellHeight/2.0 - ascent
	top        = -ascent
	bottom     = cellHeight - ascent
	heavyWidth = 3
	radius     = 4.5
)

// Arms of a box-drawing character: which sides of the cell it reaches from the middle.
const (
	up = 1 << iota
	right
	down
	left
)

// boxes are the box-drawing characters, each at the number that its arms make. Fonts draw them to
// their own height, which would leave gaps between rows; so they become lines.
var boxes = struct{ light, heavy, round []rune }{
	light: []rune(" ╵╶└╷│┌├╴┘─┴┐┤┬┼"),
	heavy: []rune(" ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋"),
	round: []rune("   ╰  ╭  ╯  ╮"),
}

// box is what a box-drawing character looks like.
type box struct {
	arms         int
	heavy, round bool
}

// boxOf returns what the text draws if it is a box-drawing character that is known here.
func boxOf(text string) (box, bool) {
	r, size := utf8.DecodeRuneInString(text)
	if size != len(text) || r < '─' || r > '╿' {
		return box{}, false
	}
	for arms, b := range boxes.light {
		switch {
		case r == b:
			return box{arms: arms}, true
		case r == boxes.heavy[arms]:
			return box{arms: arms, heavy: true}, true
		case arms < len(boxes.round) && r == boxes.round[arms]:
			return box{arms: arms, round: true}, true
		}
	}
	return box{}, false
}

// lines is the path of box-drawing characters of one style in one row.
type lines struct {
	path strings.Builder
	from float64 // a horizontal line that may still grow
	to   float64
}

// add draws a box-drawing character whose cell begins at x.
func (l *lines) add(b box, x float64) {
	mid, end := x+midX, x+cellWidth
	if b.round {
		l.flush()
		l.corner(b.arms, mid)
		return
	}
	half := 0.5 // of the line's width, by which a horizontal arm reaches beyond the middle: else a corner would lack its outermost point
	if b.heavy {
		half = heavyWidth / 2.0
	}
	switch b.arms & (left | right) {
	case left | right:
		l.horizontal(x, end)
	case left:
		l.horizontal(x, mid+half)
	case right:
		l.horizontal(mid-half, end)
	}
	switch b.arms & (up | down) {
	case up | down:
		l.vertical(mid, top, bottom)
	case up:
		l.vertical(mid, top, midY)
	case down:
		l.vertical(mid, midY, bottom)
	}
}

// horizontal draws a line, or makes the last one longer.
func (l *lines) horizontal(from, to float64) {
	if l.from != l.to && l.to == from {
		l.to = to
		return
	}
	l.flush()
	l.from, l.to = from, to
}

// vertical draws a line at once: that it comes before a horizontal one that may still grow makes
// no difference.
func (l *lines) vertical(x, from, to float64) {
	l.path.WriteString("M" + decimal(x) + " " + decimal(from) + "V" + decimal(to))
}

// corner draws a round one, whose arms end in the middles of two sides of the cell.
func (l *lines) corner(arms int, mid float64) {
	y, turn := float64(bottom), midY+radius
	if arms&up != 0 {
		y, turn = top, midY-radius
	}
	x := mid + radius
	if arms&left != 0 {
		x = mid - radius
	}
	l.path.WriteString("M" + decimal(mid) + " " + decimal(y) + "V" + decimal(turn) + "Q" + decimal(mid) + " " + decimal(midY) + " " + decimal(x) + " " + decimal(midY))
}

// flush writes the horizontal line that could have grown.
func (l *lines) flush() {
	if l.from != l.to {
		l.path.WriteString("M" + decimal(l.from) + " " + decimal(midY) + "H" + decimal(l.to))
	}
	l.from, l.to = 0, 0
}

// shade is the part of its cell that a block character fills, in pixels from the cell's top left,
// and how much of the light it takes.
type shade struct {
	x, y, width, height float64
	opacity             float64
}

// blockOf returns what the text fills if it is a block character of one part.
func blockOf(text string) (shade, bool) {
	r, size := utf8.DecodeRuneInString(text)
	if size != len(text) {
		return shade{}, false
	}
	s := shade{width: cellWidth, height: cellHeight, opacity: 1}
	eighths := func(whole float64, n rune) float64 { return whole * float64(n) / 8 }
	switch {
	case r == '▀':
		s.height = eighths(cellHeight, 4)
	case r >= '▁' && r <= '█': // from below, an eighth more with each
		s.height = eighths(cellHeight, r-'▁'+1)
		s.y = cellHeight - s.height
	case r >= '▉' && r <= '▏': // from the left, an eighth less with each
		s.width = eighths(cellWidth, '▏'-r+1)
	case r == '▐':
		s.x, s.width = midX, midX
	case r >= '░' && r <= '▓':
		s.opacity = float64(r-'░'+1) / 4
	default:
		return shade{}, false
	}
	return s, true
}

// decimal writes a number as short as it can be.
func decimal(n float64) string {
	return strconv.FormatFloat(n, 'f', -1, 64)
}
