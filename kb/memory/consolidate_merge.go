package memory

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"blackboard/board/clash"
	"blackboard/board/sqlite"
)

// statementKey is equal for items of the same readers that may make the same statement.
type statementKey [16]byte

// said is what an item says, ready to be compared.
func (it *Item) said() clash.Said {
	return clash.Read(clash.Text{Title: it.Title, Body: it.Content})
}

// outranks reports whether an item stays of two that make the same statement: what the author said, then the more important one, then the one that was asked for more often, then the newer.
func (it *Item) outranks(o *Item) bool { return it.rank(o) < 0 }

func (it *Item) rank(o *Item) int {
	return cmp.Or(cmp.Compare(o.authority(), it.authority()), cmp.Compare(o.Importance, it.Importance), cmp.Compare(o.Accesses, it.Accesses), o.Created.Compare(it.Created), cmp.Compare(o.n, it.n))
}

// whyStays says by what an item outranks another.
func (it *Item) whyStays(o *Item) string {
	switch {
	case it.authority() != o.authority():
		return it.ID + " is the author's"
	case it.Importance != o.Importance:
		return fmt.Sprintf("%s is more important (%g against %g)", it.ID, it.Importance, o.Importance)
	case it.Accesses != o.Accesses:
		return fmt.Sprintf("%s was read more often (%d times against %d)", it.ID, it.Accesses, o.Accesses)
	case !it.Created.Equal(o.Created):
		return it.ID + " is newer"
	}
	return it.ID + " was put later"
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

// merge plans what becomes one: items that make the same statement, word for word (clash.Said). Of those the first by rank stays, and takes in the others. If nothing is new or changed since the pass before, nothing is compared.
func (p *pass) merge(tx *sqlite.Tx) error {
	if p.last.there && !slices.ContainsFunc(p.live, func(st *standing) bool { return st.wasNew }) {
		return nil
	}
	slices.SortFunc(p.live, func(a, b *standing) int { return a.rank(&b.Item) })
	byKey, keys, err := p.statements(tx)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := p.mergeAmong(tx, byKey[key]); err != nil {
			return err
		}
	}
	p.live = slices.DeleteFunc(p.live, func(st *standing) bool { return st.gone })
	return nil
}

// statements groups items by the keys of their statements, in the order of rank. Items are read one by one, so that not all contents are in memory at once.
func (p *pass) statements(tx *sqlite.Tx) (byKey map[statementKey][]*standing, keys []statementKey, err error) {
	key := make(map[int64]statementKey, len(p.live))
	where, args := p.where()
	var it Item
	if err := tx.Each([]any{&it.n, &it.Agent, &it.Title, &it.Content}, func() error {
		sum := sha256.Sum256([]byte(it.Agent + "\x00" + it.said().Key()))
		key[it.n] = statementKey(sum[:16])
		return nil
	}, `SELECT n, agent, title, content FROM items WHERE `+where, args...); err != nil {
		return nil, nil, err
	}
	byKey = map[statementKey][]*standing{}
	for _, st := range p.live {
		k := key[st.n]
		if byKey[k] = append(byKey[k], st); len(byKey[k]) == 2 {
			keys = append(keys, k)
		}
	}
	return byKey, keys, nil
}

// mergeAmong merges items that have the same key, each into the first that makes the same statement.
func (p *pass) mergeAmong(tx *sqlite.Tx, all []*standing) error {
	if !slices.ContainsFunc(all, func(st *standing) bool { return st.wasNew }) {
		return nil
	}
	ns := make([]int64, len(all))
	for i, st := range all {
		ns[i] = st.n
	}
	byN, err := itemsByN(tx, ns)
	if err != nil {
		return err
	}
	type kept struct {
		*standing
		was  Item // before it took others in: by this it ranks
		said clash.Said
	}
	var keep []kept
	for _, st := range all {
		said := byN[st.n].said()
		at := slices.IndexFunc(keep, func(k kept) bool {
			return k.said.Same(said) && !p.undone[undoneStep{OpMerge, st.ID, k.ID}]
		})
		if at < 0 {
			keep = append(keep, kept{st, st.Item, said})
			continue
		}
		k := &keep[at]
		s := p.add(OpMerge, st, "the same statement; "+k.was.whyStays(&st.Item))
		s.Into, s.into, s.ofInto = k.ID, k.n, k.Revision
		k.Item.absorb(&st.Item)
		p.askedBy[k.n] = union(p.askedBy[k.n], p.askedBy[st.n])
		st.gone = true
	}
	return nil
}
