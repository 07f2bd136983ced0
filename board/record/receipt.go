package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/hooks/shell"
)

// RanEventID is the id of the events of receipts. The log is indexed by it.
const RanEventID = "ran"

const maxRan = 8 << 10

// Did is what a hook saw a worker do for a run: a command, or an edit.
type Did struct {
	Command string `json:"command"` // as it ran, with secrets masked; "" for an edit
	Path    string `json:"path"`    // the edited file
	Dir     string `json:"dir"`     // the session's directory
	Root    string `json:"root"`    // of the session's working tree
	// Began is when the command began, or when the file was edited.
	Began      time.Time `json:"began"`
	DurationMS *int64    `json:"duration_ms"` // null: unknown
	ExitCode   *int      `json:"exit_code"`   // null: the harness does not tell it
	Output     string    `json:"output"`      // SHA-256 of the end of its output
	Commit     string    `json:"commit"`      // that was checked out
	// Dirty says that hooks saw an edit since that commit was first seen.
	Dirty      bool   `json:"dirty"`
	Harness    string `json:"harness"` // which saw it
	Session    string `json:"session"`
	Use        string `json:"use"`        // the harness's id of the call
	Transcript string `json:"transcript"` // path of the harness's own record
	// Compared is what that record says: agrees, differs, or "" if nobody has looked.
	Compared string `json:"compared"`
}

const (
	RecordAgrees  = "agrees"
	RecordDiffers = "differs"
)

// Receipt is what a hook saw: evidence against carelessness, as who runs the hook can forge one.
type Receipt struct {
	Seq    int64  `json:"seq"` // the event; 0: it waits for the next write to the run
	Worker string `json:"worker"`
	Did
	// EditedSince says that the worker edited a file of the project after it.
	EditedSince bool `json:"edited_since"`
}

// Unseen: no hook has seen anything of the worker. Package shell has the other verdicts.
const Unseen = "unseen"

// RanClaim is a command a worker says to have run, and what the receipts said of it then.
type RanClaim struct {
	Seq     int64     `json:"seq"`
	At      time.Time `json:"at"`
	Worker  string    `json:"worker"`
	Entry   string    `json:"entry"`   // the finding whose source it is; "": it said so when it was done
	Command string    `json:"command"` // as it was claimed
	Dir     string    `json:"dir"`     // where; "": in the project's root
	Exit    int       `json:"exit"`    // the exit code that is claimed
	// passed, failed, stale, untold, not found or unseen
	Verdict string `json:"verdict"`
	Holds   bool   `json:"holds"`   // the receipts say the same
	Why     string `json:"why"`     // the verdict in words
	Receipt int64  `json:"receipt"` // the event that shows it; 0: none, or it is not written yet
}

func (d *Did) Check() error {
	return cmp.Or(CheckText("the command", d.Command, maxRan, d.Path == "" && d.Compared == "" && d.ExitCode == nil),
		CheckText("the path", d.Path, maxRan, false), CheckText("the directory", d.Dir, maxRan, false),
		CheckText("the id of the call", d.Use, MaxField, false))
}

// IsKnown reports whether a receipt is there already, or is a second edit after the last command.
func (r *Receipt) IsKnown(have []Receipt) bool {
	edited := false // was the last thing of this worker an edit in this tree?
	for i := range have {
		h := &have[i]
		if h.Worker != r.Worker {
			continue
		}
		if h.Session == r.Session && h.Use == r.Use && h.Use != "" && h.Compared == r.Compared &&
			h.Path == r.Path && h.Command == r.Command {
			return true
		}
		edited = h.Path != "" && h.Root == r.Root
	}
	return edited && r.Path != ""
}

// IsDirty reports whether an edit was seen since a receipt's commit was first seen.
func IsDirty(have []Receipt, r *Receipt) bool {
	edited := false
	for i := range have {
		if h := &have[i]; h.Root == r.Root && h.Root != "" {
			edited = h.Commit == r.Commit && (edited || h.Path != "")
		}
	}
	return edited || r.Path != ""
}

func (e *Event) Receipt() (Receipt, error) {
	r := Receipt{Seq: e.Seq, Worker: e.Actor}
	if err := json.Unmarshal(e.Payload, &r.Did); err != nil {
		return r, err
	}
	return r, r.Check()
}

func (e *Event) RanClaim() (RanClaim, error) {
	var c RanClaim
	err := json.Unmarshal(e.Payload, &c)
	c.Seq, c.At, c.Worker = e.Seq, e.At, e.Actor
	if e.ID != RanEventID {
		c.Entry = e.ID
	}
	return c, err
}

// FoldReceipts returns receipts with what came later: their outcomes, and changed files.
func FoldReceipts(all []Receipt) []Receipt {
	out := []Receipt{}
	calls := map[[3]string]int{} // where the receipt of a call is
	for _, r := range all {
		call := [3]string{r.Worker, r.Session, r.Use}
		at, known := calls[call]
		switch {
		case r.Command == "" && r.Path == "" && known:
			out[at].ExitCode, out[at].Compared = r.ExitCode, r.Compared
		case r.Command != "" || r.Path != "":
			if !known && r.Use != "" {
				calls[call] = len(out)
			}
			out = append(out, r)
		}
	}
	edited := map[[2]string]bool{} // by worker and tree
	for i := len(out) - 1; i >= 0; i-- {
		tree := [2]string{out[i].Worker, out[i].Root}
		out[i].EditedSince = edited[tree]
		edited[tree] = edited[tree] || out[i].Path != ""
	}
	return out
}

// CompareExit records a receipt against the harness's own: its exit code, and if they agree.
func (r *Receipt) CompareExit(exit *int) Receipt {
	later := Receipt{Worker: r.Worker, Did: Did{Session: r.Session, Use: r.Use, Began: r.Began,
		ExitCode: exit, Compared: RecordAgrees}}
	if exit != nil && r.ExitCode != nil && (*exit == 0) != (*r.ExitCode == 0) {
		later.Compared = RecordDiffers
	}
	return later
}

// IsUnknown reports whether nobody could see what came of it.
func (c *RanClaim) IsUnknown() bool { return c.Verdict == Unseen || c.Verdict == shell.IsUntold }

// Sight is what hooks saw of one worker.
type Sight struct {
	mine    []Receipt    // but those that the harness's own record contradicts
	seen    []shell.Seen // the same, as a claim is held against it
	differs bool         // there are such
}

// NewSight returns what the receipts show of a worker.
func NewSight(worker string, all []Receipt) *Sight {
	s := &Sight{}
	for _, r := range all {
		switch {
		case r.Worker != worker:
		case r.Compared == RecordDiffers:
			s.differs = true
		default:
			s.mine = append(s.mine, r)
			s.seen = append(s.seen, shell.Seen{Command: r.Command, Path: r.Path, Dir: r.Dir, Root: r.Root,
				Exit: r.ExitCode})
		}
	}
	return s
}

// Judge sets the claim's verdict, reason and receipt, from what was seen of the worker.
func (c *RanClaim) Judge(s *Sight) {
	f := shell.Judge(shell.Claim{Command: c.Command, Dir: c.Dir}, s.seen)
	if f.Verdict == shell.NotFound && c.Dir != "" {
		if atRoot := shell.Judge(shell.Claim{Command: c.Command}, s.seen); atRoot.At >= 0 {
			f = atRoot
		}
	}
	c.Verdict, c.Receipt = f.Verdict, 0
	var at *Receipt
	if f.At >= 0 {
		at = &s.mine[f.At]
		c.Receipt = at.Seq
	}
	switch {
	case len(s.mine) == 0 && s.differs:
		c.Why = "the harness's own record does not have what the hook was told"
	case len(s.mine) == 0:
		c.Verdict = Unseen
		c.Why = "no hook has seen a command of " + c.Worker + " for this run"
	case at == nil:
		c.Why = cmp.Or(clip(f.Why, 200), "no hook has seen it run")
	default:
		c.Why = at.describe(f.Verdict)
	}
	c.Holds = f.Verdict == shell.HasPassed && c.Exit == 0 || f.Verdict == shell.HasFailed && at.ExitCode != nil &&
		*at.ExitCode == c.Exit
}

// Describe says what was seen, on one line.
func (r *Receipt) Describe() string {
	switch {
	case r.Path != "":
		return "edited " + r.Path
	case r.Command == "":
		return "the harness's own record " + r.Compared
	}
	return r.Command + ": " + r.describe("")
}

// describe is a verdict in words, with what it stands on.
func (r *Receipt) describe(verdict string) string {
	code := "exit code unknown"
	if r.ExitCode != nil {
		code = "exit " + strconv.Itoa(*r.ExitCode)
		if *r.ExitCode < 0 {
			code = "failed without an exit code"
		}
	}
	said := fmt.Sprintf("%s, %s", code, r.Began.Format("15:04:05"))
	if r.Commit != "" {
		said += fmt.Sprintf(" at %.7s", r.Commit)
		if r.Dirty {
			said += " and later edits"
		}
	}
	switch verdict {
	case shell.IsStale:
		said += "; files were edited after it"
	case shell.IsUntold:
		said += fmt.Sprintf(": the hooks of %s tell none, and its own record was not read", r.Harness)
	}
	return said
}

// Describe is the claim with its verdict on one line.
func (c *RanClaim) Describe() string {
	verdict := c.Verdict
	if c.Exit != 0 && c.Holds {
		verdict = "failed, as claimed"
	}
	return fmt.Sprintf("%s: %s (%s)", c.Command, verdict, c.Why)
}

func (p *Policy) AsksRan() bool { return len(p.RequireRan)+len(p.RequireRanBy) > 0 }

// checkRan refuses commands that nothing can be held against, and names of no worker.
func (p *Policy) checkRan() error {
	all := slices.Clone(p.RequireRan)
	for name, commands := range p.RequireRanBy {
		if err := CheckWorker(name); err != nil {
			return err
		}
		all = append(all, commands...)
	}
	for _, c := range all {
		of := shell.Claim{Command: c}
		if why := of.Check(); why != "" {
			return invalid(fmt.Sprintf("nobody can be asked to have run %q: %s", clip(c, 100), why),
				"give the command alone, as a shell takes it")
		}
	}
	return nil
}

// Required are the commands that a policy asks of a worker.
func (p *Policy) Required(worker string) []string {
	return Union(p.RequireRan, p.RequireRanBy[worker])
}

// Posters lists the workers who have posted entries.
func (s *State) Posters() (names []string) {
	for i := range s.Workers {
		if s.Workers[i].Entries > 0 {
			names = append(names, s.Workers[i].Name)
		}
	}
	return names
}

// Ways in which knowledge reaches a worker of a run.
const (
	ByBrief  = "brief"  // for a role's prompt
	BySearch = "search" // an answer to a question
	ByPrompt = "prompt" // unasked, to somebody's prompt
	ByStart  = "start"  // unasked, at a session's start
)

var RetrievalWays = []string{ByBrief, BySearch, ByPrompt, ByStart}

const MaxCapsules = 1000 // of one retrieval

// Retrieval is a set of the knowledge base's capsules given to a worker of the run.
type Retrieval struct {
	Seq      int64     `json:"seq"` // the event
	At       time.Time `json:"at"`
	Worker   string    `json:"worker"`
	Way      string    `json:"way"`      // one of RetrievalWays
	Role     string    `json:"role"`     // the role that the brief was for, "" for none
	Task     string    `json:"task"`     // the beginning of it on one line; "" if it is not kept
	Capsules []Given   `json:"capsules"` // the capsules that were given
}

// Given is one capsule of a retrieval. The best one comes first.
type Given struct {
	ID       string  `json:"id"`
	Score    float64 `json:"score"`    // comparable within its retrieval
	Evidence float64 `json:"evidence"` // comparable between retrievals
}

type RetrievalPayload struct {
	Role     string  `json:"role,omitempty"`
	Task     string  `json:"task,omitempty"`
	Capsules []Given `json:"capsules"`
}

func (p *RetrievalPayload) Check(way string) error {
	switch {
	case !slices.Contains(RetrievalWays, way):
		return Unknown("way", way, RetrievalWays)
	case len(p.Capsules) == 0:
		return invalid("a retrieval gave nothing", "only what was given is kept")
	case len(p.Capsules) > MaxCapsules:
		return invalid(fmt.Sprintf("a retrieval gave %d capsules; at most %d are kept",
			len(p.Capsules), MaxCapsules), "ask for fewer")
	}
	for i := range p.Capsules {
		if err := CheckText("the id of a capsule", p.Capsules[i].ID, MaxName, true); err != nil {
			return err
		}
	}
	return cmp.Or(CheckText("the role", p.Role, MaxName, false),
		CheckText("the task", p.Task, MaxField, false))
}

func (e *Event) Retrieval() (Retrieval, error) {
	var p RetrievalPayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return Retrieval{}, err
	}
	r := Retrieval{e.Seq, e.At, e.Actor, e.ID, p.Role, p.Task, p.Capsules}
	return r, p.Check(e.ID)
}

// Describe says in which way, role and task something was given.
func (r *Retrieval) Describe() string { return r.describe(r.Way) }

func (r *Retrieval) describe(way string) string {
	task := r.Task
	if task != "" {
		task = `"` + task + `"`
	}
	return strings.Join(slices.DeleteFunc([]string{way, r.Role, task},
		func(s string) bool { return s == "" }), ", ")
}

// IDs lists the capsules with their scores.
func (r *Retrieval) IDs() string {
	ids := make([]string, len(r.Capsules))
	for i, c := range r.Capsules {
		ids[i] = fmt.Sprintf("%s %.2f", c.ID, c.Score)
	}
	return strings.Join(ids, ", ")
}
