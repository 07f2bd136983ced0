package report

import (
	"fmt"
	"strings"

	"blackboard/board"
)

// gate is the verdict in a line or two.
func (d *digester) gate() string {
	if d.verdict.Open {
		return "Gate: open. No " + noneOpen(d.verdict.Policy) + ".\n"
	}
	var parts, waits []string
	ids := map[string][]string{} // by the rule that the entries break
	blocking := 0
	for i := range d.verdict.Reasons {
		switch r := &d.verdict.Reasons[i]; r.Rule {
		case board.RuleOpenSignal:
			blocking++
		case board.RuleExpected:
			waits = append(waits, digestLabel(r.Worker))
		case board.RuleMaxDisputed, board.RuleSource, board.RuleVerified, board.RuleEvidence:
			ids[r.Rule] = append(ids[r.Rule], r.ID)
		case board.RuleRan:
			ids[r.Rule] = append(ids[r.Rule], digestLabel(r.Content))
		case board.RuleConflicts:
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
	list("Not finished yet", waits)
	list("Disputed", ids[board.RuleMaxDisputed])
	list("May contradict each other", ids[board.RuleConflicts])
	list("Without a source", ids[board.RuleSource])
	list("Not verified", ids[board.RuleVerified])
	list("Without a quote", ids[board.RuleEvidence])
	list("Not seen to pass", ids[board.RuleRan])
	if blocking > 0 {
		parts = append(parts,
			fmt.Sprintf("%d of %d open questions block. Each needs an answer%s or a reason to "+
				"leave it open%s before synthesis.",
				blocking, d.state.Signals.Open.Total(), d.say(" ({})", "signal.address"),
				d.say(" ({})", "signal.waive")))
	}
	return "Gate: CLOSED, " + strings.Join(parts, " ") + "\n"
}

// noneOpen says after "no" why no signal keeps the gate of a verdict closed.
func noneOpen(p board.Policy) string {
	if len(p.Block) == 0 {
		return "priority is set to block"
	}
	return strings.Join(p.Block, " or ") + " question is open"
}
