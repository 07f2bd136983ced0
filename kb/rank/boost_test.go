package rank

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestBoost(t *testing.T) {
	cands := list(1, .9, 2, .8, 3, .7, 4, .6, 5, .5)
	for name, test := range map[string]struct {
		pushes []Push
		want   []int64
		moved  []int
	}{
		"none":                     {nil, []int64{1, 2, 3, 4, 5}, []int{0, 0, 0, 0, 0}},
		"nobody there":             {[]Push{{9, 3, ""}}, []int64{1, 2, 3, 4, 5}, []int{0, 0, 0, 0, 0}},
		"up 2":                     {[]Push{{4, 2, ""}}, []int64{1, 4, 2, 3, 5}, []int{0, 2, -1, -1, 0}},
		"up 1":                     {[]Push{{2, 1, ""}}, []int64{2, 1, 3, 4, 5}, []int{1, -1, 0, 0, 0}},
		"to the top":               {[]Push{{3, 9, ""}}, []int64{3, 1, 2, 4, 5}, []int{2, -1, -1, 0, 0}},
		"best up":                  {[]Push{{1, 2, ""}}, []int64{1, 2, 3, 4, 5}, []int{0, 0, 0, 0, 0}},
		"down 2":                   {[]Push{{2, -2, ""}}, []int64{1, 3, 4, 2, 5}, []int{0, 1, 1, -2, 0}},
		"to the bottom":            {[]Push{{2, -99, ""}}, []int64{1, 3, 4, 5, 2}, []int{0, 1, 1, 1, -3}},
		"pushes add up":            {[]Push{{5, 2, ""}, {5, 1, ""}}, []int64{1, 5, 2, 3, 4}, []int{0, 3, -1, -1, -1}},
		"pushes cancel":            {[]Push{{5, 2, ""}, {5, -2, ""}}, []int64{1, 2, 3, 4, 5}, []int{0, 0, 0, 0, 0}},
		"neighbours alike":         {[]Push{{3, 2, ""}, {4, 2, ""}}, []int64{3, 1, 4, 2, 5}, []int{2, -1, 1, -2, 0}},
		"all alike":                {[]Push{{1, 3, ""}, {2, 3, ""}, {3, 3, ""}, {4, 3, ""}, {5, 3, ""}}, []int64{1, 2, 3, 4, 5}, []int{0, 0, 0, 0, 0}},
		"higher passes lower":      {[]Push{{3, 1, ""}, {4, 2, ""}}, []int64{1, 4, 3, 2, 5}, []int{0, 2, 0, -2, 0}},
		"not by too little":        {[]Push{{2, 1, ""}, {4, 2, ""}}, []int64{2, 1, 4, 3, 5}, []int{1, -1, 1, -1, 0}},
		"up past one that is down": {[]Push{{1, -1, ""}, {3, 1, ""}}, []int64{3, 2, 1, 4, 5}, []int{2, 0, -2, 0, 0}},
		"extremes":                 {[]Push{{4, math.MaxInt, ""}, {4, math.MaxInt, ""}, {1, math.MinInt, ""}, {1, math.MinInt, ""}}, []int64{4, 2, 3, 5, 1}, []int{3, 0, 0, 1, -4}},
	} {
		t.Run(name, func(t *testing.T) {
			out, moves := Boost(cands, test.pushes...)
			moved := []int{}
			for i, m := range moves {
				moved = append(moved, m.Moved)
				if out[i].Score != cands[i].Score {
					t.Errorf("place %d has the score %v, not its own", i, out[i].Score)
				}
			}
			if !slices.Equal(ids(out), test.want) || !slices.Equal(moved, test.moved) {
				t.Errorf("got  %v %v\nwant %v %v", ids(out), moved, test.want, test.moved)
			}
		})
	}
}

func TestBoostWhy(t *testing.T) {
	_, moves := Boost(list(1, 3, 2, 2, 3, 1), Push{3, 2, "workspace"}, Push{1, -1, "dormant"}, Push{3, 1, "tag"}, Push{3, 0, ""})
	want := []Move{{3, 2, []string{"workspace", "tag"}}, {0, 0, nil}, {-1, -2, []string{"dormant"}}}
	if !reflect.DeepEqual(moves, want) {
		t.Errorf("got %+v, want %+v", moves, want)
	}
	out, moves := Boost(nil, Push{1, 1, "x"})
	if len(out) != 0 || len(moves) != 0 {
		t.Errorf("of nothing: %v, %v", out, moves)
	}
	out, moves = Boost(list(7, nan, 7, inf), Push{7, 1, "twice"})
	finite(t, out)
	if !reflect.DeepEqual(moves, []Move{{1, 0, []string{"twice"}}, {1, 0, []string{"twice"}}}) {
		t.Errorf("an id that is there twice: %+v", moves)
	}
}

// checkBoost checks Boost against its definition by pairs.
func checkBoost(t *testing.T, cands []Scored, pushes []Push) {
	t.Helper()
	before := bits(cands)
	out, moves := Boost(cands, pushes...)
	finite(t, out)
	if bits(cands) != before {
		t.Fatal("the input was changed")
	}
	boost := map[int64]int64{}
	down := int64(0) // furthest that anybody is pushed down
	for _, p := range pushes {
		boost[p.ID] += bounded(int64(p.Places))
	}
	for id := range boost {
		boost[id] = bounded(boost[id])
		if position(cands, id) >= 0 {
			down = min(down, boost[id])
		}
	}
	from := make([]int, len(out))
	for i, m := range moves {
		from[i] = i + m.Moved
		if out[i].ID != cands[from[i]].ID || int64(m.Asked) != boost[out[i].ID] || out[i].Score != clean(cands[i].Score) {
			t.Fatalf("%v with %v: place %d is %v, %+v", cands, pushes, i, out[i], m)
		}
		if m.Moved > max(0, m.Asked-int(down)) {
			t.Fatalf("%v with %v: %v asked for %d and moved %d, nobody is pushed below %d", cands, pushes, out[i], m.Asked, m.Moved, down)
		}
		for j := range i { // from[j] came to stand above from[i]
			above, below := from[j], from[i]
			passed := above > below
			could := boost[cands[max(above, below)].ID]-boost[cands[min(above, below)].ID] >= int64(max(above, below)-min(above, below))
			if passed != could {
				t.Fatalf("%v with %v gives %v: index %d stands above %d", cands, pushes, out, above, below)
			}
		}
	}
	if slices.Sort(from); len(slices.Compact(from)) != len(cands) {
		t.Fatalf("%v with %v gives %v", cands, pushes, out)
	}
	reversed := slices.Clone(pushes)
	slices.Reverse(reversed)
	if again, _ := Boost(cands, reversed...); !reflect.DeepEqual(again, out) {
		t.Fatalf("%v: the order of the pushes matters: %v gives %v, reversed %v", cands, pushes, out, again)
	}
	// One place more for somebody: never a lower place, and the others keep their order.
	if len(pushes) > 0 && len(unique(cands)) == len(cands) {
		id := pushes[0].ID
		more, _ := Boost(cands, append(reversed, Push{ID: id, Places: 1})...)
		if position(more, id) > position(out, id) {
			t.Fatalf("%v with %v: one more for %d puts it lower", cands, pushes, id)
		}
		others := func(s []Scored) []int64 { return slices.DeleteFunc(ids(s), func(i int64) bool { return i == id }) }
		if !slices.Equal(others(more), others(out)) {
			t.Fatalf("%v with %v: one more for %d reorders others", cands, pushes, id)
		}
	}
}

func TestBoostProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 5000 {
		cands := random(r, r.IntN(12), true)
		Sort(cands)
		var pushes []Push
		for range r.IntN(6) {
			pushes = append(pushes, Push{r.Int64N(25), r.IntN(9) - 4, ""})
		}
		checkBoost(t, cands, pushes)
	}
}

// TestBoostAlone: one push moves exactly as far as it says.
func TestBoostAlone(t *testing.T) {
	for n := range 8 {
		cands := make([]Scored, n)
		for i := range cands {
			cands[i] = Scored{int64(i), float64(-i)}
		}
		for i := range n {
			for places := -9; places <= 9; places++ {
				out, _ := Boost(cands, Push{int64(i), places, ""})
				if got, want := position(out, int64(i)), max(0, min(n-1, i-places)); got != want {
					t.Fatalf("%d of %d pushed by %d stands at %d, want %d", i, n, places, got, want)
				}
				rest := slices.DeleteFunc(out, func(c Scored) bool { return c.ID == int64(i) })
				if !slices.IsSortedFunc(rest, func(a, b Scored) int { return cmp.Compare(a.ID, b.ID) }) {
					t.Fatalf("%d of %d pushed by %d reorders the rest: %v", i, n, places, out)
				}
			}
		}
	}
}
