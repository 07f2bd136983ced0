package board

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"blackboard/board/fault"
	"blackboard/board/store"
	"blackboard/board/text"
)

// exportSchema is the version of the JSONL export. An import refuses a newer one.
const exportSchema = 1

// exportLine is one line of the JSONL export. The first line is about the run, with the
// counts of what follows: entries, signals, variables, expected workers, dropped duties
// and settlements, then the whole event log. An import rebuilds the board from the log
// alone; the other lines are for readers, and to check the result.
type exportLine struct {
	V int `json:"v"`
	// run, entry, signal, variable, expected, dropped_duty, settlement, source or event
	Kind     string     `json:"kind"`
	Run      *exportRun `json:"run,omitempty"`
	Entry    *Entry     `json:"entry,omitempty"`
	Handle   string     `json:"handle,omitempty"` // how a report cites the entry: e12.7kq
	Signal   *Signal    `json:"signal,omitempty"`
	Variable *Variable  `json:"variable,omitempty"`
	Expected *Expected  `json:"expected,omitempty"`
	Source   *Source    `json:"source,omitempty"`
	Event    *Event     `json:"event,omitempty"`

	Dropped    *DroppedDuty `json:"dropped_duty,omitempty"`
	Settlement *Settlement  `json:"settlement,omitempty"`
}

type exportRun struct {
	Schema    int       `json:"schema"`
	Name      string    `json:"name"`
	Goal      string    `json:"goal"`
	Created   time.Time `json:"created"`
	Seq       int64     `json:"seq"`
	Entries   int       `json:"entries"`
	Signals   int       `json:"signals"`
	Variables int       `json:"variables"`
}

// Export writes everything on the board as JSONL, all of the same moment.
func (b *Board) Export(ctx context.Context, out io.Writer) error {
	w := bufio.NewWriterSize(out, 1<<16)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	// Receipts that wait belong to the log. Of a run that cannot be written they stay where
	// they are, and it is exported without them.
	if waiting, err := b.waitingReceipts(); err == nil && len(waiting) > 0 {
		_ = b.write(ctx, waiting[0].Worker, func(*writer) error { return nil })
	}
	err := b.read(ctx, func(tx *store.Tx) error {
		s, err := loadSnapshot(tx)
		if err != nil {
			return err
		}
		head := []exportRun{{exportSchema, s.Run, s.Goal, s.Created, s.Seq, len(s.Entries),
			len(s.Signals), len(s.Variables)}}
		if err := lines(enc, "run", head, func(l *exportLine, r *exportRun) { l.Run = r }); err != nil {
			return err
		}
		if err := cmp.Or(
			lines(enc, "entry", s.Entries, func(l *exportLine, e *Entry) {
				l.Entry, l.Handle = e, Handle(s.Run, e.ID, e.Content)
			}),
			lines(enc, "signal", s.Signals, func(l *exportLine, g *Signal) { l.Signal = g }),
			lines(enc, "variable", s.Variables, func(l *exportLine, v *Variable) { l.Variable = v }),
			lines(enc, "expected", s.Expected, func(l *exportLine, x *Expected) { l.Expected = x }),
			lines(enc, "dropped_duty", s.Dropped, func(l *exportLine, d *DroppedDuty) { l.Dropped = d }),
			lines(enc, "settlement", s.Settled, func(l *exportLine, p *Settlement) { l.Settlement = p }),
			lines(enc, "source", s.Sources, func(l *exportLine, x *Source) { l.Source = x }),
		); err != nil {
			return err
		}
		for after := int64(0); after < s.Seq; {
			events, err := eventsAfter(tx, after, 5000)
			if err != nil {
				return err
			}
			if err := lines(enc, "event", events, func(l *exportLine, e *Event) { l.Event = e }); err != nil {
				return err
			}
			after = events[len(events)-1].Seq
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.Flush()
}

// lines writes a line for each member of a list.
func lines[T any](enc *json.Encoder, kind string, all []T, put func(*exportLine, *T)) error {
	for i := range all {
		l := exportLine{V: 1, Kind: kind}
		put(&l, &all[i])
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

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
	dst.bare = true
	out := Copied{Run: run, Events: int64(len(log.events)), SHA256: checksum(log.events)}
	err = dst.write(ctx, "copy", func(w *writer) error {
		if err := log.goesOn(w, run, dst.path); err != nil {
			return err
		}
		if out.New = out.Events - w.seq; out.New > 0 {
			w.name = log.state.Run
			if err := w.tx.Bulk(func() error { return w.appendAll(log.events[w.seq:]) }); err != nil {
				return err
			}
		}
		got, err := dst.verifiedLog(w.tx)
		if err == nil && checksum(got.events) != out.SHA256 {
			err = store.Fault(fault.Corrupt, dst.path,
				"does not return the log of run "+run+" as it was written; nothing was kept", nil)
		}
		return err
	})
	return out, err
}

// verifiedLog returns the whole log of a board whose tables agree with it.
func (b *Board) verifiedLog(tx *store.Tx) (*eventLog, error) {
	events, err := eventsAfter(tx, 0, -1)
	if err != nil {
		return nil, err
	}
	board := newReplayer()
	for _, e := range events {
		if err := board.apply(e); err != nil {
			return nil, b.logNotWhole(err)
		}
	}
	log := &eventLog{events, board.snapshot()}
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
			"is another run", text.Count(more, "event", "events")))
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
