// Package check checks a run against a policy, from its sources to its reports. It runs
// the gate, verify, conflicts, survival and trace, and gives one verdict ([Run]). Their
// packages say what they compare.
//
// It reads board.yaml, too, the requirements of a run ([Policy]). The orchestrator, CI and
// the TUI read the same file, so they give the same answer.
package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/claims"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/survival"
	"blackboard/board/text"
	"blackboard/board/trace"
	"blackboard/board/verify"
	"blackboard/embed"
)

// Input is the input of a check.
type Input struct {
	Reports []*documents.Document
	Skipped []documents.Skipped // files of the reports' directories that were not read
	// Missing says why none of the policy's reports exists; "" if one does.
	Missing string
	Sources []verify.File // directories of sources, besides their registered paths
	// BoardOnly reads the text on the board instead of the files of registered sources.
	BoardOnly bool
	Model     embed.Embedder // for survival.min_cosine; nil: no model
	// Worker is the author of the verdicts on the board; "": they are not written, and count
	// for this check alone.
	Worker string
	// MaxListed limits the doubted findings and the pairs in conflict that are listed, if it
	// is above 0. The totals count all.
	MaxListed int
	// Dir is the directory from which a record of the check names the reports; "": nothing is
	// recorded, as with a text that has no name.
	Dir string
	// Tell is told which step begins; nil: nobody.
	Tell func(step string)
}

// Open opens the named reports and sources. If no reports or no sources are named, it
// opens the policy's.
func Open(f *Policy, reports, sources []string) (in Input, err error) {
	listed := len(reports) == 0
	if listed {
		if reports, err = f.ReportPaths(); err != nil {
			return in, err
		}
	}
	if len(sources) == 0 {
		if sources, err = f.SourcePaths(); err != nil {
			return in, err
		}
	}
	in.Reports, in.Skipped, err = documents.OpenAll(reports)
	if listed && errors.Is(err, fault.NotFound) {
		in.Missing, err = err.Error(), nil
	}
	if err == nil {
		in.Sources, err = verify.FindFiles(sources...)
	}
	return in, err
}

// Result says whether a run meets its policy.
type Result struct {
	Run string `json:"run"`
	// the event up to which the board was looked at, but for verify
	Seq    int64  `json:"seq"`
	Passed bool   `json:"passed"` // every step passed
	Policy string `json:"policy"` // its path, "" for none
	// Recorded says since when the run has the policy on record; null: it is the directory's.
	Recorded *board.PolicyRef `json:"recorded"`
	Note     string           `json:"note"`    // what to know of the choice of the policy
	Next     []fault.Step     `json:"-"`       // what would change it
	Reports  []string         `json:"reports"` // the names of the reports
	// in the order in which they are done, those alone that the policy has
	Steps []Step `json:"steps"`
}

// Step is one part of a check. It has one of the results, unless it was skipped.
type Step struct {
	Name   string `json:"name"`   // gate, verify, conflicts, survival, trace, ran, citations
	Passed bool   `json:"passed"` // true also if skipped, unless the policy requires it
	// Skipped means that nothing was checked: the step lacked its input, which why names,
	// or there was nothing to check in it.
	Skipped  bool     `json:"skipped"`
	Why      string   `json:"why"`
	Headline string   `json:"headline"` // the result in a few words
	Warnings []string `json:"warnings"` // notable, but no failure

	tooMany string // why its accepted doubts do not pass, "" if they do

	Gate      *board.Verdict   `json:"gate,omitempty"`      // the result, of the step gate
	Verify    *verify.Result   `json:"verify,omitempty"`    // the result, of the step verify
	Conflicts *board.Conflicts `json:"conflicts,omitempty"` // the result, of the step conflicts
	Survival  *survival.Result `json:"survival,omitempty"`  // the result, of the step survival
	Trace     *trace.Result    `json:"trace,omitempty"`     // the result, of the step trace

	Ran       []board.RanClaim `json:"ran,omitempty"`       // the result, of the step ran
	Citations []board.Citation `json:"citations,omitempty"` // the result, of the step citations
}

// HadInput reports whether a step was done, though there may have been nothing to check.
func (s *Step) HadInput() bool {
	return s.Name == Ran || s.Name == Citations || s.Gate != nil || s.Verify != nil ||
		s.Conflicts != nil || s.Survival != nil || s.Trace != nil
}

// Step returns a step of the result, or nil.
func (r *Result) Step(name string) *Step {
	for i := range r.Steps {
		if r.Steps[i].Name == name {
			return &r.Steps[i]
		}
	}
	return nil
}

// WorstFirst returns the steps in this order: failed, with facts of a report that nothing supports,
// with other warnings, passed, skipped.
func (r *Result) WorstFirst() []Step {
	rank := func(s Step) int {
		switch {
		case !s.Passed:
			return 0
		case s.Skipped:
			return 4
		case s.Trace != nil && s.Trace.Unsupported > 0:
			return 1
		case len(s.Warnings) > 0:
			return 2
		}
		return 3
	}
	steps := slices.Clone(r.Steps)
	slices.SortStableFunc(steps, func(a, b Step) int { return rank(a) - rank(b) })
	return steps
}

// GateAlone reports whether every step but perhaps the gate has passed.
func (r *Result) GateAlone() bool {
	return !slices.ContainsFunc(r.Steps, func(s Step) bool {
		return !s.Passed && s.Name != Gate
	})
}

// Run runs the steps of a policy. Verify comes first and writes its verdicts, because
// the gate may require them; where it may not write, they count in the gate's step all
// the same. It reads the board separately, so a worker may post between it and the other
// steps. Those see the board at one moment.
//
// Errors: fault.NotFound when there is no such run.
func Run(ctx context.Context, b *board.Board, f Policy, in Input) (Result, error) {
	c := checker{f: &f, in: &in, steps: map[string]Step{}}
	registered, err := b.Sources(ctx)
	if err != nil {
		return Result{}, err
	}
	r := Result{Run: b.Run(), Passed: true, Policy: f.Path, Recorded: f.Recorded, Note: f.Note, Next: f.Next,
		Reports: []string{}, Steps: []Step{}}
	for _, d := range in.Reports {
		r.Reports = append(r.Reports, d.Name)
	}
	if f.Does(Verify) {
		c.tell(Verify)
		if err := c.verify(ctx, b, registered); err != nil {
			return r, err
		}
	}
	err = b.Moment(ctx, func(m *board.Moment) error {
		r.Seq = m.Seq
		c.accepted, err = m.Acceptances()
		return errors.Join(err, c.ask(m, registered))
	})
	if err != nil {
		return r, err
	}
	if s, ok := c.steps[Survival]; ok && !s.Skipped {
		if s, err = c.compareMeaning(ctx, s); err != nil {
			return r, err
		}
		c.steps[Survival] = s
	}
	c.warnVoid()
	for _, name := range Steps {
		s, ok := c.steps[name]
		if !ok {
			continue
		}
		s.Name = name
		if s.Skipped && f.Steps != nil && !s.HadInput() {
			s.Passed = false // the policy names it
		}
		s.Warnings = append([]string{}, s.Warnings...)
		r.Steps = append(r.Steps, s)
	}
	r.bound(&f.Accept)
	for i := range r.Steps {
		r.Passed = r.Passed && r.Steps[i].Passed
	}
	return r, nil
}

// checker is the state of one call of Run.
type checker struct {
	f     *Policy
	in    *Input
	steps map[string]Step
	// unwritten are the verdicts of this check that could not be written to the board.
	unwritten []*verify.Result
	accepted  map[string][]claims.Acceptance // by what they are about now
}

func (c *checker) tell(step string) {
	if c.in.Tell != nil {
		c.in.Tell(step)
	}
}

func (c *checker) verify(ctx context.Context, b *board.Board, registered []board.Source) error {
	if len(c.in.Sources)+len(registered) == 0 {
		why := "no source is named or registered"
		named, err := b.NamedSources(ctx)
		if len(c.f.Sources) > 0 {
			why = "there is no file to check against in " + strings.Join(c.f.Sources, ", ")
		} else if named > 0 {
			why = "no directory of sources is given; the findings name " +
				text.Count(named, "source", "sources")
		}
		c.steps[Verify] = Step{Passed: len(c.f.Sources) == 0, Skipped: true, Why: why,
			Headline: "not checked: " + why}
		return err
	}
	opt := board.VerifyOptions{Files: c.in.Sources, BoardOnly: c.in.BoardOnly,
		NoRecord: c.in.Worker == "", FirstDoubted: c.in.MaxListed}
	if opt.NoRecord && c.f.Gate.RequireVerified {
		opt.FirstDoubted = 0 // the gate needs all verdicts
	}
	v, err := b.Verify(ctx, c.in.Worker, opt)
	if err == nil && v.NotRecorded != "" && opt.FirstDoubted > 0 {
		opt.FirstDoubted = 0 // the gate needs the verdicts that it cannot read
		v, err = b.Verify(ctx, c.in.Worker, opt)
	}
	if err != nil {
		return err
	}
	if v.NotRecorded != "" || opt.NoRecord {
		c.unwritten = append(c.unwritten, &v)
	}
	limit := c.f.Verify.MaxDoubted
	s := Step{Verify: &v, Passed: v.Within(limit, c.f.Verify.MaxConcluded)}
	for i := range v.Items {
		if it := &v.Items[i]; it.Accepted != nil {
			s.warnAccepted(it.ID, it.Accepted)
		}
	}
	concluded := ""
	if n := len(v.Concluded); n > 0 {
		concluded = count(n, "finding has figures", "findings have figures") +
			" that neither quote nor source has: " + firstOf(v.Concluded)
		s.Warnings = append(s.Warnings, concluded)
	}
	if n := len(v.Unsure); n > 0 {
		s.Warnings = append(s.Warnings, count(n, "quote may deny its finding", "quotes may deny their findings")+
			", to be read: "+firstOf(v.Unsure))
	}
	if v.Doubted > 0 && v.Doubted <= limit {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d doubted; the policy allows %d",
			v.Doubted, limit))
	}
	s.Headline = count(v.Checked-v.Accepted, "finding stands in its source",
		"findings stand in their sources")
	if v.Unchecked > 0 {
		s.Headline += fmt.Sprintf(", %d not checked", v.Unchecked)
	}
	if v.OtherLanguage > 0 {
		s.Headline += fmt.Sprintf(", %d %s", v.OtherLanguage, verify.NotEnglish)
	}
	changed := 0
	for _, source := range v.Sources {
		if source.Changed {
			changed++
		}
	}
	switch {
	case v.Doubted == 0 && !s.Passed && changed == 0 && v.Checked > 0: // max_concluded
		s.Headline = concluded
	case v.Doubted > 0:
		s.Headline = fmt.Sprintf("%d of %s doubted", v.Doubted,
			count(v.Checked, "finding", "findings"))
	case changed > 0:
		s.Headline = count(changed, "source has changed", "sources have changed") +
			" since registered"
	case v.Checked == 0:
		s.Headline = "nothing was checked: " + v.NothingChecked()
		if v.Unchecked == 0 { // as survival does where nothing has to surface
			s.Passed = true
			s.leaveOut(s.Headline)
		}
	}
	demand := "; require_verified of the policy's gate demands it of what must surface"
	if c.f.Gate.RequireVerified {
		demand = ""
	}
	s.addAccepted(v.Accepted)
	if v.Unchecked > 0 && v.Checked > 0 {
		s.Warnings = append(s.Warnings, count(v.Unchecked, "finding was", "findings were")+
			" not checked: no source that can be read, or no quote and no values"+demand)
	}
	c.steps[Verify] = s
	return nil
}

// ask runs the steps that see the board at one moment.
func (c *checker) ask(m *board.Moment, registered []board.Source) error {
	if c.f.Does(Gate) {
		c.tell(Gate)
		v, err := m.Gate(c.f.Gate, c.unwritten...)
		if err != nil {
			return err
		}
		s := Step{Gate: &v, Passed: v.Open, Headline: "open"}
		if !v.Open {
			s.Headline = "closed: " + count(len(v.Reasons), "reason", "reasons")
		}
		c.steps[Gate] = s
	}
	if c.f.Does(Conflicts) {
		c.tell(Conflicts)
		found, err := m.Conflicts(board.ConflictQuery{Max: c.in.MaxListed, Likely: true})
		if err != nil {
			return err
		}
		c.steps[Conflicts] = c.conflicts(&found)
	}
	if err := c.checkProven(m); err != nil {
		return err
	}
	if len(c.in.Reports) == 0 {
		why := "no report is named"
		if c.in.Missing != "" {
			why = c.in.Missing
		}
		s := Step{Skipped: true, Passed: len(c.f.Reports) == 0, Why: why,
			Headline: "not checked: " + why}
		for _, name := range []string{Survival, Trace} {
			if c.f.Does(name) {
				c.steps[name] = s
			}
		}
		return nil
	}
	if c.f.Does(Survival) {
		c.tell(Survival)
		v, err := m.Survival(c.in.Reports...)
		if err != nil {
			return err
		}
		v.Skipped = c.in.Skipped
		c.steps[Survival] = Step{Survival: &v}
	}
	if c.f.Does(Trace) {
		c.tell(Trace)
		t, err := m.Trace(c.in.traced(registered), c.in.Reports...)
		if err != nil {
			return err
		}
		c.steps[Trace] = c.trace(&t)
	}
	return nil
}

// warnAccepted adds a warning for a doubt that somebody accepted.
func (s *Step) warnAccepted(id string, a *claims.Acceptance) {
	s.Warnings = append(s.Warnings, fmt.Sprintf("%s %s %s", id, a.Verdict, a))
}

// warnVoid says why acceptances no longer count, of what is doubted anew.
func (c *checker) warnVoid() {
	doubted := map[string]map[string]string{Verify: {}, Survival: {}}
	if v := c.steps[Verify].Verify; v != nil {
		for i := range v.Items {
			if it := &v.Items[i]; it.Doubted {
				doubted[Verify][it.ID] = it.Doubt
			}
		}
	}
	if v := c.steps[Survival].Survival; v != nil {
		for i := range v.Items {
			if it := &v.Items[i]; it.IsMissing() {
				doubted[Survival][it.ID] = it.Doubt
			}
		}
	}
	for name, ids := range doubted {
		s := c.steps[name]
		for _, id := range slices.Sorted(maps.Keys(ids)) {
			for _, a := range slices.Backward(c.accepted[id]) {
				if a.Check == name {
					s.Warnings = append(s.Warnings, fmt.Sprintf("%s was %s; that is void, since %s or %s has changed: "+
						"look at the doubt %s anew", a.ID, &a, a.ID, a.EndsWith(), ids[id]))
					break // of several the newest
				}
			}
		}
		if s.HadInput() {
			c.steps[name] = s
		}
	}
}

// bound fails the steps whose accepted doubts the policy does not pass.
func (r *Result) bound(p *board.AcceptPolicy) {
	in := map[string]int{}
	all := 0
	for i := range r.Steps {
		switch s := &r.Steps[i]; {
		case s.Verify != nil:
			in[s.Name] = s.Verify.Accepted
		case s.Survival != nil:
			in[s.Name] = s.Survival.Accepted
		}
		all += in[r.Steps[i].Name]
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if in[s.Name] > 0 {
			s.tooMany = p.Refuses(s.Name, all)
		}
		if s.tooMany != "" {
			s.Passed = false
			s.Headline += ", but " + s.tooMany
		}
	}
}

// addAccepted adds the number of accepted doubts to the headline.
func (s *Step) addAccepted(n int) {
	if n > 0 {
		s.Headline += "; " + count(n, "doubt accepted", "doubts accepted")
	}
}

func (c *checker) conflicts(found *board.Conflicts) Step {
	s := Step{Conflicts: found, Passed: true, Headline: "no undeclared contradictions"}
	if found.Total > 0 {
		s.Headline = count(found.Total,
			"pair of findings may contradict each other",
			"pairs of findings may contradict each other")
		s.limit(found.Total, c.f.Conflicts.Max)
	}
	return s
}

func (c *checker) trace(t *trace.Result) Step {
	s := Step{Trace: t, Passed: true,
		Headline: fmt.Sprintf("%d of %s supported", t.Supported+t.Derived,
			count(t.Checked, "fact", "facts"))}
	if t.Unsupported > 0 {
		s.Headline = fmt.Sprintf("nothing supports %d of %s",
			t.Unsupported, count(t.Checked, "fact", "facts"))
	}
	if t.Unsure > 0 { // no policy counts them
		s.Headline += fmt.Sprintf(" (%d may be right)", t.Unsure)
	}
	if t.SourceOnly > 0 { // in a source, and no finding has it
		s.Headline += fmt.Sprintf("; %d stand in a source, no finding says them", t.SourceOnly)
	}
	if t.Unsaid > 0 { // a warning
		s.Headline += fmt.Sprintf("; no finding says anything like %s",
			count(t.Unsaid, "sentence", "sentences"))
	}
	if t.Unsupported+t.SourceOnly > 0 {
		s.limit(t.Counted(), c.f.Trace.MaxUnsupported)
	}
	if t.Checked == 0 {
		s.leaveOut("the reports contain no facts to check")
	}
	return s
}

// leaveOut says why a step checked nothing: it did not pass anything.
func (s *Step) leaveOut(why string) { s.Skipped, s.Why, s.Headline = true, why, "not checked: "+why }

// limit fails a step above its limit; without a limit, or below it, it warns.
func (s *Step) limit(n int, limit *int) {
	if limit != nil && n > *limit {
		s.Passed = false
		return
	}
	s.Warnings = append(s.Warnings, s.Headline)
}

// TraceRun traces the reports of an input as the step of a check does.
func TraceRun(ctx context.Context, b *board.Board, in Input) (trace.Result, error) {
	registered, err := b.Sources(ctx)
	if err != nil {
		return trace.Result{}, err
	}
	return b.Trace(ctx, in.traced(registered), in.Reports...)
}

// traced returns the files in which trace looks for facts that no entry has.
func (in *Input) traced(registered []board.Source) trace.Sources {
	var files, reports []string
	for _, f := range in.Sources {
		files = append(files, f.Path)
	}
	for _, s := range registered {
		if info, err := os.Stat(s.Path); !in.BoardOnly && err == nil &&
			info.Mode().IsRegular() &&
			!slices.Contains(files, s.Path) {
			files = append(files, s.Path)
		}
	}
	for _, d := range in.Reports {
		reports = append(reports, d.Name)
	}
	if len(files) == 0 {
		return nil
	}
	return func(read func(*documents.Document) error) error {
		return documents.Each(files, reports, read)
	}
}

// compareMeaning adds the comparison by meaning, if the policy wants it, and decides the step.
func (c *checker) compareMeaning(ctx context.Context, s Step) (Step, error) {
	want, v := c.f.Survival, s.Survival
	switch {
	case want.MinCosine > 0 && c.in.Model != nil:
		if err := v.AddMeaning(ctx, c.in.Model, want.MinCosine, c.in.Reports...); err != nil {
			return s, err
		}
	case want.MinCosine > 0:
		s.Warnings = append(s.Warnings, "no embedding model is installed, so only "+
			"words were compared")
	}
	v.Demand(v.Empty, want.MinItems)
	s.Passed = v.Passed
	for _, it := range v.AcceptedItems() {
		s.warnAccepted(it.ID, it.Accepted)
	}
	s.Headline = fmt.Sprintf("%d of %s present",
		v.Present(), count(v.Checked, "item", "items"))
	if v.Unsure > 0 {
		s.Headline += fmt.Sprintf(", %d unsure", v.Unsure)
		s.Warnings = append(s.Warnings, count(v.Unsure, "item has", "items have")+
			" a passage that may carry it, to be read: "+firstOf(unsureAt(v)))
	}
	if v.Missing > 0 {
		s.Headline = fmt.Sprintf("%d of %s missing", v.Missing, count(v.Checked, "item", "items"))
	}
	if v.Warning != "" {
		s.Headline = v.Warning
		if v.Passed && v.Checked == 0 {
			s.leaveOut(v.Warning)
		} else if v.Passed {
			s.Warnings = append(s.Warnings, v.Warning)
		}
	}
	s.addAccepted(v.Accepted)
	if n := len(v.UnmarkedAnswers); n > 0 {
		s.Warnings = append(s.Warnings, count(n, "answer to a critical or high question "+
			"was not looked for, since it is not marked: ", "answers to critical or high "+
			"questions were not looked for, since they are not marked: ")+
			firstOf(v.UnmarkedAnswers))
	}
	if n := len(v.Skipped); n > 0 {
		s.Warnings = append(s.Warnings, count(n, "file of the reports was",
			"files of the reports were")+" not read")
	}
	return s, nil
}

// unsureAt returns the ids of the items that a report may have, each with the line to read.
func unsureAt(v *survival.Result) (all []string) {
	for i := range v.Items {
		it := &v.Items[i]
		switch {
		case !it.Unsure:
		case it.Passage == nil:
			all = append(all, it.ID)
		default:
			all = append(all, fmt.Sprintf("%s (line %d)", it.ID, it.Passage.Line))
		}
	}
	return all
}

// firstOf joins the first five ids.
func firstOf(ids []string) string {
	const most = 5
	if len(ids) > most {
		return strings.Join(ids[:most], ", ") + ", …"
	}
	return strings.Join(ids, ", ")
}

func count(n int, one, many string) string { return text.Count(int64(n), one, many) }
