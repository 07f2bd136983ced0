package base

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"blackboard/embed"
)

// Notes tells what a search could not do. That there is no model is told once a day.
func (p *Program) Notes(degraded []string) {
	for _, d := range degraded {
		switch {
		case !strings.HasPrefix(d, embed.NoModelInstalled):
			p.Messagef("note: %s", Safe(d))
		case p.isDue("words.told", 24*time.Hour):
			p.Messagef("by words: no model (board model pull, 91 MB)")
		}
	}
}

// isDue reports whether something was not told for a while, and notes that it is told now
// in a file beside the daemon's. Where that cannot be written, it is always due.
func (p *Program) isDue(name string, every time.Duration) bool {
	place, err := p.DaemonPlace()
	if err != nil {
		return true
	}
	path := filepath.Join(filepath.Dir(place.Told), name)
	if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) < every {
		return false
	}
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil && os.Chtimes(path, time.Time{}, time.Now()) != nil {
		if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
			f.Close()
		}
	}
	return true
}
