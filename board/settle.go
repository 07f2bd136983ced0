package board

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// Settlement is the reason why two entries that seem to contradict each other do not. The
// order of the entries does not matter.
type Settlement struct {
	A      string    `json:"a"` // the older entry
	B      string    `json:"b"` // the newer entry
	Reason string    `json:"reason"`
	Worker string    `json:"worker"`
	At     time.Time `json:"at"`
	Seq    int64     `json:"seq"` // the event that settled it
}

// reconcilePayload is the payload of verbReconcile, whose id is the older entry.
type reconcilePayload struct {
	With   string `json:"with"`
	Reason string `json:"reason"`
}

// orderedPair returns the ids of two entries, the older one first.
func orderedPair(a, b string) (x, y int64, err error) {
	if x, err = ParseEntryID(a); err != nil {
		return 0, 0, err
	}
	if y, err = ParseEntryID(b); err != nil {
		return 0, 0, err
	}
	if x == y {
		return 0, 0, invalid(a+" cannot conflict with itself", "name two entries, such as e3 e9")
	}
	return min(x, y), max(x, y), nil
}

// Settle records why two entries do not contradict each other: both hold, or the
// difference does not matter. The reason is required and stays on record with the worker.
// If one of them is wrong, supersede it instead.
//
// Errors: fault.NotFound for an entry that does not exist; fault.Conflict if the pair is
// settled already, or one contradicts or supersedes the other by a link.
func (b *Board) Settle(ctx context.Context, worker, one, other, reason string) (Settlement, error) {
	x, y, err := orderedPair(one, other)
	if err != nil {
		return Settlement{}, err
	}
	if strings.TrimSpace(reason) == "" {
		return Settlement{}, invalid("settling needs a reason", "", fault.Give("reason", "",
			"give {}: why both entries hold, or why the difference does not matter"))
	}
	if err := checkText("the reason", reason, MaxField, true); err != nil {
		return Settlement{}, err
	}
	if _, err := b.reader(); err != nil { // a run is not created by settling what it does not have
		return Settlement{}, err
	}
	var out Settlement
	err = b.write(ctx, worker, func(w *writer) error {
		for _, pair := range [][2]int64{{x, y}, {y, x}} {
			e, err := getEntry(w.tx, pair[0])
			if err != nil {
				return err
			}
			for _, kind := range []string{Contradicts, Supersedes} {
				if to := EntryID(pair[1]); slices.Contains(e.Of(kind), to) {
					return conflict(fmt.Sprintf("%s %s %s by a link: the pair is on record", e.ID,
						kind, to),
						"to end a dispute, post the corrected entry",
						fault.Do("entry.post", "{}", "content", "…", "supersedes", to))
				}
			}
		}
		all, err := settlements(w.tx)
		if err != nil {
			return err
		}
		for _, s := range all {
			if s.A == EntryID(x) && s.B == EntryID(y) {
				return conflict(fmt.Sprintf("%s and %s were settled by %s: %s", s.A, s.B, s.Worker,
					Line(s.Reason, 120)), "nothing to do")
			}
		}
		if err := w.event(verbReconcile, EntryID(x),
			reconcilePayload{EntryID(y), reason}); err != nil {
			return err
		}
		out = Settlement{EntryID(x), EntryID(y), reason, worker, fromMillis(w.at), w.seq}
		return w.settlementRow(out)
	})
	return out, err
}

// settlementRow writes the row of a settlement whose event is written.
func (w *writer) settlementRow(s Settlement) error {
	x, y, err := orderedPair(s.A, s.B)
	if err != nil {
		return err
	}
	_, err = w.tx.Exec(`INSERT INTO settlements VALUES (?, ?, ?, ?, ?, ?)`,
		x, y, s.Seq, s.At.UnixMilli(), s.Worker, s.Reason)
	return err
}

// settlements returns the settlements, oldest first. A file that was not migrated has
// none.
func settlements(tx *store.Tx) ([]Settlement, error) {
	all := []Settlement{}
	if there, err := tx.HasTable("settlements"); err != nil || !there {
		return all, err
	}
	var a, b int64
	var s Settlement
	err := tx.Each([]any{&a, &b, &s.Seq, store.Time(&s.At), &s.Worker, &s.Reason}, func() error {
		s.A, s.B = EntryID(a), EntryID(b)
		all = append(all, s)
		return nil
	}, `SELECT a, b, seq, at, worker, reason FROM settlements ORDER BY seq`)
	return all, err
}

// applySettlement replays the event of a settlement.
func (r *replayer) applySettlement(e Event) error {
	var p reconcilePayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return err
	}
	for _, id := range []string{e.ID, p.With} {
		if _, err := r.entry(id); err != nil {
			return err
		}
	}
	if x, _, err := orderedPair(e.ID, p.With); err != nil || EntryID(x) != e.ID {
		return fmt.Errorf("%s is not older than %s", e.ID, p.With)
	}
	if slices.ContainsFunc(r.Settled, func(s Settlement) bool {
		return s.A == e.ID &&
			s.B == p.With
	}) {
		return fmt.Errorf("%s and %s were settled before", e.ID, p.With)
	}
	if err := checkText("the reason", p.Reason, MaxField, true); err != nil {
		return err
	}
	r.Settled = append(r.Settled, Settlement{e.ID, p.With, p.Reason, e.Actor, e.At, e.Seq})
	return nil
}

// settlementsOf returns the settlements of an entry, never nil.
func settlementsOf(all []Settlement, id string) []Settlement {
	of := []Settlement{}
	for _, s := range all {
		if s.A == id || s.B == id {
			of = append(of, s)
		}
	}
	return of
}

// Other returns the entry of a settlement that is not id.
func (s *Settlement) Other(id string) string {
	if s.A == id {
		return s.B
	}
	return s.A
}
