package rank

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

var (
	nan  = math.NaN()
	inf  = math.Inf(1)
	odd  = []float64{nan, inf, -inf, 0, math.Copysign(0, -1), -1, 1, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e300, -1e-310, 1e17}
	none = []Scored{}
)

// list makes candidates from id, score, id, score, …
func list(idScore ...float64) []Scored {
	out := []Scored{}
	for i := 0; i+1 < len(idScore); i += 2 {
		out = append(out, Scored{int64(idScore[i]), idScore[i+1]})
	}
	return out
}

func ids(s []Scored) []int64 {
	out := []int64{}
	for _, c := range s {
		out = append(out, c.ID)
	}
	return out
}

// near compares ids exactly and scores within 1e-12.
func near(t *testing.T, got, want []Scored) {
	t.Helper()
	ok := slices.EqualFunc(got, want, func(a, b Scored) bool { return a.ID == b.ID && math.Abs(a.Score-b.Score) <= 1e-12 })
	if !ok {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func finite(t *testing.T, lists ...[]Scored) {
	t.Helper()
	for _, l := range lists {
		for _, c := range l {
			if math.IsNaN(c.Score) || math.IsInf(c.Score, 0) {
				t.Fatalf("a result has the score %v: %v", c.Score, l)
			}
		}
	}
}

// bits makes lists comparable where they hold NaNs.
func bits(lists ...[]Scored) string { return fmt.Sprint(lists) }

// shuffled returns the lists, each in another order.
func shuffled(r *rand.Rand, lists ...[]Scored) [][]Scored {
	out := make([][]Scored, len(lists))
	for i, l := range lists {
		out[i] = slices.Clone(l)
		r.Shuffle(len(l), func(a, b int) { out[i][a], out[i][b] = out[i][b], out[i][a] })
	}
	return out
}

// random makes n candidates, with duplicates, ties and odd scores if wild.
func random(r *rand.Rand, n int, wild bool) []Scored {
	out := make([]Scored, n)
	for i := range out {
		out[i] = Scored{r.Int64N(int64(2*n + 1)), float64(r.IntN(20)) / 8}
		if wild && r.IntN(4) == 0 {
			out[i].Score = odd[r.IntN(len(odd))]
		}
	}
	return out
}

// unique drops all but the first of each id.
func unique(s []Scored) []Scored {
	var out []Scored
	for _, c := range s {
		if !slices.ContainsFunc(out, func(o Scored) bool { return o.ID == c.ID }) {
			out = append(out, c)
		}
	}
	return out
}

func position(s []Scored, id int64) int {
	return slices.IndexFunc(s, func(c Scored) bool { return c.ID == id })
}

func TestSort(t *testing.T) {
	s := list(1, nan, 2, 5, 3, -inf, 4, 5, 5, inf, 6, nan, 7, 0)
	Sort(s)
	if got, want := ids(s), []int64{5, 4, 2, 7, 3, 6, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	Sort(nil)
}

func TestNormalize(t *testing.T) {
	for _, test := range []struct{ in, want []Scored }{
		{none, none},
		{nil, none},
		{list(1, 3), list(1, 1)},
		{list(1, 2, 2, 8, 3, -4, 4, 0), list(1, .25, 2, 1, 3, 0, 4, 0)},
		{list(1, 1./61, 2, 1./122), list(1, 1, 2, .5)},
		{list(1, -1, 2, -3, 3, -2), list(1, 1, 2, 0, 3, .5)}, // no score above 0: stretched
		{list(1, 0, 2, -4), list(1, 1, 2, 0)},
		{list(1, 0, 2, 0), list(1, 1, 2, 1)},
		{list(1, -7), list(1, 1)},
		{list(1, nan, 2, 4, 3, 2), list(1, 0, 2, 1, 3, .5)},
		{list(1, nan), list(1, 0)},
		{list(1, inf, 2, 1, 3, -inf), list(1, 1, 2, 0, 3, 0)},
		{list(1, -inf, 2, -inf), list(1, 1, 2, 1)},
		{list(1, math.SmallestNonzeroFloat64, 2, 0), list(1, 1, 2, 0)},
		{list(1, -math.MaxFloat64, 2, 0), list(1, 0, 2, 1)},
	} {
		before := bits(test.in)
		near(t, Normalize(test.in), test.want)
		if bits(test.in) != before {
			t.Errorf("%v was changed", test.in)
		}
	}
}

func TestNormalizeTwice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		once := Normalize(random(r, r.IntN(9), true))
		if twice := Normalize(once); slices.ContainsFunc(once, func(c Scored) bool { return c.Score > 0 }) && !reflect.DeepEqual(once, twice) {
			t.Fatalf("%v becomes %v", once, twice)
		}
	}
}

// TestLeavesInputs: nothing but Sort changes what it is given.
func TestLeavesInputs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		a := random(r, r.IntN(12), true)
		before := bits(a)
		Normalize(a)
		MMR(a, .7, 5, func(a, b int64) float64 { return .5 })
		Boost(a, Push{3, 2, "x"}, Push{4, -1, "y"})
		if bits(a) != before {
			t.Fatalf("%s became %s", before, bits(a))
		}
	}
}

func TestReciprocal(t *testing.T) {
	if a, b, c := Reciprocal(0), Reciprocal(1), Reciprocal(40); a != 0 || b != 1./61 || c != .01 {
		t.Errorf("%v, %v, %v", a, b, c)
	}
}
