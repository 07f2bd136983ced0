package claims

import "testing"

// TestTraceStatements has sentences of a report that entries say otherwise, or that none says.
func TestTraceStatements(t *testing.T) {
	entries := map[string]string{
		"e1": "The deputy head, Colin Fenn, told the paper that lunch will be 35 minutes.",
		"e2": "The bus company writes that line 14 arrives at 08:22.",
		"e3": "The supplier promises version 4.3 by 2 October at the latest.",
		"e4": "Year 10 joins only after a second vote of the staff.",
		"e5": "Overheads come to at most 12 % of direct costs.",
		"e6": "In block 6 the trap caught 64 moths.",
	}
	var all []*Claim
	for id, text := range entries {
		all = append(all, ExtractText(text, id))
	}
	ev := NewEvidence(all)
	for _, c := range []struct {
		text            string
		against, unsaid bool
	}{
		{"The deputy head spoke of thirty-five minutes.", false, false},
		{"Fenn spoke of thirty-five minutes.", false, false},
		{"Version 4.3 will arrive by 2 October.", false, false},
		{"Overheads come to at least 12 % of direct costs.", true, false},
		{"The tractor had been fitted with new nozzles for it.", false, true},
		{"The bus is late because the bridge at the mill is closed.", false, true},
		{"Every trap in the valley has caught moths.", false, true},
		{"All years have the same break.", false, false}, // nothing speaks of years
		{"The report was compared with the papers.", false, false},
		{"The tractor should be fitted with new nozzles.", false, false},
		{"The supplier was asked for the version.", false, false},
	} {
		got := ev.Trace([]*Claim{ExtractText(c.text, "")})[0]
		if (got.Against != "") != c.against || (got.Unsaid != "") != c.unsaid {
			t.Errorf("%s: against %q, unsaid %q", c.text, got.Against, got.Unsaid)
		}
	}
	got := ev.Trace([]*Claim{ExtractText("How large is block 6?", "")})[0]
	if d := got.Details[len(got.Details)-1]; !d.Label || d.Verdict != Supported {
		t.Errorf("block 6: %+v", d)
	}
}
