package embed

import (
	"encoding/json"
	"math"
	"testing"

	"blackboard/testdata/expect"
)

func TestCosine(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b Vector
		want float64
	}{
		{"same", Vector{1, 2, 3}, Vector{2, 4, 6}, 1},
		{"opposite", Vector{1, -2}, Vector{-3, 6}, -1},
		{"nothing in common", Vector{1, 0}, Vector{0, 5}, 0},
		{"half", Vector{1, 0}, Vector{1, float32(math.Sqrt(3))}, 0.5},
		{"zeros", Vector{0, 0}, Vector{1, 1}, 0},
		{"other length", Vector{1}, Vector{1, 1}, 0},
		{"empty", nil, nil, 0},
		{"huge", Vector{math.MaxFloat32, math.MaxFloat32}, Vector{math.MaxFloat32, math.MaxFloat32}, 1},
		{"tiny", Vector{1e-40}, Vector{1e-40}, 1},
	} {
		if got := Cosine(test.a, test.b); math.Abs(got-test.want) > 1e-6 || math.Abs(got) > 1 {
			t.Errorf("%s: Cosine = %v, want %v", test.name, got, test.want)
		}
	}
}

func TestNormalize(t *testing.T) {
	for _, v := range []Vector{{3, 4}, {1e-20, 1e-20}, {math.MaxFloat32, 1}} {
		v.Normalize()
		var sum float64
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("%v has squared length %v", v, sum)
		}
	}
	zero := Vector{0, 0}
	zero.Normalize()
	if zero[0] != 0 || zero[1] != 0 {
		t.Errorf("zeros became %v", zero)
	}
}

func TestModelJSON(t *testing.T) {
	got := expect.Value(json.Marshal(Model{"m", 384, 256}))(t)
	if want := `{"name":"m","dim":384,"max_tokens":256}`; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}
