package memory

import (
	"context"
	"encoding/json"
	"math"

	"blackboard/board/sqlite"
)

// stepsAtOnce is the number of steps in one transaction: other writers must not wait long.
var stepsAtOnce = 1000

// consolidate runs a pass over a scope: each transaction plans anew and does some of the steps.
func (s *Store) consolidate(ctx context.Context, w scopeFile) (Consolidated, error) {
	p, err := s.plan(ctx, w)
	c := Consolidated{Scope: w.String(), Live: p.held, Notes: p.notes}
	if err != nil || len(p.steps) == 0 && p.moved == 0 {
		return c, err // nothing is written
	}
	for done := false; !done; {
		sum := c
		if err := w.f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
			p := &pass{scopeFile: w, now: tx.Now, notes: []string{}}
			if err := p.build(ctx, tx); err != nil {
				return err
			}
			sum = c // the transaction may run again
			sum.Notes = p.notes
			some := p.steps[:min(len(p.steps), stepsAtOnce)]
			if err := p.do(tx, some, &sum); err != nil {
				return err
			}
			if done = len(some) == len(p.steps); !done {
				return nil
			}
			return p.finish(tx, &sum)
		}); err != nil {
			return c, err
		}
		c = sum
	}
	return c, nil
}

func (p *pass) finish(tx *sqlite.Tx, c *Consolidated) (err error) {
	if c.Live, err = liveIn(tx, p.Scope); err != nil {
		return err
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := p.f.event(tx, Event{
		Verb: VerbConsolidate, Scope: p.String(), Subject: p.String(), Data: data}); err != nil {
		return err
	}
	return p.next.write(tx, p.Scope)
}

// do applies some steps in the transaction that planned them.
func (p *pass) do(tx *sqlite.Tx, steps []step, did *Consolidated) error {
	for i := range steps {
		s := &steps[i]
		it, err := &s.it.row, error(nil)
		switch s.Op {
		case OpPromote:
			err = p.f.promote(tx, it, s.Why)
		case OpMerge:
			err = p.f.merge(tx, &s.into.row, it, s.Why)
		case OpExpire:
			err = p.f.forget(tx, it, RuleExpired, "", s.Why)
		default:
			err = p.f.archive(tx, it, s.Why)
		}
		if err != nil {
			return err
		}
		*did.count(s.Op)++
	}
	return nil
}

// promote makes an item long-term: the same text, so the same revision.
func (f *file) promote(tx *sqlite.Tx, it *Item, why string) error {
	it.Lifetime = LongTerm
	if _, err := tx.Exec(`UPDATE items SET lifetime = ? WHERE n = ?`, it.Lifetime,
		it.n); err != nil {
		return err
	}
	return f.itemEvent(tx, VerbPromoted, it, why)
}

func (f *file) merge(tx *sqlite.Tx, keep, drop *Item, why string) error {
	now := *keep
	now.absorb(drop)
	same := math.Float64bits(now.Importance) == math.Float64bits(keep.Importance) &&
		now.Lifetime == keep.Lifetime && now.Expires == keep.Expires &&
		len(now.Tags) == len(keep.Tags)
	if same {
		if _, err := tx.Exec(`UPDATE items SET accesses = ?, accessed = ? WHERE n = ?`,
			now.Accesses, now.Accessed.UnixMilli(), keep.n); err != nil {
			return err
		}
	} else {
		var warnings []string // there is nothing to embed
		if err := f.change(tx, keep, &now, nil, "merged with "+drop.ID, &warnings); err != nil {
			return err
		}
		// The text is the same, so it is not new for the next pass.
		now.Updated = keep.Updated
		if _, err := tx.Exec(`UPDATE items SET updated = ? WHERE n = ?`, now.Updated.UnixMilli(),
			keep.n); err != nil {
			return err
		}
	}
	*keep = now
	if _, err := tx.Exec(`INSERT OR IGNORE INTO asked SELECT ?, session FROM asked WHERE item = ?`,
		keep.n, drop.n); err != nil {
		return err
	}
	return f.forget(tx, drop, RuleMerged, keep.ID, why)
}
