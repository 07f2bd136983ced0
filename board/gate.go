package board

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/board/text"
	"blackboard/board/verify"
)

// Rules that a Reason can come from.
const (
	RuleEmpty      = "empty"       // nothing at all was posted or raised
	RuleMinEntries = "min-entries" // too few entries were posted
	// an expected worker has not finished; the reason's Worker names it
	RuleExpected    = "expected"
	RuleOpenSignal  = "open-signal"   // a signal of a blocking priority is open
	RuleMaxOpen     = "max-open"      // too many signals are open
	RuleMaxDisputed = "max-disputed"  // too many entries are disputed
	RuleConflicts   = "max-conflicts" // too many pairs of entries may contradict each other
	// an entry that must surface, or answers a signal, has no source
	RuleSource = "require-source"
	// a must-surface entry or an answer does not stand in its source
	RuleVerified = "require-verified"
	RuleAccepted = "accepted"         // more doubts about such were accepted than the policy passes
	RuleEvidence = "require-evidence" // a must-surface entry or an answer has no quote
	RuleRan      = "require-ran"      // no hook has seen a worker run a command so that it passed
)

type Reason struct {
	// empty, min-entries, expected, open-signal, max-open, max-disputed, max-conflicts,
	// require-source, require-verified, accepted, require-evidence or require-ran
	Rule     string `json:"rule"`
	ID       string `json:"id"`         // the signal or entry, or "" for a rule about a number
	Other    string `json:"other"`      // of a pair of entries the newer one
	Priority string `json:"priority"`   // of a signal
	Content  string `json:"content"`    // of the signal or entry, or the rule's numbers in words
	Worker   string `json:"worker"`     // who raised or posted it, or is expected
	Claimed  string `json:"claimed_by"` // who works on the signal, "" for nobody
	To       string `json:"to"`         // the worker or tag that the signal is for, "" for anybody
	// what would clear it, in words
	Clear string `json:"clear"`

	Next []fault.Step `json:"next"` // the same as operations: any of them
}

type Verdict struct {
	Run    string `json:"run"`
	Seq    int64  `json:"seq"` // the event up to which the board was judged
	Open   bool   `json:"open"`
	Policy Policy `json:"policy"` // the policy that it was judged by
	// Recorded is the policy that the run has on record, which decides; null: it has none.
	Recorded *PolicyRef          `json:"recorded"`
	Reasons  []Reason            `json:"reasons"` // empty when open
	Signals  record.SignalCounts `json:"signals"`
	// Disputed is the number of disputed entries.
	Disputed int64 `json:"disputed"`
}

// Why says in a line what keeps the gate closed: of so many reasons, and how many more there are.
func (v *Verdict) Why(most int) string {
	var why []string
	for i := range v.Reasons[:min(most, len(v.Reasons))] {
		switch r := &v.Reasons[i]; r.Rule {
		case RuleOpenSignal:
			why = append(why, r.ID+" "+r.Priority)
		case RuleExpected:
			why = append(why, Line(r.Worker, MaxName)+" not done")
		case RuleConflicts:
			why = append(why, r.ID+" and "+r.Other+" may contradict each other")
		default:
			why = append(why, Line(strings.TrimSpace(RuleWords[r.Rule]+" "+cmp.Or(r.ID, r.Content)), 100))
		}
	}
	if more := len(v.Reasons) - len(why); more > 0 {
		why = append(why, fmt.Sprintf("%d more", more))
	}
	return strings.Join(why, ", ")
}

var RuleWords = map[string]string{RuleExpected: "expected", RuleRan: "not run", RuleMaxDisputed: "disputed",
	RuleSource: "no source", RuleVerified: "not verified", RuleEvidence: "no quote"}

type gateInput struct {
	state     State
	open      []Signal  // open signals, of the blocking priorities at least, by urgency
	disputed  []Entry   // needed only with MaxDisputed
	unsourced []Entry   // needed only with RequireSource
	allOpen   int64     // open signals of any priority
	posted    int64     // entries
	raised    int64     // signals
	conflicts Conflicts // needed only with MaxConflicts
	// must-surface entries and answers; only for RequireVerified and RequireEvidence
	required []Entry
	recorded *PolicyRef
	receipts []Receipt // needed only with RequireRan
	posters  []string  // who posted entries; the same
}

// judge is the gate: a pure function of the board and the policy.
func judge(p Policy, in gateInput) Verdict {
	p.Block = p.Blocking()
	p.Expect = append([]string{}, p.Expect...)
	p.RequireRan = append([]string{}, p.RequireRan...)
	if p.RequireRanBy == nil {
		p.RequireRanBy = map[string][]string{}
	}
	if p.Accept.Checks == nil {
		p.Accept.Checks = []string{record.VerifyDoubts, record.SurvivalDoubts}
	}
	v := Verdict{Run: in.state.Run, Seq: in.state.Seq, Policy: p, Recorded: in.recorded,
		Reasons: []Reason{}, Signals: in.state.Signals, Disputed: in.state.Entries.ByStatus[Disputed]}
	blocking := map[string]bool{}
	for _, pr := range p.Block {
		blocking[pr] = true
	}
	v.Reasons = append(v.Reasons, unreadyReasons(p, in)...)
	for _, s := range in.open {
		if blocking[s.Priority] {
			v.Reasons = append(v.Reasons, Reason{Rule: RuleOpenSignal, ID: s.ID,
				Priority: s.Priority, Content: s.Content, Worker: s.Worker, Claimed: s.ClaimedBy, To: s.To,
				Clear: "address or waive it", Next: []fault.Step{fault.Do("signal.address", "{}",
					"signal", s.ID), fault.Do("signal.waive", "or {}", "signal", s.ID, "reason",
					"…")}})
		}
	}
	if n := in.allOpen; p.MaxOpen != nil && n > *p.MaxOpen {
		settle := fmt.Sprintf("address or waive %d of them", n-*p.MaxOpen)
		v.Reasons = append(v.Reasons, Reason{Rule: RuleMaxOpen,
			Content: fmt.Sprintf("%d questions are open; at most %d may be", n, *p.MaxOpen),
			Clear:   settle, Next: []fault.Step{fault.Do("signal.list", settle+": {}", "status",
				SignalOpen)}})
	}
	if p.MaxDisputed != nil && int64(len(in.disputed)) > *p.MaxDisputed {
		for _, e := range in.disputed {
			v.Reasons = append(v.Reasons, entryReason(&e, RuleMaxDisputed,
				"supersede it, or the entry that contradicts it", fault.Do("entry.post",
					"{} (or the entry that contradicts it)", "content", "…", "supersedes", e.ID)))
		}
	}
	if p.MaxConflicts != nil && int64(in.conflicts.Total) > *p.MaxConflicts {
		for _, c := range in.conflicts.Pairs {
			v.Reasons = append(v.Reasons, Reason{Rule: RuleConflicts, ID: c.A.ID, Other: c.B.ID,
				Content: fmt.Sprintf("%s and %s may contradict each other: %s", c.A.ID, c.B.ID,
					c.Why[0]),
				Worker: c.B.Worker, Clear: "settle the pair with a reason, or supersede the " +
					"entry that is wrong",
				Next: []fault.Step{fault.Do("entry.settle",
					"{}, or supersede the entry that is wrong", "entry", c.A.ID, "other", c.B.ID,
					"reason", "…")}})
		}
	}
	if p.RequireSource {
		for _, e := range in.unsourced {
			v.Reasons = append(v.Reasons, entryReason(&e, RuleSource, "correct it: give its source",
				fault.Do("entry.correct", "{}", "id", e.ID, "source", "…")))
		}
	}
	for _, e := range in.required {
		if p.RequireVerified && !e.Verified.Holds() {
			v.Reasons = append(v.Reasons, verifiedReason(&e))
		}
		if p.RequireEvidence && !e.IsQuoted() {
			v.Reasons = append(v.Reasons, entryReason(&e, RuleEvidence, "correct it: give its quote",
				fault.Do("entry.correct", "{}", "id", e.ID, "quote", "…")))
		}
	}
	if p.RequireVerified {
		v.Reasons = append(v.Reasons, overAccepted(&p.Accept, in.required)...)
	}
	v.Reasons = append(v.Reasons, ranReasons(p, &in)...)
	v.Open = len(v.Reasons) == 0
	return v
}

func entryReason(e *Entry, rule, clear string, next ...fault.Step) Reason {
	return Reason{Rule: rule, ID: e.ID, Content: e.Content, Worker: e.Worker, Clear: clear, Next: next}
}

// unreadyReasons are why there is too little to judge yet: an empty board has no question either.
func unreadyReasons(p Policy, in gateInput) (reasons []Reason) {
	post := []fault.Step{fault.Do("entry.post", "{}", "content", "…")}
	switch {
	case in.posted < p.MinEntries:
		reasons = append(reasons, Reason{Rule: RuleMinEntries,
			Content: fmt.Sprintf("%s posted; at least %d are needed",
				text.Count(in.posted, "entry was", "entries were"), p.MinEntries),
			Clear: "post what was found", Next: post})
	case in.posted+in.raised == 0:
		reasons = append(reasons, Reason{Rule: RuleEmpty,
			Content: "nothing was posted or raised yet", Clear: "post what was found", Next: post})
	}
	for _, name := range awaited(p, in.state.Expected) {
		reasons = append(reasons, Reason{Rule: RuleExpected, Worker: name,
			Content: name + " has not finished yet",
			Clear:   "it says that it is done, or is dropped with a reason", Next: []fault.Step{
				fault.Do("worker.done", "{}", "names", name),
				fault.Do("worker.drop", "or {}", "names", name, "reason", "…")}})
	}
	return reasons
}

// verifiedReason says why an entry does not count as verified, and what would make it so.
func verifiedReason(e *Entry) Reason {
	r := entryReason(e, RuleVerified, "verify it", fault.Do("entry.verify", "{}", "id", e.ID))
	switch v := e.Verified; {
	case v != nil && !v.Stale || e.SourceDoc == "":
		r.Clear = "correct it, so that it stands in its source"
		r.Next = []fault.Step{fault.Do("entry.correct", "{}", "id", e.ID, "source", "…", "quote", "…")}
	case !e.IsQuoted():
		r.Next = append(r.Next, fault.Do("entry.correct", "or, if there is nothing to check in it, {}", "id", e.ID, "quote", "…"))
	}
	if v := e.Verified; v != nil && !v.Stale && v.Doubt != "" && v.Accepted == nil {
		r.Next = append(r.Next, fault.Do("doubt.accept", "or, if it is no fault, {}", "id", v.Doubt,
			"reason", "…"))
	}
	return r
}

// overAccepted is the reason why accepted doubts do not count as verified, if they do not.
func overAccepted(p *AcceptPolicy, entries []Entry) []Reason {
	var ids []string
	for i := range entries {
		if v := entries[i].Verified; v.Holds() && !v.Sound() {
			ids = append(ids, entries[i].ID)
		}
	}
	why := p.Refuses(record.VerifyDoubts, len(ids))
	if why == "" || len(ids) == 0 {
		return nil
	}
	about := "the doubt about " + ids[0] + " was accepted"
	if len(ids) > 1 {
		about = "the doubts about " + strings.Join(ids, ", ") + " were accepted"
	}
	clear, next := RevokeSteps(ids[0])
	return []Reason{{Rule: RuleAccepted, Content: about + ", and " + why, Clear: clear, Next: next}}
}

// RevokeSteps returns what to do if more was accepted than the policy allows: in words, and as an operation.
func RevokeSteps(id string) (clear string, next []fault.Step) {
	clear = "take an acceptance back, and mend what was doubted"
	return clear, []fault.Step{fault.Do("doubt.accept", clear+": {}", "id", id, "revoke", "", "reason", "…")}
}

// In sets Clear of the reasons to their next steps in the words of an adapter that has them.
func (v *Verdict) In(words fault.Words) {
	for i := range v.Reasons {
		if said := fault.Join(v.Reasons[i].Next, words, ", "); said != "" {
			v.Reasons[i].Clear = said
		}
	}
}

// Gate judges the board by its policy on record with what [Policy.ForCall] adds, or else by p. A
// run that does not exist is fault.NotFound, never an open gate.
func (b *Board) Gate(ctx context.Context, p Policy) (Verdict, error) {
	return askMoment(ctx, b, func(m *Moment) (Verdict, error) { return m.Gate(p) })
}

func (b *Board) gate(ctx context.Context, tx *store.Tx, p Policy, unwritten ...*verify.Result) (Verdict,
	error) {
	recorded, err := recordedPolicy(tx)
	if err != nil {
		return Verdict{}, err
	}
	p = p.Under(recorded)
	in := gateInput{recorded: recorded.Ref()}
	if in.state, err = state(tx, false); err != nil {
		return Verdict{}, err
	}
	// The gate is decided on the rows themselves. The running counts are only shown.
	if err := tx.QueryRow(`SELECT (SELECT count(*) FROM signals WHERE status = 'open'),
			(SELECT coalesce(max(id), 0) FROM entries), (SELECT coalesce(max(id), 0) FROM signals)`).Scan(
		&in.allOpen, &in.posted, &in.raised); err != nil {
		return Verdict{}, err
	}
	var ranks []int64
	for _, pr := range p.Blocking() {
		ranks = append(ranks, int64(slices.Index(Priorities, pr)))
	}
	if in.open, err = selectSignals(tx, `FROM signals s WHERE s.status = 'open'
		AND s.priority IN (`+theseIDs+`) ORDER BY s.priority, s.id`, store.List(ranks)); err != nil {
		return Verdict{}, err
	}
	for i := range in.open {
		if !in.open[i].ClaimedAt(tx.Now) {
			in.open[i].ClaimedBy = ""
		}
	}
	if p.MaxDisputed != nil {
		if in.disputed, err = selectEntries(tx,
			`FROM entries e WHERE e.status = 'disputed' AND `+unsettled+` ORDER BY e.id`); err != nil {
			return Verdict{}, err
		}
	}
	if p.MaxConflicts != nil {
		pairs, err := loadConflicts(tx, nil)
		if err == nil {
			err = in.conflicts.find(ctx, pairs, ConflictQuery{Likely: true})
		}
		if err != nil {
			return Verdict{}, err
		}
	}
	if p.RequireSource {
		// Must-surface entries come from an index; of the others, only answers are read.
		if in.unsourced, err = selectEntries(tx, `FROM entries e WHERE e.id IN (
				SELECT id FROM entries WHERE must_surface = 1 AND status <> 'superseded' AND source_doc = '' AND source_ref = ''
				UNION SELECT l.src FROM signals s JOIN links l ON l.dst = s.id AND l.kind = 'addresses')
			AND e.status <> 'superseded' AND e.source_doc = '' AND e.source_ref = '' ORDER BY e.id`); err != nil {
			return Verdict{}, err
		}
	}
	if p.AsksRan() {
		if in.receipts, err = b.receipts(tx); err != nil {
			return Verdict{}, err
		}
		if in.posters, err = store.Column[string](tx, `SELECT DISTINCT worker FROM entries ORDER BY worker`); err != nil {
			return Verdict{}, err
		}
	}
	if p.RequireVerified || p.RequireEvidence {
		if in.required, err = selectEntries(tx, `FROM entries e WHERE e.status <> 'superseded' AND (e.must_surface = 1
			OR e.id IN (SELECT addressed_by FROM signals WHERE status = 'addressed')) ORDER BY e.id`); err != nil {
			return Verdict{}, err
		}
		for _, r := range unwritten {
			in.addVerdicts(r)
		}
	}
	return judge(p, in), nil
}

// addVerdicts gives entries the verdicts of a result that was not written to the board.
func (in *gateInput) addVerdicts(r *verify.Result) {
	changed := map[string]bool{}
	for _, s := range r.Sources {
		changed[s.Name] = s.Changed
	}
	found := map[string]*Verification{}
	for _, item := range r.Items {
		if verify.Judged(item.Verdict) {
			stale := slices.ContainsFunc(item.Each(), func(p verify.Part) bool { return changed[p.Source] })
			found[item.ID] = &Verification{Held: Held{Verdict: item.Verdict}, Stale: stale, Doubt: item.Doubt,
				Accepted: item.Accepted}
		}
	}
	for i := range in.required {
		if v := found[in.required[i].ID]; v != nil {
			in.required[i].Verified = v
		}
	}
}

// GateOf judges a snapshot by a policy. Leases are judged at the time of its last event.
func GateOf(ctx context.Context, s *Snapshot, p Policy) (Verdict, error) {
	if err := p.Check(); err != nil {
		return Verdict{}, err
	}
	p = p.Under(s.Policy)
	in := gateInputOf(s, p)
	if p.MaxConflicts != nil {
		if err := in.conflicts.find(ctx, conflictsOf(s),
			ConflictQuery{Likely: true}); err != nil {
			return Verdict{}, err
		}
	}
	return judge(p, in), nil
}

// gateInputOf collects what the gate depends on, except conflicts.
func gateInputOf(s *Snapshot, p Policy) gateInput {
	in := gateInput{state: s.State(), posted: int64(len(s.Entries)), raised: int64(len(s.Signals)),
		recorded: s.Policy.Ref(), receipts: s.Receipts}
	in.posters = in.state.Posters()
	for _, sig := range s.Signals {
		if sig.Status == SignalOpen {
			if !sig.ClaimedAt(s.At) {
				sig.ClaimedBy = ""
			}
			in.open = append(in.open, sig)
			in.allOpen++
		}
	}
	slices.SortStableFunc(in.open, func(a, b Signal) int {
		x, _ := PriorityRank(a.Priority)
		y, _ := PriorityRank(b.Priority)
		return cmp.Compare(x, y)
	})
	if p.RequireVerified || p.RequireEvidence {
		in.required = requiredOf(s)
	}
	for _, e := range s.Entries {
		if e.Status == Disputed {
			in.disputed = append(in.disputed, e)
		}
		if (e.MustSurface || len(e.Addresses) > 0) && e.Status != Superseded && e.SourceDoc == "" &&
			e.SourceRef == "" {
			in.unsourced = append(in.unsourced, e)
		}
	}
	return in
}

func requiredOf(s *Snapshot) (all []Entry) {
	answers := map[string]bool{}
	for _, sig := range s.Signals {
		if sig.Status == Addressed {
			answers[sig.AddressedBy] = true
		}
	}
	for _, e := range s.Entries {
		if e.Status != Superseded && (e.MustSurface || answers[e.ID]) {
			all = append(all, e)
		}
	}
	return all
}
