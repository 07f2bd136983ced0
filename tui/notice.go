package tui

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/styles"
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

// silentAfter is how long a worker for whom the gate waits must be silent before a
// notification.
const silentAfter = 10 * time.Minute

// maxNotice is the most runes of a question in a notification.
const maxNotice = 120

// watcher decides which events of a run are worth a notification.
type watcher struct {
	began    time.Time       // when the run was first seen
	open     bool            // the gate
	critical map[string]bool // questions that were there at the start or had a notification
	silent   map[string]bool // workers that were silent at the start or had a notification
}

// told is a notification.
type told struct{ kind, text string }

// notices compares a scene with the one before. The first scene causes no notifications:
// it is on the screen.
func (w *watcher) notices(name, me string, s *scene, now time.Time) []told {
	first := w.critical == nil
	if first {
		*w = watcher{began: now, open: s.verdict.Open}
		w.critical, w.silent = map[string]bool{}, map[string]bool{}
	}
	var all []told
	tell := func(kind, text string) {
		if !first {
			all = append(all, told{kind, cells.OneLine(name, 60) + ": " + text})
		}
	}
	if s.verdict.Open && !w.open {
		tell("gate", "the gate is open")
	}
	w.open = s.verdict.Open
	for i := range s.signals {
		sig := s.signals[i]
		if sig.Priority != "critical" || sig.Status != board.SignalOpen || w.critical[sig.ID] {
			continue
		}
		if w.critical[sig.ID] = true; sig.Worker != me {
			tell("critical", sig.ID+" is critical: "+cells.OneLine(sig.Content, maxNotice))
		}
	}
	for _, name := range w.waitedFor(s, now) {
		if last := lastWord(s, name, w.began); now.Sub(last) < silentAfter {
			delete(w.silent, name)
		} else if !w.silent[name] && name != me {
			w.silent[name] = true
			tell("silent", cells.OneLine(name, 60)+" has been silent for "+cells.Ago(last, now))
		}
	}
	return all
}

// waitedFor returns the workers whose silence matters: those that are expected and not
// done, that hold a claim, or that have written since the start of the program, while the
// gate is closed.
func (w *watcher) waitedFor(s *scene, now time.Time) []string {
	var names []string
	for i := range s.state.Expected {
		if e := &s.state.Expected[i]; e.Status == board.WorkerExpected {
			names = append(names, e.Worker)
		}
	}
	for i := range s.signals {
		if s.signals[i].Status == board.SignalOpen && s.signals[i].ClaimedAt(now) {
			names = append(names, s.signals[i].ClaimedBy)
		}
	}
	for i := range s.state.Workers {
		x := &s.state.Workers[i]
		ended := slices.ContainsFunc(s.state.Expected, func(e board.Expected) bool {
			return e.Worker == x.Name && e.Status != board.WorkerExpected
		})
		if !s.verdict.Open && !ended && x.Last.After(w.began) {
			names = append(names, x.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// lastWord returns when a worker wrote last, or the start if it never did.
func lastWord(s *scene, name string, began time.Time) time.Time {
	for i := range s.state.Workers {
		if x := &s.state.Workers[i]; x.Name == name && !x.Last.IsZero() {
			return x.Last
		}
	}
	return began
}

// muted reports whether a way or subject of notifications is muted.
func (a *app) muted(word string) bool {
	return slices.Contains(a.Mute, word) || slices.Contains(a.Mute, "all")
}

// tell rings the bell and sends a desktop notification, if the terminal is not focused or
// does not report it.
func (a *app) tell(all []told) tea.Cmd {
	all = slices.DeleteFunc(all, func(t told) bool { return a.muted(t.kind) })
	if len(all) == 0 || a.focused {
		return nil
	}
	var s strings.Builder
	if !a.muted("bell") {
		s.WriteString("\a")
	}
	if !a.muted("desktop") {
		text := all[0].text
		if len(all) > 1 {
			text += fmt.Sprintf(", and %d more", len(all)-1)
		}
		s.WriteString(desktopNotice(text, os.Getenv))
	}
	return a.write(s.String())
}

// desktopNotice returns the escape sequence of a desktop notification: OSC 777 for
// terminals that support only that, else OSC 9. tmux is asked to pass it on.
func desktopNotice(text string, env func(string) string) string {
	text = strings.ReplaceAll(cells.OneLine(text, 2*maxNotice), ";", ",")
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

// write writes to the terminal. A single write cannot mix with the drawing of a screen.
func (a *app) write(s string) tea.Cmd {
	if s == "" || a.out == nil {
		return nil
	}
	return a.do(func(context.Context) tea.Msg {
		io.WriteString(a.out, s)
		return nil
	})
}

// Save and restore the terminal's title.
const (
	keepTitle = "\x1b[22;2t"
	backTitle = "\x1b[23;2t"
)

// ofTitle returns an escape sequence for the title, or "" if titles are muted.
func (a *app) ofTitle(s string) string {
	if a.muted("title") {
		return ""
	}
	return s
}

// titled sets the terminal's title if it has changed.
func (m *model) titled() tea.Cmd {
	if m.app.muted("title") || m.app.out == nil {
		return nil
	}
	title := "board"
	for _, p := range m.pages {
		if run, ok := p.(*runPage); ok && run.known {
			v := &run.newest.verdict
			light := strings.TrimPrefix(styles.Gate(v.Open, len(v.Reasons)), "● ")
			title = cells.OneLine(run.name, 60) + " · " + light
		}
	}
	if title == m.title {
		return nil
	}
	m.title = title
	return m.app.write(ansi.SetWindowTitle(title))
}
