package parse

import "testing"

func TestOrdinalDays(t *testing.T) {
	for text, day := range map[string]int{"on the second of April": 2, "on the twelfth of May 2024": 12,
		"by the twenty-first of June": 21, "on the first floor of April House": 0} {
		got := 0
		for _, d := range ExtractText(text, "").Details {
			if d.T != nil && d.T.Days() <= 1 {
				got = d.T.From.Day()
			}
		}
		if got != day {
			t.Errorf("%q is day %d, not %d", text, got, day)
		}
	}
}
