package claims

import (
	"strings"
	"testing"

	"blackboard/board/claims/parse"
	"blackboard/board/documents"
)

// TestParts holds what is said otherwise of one part of a finding, while most of its words stay.
func TestParts(t *testing.T) {
	for _, c := range []struct{ finding, report, why string }{
		{"The alarm went off at 02:10 on Sunday, and the night porter did not call the engineer.",
			"At 02:10 on Sunday the alarm went off, and the night porter called the engineer.", "is denied on one side"},
		{"The sample from the well was clear; the sample from the tap could not be measured.",
			"The sample from the well was clear. The one from the tap could be measured as well.", "is denied on one side"},
		{"Mary Holt signed the lease; John Pell objected.",
			"John Pell signed the lease. Later Mary Holt left, and then John Pell, who objected.", "says it of Mary Holt"},
		{"The stock sheet adds up to 541 crates sent out.",
			"The stock sheet adds up to 536 crates sent out. Carl of dispatch counted 541 from his notes.",
			"somebody else says 541, and who says so in the finding 536"},
		{"The union counts 41 members without the premium.",
			"Our query puts the number at 37 drivers, the union's own count at 41 members.", ""},
		{"The stock sheet adds up to 541 crates sent out.",
			"The stock sheet adds up to 541 crates sent out. Carl of dispatch counted 536 from his notes.", ""},
		{"No liens were found for the mill in the county search.",
			"A full search of the county was made for liens of the mill, and nothing was found.", ""},
		{"The tank holds 60 m3, and the pit under the tank holds 41 m3.",
			"A loss of the tank cannot be held. There would be 60 m3 in the pit, which has room for 41 m3.", ""},
	} {
		ev := NewEvidence(parse.ExtractDocument(documents.New("report.md", c.report))).Even()
		s := ev.Survive(parse.ExtractText(c.finding, ""), c.finding)
		if got := strings.Join(s.Reasons, "; "); s.Verdict == Refuted != (c.why != "") || !strings.Contains(got, c.why) {
			t.Errorf("%q in %q: %v %q", c.finding, c.report, s.Verdict, got)
		}
	}
}
