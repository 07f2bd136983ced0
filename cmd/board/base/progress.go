package base

import (
	"fmt"
	"strings"
	"time"
)

// StatusLine shows progress on one line of stderr, if a terminal, and clears it at the end.
type StatusLine struct {
	*Program
	Draw  bool      // there is a terminal
	drawn bool      // there is something to clear
	last  time.Time // when it was drawn
}

func (p *Program) StatusLine() StatusLine {
	return StatusLine{Program: p,
		Draw: IsTerminal(p.Err)}
}

// Fresh reports whether the line was drawn in the last tenth of a second.
func (l *StatusLine) Fresh() bool { return time.Since(l.last) < 100*time.Millisecond }

func (l *StatusLine) Put(text string) {
	text = Safe(text)
	if width := TerminalWidth(l.Err); width > 0 {
		if runes := []rune(text); len(runes) >= width {
			text = string(runes[:width-1])
		}
	}
	fmt.Fprintf(l.Err, "\r%s\x1b[K", text)
	l.last, l.drawn = time.Now(), true
}

func (l *StatusLine) Clear() {
	if l.drawn {
		fmt.Fprint(l.Err, "\r\x1b[K")
	}
	l.drawn = false
}

func Gauge(done, of int64) string {
	const width = 24
	full := int(width * min(done, of) / max(of, 1))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]"
}

type StepBar struct{ StatusLine }

func (p *Program) StepBar() *StepBar { return &StepBar{p.StatusLine()} }

func (b *StepBar) Show(what string, done, of int) {
	if b.Draw && (done >= of || !b.Fresh()) {
		b.Put(fmt.Sprintf("%-10s %s %d of %d", what, Gauge(int64(done), int64(of)), done, of))
	}
}

// Progress is a bar for an operation, and what takes it away.
func (p *Program) Progress() (show func(what string, done, of int), end func()) {
	bar := p.StepBar()
	return bar.Show, bar.Clear
}
