package page

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"blackboard/tui/cells"
)

// Mutes are the values of Config.Mute: the ways of a notification, and its subjects.
var Mutes = []string{"bell", "desktop", "title", "gate", "critical", "silent", "all"}

// CheckMutes returns an error that lists the values if one of the words is invalid.
func CheckMutes(words []string) error {
	for _, w := range words {
		if !slices.Contains(Mutes, w) {
			return fmt.Errorf("%q cannot be muted; these can: %s", w, strings.Join(Mutes, ", "))
		}
	}
	return nil
}

// MaxNotice is the most runes of a question in a notification.
const MaxNotice = 120

// Notification is a notification.
type Notification struct{ Kind, Text string }

// Muted reports whether a way or subject of notifications is muted.
func (a *App) Muted(word string) bool {
	return slices.Contains(a.Mute, word) || slices.Contains(a.Mute, "all")
}

// Tell rings the bell and sends a desktop notification, if the terminal is not focused or
// does not report it.
func (a *App) Tell(all []Notification) tea.Cmd {
	all = slices.DeleteFunc(all, func(t Notification) bool { return a.Muted(t.Kind) })
	if len(all) == 0 || a.Focused {
		return nil
	}
	var s strings.Builder
	if !a.Muted("bell") {
		s.WriteString("\a")
	}
	if !a.Muted("desktop") {
		text := all[0].Text
		if len(all) > 1 {
			text += fmt.Sprintf(", and %d more", len(all)-1)
		}
		s.WriteString(desktopNotice(text, os.Getenv))
	}
	return a.Write(s.String())
}

// TellInside shows them in the line of the keys, also to who looks at the screen.
func (a *App) TellInside(all []Notification) tea.Cmd {
	var texts []string
	for _, t := range all {
		if !a.Muted(t.Kind) {
			texts = append(texts, t.Text)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return func() tea.Msg { return NoticeMsg{Text: strings.Join(texts, "; ")} }
}

// desktopNotice returns the escape sequence of a desktop notification: OSC 777 for
// terminals that support only that, else OSC 9. tmux is asked to pass it on.
func desktopNotice(text string, env func(string) string) string {
	text = strings.ReplaceAll(cells.OneLine(text, 2*MaxNotice), ";", ",")
	s := "\x1b]9;" + text + "\a"
	name, _, _ := strings.Cut(env("TERM"), "-")
	if env("VTE_VERSION") != "" || name == "rxvt" || name == "foot" {
		s = "\x1b]777;notify;board;" + text + "\a"
	}
	if env("TMUX") != "" {
		return ansi.TmuxPassthrough(s)
	}
	return s
}

// Write writes to the terminal. A single write cannot mix with the drawing of a screen.
func (a *App) Write(s string) tea.Cmd {
	if s == "" || a.Out == nil {
		return nil
	}
	return a.Do(func(context.Context) tea.Msg {
		io.WriteString(a.Out, s)
		return nil
	})
}

// Save and restore the terminal's title.
const (
	keepTitle = "\x1b[22;2t"
	backTitle = "\x1b[23;2t"
)

// ofTitle returns an escape sequence for the title, or "" if titles are muted.
func (a *App) ofTitle(s string) string {
	if a.Muted("title") {
		return ""
	}
	return s
}
