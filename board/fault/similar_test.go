package fault

import (
	"slices"
	"testing"
)

// TestSimilar: names that are a slip of the keyboard away, or the beginning of the other, the
// nearest first; none that is far away.
func TestSimilar(t *testing.T) {
	for _, test := range []struct {
		run   string
		names []string
		want  []string
		ask   string
	}{
		{"audit7", []string{"audit-2026-11", "audit-7", "payments"}, []string{"audit-7"}, "did you mean audit-7? "},
		{"audit", []string{"audit-2026-11", "audit-7", "payments"}, []string{"audit-7", "audit-2026-11"}, "did you mean audit-7 or audit-2026-11? "},
		{"audit-2026-11b", []string{"audit"}, []string{"audit"}, "did you mean audit? "},
		{"AUDIT-7", []string{"audit-7", "AUDIT-7"}, []string{"audit-7"}, "did you mean audit-7? "},
		{"run-4", []string{"run-1", "run-2", "run-3", "run-10", "run-4"}, []string{"run-1", "run-2", "run-3"}, "did you mean run-1, run-2 or run-3? "},
		{"a", []string{"b", "ab", "audit"}, nil, ""},
		{"x-ray", nil, nil, ""},
	} {
		if got := Similar(test.run, test.names); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q instead of %q", test.run, got, test.want)
		}
		if got := DidYouMean(test.run, test.names); got != test.ask {
			t.Errorf("%s: %q instead of %q", test.run, got, test.ask)
		}
	}
}
