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
)

// Mutes are what Config.Mute may have: ways to tell somebody who looks elsewhere, and
// what is told.
var Mutes = []string{"bell", "desktop", "title", "gate", "critical", "silent", "all"}

// CheckMutes says what can be muted if one of the words cannot.
func CheckMutes(words []string) error {
	for _, w := range words {
		if !slices.Contains(Mutes, w) {
			return fmt.Errorf("%q cannot be muted: what can are %s", w, strings.Join(Mutes, ", "))
		}
	}
	return nil
}

// silentAfter is how long a worker that is waited for has to be silent before that is
// told.
const silentAfter = 10 * time.Minute

// maxNotice is how much of a question a notice has, in runes.
const maxNotice = 120

// watcher notices what happens in a run that somebody who looks elsewhere has to be told.
type watcher struct {
	began    time.Time       // when the run was first seen
	open     bool            // the gate
	critical map[string]bool // questions that were told of, or were there
	silent   map[string]bool // workers that were told of, or were silent
}

// told is one thing that is told.
type told struct{ kind, text string }

// notices compares a scene with the one before. At first nothing is told: it is on the
// screen.
func (w *watcher) notices(name, me string, s *scene, now time.Time) []told {
	first := w.critical == nil
	if first {
		*w = watcher{began: now, open: s.verdict.Open}
		w.critical, w.silent = map[string]bool{}, map[string]bool{}
	}
	var all []told
	tell := func(kind, text string) {
		if !first {
			all = append(all, told{kind, oneLine(name, 60) + ": " + text})
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
			tell("critical", sig.ID+" is critical: "+oneLine(sig.Content, maxNotice))
		}
	}
	for _, name := range w.waitedFor(s, now) {
		if last := lastWord(s, name, w.began); now.Sub(last) < silentAfter {
			delete(w.silent, name)
		} else if !w.silent[name] && name != me {
			w.silent[name] = true
			tell("silent", oneLine(name, 60)+" is silent since "+ago(last, now))
		}
	}
	return all
}

// waitedFor are the workers whose silence means something: those that are expected and
// have not finished, that hold a claim, or that have written since somebody looks, as
// long as the gate is closed.
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

// lastWord is when a worker last wrote, or began if that was never.
func lastWord(s *scene, name string, began time.Time) time.Time {
	for i := range s.state.Workers {
		if x := &s.state.Workers[i]; x.Name == name && !x.Last.IsZero() {
			return x.Last
		}
	}
	return began
}

// muted reports whether somebody does not want to be told so, or of that.
func (a *app) muted(word string) bool {
	return slices.Contains(a.Mute, word) || slices.Contains(a.Mute, "all")
}

// tell rings the bell and asks the terminal for a notice on the desktop, if the person
// looks elsewhere or the terminal does not say.
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

// desktopNotice is the escape sequence for a notice on the desktop: OSC 777 for the
// terminals that know only that, else OSC 9. tmux is asked to pass it on.
func desktopNotice(text string, env func(string) string) string {
	text = strings.ReplaceAll(oneLine(text, 2*maxNotice), ";", ",")
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

// write writes to the terminal. It is one write, so it does not fall into the drawing of
// a screen.
func (a *app) write(s string) tea.Cmd {
	if s == "" || a.out == nil {
		return nil
	}
	return a.do(func(context.Context) tea.Msg {
		io.WriteString(a.out, s)
		return nil
	})
}

// What keeps the title that the terminal had, and brings it back.
const (
	keepTitle = "\x1b[22;2t"
	backTitle = "\x1b[23;2t"
)

// ofTitle is an escape sequence for the title, if that is ours.
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
			light := strings.TrimPrefix(lightWord(v.Open, len(v.Reasons)), "● ")
			title = oneLine(run.name, 60) + " · " + light
		}
	}
	if title == m.title {
		return nil
	}
	m.title = title
	return m.app.write(ansi.SetWindowTitle(title))
}
