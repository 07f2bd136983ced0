package page

import "testing"

func TestFuzzy(t *testing.T) {
	for _, c := range []struct{ word, better, worse string }{
		{"e1", "e1", "e12"}, {"e1", "e12", "the e12"}, {"note", "release-notes", "footnote"},
		{"relnot", "release-notes", "repeal, or not"}, {"x", "max", "none"},
	} {
		if b, w := fuzzy(c.word, c.better), fuzzy(c.word, c.worse); b <= w {
			t.Errorf("%s: %d for %q, %d for %q", c.word, b, c.better, w, c.worse)
		}
	}
}
