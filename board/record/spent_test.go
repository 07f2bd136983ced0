package record

import (
	"fmt"
	"testing"
)

// TestSpent: what a run has used is what it says itself, else the sum of what its workers say.
// What is no number says nothing.
func TestSpent(t *testing.T) {
	say := func(s Spent) (out string) {
		for _, n := range []*float64{s.Tokens, s.Budget, s.Cost} {
			if n == nil {
				out += "- "
			} else {
				out += fmt.Sprint(*n, " ")
			}
		}
		return out
	}
	var st State
	set := func(key, value string) { st.Variables = append(st.Variables, Variable{Key: key, Value: []byte(value)}) }
	set("phase", `"reading"`)
	set("tokens.a", "1200")
	set("tokens.b.c", "300")
	set("cost.a", "1.5")
	set("cost.b.c", `"cheap"`)
	set("token_budget", "5000")
	for worker, want := range map[string]string{"": "1500 5000 1.5 ", "a": "1200 - 1.5 ", "b.c": "300 - - ", "d": "- - - "} {
		if got := say(st.Spent(worker)); got != want {
			t.Errorf("%q has used %s, not %s", worker, got, want)
		}
	}
	set("tokens", "2000")
	if got := say(st.Spent("")); got != "2000 5000 1.5 " {
		t.Errorf("a run that says it has used %s", got)
	}
}
