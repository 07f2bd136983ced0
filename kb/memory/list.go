package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"blackboard/board/sqlite"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

// ListQuery's lists are filters: an item must match one value of each that is not empty.
type ListQuery struct {
	Tiers        []string // nil: all that the caller can reach
	Channel      string
	Conversation string
	Tags         []string
	Curators     []string
	Sources      []string
	Lifetimes    []string
	Private      bool   // only the caller's private items
	Forgotten    bool   // include archived, forgotten and expired items
	Archived     bool   // only archived items
	Before       string // only items after this one, the last of the previous page
	Limit        int    // 0: all
}

// List lists items, the newest first, and whether there are more. It counts as no access.
func (s *Store) List(ctx context.Context, q ListQuery) (all []Item, more bool, err error) {
	if err := s.checkList(&q); err != nil {
		return nil, false, err
	}
	after := position{created: 1 << 62}
	if q.Before != "" {
		_, it, err := s.find(ctx, q.Before)
		if err != nil {
			return nil, false, err
		}
		after = position{it.Created.UnixMilli(), it.ID}
	}
	all = []Item{}
	for _, account := range []bool{false, true} {
		tiers := slices.DeleteFunc(slices.Clone(q.Tiers),
			func(t string) bool { return (t == Account) != account })
		if len(tiers) == 0 {
			continue
		}
		if err := s.reading(ctx, tiers[0], func(f *file, tx *sqlite.Tx) error {
			found, err := f.list(tx, &q, tiers, after)
			all = append(all, found...)
			return err
		}); err != nil {
			return nil, false, err
		}
	}
	slices.SortFunc(all, func(a, b Item) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	if q.Limit > 0 && len(all) > q.Limit {
		return all[:q.Limit], true, nil
	}
	return all, false, nil
}

func (s *Store) checkList(q *ListQuery) error {
	if q.Tiers == nil {
		for _, t := range Tiers {
			if s.Reaches(t) {
				q.Tiers = append(q.Tiers, t)
			}
		}
	}
	if err := cmp.Or(s.checkFilters(q.Tiers, q.Channel, q.Conversation, q.Curators),
		oneOf("lifetime", Lifetimes, q.Lifetimes...)); err != nil {
		return err
	}
	if q.Limit < 0 {
		return invalid(fmt.Sprintf("the limit %d is negative", q.Limit), "0 lists all")
	}
	if q.Private {
		return s.needAgent(ownItems)
	}
	return nil
}

// position is where a page begins: after the item with this time in Unix milliseconds and this id.
type position struct {
	created int64
	id      string
}

// list reads a page of the items of some tiers, and one more.
func (f *file) list(tx *sqlite.Tx, q *ListQuery, tiers []string, after position) ([]Item, error) {
	if q.Channel != "" && !f.account {
		if err := f.checkChannel(tx, q.Channel); err != nil {
			return nil, err
		}
	}
	limit := -1
	if q.Limit > 0 {
		limit = q.Limit + 1
	}
	agent := f.s.opt.Agent
	taken, err := f.s.conversationRefs(tx)
	if err != nil {
		return nil, err
	}
	return itemsWhere(tx, `tier IN (SELECT value FROM json_each(?1)) AND agent IN (?2, ?3)
		AND CASE WHEN ?16 THEN archived IS NOT NULL ELSE ?4 OR `+isLive+` AND (expires IS NULL OR expires > ?5) END
		AND (?6 = '' OR channel = ?6) AND (?7 = '' OR conversation = ?7)
		AND (?8 = '[]' OR curator IN (SELECT value FROM json_each(?8)))
		AND (?9 = '[]' OR source IN (SELECT value FROM json_each(?9)))
		AND (?10 = '[]' OR lifetime IN (SELECT value FROM json_each(?10)))
		AND (?11 = '[]' OR EXISTS (SELECT 1 FROM json_each(items.tags) WHERE value IN (SELECT value
		FROM json_each(?11))))
		AND (tier <> 'conversation' OR ?15 IS NULL OR conversation IN (SELECT value
		FROM json_each(?15)))
		AND (created < ?12 OR created = ?12 AND id < ?13) ORDER BY created DESC, id DESC
		LIMIT ?14`,
		sqlite.List(tiers), map[bool]string{true: agent}[q.Private], agent, q.Forgotten,
		tx.Now.UnixMilli(), q.Channel, q.Conversation, sqlite.List(q.Curators),
		sqlite.List(q.Sources),
		sqlite.List(q.Lifetimes), sqlite.List(q.Tags), after.created, after.id, limit, taken,
		q.Archived)
}

// Revisions returns the earlier versions of an item, the oldest first. A note has none.
func (s *Store) Revisions(ctx context.Context, id string) ([]Item, error) {
	if isNote(id) {
		_, _, err := s.findNote(ctx, id, noteKept)
		return []Item{}, err // a correction replaces its text
	}
	f, _, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	var all []Item
	err = f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		all, err = sqlite.All(tx,
			func(it *Item) []any { return []any{sqlite.JSON(it, "a revision of %s that", &id)} },
			`SELECT before FROM revisions WHERE subject = ? ORDER BY revision`, id)
		return err
	})
	return all, err
}

// LastTextChange returns when the text or the source of an item was last set.
func (s *Store) LastTextChange(ctx context.Context, it *Item) time.Time {
	before, _ := s.Revisions(ctx, it.ID) // whoever reads the item reports the error
	at := it.Updated
	for _, was := range slices.Backward(before) {
		if was.Content != it.Content || was.Title != it.Title ||
			was.DerivedFrom != it.DerivedFrom {
			return at
		}
		at = was.Updated
	}
	return it.Created
}

// Stats are how much the caller may know of.
type Stats struct {
	Live          map[string]int // active items by tier, including others' private items
	Agents        map[string]int // private items and notes by agent
	Conversations int
}

func (s *Store) Stats(ctx context.Context) (Stats, error) {
	all := Stats{Live: map[string]int{}, Agents: map[string]int{}}
	for f, err := range s.reached(ctx) {
		if err == nil {
			err = f.Read(ctx, func(tx *sqlite.Tx) error { return f.stats(tx, &all) })
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

func (f *file) stats(tx *sqlite.Tx, st *Stats) error {
	held, err := f.s.ownScopes(tx)
	if err != nil {
		return err
	}
	for _, h := range held {
		st.Live[h.Tier] += h.live
	}
	var n int
	var agent string
	if err := tx.Each([]any{&agent, &n}, func() error {
		if f.s.opt.Author || agent == f.s.opt.Agent { // only a person may know the other agents
			st.Agents[agent] += n
		}
		return nil
	}, `SELECT agent, count(*) FROM (SELECT agent FROM items WHERE `+isLive+` AND agent <> ''
		UNION ALL SELECT agent FROM notes WHERE forgotten IS NULL) GROUP BY agent`); err != nil {
		return err
	}
	if f.account || !f.s.Reaches(Conversation) {
		return nil
	}
	st.Conversations, err = sqlite.One[int](tx, `SELECT count(*) FROM conversations`)
	return err
}

// where returns the filters of a query as SQL, for reads without the index.
func (q *Query) where(tier, agent string, now time.Time) (string, []any) {
	w := `tier = ? AND ` + q.state() +
		` AND agent IN ('', ?) AND (expires IS NULL OR expires > ?) AND importance >= ?`
	args := []any{tier, agent, now.UnixMilli(), q.MinImportance}
	if tier == Channel && q.Channel != "" {
		w += ` AND channel = ?`
		args = append(args, q.Channel)
	}
	if tier == Conversation {
		w += ` AND channel = '' AND conversation = ?`
		args = append(args, q.Conversation)
	}
	for column, values := range map[string][]string{"curator": q.Curators, "source": q.Sources} {
		if len(values) > 0 {
			w += ` AND ` + column + ` IN (SELECT value FROM json_each(?))`
			args = append(args, sqlite.List(values))
		}
	}
	if len(q.Tags) > 0 {
		w += ` AND EXISTS (SELECT 1 FROM json_each(items.tags) WHERE value IN (SELECT value
			FROM json_each(?)))`
		args = append(args, sqlite.List(q.Tags))
	}
	return w, args
}

const (
	isLive     = `forgotten IS NULL AND archived IS NULL`
	isArchived = `forgotten IS NULL AND archived IS NOT NULL`
)

func (q *Query) state() string {
	if q.Archived {
		return isArchived
	}
	return isLive
}

func itemsByN(tx *sqlite.Tx, ns []int64) (map[int64]*Item, error) {
	items, err := itemsWhere(tx, `n IN (SELECT value FROM json_each(?))`, sqlite.List(ns))
	if err != nil {
		return nil, err
	}
	byN := make(map[int64]*Item, len(items))
	for i := range items {
		byN[items[i].n] = &items[i]
	}
	for _, n := range ns {
		if byN[n] == nil {
			return nil, fmt.Errorf("%w: it has item %d, which does not exist", index.ErrCorrupt, n)
		}
	}
	return byN, nil
}

func (q *Query) filter(tier, agent string) index.Filter {
	f := index.Filter{All: [][]string{{kwTier + tier}, {kwAgent}}}
	if q.Archived {
		f.All = append(f.All, []string{kwArchived})
	} else {
		f.None = []string{kwArchived}
	}
	if agent != "" {
		f.All[1] = append(f.All[1], keyword(kwAgent, agent))
	}
	if tier == Channel && q.Channel != "" {
		f.All = append(f.All, []string{kwChannel + q.Channel})
	}
	if tier == Conversation {
		f.All = append(f.All, []string{kwConversation + q.Conversation})
	}
	for _, l := range []struct {
		prefix string
		values []string
	}{{kwCurator, q.Curators}, {kwSource, q.Sources}, {kwTag, q.Tags}} {
		store.Require(&f, keyword, l.prefix, l.values...)
	}
	return f
}

func lightItems(tx *sqlite.Tx, ns []int64, minImportance float64) (map[int64]*Item, error) {
	out := make(map[int64]*Item, len(ns))
	var it Item
	err := tx.Each([]any{&it.n, &it.Importance, &it.Accesses, sqlite.Time(&it.Accessed),
		sqlite.Time(&it.Created)}, func() error {
		out[it.n] = new(it)
		return nil
	}, `SELECT n, importance, accesses, accessed, created FROM items WHERE n IN (SELECT value
		FROM json_each(?)) AND (expires IS NULL OR expires > ?) AND importance >= ?`,
		sqlite.List(ns), tx.Now.UnixMilli(), minImportance)
	return out, err
}
