package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"blackboard/board/sqlite"
)

// standing is a live item as a pass keeps it in memory: all but what it says. What the steps planned so far do to it is done to it here.
type standing struct {
	Item
	gone   bool
	wasNew bool // since the pass before
}

// step is a step with what must still hold when it is done.
type step struct {
	Step
	n, into          int64
	revision, ofInto int
	agent            string // whose alone the item is
}

// undoneStep is a step that somebody has taken back: no pass does it again.
type undoneStep struct{ op, item, heir string }

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

	askedBy map[int64][]string // sessions that asked for short-term items
	undone  map[undoneStep]bool
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
	// First of all, since what is left of several counts as much as they did together.
	if err := p.merge(tx); err != nil {
		return err
	}
	p.promote()
	p.archive()
	p.crop()
	looked(p.held)
	return ctx.Err()
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
	where, args := p.where()
	if p.askedBy, err = p.sessions(tx, where, args); err != nil {
		return err
	}
	if p.undone, err = undoneIn(tx, p.Scope); err != nil {
		return err
	}
	var it Item
	err = tx.Each([]any{&it.n, &it.ID, &it.Agent, &it.Curator, &it.Title, &it.Importance, &it.Lifetime, &it.Accesses, sqlite.Time(&it.Created), sqlite.Time(&it.Updated),
		sqlite.Time(&it.Accessed), sqlite.MaybeTime(&it.Expires), &it.Revision}, func() error {
		st := &standing{Item: it}
		st.Tier, st.Channel, st.Conversation = p.Tier, p.Channel, p.Conversation
		p.next.upto = max(p.next.upto, st.n)
		// What was changed in the very millisecond of the look may have come after it.
		updated := st.Updated.UnixMilli()
		st.wasNew = !p.last.there || st.n > p.last.upto || updated >= p.last.at
		if !p.last.there || st.n > p.last.upto || updated > p.last.at {
			p.moved++
		}
		p.live = append(p.live, st)
		return nil
	}, `SELECT n, id, agent, curator, title, importance, lifetime, accesses, created, updated, accessed, expires, revision FROM items WHERE `+where, args...)
	p.held = len(p.live)
	return err
}

// sessions lists the sessions that asked for each short-term item of a scope.
func (p *pass) sessions(tx *sqlite.Tx, where string, args []any) (map[int64][]string, error) {
	all := map[int64][]string{}
	var n int64
	var session string
	return all, tx.Each([]any{&n, &session}, func() error {
		all[n] = append(all[n], session)
		return nil
	}, `SELECT item, session FROM asked WHERE item IN (SELECT n FROM items WHERE `+where+` AND lifetime = 'short_term')`, args...)
}

// take adds a step that takes items away.
func (p *pass) take(op string, gone func(*standing) (why string, yes bool)) {
	p.live = slices.DeleteFunc(p.live, func(st *standing) bool {
		why, yes := gone(st)
		if yes = yes && !p.undone[undoneStep{op, st.ID, ""}]; yes {
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

// mayPromote goes by who asked for an item. How often it was read is no evidence: what is shown is read.
func mayPromote(it *Item, sessions int) bool {
	return it.Lifetime == ShortTerm && sessions >= PromoteSessions
}

// mayArchive allows it for short-term items of little importance only. For those that were promoted, or stored to stay, fading orders what is read and is no reason to put anything away: a fact that is asked for
// once a year is still a fact. And what a person took the trouble to say stays until somebody forgets it.
func mayArchive(it *Item, now time.Time) bool {
	return it.Lifetime == ShortTerm && now.Sub(it.Accessed) >= ArchiveAfter && it.Curator != CuratorAuthor && it.Importance < ArchiveUnder
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
	archived, err := conversationArchived(tx, p.Conversation)
	p.take(OpEnd, func(st *standing) (string, bool) {
		return "its conversation is archived", archived && st.Lifetime == LifeConversation
	})
	return err
}

func conversationArchived(tx *sqlite.Tx, ref string) (bool, error) {
	return sqlite.One[bool](tx, `SELECT count(*) FROM conversations WHERE ref = ? AND status = ?`, ref, StatusArchived)
}

func (p *pass) promote() {
	for _, st := range p.live {
		sessions := len(p.askedBy[st.n])
		if mayPromote(&st.Item, sessions) && !p.undone[undoneStep{OpPromote, st.ID, ""}] {
			p.add(OpPromote, st, "it was asked for in "+counted(sessions, "session"))
			st.Lifetime = LongTerm
		}
	}
}

func (p *pass) archive() {
	p.take(OpArchive, func(st *standing) (string, bool) {
		days := int(p.now.Sub(st.Accessed).Hours() / 24)
		return "not read for " + counted(days, "day"), mayArchive(&st.Item, p.now)
	})
}

// crop plans what is archived because the scope holds too much: what counts least, the oldest of equals; what is important and what the author said after all else. Long-term items are not spared, since those are what fills a scope in the end.
func (p *pass) crop() {
	most := p.f.s.most()
	over := len(p.live) - most
	if over <= 0 {
		return
	}
	// What an undo has brought back takes nobody's place, else others would go for it.
	back := map[string]bool{}
	for s := range p.undone {
		back[s.item] = s.op != OpPromote || back[s.item]
	}
	for _, st := range p.live {
		if back[st.ID] {
			over--
		}
	}
	if over <= 0 {
		return
	}
	type weighed struct {
		n         int64
		first     int // 0 goes before 1, 1 before 2
		relevance float64
	}
	var loose []weighed
	for _, st := range p.live {
		if st.shielded(p.now) || back[st.ID] {
			continue
		}
		first := 2 * st.authority()
		if first == 0 && st.Importance >= ArchiveUnder {
			first = 1
		}
		loose = append(loose, weighed{st.n, first, p.relevance(&st.Item)})
	}
	slices.SortFunc(loose, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.relevance, b.relevance), cmp.Compare(a.n, b.n))
	})
	if len(loose) < over {
		p.note("it stays at %s, %s more than %s: those are of importance %g or more and were read within %d days, or were brought back by an undo", items(len(p.live)-len(loose)), spelled(over-len(loose)), spelled(most),
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
