package rank

import (
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
