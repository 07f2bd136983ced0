package main

import (
	"fmt"
	"strconv"
	"strings"
)

// attribute is a set of what a style can be besides coloured.
type attribute uint8

const (
	bold attribute = 1 << iota
	faint
	italic
	underline
	reverse
	hidden
	strike
)

// style is how a cell looks. The zero value is the terminal's own.
type style struct {
	fg, bg colour
	attrs  attribute
}

func (s style) has(a attribute) bool { return s.attrs&a != 0 }

// painted reports whether the style has a background of its own.
func (s style) painted() bool { return s.bg != colour{} || s.has(reverse) }

// switches are the parameters that turn attributes on; bold and faint go off together.
var switches = map[int]attribute{1: bold, 2: faint, 3: italic, 4: underline, 7: reverse, 8: hidden, 9: strike, 21: underline}

var offs = map[int]attribute{22: bold | faint, 23: italic, 24: underline, 27: reverse, 28: hidden, 29: strike}

// apply changes the style by the parameters of an SGR sequence. Blinking, overlines, fonts and the
// colour of underlines are passed over.
func (s *style) apply(parameters string) error {
	list := strings.Split(parameters, ";")
	for len(list) > 0 {
		param, sub, hasSub := strings.Cut(list[0], ":")
		n, err := number(param)
		if err != nil {
			return wrongSGR(parameters)
		}
		taken := 1
		switch {
		case n == 0:
			*s = style{}
		case n == 4 && sub == "0":
			s.attrs &^= underline
		case switches[n] != 0:
			s.attrs |= switches[n]
		case offs[n] != 0:
			s.attrs &^= offs[n]
		case n >= 30 && n <= 37:
			s.fg = indexed(n - 30)
		case n >= 40 && n <= 47:
			s.bg = indexed(n - 40)
		case n >= 90 && n <= 97:
			s.fg = indexed(n - 90 + 8)
		case n >= 100 && n <= 107:
			s.bg = indexed(n - 100 + 8)
		case n == 39:
			s.fg = colour{}
		case n == 49:
			s.bg = colour{}
		case n == 38 || n == 48 || n == 58:
			values := list[1:]
			if hasSub {
				values = strings.Split(sub, ":")
			}
			c, used, err := readColour(values, hasSub)
			if err != nil {
				return wrongSGR(parameters)
			}
			if !hasSub {
				taken += used
			}
			switch n {
			case 38:
				s.fg = c
			case 48:
				s.bg = c
			}
		}
		list = list[taken:]
	}
	return nil
}

func wrongSGR(parameters string) error {
	return fmt.Errorf("the style \\x1b[%sm cannot be read: a number or a colour in it is not one", parameters)
}

// readColour reads 5;N or 2;R;G;B, and with colons 2::R:G:B too, and says how many values it took.
func readColour(values []string, colons bool) (c colour, used int, err error) {
	if len(values) == 0 {
		return colour{}, 0, strconv.ErrSyntax
	}
	want := 2
	if values[0] == "2" {
		want = 4
		if colons && len(values) > want { // the second is a colour space
			values = append([]string{"2"}, values[2:]...)
		}
	} else if values[0] != "5" {
		return colour{}, 0, strconv.ErrSyntax
	}
	if len(values) < want {
		return colour{}, 0, strconv.ErrSyntax
	}
	var parts []int
	for _, v := range values[1:want] {
		n, err := number(v)
		if err != nil || n > 255 {
			return colour{}, 0, strconv.ErrSyntax
		}
		parts = append(parts, n)
	}
	if want == 2 {
		return indexed(parts[0]), want, nil
	}
	return colour{kind: rgbColour, value: parts[0]<<16 | parts[1]<<8 | parts[2]}, want, nil
}

// number reads a parameter, of which an absent one is 0.
func number(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	return strconv.Atoi(s)
}
