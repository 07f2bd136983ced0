package trace

import "testing"

// TestOwn: what a report says of itself, of what shall be done, or within which bound something may be, needs no record
// and contradicts none.
func TestOwn(t *testing.T) {
	records := []string{"The protocol allows an error of at most 2.5 points in each field",
		"Failed logins are not limited: 600 attempts in five minutes locked no account",
		"The plan of the clinical investigation demands 120 patients", "Churn of Crestline was 9 %"}
	for report, doubted := range map[string]int{
		"# Case KX-4471\n\nChurn of Crestline was 9 %.":                                 0,
		"Our reference is OS-25-118.\n\nChurn of Crestline was 9 %.":                    0,
		"# Review\n\nThe case of Crestline is KX-4471.":                                 1,
		"The plan of clinical investigations (PCI) demands 120 patients, says the PCI.": 0,
		"The plan demands 120 patients, says the PCI.":                                  1,
		"In no field may the error be above 2.5 points.":                                0,
		"## Recommendations\n\n1. Lock accounts after 600 failed attempts in a row.":    0,
		"As rule 7.4 says, churn of Crestline was 9 %.":                                 0,
		"Whoever asks is told that the churn of Crestline was 9 %.":                     0,
	} {
		n := 0
		for _, f := range traced(t, report, records...).Facts {
			if f.Verdict == Unsupported {
				n++
			}
		}
		if n != doubted {
			t.Errorf("%q: %d doubted, not %d", report, n, doubted)
		}
	}
}
