package board

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
)

func (b *Board) Snapshot(ctx context.Context) (*Snapshot, error) {
	return readValue(ctx, b, func(tx *store.Tx) (*Snapshot, error) {
		s, err := loadSnapshot(tx)
		if err == nil {
			s.Receipts, err = b.receipts(tx)
		}
		return s, err
	})
}

// runRow returns a snapshot with the run's own data and the last event only.
func runRow(tx *store.Tx) (*Snapshot, error) {
	s := &Snapshot{}
	var created, at int64
	if err := tx.QueryRow(`SELECT r.name, r.goal, r.created, e.seq, e.at FROM run r, events e ORDER BY e.seq DESC LIMIT 1`).
		Scan(&s.Run, &s.Goal, &created, &s.Seq, &at); err != nil {
		return nil, err
	}
	s.Created, s.At = fromMillis(created), fromMillis(at)
	return s, nil
}

func loadSnapshot(tx *store.Tx) (*Snapshot, error) {
	s, err := runRow(tx)
	if err != nil {
		return nil, err
	}
	var errs [6]error
	errs[5] = loadRows(tx, s)
	s.Policy, errs[0] = recordedPolicy(tx)
	s.RanClaims, errs[1] = ranClaims(tx)
	s.Checks, errs[2] = checks(tx)
	s.Receipts, errs[3] = receiptEvents(tx)
	s.Receipts = record.FoldReceipts(s.Receipts)
	s.Retrievals, errs[4] = retrievals(tx, "")
	if err := cmp.Or(errs[:]...); err != nil {
		return nil, err
	}
	st := record.NewState()
	err = readCounts(tx, &st, true)
	s.Workers = st.Workers
	return s, err
}

// loadRows reads what has a table of its own.
func loadRows(tx *store.Tx, s *Snapshot) error {
	var errs [7]error
	s.Entries, errs[0] = selectEntries(tx, `FROM entries e ORDER BY e.id`)
	s.Signals, errs[1] = selectSignals(tx, `FROM signals s ORDER BY s.id`)
	s.Variables, errs[2] = variables(tx)
	s.Expected, errs[3] = expected(tx)
	s.SurfaceWaivers, errs[4] = droppedDuties(tx)
	s.Settled, errs[5] = settlements(tx)
	s.Sources, errs[6] = sources(tx)
	return cmp.Or(errs[:]...)
}

// Replay returns the board as it was after the event seq, from the log alone. It is
// fault.Invalid for a seq below 1, and fault.NotFound for one beyond the last event.
func (b *Board) Replay(ctx context.Context, seq int64) (*Snapshot, error) {
	if seq < 1 {
		return nil, invalid(fmt.Sprintf("there is no event %d", seq), "events count from 1",
			fault.Do("event.list", "{} lists them", "since", "0", "timeout", "0s"))
	}
	return readValue(ctx, b, func(tx *store.Tx) (*Snapshot, error) {
		last, err := tx.LastSeq()
		if err == nil && seq > last {
			err = notFound(fmt.Sprintf("there is no event %d yet: the last one is %d", seq, last),
				fmt.Sprintf("give a number from 1 to %d", last))
		}
		if err != nil {
			return nil, err
		}
		return replay(tx, seq)
	})
}

// replay rebuilds the board from the log up to an event.
func replay(tx *store.Tx, upto int64) (*Snapshot, error) {
	return record.Replay(upto, func(after int64, limit int) ([]Event, error) { return eventsAfter(tx, after, limit) })
}

// Events returns the events after seq, oldest first. The sequence stops at the first
// error. It reads a long log page by page, so the caller's loop may be slow.
func (b *Board) Events(ctx context.Context, after int64) iter.Seq2[Event, error] {
	const page = 1000
	return func(yield func(Event, error) bool) {
		for {
			events, err := readValue(ctx, b, func(tx *store.Tx) ([]Event, error) {
				return eventsAfter(tx, after, page)
			})
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
				after = e.Seq
			}
			if len(events) < page {
				return
			}
		}
	}
}

// eventsAfter returns at most limit events after seq. A limit below 0 means no limit.
func eventsAfter(tx *store.Tx, seq int64, limit int) ([]Event, error) {
	if limit < 0 {
		limit = math.MaxInt
	}
	return selectEvents(tx, `WHERE seq > ? ORDER BY seq LIMIT ?`, seq, limit)
}

func selectEvents(tx *store.Tx, rest string, args ...any) ([]Event, error) {
	return store.All(tx, columnsOf, `SELECT `+eventColumns+` FROM events `+rest, args...)
}

const eventColumns = `seq, at, actor, verb, id, payload`

func columnsOf(e *Event) []any {
	return []any{&e.Seq, store.Time(&e.At), &e.Actor, &e.Verb, &e.ID, (*[]byte)(&e.Payload)}
}

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// Check verifies the file, nil for a sound board: SQLite's integrity, derived tables against the
// rows, and a log without gaps that rebuilds exactly the tables.
func (b *Board) Check(ctx context.Context) error {
	db, err := b.reader()
	if err != nil {
		return err
	}
	if err := db.Check(ctx); err != nil {
		return err
	}
	return b.read(ctx, func(tx *store.Tx) error {
		last, err := tx.LastSeq()
		if err != nil {
			return err
		}
		want, err := replay(tx, last)
		if errors.Is(err, fault.Invalid) {
			return b.logNotWhole(err)
		}
		if err != nil {
			return err
		}
		return b.checkReplay(tx, want)
	})
}

func (b *Board) logNotWhole(err error) error {
	return store.Fault(fault.Corrupt, b.path, "has an incomplete event log: "+err.Error(),
		nil)
}

// checkReplay returns fault.Corrupt if the tables differ from what the event log rebuilds.
func (b *Board) checkReplay(tx *store.Tx, want *Snapshot) error {
	have, err := loadSnapshot(tx)
	if err != nil {
		return err
	}
	if diff := want.Diff(have); diff != "" {
		return store.Fault(fault.Corrupt, b.path, "does not agree with its own event log: "+diff,
			nil)
	}
	// derived tables last: a fault in the rows says more
	if err := checkCounts(tx, b.path); err != nil {
		return err
	}
	return tx.Hold(invariants...)
}

// invariants hold, beside checkCounts, for the tables derived from entries.
var invariants = []store.Invariant{
	{Breaks: `SELECT count(*) FROM (SELECT e.id, t.value FROM entries e, json_each(e.tags) t EXCEPT SELECT entry, tag FROM entry_tags) AS lost`, Say: "does not find %d tags of entries"},
	{Breaks: `SELECT count(*) FROM (SELECT entry, tag FROM entry_tags EXCEPT SELECT e.id, t.value FROM entries e, json_each(e.tags) t) AS odd`, Say: "finds %d tags that entries do not have"},
}
