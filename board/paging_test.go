package board

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/store"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// pagedBoard returns a board of n entries that differ in all that a query asks for.
func pagedBoard(t *testing.T, r *rand.Rand, n int) *Board {
	t.Helper()
	b := newBoard(t)
	expect.Value(b.Signal(t.Context(), "lead", Raise{Content: "which?"}))(t)
	for posted := 0; posted < n; {
		var posts []Post
		for range min(1+r.IntN(5), n-posted) {
			p := Post{Content: fmt.Sprintf("token%d of %x", r.IntN(3), r.Uint32()), Type: EntryTypes[r.IntN(3)], Worker: fmt.Sprint("w", r.IntN(2)), MustSurface: r.IntN(2) == 0}
			if r.IntN(2) == 0 {
				p.Tags = []string{"a", "b"}[r.IntN(2):]
			}
			if r.IntN(3) == 0 {
				p.Addresses = []string{"s1"}
			}
			if posted > 0 && r.IntN(3) == 0 {
				p.Supersedes = []string{EntryID(int64(r.IntN(posted)) + 1)}
			}
			posts = append(posts, p)
		}
		expect.Value(b.PostBatch(t.Context(), "w", posts))(t)
		posted += len(posts)
	}
	return b
}

// randomQuery has up to three filters.
func randomQuery(r *rand.Rand) (q Query) {
	for range r.IntN(4) {
		switch r.IntN(9) {
		case 0:
			q.Types = EntryTypes[r.IntN(2):3]
		case 1:
			q.Statuses = []string{[]string{Active, Superseded}[r.IntN(2)]}
		case 2:
			q.Workers = []string{"w0"}
		case 3:
			q.Tags = []string{"a", "b"}[r.IntN(2):]
		case 4:
			q.Signal = "s1"
		case 5:
			q.MustSurface = true
		case 6:
			q.Since = int64(r.IntN(90))
		case 7:
			q.Match = []string{"token1", "of -token2", "tok*"}[r.IntN(3)]
		case 8:
			q.Contains = []string{"ken1", "token1", "1 of 1", "of", "f f", "e", "en0 o"}[r.IntN(7)]
		}
	}
	return q
}

func entryIDs(t *testing.T, b *Board, q Query) ([]string, bool) {
	t.Helper()
	found, err := b.Query(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	ids := []string{}
	for _, e := range found.Entries {
		ids = append(ids, e.ID)
	}
	return ids, found.More
}

// TestPages: whatever a query asks for, its pages are the whole answer cut into pieces, and an
// entry that it does not select divides it as well.
func TestPages(t *testing.T) {
	cost.SkipQuick(t)
	r := rand.New(rand.NewPCG(1, 4))
	b := pagedBoard(t, r, 80)
	for range 200 {
		q := randomQuery(r)
		q.Order = Newest
		all, _ := entryIDs(t, b, q)
		var paged []string
		for q.Limit, q.Before = 1+r.IntN(12), ""; ; q.Before = paged[len(paged)-1] {
			page, more := entryIDs(t, b, q)
			paged = append(paged, page...)
			if more != (len(paged) < len(all)) || more && len(page) != q.Limit {
				t.Fatalf("%+v: a page of %d, %d of %d in all, more: %v", q, len(page), len(paged), len(all), more)
			}
			if !more {
				break
			}
		}
		if !slices.Equal(paged, all) {
			t.Fatalf("%+v: the pages have %v, all is %v", q, paged, all)
		}
		n := 1 + r.Int64N(80)
		q.Order, q.Before, q.Limit = Oldest, EntryID(n), 0
		want := slices.DeleteFunc(slices.Clone(all), func(id string) bool { of, _ := ParseEntryID(id); return of >= n })
		slices.Reverse(want)
		if got, _ := entryIDs(t, b, q); !slices.Equal(got, want) {
			t.Fatalf("%+v: found %v, want %v", q, got, want)
		}
	}
}

// TestPagePlan: the way to a page leads over an index that is sorted by age, so that nothing newer
// is read, and nothing is sorted.
func TestPagePlan(t *testing.T) {
	needsFile(t)
	b := pagedBoard(t, rand.New(rand.NewPCG(2, 4)), 3)
	const key = "SEARCH e USING INTEGER PRIMARY KEY (rowid<?)"
	for _, c := range []struct {
		query Query
		want  string
	}{
		{Query{}, key},
		{Query{Order: Oldest}, key},
		{Query{Statuses: []string{Active}}, key},
		{Query{Since: 1, Order: Newest}, "SEARCH e USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"},
		{Query{Types: []string{Gap}}, "SEARCH e USING INDEX entries_type (type=? AND rowid<?)"},
		{Query{Workers: []string{"w1"}}, "SEARCH e USING INDEX entries_worker (worker=? AND rowid<?)"},
		{Query{Statuses: []string{Disputed}}, "SEARCH e USING INDEX entries_unsettled (status=? AND rowid<?)"},
		{Query{MustSurface: true}, "SEARCH e USING INDEX entries_must (id<?)"},
		{Query{Tags: []string{"a"}}, "SEARCH entry_tags USING PRIMARY KEY (tag=? AND entry<?)"},
		{Query{Match: "token1"}, "SCAN f VIRTUAL TABLE INDEX 192:M5<"}, // M5: a match; <: a bound of the rowid; 192: the newest first
		{Query{Match: "token1", Since: 1}, "SCAN f VIRTUAL TABLE INDEX 64:M5<>"},
	} {
		c.query.Before, c.query.Limit = "e2", 200
		var sql string
		var args []any
		expect.OK(t, b.read(t.Context(), func(tx *store.Tx) (err error) {
			sql, args, err = c.query.sql(tx)
			return err
		}))
		plan := planOf(t, b, `SELECT `+entryColumns+sql, args...)
		if !strings.Contains(plan, c.want+"\n") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%+v is found by\n%swant %s", c.query, plan, c.want)
		}
	}
}

func TestPageRefused(t *testing.T) {
	b := pagedBoard(t, rand.New(rand.NewPCG(3, 4)), 3)
	for _, c := range []struct {
		query Query
		kind  error
		says  string
	}{
		{Query{Before: "x"}, fault.Invalid, `"x" is not the id of an entry`},
		{Query{Before: "s1"}, fault.Invalid, "s1 is a question"},
		{Query{Before: "e0"}, fault.Invalid, `"e0" is not the id of an entry`},
		{Query{Before: "e4"}, fault.NotFound, "there is no entry e4 on this board"},
		{Query{Before: "e4", Contains: "no such text"}, fault.NotFound, "there is no entry e4 on this board"},
		{Query{Before: "e99999999999999999999"}, fault.NotFound, "there is no entry e99999999999999999999"},
		{Query{Before: "e2", Match: "token1", Order: Best}, fault.Invalid, "the order best has no page before e2"},
	} {
		if _, err := b.Query(t.Context(), c.query); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %v: %s", c.query, err, c.kind, c.says)
		}
	}
}
