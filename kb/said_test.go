package kb

import (
	"strings"
	"testing"
)

// TestSaidOnce: what the title has is not in the body too, and evidence that is the claim in the
// same words is left out. Evidence that tells more stays.
func TestSaidOnce(t *testing.T) {
	const claim = "The line of a rack is limited to 80 MB/s."
	more := "For next time: the line of a rack is limited, " + strings.Repeat("and so is another ", 5)
	for _, c := range []struct{ title, body, wantTitle, wantBody string }{
		{"Rack", claim, "Rack", claim},
		{claim, claim, claim, ""},
		{"The line of a rack…", claim, claim, ""},
		{claim, WithEvidence(claim, "For next time: "+claim), claim, ""},
		{claim, WithEvidence(claim, "The line of a rack\nis limited to 80 MB/s"), claim, ""},
		{claim, WithEvidence(claim, "is limited to 80 MB/s"), claim, ""},
		{"Rack", WithEvidence(claim, claim), "Rack", claim},
		{"Rack", WithEvidence(claim, more), "Rack", WithEvidence(claim, more)},
		{"Rack", WithEvidence(claim, more+claim), "Rack", WithEvidence(claim, more+claim)},
		{"Rack", WithEvidence(claim, "limited to 90 MB/s"), "Rack", WithEvidence(claim, "limited to 90 MB/s")},
	} {
		title, body := (&Capsule{Title: c.title, Body: c.body}).SaidOnce()
		if title != c.wantTitle || body != c.wantBody {
			t.Errorf("%q, %q: %q, %q", c.title, c.body, title, body)
		}
	}
}
