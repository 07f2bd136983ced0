package board

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// importedEntry is an entry of another program: its links are among its post.
type importedEntry struct {
	post   postPayload
	at     time.Time
	status string
}

// importedSignal is a question of another program.
type importedSignal struct {
	raise  signalPayload
	at     time.Time
	worker string
	status string
	reason string
	by     int // the entry that addresses it, by position; -1: none
	after  int // the entry from which it arose; -1: none
}

// stateImport turns a board of another program into an event log that rebuilds the same
// board. The source holds states, not events: an effect gets the time of the entry that
// caused it.
type stateImport struct {
	log     eventLog
	board   *replayer // of the log
	goal    string
	source  importPayload
	closer  string // who did what the source names nobody for
	entries []importedEntry
	signals []importedSignal
	set     []Variable
	notes   []string
	atEnd   func() // adds notes
}

func newStateImport(opt ImportOptions, format, closer string) *stateImport {
	return &stateImport{board: newReplayer(), closer: closer, notes: []string{},
		source: importPayload{Name: opt.Run, Format: format, Source: opt.Source}}
}

func (im *stateImport) note(format string, args ...any) {
	im.notes = append(im.notes, fmt.Sprintf(format, args...))
}

// writeTo creates the run.
func (im *stateImport) writeTo(ctx context.Context, dir, worker string, opt ImportOptions) (Imported,
	error) {
	if err := im.writeLog(worker, opt); err != nil {
		return Imported{}, err
	}
	out, err := im.log.writeTo(ctx, dir, worker, opt)
	out.Format, out.Notes = im.source.Format, im.notes
	return out, err
}

// writeLog writes the log: signals and entries in the order of their times, each followed
// by its effects. Ids keep their order in the file.
func (im *stateImport) writeLog(worker string, opt ImportOptions) error {
	first, last := im.span()
	if err := im.event(first, worker, verbCreate, opt.Run,
		createPayload{Name: opt.Run, Goal: im.goal}); err != nil {
		return err
	}
	effects, needs := im.effects(), im.needs()
	raised := 0
	for i := range im.entries {
		e := &im.entries[i]
		for ; raised < needs[i] || raised < len(im.signals) && im.raisedBefore(raised, i); raised++ {
			if err := im.raise(raised); err != nil {
				return err
			}
		}
		payload, actor := e.post, e.post.Worker
		payload.Worker = "" // the actor says it
		if err := im.event(e.at, actor, verbPost, EntryID(int64(i)+1), payload); err != nil {
			return err
		}
		for _, do := range effects[i] {
			if err := im.event(do.At, do.Actor, do.Verb, do.ID, do.payload); err != nil {
				return err
			}
		}
	}
	for ; raised < len(im.signals); raised++ {
		if err := im.raise(raised); err != nil {
			return err
		}
	}
	if err := im.finish(last); err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	if err := im.event(now, worker, verbImport, opt.Run, im.source); err != nil {
		return err
	}
	im.log.state = im.board.snapshot()
	return im.log.state.checkTargets()
}

// event appends to the log and applies the event to the rebuilt board.
func (im *stateImport) event(at time.Time, actor, verb, id string, payload any) error {
	data, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	e := Event{
		Seq:     int64(len(im.log.events)) + 1,
		At:      at,
		Actor:   actor,
		Verb:    verb,
		ID:      id,
		Payload: data,
	}
	im.log.events = append(im.log.events, e)
	return im.board.apply(e)
}

// span returns the first and the last time in the file, or now if it has none.
func (im *stateImport) span() (first, last time.Time) {
	extend := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	for i := range im.entries {
		extend(im.entries[i].at)
	}
	for i := range im.signals {
		extend(im.signals[i].at)
	}
	if first.IsZero() {
		first = time.Now().UTC().Truncate(time.Millisecond)
		last = first
	}
	return first, last
}

// needs returns, for each entry, how many signals must be there before it.
func (im *stateImport) needs() []int {
	all := make([]int, len(im.entries))
	for i := range im.entries {
		for _, id := range im.entries[i].post.Addresses {
			if n, err := ParseSignalID(id); err == nil {
				all[i] = max(all[i], int(n))
			}
		}
	}
	for s := range im.signals {
		if by := im.signals[s].by; by >= 0 {
			all[by] = max(all[by], s+1)
		}
	}
	return all
}

// raisedBefore reports whether signal s comes before entry e: it is as old, and what it
// arose from is there.
func (im *stateImport) raisedBefore(s, e int) bool {
	g := &im.signals[s]
	return g.after < e && !g.at.After(im.entries[e].at)
}

func (im *stateImport) raise(s int) error {
	return im.event(im.signals[s].at, im.signals[s].worker, verbSignal, SignalID(int64(s)+1),
		im.signals[s].raise)
}

// importedEffect is an event that an entry caused.
type importedEffect struct {
	Event
	payload any
}

// effects returns what entries did to others, by the position of the entry that it
// follows: the acting entry or the affected one, whichever is later. The statuses are
// those in the file, even where links would imply others.
func (im *stateImport) effects() map[int][]importedEffect {
	after := map[int][]importedEffect{}
	add := func(by, at int, verb, id string, payload any) {
		e := &im.entries[by]
		after[at] = append(after[at], importedEffect{Event{At: e.at, Actor: e.post.Worker,
			Verb: verb, ID: id}, payload})
	}
	for by := range im.entries {
		for _, do := range []struct{ kind, status, verb string }{
			{Contradicts, Disputed, verbDispute},
			{Supersedes, Superseded, verbSupersede},
		} {
			for _, id := range im.entries[by].post.links().Of(do.kind) {
				n, _ := ParseEntryID(id) // made from a position
				target := &im.entries[n-1]
				if target.status != do.status {
					continue
				}
				target.status = "" // explained
				add(by, max(by, int(n)-1), do.verb, id, byPayload{By: EntryID(int64(by) + 1)})
			}
		}
	}
	for s := range im.signals {
		if g := &im.signals[s]; g.status == Addressed && g.by >= 0 {
			add(g.by, g.by, verbAddress, SignalID(int64(s)+1),
				addressPayload{By: EntryID(int64(g.by) + 1)})
		}
	}
	return after
}

// finish sets the statuses that no entry explains. The file says neither when nor by whom
// they were set, so they get the last time in it.
func (im *stateImport) finish(last time.Time) error {
	for i := range im.entries {
		verb := map[string]string{Disputed: verbDispute,
			Superseded: verbSupersede}[im.entries[i].status]
		if verb == "" {
			continue
		}
		so := byPayload{Note: "so in the source"}
		if err := im.event(last, im.closer, verb, EntryID(int64(i)+1), so); err != nil {
			return err
		}
	}
	for i := range im.signals {
		s, id := &im.signals[i], SignalID(int64(i)+1)
		switch {
		case s.status == Waived:
			if strings.TrimSpace(s.reason) == "" {
				s.reason = Waived
			}
		case s.status == Addressed && s.by < 0:
			s.reason = "addressed in the source, by no entry of it"
			im.note(
				"signal %s is addressed, but by no entry of the file: it is waived here, for "+
					"that reason",
				s.raise.ExternalID,
			)
		default:
			continue
		}
		if err := im.event(last, im.closer, verbWaive, id, waivePayload{s.reason}); err != nil {
			return err
		}
	}
	for _, v := range im.set {
		if err := im.event(last, v.Worker, verbSet, v.Key,
			setPayload{Value: v.Value, Version: v.Version}); err != nil {
			return err
		}
	}
	if im.atEnd != nil {
		im.atEnd()
	}
	return nil
}
