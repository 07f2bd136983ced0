package trace

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"blackboard/board/claims/parse"
)

// TestExcludedFiguresDoNotAnswer compares what need not be compared.
func TestExcludedFiguresDoNotAnswer(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var all []*parse.Detail
	for range 1500 {
		n := fmt.Sprint(rng.IntN(2000))
		switch rng.IntN(4) {
		case 0:
			n = fmt.Sprintf("%d.%d", rng.IntN(40), rng.IntN(1000))
		case 1:
			n = fmt.Sprintf("%d,%03d", 1+rng.IntN(20), rng.IntN(4)*250)
		}
		form := []string{"It is %s %%.", "It costs EUR %s.", "It costs about EUR %s.", "It took %s ms.", "It took %s s.", "It has %s rows.",
			"It fell by %s %%.", "It is at most %s km.", "It is %s.", "It is EUR %s a month.", "It is %s miles.", "It is -%s %%."}[rng.IntN(12)]
		for _, s := range parse.Read(fmt.Sprintf(form, n)) {
			c := parse.ExtractFacts(s, "")
			for k := range c.Details {
				if c.Details[k].Q != nil {
					all = append(all, &c.Details[k])
				}
			}
		}
	}
	excluded := 0
	for _, d := range all {
		g := newGroup(d)
		for _, x := range all {
			if g.excludes(x.Q) {
				if excluded++; matches(d, x) != noMatch {
					t.Errorf("%s answers to %s", x.Text, d.Text)
				}
			}
		}
	}
	if excluded < len(all) {
		t.Errorf("%d of %d are excluded", excluded, len(all)*len(all))
	}
}
