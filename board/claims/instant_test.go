package claims

import (
	"testing"
)

func TestOrdinalDays(t *testing.T) {
	for text, day := range map[string]int{"on the second of April": 2, "on the twelfth of May 2024": 12,
		"by the twenty-first of June": 21, "on the first floor of April House": 0} {
		got := 0
		for _, d := range ExtractText(text, "").Details {
			if d.T != nil && d.T.days() <= 1 {
				got = d.T.From.Day()
			}
		}
		if got != day {
			t.Errorf("%q is day %d, not %d", text, got, day)
		}
	}
}

// TestSlipOfASum: a figure that has the digits of another one in the quote may be their sum.
func TestSlipOfASum(t *testing.T) {
	for figure, slips := range map[string]bool{"6380": false, "6830": true} {
		rows := ExtractText("charts 1450 GB, surveys 3680 GB, tides 350 GB, mail 900 GB", "")
		ev := NewEvidence([]*Claim{rows})
		v := ev.Verify(ExtractText("The 4 volumes hold "+figure+" GB", ""), rows.Text, []*Claim{rows})
		if got := len(v.Refuted) > 0; got != slips {
			t.Errorf("%s: %q", figure, v.Refuted)
		}
	}
}
