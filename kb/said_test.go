package kb

import (
	"context"
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

// TestBriefOfTheSameRun: to the run that asks its own entries are nothing new, so what else there
// is counts as the best; to others they are given, each once.
func TestBriefOfTheSameRun(t *testing.T) {
	k := newKB(t, nil)
	refs := func(run, entry string) []string { return []string{"run:" + run, "entry:" + entry, "worker:w"} }
	put(t, k, Capsule{Title: "renew the lease of a worker", Body: "before it runs out", Refs: refs("r1", "e3")})
	put(t, k, Capsule{Title: "the lease of a worker: renew it", Body: "in time", Refs: refs("r1", "e3")})
	put(t, k, Capsule{Title: "a worker paints the fence", Body: "in green", Refs: []string{"run:r1", "role:planner"}})
	fill(t, k, 50)
	for run, want := range map[string]int{"r1": 0, "r2": 1, "": 1} {
		b, err := k.Brief(context.Background(), BriefOptions{Task: "renew the lease of a worker", Run: run})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(b.Block, "lease of a worker") != want {
			t.Errorf("to %q: %s", run, b.Block)
		}
		for _, l := range b.Log {
			if run == "r1" && strings.Contains(l.Title, "lease") && l.Why != "it is from this run: e3 on its board" {
				t.Errorf("%s: %s", l.Title, l.Why)
			}
		}
	}
}
