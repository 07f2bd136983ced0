package page

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// Mutes are the values of Config.Mute: the ways of a notification, and its subjects.
var Mutes = []string{"bell", "title", "gate", "critical", "silent", "failed", "all"}

// CheckMutes returns an error that lists the values if one of the words is invalid.
func CheckMutes(words []string) error {
	for _, w := range words {
		if !slices.Contains(Mutes, w) {
			return fmt.Errorf("%q cannot be muted; these can: %s", w, strings.Join(Mutes, ", "))
		}
	}
	return nil
}

// MaxNotice is the most runes of a question, or of what failed, in a notification.
const MaxNotice = 120

// Notification tells something of a run that a person may want to know. Its kind is one of Mutes.
type Notification struct{ Kind, Text string }

// Muted reports whether a way or subject of notifications is muted.
func (a *App) Muted(word string) bool {
	return slices.Contains(a.Mute, word) || slices.Contains(a.Mute, "all")
}

// Tell rings the bell, unless all are muted, also if the screen is seen: it may show another run.
func (a *App) Tell(all []Notification) tea.Cmd {
	muted := !slices.ContainsFunc(all, func(t Notification) bool { return !a.Muted(t.Kind) })
	if muted || a.Muted("bell") {
		return nil
	}
	return a.Write("\a")
}

// TellInside shows those not muted in the line of the keys, also if the screen is seen.
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
