package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
)

const (
	// mergeDepth is how many near items a search gives. If there are more, those that may be merged at all are compared in memory: what differs in numbers alone ("run 17 took 3 s") is near
	// to everything of its kind, and listing that for every item would take the square of their number.
	mergeDepth = 32
	// mergeFrom is MergeCosine, less what single precision may take from it.
	mergeFrom = MergeCosine - 1e-6
)

// kinKey is equal for items of the same readers with the same numbers and negations: no others are merged, however near they are.
type kinKey [16]byte

// outranks reports whether an item stays of two that say the same: what the author said, then the more important one, then the one that was asked for more often, then the newer.
func (it *Item) outranks(o *Item) bool { return it.rank(o) < 0 }

func (it *Item) rank(o *Item) int {
	return cmp.Or(cmp.Compare(o.authority(), it.authority()), cmp.Compare(o.Importance, it.Importance), cmp.Compare(o.Accesses, it.Accesses), o.Created.Compare(it.Created), cmp.Compare(o.n, it.n))
}

// authority is 1 for what the author said: nothing that an agent said takes its place.
func (it *Item) authority() int {
	if it.Curator == CuratorAuthor {
		return 1
	}
	return 0
}

// absorb gives an item what another one has that is merged into it. It lasts as long as the one that would have lasted longer.
func (it *Item) absorb(o *Item) {
	it.Importance = max(it.Importance, o.Importance)
	it.Accesses += o.Accesses
	if o.Accessed.After(it.Accessed) {
		it.Accessed = o.Accessed
	}
	it.Lifetime = longer(it.Lifetime, o.Lifetime)
	if it.Expires != nil && (o.Expires == nil || o.Expires.After(*it.Expires)) {
		it.Expires = o.Expires
	}
	it.Tags = union(it.Tags, o.Tags)
}

// longer returns the lifetime that lasts longer. Lifetimes lists them so.
func longer(a, b string) string {
	return Lifetimes[min(slices.Index(Lifetimes, a), slices.Index(Lifetimes, b))]
}

// union returns the tags of both, without the last ones if they are too many.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, t := range b {
		if len(all) < MaxTags && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}

// merge plans what becomes one: items with the same text, and items whose vectors say the same. An item that stays is compared before all that rank behind it, and takes all that it may;
// so what is merged goes into one that stays, and there are no chains within a pass.
func (p *pass) merge(ctx context.Context, tx *sqlite.Tx, looked func(int)) error {
	p.sort()
	first := map[textKey]*standing{}
	for _, st := range p.live {
		if keep := first[st.text]; keep != nil {
			p.absorb(keep, st, 1)
		} else {
			first[st.text] = st
		}
	}
	p.sort() // what was merged may have moved up
	if err := p.mergeNear(ctx, tx, looked); err != nil {
		return err
	}
	p.live = slices.DeleteFunc(p.live, func(st *standing) bool { return st.gone })
	return nil
}

// sort orders what is left, so that of two the one that stays comes first.
func (p *pass) sort() {
	p.live = slices.DeleteFunc(p.live, func(st *standing) bool { return st.gone })
	slices.SortFunc(p.live, func(a, b *standing) int { return a.rank(&b.Item) })
}

func (p *pass) absorb(keep, drop *standing, cos float64) {
	why := "the same text"
	if cos < 1 {
		why = fmt.Sprintf("cosine %.3f", cos)
	}
	switch {
	case keep.Importance != drop.Importance:
		why += fmt.Sprintf("; %s is more important (%g against %g)", keep.ID, keep.Importance, drop.Importance)
	case keep.Accesses != drop.Accesses:
		why += fmt.Sprintf("; %s was asked for more often (%d times against %d)", keep.ID, keep.Accesses, drop.Accesses)
	case !keep.Created.Equal(drop.Created):
		why += fmt.Sprintf("; %s is newer", keep.ID)
	}
	s := p.add(OpMerge, drop, why)
	s.Into, s.into, s.ofInto = keep.ID, keep.n, keep.Revision
	if cos < 1 {
		s.model = p.next.Model
	}
	keep.Item.absorb(&drop.Item)
	keep.heir, drop.gone = true, true
}

// mergeNear compares the vectors of what is new or changed since the pass before with all: what is older was compared then.
func (p *pass) mergeNear(ctx context.Context, tx *sqlite.Tx, looked func(int)) error {
	model := p.next.Model
	if model == "" {
		return nil
	}
	without := map[int64]bool{}
	for _, n := range p.last.Without {
		without[n] = true
	}
	near := &nearby{pass: p, byN: make(map[int64]*standing, len(p.live)), groups: map[kinKey][]vectored{}}
	var ask []*standing
	for _, st := range p.live {
		near.byN[st.n] = st
		if st.Model == model && (st.wasNew || p.last.Model != model || without[st.n]) {
			ask = append(ask, st)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	ns := make([]int64, len(ask))
	for i, st := range ask {
		ns[i] = st.n
	}
	return p.f.EachVector(ctx, tx, ns, func(i int, v embed.Vector) error {
		if st := ask[i]; v != nil && !st.gone {
			found, err := near.to(tx, st, v, len(ask)-i-1)
			if err != nil {
				return err
			}
			p.mergeWith(st, found)
		}
		looked(i + 1)
		return nil
	})
}

// mergeWith merges an item into the best of those that say the same, or, if it is the best, them into it. The others that are near to one that goes may not be near to the one that stays;
// they are not touched.
func (p *pass) mergeWith(st *standing, found []like) {
	best := -1
	for i, l := range found {
		if l.outranks(&st.Item) && (best < 0 || l.outranks(&found[best].Item)) {
			best = i
		}
	}
	if best >= 0 {
		p.absorb(found[best].standing, st, found[best].cos)
		return
	}
	for _, l := range found {
		p.absorb(st, l.standing, l.cos)
	}
}

// findKin reads what items say, all of the scope's if none are named, for its numbers and negations and the order of its words, and keeps hashes of those.
func (b *nearby) findKin(tx *sqlite.Tx, of ...*standing) error {
	where, args := b.where()
	if of != nil {
		var ns []int64
		for _, st := range of {
			if !st.known {
				ns = append(ns, st.n)
			}
		}
		if len(ns) == 0 {
			return nil
		}
		where, args = `n IN (SELECT value FROM json_each(?))`, []any{sqlite.List(ns)}
	}
	var it Item
	return tx.Each([]any{&it.n, &it.Title, &it.Content}, func() error {
		if st := b.byN[it.n]; st != nil && !st.known {
			says := readStatement(embeddingText(&it))
			sum := sha256.Sum256([]byte(st.Agent + "\x00" + strings.Join(says.marks, "\x00")))
			copy(st.kin[:], sum[:])
			st.said, st.known = says.said, true
		}
		return nil
	}, `SELECT n, title, content FROM items WHERE `+where, args...)
}

// like is an item that says the same as another, by a cosine below 1: above it are equal texts alone.
type like struct {
	*standing
	cos float64
}

type vectored struct {
	*standing
	v embed.Vector
}

// nearby finds the items of a pass that say the same as one.
type nearby struct {
	*pass
	byN    map[int64]*standing
	allKin bool                  // it is known of all items
	groups map[kinKey][]vectored // those that were compared in memory
}

// to returns what may be merged with an item. left is how many are still to be asked for.
func (b *nearby) to(tx *sqlite.Tx, st *standing, v embed.Vector, left int) ([]like, error) {
	found, err := b.near.Search(tx, index.Query{Vector: v, Model: b.next.Model, Depth: mergeDepth, Near: mergeFrom, Filter: b.Scope.filter(st.Agent)}, left, len(b.live))
	if err != nil {
		return nil, err
	}
	if len(found) >= mergeDepth {
		return b.inMemory(tx, st, v)
	}
	var near []like
	all := []*standing{st}
	for _, c := range found {
		if o := b.byN[c.ID]; o != nil && o != st && !o.gone {
			near = append(near, like{o, under1(c.Cosine)})
			all = append(all, o)
		}
	}
	if len(near) == 0 {
		return nil, nil
	}
	if err := b.findKin(tx, all...); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(near, func(l like) bool { return !b.may(st, l.standing) }), nil
}

func (b *nearby) may(st, o *standing) bool {
	return o != st && !o.gone && o.kin == st.kin && !opposed(st.said, o.said) && sameOrder(st.said, o.said)
}

// inMemory compares an item with all that it may be merged with.
func (b *nearby) inMemory(tx *sqlite.Tx, st *standing, v embed.Vector) ([]like, error) {
	if !b.allKin {
		if err := b.findKin(tx); err != nil {
			return nil, err
		}
		b.allKin = true
	}
	group, there := b.groups[st.kin]
	if !there {
		var ns []int64
		for _, o := range b.live {
			if o.kin == st.kin && !o.gone && o.Model == b.next.Model {
				ns = append(ns, o.n)
			}
		}
		vectors, err := b.f.Index.Vectors(tx, ns...)
		if err != nil {
			return nil, err
		}
		for _, n := range ns {
			if v := vectors[n]; v != nil {
				group = append(group, vectored{b.byN[n], v})
			}
		}
	}
	group = slices.DeleteFunc(group, func(o vectored) bool { return o.gone })
	b.groups[st.kin] = group
	var out []like
	for _, o := range group {
		if cos := index.Cosine(v, o.v); cos >= mergeFrom && b.may(st, o.standing) {
			out = append(out, like{o.standing, under1(cos)})
		}
	}
	return out, nil
}

// under1 keeps a cosine apart from the 1 of equal texts.
func under1(cos float64) float64 { return min(cos, 0.9999) }
