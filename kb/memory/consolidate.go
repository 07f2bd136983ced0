package memory

import (
	"context"
	"errors"
	"slices"
	"time"

	"blackboard/board/sqlite"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

// What consolidation goes by.
const (
	PromoteAbove    = 0.7    // a short-term item with more relevance than this
	PromoteAccesses = 3      // and more accesses than this becomes long-term
	PruneBelow      = 0.01   // a short-term item with less relevance than this is forgotten
	MergeCosine     = 0.95   // items of at least this cosine say the same
	Cap             = 10_000 // how many live items a scope holds at most
	DueItems        = 500    // how many new and changed items make a pass due
)

// An item of this importance that was asked for within this time is never pruned, and not counted out when a scope is full. It may be merged: the item that stays carries on.
const (
	shieldFrom = 0.9
	shieldFor  = 30 * 24 * time.Hour
)

// What a pass does to an item, in the order in which it does it.
const (
	OpExpire  = "expire"  // its time was over
	OpEnd     = "end"     // it was to live as long as its conversation, which is archived
	OpPromote = "promote" // short-term becomes long-term
	OpPrune   = "prune"   // short-term, and nobody cared for it for long
	OpMerge   = "merge"   // another says the same
	OpCap     = "cap"     // the scope holds too much, and this counts least
)

// Step is one thing that a pass does.
type Step struct {
	Op        string  `json:"op"`        // expire, end, promote, prune, merge, cap
	Item      string  `json:"item"`      // id
	Into      string  `json:"into"`      // of a merge: the item that stays
	Relevance float64 `json:"relevance"` // when it was planned
	Why       string  `json:"why"`       // one line for a person, without any content of the item
}

// Plan is what a pass over a scope would do now.
type Plan struct {
	Scope string    `json:"scope"`
	At    time.Time `json:"at"`
	Live  int       `json:"live"` // items that the scope holds now
	Steps []Step    `json:"steps"`
	Notes []string  `json:"notes"` // what a person should know: that a scope stays above Cap, and why
}

// Consolidated is what a pass over a scope did.
type Consolidated struct {
	Scope    string   `json:"scope"`
	Live     int      `json:"live"` // items that the scope holds afterwards
	Expired  int      `json:"expired"`
	Ended    int      `json:"ended"`
	Promoted int      `json:"promoted"`
	Pruned   int      `json:"pruned"`
	Merged   int      `json:"merged"`
	Capped   int      `json:"capped"`
	Skipped  int      `json:"skipped"` // steps that no longer held when their turn came: others had read, changed or forgotten the item
	Notes    []string `json:"notes"`
}

func (c *Consolidated) count(op string) *int {
	return map[string]*int{OpExpire: &c.Expired, OpEnd: &c.Ended, OpPromote: &c.Promoted, OpPrune: &c.Pruned, OpMerge: &c.Merged, OpCap: &c.Capped}[op]
}

// within is a scope and the file that has it, nil if nothing is remembered there yet.
type within struct {
	Scope
	f    *file
	near *store.Nearby // of the file
}

// PlanConsolidation says what Consolidate would do now, and does nothing. Without scopes it looks at every one that the caller reaches and that holds items. Items count whoever they
// belong to: a plan shows ids, nothing of what they say, and counts those that the caller may not see.
func (s *Store) PlanConsolidation(ctx context.Context, scopes []Scope) ([]Plan, error) {
	s.Flush(ctx)
	all, err := s.within(ctx, scopes)
	if err != nil {
		return nil, err
	}
	plans := []Plan{}
	for _, w := range all {
		p, err := s.plan(ctx, w, func(int) {})
		if err != nil {
			return nil, err
		}
		plan := Plan{Scope: w.String(), At: p.now, Live: p.held, Steps: []Step{}, Notes: p.notes}
		for i := range p.steps {
			if s.visible(p.steps[i].agent) {
				plan.Steps = append(plan.Steps, p.steps[i].Step)
			}
		}
		if n := len(p.steps) - len(plan.Steps); n > 0 {
			plan.Notes = append(plan.Notes, counted(n, "more step")+" for private items of other agents")
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// Consolidate makes a pass over scopes, without scopes over every one that the caller reaches and that holds items. It plans on a snapshot, and then does the steps, some in each transaction,
// where each looks once more whether it still holds. So an interrupted pass is resumed by another one, and leaves a tier that is coherent as far as it came. progress is called with how many
// items were looked at and steps done, of how many that are known of by then.
func (s *Store) Consolidate(ctx context.Context, scopes []Scope, progress func(done, of int)) ([]Consolidated, error) {
	s.Flush(ctx)
	all, err := s.within(ctx, scopes)
	if err != nil {
		return nil, err
	}
	done, of := 0, 0
	for _, w := range all {
		n, err := w.live(ctx)
		if err != nil {
			return nil, err
		}
		of += n
	}
	moved := func(n int) {
		done += n
		of = max(of, done)
		if progress != nil && n > 0 {
			progress(done, of)
		}
	}
	out := []Consolidated{}
	for _, w := range all {
		p, err := s.plan(ctx, w, moved)
		if err != nil {
			return out, err
		}
		of += len(p.steps)
		c, err := p.apply(ctx, moved)
		out = append(out, c)
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// within finds the files of scopes, nil for all that the caller reaches and that hold live items. A scope that is named must be there.
func (s *Store) within(ctx context.Context, scopes []Scope) ([]within, error) {
	all := []within{}
	if scopes == nil {
		for f, err := range s.reached(ctx) {
			if err != nil {
				return nil, err
			}
			held, err := f.held(ctx)
			if err != nil {
				return nil, err
			}
			var taken []string
			if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) (err error) {
				taken, err = s.takenScopes(tx)
				return err
			}); err != nil {
				return nil, err
			}
			near := f.Nearby()
			for _, h := range held {
				if s.Reaches(h.Tier) && (h.Tier != Conversation || s.takesAll() || slices.Contains(taken, h.String())) {
					all = append(all, within{h.Scope, f, near})
				}
			}
		}
		return all, nil
	}
	files := map[*file]*store.Nearby{}
	for _, sc := range scopes {
		it := Item{Tier: sc.Tier, Channel: sc.Channel, Conversation: sc.Conversation}
		if it.Tier != Channel {
			it.Channel = "" // no other tier has any
		}
		sc = it.Scope()
		if err := sc.check(); err != nil {
			return nil, err
		}
		f, err := s.file(ctx, sc.Tier, false)
		if err != nil && !errors.Is(err, errNoFile) {
			return nil, err
		}
		if f != nil {
			if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
				switch sc.Tier {
				case Channel:
					return f.checkChannel(tx, sc.Channel)
				case Conversation:
					c, err := conversation(tx, sc.Conversation)
					if err == nil {
						err = s.takes(tx, &c)
					}
					return err
				}
				return nil
			}); err != nil {
				return nil, err
			}
		}
		if f != nil && files[f] == nil {
			files[f] = f.Nearby()
		}
		if !slices.ContainsFunc(all, func(w within) bool { return w.Scope == sc }) {
			all = append(all, within{sc, f, files[f]})
		}
	}
	return all, nil
}

// where says in SQL which items are in a scope and live.
func (s Scope) where() (string, []any) {
	if s.Tier == Conversation {
		return `tier = ? AND channel = '' AND conversation = ? AND forgotten IS NULL`, []any{s.Tier, s.Conversation}
	}
	return `tier = ? AND channel = ? AND forgotten IS NULL`, []any{s.Tier, s.Channel}
}

// filter says to the index what where says to SQL, for items that have exactly these readers.
func (s Scope) filter(agent string) index.Filter {
	f := index.Filter{All: [][]string{{kwTier + s.Tier}, {keyword(kwAgent, agent)}}}
	switch s.Tier {
	case Channel:
		f.All = append(f.All, []string{kwChannel + s.Channel})
	case Conversation:
		f.All = append(f.All, []string{kwConversation + s.Conversation})
	}
	return f
}

func (w *within) live(ctx context.Context) (n int, err error) {
	if w.f == nil {
		return 0, nil
	}
	err = w.f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		n, err = liveIn(tx, w.Scope)
		return err
	})
	return n, err
}

func liveIn(tx *sqlite.Tx, sc Scope) (int, error) {
	where, args := sc.where()
	return sqlite.One[int](tx, `SELECT count(*) FROM items WHERE `+where, args...)
}
