package ops

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/claims"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/survival"
	"blackboard/board/text"
	"blackboard/board/trace"
	"blackboard/board/verify"
)

// How much the text of a judgement lists; JSON has all.
const (
	maxRows      = 200 // of a step, for people
	maxCheckRows = 12  // for models: in all steps that failed, so that it stays within some 1,500 tokens
	maxStepRows  = 60  // for models: of the one step that was asked for
	maxWarnRows  = 2   // for models: of a step that passed
	shortRunes   = 110 // for models: of a text in a check
	maxSkipped   = 10
)

type judgePage struct {
	*op.Page
	rows  int  // of a step
	runes int  // of a text; 0: as it fits
	all   bool // what passed is shown, too
}

func judgedText(page *op.Page, o Judged) {
	p := &judgePage{page, maxRows, 0, o.all}
	if o.Check != nil {
		p.check(o.Check)
		return
	}
	switch {
	case o.Verdict != nil:
		p.Printf("gate of %s: %s\n", o.Verdict.Run, GateLine(page, o.Verdict))
	case o.Verify != nil:
		p.verifyHead(o.Verify)
	case o.Conflicts != nil:
		c := o.Conflicts
		p.Printf("conflicts of %s: looked at %s of %s, %d likely", c.Run, amount(c.Looked, "pair", "pairs"),
			amount(c.Compared, "active entry", "active entries"), c.Total)
		others := slices.DeleteFunc(slices.Clone(c.Pairs), func(c board.Conflict) bool { return c.Likely })
		p.numbers(len(others), "less likely, by how much they share")
	case o.Survival != nil:
		p.survivalHead(o.Survival)
	case o.Trace != nil:
		p.traceHead(o.Trace, o.step.Passed)
	}
	p.findings(&o.step)
	if o.Raised != nil {
		p.Printf("%s raised\n", amount(len(o.Raised), "question", "questions"))
	}
	if said := caveats[o.step.Name]; said != "" {
		p.Printf("%s\n", p.Paint(op.Dim, said))
	}
	PolicyText(page, &o.used)
}

// caveats are what a pass of a step does not say.
var caveats = map[string]string{
	check.Verify: "necessary, not sufficient: that the source is right, and that the finding follows " +
		"from it, was not checked",
	check.Conflicts: "words were compared, not meaning: read both entries of a pair before you decide",
	check.Survival:  "necessary, not sufficient: words and numbers were compared, not meaning",
	check.Trace:     "words and numbers were compared, not meaning: a supported fact may still be wrong",
}

func amount(n int, one, many string) string { return text.Count(int64(n), one, many) }

func passed(p *op.Page, yes bool) string {
	if yes {
		return p.Paint(op.Green, "passed")
	}
	return p.Paint(op.Red, "FAILED")
}

// PolicyText names the policy of a verdict, and says if it is not the directory's.
func PolicyText(p *op.Page, u *check.UsedPolicy) {
	if line := policyLine(p, u); line != "" {
		p.Printf("%s\n", p.Paint(op.Dim, "policy: "+line))
	}
	if u.Note != "" {
		p.Printf("%s\n", p.Line(strings.TrimSuffix(u.Note+"; "+fault.Say(u.Next, p.Words), "; "), 300))
	}
}

// policyLine says which policy decided, "" for the default one.
func policyLine(p *op.Page, u *check.UsedPolicy) string {
	path := u.Path
	if p.Shorten != nil && path != "" {
		path = filepath.Base(path)
	}
	if u.Recorded == nil {
		return p.Line(path, 300)
	}
	return fmt.Sprintf("%s, on record since event %d", p.Line(cmp.Or(path, "the default"), 300),
		u.Recorded.Seq)
}

func (p *judgePage) check(r *check.Result) {
	failed, skipped := r.Failed(), r.Skipped()
	if p.Shorten != nil {
		p.rows, p.runes = maxCheckRows/max(len(failed), 1), shortRunes
		if len(r.Steps) == 1 {
			p.rows = maxStepRows
		}
	}
	warned := 0
	for _, s := range r.Steps {
		warned += len(s.Warnings)
	}
	head := passed(p.Page, r.Passed)
	if !r.Passed {
		head += ": " + strings.Join(failed, ", ")
	} else if warned > 0 {
		head += ", with " + amount(warned, "warning", "warnings")
	}
	used := check.UsedPolicy{Path: r.Policy, Recorded: r.Recorded}
	if line := policyLine(p.Page, &used); line != "" {
		head += ", policy " + line
	}
	if len(skipped) > 0 {
		head += "; not checked: " + strings.Join(skipped, ", ")
	}
	p.Printf("check of %s: %s\n", r.Run, head)
	PolicyText(p.Page, &check.UsedPolicy{Note: r.Note, Next: r.Next})
	for _, s := range r.WorstFirst() {
		p.step(&s)
	}
	p.Printf("%s\n", p.Paint(op.Dim, caveats[check.Survival]+strings.ReplaceAll(p.Step(fault.Do("help.show",
		"; {}", "page", "check")), "`", "")))
}

func (p *judgePage) step(s *check.Step) {
	state, headline := p.Paint(op.Green, "passed "), s.Headline
	switch {
	case !s.Passed:
		state = p.Paint(op.Red, "FAILED ")
	case s.Skipped:
		state, headline = p.Paint(op.Dim, "not checked"), s.Why
	case len(s.Warnings) > 0:
		state = p.Paint(op.Yellow, "warning")
	}
	p.Printf("%s  %s: %s\n", state, s.Name, p.Line(headline, 200))
	if s.Skipped && !s.HadInput() {
		if next := p.Step(s.InputStep()); next != "" {
			p.Printf("to do it: %s\n", next)
		}
		return
	}
	for _, w := range op.FirstRows(p.Page, s.Warnings) {
		if w != s.Headline {
			p.Printf("  %s\n", p.Line(w, 200))
		}
	}
	if !s.Passed || len(s.Warnings) > 0 {
		q := *p
		if s.Passed && p.Shorten != nil && p.rows < maxStepRows {
			q.rows = maxWarnRows
		}
		q.findings(s)
	}
}

// judgedRow is a finding: what it is about, how it stands, and what shows that.
type judgedRow struct {
	about, says string
	below       []string
}

func (p *judgePage) findings(s *check.Step) {
	var rows []judgedRow
	switch {
	case s.Gate != nil:
		rows = op.Each(s.Gate.Reasons, p.reason)
	case s.Verify != nil:
		rows = p.doubts(s.Verify)
	case s.Conflicts != nil:
		rows = p.pairs(s.Conflicts)
	case s.Survival != nil:
		rows = p.items(s.Survival)
	case s.Trace != nil:
		rows = p.facts(s.Trace)
	default:
		for _, f := range s.Findings() {
			where := f.ID + " "
			if f.Report != "" {
				where = fmt.Sprintf("%s:%d ", p.Line(f.Report, 100), f.Line)
			}
			rows = append(rows, judgedRow{where, p.said(f.Text, "", 160) + ": " + p.said(f.Why, "", 200), nil})
		}
	}
	shown := op.FirstRows(p.Page, rows[:min(len(rows), p.rows)])
	for _, r := range shown {
		p.Printf("  %s\n", strings.TrimSpace(r.about+" "+r.says))
		for _, line := range r.below {
			p.Printf("         %s\n", line)
		}
	}
	if more := len(rows) - len(shown); more > 0 {
		all := p.Step(fault.Give("json", "", "; {} lists all"))
		if all == "" && p.rows < maxStepRows {
			all = p.Step(fault.Give("only", s.Name, "; {} lists more of them"))
		}
		p.Printf("  and %d more%s\n", more, all)
	}
	if s.Trace != nil && p.all {
		p.passages(s.Trace)
	}
	p.remedies(s)
}

// said is what others wrote, on a line: of a finding with an id, whose rest can be read.
func (p *judgePage) said(s, id string, n int) string {
	if p.runes > 0 {
		return p.Line(s, min(n, p.runes))
	}
	if id == "" {
		return p.Text(s, n, "", "")
	}
	return p.Text(s, n, "entry.show", id)
}

// remedies says of each kind of finding how the first is cleared.
func (p *judgePage) remedies(s *check.Step) {
	told, to := map[string]bool{}, "to pass"
	if s.Passed {
		to = "to settle"
	}
	for _, f := range s.ToClear() {
		kind := f.Clear
		if f.Reason != nil {
			kind = f.Reason.Rule
		}
		if !told[kind] {
			p.Printf("%s: %s\n", to, f.In(p.Words))
		}
		told[kind] = true
	}
}

func GateLine(p *op.Page, v *board.Verdict) string {
	if !v.Open {
		return fmt.Sprintf("%s: %s", p.Paint(op.Red, "CLOSED"), amount(len(v.Reasons), "reason", "reasons"))
	}
	if n := v.Signals.Open.Total(); n > 0 {
		return fmt.Sprintf("%s (%s not block)", p.Paint(op.Green, "open"), text.Count(n,
			"open question that does", "open questions that do"))
	}
	return p.Paint(op.Green, "open")
}

// gateNow is the verdict after a change, for its answer; nil if there is none, or if it takes long.
func gateNow(ctx context.Context, h Runs, b *board.Board) *board.Verdict {
	f, err := h.Policy(ctx, b)
	if err != nil || f.Gate.MaxConflicts != nil { // which compares all findings
		return nil
	}
	v, err := b.Gate(ctx, f.Gate)
	if err != nil {
		return nil
	}
	return &v
}

// printGateNow says in a line what keeps the gate closed, or that it is open.
func printGateNow(p *op.Page, v *board.Verdict) {
	switch {
	case v == nil:
	case v.Open:
		p.Printf("gate %s\n", GateLine(p, v))
	default:
		p.Printf("gate %s: %s\n", p.Paint(op.Red, "closed"), p.Line(v.Why(5), 600))
	}
}

func ReasonLine(p *op.Page, r *board.Reason) string {
	row := (&judgePage{Page: p}).reason(r)
	return "  " + strings.TrimSpace(row.about+" "+row.says)
}

func (p *judgePage) reason(r *board.Reason) judgedRow {
	about := ""
	if r.ID != "" && r.Other == "" {
		about = fmt.Sprintf("%-6s ", r.ID)
	}
	if r.Priority != "" {
		about += PriorityColumn(p.Page, r.Priority)
	} else if word := board.RuleWords[r.Rule]; word != "" {
		about += fmt.Sprintf("%-9s", word)
	}
	says := p.said(r.Content, r.ID, 240)
	if r.To != "" {
		says += "  for " + p.Line(r.To, board.MaxName)
	}
	if r.Claimed != "" {
		says += p.Paint(op.Dim, "  (claimed by "+p.Line(r.Claimed, board.MaxName)+")")
	}
	return judgedRow{about, says, nil}
}

func (p *judgePage) verifyHead(r *verify.Result) {
	if r.Checked == 0 {
		p.Printf("verify of %s: %s: %s\n", r.Run, p.Paint(op.Red, "NOTHING CHECKED"), r.NothingChecked())
	} else {
		p.Printf("verify of %s: %s, %d of %s doubted", r.Run, passed(p.Page, r.Passed), r.Doubted,
			amount(r.Checked, "finding", "findings"))
		p.numbers(r.Accepted, "accepted", r.Unchecked, "not checked", r.Unsourced, "without a source",
			r.OtherLanguage, verify.NotEnglish)
	}
	p.warn(r.Concluded, "finding has figures", "findings have figures", " that neither quote nor source has")
	p.warn(r.Unsure, "quote may deny its finding", "quotes may deny their findings", ", to be read")
}

// numbers ends a line with what is not zero of some numbers and their names.
func (p *judgePage) numbers(all ...any) {
	for i := 0; i < len(all); i += 2 {
		if all[i] != 0 {
			p.Printf(", %d %s", all[i], all[i+1])
		}
	}
	p.Printf("\n")
}

func (p *judgePage) warn(ids []string, one, many, what string) {
	if len(ids) > 0 {
		p.Printf("%s: %s%s: %s\n", p.Paint(op.Yellow, "warning"), amount(len(ids), one, many), what, text.Few(ids, 10))
	}
}

// reports are the names of the first reports, as who is elsewhere knows them too.
func (p *judgePage) reports(names []string) string {
	if p.Shorten != nil {
		names = slices.Clone(names)
		for i := range names {
			names[i] = filepath.Base(names[i])
		}
	}
	return p.Line(text.Few(names, 10), 1000)
}

// doubts are the findings that are doubted or not checked and, with all, those that stand.
func (p *judgePage) doubts(r *verify.Result) (rows []judgedRow) {
	for _, doubted := range []bool{true, false} {
		for i := range r.Items {
			item := &r.Items[i]
			if item.Doubted == doubted && (p.all || !verify.Sound(item.Verdict)) {
				rows = append(rows, p.doubt(item))
			}
		}
	}
	for i := range r.Sources {
		if s := &r.Sources[i]; s.Changed {
			rows = append(rows, judgedRow{p.Paint(op.Yellow, "changed:"), p.Line(s.Name, 300) +
				" has changed since it was registered", nil})
		}
	}
	return rows
}

func (p *judgePage) doubt(item *verify.ItemResult) judgedRow {
	color := op.Yellow
	if item.Doubted {
		color = op.Red
	} else if verify.Sound(item.Verdict) {
		color = op.Green
	}
	state := p.Paint(color, item.Verdict)
	if item.Note != "" {
		state += ": " + p.said(item.Note, "", 300)
	}
	state += p.overruled(item.Doubt, item.Accepted)
	if item.Earlier != "" {
		was := "found"
		if verify.Doubted(item.Earlier) {
			was = "doubted"
		}
		state += fmt.Sprintf("; earlier verdict: %s (%s)", was, item.Earlier)
	}
	said := item.Evidence
	if strings.TrimSpace(said) == "" || len(item.Missing) > 0 {
		said = item.Content
	}
	below := []string{"| " + p.said(said, item.ID, 200)}
	if at := item.Passage; at != nil {
		source := item.Source
		if p.Shorten != nil { // who may be elsewhere
			source = item.SourceDoc
		}
		below = append(below, p.Paint(op.Dim, p.Line(verify.At(source, at.Where), 200)+": "+
			p.said(at.Text, "", 200)))
	} else if item.SourceDoc != "" {
		below = append(below, p.Paint(op.Dim, "source: "+p.said(item.Cited.String(), "", 200)))
	}
	return judgedRow{fmt.Sprintf("%-6s", item.ID), state, below}
}

// overruled names a doubt, or who accepted it.
func (p *judgePage) overruled(doubt string, a *claims.Acceptance) string {
	switch {
	case a != nil:
		return ", " + p.said(a.String(), "", 200)
	case doubt != "":
		return " [" + doubt + "]"
	}
	return ""
}

func (p *judgePage) pairs(found *board.Conflicts) (rows []judgedRow) {
	likely := 0
	for i := range found.Pairs {
		c := &found.Pairs[i]
		says := p.said(c.Why[0], "", 160)
		if c.Likely {
			likely++
			says = "likely: " + says
		}
		if c.Signal != "" {
			says += p.Paint(op.Dim, "  (asked in "+c.Signal+")")
		}
		var below []string
		for _, e := range []*claims.Item{&c.A, &c.B} {
			from := ""
			if e.Source != "" {
				from = p.Paint(op.Dim, "  ["+p.Line(e.Source, 60)+"]")
			}
			below = append(below, fmt.Sprintf("%-6s %s%s", e.ID, p.said(e.Content, e.ID, 200), from))
		}
		rows = append(rows, judgedRow{fmt.Sprintf("%.2f ", c.Score), says, below})
	}
	if more := found.Total - likely; more > 0 {
		rows = append(rows, judgedRow{"and", fmt.Sprintf("%d more likely ones%s", more,
			p.Step(fault.Give("limit", "0", "; {} lists all"))), nil})
	}
	return rows
}

func (p *judgePage) survivalHead(s *survival.Result) {
	state := passed(p.Page, s.Passed)
	if s.Passed && s.Checked == 0 { // there was nothing to look for, which is no pass
		state = p.Paint(op.Yellow, "not checked")
	}
	p.Printf("survival of %s in %s: %s, %d of %s present", s.Run, p.reports(s.Reports),
		state, s.Present(), amount(s.Checked, "item", "items"))
	p.numbers(s.Unsure, "unsure", s.Accepted, "accepted")
	for _, skipped := range s.Skipped[:min(len(s.Skipped), maxSkipped)] {
		p.Printf("not read: %s\n", p.Line(skipped.Reason, 160))
	}
	if more := len(s.Skipped) - maxSkipped; more > 0 {
		p.Printf("and %d more files were not read\n", more)
	}
	if s.Warning != "" && s.Passed {
		p.Printf("%s: %s%s\n", p.Paint(op.Yellow, "warning"), s.Warning,
			p.Step(fault.Give("min_items", "1", "; {} makes that a failure")))
	} else if s.Warning != "" {
		p.Printf("%s\n", s.Warning)
	}
	if n := len(s.UnmarkedAnswers); n > 0 {
		p.Printf("not looked for: %s, since not posted %s: %s\n", amount(n,
			"answer to a critical or high question", "answers to critical or high questions"),
			cmp.Or(p.Step(fault.Give("must_surface", "", "with {}")), "as what must surface"),
			text.Few(s.UnmarkedAnswers, 10))
	}
	if s.Semantic != nil {
		p.Printf("beyond words and numbers, a cosine of %.2f by %s counted as present\n",
			s.Semantic.MinCosine, s.Semantic.Model)
	}
}

// items are those that are missing, then those that are unsure, with all what is present too.
func (p *judgePage) items(s *survival.Result) (rows []judgedRow) {
	rank := func(r *survival.ItemResult) int {
		switch {
		case r.IsMissing():
			return 0
		case r.Unsure, !r.Present:
			return 1
		}
		return 2
	}
	for want := range 3 {
		for i := range s.Items {
			if r := &s.Items[i]; rank(r) == want && (want < 2 || p.all) {
				rows = append(rows, p.item(r))
			}
		}
	}
	for _, d := range s.Dropped {
		rows = append(rows, judgedRow{fmt.Sprintf("%-6s", d.ID), fmt.Sprintf("need not surface: %s dropped that with %s: %s",
			p.Line(d.Worker, board.MaxName), d.By, p.said(d.Reason, d.By, 200)),
			[]string{"| " + p.said(d.Content, d.ID, 200)}})
	}
	return rows
}

func (p *judgePage) item(r *survival.ItemResult) judgedRow {
	state, why := p.Paint(op.Green, "present"), r.Reasons
	switch {
	case r.Unsure:
		state = p.Paint(op.Yellow, "unsure") + ", read the passage"
	case r.Present && r.ByMeaning:
		state += fmt.Sprintf(" by meaning, cosine %.2f", *r.Cosine)
	case r.Present:
		why = nil
	case r.Accepted != nil:
		state = p.Paint(op.Yellow, r.Cause) + p.overruled("", r.Accepted)
	default:
		state = p.Paint(op.Red, "missing") + ", " + r.Cause + p.overruled(r.Doubt, nil)
		if len(why) == 0 {
			why = r.MissingNumbers
		}
	}
	if len(why) > 0 {
		state += ": " + p.said(strings.Join(why, ", "), "", 160)
	}
	if len(r.Lacks) > 0 {
		state += ", lacks " + p.said(strings.Join(r.Lacks, ", "), "", 80)
	}
	below := []string{"| " + p.said(r.Content, r.ID, 200)}
	if pass := r.Passage; pass != nil {
		near := fmt.Sprintf("%.0f %% of its words", 100*r.Coverage)
		if r.Coverage < 0.005 {
			near = "its figures or names alone"
		}
		if r.Cosine != nil && !r.ByMeaning {
			near += fmt.Sprintf(", cosine %.2f at best", *r.Cosine)
		}
		below = append(below, p.Paint(op.Dim, fmt.Sprintf("%s (%s): %s", p.Line(verify.At(filepath.Base(pass.Report), pass.Where), 300), near,
			p.said(pass.Text, "", 200))))
	} else if !r.Present {
		below = append(below, p.Paint(op.Dim, "nothing like it in the report"))
	}
	return judgedRow{fmt.Sprintf("%-6s", r.ID), fmt.Sprintf("%s (%s)", state,
		strings.TrimSpace(r.Priority+" "+r.Describe())), below}
}

func (p *judgePage) traceHead(r *trace.Result, passed bool) {
	head := p.Paint(op.Green, "nothing unsupported")
	if r.Passed && !passed { // by the policy
		head = p.Paint(op.Red, "FAILED, "+amount(r.SourceOnly, "fact that no finding says", "facts that no finding says"))
	} else if !r.Passed {
		head = p.Paint(op.Red, amount(r.Unsupported, "UNSUPPORTED fact", "UNSUPPORTED facts"))
	}
	if r.Checked == 0 { // which is no pass
		p.Printf("trace of %s in %s: not checked: the reports contain no facts to check\n", r.Run, p.reports(r.Reports))
		return
	}
	p.Printf("trace of %s in %s: %s; %d of %s supported (%.0f %%)\n", r.Run,
		p.reports(r.Reports), head, r.Checked-r.Unsupported,
		amount(r.Checked, "fact", "facts"), 100*r.Share)
	if r.Derived+r.SourceOnly > 0 {
		p.Printf("%s\n", p.Paint(op.Dim, fmt.Sprintf("  %d by entries, %d derived from their figures, %d "+
			"by a source alone", r.Supported, r.Derived, r.SourceOnly)))
	}
}

// facts are those that no entry supports.
func (p *judgePage) facts(r *trace.Result) (rows []judgedRow) {
	for i := range r.Facts {
		f := &r.Facts[i]
		if f.Verdict != trace.Unsupported && f.Verdict != trace.Source {
			continue
		}
		about, below := p.said(f.Text, "", 80), []string(nil)
		if f.Verdict == trace.Unsupported {
			about = p.Paint(op.Red, about)
			below = append(below, "| "+p.said(r.Passages[f.Passage].Text, "", 200))
		}
		rows = append(rows, judgedRow{fmt.Sprintf("%s:%d %s", p.Line(filepath.Base(f.Report), 100), f.Line, about),
			fmt.Sprintf("(%s): %s", f.Kind, p.said(f.Describe(), "", 160)), below})
	}
	return rows
}

// passages lists the passages with the entries that support them, and below them the
// figures that follow from others, and from which.
func (p *judgePage) passages(r *trace.Result) {
	p.Printf("passages and their entries:\n")
	for i := range r.Passages {
		s := &r.Passages[i]
		entries := cmp.Or(strings.Join(s.Entries, " "), "–")
		if s.Missing > 0 {
			entries += p.Paint(op.Red, fmt.Sprintf(", %d unsupported", s.Missing))
		}
		p.Printf("  %s:%d %s\n         | %s\n", p.Line(filepath.Base(s.Report), 100), s.Line, entries,
			p.Line(s.Text, 200))
		for j := range r.Facts {
			if f := &r.Facts[j]; f.Verdict == trace.Derived && f.Passage == i {
				p.Printf("         %s %s\n", p.Line(f.Text, 80), p.Line(f.Describe(), 160))
			}
		}
	}
}
