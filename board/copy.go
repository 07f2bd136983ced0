package board

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// Copied is what a copy of a run has brought.
type Copied struct {
	Run    string `json:"run"`
	Events int64  `json:"events"` // of the run
	New    int64  `json:"new"`    // of them, those that its target lacked
	SHA256 string `json:"sha256"` // of the log, the same on both sides
}

// Copy copies a run from one place to another, as one transaction. A place is a
// directory, or what UseDatabase returned. If the target has the beginning of the run,
// Copy adds the rest. It verifies both: the log must rebuild what the tables hold. It
// changes nothing at the source and deletes nothing.
//
// Errors: fault.Conflict if the target has events that the source lacks; fault.Corrupt if
// either is not sound.
func Copy(ctx context.Context, from, to, run string) (Copied, error) {
	src, err := Open(ctx, from, run)
	if err != nil {
		return Copied{}, err
	}
	defer src.Close()
	var log *eventLog
	if err := src.read(ctx, func(tx *store.Tx) (err error) {
		log, err = src.verifiedLog(tx)
		return err
	}); err != nil {
		return Copied{}, err
	}
	dst, err := OpenOrCreate(ctx, to, run)
	if err != nil {
		return Copied{}, err
	}
	defer dst.Close()
	out := Copied{Run: run, Events: int64(len(log.events)), SHA256: checksum(log.events)}
	err = dst.write(ctx, "copy", func(w *writer) error {
		if err := log.goesOn(w, run, dst.path); err != nil {
			return err
		}
		if out.New = out.Events - w.seq; out.New > 0 {
			if err := w.tx.Bulk(func() error { return log.grow(w) }); err != nil {
				return err
			}
		}
		got, err := dst.verifiedLog(w.tx)
		if err == nil && checksum(got.events) != out.SHA256 {
			err = store.Fault(fault.Corrupt, dst.path,
				"does not return the log of run "+run+" as it was written; nothing was kept", nil)
		}
		return err
	}, bare)
	return out, err
}

// verifiedLog returns the whole log of a board whose tables agree with it.
func (b *Board) verifiedLog(tx *store.Tx) (*eventLog, error) {
	events, err := eventsAfter(tx, 0, -1)
	if err != nil {
		return nil, err
	}
	log := &eventLog{events: events, board: newReplayer()}
	for _, e := range events {
		if err := log.board.apply(e); err != nil {
			return nil, b.logNotWhole(err)
		}
	}
	log.state = log.board.snapshot()
	return log, b.agrees(tx, log.state)
}

// checksum is the SHA-256 of a log, byte for byte as it is stored.
func checksum(events []Event) string {
	sum := sha256.New()
	for i := range events {
		e := &events[i]
		fmt.Fprintf(sum, "%d %d %q %q %q %q\n", e.Seq, e.At.UnixMilli(), e.Actor, e.Verb, e.ID,
			e.Payload)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// goesOn refuses a target whose log is not the beginning of the source's log.
func (l *eventLog) goesOn(w *writer, run, path string) error {
	differs := func(say string) error {
		return conflict(fmt.Sprintf("run %s in %s %s; nothing was copied to it", run, path, say),
			"",
			fault.Do("run.export", "{} and an import copy it under another name"))
	}
	if more := w.seq - int64(len(l.events)); more > 0 {
		return differs(fmt.Sprintf("has gone on: it has %s more than the one that is copied, or "+
			"is another run", counted(more, "event")))
	}
	for seq := int64(0); seq < w.seq; {
		page, err := eventsAfter(w.tx, seq, replayPage)
		if err != nil {
			return err
		}
		for i := range page {
			e, want := &page[i], &l.events[seq]
			if e.Seq != want.Seq || !e.At.Equal(want.At) || e.Actor != want.Actor ||
				e.Verb != want.Verb || e.ID != want.ID || !bytes.Equal(e.Payload, want.Payload) {
				return differs(fmt.Sprintf("is a different run: they differ from event %d on",
					want.Seq))
			}
			seq = e.Seq
		}
	}
	return nil
}

// grow applies to the target what the later events of the source changed and added.
func (l *eventLog) grow(w *writer) error {
	if w.created {
		return l.fill(w, l.state.Run)
	}
	began := w.seq
	replayed := newReplayer()
	for _, e := range l.events[:began] {
		if err := replayed.apply(e); err != nil {
			return err
		}
	}
	had := replayed.snapshot()
	if err := w.logRows(l.events[began:]); err != nil {
		return err
	}
	for i := range had.Entries {
		if err := w.entryChanges(&had.Entries[i], &l.state.Entries[i]); err != nil {
			return err
		}
	}
	for i := range had.Signals {
		if g := &l.state.Signals[i]; !reflect.DeepEqual(had.Signals[i], *g) {
			if err := w.signalState(g); err != nil {
				return err
			}
		}
	}
	for _, s := range had.Sources { // some may be gone
		if _, err := w.tx.Exec(`DELETE FROM sources WHERE name = ?`, s.Name); err != nil {
			return err
		}
	}
	rest := *l.state
	rest.Entries, rest.Signals = rest.Entries[len(had.Entries):], rest.Signals[len(had.Signals):]
	rest.Settled = slices.DeleteFunc(slices.Clone(rest.Settled),
		func(s Settlement) bool { return s.Seq <= began })
	rest.Dropped = slices.DeleteFunc(slices.Clone(rest.Dropped),
		func(d DroppedDuty) bool { return d.Seq <= began })
	return w.snapshotRows(&rest, l.board.vars)
}

// entryChanges updates the row of an entry to a later state.
func (w *writer) entryChanges(had, now *Entry) error {
	id, err := ParseEntryID(now.ID)
	if err != nil {
		return err
	}
	for _, kind := range LinkKinds {
		for _, target := range now.Of(kind)[len(had.Of(kind)):] {
			if err := w.linkRow(id, kind, target); err != nil {
				return err
			}
		}
	}
	if now.MustSurface != had.MustSurface {
		if _, err := w.tx.Exec(`UPDATE entries SET must_surface = 1 WHERE id = ?`, id); err != nil {
			return err
		}
	}
	if now.Status != had.Status {
		if _, err := w.tx.Exec(`UPDATE entries SET status = ? WHERE id = ?`, now.Status,
			id); err != nil {
			return err
		}
	}
	if now.Verified != nil && !reflect.DeepEqual(now.Verified, had.Verified) {
		return w.verificationRow(id, now.Verified)
	}
	return nil
}
