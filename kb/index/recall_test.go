package index

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// TestRecall holds the vector lane, which chooses its candidates by codes, against a look at every
// vector. The numbers of documents are those that BOARD_BENCH_DOCS lists, or 20,000.
func TestRecall(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
	sizes := []int{20_000}
	if env := os.Getenv("BOARD_BENCH_DOCS"); env != "" {
		sizes = nil
		for s := range strings.SplitSeq(env, ",") {
			n := expect.Value(strconv.Atoi(s))(t)
			sizes = append(sizes, n)
		}
	}
	if !cost.Long() {
		sizes = []int{4_000} // for its own sake only: nothing happens at once here
	}
	for _, n := range sizes {
		for _, dim := range []int{384, 64} {
			t.Run(fmt.Sprintf("%d/%d", n, dim), func(t *testing.T) { recall(t, n, dim) })
		}
	}
}

func recall(t *testing.T, n, dim int) {
	queries := 100
	if !cost.Long() {
		queries = 30
	}
	r := rand.New(rand.NewPCG(2, 2))
	topics := make([]embed.Vector, min(500, n/40)) // each with twice as many documents as are asked for
	for i := range topics {
		topics[i] = randomVector(r, dim)
	}
	vectors := make([]embed.Vector, n)
	db := openDB(t)
	x := newIndex(t, db, Config{Name: "ix", Weights: []float64{1}, K1: 0.9, B: 0.4})
	write(t, db, func(tx *sqlite.Tx) error { return x.SetModel(tx, embed.Model{Name: "clusters", Dim: dim}) })
	start := time.Now()
	for i := 0; i < n; {
		var docs []Doc
		for ; len(docs) < 5000 && i < n; i++ {
			vectors[i] = clustered(r, topics)
			docs = append(docs, Doc{ID: int64(i), Text: []string{"text"}, Keywords: []string{fmt.Sprint("kind:", i%2)}, Vector: vectors[i]})
		}
		write(t, db, func(tx *sqlite.Tx) error { return x.Put(tx, docs...) })
	}
	built := time.Since(start)
	for _, tc := range []struct {
		name   string
		filter Filter
		k      int
		ask    func() embed.Vector
	}{
		{"near topics", Filter{}, 20, func() embed.Vector { return clustered(r, topics) }},
		{"filtered", Filter{All: [][]string{{"kind:1"}}}, 10, func() embed.Vector { return clustered(r, topics) }},
		{"anything", Filter{}, 20, func() embed.Vector { return randomVector(r, dim) }},
	} {
		k := tc.k
		found, worst := 0, k
		var took time.Duration
		for range queries {
			q := tc.ask()
			var best []scored
			for i, v := range vectors {
				if tc.filter.All == nil || i%2 == 1 {
					best = append(best, scored{id: int64(i), score: Cosine(q, v)})
				}
			}
			slices.SortFunc(best, better)
			start := time.Now()
			got := ranked(ask(t, db, x, Query{Vector: q, Model: "clusters", Depth: k, Filter: tc.filter}), byVector)
			took += time.Since(start)
			hits := 0
			for _, h := range best[:k] {
				if slices.Contains(got, h.id) {
					hits++
				}
			}
			found += hits
			worst = min(worst, hits)
		}
		share := float64(found) / float64(queries*k)
		t.Logf("%d × %d, %s: recall@%d %.4f, at worst %d of %d; %v a question; built in %v", n, dim, tc.name, k, share, worst, k, (took / time.Duration(queries)).Round(time.Microsecond), built.Round(time.Millisecond))
		if share < 0.98 && tc.name != "anything" { // random questions have no near documents: what is best hangs on a hair
			t.Errorf("%s: recall@%d is %.4f", tc.name, k, share)
		}
	}
	// What is as near as a duplicate is found however few candidates are looked at, and nothing
	// else.
	const near = 0.95
	missed, all := 0, 0
	for range queries {
		q, noise := slices.Clone(vectors[r.IntN(n)]), randomVector(r, dim)
		w := float32(0.3 * r.Float64()) // so that the cosine with it is about 0.958 or more
		for i := range q {
			q[i] += w * noise[i]
		}
		q.Normalize()
		var want []int64
		for i, v := range vectors {
			if Cosine(q, v) >= near {
				want = append(want, int64(i))
			}
		}
		got := ranked(ask(t, db, x, Query{Vector: q, Model: "clusters", Depth: 50, Near: near}), byVector)
		for _, id := range got {
			if cos := Cosine(q, vectors[id]); cos < near {
				t.Errorf("a cosine of %.3f is not as near as %.2f", cos, near)
			}
		}
		for _, id := range want[:min(50, len(want))] {
			all++
			if !slices.Contains(got, id) && len(got) < 50 {
				missed++
			}
		}
	}
	t.Logf("%d × %d: %d of %d documents as near as %.2f missed", n, dim, missed, all, near)
	if all < queries || missed > 0 {
		t.Errorf("%d of %d documents as near as %.2f are missed", missed, all, near)
	}
}
