package rank

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestRRF(t *testing.T) {
	a, b := list(1, 9, 2, 5, 3, 1), list(3, .9, 1, .5, 4, .1)
	for name, test := range map[string]struct {
		k       float64
		weights []float64
		lanes   [][]Scored
		want    []Scored
	}{
		"none":                {60, nil, nil, none},
		"empty lanes":         {60, nil, [][]Scored{nil, none}, none},
		"one lane":            {60, nil, [][]Scored{a}, list(1, 1./61, 2, 1./62, 3, 1./63)},
		"two lanes":           {60, nil, [][]Scored{a, b}, list(1, 1./61+1./62, 3, 1./63+1./61, 2, 1./62, 4, 1./63)},
		"k = 0":               {0, nil, [][]Scored{a, b}, list(1, 1.5, 3, 1+1./3, 2, .5, 4, 1./3)},
		"weights":             {0, []float64{1, 3}, [][]Scored{a, b}, list(3, 3+1./3, 1, 2.5, 4, 1, 2, .5)},
		"weights too few":     {0, []float64{0}, [][]Scored{a, b}, list(3, 1, 1, .5, 4, 1./3, 2, 0)},
		"weights of no use":   {0, []float64{nan, -1}, [][]Scored{a, b}, list(4, 0, 3, 0, 2, 0, 1, 0)},
		"k of no use":         {-5, nil, [][]Scored{list(1, 2, 2, 1)}, list(1, 1, 2, .5)},
		"k is NaN":            {nan, nil, [][]Scored{list(1, 2, 2, 1)}, list(1, 1, 2, .5)},
		"duplicate":           {0, nil, [][]Scored{list(1, 9, 2, 8, 1, 7, 3, 6)}, list(1, 1, 2, .5, 3, 1./3)},
		"duplicate, unsorted": {0, nil, [][]Scored{list(1, 7, 3, 6, 2, 8, 1, 9)}, list(1, 1, 2, .5, 3, 1./3)},
		"newer first":         {0, nil, [][]Scored{list(1, 5, 2, 5)}, list(2, 1, 1, .5)},
		"tie":                 {0, nil, [][]Scored{list(1, 5), list(2, 5)}, list(2, 1, 1, 1)},
		"NaN gets nothing":    {0, nil, [][]Scored{list(1, nan, 2, -inf, 3, nan)}, list(2, 1, 3, 0, 1, 0)},
		"NaN twin":            {0, nil, [][]Scored{list(1, nan, 1, 3, 2, inf)}, list(2, 1, 1, .5)},
	} {
		t.Run(name, func(t *testing.T) { near(t, RRF(test.k, test.weights, test.lanes...), test.want) })
	}
	finite(t, RRF(inf, []float64{inf, inf}, a, b), RRF(0, []float64{inf, math.MaxFloat64}, a, b))
}

// fusers are the ways to fuse two lanes that the properties are tested on.
var fusers = map[string]func(a, b []Scored) []Scored{
	"rrf":          func(a, b []Scored) []Scored { return RRF(K, nil, a, b) },
	"rrf weighted": func(a, b []Scored) []Scored { return RRF(3, []float64{.4, .6}, a, b) },
}

func TestFusionProperties(t *testing.T) {
	for name, fuse := range fusers {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 6))
			for range 1500 {
				checkFusion(t, r, random(r, r.IntN(15), true), random(r, r.IntN(15), true), fuse)
			}
		})
	}
}

// checkFusion checks what holds for every fusion of a and b.
func checkFusion(t *testing.T, r *rand.Rand, a, b []Scored, fuse func(a, b []Scored) []Scored) {
	t.Helper()
	before := bits(a, b)
	out := fuse(a, b)
	finite(t, out)
	if bits(a, b) != before {
		t.Fatal("the input was changed")
	}
	want, got := ids(unique(slices.Concat(a, b))), ids(out)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("candidates %v, want %v", got, want)
	}
	if !slices.IsSortedFunc(out, better) {
		t.Fatalf("not sorted: %v", out)
	}
	for _, c := range out {
		if c.Score < 0 {
			t.Fatalf("%v is below 0", c)
		}
	}
	s := shuffled(r, a, b)
	if again := fuse(s[0], s[1]); !reflect.DeepEqual(again, out) {
		t.Fatalf("%v and %v give %v\nin another order %v", a, b, out, again)
	}
	if len(a) == 0 {
		return
	}
	i := r.IntN(len(a)) // raise one score of a
	higher := slices.Clone(a)
	if higher[i].Score += float64(r.IntN(12)) / 8; r.IntN(8) == 0 {
		higher[i].Score = inf
	}
	if math.IsNaN(a[i].Score) || math.IsNaN(higher[i].Score) {
		return // a missing score is not a low one
	}
	raised := fuse(higher, b)
	id := a[i].ID
	// Whoever stood clearly below stays below.
	for _, c := range out {
		if c.Score < out[position(out, id)].Score-1e-12 && position(raised, c.ID) < position(raised, id) {
			t.Fatalf("%v and %v give %v\nwith %v raised to %v: %v", a, b, out, a[i], higher[i], raised)
		}
	}
}

// TestRaisingIsMonotone: where nothing is subtracted, a better score never costs a place, ties
// included.
func TestRaisingIsMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, name := range []string{"rrf", "rrf weighted"} {
		for range 3000 {
			a, b := random(r, 1+r.IntN(12), false), random(r, r.IntN(12), false)
			i := r.IntN(len(a))
			higher := slices.Clone(a)
			higher[i].Score += float64(1+r.IntN(12)) / 8
			before, after := fusers[name](a, b), fusers[name](higher, b)
			if position(after, a[i].ID) > position(before, a[i].ID) {
				t.Fatalf("%s: %v and %v give %v\nwith %v raised to %v: %v", name, a, b, before, a[i], higher[i], after)
			}
		}
	}
}
