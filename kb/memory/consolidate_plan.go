package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board/sqlite"
)

// standing is a live item as a pass keeps it in memory: all but what it says. What the steps planned so far do to it is done to it here.
type standing struct {
	Item
	text   textKey
	kin    kinKey   // what it may be merged with
	said   []uint32 // its words, as hashes
	known  bool     // both are: only where something is near by meaning
	gone   bool
	heir   bool // another was merged into it
	wasNew bool // since the pass before
}

// textKey is equal for items that say the same to the same readers.
type textKey struct {
	agent, title string
	content      [16]byte
}

// step is a step with what must still hold when it is done.
type step struct {
	Step
	n, into          int64
	revision, ofInto int
	agent            string // whose alone the item is
	model            string // of the vectors that were compared; "": the texts were
}

// pass is the plan of a pass over a scope.
type pass struct {
	within
	now   time.Time
	held  int         // live items when it began
	live  []*standing // those that no step takes away
	steps []step
	notes []string
	last  watermark // of the pass before
	next  watermark
	moved int // items that are new or were changed since then
}

// plan looks at a scope on one snapshot. looked is called with how many items were looked at.
func (s *Store) plan(ctx context.Context, w within, looked func(int)) (*pass, error) {
	p := &pass{within: w, now: s.now().UTC().Truncate(time.Millisecond), notes: []string{}}
	if w.f == nil {
		return p, nil
	}
	told := 0
	err := w.f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		*p = pass{within: w, now: tx.Now, notes: []string{}} // a second try begins again
		return p.make(ctx, tx, func(n int) {
			if n > told {
				looked(n - told)
				told = n
			}
		})
	})
	return p, err
}

// make plans. Each part sees what those before it have left.
func (p *pass) make(ctx context.Context, tx *sqlite.Tx, looked func(int)) error {
	if err := p.load(tx); err != nil {
		return err
	}
	if err := p.end(tx); err != nil {
		return err
	}
	p.promote(func(st *standing) bool { return true })
	p.prune()
	if err := p.merge(ctx, tx, looked); err != nil {
		return err
	}
	// What a merge has made of an item may be enough: without this the next pass would promote it, though nothing has happened meanwhile.
	p.promote(func(st *standing) bool { return st.heir })
	p.crop()
	for _, st := range p.live {
		if st.Model != p.next.Model || st.Model == "" {
			p.next.Without = append(p.next.Without, st.n)
		}
	}
	if n := len(p.next.Without); p.next.Model != "" && n > 0 {
		p.note("%s without an embedding, compared by their words alone; reembedding gives them one", items(n))
	}
	if len(p.next.Without) > manyWithout {
		p.next.Model, p.next.Without = "", nil
	}
	looked(p.held)
	return nil
}

func (p *pass) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// load reads the live items, and how far the pass before came.
func (p *pass) load(tx *sqlite.Tx) (err error) {
	if p.last, err = readWatermark(tx, p.Scope); err != nil {
		return err
	}
	p.next = watermark{there: true, at: tx.Now.UnixMilli(), upto: p.last.upto}
	p.next.Without = []int64{}
	if p.next.Model, _, err = p.f.Index.Model(tx); err != nil {
		return err
	}
	where, args := p.where()
	var it Item
	var hash []byte
	err = tx.Each([]any{&it.n, &it.ID, &it.Agent, &it.Curator, &it.Title, &it.Importance, &it.Lifetime, &it.Accesses, sqlite.Time(&it.Created), sqlite.Time(&it.Updated),
		sqlite.Time(&it.Accessed), sqlite.MaybeTime(&it.Expires), &it.Revision, &hash, &it.Model}, func() error {
		st := &standing{Item: it, text: textKey{agent: it.Agent, title: strings.ToLower(it.Title)}}
		st.Tier, st.Channel, st.Conversation = p.Tier, p.Channel, p.Conversation
		copy(st.text.content[:], hash)
		p.next.upto = max(p.next.upto, st.n)
		// What was changed in the very millisecond of the look may have come after it.
		updated := st.Updated.UnixMilli()
		st.wasNew = !p.last.there || st.n > p.last.upto || updated >= p.last.at
		if !p.last.there || st.n > p.last.upto || updated > p.last.at {
			p.moved++
		}
		p.live = append(p.live, st)
		return nil
	}, `SELECT n, id, agent, curator, title, importance, lifetime, accesses, created, updated, accessed, expires, revision, text_hash, model FROM items WHERE `+where, args...)
	p.held = len(p.live)
	return err
}

// take adds a step that takes items away.
func (p *pass) take(op string, gone func(*standing) (why string, yes bool)) {
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
	p.steps = append(p.steps, step{Step: Step{Op: op, Item: st.ID, Relevance: p.relevance(&st.Item), Why: why}, n: st.n, revision: st.Revision, agent: st.Agent})
	return &p.steps[len(p.steps)-1]
}

func (p *pass) relevance(it *Item) float64 { return p.f.s.rates.Relevance(it, p.now) }

// The rules. They are asked when a pass is planned and again when a step is done.

func (it *Item) hasExpired(now time.Time) bool { return it.Expires != nil && !it.Expires.After(now) }

func mayPromote(it *Item, relevance float64) bool {
	return it.Lifetime == ShortTerm && relevance > PromoteAbove && it.Accesses > PromoteAccesses
}

// mayPrune allows it for short-term items only. For those that were promoted, or stored to stay, fading orders what is read and is no reason to forget anything: a fact that is asked for
// once a year is still a fact. And what a person took the trouble to say stays until somebody forgets it.
func mayPrune(it *Item, relevance float64, now time.Time) bool {
	return it.Lifetime == ShortTerm && relevance < PruneBelow && it.Curator != CuratorAuthor && !it.shielded(now)
}

func (it *Item) shielded(now time.Time) bool {
	return it.Importance >= shieldFrom && now.Sub(it.Accessed) <= shieldFor
}

// end plans what has run out by itself.
func (p *pass) end(tx *sqlite.Tx) error {
	p.take(OpExpire, func(st *standing) (string, bool) {
		if !st.hasExpired(p.now) {
			return "", false
		}
		return "its time was over on " + st.Expires.Format(time.RFC3339), true
	})
	if p.Tier != Conversation {
		return nil
	}
	archived, err := isArchived(tx, p.Conversation)
	p.take(OpEnd, func(st *standing) (string, bool) {
		return "its conversation is archived", archived && st.Lifetime == LifeConversation
	})
	return err
}

func isArchived(tx *sqlite.Tx, ref string) (bool, error) {
	return sqlite.One[bool](tx, `SELECT count(*) FROM conversations WHERE ref = ? AND status = ?`, ref, StatusArchived)
}

func (p *pass) promote(of func(*standing) bool) {
	for _, st := range p.live {
		if rel := p.relevance(&st.Item); of(st) && mayPromote(&st.Item, rel) {
			p.add(OpPromote, st, fmt.Sprintf("relevance %.2f is more than %g, and it was asked for %d times", rel, PromoteAbove, st.Accesses))
			st.Lifetime = LongTerm
		}
	}
}

func (p *pass) prune() {
	p.take(OpPrune, func(st *standing) (string, bool) {
		rel := p.relevance(&st.Item)
		return fmt.Sprintf("relevance %.4f is less than %g", rel, PruneBelow), mayPrune(&st.Item, rel, p.now)
	})
}

// crop plans what goes because the scope holds too much: what counts least, the oldest of equals, what the author said after all else. Long-term items are not spared, since those are what fills a scope in the end.
func (p *pass) crop() {
	most := p.f.s.most()
	over := len(p.live) - most
	if over <= 0 {
		return
	}
	type weighed struct {
		n         int64
		authority int
		relevance float64
	}
	var loose []weighed
	for _, st := range p.live {
		if !st.shielded(p.now) {
			loose = append(loose, weighed{st.n, st.authority(), p.relevance(&st.Item)})
		}
	}
	slices.SortFunc(loose, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(a.authority, b.authority), cmp.Compare(a.relevance, b.relevance), cmp.Compare(a.n, b.n))
	})
	if len(loose) < over {
		p.note("it stays at %s, %s more than %s: those are of importance %g or more and were asked for within %d days", items(len(p.live)-len(loose)), spelled(over-len(loose)), spelled(most),
			shieldFrom, int(shieldFor.Hours()/24))
		over = len(loose)
	}
	out := make(map[int64]bool, over)
	for _, w := range loose[:over] {
		out[w.n] = true
	}
	held := len(p.live)
	p.take(OpCap, func(st *standing) (string, bool) {
		return fmt.Sprintf("the scope would hold %s, and %s are the most; this one counts less, with a relevance of %.4f", items(held), spelled(most), p.relevance(&st.Item)), out[st.n]
	})
}

func items(n int) string { return counted(n, "item") }

// counted writes how many there are of something, with separators, as people read it.
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return spelled(n) + " " + what
}

func spelled(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
