package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// cell is what stands in one place of a screen: a character with its combining marks, and how many
// columns it takes, 1 or 2.
type cell struct {
	text  string
	width int
	style style
}

// blank reports whether nothing of the cell is to be seen.
func (c cell) blank() bool {
	return c.style.has(hidden) || c.text == " " && !c.style.has(underline|strike)
}

// screen is the rows of a terminal, each without the cells at its end that show nothing.
type screen struct{ rows [][]cell }

func (s screen) equal(t screen) bool {
	return slices.EqualFunc(s.rows, t.rows, slices.Equal)
}

// columns is the number of columns that the widest row takes.
func (s screen) columns() int {
	n := 0
	for _, row := range s.rows {
		n = max(n, width(row))
	}
	return n
}

// width is the number of columns of a row.
func width(row []cell) int {
	n := 0
	for _, c := range row {
		n += c.width
	}
	return n
}

// parseScreen reads what tmux prints of a screen. Styles go on from line to line; hyperlinks are
// dropped. Any other sequence or control character is an error that names it and its line: it
// would move what follows.
func parseScreen(text string) (screen, error) {
	var s screen
	if !utf8.ValidString(text) {
		return s, fmt.Errorf("it is not UTF-8")
	}
	var st style
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		row, err := parseRow(line, &st)
		if err != nil {
			return s, fmt.Errorf("line %d: %w", n+1, err)
		}
		s.rows = append(s.rows, row)
	}
	return s, nil
}

// parseRow reads a line that begins in the style st, and leaves there the one that it ends in. A
// combining mark belongs to the cell before it; one without a cell is dropped.
func parseRow(line string, st *style) ([]cell, error) {
	var row []cell
	for len(line) > 0 {
		part, columns, size, _ := ansi.DecodeSequence(line, ansi.NormalState, nil)
		line = line[size:]
		if parameters, is := sgr(part); is {
			if err := st.apply(parameters); err != nil {
				return nil, err
			}
			continue
		}
		switch {
		case strings.HasPrefix(part, "\x1b]8;"): // a hyperlink
		case strings.ContainsFunc(part, unshowable):
			return nil, fmt.Errorf("%q does not belong on a screen: print it with `tmux capture-pane -e -p -N`", part)
		case columns == 0 && len(row) > 0:
			row[len(row)-1].text += part
		case columns > 0:
			row = append(row, cell{text: part, width: columns, style: *st})
		}
	}
	end := len(row)
	for end > 0 && row[end-1].blank() && !row[end-1].style.painted() {
		end--
	}
	return row[:end], nil
}

// unshowable reports whether a character is a control one, or none that XML may have.
func unshowable(r rune) bool {
	return unicode.IsControl(r) || r == '\ufffe' || r == '\uffff'
}

// sgr returns the parameters of a sequence that sets the style.
func sgr(part string) (parameters string, is bool) {
	parameters, is = strings.CutPrefix(part, "\x1b[")
	if !is {
		return "", false
	}
	parameters, is = strings.CutSuffix(parameters, "m")
	return parameters, is && strings.Trim(parameters, "0123456789;:") == ""
}
