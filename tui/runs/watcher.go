package runs

import (
	"slices"
	"time"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// watcher decides which events of a run are worth a notification.
type watcher struct {
	began    time.Time       // when the run was first seen
	open     bool            // the gate
	critical map[string]bool // questions that were there at the start or had a notification
	silent   map[string]bool // workers that were silent at the start or had a notification
}

// notices compares a scene with the one before. The first scene causes no notifications:
// it is on the screen.
func (w *watcher) notices(name, me string, s *scene, now time.Time) []page.Notification {
	first := w.critical == nil
	if first {
		*w = watcher{began: now, open: s.verdict.Open}
		w.critical, w.silent = map[string]bool{}, map[string]bool{}
	}
	var all []page.Notification
	tell := func(kind, text string) {
		if !first {
			all = append(all, page.Notification{Kind: kind,
				Text: cells.OneLine(name, 60) + ": " + text})
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
			tell("critical", sig.ID+" is critical: "+cells.OneLine(sig.Content, page.MaxNotice))
		}
	}
	for _, name := range w.waitedFor(s, now) {
		if last := lastWord(s, name, w.began); now.Sub(last) < board.SilentAfter {
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
