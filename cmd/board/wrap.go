package main

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// wrapper breaks long lines at blanks, for a terminal's width in cells, which escape sequences
// have not. Their rest is indented more, so that lists stay readable.
type wrapper struct {
	w     io.Writer
	width int
	line  bytes.Buffer // the line that is not ended yet
}

func (w *wrapper) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			w.line.Write(rest)
			break
		}
		w.line.Write(rest[:end])
		rest = rest[end+1:]
		if _, err := io.WriteString(w.w, wrapLine(w.line.String(), w.width)+"\n"); err != nil {
			return 0, err
		}
		w.line.Reset()
	}
	return len(b), nil
}

func (w *wrapper) flush() error {
	if w.line.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(w.w, wrapLine(w.line.String(), w.width))
	w.line.Reset()
	return err
}

func wrapLine(s string, width int) string {
	indent := len(s) - len(strings.TrimLeft(s, " "))
	hang := strings.Repeat(" ", min(indent+4, width/2))
	if rest := strings.TrimLeft(s, " "); strings.HasPrefix(rest, "| ") ||
		strings.HasPrefix(rest, "> ") {
		hang = strings.Repeat(" ", indent) + rest[:2] // content keeps its mark on every line
	}
	var out strings.Builder
	for {
		cut, fits := breakAt(s, width)
		if fits {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(strings.TrimRight(s[:cut], " ") + "\n")
		s = hang + strings.TrimLeft(s[cut:], " ")
	}
}

// breakAt is the position where a line is broken: after the last blank within the
// width, else at the width. It reports true if the line fits.
func breakAt(s string, width int) (int, bool) {
	cells, blank := 0, -1
	body := len(s) - len(strings.TrimLeft(s, " |>")) // a break within the indent would never end
	for i := 0; i < len(s); {
		if s[i] == '\x1b' {
			if end := strings.IndexByte(s[i:], 'm'); end >= 0 {
				i += end + 1
				continue
			}
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		cells += runeCells(r)
		if cells > width && i > body {
			if blank > body && r != ' ' {
				return blank, false
			}
			return i, false
		}
		if r == ' ' {
			blank = i + 1
		}
		i += size
	}
	return len(s), true
}

// runeCells is nearly a rune's cells on a terminal: two for East Asian scripts and emoji.
func runeCells(r rune) int {
	if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
		r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0x1f300 && r <= 0x1faff ||
		r >= 0x20000) {
		return 2
	}
	return 1
}
