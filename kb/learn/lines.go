package learn

import (
	"bufio"
	"io"
	"strings"

	"blackboard/board/text"
)

// This file reads transcripts and worklogs line by line in limited memory. Harnesses
// write them, so a line may have any length, and the last one may be cut.

// A lineReader gives one line after the other. Of one that is too long it has only its number: half
// of a line says something else.
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

// cut reports whether the input was longer than maxLearnInput. One more byte is read to
// find out.
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
