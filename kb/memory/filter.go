package memory

import (
	"fmt"
	"time"

	"blackboard/board/sqlite"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

// where says in SQL what a query's filters say, for who goes without the index.
func (q *Query) where(tier, agent string, now time.Time) (string, []any) {
	w := `tier = ? AND ` + q.state() + ` AND agent IN ('', ?) AND (expires IS NULL OR expires > ?) AND importance >= ?`
	args := []any{tier, agent, now.UnixMilli(), q.MinImportance}
	if tier == Channel && q.Channel != "" {
		w += ` AND channel = ?`
		args = append(args, q.Channel)
	}
	if tier == Conversation {
		w += ` AND channel = '' AND conversation = ?`
		args = append(args, q.Conversation)
	}
	if len(q.Curators) > 0 {
		w += ` AND curator IN (SELECT value FROM json_each(?))`
		args = append(args, sqlite.List(q.Curators))
	}
	if len(q.Sources) > 0 {
		w += ` AND source IN (SELECT value FROM json_each(?))`
		args = append(args, sqlite.List(q.Sources))
	}
	if len(q.Tags) > 0 {
		w += ` AND EXISTS (SELECT 1 FROM json_each(items.tags) WHERE value IN (SELECT value FROM json_each(?)))`
		args = append(args, sqlite.List(q.Tags))
	}
	return w, args
}

// Conditions of live and of archived items.
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
			return nil, fmt.Errorf("%w: it has item %d, which is not there", index.ErrCorrupt, n)
		}
	}
	return byN, nil
}

// filter says the same as where, to the index.
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

// lightItems reads what relevance is made of, of those that have not expired.
func lightItems(tx *sqlite.Tx, ns []int64, minImportance float64) (map[int64]*Item, error) {
	out := make(map[int64]*Item, len(ns))
	var it Item
	err := tx.Each([]any{&it.n, &it.Importance, &it.Accesses, sqlite.Time(&it.Accessed), sqlite.Time(&it.Created)}, func() error {
		out[it.n] = new(it)
		return nil
	}, `SELECT n, importance, accesses, accessed, created FROM items WHERE n IN (SELECT value FROM json_each(?)) AND (expires IS NULL OR expires > ?) AND importance >= ?`,
		sqlite.List(ns), tx.Now.UnixMilli(), minImportance)
	return out, err
}
