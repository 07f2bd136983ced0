package board

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// writeLog writes the log: signals and entries in the order of their times, each followed
// by its effects. Ids keep their order in the file.
func (im *pythonImport) writeLog(worker string, opt ImportOptions) error {
	if err := im.checkCycle(); err != nil {
		return err
	}
	first, last := im.span()
	if err := im.event(first, worker, verbCreate, opt.Run,
		createPayload{Name: opt.Run}); err != nil {
		return err
	}
	effects := im.effects()
	raised := 0
	for i := range im.entries {
		e := &im.entries[i]
		for ; raised < len(im.signals) && im.raisedBefore(raised, i); raised++ {
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
	source := importPayload{Name: opt.Run, Format: formatPython, Source: opt.Source}
	if err := im.event(now, worker, verbImport, opt.Run, source); err != nil {
		return err
	}
	im.log.state = im.log.board.snapshot()
	return im.log.state.checkTargets()
}

// event appends to the log and applies the event to the rebuilt board.
func (im *pythonImport) event(at time.Time, actor, verb, id string, payload any) error {
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
	return im.log.board.apply(e)
}

// span returns the first and the last time in the file, or now if it has none.
func (im *pythonImport) span() (first, last time.Time) {
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

// raisedBefore reports whether signal s comes before entry e: it is as old, or it is
// answered by e or a later entry.
func (im *pythonImport) raisedBefore(s, e int) bool {
	if !im.signals[s].at.After(im.entries[e].at) {
		return true
	}
	for _, id := range im.entries[e].post.Addresses {
		if n, err := ParseSignalID(id); err == nil && int(n)-1 >= s {
			return true
		}
	}
	return false
}

func (im *pythonImport) raise(s int) error {
	return im.event(im.signals[s].at, im.signals[s].worker, verbSignal, SignalID(int64(s)+1),
		im.signals[s].raise)
}

// pythonEffect is an event that an entry caused.
type pythonEffect struct {
	Event
	payload any
}

// effects returns what entries did to others, by the position of the entry that it
// follows: the acting entry or the affected one, whichever is later. The statuses are
// those in the file, even where links would imply others.
func (im *pythonImport) effects() map[int][]pythonEffect {
	after := map[int][]pythonEffect{}
	add := func(by, at int, verb, id string, payload any) {
		e := &im.entries[by]
		after[at] = append(after[at], pythonEffect{Event{At: e.at, Actor: e.post.Worker,
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
func (im *pythonImport) finish(last time.Time) error {
	for i := range im.entries {
		verb := map[string]string{Disputed: verbDispute,
			Superseded: verbSupersede}[im.entries[i].status]
		if verb == "" {
			continue
		}
		so := byPayload{Note: "so in the source"}
		if err := im.event(last, formatPython, verb, EntryID(int64(i)+1), so); err != nil {
			return err
		}
	}
	var waived []string
	for i := range im.signals {
		s, id := &im.signals[i], SignalID(int64(i)+1)
		switch {
		case s.status == Waived:
			waived = append(waived, id)
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
		if err := im.event(last, formatPython, verbWaive, id, waivePayload{s.reason}); err != nil {
			return err
		}
	}
	if len(waived) > 0 {
		im.note(
			"the file does not say who waived %s, or when: %s stands for that, "+
				"at the last time in the file",
			clip(strings.Join(waived, ", "), 200),
			formatPython,
		)
	}
	if im.unsigned > 0 {
		im.note("%d entries and signals name no author: %s stands for that", im.unsigned,
			formatPython)
	}
	renumbered := 0
	for i := range im.entries {
		if im.entries[i].post.ExternalID != EntryID(int64(i)+1) {
			renumbered++
		}
	}
	for i := range im.signals {
		if im.signals[i].raise.ExternalID != SignalID(int64(i)+1) {
			renumbered++
		}
	}
	if renumbered > 0 {
		im.note(
			"%d entries and signals have another id here, as ids are missing in the file; "+
				"their own are kept as external ids",
			renumbered,
		)
	}
	return nil
}

// checkCycle refuses entries that supersede each other.
func (im *pythonImport) checkCycle() error {
	older := make([][]int, len(im.entries))
	for i := range im.entries {
		for _, id := range im.entries[i].post.Supersedes {
			n, _ := ParseEntryID(id) // made from a position
			older[i] = append(older[i], int(n)-1)
		}
	}
	if c := cycle(older); c != nil {
		return invalid(fmt.Sprintf("entry %s of the file supersedes itself, through others",
			im.entries[c[0]].post.ExternalID), "remove one of the links in the file")
	}
	return nil
}
