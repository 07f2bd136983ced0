package page

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// TestScore: names go before texts, and their beginnings before their middles.
func TestScore(t *testing.T) {
	for _, c := range []struct{ word, better, worse string }{
		{"e1", "e1", "e12"}, {"e1", "e12", "the e12"}, {"note", "release-notes", "footnote"}, {"x", "max", "none"},
	} {
		of := func(label string) int {
			return (&Target{Label: label, Do: func() tea.Cmd { return nil }}).score([]string{c.word})
		}
		if of(c.better) <= of(c.worse) {
			t.Errorf("%s: %d for %q, %d for %q", c.word, of(c.better), c.better, of(c.worse), c.worse)
		}
	}
}
