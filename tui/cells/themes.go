package cells

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

// Themes are their names. "auto" is dark or light as the terminal's background, which "contrast"
// follows too; "mono" has only bold, faint and reverse.
var Themes = []string{"auto", "dark", "dusk", "light", "paper", "contrast", "mono"}

// Colour profiles, with Lip Gloss's numbers.
const (
	profileSixteen = 2
	profileNone    = 3
)

// palette is a theme: colours by number of 256, "" for none; pairs are foreground, background.
type palette struct {
	faint, title, focus, key      string
	good, warn, bad, info, accent string
	strike                        string
	selected, found, badge, bar   [2]string
	reverse                       bool // the selection is reversed
	attributes                    bool // attributes replace backgrounds and faint colours
}

// paletteOf returns the palette of a theme for a colour profile. With sixteen colours,
// which the terminal's own theme defines, all themes are the same.
func paletteOf(theme string, r *lipgloss.Renderer) palette {
	if theme == "mono" {
		return palette{reverse: true, attributes: true}
	}
	if r.ColorProfile() == profileSixteen {
		return palette{
			title: "6", focus: "6", key: "6", good: "2", warn: "3", bad: "1", info: "6", accent: "5",
			found: [2]string{"0", "3"}, reverse: true, attributes: true,
		}
	}
	switch theme {
	case "dark":
		return palette{
			faint: "245", title: "117", focus: "81", key: "117", strike: "244",
			good: "114", warn: "215", bad: "203", info: "111", accent: "177",
			selected: [2]string{"255", "236"}, found: [2]string{"230", "58"},
			badge: [2]string{"252", "238"}, bar: [2]string{"252", "236"},
		}
	case "dusk":
		return palette{
			faint: "246", title: "180", focus: "215", key: "180", strike: "245",
			good: "150", warn: "221", bad: "210", info: "152", accent: "182",
			selected: [2]string{"230", "237"}, found: [2]string{"16", "180"},
			badge: [2]string{"223", "238"}, bar: [2]string{"223", "236"},
		}
	case "light":
		return palette{
			faint: "242", title: "24", focus: "31", key: "24", strike: "243",
			good: "28", warn: "130", bad: "160", info: "25", accent: "91",
			selected: [2]string{"16", "254"}, found: [2]string{"16", "229"},
			badge: [2]string{"236", "252"}, bar: [2]string{"236", "253"},
		}
	case "paper":
		return palette{
			faint: "241", title: "94", focus: "130", key: "94", strike: "242",
			good: "22", warn: "130", bad: "124", info: "60", accent: "89",
			selected: [2]string{"16", "223"}, found: [2]string{"16", "186"},
			badge: [2]string{"236", "187"}, bar: [2]string{"236", "187"},
		}
	case "contrast":
		if r.HasDarkBackground() {
			return palette{
				faint: "252", title: "231", focus: "226", key: "231", strike: "250",
				good: "120", warn: "226", bad: "217", info: "159", accent: "225",
				found: [2]string{"16", "226"},
				badge: [2]string{"231", "16"}, bar: [2]string{"16", "231"}, reverse: true,
			}
		}
		return palette{
			faint: "238", title: "16", focus: "18", key: "16", strike: "239",
			good: "22", warn: "58", bad: "88", info: "18", accent: "53",
			found: [2]string{"16", "226"},
			badge: [2]string{"16", "231"}, bar: [2]string{"231", "16"}, reverse: true,
		}
	}
	if r.HasDarkBackground() {
		return paletteOf("dark", r)
	}
	return paletteOf("light", r)
}

// CheckTheme returns an error that lists the themes if name is not one of them.
func CheckTheme(name string) error {
	if slices.Contains(Themes, name) {
		return nil
	}
	return fmt.Errorf("no theme %q: themes are %s", name, strings.Join(Themes, ", "))
}

// NewRenderer returns the renderer of a terminal, and the theme to use, which is "mono"
// if term, the value of $TERM, has no colours. For "auto" and "contrast" it asks the
// terminal whether its background is dark, before the program takes it over, and waits up
// to five seconds. Without an answer, $COLORFGBG decides, else dark.
func NewRenderer(terminal *os.File, term, theme string) (*lipgloss.Renderer, string) {
	r := lipgloss.NewRenderer(terminal)
	switch profile := r.Output().ColorProfile(); {
	case theme == "mono" || profile == profileNone && !hasSixteen(term):
		r.SetColorProfile(profileSixteen) // needed for bold and reverse
		return r, "mono"
	case profile == profileNone:
		r.SetColorProfile(profileSixteen)
	default:
		r.SetColorProfile(profile)
	}
	if theme == "auto" || theme == "contrast" {
		r.HasDarkBackground()
	}
	return r, theme
}

// hasSixteen reports sixteen colours of a terminal whose name does not say so.
func hasSixteen(term string) bool {
	name, _, _ := strings.Cut(term, "-")
	name, _, _ = strings.Cut(name, ".") // for screen.linux
	return slices.Contains([]string{
		"screen", "tmux", "rxvt", "putty", "foot", "st", "konsole", "gnome", "vte", "cygwin", "mintty",
		"eterm", "Eterm", "iterm", "iterm2", "kitty", "nsterm", "aterm",
	}, name)
}

func NewStyles(r *lipgloss.Renderer, theme string) *Styles {
	p := paletteOf(theme, r)
	ink := func(colour string) lipgloss.Style {
		if colour == "" {
			return r.NewStyle()
		}
		return r.NewStyle().Foreground(lipgloss.Color(colour))
	}
	on := func(pair [2]string) lipgloss.Style {
		if pair[1] == "" {
			return ink(pair[0]).Reverse(true)
		}
		return ink(pair[0]).Background(lipgloss.Color(pair[1]))
	}
	s := &Styles{
		Plain: r.NewStyle(),
		Faint: ink(p.faint).Faint(p.attributes), Bold: r.NewStyle().Bold(true),
		Title: ink(p.title).Bold(true), Focus: ink(p.focus).Bold(true), Key: ink(p.key).Bold(p.key == ""),
		selected: on(p.selected).Bold(true).Reverse(p.reverse),
		Good:     ink(p.good), Warn: ink(p.warn), Bad: ink(p.bad).Bold(p.bad == ""),
		Info: ink(p.info), Accent: ink(p.accent),
		Strike: ink(p.strike).Faint(p.attributes), Found: on(p.found), Badge: on(p.badge), Bar: on(p.bar),
		Mono: theme == "mono", reversed: p.reverse,
	}
	if s.Mono {
		s.Found = r.NewStyle().Bold(true).Underline(true)
	}
	s.BarGood, s.BarBad = s.Bar, s.Bar.Bold(true)
	if !p.attributes && !p.reverse {
		s.BarGood = s.Bar.Foreground(s.Good.GetForeground())
		s.BarBad = s.Bar.Foreground(s.Bad.GetForeground())
	}
	s.Priority, s.Kind = looksOfValues(s)
	s.selectedBegin, _, _ = strings.Cut(s.selected.Render("x"), "x")
	return s
}

const Reset = "\x1b[0m"

// ChosenRow renders a line as the selection: with its own styles, on the background of
// the selection. Reversed, colours would be blocks and faint text unreadable: it has none.
func (s *Styles) ChosenRow(line string) string {
	if s.reversed {
		line = ansi.Strip(line)
	}
	if s.selectedBegin == "" {
		return line
	}
	return s.selectedBegin + strings.ReplaceAll(line, Reset, Reset+s.selectedBegin) + Reset
}
