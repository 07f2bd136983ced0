package cells

import (
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
)

// renderer returns one for a terminal with 256 colours.
func renderer(dark bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(1)
	r.SetHasDarkBackground(dark)
	return r
}

// TestThemesCanBeRead: every ink has enough contrast to the ground it is on, by the formula of
// WCAG.
func TestThemesCanBeRead(t *testing.T) {
	const black, white = "16", "231"
	for _, c := range []struct {
		theme  string
		ground string
		least  float64
	}{{"dark", black, 4.5}, {"dusk", black, 4.5}, {"light", white, 3.8}, {"paper", white, 4.5}, {"contrast", black, 7}, {"contrast", white, 6.5}} {
		p := paletteOf(c.theme, renderer(c.ground == black))
		inks := map[string]string{"faint": p.faint, "title": p.title, "focus": p.focus, "key": p.key, "good": p.good, "warn": p.warn, "bad": p.bad, "info": p.info, "accent": p.accent, "strike": p.strike}
		for name, ink := range inks {
			if got := contrast(ink, c.ground); got < c.least {
				t.Errorf("%s: %s has a contrast of %.1f, not %.1f", c.theme, name, got, c.least)
			}
			if p.selected[1] != "" && contrast(ink, p.selected[1]) < 3 {
				t.Errorf("%s: %s has a contrast of %.1f in the chosen row", c.theme, name, contrast(ink, p.selected[1]))
			}
		}
		for name, pair := range map[string][2]string{"found": p.found, "badge": p.badge, "bar": p.bar, "selected": p.selected} {
			if pair[1] != "" && contrast(pair[0], pair[1]) < 4.5 {
				t.Errorf("%s: %s has a contrast of %.1f", c.theme, name, contrast(pair[0], pair[1]))
			}
		}
		if !p.reverse && contrast(p.selected[1], c.ground) < 1.05 {
			t.Errorf("%s: the ground of the chosen row is that of all", c.theme)
		}
	}
}

// contrast is that between two colours of the 256, from 1 to 21.
func contrast(a, b string) float64 {
	light := func(colour string) float64 {
		n, err := strconv.Atoi(colour)
		if err != nil {
			panic(err)
		}
		level := [3]int{8 + (n-232)*10, 8 + (n-232)*10, 8 + (n-232)*10}
		if n < 232 {
			for i, part := range []int{(n - 16) / 36, (n - 16) / 6 % 6, (n - 16) % 6} {
				level[i] = []int{0, 95, 135, 175, 215, 255}[part]
			}
		}
		linear := func(c int) float64 {
			if x := float64(c) / 255; x > 0.04045 {
				return math.Pow((x+0.055)/1.055, 2.4)
			} else {
				return x / 12.92
			}
		}
		return 0.2126*linear(level[0]) + 0.7152*linear(level[1]) + 0.0722*linear(level[2])
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestCheckTheme(t *testing.T) {
	if err := CheckTheme("dusk"); err != nil {
		t.Error(err)
	}
	if err := CheckTheme("dusty"); err == nil || !strings.Contains(err.Error(), "auto, dark, dusk") {
		t.Errorf("an unknown theme: %v", err)
	}
}

// TestHasSixteen: names of terminals with colours that termenv knows nothing of.
func TestHasSixteen(t *testing.T) {
	for name, want := range map[string]bool{"screen": true, "screen.linux": true, "tmux": true, "rxvt-unicode": true, "vt100": false, "vt220": false, "": false} {
		if hasSixteen(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// TestReversedSelection: where the selection is reversed, colours would be blocks in it and faint
// text unreadable, so the row is one; elsewhere it keeps its colours.
func TestReversedSelection(t *testing.T) {
	sixteen := lipgloss.NewRenderer(io.Discard)
	sixteen.SetColorProfile(profileSixteen)
	for _, c := range []struct {
		theme    string
		renderer *lipgloss.Renderer
		plain    bool
	}{{"dark", sixteen, true}, {"mono", sixteen, true}, {"contrast", renderer(true), true}, {"contrast", renderer(false), true}, {"dark", renderer(true), false}} {
		s := NewStyles(c.renderer, c.theme)
		row := s.ChosenRow("▌" + s.Bad.Render("critical") + " of " + s.Faint.Render("ann") + " " + s.Found.Render("found"))
		if plain := row == s.selectedBegin+"▌critical of ann found"+Reset; plain != c.plain {
			t.Errorf("%s: %q", c.theme, row)
		}
	}
}
