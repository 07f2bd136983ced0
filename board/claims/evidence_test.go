package claims

import (
	"strings"
	"testing"

	"blackboard/board/claims/parse"
)

// TestSharedIsExact: what two claims share is the same however often it is asked, although stems have no order.
func TestSharedIsExact(t *testing.T) {
	text := `The supplier of the northern warehouse delivered eleven pallets of insulated glass late, so that
		painters, glaziers and electricians waited for nine days and the owner withheld a third payment.`
	var all []*parse.Claim
	for i := range 12 { // stems of many weights
		all = append(all, parse.ExtractText(strings.Join(strings.Fields(text)[i:], " "), ""))
	}
	ev := NewEvidence(all)
	want, both := ev.shared(all[0], all[3])
	for range 200 {
		if a, b := ev.shared(all[0], all[3]); a != want || b != both {
			t.Fatalf("%v and %v, then %v and %v", want, both, a, b)
		}
	}
}
