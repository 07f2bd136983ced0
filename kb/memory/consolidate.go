package memory

import (
	"context"
	"errors"
	"slices"
	"time"

	"blackboard/board/sqlite"
	"blackboard/board/text"
	"blackboard/kb/store"
)

// Rules of consolidation.
const (
	PromoteSessions = 3 // sessions that must ask for a short-term item to make it long-term
	// ArchiveAfter is the time without a read after which a short-term item is archived: long, as
	// old items make answers no worse (testdata/score).
	ArchiveAfter = 365 * 24 * time.Hour
	ArchiveUnder = 0.75   // only items of less importance than this
	Cap          = 10_000 // the most active items of a scope
	DueItems     = 500    // new and changed items that make a pass due
	DueSession   = 20     // the same a day after the last pass
)

// Important and read lately, an item stays when a scope is full.
const (
	shieldFrom = 0.9
	shieldFor  = 30 * 24 * time.Hour
)

// Operations of a pass, in this order.
const (
	OpExpire  = "expire"  // forget: it has expired
	OpEnd     = "end"     // archive: its conversation, which was its lifetime, is archived
	OpPromote = "promote" // make a short-term item long-term
	OpArchive = "archive" // archive: short-term and not read for long
	OpMerge   = "merge"   // forget: another item says the same
	// archive: the scope has too many items, and this has the least relevance
	OpCap = "cap"
)

// Step is one operation of a pass.
type Step struct {
	Op        string  `json:"op"`        // expire, end, promote, archive, merge, cap
	Item      string  `json:"item"`      // id
	Into      string  `json:"into"`      // of a merge: the kept item
	Relevance float64 `json:"relevance"` // at planning time
	Why       string  `json:"why"`       // one line for a person, without content of the item
	Text      string  `json:"text"`      // text of the item
	IntoText  string  `json:"into_text"` // of a merge: text of the kept item
}

// Plan is what a pass over a scope would do now.
type Plan struct {
	Scope string    `json:"scope"`
	At    time.Time `json:"at"`
	Live  int       `json:"live"` // items of the scope now
	Steps []Step    `json:"steps"`
	// remarks for a person, such as why a scope stays above Cap
	Notes []string `json:"notes"`
	// Contradictions need a decision; a pass does not change them.
	Contradictions []Contradiction `json:"contradictions"`
}

// Consolidated is the result of a pass over a scope.
type Consolidated struct {
	Scope    string   `json:"scope"`
	Live     int      `json:"live"`     // items of the scope afterwards
	Expired  int      `json:"expired"`  // expired items
	Ended    int      `json:"ended"`    // items that ended with their conversation
	Promoted int      `json:"promoted"` // items that became long-term
	Archived int      `json:"archived"` // items that were archived
	Merged   int      `json:"merged"`   // items that say the same as another
	Capped   int      `json:"capped"`   // items above the limit of a scope
	Skipped  int      `json:"skipped"`  // always 0: no step is out of date when it is done
	Notes    []string `json:"notes"`
}

func (c *Consolidated) count(op string) *int {
	return map[string]*int{OpExpire: &c.Expired, OpEnd: &c.Ended, OpPromote: &c.Promoted,
		OpArchive: &c.Archived, OpMerge: &c.Merged, OpCap: &c.Capped}[op]
}

// scopeFile is a scope and its file; nil if the file does not exist.
type scopeFile struct {
	Scope
	f    *file
	near *store.Nearby // of the file, to find groups and contradictions
}

// PlanConsolidation returns what Consolidate would do now, and changes nothing. Without scopes it
// plans every scope that the caller can reach and that has items. Items count whoever they belong
// to; for steps on items that the caller may not see, a plan has only their number.
func (s *Store) PlanConsolidation(ctx context.Context, scopes []Scope) ([]Plan, error) {
	s.Flush(ctx)
	all, err := s.scopeFiles(ctx, scopes)
	if err != nil {
		return nil, err
	}
	plans := []Plan{}
	for _, w := range all {
		p, err := s.plan(ctx, w)
		if err != nil {
			return nil, err
		}
		plan := Plan{Scope: w.String(), At: p.now, Live: p.held, Steps: []Step{}, Notes: p.notes,
			Contradictions: []Contradiction{}}
		for i := range p.steps {
			if s.visible(p.steps[i].it.Agent) {
				plan.Steps = append(plan.Steps, p.steps[i].Step)
			}
		}
		if n := len(p.steps) - len(plan.Steps); n > 0 {
			plan.Notes = append(plan.Notes,
				text.Count(int64(n), "more step", "more steps")+" for private items of other agents")
		}
		if _, plan.Contradictions, err = w.related(ctx); err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// Consolidate runs a pass over each scope, or over every scope that the caller can reach
// and that has items. A pass plans and applies its steps in one transaction, or in several if they
// are many. So another pass completes an interrupted one, and the tier is consistent at every moment.
func (s *Store) Consolidate(ctx context.Context, scopes []Scope) ([]Consolidated, error) {
	s.Flush(ctx)
	all, err := s.scopeFiles(ctx, scopes)
	if err != nil {
		return nil, err
	}
	out := []Consolidated{}
	for _, w := range all {
		c, err := s.consolidate(ctx, w)
		out = append(out, c)
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// scopeFiles returns the files of scopes, which must exist; nil: all with active items.
func (s *Store) scopeFiles(ctx context.Context, scopes []Scope) ([]scopeFile, error) {
	all := []scopeFile{}
	if scopes == nil {
		err := s.each(ctx, func(f *file, tx *sqlite.Tx) error {
			held, err := s.ownScopes(tx)
			near := f.Nearby()
			for _, h := range held {
				all = append(all, scopeFile{h.Scope, f, near})
			}
			return err
		})
		return all, err
	}
	files := map[*file]*store.Nearby{}
	for _, sc := range scopes {
		sc = sc.plain()
		if err := sc.check(); err != nil {
			return nil, err
		}
		f, err := s.file(ctx, sc.Tier, false)
		if err != nil && !errors.Is(err, errNoFile) {
			return nil, err
		}
		if f != nil {
			if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) (err error) {
				switch sc.Tier {
				case Channel:
					err = f.checkChannel(tx, sc.Channel)
				case Conversation:
					_, err = s.ownConversation(tx, sc.Conversation)
				}
				return err
			}); err != nil {
				return nil, err
			}
		}
		if f != nil && files[f] == nil {
			files[f] = f.Nearby()
		}
		if !slices.ContainsFunc(all, func(w scopeFile) bool { return w.Scope == sc }) {
			all = append(all, scopeFile{sc, f, files[f]})
		}
	}
	return all, nil
}

func (s Scope) where() (string, []any) {
	if s.Tier == Conversation {
		return `tier = ? AND channel = '' AND conversation = ? AND ` + isLive,
			[]any{s.Tier, s.Conversation}
	}
	return `tier = ? AND channel = ? AND ` + isLive, []any{s.Tier, s.Channel}
}

func liveIn(tx *sqlite.Tx, sc Scope) (int, error) {
	where, args := sc.where()
	return sqlite.One[int](tx, `SELECT count(*) FROM items WHERE `+where, args...)
}

// holding is what Due asks about a scope.
type holding struct {
	Scope
	live    int
	expired int
	loose   int   // items that could be archived if there were too many
	ended   int   // those that end with their conversation, which is archived
	fresh   int   // new and changed since the last pass
	last    int64 // the time of that
}

func heldScopes(tx *sqlite.Tx) ([]holding, error) {
	return sqlite.All(tx, func(h *holding) []any {
		return []any{&h.Tier, &h.Channel, &h.Conversation, &h.live, &h.expired, &h.loose, &h.ended, &h.fresh, &h.last}
	}, `SELECT tier, channel, CASE tier WHEN 'conversation' THEN conversation ELSE '' END AS conv, count(*),
		coalesce(sum(expires <= ?1), 0), sum(importance < ?2 OR accessed < ?3),
		sum(tier = 'conversation' AND lifetime = 'conversation'
			AND conversation IN (SELECT ref FROM conversations WHERE status = ?4)),
		sum(n > coalesce(upto, 0) OR updated > coalesce(at, 0)), coalesce(max(at), 0)
		FROM items LEFT JOIN consolidated ON scope = CASE tier WHEN 'channel' THEN 'channel:' || channel
			WHEN 'conversation' THEN 'conversation:' || conversation ELSE tier END
		WHERE `+isLive+` GROUP BY tier, channel, conv ORDER BY tier, channel, conv`,
		tx.Now.UnixMilli(), shieldFrom, tx.Now.Add(-shieldFor).UnixMilli(), StatusArchived)
}

// ownScopes are those that the caller can reach, and of conversations takes part in.
func (s *Store) ownScopes(tx *sqlite.Tx) ([]holding, error) {
	taken, err := s.conversationScopes(tx)
	if err != nil {
		return nil, err
	}
	held, err := heldScopes(tx)
	return slices.DeleteFunc(held, func(h holding) bool {
		return !s.Reaches(h.Tier) || h.Tier == Conversation && !s.inAllConversations() && !slices.Contains(taken, h.String())
	}), err
}

type watermark struct {
	there bool
	at    int64 // time of the pass
	upto  int64 // number of the newest item that it saw
}

func readWatermark(tx *sqlite.Tx, sc Scope) (w watermark, err error) {
	err = tx.QueryRow(`SELECT at, upto FROM consolidated WHERE scope = ?`, sc.String()).Scan(
		&w.at, &w.upto)
	if sqlite.IsNoRows(err) {
		return watermark{}, nil
	}
	w.there = err == nil
	return w, err
}

func (w *watermark) write(tx *sqlite.Tx, sc Scope) error {
	_, err := tx.Exec(`INSERT OR REPLACE INTO consolidated VALUES (?, ?, ?)`, sc.String(), w.at,
		w.upto)
	return err
}

// Due returns the scopes that the caller can reach and that need a pass: with expired items, or more
// active items than Cap of which some can be archived; archived conversations whose items end with
// them; and what has grown. It asks for no time since the last pass, so a missed pass is only late.
func (s *Store) Due(ctx context.Context) ([]Scope, error) {
	due := []Scope{}
	err := s.each(ctx, func(_ *file, tx *sqlite.Tx) error {
		held, err := heldScopes(tx)
		for _, h := range held {
			many := DueItems
			if tx.Now.Sub(time.UnixMilli(h.last)) >= 24*time.Hour {
				many = DueSession
			}
			// If all items of a scope are too important to archive, a pass cannot help.
			if s.Reaches(h.Tier) && (h.expired > 0 || h.live > s.most() && h.loose > 0 || h.ended > 0 || h.fresh >= many) {
				due = append(due, h.Scope)
			}
		}
		return err
	})
	return due, err
}

func (s *Store) most() int {
	if s.cap > 0 {
		return s.cap
	}
	return Cap
}
