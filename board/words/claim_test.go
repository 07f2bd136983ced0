package words

import (
	"slices"
	"testing"
)

// TestClaimSentences: the full stop of an abbreviation ends no sentence, and "No."
// denies nothing.
func TestClaimSentences(t *testing.T) {
	for _, tc := range []struct {
		text string
		want int
	}{
		{"Pinnacle Solutions, Inc. is the borrower.", 1},
		{"It was sold to Great Lakes Packaging Co. The price was paid.", 2},
		{"The lender (Norwell Corp.) agreed.", 1},
		{"Filing No. OH-77 lapsed. It was not renewed.", 2},
		{"The answer is no. Nothing was filed.", 2},
		{"It ended. e.g. the lease", 1},
	} {
		if got := ReadClaims("", tc.text); len(got.Sentences) != tc.want {
			t.Errorf("%q: %d sentences, not %d", tc.text, len(got.Sentences), tc.want)
		}
	}
	filing := ReadClaims("", "Filing No. OH-77 lapsed.").Sentences[0]
	for stem, side := range filing.Sides(func(string) bool { return false }) {
		if side != Affirmed {
			t.Errorf("%s is denied by No.", stem)
		}
	}
}

// TestClaimFigures: what is a figure of a claim, and what is a number of another kind.
func TestClaimFigures(t *testing.T) {
	for text, want := range map[string][]string{
		"Churn was 12 % in the segment":              {"12 %"},
		"It was filed at 10:23 with two copies":      {"two copies"},
		"The loans are (1) a note and (2) a lease":   nil,
		"Shares of Lena (1.5%) and Raj (2.0%)":       {"1.5%", "2.0%"},
		"Code § 5703.47 sets the rate at 7%":         {"7%"},
		"No letter was seen as of March 15, 2025":    nil,
		"The lease ends on March 15, 2025 in Dover.": {"2025-03-15"},
	} {
		var got []string
		for _, f := range ReadClaims("", text).Figures {
			got = append(got, f.Shown)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}
