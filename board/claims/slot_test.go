package claims

import (
	"strings"
	"testing"
)

func TestSlots(t *testing.T) {
	for _, c := range []struct{ finding, report, why string }{
		{"Nine crates were received and counted at the ramp by the technician.",
			"Seven crates were received and counted at the ramp by the technician.",
			"the finding says Nine, the report Seven"},
		{"The loose leaf was found during the second check.", "The loose leaf was found during the first check.",
			"the finding says second, the report first"},
		{"Block B was sprayed in the evening.", "Block B was sprayed in the early morning.",
			"the finding says evening, the report morning"},
		{"Nine crates were received.", "Seven crates were received first, then all nine.", ""},
		{"The first check found the leaf.", "The leaf was found in the first check, on the second of April.", ""},
		{"It takes two persons.", "It is not for a single person: it asks for two.", ""},
	} {
		a, b := ExtractText(c.finding, ""), ExtractText(c.report, "")
		ev := NewEvidence([]*Claim{b}).Even()
		cmp := ev.lay(a, Window{Claims: []*Claim{b}, Cover: 1})
		if got := strings.Join(a.standsIn(b, &cmp), "; "); got != c.why {
			t.Errorf("%q in %q: %q", c.finding, c.report, got)
		}
	}
}

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
