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

const groupNear = 5 * GroupMost

// Group is a set of items to rewrite into one: same scope and readers, about one thing.
type Group struct {
	ID    string      `json:"group"`
	Scope string      `json:"scope"`
	Items []GroupItem `json:"items"` // the oldest first
}

// Contradiction is a pair of items about one thing that may not both be true.
type Contradiction struct {
	Scope string      `json:"scope"`
	Items []GroupItem `json:"items"` // the older first
	Why   []string    `json:"why"`   // conflicting statements
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

// Groups returns groups of items about one thing that the caller may see, the largest first (limit
// 0 means all; no item is in two groups), and all pairs that may not both be true (package clash).
// Without scopes it reads every scope that the caller can reach. It does not count as an access.
func (s *Store) Groups(ctx context.Context, scopes []Scope, limit int) (
	groups []Group, clashing []Contradiction, err error) {
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
		g := &grouping{scopeFile: *w}
		if err := g.link(ctx, tx); err != nil {
			return err
		}
		if err := g.clash(ctx); err != nil {
			return err
		}
		if err := g.stale(ctx); err != nil {
			return err
		}
		clashing, groups = g.contradictions(), g.makeGroups()
		return nil
	})
	return groups, clashing, err
}

type grouping struct {
	scopeFile
	all     []grouped
	words   *store.Words // of all
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

// link finds each item's neighbours by meaning, or by words where one has no embedding.
func (g *grouping) link(ctx context.Context, tx *sqlite.Tx) error {
	model, _, err := g.f.Index.Model(tx)
	if err != nil {
		return err
	}
	where, args := g.where()
	all, err := itemsWhere(tx, where+
		` AND agent IN ('', ?) AND (expires IS NULL OR expires > ?) ORDER BY n`,
		append(args, g.f.s.opt.Agent, tx.Now.UnixMilli())...)
	if err != nil {
		return err
	}
	g.words, g.byN = store.NewWords(), map[int64]int{}
	ns := make([]int64, len(all))
	for i := range all {
		ns[i], g.byN[all[i].n] = all[i].n, i
		g.all = append(g.all, grouped{Item: all[i]})
		said := words.Split(embeddingText(&all[i]), "")
		slices.Sort(said)
		g.words.Add(g.words.Read(slices.Compact(said)))
	}
	return g.f.EachVector(ctx, tx, ns, func(i int, v embed.Vector) error {
		if v == nil || model == "" || all[i].Model != model {
			g.byWords(i, model)
			return nil
		}
		q := Query{Channel: g.Channel, Conversation: g.Conversation}
		found, err := g.near.Search(tx,
			index.Query{Vector: v, Model: model, Depth: groupNear, Near: GroupCosine,
				Filter: q.filter(g.Tier, all[i].Agent)}, len(all)-i, len(all))
		for _, c := range found {
			if j, there := g.byN[c.ID]; there && j != i && all[j].Agent == all[i].Agent {
				g.all[i].near = append(g.all[i].near, link{j, c.Cosine})
			}
		}
		return err
	})
}

// byWords links an item without an embedding with those that share half of all words.
func (g *grouping) byWords(i int, model string) {
	it := &g.all[i]
	for _, j := range g.words.Near(g.words.Of[i], GroupWords, groupNear+1) {
		o := &g.all[j]
		_, like := store.ShareWords(g.words.Of[i], g.words.Of[j])
		if int(j) == i || o.Agent != it.Agent || like < GroupWords {
			continue
		}
		it.near = append(it.near, link{int(j), like})
		if model != "" && o.Model == model {
			o.near = append(o.near, link{i, like})
		}
	}
}

func (g *grouping) clash(ctx context.Context) error {
	seen, read := map[[2]int]bool{}, clash.ReadTexts{}
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
			a, b := read.Claims(pair[0], g.all[pair[0]].text()), read.Claims(pair[1], g.all[pair[1]].text())
			if why := clash.ReasonsOf(a, b); len(why) > 0 {
				g.clashes = append(g.clashes, clashing{pair[0], pair[1], why})
			}
		}
	}
	return nil
}

const mostContradictions = 200

func (g *grouping) contradictions() []Contradiction {
	all := []Contradiction{}
	for _, c := range g.clashes[:min(len(g.clashes), mostContradictions)] {
		all = append(all, Contradiction{Scope: g.String(), Why: c.why,
			Items: []GroupItem{groupItem(&g.all[c.a].Item), groupItem(&g.all[c.b].Item)}})
	}
	return all
}

// makeGroups groups the nearest, in no group yet, around the item with the most neighbours.
func (g *grouping) makeGroups() (groups []Group) {
	order := make([]int, len(g.all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(len(g.all[b].near)-len(g.all[a].near), g.all[a].rank(&g.all[b].Item))
	})
	taken := make([]bool, len(g.all))
	for _, seed := range order {
		if taken[seed] {
			continue
		}
		in := []int{seed}
		for _, l := range g.all[seed].near { // the nearest first: see clash
			if !taken[l.to] && len(in) < GroupMost {
				taken[l.to] = true
				in = append(in, l.to)
			}
		}
		if len(in) == 1 {
			continue // another group may still include it
		}
		taken[seed] = true
		groups = append(groups, g.group(in))
	}
	return groups
}

// group makes a group of some items, the oldest first.
func (g *grouping) group(in []int) Group {
	slices.SortFunc(in, func(a, b int) int {
		return cmp.Or(g.all[a].Created.Compare(g.all[b].Created), a-b)
	})
	out := Group{Scope: g.String()}
	name := sha256.New()
	for _, i := range in {
		fmt.Fprintln(name, g.all[i].ID)
		out.Items = append(out.Items, groupItem(&g.all[i].Item))
	}
	out.ID = store.IDOf('g', [10]byte(name.Sum(nil)))
	return out
}

func groupItem(it *Item) GroupItem {
	return GroupItem{it.ID, it.Revision, it.Title, it.Content, it.Importance, it.Created,
		it.Curator, it.Source, it.Accesses, it.Tags}
}
