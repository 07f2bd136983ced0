package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"blackboard/board/sqlite"
	"blackboard/board/text"
)

// stepsAtOnce is the number of steps in one transaction, so that other writers do not
// wait long.
const stepsAtOnce = 100

// apply applies the steps of a plan and stores the watermark.
func (p *pass) apply(ctx context.Context) (Consolidated, error) {
	c := Consolidated{Scope: p.String(), Live: p.held, Notes: p.notes}
	if p.f == nil {
		return c, nil
	}
	a := &applier{pass: p, own: map[int64]int{}}
	next := a // with the current transaction, which may run again
	still := len(p.steps) == 0 && p.moved == 0
	// without steps, only the watermark is written
	for at := 0; at < len(p.steps) || at == 0 && !still; at += stepsAtOnce {
		end := min(at+stepsAtOnce, len(p.steps))
		var sum Consolidated
		if err := p.f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
			next = &applier{pass: p, own: maps.Clone(a.own), unmerged: a.unmerged, live: -1}
			did, err := next.do(tx, p.steps[at:end])
			if err != nil {
				return err
			}
			if sum = c.plus(did); end < len(p.steps) {
				return nil
			}
			if sum.Live, err = liveIn(tx, p.Scope); err != nil {
				return err
			}
			return p.finish(tx, &sum, next.unmerged == 0)
		}); err != nil {
			return c, err
		}
		c, a = sum, next
	}
	return c, nil
}

// plus adds two results.
func (c Consolidated) plus(did Consolidated) Consolidated {
	for _, op := range passOps {
		*c.count(op) += *did.count(op)
	}
	c.Skipped += did.Skipped
	return c
}

// finish logs the pass. The watermark does not move if two items with the same statement
// could not be merged, since only another comparison would find them again.
func (p *pass) finish(tx *sqlite.Tx, c *Consolidated, compared bool) error {
	if c.Skipped > 0 {
		c.Notes = append(slices.Clone(c.Notes),
			fmt.Sprintf("%s no longer applied, because other writers changed their items; another pass checks them again", text.Count(int64(c.Skipped), "step", "steps")))
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := p.f.event(tx, Event{
		Verb: VerbConsolidate, Scope: p.String(), Subject: p.String(), Data: data}); err != nil ||
		!compared {
		return err
	}
	return p.next.write(tx, p.Scope)
}

// applier applies steps.
type applier struct {
	*pass
	own      map[int64]int // how often the pass has changed each item
	unmerged int           // how many merges were skipped

	items    map[int64]*Item // items of this transaction's steps
	live     int             // items in the scope; -1: not counted yet
	archived bool
}

// do applies some steps in a transaction.
func (a *applier) do(tx *sqlite.Tx, steps []step) (did Consolidated, err error) {
	if err := a.load(tx, steps); err != nil {
		return did, err
	}
	for i := range steps {
		s := &steps[i]
		done, err := a.step(tx, s)
		if err != nil {
			return did, err
		}
		if done {
			*did.count(s.Op)++
			continue
		}
		did.Skipped++
		if s.Op == OpMerge {
			a.unmerged++
		}
	}
	return did, nil
}

// load reads the current items of the steps. Scrubbed items are missing.
func (a *applier) load(tx *sqlite.Tx, steps []step) error {
	var ns []int64
	for i := range steps {
		ns = append(ns, steps[i].n)
		if steps[i].into != 0 {
			ns = append(ns, steps[i].into)
		}
	}
	found, err := itemsWhere(tx, `n IN (SELECT value FROM json_each(?))`, sqlite.List(ns))
	if err != nil {
		return err
	}
	a.items = make(map[int64]*Item, len(found))
	for i := range found {
		a.items[found[i].n] = &found[i]
	}
	if a.Tier == Conversation {
		a.archived, err = conversationArchived(tx, a.Conversation)
	}
	return err
}

// current returns an item if it is active and as it was planned, apart from changes by
// the pass.
func (a *applier) current(n int64, revision int) *Item {
	it := a.items[n]
	if it == nil || !it.Live() || it.Scope() != a.Scope || it.Revision != revision+a.own[n] {
		return nil
	}
	return it
}

// step applies a step if it still holds, using current times and accesses.
func (a *applier) step(tx *sqlite.Tx, s *step) (bool, error) {
	it, keep := a.current(s.n, s.revision), (*Item)(nil)
	if it == nil {
		return false, nil
	}
	holds, err := false, error(nil)
	switch s.Op {
	case OpExpire:
		holds = it.hasExpired(tx.Now)
	case OpEnd:
		holds = it.Lifetime == LifeConversation && a.archived
	case OpPromote:
		var sessions int
		sessions, err = sqlite.One[int](tx, `SELECT count(*) FROM asked WHERE item = ?`, it.n)
		holds = mayPromote(it, sessions)
	case OpArchive:
		holds = mayArchive(it, tx.Now)
	case OpMerge:
		keep = a.current(s.into, s.ofInto)
		holds = keep != nil && keep.Agent == it.Agent && keep.outranks(it)
	case OpCap:
		if a.live < 0 {
			a.live, err = liveIn(tx, a.Scope)
		}
		// A read since then has raised the item above others, which would have to go
		// instead. The last digits of a relevance may differ.
		holds = a.live > a.f.s.most() && !it.shielded(tx.Now) &&
			a.f.s.rates.Relevance(it, tx.Now) <= s.Relevance+1e-9
	}
	switch {
	case err != nil || !holds:
		return false, err
	case s.Op == OpPromote:
		return true, a.promote(tx, it, s.Why)
	case s.Op == OpMerge:
		return true, a.merge(tx, keep, it, s.Why)
	case a.live > 0:
		a.live--
	}
	if s.Op == OpExpire {
		return true, a.f.forget(tx, it, RuleExpired, "", s.Why)
	}
	return true, a.f.archive(tx, it, s.Why)
}

// promote makes an item long-term. Its text does not change, so its revision does not
// either, and an agent that has read it may still rewrite it.
func (a *applier) promote(tx *sqlite.Tx, it *Item, why string) error {
	it.Lifetime = LongTerm
	if _, err := tx.Exec(`UPDATE items SET lifetime = ? WHERE n = ?`, it.Lifetime,
		it.n); err != nil {
		return err
	}
	return a.f.itemEvent(tx, VerbPromoted, it, why)
}

// merge combines drop into keep and forgets drop.
func (a *applier) merge(tx *sqlite.Tx, keep, drop *Item, why string) error {
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
		if err := a.f.change(tx, keep, &now, nil, "merged with "+drop.ID, &warnings); err != nil {
			return err
		}
		a.own[keep.n]++
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
	return a.f.forget(tx, drop, RuleMerged, keep.ID, why)
}
