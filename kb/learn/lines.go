package learn

import (
	"bufio"
	"io"
	"strings"

	"blackboard/board/text"
)

// Harnesses write these lines: of any length, the last one perhaps cut.

// A lineReader has only the number of a line that is too long: half of it says something else.
type lineReader struct {
	in   io.LimitedReader
	buf  *bufio.Reader
	n    int    // its number
	text string // the line, without its end
	long bool   // it had more than maxLearnLine bytes, and is not here
	err  error
}

func newLineReader(r io.Reader) *lineReader {
	l := &lineReader{in: io.LimitedReader{R: r, N: maxLearnInput + 1}}
	l.buf = bufio.NewReaderSize(&l.in, 64<<10)
	return l
}

// cut reports whether the input was longer than maxLearnInput. One more byte is read to find out.
func (l *lineReader) cut() bool { return l.in.N <= 0 }

func (l *lineReader) next() bool {
	line, long, err := text.Line(l.buf, maxLearnLine+1)
	if err != nil && err != io.EOF {
		l.err = err
		return false
	}
	// a line that was cut says something else
	if err == io.EOF && (len(line) == 0 && !long || l.cut()) {
		return false
	}
	l.n++
	l.text, l.long = strings.TrimRight(string(line), "\r\n"), long
	return true
}
