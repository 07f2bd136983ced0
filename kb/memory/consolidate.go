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
	PromoteSessions = 3 // a short-term item that so many sessions asked for becomes long-term
	// ArchiveAfter is for how long nobody read a short-term item that is archived. It is long:
	// old items cost a question nothing (package eval has the figures), and what is out of
	// sight answers none.
	ArchiveAfter = 365 * 24 * time.Hour
	ArchiveUnder = 0.75   // if it has less importance than this
	Cap          = 10_000 // how many live items a scope holds at most
	DueItems     = 500    // how many new and changed items make a pass due
	DueSession   = 20     // and how many at the end of a session
)

// An item of this importance that was asked for within this time stays when a scope is full. It may be merged: the item that stays carries on.
const (
	shieldFrom = 0.9
	shieldFor  = 30 * 24 * time.Hour
)

// What a pass does to an item, in the order in which it does it.
const (
	OpExpire  = "expire"  // forget: its time is over
	OpEnd     = "end"     // archive: it was to live as long as its conversation, which is archived
	OpPromote = "promote" // short-term becomes long-term
	OpArchive = "archive" // short-term, and nobody asked for it for long
	OpMerge   = "merge"   // forget: another makes the same statement
	OpCap     = "cap"     // archive: the scope holds too much, and this counts least
	OpRewrite = "rewrite" // forget: an agent wrote one item in the place of several
)

// passOps are what passes do; a rewrite is an agent's.
var passOps = []string{OpExpire, OpEnd, OpPromote, OpArchive, OpMerge, OpCap}

// Step is one thing that a pass does.
type Step struct {
	Op        string  `json:"op"`        // expire, end, promote, archive, merge, cap
	Item      string  `json:"item"`      // id
	Into      string  `json:"into"`      // of a merge: the item that stays
	Relevance float64 `json:"relevance"` // when it was planned
	Why       string  `json:"why"`       // one line for a person, without any content of the item
	Text      string  `json:"text"`      // what the item says
	IntoText  string  `json:"into_text"` // of a merge: what the item says that stays
}

// Plan is what a pass over a scope would do now.
type Plan struct {
	Scope string    `json:"scope"`
	At    time.Time `json:"at"`
	Live  int       `json:"live"` // items that the scope holds now
	Steps []Step    `json:"steps"`
	Notes []string  `json:"notes"` // what a person should know: that a scope stays above Cap, and why
	// Contradictions are what a pass does nothing about: somebody has to judge.
	Contradictions []Contradiction `json:"contradictions"`
}

// Consolidated is what a pass over a scope did.
type Consolidated struct {
	Scope    string   `json:"scope"`
	Live     int      `json:"live"` // items that the scope holds afterwards
	Expired  int      `json:"expired"`
	Ended    int      `json:"ended"`
	Promoted int      `json:"promoted"`
	Pruned   int      `json:"pruned"` // 0: what earlier versions pruned is archived
	Archived int      `json:"archived"`
	Merged   int      `json:"merged"`
	Capped   int      `json:"capped"`
	Skipped  int      `json:"skipped"` // steps that no longer held when their turn came: others had read, changed or forgotten the item
	Notes    []string `json:"notes"`
	Pass     string   `json:"pass"` // id for Undo; "": it changed nothing
}

func (c *Consolidated) count(op string) *int {
	return map[string]*int{OpExpire: &c.Expired, OpEnd: &c.Ended, OpPromote: &c.Promoted, OpArchive: &c.Archived, OpMerge: &c.Merged, OpCap: &c.Capped}[op]
}

// within is a scope and the file that has it, nil if nothing is remembered there yet.
type within struct {
	Scope
	f    *file
	near *store.Nearby // of the file, for groups and contradictions
}

// PlanConsolidation says what Consolidate would do now, and does nothing. Without scopes it looks at every one that the caller reaches and that holds items. Items count whoever they
// belong to: of steps for those that the caller may not see a plan gives the number.
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
		plan := Plan{Scope: w.String(), At: p.now, Live: p.held, Steps: []Step{}, Notes: p.notes, Contradictions: []Contradiction{}}
		for i := range p.steps {
			if s.visible(p.steps[i].agent) {
				plan.Steps = append(plan.Steps, p.steps[i].Step)
			}
		}
		if n := len(p.steps) - len(plan.Steps); n > 0 {
			plan.Notes = append(plan.Notes, counted(n, "more step")+" for private items of other agents")
		}
		if err := plan.quote(ctx, w.f, p.steps); err != nil {
			return nil, err
		}
		if _, plan.Contradictions, err = w.related(ctx); err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// quote adds what the items of its steps say. They are the caller's to see.
func (p *Plan) quote(ctx context.Context, f *file, steps []step) error {
	if len(p.Steps) == 0 {
		return nil
	}
	var ns []int64
	for i := range steps {
		ns = append(ns, steps[i].n, steps[i].into)
	}
	text := map[string]string{}
	err := f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		var it Item
		return tx.Each([]any{&it.ID, &it.Title, &it.Content}, func() error {
			text[it.ID] = embeddingText(&it)
			return nil
		}, `SELECT id, title, content FROM items WHERE n IN (SELECT value FROM json_each(?))`, sqlite.List(ns))
	})
	for i := range p.Steps {
		p.Steps[i].Text, p.Steps[i].IntoText = text[p.Steps[i].Item], text[p.Steps[i].Into]
	}
	return err
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
		return `tier = ? AND channel = '' AND conversation = ? AND ` + isLive, []any{s.Tier, s.Conversation}
	}
	return `tier = ? AND channel = ? AND ` + isLive, []any{s.Tier, s.Channel}
}

// filter says to the index what where says to SQL, for items that have exactly these readers.
func (s Scope) filter(agent string) index.Filter {
	f := index.Filter{All: [][]string{{kwTier + s.Tier}, {keyword(kwAgent, agent)}}, None: []string{kwArchived}}
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
