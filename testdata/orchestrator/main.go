// Command orchestrator is a worked example of an orchestrator, on the packages board and kb. It
// begins with what earlier runs have learned. Three workers read a folder of documents, put what
// they find on a board, and answer each other's questions. When the gate is open, a report is
// written, all is checked from the documents to the report, and what will be of use after the run
// goes to the knowledge base. The script orchestrate.sh beside it does the same with the command
// line, and leaves the same findings.
//
//	go run ./testdata/orchestrator FOLDER [RUN] [REPORT]     RUN: made from the time; REPORT: report.md
//
// The same RUN again goes on where it stopped, and posts nothing twice. Documents that have
// changed need a new RUN: a key belongs to what was first said under it. The data home is that of
// the command board. Exit codes are those of board too, though `go run` itself makes 1 of each
// that is not 0.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/verify"
	"blackboard/hooks/ops"
	"blackboard/kb"
	"blackboard/kb/learn"
)

// What is yours: the question, where a person's decisions stand, and what the lessons are
// about. The workers are in standin.go.
const (
	question  = "Why did the nightly backup miss its window, and what must change before the move?"
	decisions = "move-plan.md"
	domain    = "backup"
)

const lead = "lead" // who the orchestrator is on the board

// What ends a run although nothing broke.
var (
	errUsage   = errors.New("usage: orchestrator FOLDER [RUN] [REPORT]")
	errGate    = errors.New("the gate is closed")
	errChecked = errors.New("the run does not hold what it is checked for")
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx, os.Args[1:], os.Stdout)
	stop()
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "orchestrator:", err)
	if try := fault.Try(err, nil); try != "" { // what errors say to do next, without operations: this program has none
		fmt.Fprintln(os.Stderr, "  try:", try)
	}
	os.Exit(exitCode(err))
}

// exitCode is 0 done, 2 a wrong command line or input, 3 a question is left that keeps the gate
// closed, 4 a check failed, 5 not found, 6 a key was used for another content, 1 anything else.
func exitCode(err error) int {
	for _, row := range []struct {
		is   error
		code int
	}{{errUsage, 2}, {fault.Invalid, 2}, {errGate, 3}, {errChecked, 4}, {fault.NotFound, 5}, {fault.Conflict, 6}} {
		if errors.Is(err, row.is) {
			return row.code
		}
	}
	return 1
}

// start reads the command line and opens the board.
func start(ctx context.Context, args []string, out io.Writer) error {
	if len(args) < 1 || len(args) > 3 {
		return errUsage
	}
	if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
		return fmt.Errorf("%s is no folder: %w", args[0], errUsage)
	}
	args = append(args, []string{"", domain + "-" + time.Now().Format("20060102-150405"), "report.md"}[len(args):]...)
	home, err := dataHome()
	if err != nil {
		return err
	}
	o := &orchestrator{folder: args[0], report: args[2], out: out}
	boards := filepath.Join(home, "boards")
	o.board, err = board.Create(ctx, boards, args[1], question, lead, nil)
	if errors.Is(err, fault.Conflict) { // the run is there already, and goes on
		o.board, err = board.Open(ctx, boards, args[1])
	}
	if err != nil {
		return fmt.Errorf("open the run: %w", err)
	}
	defer o.board.Close()
	// Without an embedder words alone find capsules. `board kb reembed` adds the meaning.
	if o.kb, err = kb.Open(ctx, home, kb.Options{Actor: lead}); err != nil {
		return fmt.Errorf("open the knowledge base: %w", err)
	}
	defer o.kb.Close()
	return o.run(ctx)
}

// dataHome is where the command board keeps its files.
func dataHome() (string, error) {
	if dir := os.Getenv("BOARD_HOME"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "blackboard"), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share", "blackboard"), err
}

type orchestrator struct {
	board          *board.Board
	kb             *kb.KB
	known          string // what earlier runs have learned, for the workers' prompts
	folder, report string
	out            io.Writer
}

// run is the whole of it, from the first finding to the knowledge base.
func (o *orchestrator) run(ctx context.Context) error {
	names := make([]string, len(workers))
	for i, w := range workers {
		names[i] = w.name
	}
	if _, err := o.board.Expect(ctx, lead, names, false); err != nil { // the gate is closed until each is done
		return fmt.Errorf("expect the workers: %w", err)
	}
	if err := o.recall(ctx); err != nil {
		return err
	}
	if err := o.fanOut(ctx, (*worker).begin); err != nil {
		return err
	}
	if _, err := o.gate(ctx, "after the findings", board.Policy{}); err != nil {
		return err
	}
	if err := o.answers(ctx); err != nil {
		return err
	}
	if err := o.decide(ctx); err != nil {
		return err
	}
	if err := o.verify(ctx); err != nil {
		return err
	}
	// What must surface has to name its source, and to stand in it.
	if open, err := o.gate(ctx, "after the decisions", beforeSynthesis); err != nil {
		return err
	} else if !open {
		return errGate
	}
	if err := o.synthesise(ctx); err != nil {
		return err
	}
	if err := o.promote(ctx); err != nil {
		return err
	}
	s, err := o.board.State(ctx)
	if err != nil {
		return fmt.Errorf("read the board: %w", err)
	}
	fmt.Fprintf(o.out, "run %s: %d entries, %d signals; %s is written\n", s.Run, s.Entries.Total, s.Signals.Total, o.report)
	return nil
}

// recall finds what earlier runs have learned about the question.
func (o *orchestrator) recall(ctx context.Context) error {
	b, err := ops.WriteBrief(ctx, o.kb, ops.BriefOptions{Task: question, Run: o.board.Run()})
	if err != nil {
		return fmt.Errorf("search the knowledge base: %w", err)
	}
	r := board.Retrieval{Way: board.ByBrief, Task: question} // the board keeps what was given
	for _, c := range b.Log {
		if c.Included {
			c := board.Given{ID: c.ID, Score: c.Score, Evidence: c.Evidence}
			r.Capsules = append(r.Capsules, c)
		}
	}
	if len(r.Capsules) > 0 {
		if err := o.board.Retrieved(ctx, lead, r); err != nil {
			return fmt.Errorf("keep what was given: %w", err)
		}
	}
	if o.known = b.Block; o.known == "" {
		fmt.Fprintln(o.out, "earlier runs have learned nothing about it")
	}
	fmt.Fprint(o.out, o.known)
	return nil
}

// beforeSynthesis is the policy that must be met before the report is written.
var beforeSynthesis = board.Policy{RequireSource: true, RequireVerified: true}

// gate reports whether the gate is open, and prints what keeps it closed.
func (o *orchestrator) gate(ctx context.Context, when string, p board.Policy) (open bool, err error) {
	v, err := o.board.Gate(ctx, p)
	if err != nil {
		return false, fmt.Errorf("judge the gate: %w", err)
	}
	fmt.Fprintf(o.out, "%s: gate open: %t\n", when, v.Open)
	for _, r := range v.Reasons {
		fmt.Fprintf(o.out, "  %s  %s  %s\n", cmp.Or(r.ID, r.Worker), r.Priority, r.Content)
	}
	return v.Open, nil
}

// fanOut has all workers do something at the same time, and waits for them. One that fails does
// not stop the others.
func (o *orchestrator) fanOut(ctx context.Context, do func(*worker, *task)) error {
	errs := make([]error, len(workers))
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			w := &workers[i]
			t := &task{ctx: ctx, board: o.board, worker: w.name, folder: o.folder, known: o.known}
			if do(w, t); t.err != nil {
				errs[i] = fmt.Errorf("worker %s: %w", w.name, t.err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// answers has the workers answer each other's questions. What is critical decides all else: if it
// is open when they are done, the run ends. Where people answer too, WaitGate waits for them.
func (o *orchestrator) answers(ctx context.Context) error {
	if err := o.fanOut(ctx, (*worker).answer); err != nil {
		return err
	}
	open, err := o.gate(ctx, "after the workers' answers, of what is critical", board.Policy{Block: []string{"critical"}})
	if err == nil && !open {
		err = errGate
	}
	return err
}

// decide stands for a person: what nobody's documents answer is waived with what the plan itself
// says about its open question. Anything else stays open.
func (o *orchestrator) decide(ctx context.Context) error {
	plan, err := os.ReadFile(filepath.Join(o.folder, decisions))
	if err != nil {
		return err
	}
	open, err := o.board.Signals(ctx, board.SignalQuery{Statuses: []string{board.SignalOpen}, Priorities: []string{"critical", "high"}})
	if err != nil {
		return fmt.Errorf("list the open questions: %w", err)
	}
	for _, s := range open.Signals {
		_, after, found := strings.Cut(string(plan), "\nOpen: "+s.Content+" ")
		if !found {
			continue
		}
		reason, _, _ := strings.Cut(after, "\n")
		if _, err := o.board.Waive(ctx, lead, s.ID, reason); err != nil {
			return fmt.Errorf("waive %s: %w", s.ID, err)
		}
	}
	return nil
}

// verify holds each quote against its document.
func (o *orchestrator) verify(ctx context.Context) error {
	files, err := verify.FindFiles(o.folder)
	if err != nil {
		return fmt.Errorf("find the documents: %w", err)
	}
	r, err := o.board.Verify(ctx, lead, board.VerifyOptions{Files: files})
	if err != nil {
		return fmt.Errorf("verify the quotes: %w", err)
	}
	fmt.Fprintf(o.out, "%d of %d findings doubted\n", r.Doubted, r.Checked)
	for _, i := range r.Items {
		if i.Doubted {
			fmt.Fprintf(o.out, "  %s  %s: %s\n", i.ID, i.Verdict, i.Note)
		}
	}
	if !r.Passed {
		return errChecked
	}
	return nil
}

// promote stores what holds beyond the run: the next run begins with it.
func (o *orchestrator) promote(ctx context.Context) error {
	lasting, err := o.board.Query(ctx, board.Query{Tags: []string{"lasting"}})
	if err != nil {
		return fmt.Errorf("find what holds beyond the run: %w", err)
	}
	for _, e := range lasting.Entries {
		c := kb.Capsule{Kind: "gotcha", Scope: "domain", DomainTags: []string{domain}, Title: learn.TitleOf(e.Content), Body: e.Content + "\n\nEvidence:\n> " + e.Evidence,
			Tags: e.Tags, Source: e.SourceDoc + ":" + e.SourceRef, Confidence: e.Confidence, VerifiedBy: lead, Refs: []string{"run:" + o.board.Run(), "entry:" + e.ID, "worker:" + e.Worker}}
		if _, err := o.kb.Remember(ctx, c, kb.RememberOptions{}); err != nil && !errors.Is(err, fault.Conflict) { // a conflict: it is there already
			return fmt.Errorf("promote %s: %w", e.ID, err)
		}
	}
	return nil
}
