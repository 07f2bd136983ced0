package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"blackboard/board/clash"
	"blackboard/board/sqlite"
	"blackboard/board/text"
)

// standing is an active item. The planned steps are applied to it, and to its row if they are done.
type standing struct {
	Item
	row    Item // as the file has it
	gone   bool
	wasNew bool // since the previous pass
}

type step struct {
	Step
	it, into *standing
}

type pass struct {
	scopeFile
	now   time.Time
	held  int         // active items at the start
	live  []*standing // items that no step removes
	steps []step
	notes []string
	last  watermark // of the previous pass
	next  watermark
	moved int // items that are new or changed since then

	askedBy map[int64][]string // sessions that asked for short-term items
}

func (s *Store) plan(ctx context.Context, w scopeFile) (*pass, error) {
	p := &pass{scopeFile: w, now: s.now().UTC().Truncate(time.Millisecond), notes: []string{}}
	if w.f == nil {
		return p, nil
	}
	return p, w.f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		*p = pass{scopeFile: w, now: tx.Now, notes: []string{}} // a retry starts again
		return p.build(ctx, tx)
	})
}

// build builds the plan. Each part sees the effect of the previous ones.
func (p *pass) build(ctx context.Context, tx *sqlite.Tx) error {
	if err := p.load(tx); err != nil {
		return err
	}
	if err := p.planEnds(tx); err != nil {
		return err
	}
	// Merge first: the merged item counts as much as all of them together.
	p.planMerges()
	p.promote()
	p.archive()
	p.planCap()
	return ctx.Err()
}

func (p *pass) load(tx *sqlite.Tx) (err error) {
	if p.last, err = readWatermark(tx, p.Scope); err != nil {
		return err
	}
	p.next = watermark{there: true, at: tx.Now.UnixMilli(), upto: p.last.upto}
	where, args := p.where()
	if p.askedBy, err = p.sessions(tx, where, args); err != nil {
		return err
	}
	all, err := itemsWhere(tx, where, args...)
	for i := range all {
		st := &standing{Item: all[i], row: all[i]}
		p.next.upto = max(p.next.upto, st.n)
		// A change in the millisecond of the pass may have come after it.
		updated := st.Updated.UnixMilli()
		st.wasNew = !p.last.there || st.n > p.last.upto || updated >= p.last.at
		if !p.last.there || st.n > p.last.upto || updated > p.last.at {
			p.moved++
		}
		p.live = append(p.live, st)
	}
	p.held = len(p.live)
	return err
}

func (p *pass) sessions(tx *sqlite.Tx, where string, args []any) (map[int64][]string, error) {
	all := map[int64][]string{}
	var n int64
	var session string
	return all, tx.Each([]any{&n, &session}, func() error {
		all[n] = append(all[n], session)
		return nil
	}, `SELECT item, session FROM asked WHERE item IN (SELECT n FROM items WHERE `+where+
		` AND lifetime = 'short_term')`, args...)
}

// planRemovals adds steps of one operation that remove items.
func (p *pass) planRemovals(op string, gone func(*standing) (why string, yes bool)) {
	p.live = slices.DeleteFunc(p.live, func(st *standing) bool {
		why, yes := gone(st)
		if yes {
			st.gone = true
			p.add(op, st, why)
		}
		return yes
	})
}

func (p *pass) add(op string, st *standing, why string) *step {
	p.steps = append(p.steps,
		step{Step{Op: op, Item: st.ID, Relevance: p.relevance(&st.Item), Why: why, Text: embeddingText(&st.Item)}, st, nil})
	return &p.steps[len(p.steps)-1]
}

func (p *pass) relevance(it *Item) float64 { return p.f.s.rates.Relevance(it, p.now) }

// The rules.

func (it *Item) hasExpired(now time.Time) bool {
	return it.Expires != nil && !it.Expires.After(now)
}

// mayPromote depends on the sessions that asked: everything shown is read.
func mayPromote(it *Item, sessions int) bool {
	return it.Lifetime == ShortTerm && sessions >= PromoteSessions
}

// mayArchive allows only short-term items of little importance. Items that were promoted
// or stored as long-term stay: fading orders them, but a fact that is needed once a year
// is still a fact. Items by a person stay until they are forgotten on request.
func mayArchive(it *Item, now time.Time) bool {
	return it.Lifetime == ShortTerm && now.Sub(it.Accessed) >= ArchiveAfter &&
		it.Curator != CuratorAuthor && it.Importance < ArchiveUnder
}

func (it *Item) shielded(now time.Time) bool {
	return it.Importance >= shieldFrom && now.Sub(it.Accessed) <= shieldFor
}

func (p *pass) planEnds(tx *sqlite.Tx) error {
	p.planRemovals(OpExpire, func(st *standing) (string, bool) {
		if !st.hasExpired(p.now) {
			return "", false
		}
		return "it expired on " + st.Expires.Format(time.RFC3339), true
	})
	if p.Tier != Conversation {
		return nil
	}
	archived, err := conversationArchived(tx, p.Conversation)
	p.planRemovals(OpEnd, func(st *standing) (string, bool) {
		return whyEnded, archived && st.Lifetime == LifeConversation
	})
	return err
}

func conversationArchived(tx *sqlite.Tx, ref string) (bool, error) {
	return sqlite.One[bool](tx, `SELECT count(*) FROM conversations WHERE ref = ? AND status = ?`,
		ref, StatusArchived)
}

func (p *pass) promote() {
	for _, st := range p.live {
		sessions := len(p.askedBy[st.n])
		if mayPromote(&st.Item, sessions) {
			p.add(OpPromote, st, "it was asked for in "+text.Count(int64(sessions), "session", "sessions"))
			st.Lifetime = LongTerm
		}
	}
}

func (p *pass) archive() {
	p.planRemovals(OpArchive, func(st *standing) (string, bool) {
		days := int(p.now.Sub(st.Accessed).Hours() / 24)
		return "not read for " + text.Count(int64(days), "day", "days"), mayArchive(&st.Item, p.now)
	})
}

// planCap plans what to archive because the scope has too many items: the least relevant
// first, the oldest of equals; important items and the author's last. Long-term items
// are included, since they are what fills a scope.
func (p *pass) planCap() {
	most := p.f.s.most()
	over := len(p.live) - most
	if over <= 0 {
		return
	}
	group := func(st *standing) int {
		if st.authority() > 0 {
			return 2
		}
		return map[bool]int{true: 1}[st.Importance >= ArchiveUnder]
	}
	relevance := make(map[*standing]float64, len(p.live))
	var loose []*standing
	for _, st := range p.live {
		if !st.shielded(p.now) {
			loose, relevance[st] = append(loose, st), p.relevance(&st.Item)
		}
	}
	slices.SortFunc(loose, func(a, b *standing) int {
		return cmp.Or(group(a)-group(b), cmp.Compare(relevance[a], relevance[b]), cmp.Compare(a.n, b.n))
	})
	if len(loose) < over {
		p.notes = append(p.notes, fmt.Sprintf("it stays at %s, %d above the limit of %d: those have importance %g or more and were read within %d days",
			items(len(p.live)-len(loose)), over-len(loose), most, shieldFrom, int(shieldFor.Hours()/24)))
	}
	out, held := map[*standing]bool{}, len(p.live)
	for _, st := range loose[:min(over, len(loose))] {
		out[st] = true
	}
	p.planRemovals(OpCap, func(st *standing) (string, bool) {
		return fmt.Sprintf("the scope would have %s and the limit is %d; this one has a low relevance of %.4f",
			items(held), most, p.relevance(&st.Item)), out[st]
	})
}

func items(n int) string { return text.Count(int64(n), "item", "items") }

func (it *Item) statement() clash.Said { return clash.Read(it.text()) }

func (it *Item) text() clash.Text { return clash.Text{Title: it.Title, Body: it.Content} }

// rank is negative for the one kept: the author's, the more important, more read, newer.
func (it *Item) rank(o *Item) int {
	return cmp.Or(cmp.Compare(o.authority(), it.authority()),
		cmp.Compare(o.Importance, it.Importance), cmp.Compare(o.Accesses, it.Accesses),
		o.Created.Compare(it.Created), cmp.Compare(o.n, it.n))
}

// authority is 1 for an item by the author: no item by an agent replaces it.
func (it *Item) authority() int {
	if it.Curator == CuratorAuthor {
		return 1
	}
	return 0
}

// absorb merges another item's fields into an item. The longer lifetime wins.
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

func longer(a, b string) string {
	return Lifetimes[min(slices.Index(Lifetimes, a), slices.Index(Lifetimes, b))]
}

// union returns the tags of both, up to the limit.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, t := range b {
		if len(all) < MaxTags && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}

// planMerges plans merges of items with the same statement (clash.Said), unless nothing is new
// since the previous pass. The first by rank stays and absorbs the others.
func (p *pass) planMerges() {
	if p.last.there && !slices.ContainsFunc(p.live, func(st *standing) bool { return st.wasNew }) {
		return
	}
	slices.SortFunc(p.live, func(a, b *standing) int { return a.rank(&b.Item) })
	byKey := map[string][]*standing{} // with the same readers, which may say the same
	var keys []string
	for _, st := range p.live {
		k := st.Agent + "\x00" + st.statement().Key()
		if byKey[k] = append(byKey[k], st); len(byKey[k]) == 2 {
			keys = append(keys, k)
		}
	}
	for _, key := range keys {
		p.mergeAmong(byKey[key])
	}
	p.live = slices.DeleteFunc(p.live, func(st *standing) bool { return st.gone })
}

// mergeAmong merges items with the same key, each into the first one that says the same.
func (p *pass) mergeAmong(all []*standing) {
	if !slices.ContainsFunc(all, func(st *standing) bool { return st.wasNew }) {
		return
	}
	type kept struct {
		*standing
		said clash.Said
	}
	var keep []kept
	for _, st := range all {
		said := st.statement()
		at := slices.IndexFunc(keep, func(k kept) bool { return k.said.Same(said) })
		if at < 0 {
			keep = append(keep, kept{st, said})
			continue
		}
		k := &keep[at]
		s := p.add(OpMerge, st, "the same statement")
		s.Into, s.IntoText, s.into = k.ID, embeddingText(&k.Item), k.standing
		k.Item.absorb(&st.Item)
		p.askedBy[k.n] = union(p.askedBy[k.n], p.askedBy[st.n])
		st.gone = true
	}
}
