package main

import (
	"fmt"
	"strings"
	"time"

	"blackboard/embed/minilm"
)

// progressBar says on a terminal how far a pull is, on one line.
type progressBar struct {
	*program
	model string
	quiet bool
	draw  bool
	file  string
	begin time.Time
	first int64 // what was there when the file began
	drawn bool
}

func (b *progressBar) show(now minilm.Progress) {
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
	line := fmt.Sprintf("%s  %s", now.File, megabytes(now.Done))
	if now.Total > 0 {
		const width = 24
		full := int(width * min(now.Done, now.Total) / now.Total)
		line = fmt.Sprintf("%-26s [%s%s] %3d %%  %s of %s", now.File, strings.Repeat("#", full), strings.Repeat(".", width-full), 100*now.Done/now.Total, megabytes(now.Done), megabytes(now.Total))
	}
	if took := time.Since(b.begin); took > time.Second {
		rate := float64(now.Done-b.first) / took.Seconds()
		line += fmt.Sprintf("  %.1f MB/s", rate/1e6)
		if left := float64(now.Total - now.Done); left > 0 && rate > 0 {
			line += fmt.Sprintf("  %s left", time.Duration(left/rate*float64(time.Second)).Round(time.Second))
		}
	}
	if width := terminalWidth(b.err); width > 0 && len(line) >= width {
		line = line[:width-1]
	}
	fmt.Fprintf(b.err, "\r%s\x1b[K", line)
	b.drawn = true
}

func (b *progressBar) clear() {
	if b.drawn {
		fmt.Fprint(b.err, "\r\x1b[K")
	}
}
