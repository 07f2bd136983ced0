package board

import (
	"fmt"
	"strings"
)

// gate is the verdict in a line or two.
func (d *digester) gate() string {
	if d.verdict.Open {
		return "Gate: open. No " + d.verdict.Policy.unblocked() + ".\n"
	}
	var parts, waits []string
	ids := map[string][]string{} // by the rule that the entries break
	blocking := 0
	for i := range d.verdict.Reasons {
		switch r := &d.verdict.Reasons[i]; r.Rule {
		case RuleOpenSignal:
			blocking++
		case RuleExpected:
			waits = append(waits, digestLabel(r.Worker))
		case RuleMaxDisputed, RuleSource, RuleVerified, RuleEvidence:
			ids[r.Rule] = append(ids[r.Rule], r.ID)
		case RuleConflicts:
			ids[r.Rule] = append(ids[r.Rule], r.ID+" and "+r.Other)
		default:
			parts = append(parts, r.Content+".")
		}
	}
	list := func(what string, names []string) {
		const most = 20
		if n := len(names); n > most {
			names = append(names[:most], fmt.Sprintf("%d more", n-most))
		}
		if len(names) > 0 {
			parts = append(parts, what+": "+strings.Join(names, ", ")+".")
		}
	}
	list("Not done yet", waits)
	list("Disputed", ids[RuleMaxDisputed])
	list("May contradict each other", ids[RuleConflicts])
	list("Without a source", ids[RuleSource])
	list("Not verified", ids[RuleVerified])
	list("Without a quote", ids[RuleEvidence])
	if blocking > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d open signals block. Each needs an answer%s or a reason to leave it open%s before synthesis.",
			blocking, d.state.Signals.Open.Total(), d.say(" ({})", "signal.address"), d.say(" ({})", "signal.waive")))
	}
	return "Gate: CLOSED, " + strings.Join(parts, " ") + "\n"
}
