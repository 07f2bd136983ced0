package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/survival"
	"blackboard/board/trace"
	"blackboard/board/verify"
)

type Judges interface {
	Runs
	// Gather opens what a call names to be judged, and a model if meaning counts; done gives
	// it back. Reports and sources that are not named are those of the policy.
	Gather(ctx context.Context, b *board.Board, f *check.Policy, m Material) (in check.Input,
		done func(), err error)
}

// Material is what a call names to be judged.
type Material struct {
	Reports []string // files, folders, patterns; - is the standard input
	Text    string   // a draft
	Draft   bool     // that no text is written yet is no fault
	Sources []string
	Meaning bool   // a model is wanted
	Needed  bool   // it is an error if there is none
	Records bool   // verdicts are written to the board, as far as the caller may
	Worker  string // as whom
}

// Judged is an answer about a run: one result, or of a check all of them.
type Judged struct {
	Check     *check.Result     `json:"check,omitempty"`
	Verdict   *board.Verdict    `json:"verdict,omitempty"`
	Policy    *check.UsedPolicy `json:"policy,omitempty"`
	Verify    *verify.Result    `json:"verify,omitempty"`
	Conflicts *board.Conflicts  `json:"conflicts,omitempty"`
	Raised    []board.Signal    `json:"raised,omitempty"`
	Survival  *survival.Result  `json:"survival,omitempty"`
	Trace     *trace.Result     `json:"trace,omitempty"`

	step   check.Step // the one that was asked for
	used   check.UsedPolicy
	failed bool
	all    bool // what passed is shown, too
}

func (j *Judged) Failed() bool { return j.failed }

func (j *Judged) GateAlone() bool {
	return j.Verdict != nil || j.Check != nil && j.Check.GateAlone()
}

// Steps are the parts of a check, or the one that was asked for.
func (j *Judged) Steps() []check.Step {
	if j.Check != nil {
		return j.Check.Steps
	}
	return []check.Step{j.step}
}

// Follows is the path of the policy by which the run was judged.
func (j *Judged) Follows() string { return j.used.Path }

// judge calls fn with a board, and with the policy and the material to judge it by. Without
// a report a view that needs one is an error.
func judge(ctx context.Context, h Judges, run string, m Material, needsReport bool,
	fn func(b *board.Board, f *check.Policy, in check.Input) (Judged, error)) (out Judged, err error) {
	err = h.Board(ctx, run, Read, func(b *board.Board) error {
		f, err := h.Policy(ctx, b)
		if err != nil {
			return err
		}
		if !needsReport {
			f.Reports = nil
		}
		in, done, err := h.Gather(ctx, b, &f, m)
		if err != nil {
			return err
		}
		defer done()
		if needsReport && len(in.Reports) == 0 {
			if in.Missing != "" {
				return fault.NotFound.New(in.Missing, "")
			}
			return fault.Usage.New("no report is given", "name one, or list it in "+check.PolicyName)
		}
		out, err = fn(b, &f, in)
		out.used = f.UsedPolicy
		return err
	})
	return out, err
}

type CheckIn struct {
	On
	KeepSecrets
	Text    string   `json:"text,omitempty" only:"mcp" jsonschema:"the draft"`
	Files   []string `json:"files,omitempty" arg:"[REPORT…]" as:"words" flag:"report" value:"FILE" commas:"no" jsonschema:"or its files" cli:"the same as an argument"`
	Only    string   `json:"only,omitempty" enum:"check_steps" value:"STEP" jsonschema:"one step, in full"`
	Sources []string `json:"sources,omitempty" value:"DIR" commas:"no" jsonschema:"default: those of board_start" cli:"check findings and facts against the files below it, or a file"`
	DryRun  bool     `json:"dry_run,omitempty" flag:"dry-run,no-record" only:"cli" cli:"do not write the verdicts on findings to the board"`
}

var Check = op.Op[Judges, CheckIn, Judged]{
	Info: op.Info{Command: "check", Group: "Judge", Tool: "board_check", Profile: "run",
		Kind: op.Writes,
		Short: "check the run against its policy, from source to report: exit 0 passed, 3 only the " +
			"gate is closed, 4 failed",
		About: "Call it with each draft until it passes: gate, quotes, conflicts, " +
			"what the draft lacks or invents.",
		Long: `Runs gate, verify, conflicts, survival and trace, and gives one verdict,
the worst result first. The policy is board.yaml in the working directory or above; --init
writes one that explains every key. Without a policy, gate, verify and survival decide,
and conflicts and trace only warn. A step without its input (no report, no source) is
skipped, and the answer says so.`},
	Do: func(ctx context.Context, h Judges, in CheckIn) (out Judged, err error) {
		err = h.Board(ctx, in.Run, Read, func(b *board.Board) error {
			f, err := h.Policy(ctx, b)
			if err != nil {
				return err
			}
			out.used = f.UsedPolicy
			given, done, err := h.Gather(ctx, b, &f, Material{Reports: in.Files, Text: in.Text, Sources: in.Sources,
				Draft:   in.Only == "",
				Meaning: f.Survival.MinCosine > 0 && f.Does(check.Survival), Records: !in.DryRun, Worker: in.Worker})
			if err != nil {
				out.Check, out.failed = unread(b.Run(), &f, err), true
				return err
			}
			defer done()
			if in.Only != "" {
				f.Steps = []string{in.Only}
			}
			r, err := check.Run(ctx, b, f, given)
			if s := r.Step(check.Gate); s != nil {
				InWords(h, s.Gate)
			}
			if s := r.Step(check.Verify); s != nil && s.Verify != nil {
				noteUnrecorded(h, s.Verify)
			}
			out.Check, out.failed = &r, !r.Passed
			if err == nil && in.Only == "" { // one step is no verdict on a report
				if e := check.Record(ctx, b, &r, &given); e != nil {
					h.Note("the verdict was not recorded: " + board.Line(e.Error(), 300))
				}
			}
			return err
		})
		return out, err
	},
	Text: judgedText,
}

// unread is the check of what cannot be read: a CI service has that in the file that it
// reads, as the step that lacks its input.
func unread(run string, f *check.Policy, err error) *check.Result {
	return &check.Result{Run: run, Policy: f.Path, Steps: []check.Step{{Name: check.Survival,
		Skipped: true, Why: err.Error(), Headline: "not checked: " + err.Error()}}}
}

func noteUnrecorded(h Runs, r *verify.Result) {
	if r.NotRecorded != "" {
		h.Note("verdicts were not recorded: " + board.Line(r.NotRecorded, 300))
	}
}

// InWords writes into v, in the caller's words, what would clear the reasons of a gate. Other formats show them, too,
// so they have no backticks.
func InWords(h Runs, v *board.Verdict) {
	v.In(func(s fault.Step) string { return strings.Trim(h.Words(s), "`") })
}

// GatePolicy is what a call asks of the gate besides the policy.
type GatePolicy struct {
	Block        []string `json:"block,omitempty" value:"PRIORITY" jsonschema:"default critical and high" cli:"priority whose open questions close the gate (default critical, high); none: no priority does" rare:"true"`
	MaxOpen      *int64   `json:"max_open,omitempty" min:"0" value:"N" cli:"close it with more open questions of any priority" rare:"true"`
	MaxDisputed  *int64   `json:"max_disputed,omitempty" min:"0" value:"N" cli:"close it with more disputed entries" rare:"true"`
	MaxConflicts *int64   `json:"max_conflicts,omitempty" min:"0" value:"N" cli:"close it with more pairs of entries that may contradict each other (see board conflicts)" rare:"true"`
	MinEntries   *int64   `json:"min_entries,omitempty" min:"0" value:"N" cli:"close it until so many entries were posted (default: one, or a question)" rare:"true"`
	Source       *bool    `json:"require_source,omitempty" cli:"close it while an entry that must surface, or answers a question, names no source" rare:"true"`
	Verified     *bool    `json:"require_verified,omitempty" cli:"close it while a must-surface entry or an answer is not verified (board verify)" rare:"true"`
	Evidence     *bool    `json:"require_evidence,omitempty" cli:"close it while a must-surface entry or an answer has no quote" rare:"true"`
}

// Over puts what a call asks for into a policy, and opens no gate that the recorded one shuts.
func (in *GatePolicy) Over(p board.Policy) board.Policy {
	if in.Block != nil {
		p.Block = slices.DeleteFunc(slices.Clone(in.Block), func(s string) bool { return s == "none" })
	}
	setIfGiven(&p.MinEntries, in.MinEntries)
	setIfGiven(&p.RequireSource, in.Source)
	setIfGiven(&p.RequireVerified, in.Verified)
	setIfGiven(&p.RequireEvidence, in.Evidence)
	for from, to := range map[*int64]**int64{in.MaxOpen: &p.MaxOpen, in.MaxDisputed: &p.MaxDisputed,
		in.MaxConflicts: &p.MaxConflicts} {
		if from != nil {
			*to = from
		}
	}
	return p.ForCall()
}

// setIfGiven copies *from to *to, unless from is nil.
func setIfGiven[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

type GateIn struct {
	OnRun
	GatePolicy
}

var Gate = op.Op[Runs, GateIn, Judged]{
	Info: op.Info{Command: "gate", Group: "Judge", Tool: "board_gate", Profile: "run", Budget: 2000,
		Short: "tell whether synthesis may proceed: exit 0 open, 3 closed, 5 no such run",
		About: "May the synthesis begin? Names what keeps the gate closed, and how to clear it.",
		Long: `By default the gate is closed while nothing was posted or raised, while
an expected worker (board expect) has not finished, and while a critical or high question is
open. With --wait it blocks until it opens, also for a run that does not exist yet.`},
	Do: onBoard(Read, func(ctx context.Context, h Runs, b *board.Board, in GateIn) (Judged, error) {
		f, err := h.Policy(ctx, b)
		if err != nil {
			return Judged{}, err
		}
		v, err := b.Gate(ctx, in.Over(f.Gate))
		return GateAnswer(h, &f, v), err
	}),
	Text: judgedText,
}

func GateAnswer(h Runs, f *check.Policy, v board.Verdict) Judged {
	InWords(h, &v)
	headline := fmt.Sprintf("%d reasons keep it closed", len(v.Reasons))
	if v.Open {
		headline = "open"
	}
	return Judged{Verdict: &v, Policy: &f.UsedPolicy, used: f.UsedPolicy, failed: !v.Open, step: check.Step{
		Name: check.Gate, Gate: &v, Passed: v.Open, Headline: headline}}
}

type VerifyIn struct {
	On
	Entries []string `json:"entries,omitempty" arg:"[ENTRY…]" as:"words"`
	Sources []string `json:"sources,omitempty" value:"DIR" commas:"no" cli:"look for sources among the files below it, or a file"`
	DryRun  bool     `json:"dry_run,omitempty" flag:"dry-run,no-record" cli:"do not write the verdicts to the board"`
	All     bool     `json:"all,omitempty" flag:"all,a" cli:"list the confirmed entries, too"`
}

var Verify = op.Op[Judges, VerifyIn, Judged]{
	Info: op.Info{Command: "verify", Group: "Judge",
		Short: "check findings against their sources: exit 0 confirmed, 4 not",
		Long: `Looks for the quote of each entry (--quote) in the file that its
--source names, word for word. Each number, date and identifier of the entry must be in
that file, too, and without a quote each name. Sources are the files that are registered (board
source add) and those below --sources, found by path, then by base name. Verdicts are
written to the board, and shown with the entries.`},
	Do: func(ctx context.Context, h Judges, in VerifyIn) (Judged, error) {
		m := Material{Sources: in.Sources, Records: !in.DryRun, Worker: in.Worker}
		return judge(ctx, h, in.Run, m, false, func(b *board.Board, f *check.Policy,
			given check.Input) (Judged, error) {
			r, err := b.Verify(ctx, given.Worker, board.VerifyOptions{IDs: in.Entries,
				Files: given.Sources, BoardOnly: given.BoardOnly, NoRecord: given.Worker == ""})
			noteUnrecorded(h, &r)
			r.Passed = r.Within(f.Verify.MaxDoubted, f.Verify.MaxConcluded)
			return Judged{Verify: &r, failed: !r.Passed, all: in.All,
				step: check.Step{Name: check.Verify, Verify: &r, Passed: r.Passed}}, err
		})
	},
	Text: judgedText,
}

type ConflictsIn struct {
	On
	Limit    int      `json:"limit,omitempty" min:"0" flag:"limit,n" value:"N" default:"10" cli:"list at most this many pairs; 0: all"`
	Types    []string `json:"types,omitempty" enum:"entry_types" flag:"type,t" cli:"compare entries of this type alone (default: all but contradiction)"`
	Raise    bool     `json:"raise,omitempty" cli:"raise a question for each likely pair listed that has none"`
	Priority string   `json:"priority,omitempty" enum:"priorities" flag:"priority,p" default:"medium" cli:"with --raise: of the questions"`
	Strict   bool     `json:"strict,omitempty" cli:"exit 4 if any pair is likely"`
	op.Given
}

var Conflicts = op.Op[Judges, ConflictsIn, Judged]{
	Info: op.Info{Command: "conflicts", Group: "Judge",
		Short: "propose pairs of findings that may contradict each other",
		Long: `Ranks pairs of active entries that share rare words, by how much both are about one thing and who
says it, and shows the first with what differs: figures, dates, a denial, an opposite, an order.
They are proposals: read both before you decide. Likely pairs differ plainly in one thing, and are
of one kind, time and name; they alone are counted, raised and held against a policy. Words are
compared, not meaning: most pairs are no conflict, and some conflicts are not found. A pair is
left out once a link (contradicts, supersedes) or ` + "`board accept`" + ` has settled it, or its question
was answered or waived. --raise raises a question for each likely pair listed, once. Exit 0; 4 if
more are likely than conflicts.max of board.yaml, or with --strict if any is.`},
	Do: func(ctx context.Context, h Judges, in ConflictsIn) (Judged, error) {
		if in.Has("priority") && !in.Raise {
			return Judged{}, fault.Usage.New("a priority is for questions that are raised", "",
				fault.Give("raise", "", "add {}"))
		}
		return judge(ctx, h, in.Run, Material{Records: true, Worker: in.Worker}, false,
			func(b *board.Board, f *check.Policy, given check.Input) (out Judged, err error) {
				found, err := b.Conflicts(ctx, board.ConflictQuery{Types: in.Types, Max: in.Limit})
				if err == nil && in.Raise {
					out.Raised, err = b.RaiseConflicts(ctx, given.Worker, &found, in.Priority)
				}
				limit := f.Conflicts.Max
				out.Conflicts, out.failed = &found, found.Total > 0 && in.Strict ||
					limit != nil && found.Total > *limit
				out.step = check.Step{Name: check.Conflicts, Conflicts: &found, Passed: found.Total == 0}
				return out, err
			})
	},
	Text: judgedText,
}

// reported is what is held against a report.
type reported struct {
	OnRun
	Text  string   `json:"text,omitempty" only:"mcp" jsonschema:"the draft"`
	Files []string `json:"files,omitempty" arg:"[REPORT…]" as:"words" flag:"report" value:"FILE" commas:"no" jsonschema:"or files and directories of it" cli:"the same as an argument"`
}

type SurvivalIn struct {
	reported
	MinItems  int     `json:"min_items,omitempty" min:"0" value:"N" cli:"fail with fewer things to look for" rare:"true"`
	Semantic  bool    `json:"semantic,omitempty" cli:"search by meaning for what words did not find, with the model of $BOARD_MODEL_DIR" rare:"true"`
	MinCosine float64 `json:"min_cosine,omitempty" value:"COSINE" default:"0.9" cli:"with --semantic: how near in meaning a passage must be, 0 to 1" rare:"true"`
	All       bool    `json:"all,omitempty" flag:"all,a" only:"cli" cli:"list the items that are present, too"`
	op.Given
}

var Survival = op.Op[Judges, SurvivalIn, Judged]{
	Info: op.Info{Command: "survival", Group: "Judge", Tool: "board_survival", Profile: "run", Budget: 4000,
		Short: "check that the report has what the run found: exit 0 yes, 4 no",
		About: "Does a text carry all that must surface? Names what it lacks.",
		Long: `Looks for every must-surface entry, every contradiction, and every open
or waived question in the reports: text, Markdown, HTML, docx, xlsx, PDF with
text, csv, JSON, notebooks, source code; directories and patterns of them; - is standard
input. An item is present if one report has its words and all its numbers in one passage;
struck and hidden text does not count. A run without entries fails; where nothing had to
surface it passes, with a warning. Passing is necessary, not sufficient: words and numbers
are compared, not meaning.`},
	Do: func(ctx context.Context, h Judges, in SurvivalIn) (Judged, error) {
		if in.Has("min_cosine") && !in.Semantic {
			return Judged{}, fault.Usage.New("a nearness in meaning is asked for, and no search by meaning", "",
				fault.Give("semantic", "", "add {}"))
		}
		m := Material{Reports: in.Files, Text: in.Text, Meaning: in.Semantic, Needed: in.Semantic}
		return judge(ctx, h, in.Run, m, true, func(b *board.Board, f *check.Policy,
			given check.Input) (Judged, error) {
			if in.Semantic && (in.Has("min_cosine") || f.Survival.MinCosine == 0) {
				f.Survival.MinCosine = in.MinCosine
			}
			if in.Has("min_items") {
				f.Survival.MinItems = in.MinItems
			}
			s, err := b.Survival(ctx, given.Reports...)
			if err != nil {
				return Judged{}, err
			}
			s.Skipped = given.Skipped
			if want := f.Survival.MinCosine; want > 0 && given.Model == nil {
				h.Note("no model is installed: words alone were compared, though the policy has " +
					"survival.min_cosine")
			} else if want > 0 {
				err = s.AddMeaning(ctx, given.Model, want, given.Reports...)
			}
			s.Demand(s.Empty, f.Survival.MinItems)
			return Judged{Survival: &s, failed: !s.Passed, all: in.All,
				step: check.Step{Name: check.Survival, Survival: &s, Passed: s.Passed}}, err
		})
	},
	Text: judgedText,
}

type TraceIn struct {
	reported
	Sources []string `json:"sources,omitempty" value:"DIR" commas:"no" cli:"look up facts that no entry supports in the files below it, or a file"`
	Strict  bool     `json:"strict,omitempty" cli:"exit 4 if nothing supports a fact (otherwise with more than trace.max_unsupported of board.yaml)"`
	All     bool     `json:"all,omitempty" flag:"all,a" cli:"list each passage with the entries that support it, too"`
}

var Trace = op.Op[Judges, TraceIn, Judged]{
	Info: op.Info{Command: "trace", Group: "Judge",
		Short: "list facts of a report that no entry supports: exit 0; with --strict 4 if " +
			"there is any",
		Long: `Looks for every number with its unit, date, identifier, name and quote of
the reports on the board, and says which entries support it. A fact that follows from
figures of entries by simple arithmetic is derived; one that only a source has, registered or
below --sources, is said to be. Words and numbers are compared, not meaning: a supported fact
may still be wrong.`},
	Do: func(ctx context.Context, h Judges, in TraceIn) (Judged, error) {
		m := Material{Reports: in.Files, Text: in.Text, Sources: in.Sources}
		return judge(ctx, h, in.Run, m, true, func(b *board.Board, f *check.Policy,
			given check.Input) (Judged, error) {
			for _, file := range given.Skipped {
				h.Note("not read: " + board.Line(file.Reason, 160))
			}
			r, err := check.TraceRun(ctx, b, given)
			limit := f.Trace.MaxUnsupported
			failed := in.Strict && !r.Passed || limit != nil && r.Counted() > *limit
			return Judged{Trace: &r, all: in.All, failed: failed,
				step: check.Step{Name: check.Trace, Trace: &r, Passed: r.Passed && !failed}}, err
		})
	},
	Text: judgedText,
}
