package board

import (
	"cmp"
	"slices"
	"time"
)

// What a Need is about.
const (
	NeedWorker   = "worker"   // has not finished, and is waited for
	NeedQuestion = "question" // keeps the gate closed
	NeedGate     = "gate"     // another reason why it is closed
	NeedFailed   = "failed"   // a report whose last check failed
	NeedReport   = "report"   // the gate is open: it may be written
)

// SilentAfter is how long a worker that is waited for may say nothing before a person wants to
// know.
const SilentAfter = 10 * time.Minute

// mostNeeds bounds what the list of runs keeps of each; the gate and the state have all.
const mostNeeds = 8

// Need is something that a run waits for.
type Need struct {
	Kind    string `json:"kind"`    // worker, question, gate, failed or report
	ID      string `json:"id"`      // the question or entry; "": none
	Worker  string `json:"worker"`  // who is waited for, or who asked or checked
	Content string `json:"content"` // the question, or the reason or the verdict in words
	// Priority is that of the question; "": it is none.
	Priority string `json:"priority"`
	Claimed  string `json:"claimed_by"` // who works on the question; "": nobody
	// Since is a worker's last word, when a report was checked, or when the run that is ready has
	// last changed; null: unknown.
	Since *time.Time `json:"since"`
}

// Silent reports whether it is about a worker that has said nothing for too long.
func (n *Need) Silent(now time.Time) bool {
	return n.Kind == NeedWorker && n.Since != nil && now.Sub(*n.Since) >= SilentAfter
}

// needs are what a run waits for: the workers that it expects, the longest silent first, reports
// that failed, then questions, then what else keeps the gate closed; or the report, if it is open.
// Many workers leave half of the room to the others.
func needs(st *State, v *Verdict) []Need {
	workers, all := []Need{}, []Need{}
	for i := range st.Expected {
		if e := &st.Expected[i]; e.Status == WorkerExpected {
			since := st.LastWord(e)
			workers = append(workers, Need{Kind: NeedWorker, Worker: e.Worker, Since: &since,
				Content: e.Worker + " has not finished yet"})
		}
	}
	slices.SortStableFunc(workers, func(a, b Need) int { return a.Since.Compare(*b.Since) })
	for i := range st.Checks {
		if c := &st.Checks[i]; len(c.Failed()) > 0 {
			all = append(all, Need{Kind: NeedFailed, Worker: c.Worker, Content: c.Describe(), Since: &c.At})
		}
	}
	reasons := slices.Clone(v.Reasons)
	slices.SortStableFunc(reasons, func(a, b Reason) int {
		return cmp.Compare(rankOf(a.Rule), rankOf(b.Rule))
	})
	for i := range reasons {
		switch r := &reasons[i]; r.Rule {
		case RuleExpected, RuleEmpty, RuleMinEntries: // a worker; or those that work have just begun
		case RuleOpenSignal:
			all = append(all, Need{Kind: NeedQuestion, ID: r.ID, Worker: r.Worker,
				Priority: r.Priority, Content: r.Content, Claimed: r.Claimed})
		default:
			all = append(all, Need{Kind: NeedGate, ID: r.ID, Worker: r.Worker, Content: r.Content})
		}
	}
	if v.Open {
		all = append(all, Need{Kind: NeedReport, Content: "the report may be written",
			Since: &st.Updated})
	}
	room := max(mostNeeds-len(all), mostNeeds/2)
	all = append(workers[:min(len(workers), room)], all...)
	return all[:min(len(all), mostNeeds)]
}

// rankOf puts questions before the other reasons.
func rankOf(rule string) int {
	if rule == RuleOpenSignal {
		return 0
	}
	return 1
}

// LastWord is when a worker that is waited for last did anything, or when it was first expected.
func (s *State) LastWord(e *Expected) time.Time {
	for i := range s.Workers {
		if w := &s.Workers[i]; w.Name == e.Worker && w.Last.After(e.At) {
			return w.Last
		}
	}
	return e.At
}
