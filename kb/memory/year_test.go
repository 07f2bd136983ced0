package memory

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// year is what a simulated year is made of.
type year struct {
	days, perDay, channels, reads, cap int
}

// noted makes what agents might note on a day: half of it passing things, some of it important,
// some private, some that is to expire, and one in eight that was said before, in much the same
// words.
func (y *year) noted(r *rand.Rand, z *rand.Zipf, now time.Time, said *[]string) []Item {
	words := strings.Fields("deploy build test branch release server client cache queue retry timeout token user invoice refund ledger schema index query migration backup restore monitor alert budget review")
	items := make([]Item, y.perDay)
	for i := range items {
		it := &items[i]
		*it = Item{Tier: Workspace, Curator: CuratorAgent, Source: "researcher", Importance: float64(1+r.IntN(88)) / 100, Created: now, Updated: now, Accessed: now, Revision: 1}
		if place := int(z.Uint64()); place > 0 {
			it.Tier, it.Channel = Channel, fmt.Sprint("c", place)
		}
		for range 8 + r.IntN(20) {
			it.Content += words[r.IntN(len(words))] + string(rune('a'+r.IntN(26))) + " "
		}
		if n := len(*said); n > 50 && r.IntN(8) == 0 {
			it.Content = (*said)[n-1-r.IntN(50)]
			if r.IntN(2) == 0 {
				it.Content += " again"
			}
		}
		*said = append(*said, it.Content)
		switch r.IntN(20) {
		case 0:
			it.Importance = .9 + r.Float64()/10
		case 1, 2:
			it.Lifetime = LongTerm
		case 3, 4:
			it.Agent = string(rune('a' + r.IntN(3)))
		case 5:
			const week = 7 * 24 * time.Hour
			t := now.Truncate(week).Add(time.Duration(1+r.IntN(5)) * week) // all at once, so that not every day has its passes
			it.Expires = &t
		}
	}
	return items
}

// TestYear lives through a year of 4,400 items in 4 scopes; $BOARD_LONG makes it 50,000 in 41.
// Of a few of them there is more than a scope may hold. Items are read as things are, few of them
// most of the time, and a pass is made when one is due.
func TestYear(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
	y := year{days: 365, perDay: 12, channels: 3, reads: 40, cap: 200}
	if os.Getenv("BOARD_LONG") != "" {
		y = year{days: 365, perDay: 137, channels: 40, reads: 400, cap: 800}
	}
	start := time.Now()
	c := newClock()
	s := open(t, t.TempDir(), Options{Now: c.now, Embedder: bag{}})
	s.cap = y.cap
	for i := range y.channels {
		expect.Value(s.CreateChannel(t.Context(), fmt.Sprint("c", i+1), ""))(t)
	}
	f := expect.Value(s.open(t.Context(), false, false))(t)
	r := rand.New(rand.NewPCG(2026, 1))
	place := rand.NewZipf(r, 1.1, 3, uint64(y.channels))
	var said []string
	var sum Consolidated
	passes, scopes := 0, 0
	var passing time.Duration
	var live []int64
	for day := range y.days {
		c.pass(12 * time.Hour)
		items := y.noted(r, place, c.now(), &said)
		texts := make([]string, len(items))
		for i := range items {
			expect.OK(t, items[i].normalise())
			texts[i] = embeddingText(&items[i])
		}
		vectors := expect.Value(s.opt.Embedder.Embed(t.Context(), texts))(t)
		stock(t, s, items, vectors)
		c.pass(12 * time.Hour)
		if day%5 == 0 {
			live = y.live(t, f)
		}
		z := rand.NewZipf(r, 1.05, 20, uint64(len(live)-1))
		for i := range y.reads {
			it := &Item{n: live[z.Uint64()]}
			if i%20 == 0 { // the others were shown beside it
				f.ask(fmt.Sprint("day ", day), it)
			}
			f.touch(t.Context(), it)
		}
		s.Flush(t.Context())
		due := expect.Value(s.Due(t.Context()))(t)
		if len(due) == 0 {
			continue
		}
		passes++
		began := time.Now()
		did, err := s.Consolidate(t.Context(), due)
		passing += time.Since(began)
		expect.OK(t, err)
		for _, d := range did {
			for _, op := range []string{OpExpire, OpPromote, OpArchive, OpMerge, OpCap} {
				*sum.count(op) += *d.count(op)
			}
		}
		scopes += len(did)
		if passes%10 > 0 { // often enough, and a third of the time
			continue
		}
		var held []holding
		expect.OK(t, f.Read(t.Context(), func(tx *sqlite.Tx) (err error) {
			held, err = heldScopes(tx)
			return err
		}))
		for _, h := range held {
			if h.live > y.cap && h.loose > 0 || h.expired > 0 {
				t.Errorf("%s holds %d items after a pass, %d of them expired", h, h.live, h.expired)
			}
		}
		if again, err := s.Due(t.Context()); err != nil || len(again) > 0 {
			t.Errorf("due after a pass: %v, %v", again, err)
		}
		if t.Failed() {
			return
		}
	}
	sound(t, s)
	y.nothingLost(t, f)
	for op, n := range map[string]int{OpExpire: sum.Expired, OpPromote: sum.Promoted, OpMerge: sum.Merged, OpCap: sum.Capped} {
		if n == 0 && (op != OpPromote || y.days == 365) { // few are asked for in three sessions of 40 days
			t.Errorf("the year had no %s", op)
		}
	}
	stats := expect.Value(s.Stats(t.Context()))(t)
	took := time.Since(start)
	expect.OK(t, s.Close())
	info := expect.Value(os.Stat(WorkspacePath(s.home, s.Workspace())))(t)
	left := 0
	for _, n := range stats.Live {
		left += n
	}
	t.Logf("%d items in %d scopes; on %d days a pass was due, %d over a scope: %d expired, %d promoted, %d archived, %d merged, %d over the cap; %d live at the end; %.1f MB; %v, %v of it in passes",
		y.days*y.perDay, y.channels+1, passes, scopes, sum.Expired, sum.Promoted, sum.Archived, sum.Merged, sum.Capped, left, float64(info.Size())/(1<<20), took.Round(time.Millisecond), passing.Round(time.Millisecond))
}

// live are the numbers of the items that are live, the newest first.
func (y *year) live(t *testing.T, f *file) (live []int64) {
	expect.OK(t, f.ReadIndex(t.Context(), func(tx *sqlite.Tx) error {
		rows, err := tx.Query(`SELECT n FROM items WHERE ` + isLive + ` ORDER BY n DESC`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var n int64
			if err := rows.Scan(&n); err != nil {
				return err
			}
			live = append(live, n)
		}
		return rows.Err()
	}))
	return live
}

// nothingLost: at the end of the year each statement that was put is live or archived, unless its
// time was over. Nothing but that and being said by another makes an item forgotten, and what is
// important is archived last.
func (y *year) nothingLost(t *testing.T, f *file) {
	var all []Item
	expect.OK(t, f.ReadIndex(t.Context(), func(tx *sqlite.Tx) (err error) {
		all, err = itemsWhere(tx, `1`)
		return err
	}))
	byID := map[string]*Item{}
	for i := range all {
		byID[all[i].ID] = &all[i]
	}
	if want := y.days * y.perDay; len(all) != want {
		t.Errorf("%d items were put, %d are there", want, len(all))
	}
	kept := 0
	for i := range all {
		it := &all[i]
		if it.Forgotten == nil {
			kept++
			continue
		}
		if it.Rule == RuleExpired {
			if it.Expires == nil || it.Expires.After(*it.Forgotten) {
				t.Errorf("%s has expired before its time: %+v", it.ID, it)
			}
			continue
		}
		if it.Rule != RuleMerged {
			t.Errorf("%s is forgotten by %q", it.ID, it.Rule)
		}
		heir := it
		for heir.Rule == RuleMerged {
			heir = byID[heir.ReplacedBy]
		}
		if !heir.statement().Same(it.statement()) || heir.Agent != it.Agent || heir.Scope() != it.Scope() || heir.Rule != "" && heir.Rule != RuleExpired {
			t.Errorf("%s is lost: %+v is not the same as %+v", it.ID, heir, it)
		}
	}
	t.Logf("%d of %d items are live or archived", kept, len(all))
}
