package board

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/store"
	"blackboard/hooks/shell"
	"blackboard/kb/secret"
)

// ranID is the id of the events of receipts. The log is indexed by it.
const ranID = "ran"

const (
	maxReceipts = 5000 // of a run; later ones are not kept
	maxRan      = 8 << 10
)

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

// Outcomes of comparing a receipt with the harness's own record.
const (
	RecordAgrees  = "agrees"
	RecordDiffers = "differs"
)

// Receipt is what a hook saw, on the board. It is evidence against carelessness: whoever can
// run the hook can forge one.
type Receipt struct {
	Seq    int64  `json:"seq"` // the event; 0: it waits for the next write to the run
	Worker string `json:"worker"`
	Did
	// EditedSince says that the worker edited a file of the project after it.
	EditedSince bool `json:"edited_since"`
}

// Unseen is the verdict on a worker of whom no hook has seen anything. The others are those
// of package shell.
const Unseen = "unseen"

// RanClaim is a command that a worker says to have run, and what the receipts said of it at
// that time.
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

func (d *Did) check() error {
	return cmp.Or(checkText("the command", d.Command, maxRan, d.Path == "" && d.Compared == "" && d.ExitCode == nil),
		checkText("the path", d.Path, maxRan, false), checkText("the directory", d.Dir, maxRan, false),
		checkText("the id of the call", d.Use, MaxField, false))
}

// NoteRan keeps what a hook saw a worker do. It never creates a run. For runs in files it
// costs no database: the next write to the run takes it over.
func NoteRan(ctx context.Context, dir, run, worker string, d Did) error {
	if err := cmp.Or(CheckRun(run), checkWorker(worker), d.check()); err != nil {
		return err
	}
	if spool := spoolOf(dir, run); spool != "" {
		return appendSpool(ctx, dir, run, spool, Receipt{Worker: worker, Did: d})
	}
	b, err := Open(ctx, dir, run)
	if err != nil {
		return err
	}
	defer b.Close()
	return b.write(ctx, worker, func(w *writer) error { return w.receipts([]Receipt{{Worker: worker, Did: d}}) })
}

// receipts writes what hooks saw, except what is there, or what says nothing new: a second
// edit after the last command.
func (w *writer) receipts(seen []Receipt) error {
	have, err := receiptEvents(w.tx)
	if err != nil {
		return err
	}
	for _, r := range seen {
		secret.MaskWrite(context.Background(), func(m *secret.Masker) {
			m.Text("the command", &r.Command)
			m.Text("the path", &r.Path)
		})
		if len(have) >= maxReceipts || r.isKnown(have) {
			continue
		}
		r.Dirty = isDirty(have, &r)
		if err := w.eventBy(r.Worker, verbRan, ranID, r.Did); err != nil {
			return err
		}
		r.Seq = w.seq
		have = append(have, r)
	}
	return nil
}

func (r *Receipt) isKnown(have []Receipt) bool {
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

// isDirty reports whether an edit was seen since a receipt's commit was first seen.
func isDirty(have []Receipt, r *Receipt) bool {
	edited := false
	for i := range have {
		if h := &have[i]; h.Root == r.Root && h.Root != "" {
			edited = h.Commit == r.Commit && (edited || h.Path != "")
		}
	}
	return edited || r.Path != ""
}

// receiptEvents are the receipts of the log, as they were written.
func receiptEvents(tx *store.Tx) ([]Receipt, error) {
	return decodeAll(tx, (*Event).receipt, `WHERE id = ? AND verb = ? ORDER BY seq`, ranID, verbRan)
}

// receipt decodes the event of a receipt.
func (e *Event) receipt() (Receipt, error) {
	r := Receipt{Seq: e.Seq, Worker: e.Actor}
	if err := json.Unmarshal(e.Payload, &r.Did); err != nil {
		return r, err
	}
	return r, r.check()
}

func (e *Event) ranClaim() (RanClaim, error) {
	var c RanClaim
	err := json.Unmarshal(e.Payload, &c)
	c.Seq, c.At, c.Worker = e.Seq, e.At, e.Actor
	if e.ID != ranID {
		c.Entry = e.ID
	}
	return c, err
}

// folded are receipts with what was learned of them later, and whether files changed after
// them.
func folded(all []Receipt) []Receipt {
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

// receipts are those of the log and those that wait for the next write.
func (b *Board) receipts(tx *store.Tx) ([]Receipt, error) {
	all, err := receiptEvents(tx)
	if err != nil {
		return nil, err
	}
	waiting, err := b.waitingReceipts()
	for _, r := range waiting {
		if !r.isKnown(all) {
			r.Dirty = isDirty(all, &r)
			all = append(all, r)
		}
	}
	return folded(all), err
}

// With is what the harness's own record adds to a receipt: an exit code, and whether it is
// another one.
func (r *Receipt) With(exit *int) Receipt {
	later := Receipt{Worker: r.Worker, Did: Did{Session: r.Session, Use: r.Use, Began: r.Began,
		ExitCode: exit, Compared: RecordAgrees}}
	if exit != nil && r.ExitCode != nil && (*exit == 0) != (*r.ExitCode == 0) {
		later.Compared = RecordDiffers
	}
	return later
}

// CompareReceipts records what the harness's own record says of receipts.
func (b *Board) CompareReceipts(ctx context.Context, worker string, later []Receipt) error {
	if len(later) == 0 {
		return nil
	}
	return b.write(ctx, worker, func(w *writer) error { return w.receipts(later) })
}

// Receipts lists what hooks saw workers do, oldest first.
func (b *Board) Receipts(ctx context.Context) ([]Receipt, error) {
	return readValue(ctx, b, b.receipts)
}

// RanClaims lists the commands that workers say to have run, oldest first.
func (b *Board) RanClaims(ctx context.Context) ([]RanClaim, error) {
	return readValue(ctx, b, ranClaims)
}

func ranClaims(tx *store.Tx) ([]RanClaim, error) {
	return decodeAll(tx, (*Event).ranClaim, `WHERE verb = ? ORDER BY seq`, verbClaimRan)
}

// decodeAll decodes some events.
func decodeAll[T any](tx *store.Tx, decode func(*Event) (T, error), rest string, args ...any) ([]T, error) {
	events, err := selectEvents(tx, rest, args...)
	all := make([]T, len(events))
	for i := range events {
		if all[i], err = decode(&events[i]); err != nil {
			return nil, store.Fault(fault.Corrupt, "", fmt.Sprintf("has an event %d that cannot be read", events[i].Seq), err)
		}
	}
	return all, err
}

// RanClaims are the commands that workers last said to have run, of findings that stand. One
// that held when it was made still does; another is judged anew.
func (m *Moment) RanClaims() ([]RanClaim, error) {
	all, err := ranClaims(m.tx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	seen, err := m.b.receipts(m.tx)
	if err != nil {
		return nil, err
	}
	var last []RanClaim
	sights := map[string]*sight{}
	for i, c := range all {
		if slices.ContainsFunc(all[i+1:], func(d RanClaim) bool {
			return d.Worker == c.Worker && d.Command == c.Command && d.Entry == c.Entry
		}) {
			continue
		}
		if n, err := ParseEntryID(c.Entry); err == nil {
			if e, err := getEntry(m.tx, n); err != nil || e.Status == Superseded {
				continue
			}
		}
		if !c.Holds {
			if sights[c.Worker] == nil {
				sights[c.Worker] = sightOf(c.Worker, seen)
			}
			c.judge(sights[c.Worker])
		}
		last = append(last, c)
	}
	return last, nil
}

// IsUnknown reports whether nobody could see what came of it.
func (c *RanClaim) IsUnknown() bool { return c.Verdict == Unseen || c.Verdict == shell.IsUntold }

// ClaimRan holds a command that a worker says to have run against what hooks saw of that
// worker, and records both.
func (b *Board) ClaimRan(ctx context.Context, worker string, c RanClaim) (RanClaim, error) {
	maskText(ctx, "the command", &c.Command)
	of := shell.Claim{Command: c.Command}
	if why := of.Check(); why != "" {
		return c, invalid(fmt.Sprintf("%s cannot be held against anything: %s", clip(c.Command, 100), why),
			"give the command alone, as a shell takes it")
	}
	if err := checkText("the command", c.Command, MaxField, true); err != nil {
		return c, err
	}
	c.Worker = cmp.Or(c.Worker, worker)
	if err := checkWorker(c.Worker); err != nil {
		return c, err
	}
	err := b.write(ctx, worker, func(w *writer) error {
		seen, err := receiptEvents(w.tx)
		if err != nil {
			return err
		}
		c.judge(sightOf(c.Worker, folded(seen)))
		err = w.eventBy(c.Worker, verbClaimRan, cmp.Or(c.Entry, ranID), c)
		c.Seq, c.At = w.seq, fromMillis(w.at)
		return err
	})
	return c, err
}

// sight is what hooks saw of one worker.
type sight struct {
	mine    []Receipt    // but those that the harness's own record contradicts
	seen    []shell.Seen // the same, as a claim is held against it
	differs bool         // there are such
}

func sightOf(worker string, all []Receipt) *sight {
	s := &sight{}
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

// judge holds the claim against what was seen of its worker.
func (c *RanClaim) judge(s *sight) {
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

// SourceExit reports whether the place of a source says that it is a command: "exit 0".
func SourceExit(ref string) (code int, ok bool) {
	said, ok := strings.CutPrefix(ref, "exit ")
	code, err := strconv.Atoi(said)
	return code, ok && err == nil
}

func (p *Policy) asksRan() bool { return len(p.RequireRan)+len(p.RequireRanBy) > 0 }

// checkRan refuses commands that nothing can be held against, and names of no worker.
func (p *Policy) checkRan() error {
	all := slices.Clone(p.RequireRan)
	for name, commands := range p.RequireRanBy {
		if err := checkWorker(name); err != nil {
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

// required are the commands that a policy asks of a worker.
func (p *Policy) required(worker string) []string {
	return union(p.RequireRan, p.RequireRanBy[worker])
}

// unran are the reasons why a gate that asks for commands is closed.
func unran(p Policy, in *gateInput) (reasons []Reason) {
	if !p.asksRan() {
		return nil
	}
	names := in.ranBy(p)
	for _, name := range names {
		seen := sightOf(name, in.receipts)
		for _, command := range p.required(name) {
			c := RanClaim{Worker: name, Command: command}
			if c.judge(seen); !c.Holds {
				reasons = append(reasons, ranReason(&c))
			}
		}
	}
	if len(names) == 0 && len(p.RequireRan) > 0 {
		reasons = append(reasons, Reason{Rule: RuleRan, Content: "nobody has run " + strings.Join(p.RequireRan, ", "),
			Clear: "let a worker run it in a session whose hooks are set up",
			Next:  []fault.Step{fault.Do("harness.setup", "{} sets up hooks", "harness", "…")}})
	}
	return reasons
}

// ranBy are the workers of whom a policy asks commands: those who are done, those it names,
// and, if the run expects nobody, those who have posted.
func (in *gateInput) ranBy(p Policy) (names []string) {
	dropped := map[string]bool{}
	for _, e := range in.state.Expected {
		if dropped[e.Worker] = e.Status == WorkerDropped; e.Status == WorkerDone {
			names = append(names, e.Worker)
		}
	}
	if len(in.state.Expected) == 0 {
		names = slices.Clone(in.posters)
	}
	for name := range p.RequireRanBy {
		if !dropped[name] {
			names = union(names, []string{name})
		}
	}
	slices.Sort(names)
	return names
}

// posters are the workers who have posted entries.
func (s *State) posters() (names []string) {
	for i := range s.Workers {
		if s.Workers[i].Entries > 0 {
			names = append(names, s.Workers[i].Name)
		}
	}
	return names
}

// ranReason says which command a worker lacks, and what to do.
func ranReason(c *RanClaim) Reason {
	r := Reason{Rule: RuleRan, Worker: c.Worker, Content: fmt.Sprintf("%s has not shown that %s passes: %s (%s)",
		c.Worker, c.Command, c.Verdict, c.Why), Clear: "run it again in its session, alone, until it passes"}
	if c.Verdict == Unseen {
		r.Clear = "set up the hooks of its harness, and start its session with BOARD_RUN and BOARD_WORKER"
		r.Next = []fault.Step{fault.Do("harness.setup", "{} sets up hooks: nothing could see commands", "harness", "…")}
	}
	r.Next = append(r.Next, fault.Do("worker.done", "once it has run: {}", "names", c.Worker, "ran", c.Command),
		fault.Do("worker.drop", "or {}", "names", c.Worker, "reason", "…"))
	return r
}
