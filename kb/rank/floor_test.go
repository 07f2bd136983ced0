package rank

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestFloor(t *testing.T) {
	cands := list(1, 10, 2, 8.5, 3, 8.4, 4, 6, 5, 0, 6, -1)
	for name, test := range map[string]struct {
		cands []Scored
		ratio float64
		want  []int64
	}{
		"per turn":               {cands, .85, []int64{1, 2}},
		"warm start":             {cands, .6, []int64{1, 2, 3, 4}},
		"0":                      {cands, 0, []int64{1, 2, 3, 4, 5}},
		"NaN":                    {cands, nan, []int64{1, 2, 3, 4, 5}},
		"1":                      {cands, 1, []int64{1}},
		"above 1":                {cands, 7, []int64{1}},
		"any order is kept":      {list(4, 6, 1, 10, 9, 1, 2, 8), .6, []int64{4, 1, 2}},
		"best is 0":              {list(1, 0, 2, -1, 3, 0), .5, []int64{1, 3}},
		"best is negative":       {list(1, -2, 2, -1), .5, []int64{2}},
		"NaN is no score":        {list(1, nan, 2, 3), 0, []int64{2}},
		"only NaN":               {list(1, nan), .5, []int64{}},
		"infinite":               {list(1, inf, 2, 3, 3, -inf), .5, []int64{1}},
		"minus infinity is best": {list(1, -inf, 2, nan), .5, []int64{1}},
		"none":                   {nil, .5, []int64{}},
	} {
		t.Run(name, func(t *testing.T) {
			out := Floor(test.cands, test.ratio)
			finite(t, out)
			if !slices.Equal(ids(out), test.want) {
				t.Errorf("got %v, want %v", ids(out), test.want)
			}
		})
	}
}

func TestThreshold(t *testing.T) {
	off := []float64{.1, .2, .3, .4}
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(99-i) / 100
	}
	up := math.Nextafter(.4, 1)
	for name, test := range map[string]struct {
		on, off              []float64
		minReject            float64
		t, keptOn, rejectOff float64
	}{
		"clear":                {[]float64{.6, .8}, off, 1, .5, 1, 1},
		"between":              {[]float64{.38, .6, .8, .9}, off, .75, .34, 1, .75}, // .3 | .38
		"an on score is lost":  {[]float64{.25, .6, .8, .9}, off, .75, .35, .75, .75},
		"share rounds up":      {[]float64{.6}, off, .6, .35, 1, .75},
		"0.07 of 100 is 7":     {nil, hundred, .07, .065, 0, .07},
		"0.95 of 100 is 95":    {[]float64{.93, .95, .99}, hundred, .95, .945, 2. / 3, .95},
		"nothing to reject":    {[]float64{.05, .6}, off, 0, .05, 1, 0},
		"nothing above":        {[]float64{.3, .4}, off, 1, up, 0, 1},
		"duplicates go along":  {[]float64{.9}, []float64{.2, .2, .2, .6}, .25, .4, 1, .75},
		"no off":               {[]float64{.5, -1}, nil, .95, 0, .5, 0},
		"no on":                {nil, off, .75, .35, 0, .75},
		"nothing":              {nil, nil, .95, 0, 0, 0},
		"NaNs are left out":    {[]float64{nan, .6}, []float64{nan, .1, nan, .2}, 1, .4, 1, 1},
		"minReject above 1":    {[]float64{.6, .8}, off, 3, .5, 1, 1},
		"minReject is NaN":     {[]float64{.6, .8}, off, nan, .5, 1, 1},
		"minReject negative":   {[]float64{.6, .8}, off, -3, .1, 1, 0},
		"no number in between": {[]float64{up}, []float64{.4}, 1, up, 1, 1},
		"infinite":             {[]float64{inf}, []float64{-inf}, 1, 0, 1, 1},
		"minus infinity":       {[]float64{.5}, []float64{-inf, .1, .3}, .6, .2, 1, 2. / 3},
	} {
		t.Run(name, func(t *testing.T) {
			got, kept, rejected := Threshold(test.on, test.off, test.minReject)
			if math.Abs(got-test.t) > 1e-12 || kept != test.keptOn || rejected != test.rejectOff {
				t.Errorf("got %v %v %v, want %v %v %v", got, kept, rejected, test.t, test.keptOn, test.rejectOff)
			}
		})
	}
}

// TestThresholdProperties: what is promised holds, and no smaller observed value would do.
func TestThresholdProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	draw := func() []float64 {
		l := make([]float64, r.IntN(12))
		for i := range l {
			if l[i] = float64(r.IntN(30)) / 30; r.IntN(9) == 0 {
				l[i] = odd[r.IntN(len(odd))]
			}
		}
		return l
	}
	for range 5000 {
		on, off, minReject := draw(), draw(), r.Float64()*1.1-.05
		got, kept, rejected := Threshold(on, off, minReject)
		if math.IsNaN(got) || math.IsInf(got, 0) || kept < 0 || kept > 1 || rejected < 0 || rejected > 1 {
			t.Fatalf("%v %v %v: %v %v %v", on, off, minReject, got, kept, rejected)
		}
		real := sorted(off)
		if len(real) == 0 {
			continue
		}
		if rejected < clip(minReject) {
			t.Fatalf("%v %v: %v rejects %v, not %v", on, off, got, rejected, minReject)
		}
		for _, x := range append(real, sorted(on)...) {
			if x < got && float64(below(real, x))/float64(len(real)) >= clip(minReject) {
				t.Fatalf("%v %v %v: got %v, but %v does too", on, off, minReject, got, x)
			}
		}
		r.Shuffle(len(on), func(a, b int) { on[a], on[b] = on[b], on[a] })
		r.Shuffle(len(off), func(a, b int) { off[a], off[b] = off[b], off[a] })
		if t2, k2, r2 := Threshold(on, off, minReject); t2 != got || k2 != kept || r2 != rejected {
			t.Fatalf("%v %v %v: the order matters", on, off, minReject)
		}
	}
}
