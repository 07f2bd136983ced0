package board

import (
	"context"
	"slices"

	"blackboard/board/store"
)

// Changes is the difference between two moments of a run.
type Changes struct {
	Posted   int64   // how many entries are new
	Entries  []Entry // the first of them
	Status   []StatusChange
	Signals  []Signal // raised, closed or opened again; as they are then
	Was      []string // the status of each of Signals before; "" if it is new
	Expected []Expected
	// Variables that were set; one that was deleted has no value.
	Variables []Variable
}

// StatusChange is an entry whose status changed.
type StatusChange struct {
	Entry Entry
	Was   string
}

// Since returns what has changed since an earlier moment. It reads at most limit new
// entries, and as many whose status changed.
func (p *Past) Since(ctx context.Context, before *Past, limit int) (c Changes, err error) {
	c.Posted = p.Posted - before.Posted
	found, err := p.Query(ctx, Query{Since: before.Seq, Order: Oldest, Limit: limit})
	if err != nil {
		return c, err
	}
	c.Entries = found.Entries
	ids := []int64{}
	for n := int64(1); n <= before.Posted && len(ids) < limit; n++ {
		if p.status[n] != before.status[n] {
			ids = append(ids, n)
		}
	}
	err = p.b.read(ctx, func(tx *store.Tx) error {
		entries, err := p.entries(tx, ids)
		for i := range entries {
			c.Status = append(c.Status, StatusChange{entries[i], before.Status(entries[i].ID)})
		}
		return err
	})
	for i, s := range p.Signals {
		was := ""
		if i < len(before.Signals) {
			was = before.Signals[i].Status
		}
		if s.Status != was {
			c.Signals, c.Was = append(c.Signals, s), append(c.Was, was)
		}
	}
	for _, x := range p.state.Expected {
		if !slices.Contains(before.state.Expected, x) {
			c.Expected = append(c.Expected, x)
		}
	}
	same := func(a, b Variable) bool { return a.Key == b.Key && a.Version == b.Version }
	for _, v := range p.state.Variables {
		if !slices.ContainsFunc(before.state.Variables,
			func(w Variable) bool { return same(v, w) }) {
			c.Variables = append(c.Variables, v)
		}
	}
	for _, v := range before.state.Variables {
		if !slices.ContainsFunc(p.state.Variables,
			func(w Variable) bool { return v.Key == w.Key }) {
			c.Variables = append(c.Variables, Variable{Key: v.Key})
		}
	}
	return c, err
}
