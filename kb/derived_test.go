package kb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"blackboard/board/fault"
	"blackboard/kb/index"
	"blackboard/kb/rank"
	"blackboard/testdata/cost"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
)

// answers are what a list of questions gets, without what may differ.
func answers(tb testing.TB, k *KB) (all []string) {
	for _, q := range []string{"needle", "straw7 straw8", "needle straw12 nothing", "common body 17"} {
		for _, mode := range []string{ModeBM25, ModeVector, ModeHybrid} {
			for _, h := range ask(tb, k, Query{Text: q, Mode: mode, Limit: 50}).Hits {
				cos := 9.0
				if h.CosineScore != nil {
					cos = *h.CosineScore
				}
				all = append(all, fmt.Sprintf("%s %s: %s %.6f %d %d %.5f %.5f", q, mode, h.ID, h.Score, h.BM25Rank, h.VectorRank, h.BM25Score, cos))
			}
		}
	}
	return all
}

// fill stores capsules as they come in life: some superseded, some without an embedding.
func fill(tb testing.TB, k *KB, n int) {
	r := rand.New(rand.NewPCG(11, 11))
	var last string
	for i := range n {
		c := Capsule{Title: fmt.Sprint("common ", i), Body: fmt.Sprint("body ", i, strings.Repeat(" needle", r.IntN(3)), fmt.Sprintf(" straw%d", r.IntN(30)))}
		if last != "" && r.IntN(6) == 0 {
			c.Supersedes = []string{last}
		}
		last = put(tb, k, c, RememberOptions{Force: true, NoEmbedding: r.IntN(5) == 0}).ID
	}
}

// TestIndexIsDerived: made anew, by a new version, or opened again, the index gives the same
// answers as the one that grew, embeddings included.
func TestIndexIsDerived(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	home := t.TempDir()
	opt := Options{Embedder: embedtest.NewHash(64)}
	k := openKB(t, home, opt)
	fill(t, k, 600)
	want := answers(t, k)
	if len(want) < 200 {
		t.Fatalf("only %d answers", len(want))
	}
	same := func(what string, k *KB) {
		t.Helper()
		got := answers(t, k)
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				t.Fatalf("%s: answer %d is\n%s, not\n%s", what, i, got[min(i, len(got)-1)], want[i])
			}
		}
		sound(t, k)
	}
	expect.OK(t, k.Reindex(t.Context()))
	same("rebuilt", k)
	same("opened again", openKB(t, home, opt))
	same("kept warm", openKB(t, home, Options{Embedder: opt.Embedder, Warm: true}))
	execute(t, k, `UPDATE capsule_index_meta SET stamp = 'of an older version'`)
	k.Close()
	k = openKB(t, home, opt)
	same("of an older version", k)
	if onFiles {
		execute(t, k, `DROP TABLE capsule_index_meta`)
	} else {
		execute(t, k, `DELETE FROM capsule_index_meta`)
	}
	k.Close()
	k = openKB(t, home, opt)
	// Nothing says any more whose vectors there are.
	if s, err := k.Stats(t.Context()); err != nil || s.Embedded != 0 || s.Index.Docs != 600 {
		t.Errorf("%+v, %v", s, err)
	}
	expect.Value(k.Reembed(t.Context(), nil))(t)
	sound(t, k)
}

// damage breaks every record that waits in the index's tail.
func damage(tb testing.TB, k *KB) {
	execute(tb, k, `UPDATE capsule_index_tail SET record = ?`, []byte{255, 255, 255, 255})
}

// TestDamagedIndexIsMended: all in the index is derived, so damage in it costs no answer and no
// capsule, and is told.
func TestDamagedIndexIsMended(t *testing.T) {
	cost.SkipShort(t)
	t.Parallel()
	home := t.TempDir()
	k := openKB(t, home, Options{Embedder: embedtest.NewHash(64)})
	fill(t, k, 20)
	want := answers(t, k)
	damage(t, k)
	fresh := openKB(t, home, Options{Embedder: embedtest.NewHash(64)})
	if err := fresh.Check(t.Context()); !errors.Is(err, index.ErrCorrupt) {
		t.Errorf("Check says %v", err)
	}
	res := ask(t, fresh, Query{Text: "needle"})
	if len(res.Hits) == 0 || !slices.Contains(res.Degraded, reindexedNote) {
		t.Errorf("%q, %q", titles(res.Hits), res.Degraded)
	}
	if got := answers(t, fresh); !slices.Equal(got, want) {
		t.Error("the answers are others than before the damage")
	}
	sound(t, fresh)

	// A write that seals the tail meets the damage too.
	damage(t, fresh)
	told := false
	for i := range index.SealAt + 1 {
		r, err := fresh.Remember(t.Context(), Capsule{Title: fmt.Sprint("after ", i), Body: fmt.Sprint("x", i)}, RememberOptions{NoEmbedding: true})
		if err != nil {
			t.Fatal(i, err)
		}
		told = told || slices.Contains(r.Warnings, reindexedNote)
	}
	if s, err := fresh.Stats(t.Context()); err != nil || s.Capsules != int64(20+index.SealAt+1) {
		t.Errorf("%+v, %v", s, err)
	}
	if !told {
		t.Error("no write told of it")
	}
	sound(t, fresh)
}

func TestReembed(t *testing.T) {
	home := t.TempDir()
	small, large := embedtest.NewHash(64), renamed{embedtest.NewHash(96), "larger"}
	plain := openKB(t, home, Options{})
	for i := range 130 {
		put(t, plain, Capsule{Title: fmt.Sprint("title ", i), Body: fmt.Sprintf("word%d", i)})
	}
	k := openKB(t, home, Options{Embedder: small})
	res := ask(t, k, Query{Text: "word7", Mode: ModeHybrid})
	if !slices.ContainsFunc(res.Degraded, func(d string) bool {
		return strings.HasPrefix(d, "130 of 130 capsules have no embedding")
	}) {
		t.Errorf("it says %q", res.Degraded)
	}
	var steps []int
	r, err := k.Reembed(t.Context(), func(done, of int) {
		if of != 130 {
			t.Errorf("of %d", of)
		}
		steps = append(steps, done)
	})
	if err != nil || r != (Reembedded{Model: "hash", Embedded: 130}) || !slices.Equal(steps, []int{50, 100, 130}) {
		t.Errorf("%+v, %v, %v", r, steps, err)
	}
	if res := ask(t, k, Query{Text: "word7", Mode: ModeVector, Limit: 1}); len(res.Degraded) != 0 || titles(res.Hits)[0] != "title 7" {
		t.Errorf("%q, %q", titles(res.Hits), res.Degraded)
	}
	sound(t, k)

	// Another model: words only, then step by step over to it, going on where it broke off.
	emb := &flaky{Embedder: large, on: "word70"}
	l := openKB(t, home, Options{Embedder: emb})
	res = ask(t, l, Query{Text: "word7", Limit: 1})
	if res.Mode != ModeBM25 || titles(res.Hits)[0] != "title 7" || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "embedded with hash, the model here is larger") {
		t.Errorf("%+v", res)
	}
	_, err = l.Search(t.Context(), Query{Text: "word7", Mode: ModeVector})
	refused(t, err, fault.Conflict, "embedded with hash")
	rem, err := l.Remember(t.Context(), Capsule{Title: "between", Body: "models"}, RememberOptions{})
	if err != nil || rem.Capsule.Model != "" || !strings.Contains(strings.Join(rem.Warnings, "\n"), "reembedding") {
		t.Errorf("%+v, %v", rem, err)
	}
	r, err = l.Reembed(t.Context(), nil)
	if !errors.Is(err, fault.BadModel) || r.Embedded != 50 {
		t.Errorf("%+v, %v", r, err)
	}
	if s, _ := l.Stats(t.Context()); s.Embedded != 50 || s.Index.Vectors != 50 || s.Index.Model != "larger" {
		t.Errorf("%+v", s)
	}
	emb.on = ""
	r, err = l.Reembed(t.Context(), nil)
	if err != nil || r != (Reembedded{Model: "larger", Embedded: 81, Skipped: 50}) {
		t.Errorf("%+v, %v", r, err)
	}
	// What the first process holds is of the old model now.
	if res := ask(t, k, Query{Text: "word7"}); res.Mode != ModeBM25 || len(res.Degraded) != 1 {
		t.Errorf("%+v", res)
	}
	ctx, cancel := context.WithCancel(t.Context())
	execute(t, l, `UPDATE capsules SET model = '', dim = 0`)
	if r, err = l.Reembed(ctx, func(int, int) { cancel() }); !errors.Is(err, context.Canceled) || r.Embedded != 50 {
		t.Errorf("interrupted: %+v, %v", r, err)
	}
	sound(t, l)
}

func TestCalibrateStoresThresholds(t *testing.T) {
	cost.SkipQuick(t)
	cost.SkipTable(t)
	t.Parallel()
	home := t.TempDir()
	k := openKB(t, home, Options{Embedder: embedtest.NewHash(256)})
	put(t, k, Capsule{Title: "refund keys", Body: "Refunds need an idempotency key."})
	few, err := k.Calibrate(t.Context())
	if err != nil || len(few) != 1 || few[0].Model != "" {
		t.Errorf("one capsule tells the threshold of a model: %+v, %v", few, err)
	}
	if needs, err := k.NeedsCalibration(t.Context(), "hash"); err != nil || needs {
		t.Error(needs, err)
	}
	for i := range 60 { // words are rare only among others
		put(t, k, Capsule{Title: fmt.Sprint("filler ", i), Body: fmt.Sprint("nothing of note ", i)}, RememberOptions{Force: true})
	}
	if res := ask(t, k, Query{Text: "refund keys", Gate: true}); len(res.Hits) != 1 || res.Gated || res.Threshold != rank.ScaleOf("").Least(61, true) { // words alone judge
		t.Errorf("uncalibrated: %+v", res)
	}
	// By words alone there is a threshold from the beginning: the one that would be measured.
	if res := ask(t, k, Query{Text: "refund keys", Gate: true, Mode: ModeBM25}); len(res.Hits) == 0 || res.Gated || res.Threshold != rank.ScaleOf("").Least(61, true) {
		t.Errorf("by words, uncalibrated: %+v", res)
	}
	if needs, err := k.NeedsCalibration(t.Context(), "hash"); err != nil || !needs {
		t.Error(needs, err)
	}
	all, err := k.Calibrate(t.Context())
	if err != nil || len(all) != 2 || all[0].Model != "hash" || all[0].Dim != 256 || all[1].Model != "" {
		t.Fatalf("%+v, %v", all, err)
	}
	if d := all[1].one - rank.ScaleOf("").Unasked; math.Abs(d) > 0.005 {
		t.Errorf("by words the threshold is %v, and was %v", all[1].Threshold, rank.ScaleOf("").Unasked)
	}
	again := openKB(t, home, Options{})
	for _, c := range all {
		if c.Threshold <= 0 || c.Rejected < 0.95 || c.OnTopic != 61 || c.OffTopic != 240 || c.Kept <= 0.5 {
			t.Errorf("%+v", c)
		}
		got, ok, err := again.Threshold(t.Context(), c.Model)
		c.OnTopic, c.OffTopic = 0, 0 // not stored
		if err != nil || !ok || got != c {
			t.Errorf("stored %+v, measured %+v, %v", got, c, err)
		}
	}
	if _, ok, err := again.Threshold(t.Context(), "another"); ok || err != nil {
		t.Error("a threshold of a model that was never measured", err)
	}
	// The threshold is that of the mode that was done.
	for mode, want := range map[string]float64{ModeHybrid: all[0].Threshold, ModeBM25: all[1].Threshold} {
		res := ask(t, k, Query{Text: "refund keys", Gate: true, Mode: mode})
		if len(res.Hits) == 0 || res.Hits[0].Title != "refund keys" || res.Gated || res.Threshold != want {
			t.Errorf("%s: %q, %+v", mode, titles(res.Hits), res)
		}
		res = ask(t, k, Query{Text: "what is the weather like in the city", Gate: true, Mode: mode})
		if len(res.Hits) != 0 || res.Hits == nil || !res.Gated && res.Evidence > 0 || res.Evidence >= want {
			t.Errorf("%s, off topic: %+v", mode, res)
		}
	}
	if s, err := k.Stats(t.Context()); err != nil || s.Capsules != 61 {
		t.Errorf("the prompts are among the capsules: %+v, %v", s, err)
	}
}

// TestGoroutinesShareIt: remember, search, list and get at the same time, on one KB and on two of
// one file.
func TestGoroutinesShareIt(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	home := t.TempDir()
	emb := embedtest.NewHash(64)
	both := []*KB{openKB(t, home, Options{Embedder: emb, Warm: true}), openKB(t, home, Options{Embedder: emb})}
	const workers, each = 6, 25
	var wg sync.WaitGroup
	for w := range workers {
		k := both[w%2]
		wg.Go(func() {
			for i := range each {
				r, err := k.Remember(context.Background(), Capsule{Title: fmt.Sprintf("worker%d step%d", w, i), Body: fmt.Sprintf("common unique%dx%d", w, i)}, RememberOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				res, err := both[i%2].Search(context.Background(), Query{Text: fmt.Sprintf("unique%dx%d", w, i), Mode: ModeBM25})
				if err != nil || len(res.Hits) != 1 || res.Hits[0].ID != r.Capsule.ID {
					t.Errorf("what was just stored is not found: %q, %v", titles(res.Hits), err)
				}
				if _, err := both[w%2].Search(context.Background(), Query{Text: "common worker3"}); err != nil {
					t.Error(err)
				}
				if _, _, err := k.List(context.Background(), ListQuery{Limit: 5}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if s, err := both[0].Stats(t.Context()); err != nil || s.Capsules != workers*each || s.Embedded != workers*each {
		t.Errorf("%+v, %v", s, err)
	}
	sound(t, both[0])
}
