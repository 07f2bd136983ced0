package main

import (
	"fmt"
	"strings"
	"time"

	"blackboard/cmd/board/doctor"
	"blackboard/embed/minilm"
)

// statusLine is a line of stderr on a terminal that says how far something is. It is drawn over itself, and gone afterwards.
type statusLine struct {
	*program
	draw  bool      // there is a terminal
	drawn bool      // there is something to clear
	last  time.Time // when it was drawn
}

func (p *program) statusLine() statusLine { return statusLine{program: p, draw: isTerminal(p.err)} }

// fresh reports whether it was drawn less than a tenth of a second ago.
func (l *statusLine) fresh() bool { return time.Since(l.last) < 100*time.Millisecond }

// put draws a text, as much of it as the terminal is wide.
func (l *statusLine) put(text string) {
	text = safe(text)
	if width := terminalWidth(l.err); width > 0 {
		if runes := []rune(text); len(runes) >= width {
			text = string(runes[:width-1])
		}
	}
	fmt.Fprintf(l.err, "\r%s\x1b[K", text)
	l.last, l.drawn = time.Now(), true
}

func (l *statusLine) clear() {
	if l.drawn {
		fmt.Fprint(l.err, "\r\x1b[K")
	}
	l.drawn = false
}

// gauge draws how much is done of something.
func gauge(done, of int64) string {
	const width = 24
	full := int(width * min(done, of) / max(of, 1))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]"
}

// stepBar says how far something is that is counted.
type stepBar struct{ statusLine }

func (p *program) stepBar() *stepBar { return &stepBar{p.statusLine()} }

func (b *stepBar) show(what string, done, of int) {
	if b.draw && (done >= of || !b.fresh()) {
		b.put(fmt.Sprintf("%-10s %s %d of %d", what, gauge(int64(done), int64(of)), done, of))
	}
}

// doctorBar says what is being looked at: what is new at once, and how far it is now and then.
func (p *program) doctorBar() doctor.Progress {
	b := p.statusLine()
	return func(what string, done, of int) {
		switch {
		case what == "":
			b.clear()
		case b.draw && (done == 0 || done >= of || !b.fresh()):
			text := "looking at: " + what
			if of > 0 {
				text += fmt.Sprintf("  %d of %d", done, of)
			}
			b.put(text)
		}
	}
}

// pullBar says how far the fetching of a model is.
type pullBar struct {
	statusLine
	model string
	quiet bool // say nothing, also not that another one is waited for
	file  string
	begin time.Time
	first int64 // what was there when the file began
}

func (b *pullBar) show(now minilm.Progress) {
	if now.Waiting {
		if !b.quiet {
			b.talk("another pull of %s is under way; waiting for it", b.model)
		}
		return
	}
	if !b.draw {
		return
	}
	if now.File != b.file {
		b.file, b.begin, b.first = now.File, time.Now(), now.Done
	}
	if now.Total > 0 && now.Total < 1_000_000 && time.Since(b.begin) < time.Second {
		return // gone before anybody could read it
	}
	text := fmt.Sprintf("%s  %s", now.File, megabytes(now.Done))
	if now.Total > 0 {
		text = fmt.Sprintf("%-26s %s %3d %%  %s of %s", now.File, gauge(now.Done, now.Total), 100*now.Done/now.Total, megabytes(now.Done), megabytes(now.Total))
	}
	if took := time.Since(b.begin); took > time.Second {
		rate := float64(now.Done-b.first) / took.Seconds()
		text += fmt.Sprintf("  %.1f MB/s", rate/1e6)
		if left := float64(now.Total - now.Done); left > 0 && rate > 0 {
			text += fmt.Sprintf("  %s left", time.Duration(left/rate*float64(time.Second)).Round(time.Second))
		}
	}
	b.put(text)
}
