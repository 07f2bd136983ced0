package rank

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"blackboard/embed"
)

// alike makes a similarity from a, b, similarity, … of pairs; other pairs have 0.
func alike(pairs ...float64) func(a, b int64) float64 {
	return func(a, b int64) float64 {
		for i := 0; i+2 < len(pairs); i += 3 {
			if x, y := int64(pairs[i]), int64(pairs[i+1]); x == a && y == b || x == b && y == a {
				return pairs[i+2]
			}
		}
		return 0
	}
}

func TestMMR(t *testing.T) {
	// Relevance 1, .9, .6, .5. 1 and 2 say the same.
	cands, twins := list(1, 10, 2, 9, 3, 6, 4, 5), alike(1, 2, 1, 3, 4, .5)
	for name, test := range map[string]struct {
		cands  []Scored
		lambda float64
		limit  int
		sim    func(a, b int64) float64
		want   []int64
	}{
		// After 1: 2 has .7×.9-.3×1 = .33, 3 has .42, 4 has .35. After 3: 2 has .33, 4 has .35-.15
		// = .2.
		"hand computed":           {cands, .7, 4, twins, []int64{1, 3, 2, 4}},
		"limit":                   {cands, .7, 2, twins, []int64{1, 3}},
		"limit above":             {cands, .7, 99, twins, []int64{1, 3, 2, 4}},
		"limit 0":                 {cands, .7, 0, twins, []int64{}},
		"limit negative":          {cands, .7, -1, twins, []int64{}},
		"limit 1 asks nothing":    {cands, .7, 1, func(a, b int64) float64 { panic("asked") }, []int64{1}},
		"none":                    {nil, .7, 5, twins, []int64{}},
		"relevance only":          {cands, 1, 4, func(a, b int64) float64 { panic("asked") }, []int64{1, 2, 3, 4}},
		"lambda above 1":          {cands, 7, 4, twins, []int64{1, 2, 3, 4}},
		"lambda NaN":              {cands, nan, 4, twins, []int64{1, 2, 3, 4}},
		"variety only":            {cands, 0, 4, twins, []int64{1, 3, 4, 2}}, // then 3 and 4 at 0: the earlier; then 4 at -.5
		"lambda below 0":          {cands, -1, 4, twins, []int64{1, 3, 4, 2}},
		"no sim":                  {cands, .5, 4, nil, []int64{1, 2, 3, 4}},
		"no sim, unsorted":        {list(3, 6, 1, 10, 2, 9), .5, 3, nil, []int64{1, 2, 3}},
		"sim clipped":             {cands, .7, 4, alike(1, 2, 50, 3, 4, -9), []int64{1, 3, 4, 2}}, // 4: .35-0, 2: .33
		"sim NaN":                 {cands, .7, 4, func(a, b int64) float64 { return nan }, []int64{1, 2, 3, 4}},
		"first is best at once":   {list(4, 1, 9, 2, 5, 2), 0, 1, nil, []int64{9}},
		"tie keeps the earlier":   {list(4, 2, 9, 2, 5, 2), .5, 3, nil, []int64{4, 9, 5}},
		"reciprocal ranks":        {list(1, 1./61, 2, .9/61, 3, .6/61, 4, .5/61), .7, 4, twins, []int64{1, 3, 2, 4}},
		"duplicate":               {list(1, 10, 2, 9, 1, 8, 2, 9), .7, 4, nil, []int64{1, 2}},
		"duplicate, better later": {list(1, 3, 2, 9, 1, 10), .7, 4, nil, []int64{1, 2}},
		"NaN is never first":      {list(1, nan, 2, -3, 3, -2), 1, 3, nil, []int64{3, 1, 2}}, // 1 and 2 both have relevance 0
		"all NaN":                 {list(1, nan, 2, nan), .5, 3, nil, []int64{1, 2}},
		"infinite":                {list(1, -inf, 2, inf, 3, 5), .9, 3, nil, []int64{2, 3, 1}}, // next to infinity 5 is next to nothing
	} {
		t.Run(name, func(t *testing.T) {
			out := MMR(test.cands, test.lambda, test.limit, test.sim)
			finite(t, out)
			if got := ids(out); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
	if got := MMR(cands, .7, 2, twins); !reflect.DeepEqual(got, list(1, 10, 3, 6)) {
		t.Errorf("scores are not those that came in: %v", got)
	}
}

// plainMMR is the formula, word for word.
func plainMMR(cands []Scored, lambda float64, limit int, sim func(a, b int64) float64) []int64 {
	picked := []int64{}
	rel := Normalize(cands)
	for len(picked) < limit {
		best, top := -1, math.Inf(-1)
		for i, c := range rel {
			if slices.Contains(picked, c.ID) {
				continue
			}
			v := clean(cands[i].Score)
			if len(picked) > 0 {
				most := 0.0
				for _, p := range picked {
					most = max(most, clip(sim(c.ID, p)))
				}
				v = float64(lambda*c.Score) - float64((1-lambda)*most)
			}
			if v > top {
				best, top = i, v
			}
		}
		if best < 0 {
			break
		}
		picked = append(picked, rel[best].ID)
	}
	return picked
}

// checkMMR compares MMR with the formula, and checks what holds for all picks. similarities are
// drawn from the seed.
func checkMMR(t *testing.T, cands []Scored, lambda float64, limit int, seed uint64) {
	t.Helper()
	calls, asked := 0, map[[2]int64]bool{}
	pure := func(a, b int64) float64 {
		r := rand.New(rand.NewPCG(seed^uint64(min(a, b)), uint64(max(a, b))))
		if r.IntN(6) == 0 {
			return odd[r.IntN(len(odd))]
		}
		return float64(r.IntN(9)) / 8
	}
	sim := func(a, b int64) float64 {
		calls++
		asked[[2]int64{a, b}] = true
		return pure(a, b)
	}
	before := bits(cands)
	out := MMR(cands, lambda, limit, sim)
	finite(t, out)
	if bits(cands) != before {
		t.Fatal("the input was changed")
	}
	if calls > max(0, limit)*len(cands) || len(unique(cands)) == len(cands) && calls > len(asked) {
		t.Fatalf("%d similarities for %d of %d candidates, %d different ones", calls, limit, len(cands), len(asked))
	}
	l := clip(lambda)
	if math.IsNaN(lambda) {
		l = 1
	}
	if got, want := ids(out), plainMMR(cands, l, limit, pure); !slices.Equal(got, want) {
		t.Fatalf("λ %v: of %v\npicked %v\nwant   %v", lambda, cands, got, want)
	}
	// Every permutation, sorted, gives the same.
	if len(unique(cands)) == len(cands) {
		a := slices.Clone(cands)
		Sort(a)
		b := shuffled(rand.New(rand.NewPCG(seed, 1)), a)[0]
		Sort(b)
		if !reflect.DeepEqual(MMR(a, lambda, limit, pure), MMR(b, lambda, limit, pure)) {
			t.Fatalf("%v: the order matters", cands)
		}
	}
}

func TestMMRProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for i := range 3000 {
		lambda := float64(r.IntN(11)) / 10
		checkMMR(t, random(r, r.IntN(15), i%2 == 0), lambda, r.IntN(18)-1, uint64(i))
	}
}

// TestMMRPermutation: where no two candidates come out equal, the order of the list is of no
// account.
func TestMMRPermutation(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		cands := make([]Scored, 12)
		for i := range cands {
			cands[i] = Scored{int64(i), r.Float64()}
		}
		sims := make([]float64, 144)
		for i := range sims {
			sims[i] = r.Float64()
		}
		sim := func(a, b int64) float64 { return sims[min(a, b)*12+max(a, b)] }
		want := MMR(cands, .7, 8, sim)
		if got := MMR(shuffled(r, cands)[0], .7, 8, sim); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func ExampleMMR() {
	vectors := map[int64]embed.Vector{1: {1, 0}, 2: {1, 0}, 3: {.8, .6}} // 4 has none
	hits := []Scored{{1, 9}, {2, 8}, {3, 7}, {4, 5}}
	for _, h := range MMR(hits, 0.7, 3, func(a, b int64) float64 { return embed.Cosine(vectors[a], vectors[b]) }) {
		fmt.Println(h.ID, h.Score)
	}
	// Output:
	// 1 9
	// 4 5
	// 2 8
}
