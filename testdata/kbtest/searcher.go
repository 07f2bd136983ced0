// Package kbtest has the suite that every kb.Searcher passes.
package kbtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/kb"
	"blackboard/testdata/embedtest"
)

// TestSearcher checks a searcher against the contract of kb.Searcher. open returns one
// for the knowledge base of a data home, with a model or without (nil), and cleans up
// after itself with t.Cleanup; it is called for each part of the suite. The model's
// dimension is Dim.
func TestSearcher(t *testing.T, open func(t *testing.T, home string, model embed.Embedder) kb.Searcher) {
	for _, part := range []struct {
		name  string
		model embed.Embedder
		test  func(*testing.T, *corpus)
	}{
		{"as in process", embedtest.NewHash(Dim), testAsInProcess},
		{"as in process without a model", nil, testAsInProcess},
		{"results", embedtest.NewHash(Dim), testResults},
		{"filters", embedtest.NewHash(Dim), testFilters},
		{"without a model", nil, testWithoutModel},
		{"bad questions", embedtest.NewHash(Dim), testBadQuestions},
		{"questions are left alone", embedtest.NewHash(Dim), testLeftAlone},
		{"writes of others", embedtest.NewHash(Dim), testWritesOfOthers},
		{"called off", embedtest.NewHash(Dim), testCalledOff},
		{"concurrent", embedtest.NewHash(Dim), testConcurrent},
	} {
		t.Run(part.name, func(t *testing.T) {
			c := fill(t, t.TempDir(), part.model)
			c.s = open(t, c.home, part.model)
			part.test(t, c)
		})
	}
	t.Run("no knowledge base", func(t *testing.T) {
		s := open(t, t.TempDir(), nil)
		if s == nil {
			t.Skip("it is refused when it is opened")
		}
		if _, err := s.Search(t.Context(), kb.Query{Text: "anything"}); !errors.Is(err, fault.NotFound) {
			t.Errorf("where there is no knowledge base: %v", err)
		}
	})
}

// Dim is the dimension of the suite's model.
const Dim = 64

// corpus is a knowledge base of some capsules, and what is tested over it.
type corpus struct {
	home  string
	model embed.Embedder
	own   *kb.KB // writes, and answers in this process
	s     kb.Searcher
	old   string // a capsule that is superseded
}

// size is how many capsules a corpus has, superseded ones too.
const size = 60

func fill(t *testing.T, home string, model embed.Embedder) *corpus {
	t.Helper()
	k, err := kb.Open(t.Context(), home, kb.Options{Embedder: model})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	c := &corpus{home: home, model: model, own: k}
	for i := range size {
		capsule := kb.Capsule{Kind: kb.Kinds[i%3], Scope: "universal", Title: fmt.Sprintf("Capsule %d about topic %d", i, i%7), Tags: []string{fmt.Sprint("t", i%4)}, DomainTags: []string{fmt.Sprint("d", i%2)},
			Body: fmt.Sprintf("What holds for item %d, of group %d, with pane and socket %d.", i, i%5, i%11), Source: "test", Project: fmt.Sprint("p", i%2)}
		if i == size-1 {
			capsule.Supersedes = []string{c.old}
		}
		r, err := k.Remember(t.Context(), capsule, kb.RememberOptions{Force: true})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			c.old = r.Capsule.ID
		}
	}
	return c
}

func (c *corpus) search(t *testing.T, q kb.Query) kb.Result {
	t.Helper()
	r, err := c.s.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return r
}

// testAsInProcess asks the same of the searcher and of a knowledge base opened here, over
// many questions, modes and filters: the same hits, scores, order and errors.
func testAsInProcess(t *testing.T, c *corpus) {
	for _, text := range []string{"topic 3", "pane and socket", "item 17 of group 2", "nothing of the kind", "\xff broken \xfe text", "*\"-:", "日本語", "<b>&amp;", "\u2028 \x00", strings.Repeat("pane ", 2000)} {
		for _, q := range []kb.Query{{}, {Mode: kb.ModeBM25}, {Mode: kb.ModeVector}, {Mode: kb.ModeHybrid}, {Kinds: []string{"fact"}}, {Tags: []string{"t1"}, Limit: 3}, {Projects: []string{"p1"}, Explain: true},
			{Floor: .5}, {NoMMR: true, Limit: 50}, {Gate: true}, {Superseded: true, Limit: kb.MaxLimit}, {DomainTags: []string{"d1"}, Workspace: "/nowhere"}, {Kinds: []string{"no such"}}, {Limit: -1}, {Gate: true, Mode: kb.ModeVector}} {
			q.Text = text
			want, wantErr := c.own.Search(t.Context(), q)
			got, err := c.s.Search(t.Context(), q)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || errors.Is(err, fault.Invalid) != errors.Is(wantErr, fault.Invalid) || errors.Is(err, fault.NoModel) != errors.Is(wantErr, fault.NoModel) || try(err) != try(wantErr) {
				t.Errorf("%.20q %+v: %v (try: %s) instead of %v (try: %s)", text, q, err, try(err), wantErr, try(wantErr))
			}
			if a, b := asJSON(t, want), asJSON(t, got); a != b && wantErr == nil {
				t.Errorf("%.20q %+v:\nin process %s\nhere       %s", text, q, a, b)
			}
		}
	}
}

// try are the next steps that an error names.
func try(err error) string {
	return fault.Say(fault.Next(err), func(s fault.Step) string { return fmt.Sprint(s) })
}

func asJSON(t *testing.T, r kb.Result) string {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// testResults looks at what every result must be.
func testResults(t *testing.T, c *corpus) {
	for _, mode := range []string{"", kb.ModeAuto, kb.ModeHybrid, kb.ModeBM25, kb.ModeVector} {
		r := c.search(t, kb.Query{Text: "pane and socket 4", Mode: mode, Limit: 7})
		if len(r.Hits) != 7 || r.Total != size || r.Degraded == nil || r.Missing == nil || r.Mode == "" || r.Mode == kb.ModeAuto {
			t.Errorf("mode %q: %d hits of %d, mode %q, degraded %#v, missing %#v", mode, len(r.Hits), r.Total, r.Mode, r.Degraded, r.Missing)
			continue
		}
		seen := map[string]bool{}
		for i, h := range r.Hits {
			switch {
			case h.ID == "" || h.Title == "" || h.Body == "" || h.Snippet == "" || h.Boosts == nil:
				t.Errorf("mode %q, hit %d is not whole: %+v", mode, i, h)
			case seen[h.ID]:
				t.Errorf("mode %q: %s is there twice", mode, h.ID)
			case h.Score < 0 || h.Score > 1 || math.IsNaN(h.Score) || h.BM25Rank == 0 && h.VectorRank == 0:
				t.Errorf("mode %q, hit %d: score %v, ranks %d and %d", mode, i, h.Score, h.BM25Rank, h.VectorRank)
			}
			seen[h.ID] = true
		}
		if r.Hits[0].Score != 1 {
			t.Errorf("mode %q: the best has a score of %v", mode, r.Hits[0].Score)
		}
	}
	if r := c.search(t, kb.Query{Text: "xyzzyplugh", Mode: kb.ModeBM25}); len(r.Hits) != 0 || r.Hits == nil || len(r.Missing) != 1 {
		t.Errorf("a word that nothing has: %+v", r)
	}
	if r := c.search(t, kb.Query{Text: "pane"}); len(r.Hits) != kb.DefaultLimit {
		t.Errorf("without a limit: %d hits", len(r.Hits))
	}
}

func testFilters(t *testing.T, c *corpus) {
	for _, f := range []struct {
		q  kb.Query
		in func(kb.Hit) bool
	}{
		{kb.Query{Kinds: kb.Kinds[:2]}, func(h kb.Hit) bool { return slices.Contains(kb.Kinds[:2], h.Kind) }},
		{kb.Query{Tags: []string{"t2"}}, func(h kb.Hit) bool { return slices.Contains(h.Tags, "t2") }},
		{kb.Query{DomainTags: []string{"d1"}}, func(h kb.Hit) bool { return slices.Contains(h.DomainTags, "d1") }},
		{kb.Query{Projects: []string{"p1"}, Kinds: kb.Kinds[:1]}, func(h kb.Hit) bool { return h.Project == "p1" && h.Kind == kb.Kinds[0] }},
		{kb.Query{Scopes: []string{"workspace"}}, func(kb.Hit) bool { return false }},
	} {
		want := 0
		all, _, err := c.own.List(t.Context(), kb.ListQuery{})
		if err != nil {
			t.Fatal(err)
		}
		for _, capsule := range all {
			if f.in(kb.Hit{Capsule: capsule}) {
				want++
			}
		}
		f.q.Text, f.q.Limit = "pane and socket", size
		r := c.search(t, f.q)
		if len(r.Hits) != want {
			t.Errorf("%+v: %d hits, %d capsules match", f.q, len(r.Hits), want)
		}
		for _, h := range r.Hits {
			if !f.in(h) {
				t.Errorf("%+v: %s does not match", f.q, h.ID)
			}
		}
	}
	has := func(r kb.Result) bool {
		return slices.ContainsFunc(r.Hits, func(h kb.Hit) bool { return h.ID == c.old })
	}
	if has(c.search(t, kb.Query{Text: "capsule 0 about topic 0", Limit: size})) {
		t.Error("a superseded capsule is found")
	}
	if !has(c.search(t, kb.Query{Text: "capsule 0 about topic 0", Limit: size, Superseded: true})) {
		t.Error("a superseded capsule is not found where it is asked for")
	}
}

func testWithoutModel(t *testing.T, c *corpus) {
	if r := c.search(t, kb.Query{Text: "pane"}); r.Mode != kb.ModeBM25 || len(r.Degraded) == 0 || len(r.Hits) == 0 {
		t.Errorf("auto: mode %q, degraded %q, %d hits", r.Mode, r.Degraded, len(r.Hits))
	}
	for _, mode := range []string{kb.ModeHybrid, kb.ModeVector} {
		if _, err := c.s.Search(t.Context(), kb.Query{Text: "pane", Mode: mode}); err == nil {
			t.Errorf("%s without a model is no error", mode)
		}
	}
}

func testBadQuestions(t *testing.T, c *corpus) {
	for _, q := range []kb.Query{{}, {Text: " \t\n"}, {Text: "x", Mode: "best"}, {Text: "x", Limit: -1}, {Text: "x", Limit: kb.MaxLimit + 1}, {Text: "x", Floor: 1.5}, {Text: "x", Floor: math.NaN()},
		{Text: "x", Floor: math.Inf(1)}, {Text: "x", Kinds: []string{"rumour"}}, {Text: "x", Scopes: []string{"galaxy"}}} {
		_, err := c.s.Search(t.Context(), q)
		if !errors.Is(err, fault.Invalid) || try(err) == "" {
			t.Errorf("%+v: %v (try: %s)", q, err, try(err))
		}
	}
}

// testLeftAlone sees that a question is not changed, nor shared with the result.
func testLeftAlone(t *testing.T, c *corpus) {
	q := kb.Query{Text: "pane \xff", Kinds: []string{"recipe", "fact"}, Tags: []string{"t1"}, Projects: []string{"p1", "p0"}}
	before := fmt.Sprintf("%#v", q)
	c.search(t, q)
	if after := fmt.Sprintf("%#v", q); after != before {
		t.Errorf("the question was %s, and is %s", before, after)
	}
}

// testWritesOfOthers writes beside the searcher: what was acknowledged is found by the
// next search, and what was retired is not.
func testWritesOfOthers(t *testing.T, c *corpus) {
	for i := range 10 {
		word := fmt.Sprintf("zanzibar%d", i)
		r, err := c.own.Remember(t.Context(), kb.Capsule{Kind: "fact", Scope: "universal", Title: "About " + word, Body: "It is " + word + ".", Source: "test"}, kb.RememberOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.search(t, kb.Query{Text: word}); len(got.Hits) == 0 || got.Hits[0].ID != r.Capsule.ID {
			t.Fatalf("%s was acknowledged, and is not the first hit of %d", r.Capsule.ID, len(got.Hits))
		}
		if _, err := c.own.Retire(t.Context(), r.Capsule.ID, "over"); err != nil {
			t.Fatal(err)
		}
		if got := c.search(t, kb.Query{Text: word}); slices.ContainsFunc(got.Hits, func(h kb.Hit) bool { return h.ID == r.Capsule.ID }) {
			t.Fatalf("%s was retired, and is found", r.Capsule.ID)
		}
	}
}

func testCalledOff(t *testing.T, c *corpus) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.s.Search(ctx, kb.Query{Text: "pane"}); !errors.Is(err, context.Canceled) {
		t.Errorf("called off before: %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 1)
	defer cancel()
	<-ctx.Done()
	if _, err := c.s.Search(ctx, kb.Query{Text: "pane"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the deadline: %v", err)
	}
	c.search(t, kb.Query{Text: "pane"}) // it is none the worse for it
}

// testConcurrent asks from many sides at once: the same question has the same answer.
func testConcurrent(t *testing.T, c *corpus) {
	var want [8]string
	for i := range want {
		want[i] = asJSON(t, c.search(t, kb.Query{Text: fmt.Sprint("topic ", i)}))
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range want {
				r, err := c.s.Search(t.Context(), kb.Query{Text: fmt.Sprint("topic ", i)})
				if err != nil {
					t.Error(err)
				} else if got := asJSON(t, r); got != want[i] {
					t.Errorf("topic %d: %s instead of %s", i, got, want[i])
				}
			}
		})
	}
	wg.Wait()
}
