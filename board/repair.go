package board

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/files"
	"blackboard/board/sqlite"
	"blackboard/board/store"
)

// Salvaged is what can be read of a damaged board.
type Salvaged struct {
	Run       string
	Events    int
	Entries   int
	Signals   int
	Variables int
	// Whole is true if the event log has no gap and has all that the tables hold: the
	// tables can then be rebuilt as they were.
	Whole bool
	// Lost lists what is missing, and what placeholders replace.
	Lost []string

	log *eventLog
}

// SalvageSuffix ends the name of the new run for what could be read of a damaged one.
const SalvageSuffix = "-salvaged"

// ReadDamaged reads what it can of a damaged board, and changes nothing. It is
// fault.Corrupt if it can read nothing.
func ReadDamaged(ctx context.Context, dir, run string) (*Salvaged, error) {
	tmp, err := os.MkdirTemp("", "board-salvage-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	sound := filepath.Join(tmp, run+files.Suffix)
	rows, err := sqlite.Salvage(ctx, files.Path(dir, run), sound, files.Schema, "run", "entries", "links",
		"signals", "variables", "expected", "dropped_duties", "settlements", "sources",
		"verifications", "events")
	if err != nil {
		return nil, err
	}
	db, err := sqlite.Open(ctx, sound, files.Schema, sqlite.ReadWrite)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	m := &mender{out: Salvaged{Run: run, Whole: true}, replayer: newReplayer()}
	// the other tables can be made anew
	if slices.ContainsFunc(rows.Lost,
		func(l sqlite.TableLoss) bool { return l.Table == "events" }) {
		for _, l := range rows.Lost {
			// an older file has neither
			if rows.Rows[l.Table] > 0 || l.Table != "expected" && l.Table != "dropped_duties" {
				m.miss("%s", l.Say)
			}
		}
	}
	err = db.Read(ctx, func(tx *store.Tx) error {
		events, err := eventsAfter(tx, 0, -1)
		if err != nil {
			return err
		}
		if err := m.load(tx); err != nil {
			return err
		}
		return m.mend(events)
	})
	if err != nil {
		return nil, err
	}
	if len(m.entries)+len(m.signals)+len(m.events) == 0 {
		return nil, store.Fault(fault.Corrupt, files.Path(dir, run), "holds nothing that can be read",
			nil)
	}
	state := m.snapshot()
	m.out.log = &eventLog{m.events, state}
	m.out.Events, m.out.Entries, m.out.Signals, m.out.Variables = len(m.events), len(state.Entries),
		len(state.Signals), len(state.Variables)
	if err := state.checkTargets(); err != nil {
		return nil, store.Fault(fault.Corrupt, files.Path(dir, run),
			"holds parts of a board that do not make one: "+err.Error(), nil)
	}
	return &m.out, nil
}

// Rebuild rebuilds the tables of a damaged board from its event log. The log must be
// whole; otherwise it is fault.Conflict and nothing is changed. The new file is written
// beside the damaged one and takes its place while no one else can write. The damaged
// file is then at aside.
func Rebuild(ctx context.Context, dir, run string) (s *Salvaged, aside string, err error) {
	aside, err = sqlite.Replace(ctx, files.Path(dir, run), nil, func(to string) error {
		if s, err = ReadDamaged(ctx, dir, run); err != nil {
			return err
		}
		if !s.Whole {
			return conflict("the event log of run "+run+" is incomplete: "+listOf(s.Lost),
				"what can be read goes into a new run")
		}
		db, err := sqlite.Open(ctx, to, files.Schema, sqlite.Create)
		if err != nil {
			return err
		}
		err = db.Write(ctx, func(tx *store.Tx) error {
			return (&writer{tx: tx, name: s.log.state.Run}).appendAll(s.log.events)
		})
		if err == nil {
			err = (&Board{path: to, run: run, db: files.On(db, to)}).Check(ctx)
		}
		return errors.Join(err, db.Close())
	})
	return s, aside, err
}

// SalvageTo copies what can be read of a damaged board to the new run as, and leaves the
// damaged one unchanged. What cannot be read becomes a placeholder, so that every id
// keeps its meaning.
func SalvageTo(ctx context.Context, dir, run, as, worker string) (*Salvaged, error) {
	s, err := ReadDamaged(ctx, dir, run)
	if err != nil {
		return nil, err
	}
	_, err = s.log.writeTo(ctx, dir, worker, ImportOptions{Run: as,
		Source: filepath.Base(files.Path(dir, run)) + ", damaged"})
	return s, err
}

// mender joins the events and the rows that can be read into one log.
type mender struct {
	*replayer
	out        Salvaged
	events     []Event
	entries    map[int64]*Entry // rows, by the number of their id
	signals    map[int64]*Signal
	set        []Variable
	expects    []Expected
	drops      []DroppedDuty
	settled    []Settlement
	goal       string   // of the run's row
	taken      []string // ids whose events are missing, but not their rows
	missing    []string // ids that have placeholders
	registered []Source
}

// load reads the rows.
func (m *mender) load(tx *store.Tx) error {
	entries, err := selectEntries(tx, `FROM entries e ORDER BY e.id`)
	if err != nil {
		return err
	}
	signals, err := selectSignals(tx, `FROM signals s ORDER BY s.id`)
	if err != nil {
		return err
	}
	if err := tx.QueryRow(`SELECT goal FROM run`).Scan(&m.goal); err != nil &&
		!store.IsNoRows(err) {
		return err
	}
	m.entries, m.signals = map[int64]*Entry{}, map[int64]*Signal{}
	for i := range entries {
		n, _ := ParseEntryID(entries[i].ID) // which it was made from
		m.entries[n] = &entries[i]
	}
	for i := range signals {
		n, _ := ParseSignalID(signals[i].ID)
		m.signals[n] = &signals[i]
	}
	if m.expects, err = expected(tx); err != nil {
		return err
	}
	if m.drops, err = droppedDuties(tx); err != nil {
		return err
	}
	if m.settled, err = settlements(tx); err != nil {
		return err
	}
	if m.registered, err = sources(tx); err != nil {
		return err
	}
	m.set, err = variables(tx)
	return err
}

// miss records that the log is not whole.
func (m *mender) miss(format string, a ...any) {
	m.out.Whole = false
	m.out.Lost = append(m.out.Lost, fmt.Sprintf(format, a...))
}

// mend applies the existing events, and fills gaps from the rows or with placeholders.
func (m *mender) mend(events []Event) error {
	for i := range events {
		e := &events[i]
		if i == 0 && e.Verb != verbCreate {
			if err := m.begin(e.At); err != nil {
				return err
			}
		}
		if gap := gapBefore(events, i); gap > 0 {
			m.miss("missing before event %d: %s", e.Seq, counted(gap, "event"))
		}
		if err := m.fillUpTo(e); err != nil {
			return err
		}
		if err := m.append(e.At, e.Actor, e.Verb, e.ID, e.Payload); err != nil {
			m.miss("event %d (%s %s) has no place in what is left: %v", e.Seq, clip(e.Verb, 40),
				clip(e.ID, 40), err)
		}
	}
	if len(events) == 0 {
		if err := m.begin(time.UnixMilli(0).UTC()); err != nil {
			return err
		}
	}
	if err := m.fillRest(); err != nil {
		return err
	}
	if len(m.missing) > 0 {
		m.miss("these are missing, and have placeholders: %s", few(m.missing))
	}
	if len(m.taken) > 0 {
		m.miss("the events of these are missing; they were taken from the tables: %s", few(m.taken))
	}
	return nil
}

// gapBefore is the number of missing events before one.
func gapBefore(events []Event, i int) int64 {
	if i == 0 {
		return events[0].Seq - 1
	}
	return events[i].Seq - events[i-1].Seq - 1
}

// begin makes the first event.
func (m *mender) begin(at time.Time) error {
	m.miss("the first event is missing, and with it the time at which the run was created")
	return m.made(at, "doctor", verbCreate, m.out.Run, createPayload{Name: m.out.Run, Goal: m.goal})
}

// append adds an event with the next number, if it can be applied.
func (m *mender) append(at time.Time, actor, verb, id string, payload json.RawMessage) error {
	e := Event{Seq: m.Seq + 1, At: at, Actor: actor, Verb: verb, ID: id, Payload: payload}
	if err := checkEvent(&e); err != nil {
		return err
	}
	entries, signals := len(m.Entries), len(m.Signals)
	if err := m.apply(e); err != nil {
		// of one that was read before it was refused
		m.Entries, m.Signals = m.Entries[:entries], m.Signals[:signals]
		return err
	}
	m.events = append(m.events, e)
	return nil
}

// made adds an invented event.
func (m *mender) made(at time.Time, actor, verb, id string, payload any) error {
	data, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	return m.append(at, actor, verb, id, data)
}

// fillUpTo adds what an event needs before it: entries and signals up to its own, and up
// to those that it names.
func (m *mender) fillUpTo(e *Event) error {
	var p postPayload
	var by addressPayload
	var link linkPayload
	var settled reconcilePayload
	for _, into := range []any{&p, &by, &link, &settled} {
		json.Unmarshal(e.Payload, into) // what is none of them is empty
	}
	names := []string{e.ID}
	if becomes(e.Verb) != "" {
		return nil // a worker may be called e1
	}
	if e.Verb == verbPost {
		for _, kind := range LinkKinds {
			names = append(names, p.links().Of(kind)...)
		}
	} else {
		names = append(names, by.By, link.Target, settled.With)
	}
	for _, name := range names {
		if err := m.fillTo(name, e); err != nil {
			return err
		}
	}
	return nil
}

// fillTo adds entries or signals up to one that an event names but does not create.
func (m *mender) fillTo(name string, e *Event) error {
	upto, err := ParseEntryID(name)
	ofEntries := err == nil
	if !ofEntries {
		if upto, err = ParseSignalID(name); err != nil {
			return nil // a variable's key, or nothing
		}
	}
	if name == e.ID && (e.Verb == verbPost || e.Verb == verbSignal) {
		upto--
	}
	// beyond the last one: a name without an event is no reason to invent more
	const most = 10_000
	if ofEntries {
		for n := int64(len(m.Entries)) + 1; n <= min(upto, int64(len(m.Entries))+most); n++ {
			if err := m.post(n, e.At); err != nil {
				return err
			}
		}
		return nil
	}
	for n := int64(len(m.Signals)) + 1; n <= min(upto, int64(len(m.Signals))+most); n++ {
		if err := m.raise(n, e.At); err != nil {
			return err
		}
	}
	return nil
}

// post adds an entry whose event is missing: from its row, or as a placeholder.
func (m *mender) post(n int64, at time.Time) error {
	id, row := EntryID(n), m.entries[n]
	if row != nil {
		p := postPayload{Post: Post{Type: row.Type, Content: row.Content, SourceDoc: row.SourceDoc,
			SourceRef: row.SourceRef, Evidence: row.Evidence, Confidence: row.Confidence,
			Tags: row.Tags, MustSurface: row.MustSurface, Key: row.Key}, ExternalID: row.ExternalID}
		if err := m.made(row.Created, row.Worker, verbPost, id, p); err == nil {
			m.out.Whole, m.taken = false, append(m.taken, id)
			return nil
		}
	}
	m.out.Whole, m.missing = false, append(m.missing, id)
	return m.made(at, "doctor", verbPost, id, postPayload{Post: Post{Type: Observation,
		Content: id + " could not be read from the damaged file of run " + m.out.Run,
		Tags:    []string{"lost"}}})
}

// raise is post for a signal. A placeholder has the priority high, so that somebody looks
// at what is missing before the gate opens.
func (m *mender) raise(n int64, at time.Time) error {
	id, row := SignalID(n), m.signals[n]
	if row != nil {
		p := signalPayload{Raise: Raise{Content: row.Content, Priority: row.Priority, Key: row.Key},
			ExternalID: row.ExternalID}
		if err := m.made(row.Created, row.Worker, verbSignal, id, p); err == nil {
			m.out.Whole, m.taken = false, append(m.taken, id)
			return nil
		}
	}
	m.out.Whole, m.missing = false, append(m.missing, id)
	return m.made(at, "doctor", verbSignal, id, signalPayload{Raise: Raise{Content: id +
		" could not be read from the damaged file of run " + m.out.Run, Priority: "high"}})
}

// fillRest adds what only the rows have, and reports where rows differ from the log.
func (m *mender) fillRest() error {
	last := struct{ entry, signal int64 }{}
	for n := range m.entries {
		last.entry = max(last.entry, n)
	}
	for n := range m.signals {
		last.signal = max(last.signal, n)
	}
	at := m.At
	for n := int64(len(m.Entries)) + 1; n <= last.entry; n++ {
		if err := m.post(n, at); err != nil {
			return err
		}
	}
	for n := int64(len(m.Signals)) + 1; n <= last.signal; n++ {
		if err := m.raise(n, at); err != nil {
			return err
		}
	}
	for i := range m.Entries {
		row, e := m.entries[int64(i)+1], &m.Entries[i]
		switch {
		case row == nil || reflect.DeepEqual(row, e):
		case row.Content != e.Content:
			m.out.Lost = append(m.out.Lost,
				fmt.Sprintf("%s said otherwise in the tables, from %s: %s", e.ID, row.Worker,
					row.Content))
		case row.Status != e.Status && !m.out.Whole:
			verb := map[string]string{Disputed: verbDispute, Superseded: verbSupersede,
				Active: verbSettle}[row.Status]
			if err := m.made(at, "doctor", verb, e.ID,
				byPayload{Note: "as the tables had it"}); err != nil {
				m.miss("the status of %s is lost: %v", e.ID, err)
			}
		}
		if row != nil && !m.out.Whole {
			m.fillLinks(at, e, row)
			m.fillDuty(at, e, row)
		}
	}
	m.fillSources()
	return m.fillSettled(at)
}

// fillLinks adds links that only the row has.
func (m *mender) fillLinks(at time.Time, e, row *Entry) {
	for _, kind := range LinkKinds {
		for _, target := range row.Of(kind) {
			if slices.Contains(e.Of(kind), target) {
				continue
			}
			_, err := m.entry(target)
			if kind == Addresses {
				_, err = m.signal(target)
			}
			if err == nil {
				err = m.made(at, "doctor", verbLink, e.ID, linkPayload{Kind: kind, Target: target})
			}
			if err != nil {
				m.miss("that %s %s %s is lost: %v", e.ID, kind, target, err)
			}
		}
	}
}

// few names the first of many.
func few(ids []string) string {
	const most = 20
	if more := len(ids) - most; more > 0 {
		return strings.Join(ids[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(ids, ", ")
}

// listOf joins the first few of what is lost.
func listOf(lost []string) string {
	const few = 5
	say := ""
	for i, l := range lost {
		if i == few {
			return say + fmt.Sprintf("; and %d more", len(lost)-few)
		}
		if i > 0 {
			say += "; "
		}
		say += clip(l, 200)
	}
	return say
}

// Say lists what is lost in one line; "" if nothing is.
func (s *Salvaged) Say() string { return listOf(s.Lost) }
