package check

import (
	"fmt"
	"slices"

	"blackboard/board"
)

// checkProven runs the steps ran and citations. Without a claim, or a handle with a check code, there
// is no such step unless the policy names it.
func (c *checker) checkProven(m *board.Moment) error {
	named := func(step string) bool { return slices.Contains(c.f.Steps, step) }
	if c.f.Does(Ran) {
		claims, err := m.RanClaims()
		if err != nil {
			return err
		}
		if len(claims) > 0 || named(Ran) {
			c.steps[Ran] = ran(claims)
		}
	}
	if !c.f.Does(Citations) {
		return nil
	}
	cited, err := m.Citations(c.in.Reports...)
	if err == nil && (len(cited) > 0 || named(Citations)) {
		c.steps[Citations] = citations(cited)
	}
	return err
}

// ran is the step of what workers say to have run. What no hook could see is a warning: the
// policy's gate decides whether it has to be seen.
func ran(claims []board.RanClaim) Step {
	s := Step{Ran: claims, Passed: true}
	held := 0
	for i := range claims {
		switch cl := &claims[i]; {
		case cl.Holds:
			held++
		case cl.IsUnknown():
			s.Warnings = append(s.Warnings, cl.Worker+": "+cl.Describe())
		default:
			s.Passed = false
		}
	}
	s.Headline = fmt.Sprintf("%d of %s seen by hooks to hold", held, count(len(claims),
		"claimed command", "claimed commands"))
	return s
}

// citations is the step of the handles in the reports.
func citations(all []board.Citation) Step {
	s := Step{Citations: all, Passed: true}
	bad := 0
	for _, c := range all {
		if c.Verdict != board.CiteGood {
			bad, s.Passed = bad+1, false
		}
	}
	s.Headline = count(len(all), "handle of a finding holds", "handles of findings hold")
	if bad > 0 {
		s.Headline = fmt.Sprintf("%d of %s stale, forged or of another run", bad, count(len(all),
			"handle", "handles"))
	}
	return s
}

// provenFindings are those of the steps ran and citations.
func (s *Step) provenFindings() (all []Finding) {
	for i := range s.Ran {
		if c := &s.Ran[i]; !c.Holds && !c.IsUnknown() {
			all = append(all, Finding{ID: c.Entry, Text: c.Worker + " says that " + c.Command + " ran",
				Why: c.Verdict + ": " + c.Why, Clear: "run it again in its session, and say so again"})
		}
	}
	for _, c := range s.Citations {
		if c.Verdict != board.CiteGood {
			all = append(all, Finding{ID: c.ID, Text: c.Handle, Why: c.Verdict + ": " + c.Why, Report: c.Report,
				Line: c.Line, Clear: "cite what the digest says"})
		}
	}
	return all
}
