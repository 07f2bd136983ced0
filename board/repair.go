package board

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/sqlite"
	"blackboard/board/store"
	"blackboard/board/text"
)

// Salvaged is what can be read of a damaged board.
type Salvaged struct {
	Run       string
	Events    int
	Entries   int
	Signals   int
	Variables int
	// Whole: the log has no gap and all that the tables hold, which can be rebuilt as they were.
	Whole bool
	// Lost lists what is missing, and what placeholders replace.
	Lost []string

	log *eventLog
}

// SalvageSuffix ends the name of the new run for what could be read of a damaged one.
const SalvageSuffix = "-salvaged"

// ReadDamaged reads what it can of a damaged board, changing nothing; fault.Corrupt if nothing.
func ReadDamaged(ctx context.Context, dir, run string) (*Salvaged, error) {
	tmp, err := os.MkdirTemp("", "board-salvage-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	sound := filepath.Join(tmp, run+sqlite.RunSuffix)
	rows, err := sqlite.Salvage(ctx, sqlite.RunPath(dir, run), sound, sqlite.RunSchema, "run", "entries", "links",
		"signals", "variables", "expected", "dropped_duties", "settlements", "sources",
		"verifications", "events")
	if err != nil {
		return nil, err
	}
	db, err := sqlite.Open(ctx, sound, sqlite.RunSchema, sqlite.ReadWrite)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	m := &logRepairer{out: Salvaged{Run: run, Whole: true}, Replayer: record.NewReplayer()}
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
		return nil, store.Fault(fault.Corrupt, sqlite.RunPath(dir, run), "holds nothing that can be read",
			nil)
	}
	state := m.Finish()
	m.out.log = &eventLog{m.events, state}
	m.out.Events, m.out.Entries, m.out.Signals, m.out.Variables = len(m.events), len(state.Entries),
		len(state.Signals), len(state.Variables)
	if err := checkTargets(state); err != nil {
		return nil, store.Fault(fault.Corrupt, sqlite.RunPath(dir, run),
			"holds parts of a board that do not make one: "+err.Error(), nil)
	}
	return &m.out, nil
}

// Rebuild rebuilds the tables of a damaged board from its event log. The log must be
// whole; otherwise Rebuild returns fault.Conflict and nothing is changed. The new file is written
// beside the damaged one and takes its place while no one else can write. The damaged
// file is then at aside.
func Rebuild(ctx context.Context, dir, run string) (s *Salvaged, aside string, err error) {
	aside, err = sqlite.Replace(ctx, sqlite.RunPath(dir, run), nil, func(to string) error {
		if s, err = ReadDamaged(ctx, dir, run); err != nil {
			return err
		}
		if !s.Whole {
			return conflict("the event log of run "+run+" is incomplete: "+listOf(s.Lost),
				"what can be read goes into a new run")
		}
		db, err := sqlite.Open(ctx, to, sqlite.RunSchema, sqlite.Create)
		if err != nil {
			return err
		}
		err = db.Write(ctx, func(tx *store.Tx) error {
			return (&writer{tx: tx, name: s.log.state.Run}).appendAll(s.log.events)
		})
		if err == nil {
			err = (&Board{path: to, run: run, db: sqlite.OnRun(db, to)}).Check(ctx)
		}
		return errors.Join(err, db.Close())
	})
	return s, aside, err
}

// SalvageTo copies what can be read of a damaged board, unchanged, to the new run as. Placeholders
// for the rest keep every id's meaning.
func SalvageTo(ctx context.Context, dir, run, as, worker string) (*Salvaged, error) {
	s, err := ReadDamaged(ctx, dir, run)
	if err != nil {
		return nil, err
	}
	_, err = s.log.writeTo(ctx, dir, worker, ImportOptions{Run: as,
		Source: filepath.Base(sqlite.RunPath(dir, run)) + ", damaged"})
	return s, err
}

// logRepairer joins the events and the rows that can be read into one log.
type logRepairer struct {
	*record.Replayer
	out     Salvaged
	events  []Event
	rows    Snapshot // what the tables have
	entries map[string]*Entry
	signals map[string]*Signal
	taken   []string // ids whose events are missing, but not their rows
	missing []string // ids that have placeholders
}

// load reads the rows.
func (m *logRepairer) load(tx *store.Tx) error {
	if err := tx.QueryRow(`SELECT goal FROM run`).Scan(&m.rows.Goal); err != nil &&
		!store.IsNoRows(err) {
		return err
	}
	err := loadRows(tx, &m.rows)
	m.entries, m.signals = map[string]*Entry{}, map[string]*Signal{}
	for i := range m.rows.Entries {
		m.entries[m.rows.Entries[i].ID] = &m.rows.Entries[i]
	}
	for i := range m.rows.Signals {
		m.signals[m.rows.Signals[i].ID] = &m.rows.Signals[i]
	}
	return err
}

// miss records that the log is not whole.
func (m *logRepairer) miss(format string, a ...any) {
	m.out.Whole = false
	m.out.Lost = append(m.out.Lost, fmt.Sprintf(format, a...))
}

// mend applies the existing events, and fills gaps from the rows or with placeholders.
func (m *logRepairer) mend(events []Event) error {
	if len(events) == 0 || events[0].Verb != record.VerbCreate {
		at := time.UnixMilli(0).UTC()
		if len(events) > 0 {
			at = events[0].At
		}
		m.miss("the first event is missing, and with it the time at which the run was created")
		if err := m.addMadeUp(at, "", record.VerbCreate, m.out.Run,
			record.CreatePayload{Name: m.out.Run, Goal: m.rows.Goal}); err != nil {
			return err
		}
	}
	before := int64(0)
	for _, e := range events {
		if gap := e.Seq - before - 1; gap > 0 {
			m.miss("missing before event %d: %s", e.Seq, text.Count(gap, "event", "events"))
		}
		before = e.Seq
		if err := m.fillBefore(&e); err != nil {
			return err
		}
		if err := m.append(e); err != nil {
			m.miss("event %d (%s %s) has no place in what is left: %v", e.Seq, clip(e.Verb, 40),
				clip(e.ID, 40), err)
		}
	}
	if err := m.fillRest(before); err != nil {
		return err
	}
	if len(m.missing) > 0 {
		m.miss("these are missing, and have placeholders: %s", text.Few(m.missing, 20))
	}
	if len(m.taken) > 0 {
		m.miss("the events of these are missing; they were taken from the tables: %s", text.Few(m.taken, 20))
	}
	return nil
}

// append adds an event with the next number, if it can be applied.
func (m *logRepairer) append(e Event) error {
	e.Seq = m.Seq + 1
	if err := checkEvent(&e); err != nil {
		return err
	}
	entries, signals := len(m.Entries), len(m.Signals)
	if err := m.Apply(e); err != nil {
		// of one that was read before it was refused
		m.Entries, m.Signals = m.Entries[:entries], m.Signals[:signals]
		return err
	}
	m.events = append(m.events, e)
	return nil
}

// addMadeUp adds an event that is made up; the actor "" stands for the doctor.
func (m *logRepairer) addMadeUp(at time.Time, actor, verb, id string, payload any) error {
	data, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	return m.append(Event{At: at, Actor: cmp.Or(actor, "doctor"), Verb: verb, ID: id, Payload: data})
}

// fillBefore adds what an event needs before it: entries and signals up to those it names.
func (m *logRepairer) fillBefore(e *Event) error {
	var p struct {
		Links
		By, Target, With string
	}
	if slices.Contains(otherIDs, e.Verb) {
		return nil
	}
	json.Unmarshal(e.Payload, &p) // what is none of them is empty
	for _, name := range slices.Concat([]string{e.ID, p.By, p.Target, p.With}, p.Supports,
		p.Contradicts, p.Supersedes, p.Addresses) {
		made := name == e.ID && (e.Verb == record.VerbPost || e.Verb == record.VerbSignal)
		if err := m.fillTo(name, made, e.At); err != nil {
			return err
		}
	}
	return nil
}

// fillTo adds entries or signals up to one, without it if it is made next.
func (m *logRepairer) fillTo(name string, made bool, at time.Time) error {
	have, id := len(m.Entries), EntryID
	upto, err := ParseEntryID(name)
	if err != nil {
		have, id = len(m.Signals), SignalID
		if upto, err = ParseSignalID(name); err != nil {
			return nil // it names nothing
		}
	}
	if made {
		upto--
	}
	const most = 10_000 // a name without an event is no reason to invent more
	for n := int64(have) + 1; n <= min(upto, int64(have)+most); n++ {
		if err := m.fill(id(n), at); err != nil {
			return err
		}
	}
	return nil
}

// fill adds an entry or signal without its event: from its row, or as a placeholder; a signal at
// priority high, for somebody to look before the gate opens.
func (m *logRepairer) fill(id string, at time.Time) error {
	m.out.Whole = false
	err := fault.NotFound.New("it has no row", "")
	if row := m.entries[id]; row != nil {
		p := record.PostPayload{Post: row.AsPost(), ExternalID: row.ExternalID}
		p.SetLinks(Links{}) // which are added once all is there that they name
		err = m.addMadeUp(row.Created, row.Worker, record.VerbPost, id, p)
	}
	if row := m.signals[id]; row != nil {
		err = m.addMadeUp(row.Created, row.Worker, record.VerbSignal, id, record.SignalPayload{ExternalID: row.ExternalID,
			Raise: Raise{Content: row.Content, Priority: row.Priority, Key: row.Key}})
	}
	if err == nil {
		m.taken = append(m.taken, id)
		return nil
	}
	m.missing = append(m.missing, id)
	lost := id + " could not be read from the damaged file of run " + m.out.Run
	if id[0] == 's' {
		return m.addMadeUp(at, "", record.VerbSignal, id, record.SignalPayload{Raise: Raise{Content: lost,
			Priority: "high"}})
	}
	return m.addMadeUp(at, "", record.VerbPost, id, record.PostPayload{Post: Post{Type: Observation, Content: lost,
		Tags: []string{"lost"}}})
}

// fillRest adds what only the rows have: where the log is not whole, or beyond its last event.
// It reports where rows differ from the log.
func (m *logRepairer) fillRest(last int64) error {
	at := m.At
	for _, e := range m.rows.Entries {
		if err := m.fillTo(e.ID, false, at); err != nil {
			return err
		}
	}
	for _, s := range m.rows.Signals {
		if err := m.fillTo(s.ID, false, at); err != nil {
			return err
		}
	}
	isLost := func(seq int64) bool { return !m.out.Whole || seq > last }
	for _, s := range m.rows.Sources { // its text is only in its event
		if _, has := m.Replayer.SourceByName[s.Name]; !has && isLost(s.Seq) {
			m.restore(s.At, s.Worker, record.VerbSource, s.Name, record.SourcePayload{Path: s.Path,
				SHA256: s.SHA256, Size: s.Size})
		}
	}
	for i := range m.Entries {
		e := &m.Entries[i]
		row := m.entries[e.ID]
		switch {
		case row == nil:
			continue
		case row.Content != e.Content:
			m.out.Lost = append(m.out.Lost, fmt.Sprintf(
				"%s said otherwise in the tables, from %s: %s", e.ID, row.Worker, row.Content))
			continue
		}
		if v := row.Verified; v != nil && e.Verified == nil && isLost(v.Seq) {
			m.restore(v.At, v.Worker, record.VerbVerify, e.ID,
				record.VerifyPayload{Held: v.Held, Parts: v.Parts})
		}
		if !m.out.Whole {
			m.fillEntry(at, e, row)
		}
	}
	for _, d := range m.rows.SurfaceWaivers {
		if isLost(d.Seq) && !slices.ContainsFunc(m.SurfaceWaivers, func(x DroppedDuty) bool {
			return x.ID == d.ID && x.By == d.By
		}) {
			m.restore(at, d.Worker, record.VerbDropDuty, d.ID, record.DropDutyPayload{By: d.By, Reason: d.Reason})
		}
	}
	for _, s := range m.rows.Settled {
		if isLost(s.Seq) && !slices.ContainsFunc(m.Settled, func(x Settlement) bool {
			return x.A == s.A && x.B == s.B
		}) {
			m.restore(s.At, s.Worker, record.VerbReconcile, s.A, record.ReconcilePayload{With: s.B, Reason: s.Reason})
		}
	}
	if !m.out.Whole {
		m.fillStates(at)
	}
	return nil
}

// restore adds an event of which only the rows tell.
func (m *logRepairer) restore(at time.Time, actor, verb, id string, payload any) {
	m.out.Whole = false
	if err := m.addMadeUp(at, actor, verb, id, payload); err != nil {
		m.miss("what the tables say of %s (%s) is lost: %v", clip(id, 60), verb, err)
	}
}

// asInTables is the note of a status that was made up.
const asInTables = "as the tables had it"

// fillEntry adds the status, the links and the duty to surface that only the row has.
func (m *logRepairer) fillEntry(at time.Time, e, row *Entry) {
	if row.Status != e.Status {
		for _, verb := range []string{record.VerbDispute, record.VerbSupersede, record.VerbSettle} {
			if record.StatusAfter(verb) == row.Status {
				m.restore(at, "", verb, e.ID, record.ByPayload{Note: asInTables})
			}
		}
	}
	for _, kind := range LinkKinds {
		for _, target := range row.Of(kind) {
			_, err := m.Entry(target)
			if kind == Addresses {
				_, err = m.Signal(target)
			}
			switch {
			case slices.Contains(e.Of(kind), target):
			case err != nil:
				m.miss("that %s %s %s is lost: %v", e.ID, kind, target, err)
			default:
				m.restore(at, "", record.VerbLink, e.ID, record.LinkPayload{Kind: kind, Target: target})
			}
		}
	}
	if row.MustSurface && !e.MustSurface {
		from := append(slices.Clone(row.Supersedes), "what is lost")[0]
		m.restore(at, "", record.VerbMustSurface, e.ID, record.TakenPayload{From: from})
	}
}

// fillStates adds the states of signals, workers and variables that only the rows have.
func (m *logRepairer) fillStates(at time.Time) {
	for i := range m.Signals {
		g := &m.Signals[i]
		row := m.signals[g.ID]
		if row == nil || row.Status == g.Status {
			continue
		}
		when := at
		if row.Closed != nil {
			when = *row.Closed
		}
		switch row.Status {
		case Addressed:
			m.restore(when, row.ClosedBy, record.VerbAddress, g.ID, record.ByPayload{By: row.AddressedBy})
		case Waived:
			m.restore(when, row.ClosedBy, record.VerbWaive, g.ID, record.WaivePayload{Reason: row.Reason})
		default:
			m.restore(at, "", record.VerbReopen, g.ID, record.ByPayload{Note: asInTables})
		}
	}
	for _, x := range m.rows.Expected {
		if slices.ContainsFunc(m.Expected, func(have Expected) bool {
			return have.Worker == x.Worker && have.Status == x.Status
		}) {
			continue
		}
		for _, verb := range []string{record.VerbExpect, record.VerbDone, record.VerbDrop} {
			if record.WorkerStatusAfter(verb) == x.Status {
				m.restore(x.At, x.By, verb, x.Worker, record.ReasonPayload{Reason: x.Reason})
			}
		}
	}
	for _, v := range m.rows.Variables {
		if have := m.VariableByKey[v.Key]; have == nil || have.Version < v.Version {
			m.restore(v.Updated, v.Worker, record.VerbSet, v.Key, record.SetPayload{Value: v.Value, Version: v.Version})
		}
	}
}

// listOf joins the first five of what is lost.
func listOf(lost []string) string {
	const most = 5
	var said []string
	for _, l := range lost[:min(len(lost), most)] {
		said = append(said, clip(l, 200))
	}
	if more := len(lost) - most; more > 0 {
		said = append(said, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(said, "; ")
}

// Say lists what is lost in one line; "" if nothing is.
func (s *Salvaged) Say() string { return listOf(s.Lost) }
