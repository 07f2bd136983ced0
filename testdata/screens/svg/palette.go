package main

import "fmt"

// colour is the terminal's own (the zero value), one of the 256 that have numbers, or red, green
// and blue.
type colour struct {
	kind  colourKind
	value int // the number, or 0xRRGGBB
}

type colourKind uint8

const (
	ownColour colourKind = iota
	indexedColour
	rgbColour
)

func indexed(n int) colour { return colour{kind: indexedColour, value: n} }

// theme is what a terminal's settings say: its own colours and the first 16.
type theme struct {
	text, background, border int
	first                    [16]int
}

var dark = theme{
	text: 0xd5d9e0, background: 0x15181e, border: 0x363c47,
	first: [16]int{
		0x2a2f38, 0xf0716b, 0x7cc379, 0xe3b457, 0x6ca8f2, 0xc792e0, 0x56c2c5, 0xc3c8d1,
		0x767f8e, 0xff938c, 0x9ada97, 0xf5cc7a, 0x91c1ff, 0xdcb0f0, 0x7fdcde, 0xf4f6f9,
	},
}

var bright = theme{
	text: 0x24292f, background: 0xfbfbfc, border: 0xcfd4da,
	first: [16]int{
		0x24292f, 0xb92d28, 0x26742c, 0x8a5a00, 0x1f5fbf, 0x8438a8, 0x0d6e74, 0x727a86,
		0x59616d, 0xd6453f, 0x37913e, 0xa87000, 0x3d7fe0, 0xa055c6, 0x1c8c93, 0xa9b0ba,
	},
}

// steps are the values of a channel in the cube of 6×6×6 colours.
var steps = [6]int{0, 95, 135, 175, 215, 255}

// hex is the colour as CSS writes it; own is what the terminal's own one is here.
func (t *theme) hex(c colour, own int) string {
	value := c.value
	switch n := c.value; {
	case c.kind == ownColour:
		value = own
	case c.kind == rgbColour:
	case n < 16:
		value = t.first[n]
	case n < 232:
		n -= 16
		value = steps[n/36]<<16 | steps[n/6%6]<<8 | steps[n%6]
	default:
		value = (8 + 10*(n-232)) * 0x010101
	}
	return fmt.Sprintf("#%06x", value)
}

// foreground is the colour of a style's text.
func (t *theme) foreground(s style) string {
	if s.has(reverse) {
		return t.hex(s.bg, t.background)
	}
	return t.hex(s.fg, t.text)
}

// backdrop is the colour behind it, "" where that is the window's.
func (t *theme) backdrop(s style) string {
	switch {
	case s.has(reverse):
		return t.hex(s.fg, t.text)
	case s.bg == colour{}:
		return ""
	}
	return t.hex(s.bg, t.background)
}
