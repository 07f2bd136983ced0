package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"blackboard/board/clash"
	"blackboard/board/sqlite"
	"blackboard/board/words"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

// Thresholds of groups.
const (
	GroupCosine = 0.75 // least cosine of items about one thing
	GroupWords  = 0.5  // without embeddings: least share of common words
	GroupMost   = 20   // most items of a group
)

// groupNear is how many neighbours of an item are considered.
const groupNear = 5 * GroupMost

// Group is a set of items that an agent may rewrite into one: items of one scope, with
// the same readers, about one thing.
type Group struct {
	ID    string      `json:"group"`
	Scope string      `json:"scope"`
	Items []GroupItem `json:"items"` // the oldest first
	// Contradictions are pairs of items that may not both be true: a common text must
	// decide.
	Contradictions []Clash `json:"contradictions"`
}

// Clash is a pair of items about one thing that may not both be true.
type Clash struct {
	A   string   `json:"a"` // ids
	B   string   `json:"b"`
	Why []string `json:"why"` // conflicting statements, A's first
}

// Contradiction is a clash with the texts of both items, the older first.
type Contradiction struct {
	Scope string      `json:"scope"`
	Items []GroupItem `json:"items"` // two items
	Why   []string    `json:"why"`
}

// GroupItem has what a rewriter needs of an item.
type GroupItem struct {
	ID         string    `json:"id"`
	Revision   int       `json:"revision"`
	Title      string    `json:"title"`
	Content    string    `json:"content"`
	Importance float64   `json:"importance"`
	Created    time.Time `json:"created"`
	Curator    string    `json:"curator"`
	Source     string    `json:"source"`
	Accesses   int       `json:"access_count"` // how often it was read
	Tags       []string  `json:"tags"`
}

// Groups returns groups of items about one thing that the caller may see, the largest
// first (limit 0 means all; no item is in two groups), and all pairs that may not both be
// true (package clash). Without scopes it reads every scope that the caller can reach. It
// does not count as an access.
func (s *Store) Groups(ctx context.Context, scopes []Scope, limit int) (
	groups []Group, clashing []Contradiction, err error) {
	if limit < 0 {
		return nil, nil, invalid(fmt.Sprintf("the limit %d is negative", limit), "0 lists all")
	}
	s.Flush(ctx)
	all, err := s.scopeFiles(ctx, scopes)
	if err != nil {
		return nil, nil, err
	}
	groups, clashing = []Group{}, []Contradiction{}
	for _, w := range all {
		found, pairs, err := w.related(ctx)
		if err != nil {
			return nil, nil, err
		}
		groups, clashing = append(groups, found...), append(clashing, pairs...)
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return len(b.Items) - len(a.Items) })
	if limit > 0 {
		groups = groups[:min(limit, len(groups))]
	}
	return groups, clashing, nil
}

// related finds the groups and contradictions of a scope.
func (w *scopeFile) related(ctx context.Context) (
	groups []Group, clashing []Contradiction, err error) {
	clashing = []Contradiction{}
	if w.f == nil {
		return nil, clashing, nil
	}
	err = w.f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		if archived, err := conversationArchived(tx, w.Conversation); err != nil || archived {
			return err // an archived conversation is closed, so nothing in it is rewritten
		}
		g := &grouping{scopeFile: *w, byN: map[int64]int{}}
		if err := g.link(ctx, tx); err != nil {
			return err
		}
		if err := g.clash(ctx, tx); err != nil {
			return err
		}
		if err := g.stale(ctx, tx); err != nil {
			return err
		}
		if clashing, err = g.contradictions(tx); err != nil {
			return err
		}
		groups, err = g.makeGroups(tx)
		return err
	})
	return groups, clashing, err
}

// grouping finds the groups of a scope.
type grouping struct {
	scopeFile
	all     []grouped
	byN     map[int64]int
	clashes []clashing
}

// clashing has the indexes of two contradicting items, the older first.
type clashing struct {
	a, b int
	why  []string
}

// grouped is an item with its neighbours, the nearest first.
type grouped struct {
	Item
	near []link
}

type link struct {
	to   int
	like float64
}

// link finds the neighbours of each item.
func (g *grouping) link(ctx context.Context, tx *sqlite.Tx) error {
	where, args := g.where()
	var it Item
	if err := tx.Each([]any{
		&it.n, &it.Agent, &it.Importance, &it.Accesses, sqlite.Time(&it.Created), &it.Model},
		func() error {
			g.byN[it.n] = len(g.all)
			g.all = append(g.all, grouped{Item: it})
			return nil
		}, `SELECT n, agent, importance, accesses, created, model FROM items WHERE `+where+
			` AND agent IN ('', ?) AND (expires IS NULL OR expires > ?) ORDER BY n`,
		append(args, g.f.s.opt.Agent, tx.Now.UnixMilli())...); err != nil {
		return err
	}
	model, _, err := g.f.Index.Model(tx)
	if err != nil {
		return err
	}
	has := func(i int) bool { return model != "" && g.all[i].Model == model }
	if err := g.byMeaning(ctx, tx, model, has); err != nil {
		return err
	}
	return g.byWords(ctx, tx, has)
}

// clash compares each item with its nearest neighbours.
func (g *grouping) clash(ctx context.Context, tx *sqlite.Tx) error {
	text := make([]clash.Text, len(g.all))
	where, args := g.where()
	var it Item
	if err := tx.Each([]any{&it.n, &it.Title, &it.Content}, func() error {
		if i, there := g.byN[it.n]; there && len(g.all[i].near) > 0 {
			text[i] = clash.Text{Title: it.Title, Body: it.Content}
		}
		return nil
	}, `SELECT n, title, content FROM items WHERE `+where, args...); err != nil {
		return err
	}
	seen := map[[2]int]bool{}
	for i := range g.all {
		if err := ctx.Err(); err != nil {
			return err
		}
		near := g.all[i].near
		slices.SortFunc(near, func(a, b link) int {
			return cmp.Or(cmp.Compare(b.like, a.like), cmp.Compare(a.to, b.to))
		})
		for _, l := range near[:min(len(near), GroupMost)] {
			pair := [2]int{min(i, l.to), max(i, l.to)}
			if seen[pair] || g.all[i].Agent != g.all[l.to].Agent {
				continue
			}
			seen[pair] = true
			why := clash.Reasons(text[pair[0]], text[pair[1]])
			if other := clash.Exchanged(text[pair[0]], text[pair[1]]); len(why) == 0 &&
				other != "" {
				why = []string{other}
			}
			if len(why) > 0 {
				g.clashes = append(g.clashes, clashing{pair[0], pair[1], why})
			}
		}
	}
	return nil
}

// mostContradictions is the most pairs listed for a scope.
const mostContradictions = 200

func (g *grouping) contradictions(tx *sqlite.Tx) ([]Contradiction, error) {
	all := []Contradiction{}
	for _, c := range g.clashes[:min(len(g.clashes), mostContradictions)] {
		found, err := itemsWhere(tx, `n IN (?, ?) ORDER BY n`, g.all[c.a].n, g.all[c.b].n)
		if err != nil {
			return nil, err
		}
		pair := Contradiction{Scope: g.String(), Why: c.why}
		for i := range found {
			pair.Items = append(pair.Items, groupItem(&found[i]))
		}
		all = append(all, pair)
	}
	return all, nil
}

func (g *grouping) byMeaning(ctx context.Context, tx *sqlite.Tx, model string,
	has func(int) bool) error {
	var ask []int
	var ns []int64
	for i := range g.all {
		if has(i) {
			ask, ns = append(ask, i), append(ns, g.all[i].n)
		}
	}
	return g.f.EachVector(ctx, tx, ns, func(k int, v embed.Vector) error {
		if v == nil {
			return nil
		}
		it := &g.all[ask[k]]
		found, err := g.near.Search(tx,
			index.Query{Vector: v, Model: model, Depth: groupNear, Near: GroupCosine,
				Filter: g.Scope.filter(it.Agent)}, len(ask), len(g.all))
		if err != nil {
			return err
		}
		for _, c := range found {
			if j, there := g.byN[c.ID]; there && j != ask[k] {
				it.near = append(it.near, link{j, c.Cosine})
			}
		}
		return nil
	})
}

// byWords compares items by words where one of two has no embedding. Two items that
// share half of their words share one of the rarer half of each (prefix filter;
// Chaudhuri et al., ICDE 2006), so only such pairs are compared.
func (g *grouping) byWords(ctx context.Context, tx *sqlite.Tx, has func(int) bool) error {
	if !slices.ContainsFunc(g.all, func(it grouped) bool { return !has(g.byN[it.n]) }) {
		return nil
	}
	words, err := g.words(tx)
	if err != nil {
		return err
	}
	type place struct {
		agent string
		word  int
	}
	by := map[place][]int{}
	prefix := func(i int) []int {
		return words[i][:len(words[i])-(len(words[i])+1)/2+min(1, len(words[i]))]
	}
	for i := range g.all {
		for _, w := range prefix(i) {
			by[place{g.all[i].Agent, w}] = append(by[place{g.all[i].Agent, w}], i)
		}
	}
	seen := make([]int, len(g.all)) // last item that compared it, from 1
	for i := range g.all {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, w := range prefix(i) {
			for _, j := range by[place{g.all[i].Agent, w}] {
				if len(g.all[i].near) >= groupNear {
					break
				}
				if j == i || seen[j] == i+1 || has(i) && has(j) {
					continue
				}
				seen[j] = i + 1
				if like := jaccard(words[i], words[j]); like >= GroupWords {
					g.all[i].near = append(g.all[i].near, link{j, like})
				}
			}
		}
	}
	return nil
}

// words returns the distinct words of each item as numbers, the rarest first: the more
// items have a word, the higher its number.
func (g *grouping) words(tx *sqlite.Tx) ([][]int, error) {
	type counted struct {
		word  string
		items int
	}
	byWord := map[string]int{}
	var all []counted
	lists := make([][]int, len(g.all))
	where, args := g.where()
	var it Item
	err := tx.Each([]any{&it.n, &it.Title, &it.Content}, func() error {
		i, there := g.byN[it.n]
		if !there {
			return nil
		}
		list := words.Split(embeddingText(&it), "")
		slices.Sort(list)
		for _, w := range slices.Compact(list) {
			k, known := byWord[w]
			if !known {
				k = len(all)
				byWord[w] = k
				all = append(all, counted{word: w})
			}
			all[k].items++
			lists[i] = append(lists[i], k)
		}
		return nil
	}, `SELECT n, title, content FROM items WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	order := make([]int, len(all))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(all[a].items-all[b].items, cmp.Compare(all[a].word, all[b].word))
	})
	number := make([]int, len(all))
	for at, k := range order {
		number[k] = at
	}
	for _, list := range lists {
		for at, k := range list {
			list[at] = number[k]
		}
		slices.Sort(list)
	}
	return lists, nil
}

// jaccard returns the Jaccard similarity of two sorted lists.
func jaccard(a, b []int) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := cmp.Compare(a[i], b[j]); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// makeGroups makes a group around the item with the most neighbours, of the nearest that
// are in no group yet, and so on.
func (g *grouping) makeGroups(tx *sqlite.Tx) ([]Group, error) {
	order := make([]int, len(g.all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(len(g.all[b].near)-len(g.all[a].near), g.all[a].rank(&g.all[b].Item))
	})
	taken := make([]bool, len(g.all))
	var groups []Group
	for _, seed := range order {
		if taken[seed] {
			continue
		}
		near := g.all[seed].near // the nearest first: see clash
		in := []int64{g.all[seed].n}
		for _, l := range near {
			if !taken[l.to] && len(in) < GroupMost {
				taken[l.to] = true
				in = append(in, g.all[l.to].n)
			}
		}
		if len(in) == 1 {
			continue // another group may still include it
		}
		taken[seed] = true
		group, err := g.group(tx, in)
		if err != nil {
			return nil, err
		}
		groups = append(groups, group)
	}
	return groups, nil
}

func (g *grouping) group(tx *sqlite.Tx, ns []int64) (Group, error) {
	out := Group{Scope: g.String(), Contradictions: []Clash{}}
	found, err := itemsWhere(tx, `n IN (SELECT value FROM json_each(?)) ORDER BY created, n`,
		sqlite.List(ns))
	name, byN := sha256.New(), map[int64]string{}
	for i := range found {
		it := &found[i]
		fmt.Fprintln(name, it.ID)
		out.Items = append(out.Items, groupItem(it))
		byN[it.n] = it.ID
	}
	for _, c := range g.clashes {
		if a, b := byN[g.all[c.a].n], byN[g.all[c.b].n]; a != "" && b != "" {
			out.Contradictions = append(out.Contradictions, Clash{a, b, c.why})
		}
	}
	out.ID = store.IDOf('g', [10]byte(name.Sum(nil)))
	return out, err
}

func groupItem(it *Item) GroupItem {
	return GroupItem{it.ID, it.Revision, it.Title, it.Content, it.Importance, it.Created,
		it.Curator, it.Source, it.Accesses, it.Tags}
}
