package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"blackboard/board/sqlite"
)

// stepsAtOnce is the number of steps in one transaction, so that other writers do not
// wait long.
const stepsAtOnce = 100

// apply applies the steps of a plan and stores the watermark.
func (p *pass) apply(ctx context.Context, moved func(int)) (Consolidated, error) {
	c := Consolidated{Scope: p.String(), Live: p.held, Notes: p.notes}
	if p.f == nil {
		return c, nil
	}
	a := &applier{pass: p, own: map[int64]int{}, id: newPassID()}
	still := len(p.steps) == 0 && p.moved == 0
	// without steps, only the watermark is written
	for at := 0; at < len(p.steps) || at == 0 && !still; at += stepsAtOnce {
		end := min(at+stepsAtOnce, len(p.steps))
		var sum Consolidated
		if err := p.f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
			did, err := a.do(tx, at, p.steps[at:end])
			if err != nil {
				return err
			}
			if sum = c.plus(did); end < len(p.steps) {
				return nil
			}
			if err := endPass(tx, sum.Pass); err != nil {
				return err
			}
			if sum.Live, err = liveIn(tx, p.Scope); err != nil {
				return err
			}
			return p.finish(tx, &sum, a.unmerged+a.unmergedNow == 0)
		}); err != nil {
			return c, err
		}
		c, a.own = sum, a.now
		a.unmerged += a.unmergedNow
		moved(end - at)
	}
	return c, nil
}

// plus adds two results.
func (c Consolidated) plus(did Consolidated) Consolidated {
	for _, op := range passOps {
		*c.count(op) += *did.count(op)
	}
	c.Skipped += did.Skipped
	c.Pass = cmp.Or(c.Pass, did.Pass)
	return c
}

// finish logs the pass. The watermark does not move if two items with the same statement
// could not be merged, since only another comparison would find them again.
func (p *pass) finish(tx *sqlite.Tx, c *Consolidated, compared bool) error {
	if c.Skipped > 0 {
		c.Notes = append(slices.Clone(c.Notes),
			fmt.Sprintf("%s no longer applied, because other writers changed their items; another pass checks them again", counted(c.Skipped, "step")))
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
	id string // of the pass
	// how often the pass has changed each item, in committed transactions
	own map[int64]int
	now map[int64]int // and in the current one
	// unmerged is how many merges were skipped.
	unmerged, unmergedNow int

	items    map[int64]*Item // items of this transaction's steps
	live     int             // items in the scope; -1: not counted yet
	archived bool
}

// do applies some steps in a transaction. It is called again if the transaction was not
// committed.
func (a *applier) do(tx *sqlite.Tx, at int, steps []step) (did Consolidated, err error) {
	a.now, a.unmergedNow, a.live, a.archived = maps.Clone(a.own), 0, -1, false
	if err := a.load(tx, steps); err != nil {
		return did, err
	}
	for i := range steps {
		s := &steps[i]
		done, err := a.step(tx, s)
		if err == nil && done {
			did.Pass = a.id
			err = a.f.keepStep(tx, a.id, a.Scope.String(), at+i, s.Op, s.Item, s.Into)
		}
		if err != nil {
			return did, err
		}
		if done {
			*did.count(s.Op)++
			continue
		}
		did.Skipped++
		if s.Op == OpMerge {
			a.unmergedNow++
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
	if it == nil || !it.Live() || it.Scope() != a.Scope || it.Revision != revision+a.now[n] {
		return nil
	}
	return it
}

// step applies a step if it still holds, using current times and accesses.
func (a *applier) step(tx *sqlite.Tx, s *step) (bool, error) {
	it := a.current(s.n, s.revision)
	if it == nil {
		return false, nil
	}
	rel := a.f.s.rates.Relevance(it, tx.Now)
	switch s.Op {
	case OpExpire:
		return a.forget(tx, it, it.hasExpired(tx.Now), RuleExpired, s.Why)
	case OpEnd:
		return a.archive(tx, it, it.Lifetime == LifeConversation && a.archived, s.Why)
	case OpPromote:
		sessions, err := sqlite.One[int](tx, `SELECT count(*) FROM asked WHERE item = ?`, it.n)
		if err != nil || !mayPromote(it, sessions) {
			return false, err
		}
		return true, a.promote(tx, it, s.Why)
	case OpArchive:
		return a.archive(tx, it, mayArchive(it, tx.Now), s.Why)
	case OpMerge:
		keep := a.current(s.into, s.ofInto)
		if keep == nil || keep.Agent != it.Agent || !keep.outranks(it) {
			return false, nil
		}
		return true, a.merge(tx, keep, it, s.Why)
	case OpCap:
		if a.live < 0 {
			var err error
			if a.live, err = liveIn(tx, a.Scope); err != nil {
				return false, err
			}
		}
		// A read since then has raised the item above others, which would have to go
		// instead. The last digits of a relevance may differ.
		is := a.live > a.f.s.most() && !it.shielded(tx.Now) && rel <= s.Relevance+1e-9
		return a.archive(tx, it, is, s.Why)
	}
	return false, fmt.Errorf("a step %q is unknown", s.Op)
}

func (a *applier) forget(tx *sqlite.Tx, it *Item, is bool, rule, why string) (bool, error) {
	if !is {
		return false, nil
	}
	if a.live > 0 {
		a.live--
	}
	return true, a.f.forget(tx, it, rule, "", why)
}

// archive archives an item if a condition holds.
func (a *applier) archive(tx *sqlite.Tx, it *Item, is bool, why string) (bool, error) {
	if !is {
		return false, nil
	}
	if a.live > 0 {
		a.live--
	}
	return true, a.f.archive(tx, it, why)
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
		a.now[keep.n]++
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
