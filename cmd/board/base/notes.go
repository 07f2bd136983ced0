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
		case p.isDue("words.told"):
			p.Messagef("by words: no model (board model pull, 91 MB)")
		}
	}
}

// isDue reports whether something was not told for a day, and notes in a file beside the
// daemon's that it is told now. Where that cannot be written, it is always due.
func (p *Program) isDue(name string) bool {
	place, err := p.DaemonPlace()
	if err != nil {
		return true
	}
	path := filepath.Join(filepath.Dir(place.Told), name)
	if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) < 24*time.Hour {
		return false
	}
	os.MkdirAll(filepath.Dir(path), 0o700)
	os.WriteFile(path, []byte("told\n"), 0o600)
	return true
}
