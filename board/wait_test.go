package board

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/sqlite"
	"blackboard/board/store"
	"blackboard/testdata/expect"
)

// TestWait: whoever waits is told when it has happened, also what had happened before; without it,
// that the time is over.
func TestWait(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	expect.Value(b.Signal(ctx, "lead", Raise{Content: "q", Priority: "critical"}))(t)
	other := mustOpen(t, b.dir, "test")
	over, done := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer done()
	v, err := b.WaitGate(over, Policy{})
	if refused(t, err, fault.Timeout, "the gate did not open"); len(v.Reasons) != 1 || v.Reasons[0].ID != "s1" {
		t.Errorf("the last verdict is not told: %+v", v)
	}
	_, err = b.WaitSignal(over, "s1")
	refused(t, err, fault.Timeout, "s1 is still open")
	_, err = b.WaitEvents(over, FromNow, 1)
	refused(t, err, fault.Timeout, "nothing happened")
	if e, err := b.WaitEvents(over, 1, 1); err != nil || e[0].Seq != 2 {
		t.Errorf("what had happened before: %+v, %v", e, err)
	}
	if all, err := b.WaitEvents(over, 0, 5); err != nil || len(all) != 2 || all[0].Seq != 1 || all[1].Seq != 2 {
		t.Errorf("all that had happened: %+v, %v", all, err)
	}
	if all, err := b.WaitEvents(over, 0, 1); err != nil || len(all) != 1 || all[0].Seq != 1 {
		t.Errorf("one of what had happened: %+v, %v", all, err)
	}
	_, err = b.WaitEvents(over, 0, 0)
	refused(t, err, fault.Invalid, "the limit of 0")
	_, err = b.WaitSignal(ctx, "e1")
	refused(t, err, fault.Invalid, "the id of a question is needed")
	_, err = b.WaitSignal(ctx, "s9")
	refused(t, err, fault.NotFound, "there is no question s9")
	_, err = b.WaitGate(ctx, Policy{Block: []string{"urgent"}})
	refused(t, err, fault.Invalid, "unknown priority")

	type answer struct {
		signal  Signal
		verdict Verdict
		err     error
	}
	signal, gate := make(chan answer, 1), make(chan answer, 1)
	go func() {
		s, err := b.WaitSignal(ctx, "s1")
		signal <- answer{signal: s, err: err}
	}()
	go func() {
		v, err := b.WaitGate(ctx, Policy{})
		gate <- answer{verdict: v, err: err}
	}()
	expect.Value(other.Waive(ctx, "boss", "s1", "later"))(t)
	if a := <-signal; a.err != nil || a.signal.Status != Waived || a.signal.ClosedBy != "boss" {
		t.Errorf("%+v", a)
	}
	if a := <-gate; a.err != nil || !a.verdict.Open {
		t.Errorf("%+v", a)
	}
	if e, err := b.WaitEvents(ctx, 2, 1); err != nil || e[0].Verb != record.VerbWaive {
		t.Errorf("%+v, %v", e, err)
	}
	called, off := context.WithCancel(t.Context())
	off()
	if _, err := b.WaitEvents(called, FromNow, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
}

// TestVariables: values are JSON, versions rise and never repeat, and a change that goes by a
// version loses nobody's.
func TestVariables(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	_, err := b.Get(ctx, "phase")
	refused(t, err, fault.NotFound, "there is no run")
	_, err = b.Set(ctx, "w", "phase", []byte(`1`), 3)
	refused(t, err, fault.Conflict, "does not exist, so it has no version 3")
	_, err = b.Delete(ctx, "w", "phase", AnyVersion)
	refused(t, err, fault.NotFound, "there is no run")
	if b.Created() {
		t.Fatal("a change that had to fail has made the run")
	}
	if v, err := b.Set(ctx, "w", "phase", []byte(` "drafting" `), 0); err != nil || v.Version != 1 || string(v.Value) != `"drafting"` {
		t.Fatalf("%+v, %v", v, err)
	}
	_, err = b.Set(ctx, "other", "phase", []byte(`"review"`), 0)
	refused(t, err, fault.Conflict, `has version 1, not 0: w changed it`)
	if v, err := b.Set(ctx, "other", "phase", []byte(`"review"`), 1); err != nil || v.Version != 2 {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := b.Delete(ctx, "w", "phase", 2); err != nil || string(v.Value) != `"review"` {
		t.Errorf("%+v, %v", v, err)
	}
	_, err = b.Get(ctx, "phase")
	refused(t, err, fault.NotFound, `there is no variable "phase"`)
	_, err = b.Delete(ctx, "w", "phase", AnyVersion)
	refused(t, err, fault.NotFound, `there is no variable "phase"`)
	_, err = b.Set(ctx, "w", "phase", []byte(`1`), 2)
	refused(t, err, fault.Conflict, "does not exist, so it has no version 2")
	if v, err := b.Set(ctx, "w", "phase", []byte(`[1,2]`), AnyVersion); err != nil || v.Version != 4 {
		t.Errorf("a version comes again: %+v, %v", v, err)
	}
	if v, err := b.Get(ctx, "phase"); err != nil || string(v.Value) != `[1,2]` {
		t.Errorf("%+v, %v", v, err)
	}
	if all, err := b.Variables(ctx); err != nil || len(all) != 1 || all[0].Key != "phase" {
		t.Errorf("%+v, %v", all, err)
	}
	for words, value := range map[string]string{"not valid JSON": `drafting`, "not valid UTF-8": "\"\xff\"", "the value has 70002 bytes": `"` + strings.Repeat("x", 70000) + `"`} {
		_, err := b.Set(ctx, "w", "phase", []byte(value), AnyVersion)
		refused(t, err, fault.Invalid, words)
	}
	_, err = b.Get(ctx, " ")
	refused(t, err, fault.Invalid, "the variable's name is empty")
}

// TestRuns: the list of runs has each file, with what is wrong with one that cannot be read, and
// none that is only being made.
func TestRuns(t *testing.T) {
	needsFile(t)
	dir, ctx := t.TempDir(), t.Context()
	if runs, err := List(ctx, filepath.Join(dir, "none"), Policy{}); err != nil || runs == nil || len(runs) != 0 {
		t.Errorf("%v, %v", runs, err)
	}
	b := expect.Value(Create(ctx, dir, "one", "find out", "lead", nil))(t)
	defer b.Close()
	if _, err := Create(ctx, dir, "one", "", "lead", nil); !errors.Is(err, fault.Conflict) {
		t.Errorf("made twice: %v", err)
	}
	for _, p := range []string{"critical", "low"} {
		expect.Value(b.Signal(ctx, "lead", Raise{Content: "q", Priority: p}))(t)
	}
	expect.Value(b.Post(ctx, "w", Post{Content: "c"}))(t)
	long := time.Now().Add(-time.Hour)
	for name, content := range map[string]string{"broken": strings.Repeat("no database ", 1000), "empty": "", "new": "", "not a run": "x", "notes.txt": "x"} {
		path := filepath.Join(dir, name)
		if !strings.Contains(name, ".") {
			path += sqlite.RunSuffix
		}
		expect.OK(t, os.WriteFile(path, []byte(content), 0o600))
		if name == "empty" {
			expect.OK(t, os.Chtimes(path, long, long))
		}
	}
	runs, err := List(ctx, dir, Policy{})
	if err != nil || len(runs) != 3 {
		t.Fatalf("%+v, %v", runs, err)
	}
	if r := runs[0]; r.Run != "broken" || !strings.Contains(r.Error, "is not a valid SQLite file") || r.Open {
		t.Errorf("%+v", r)
	}
	if r := runs[1]; r.Run != "empty" || !strings.Contains(r.Error, "holds no event") || r.Open {
		t.Errorf("%+v", r)
	}
	if r := runs[2]; r.Run != "one" || r.Goal != "find out" || r.OpenSignal != 2 || r.Blocking != 1 || r.Open || r.Workers != 2 || r.Entries != 1 || r.Bytes == 0 || r.Error != "" {
		t.Errorf("%+v", r)
	}
	if b.Run() != "one" || !b.Created() {
		t.Errorf("the run is %q", b.Run())
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := List(ended, dir, Policy{}); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
	refused(t, Remove(ctx, dir, "none", 0), fault.NotFound, "there is no run none")
	refused(t, Remove(ctx, dir, "../one", 0), fault.Invalid, "cannot name a run")
	_, err = Open(ctx, dir, strings.Repeat("x", 101))
	refused(t, err, fault.Invalid, "has 101 characters")
	_, err = OpenOrCreate(ctx, dir, "")
	refused(t, err, fault.Invalid, "no run is named")
}

// TestRowsOfSomebodyElse: what another program has written into the tables is told as damage of
// that file, and never shown as if it were ours.
func TestRowsOfSomebodyElse(t *testing.T) {
	for name, stmt := range map[string]string{
		"tags":     `UPDATE entries SET tags = '{'`,
		"priority": `UPDATE signals SET priority = 9`,
		"counts":   `INSERT INTO counts (kind, name, n, last) VALUES ('signal', 'open nine', 1, 1)`,
	} {
		t.Run(name, func(t *testing.T) {
			b, ctx := newBoard(t), t.Context()
			expect.Value(b.Post(ctx, "w", Post{Content: "c"}))(t)
			expect.Value(b.Signal(ctx, "w", Raise{Content: "q"}))(t)
			expect.OK(t, b.db.Write(ctx, func(tx *store.Tx) error {
				if onFiles {
					if _, err := tx.Exec(`PRAGMA ignore_check_constraints = 1`); err != nil {
						return err
					}
				}
				_, err := tx.Exec(stmt)
				return err
			}))
			found := 0
			for _, read := range []func() error{
				func() error { _, err := b.Query(ctx, Query{}); return err },
				func() error { _, err := b.Signals(ctx, SignalQuery{}); return err },
				func() error { _, err := b.State(ctx); return err },
				func() error { _, err := b.Burndown(ctx); return err },
				func() error { return b.Export(ctx, io.Discard) },
				func() error { return b.Check(ctx) },
			} {
				err := read()
				var e *fault.Error
				switch {
				case err == nil:
				case !errors.As(err, &e) || e.Kind != fault.Corrupt || !strings.HasPrefix(err.Error(), b.path+" "):
					t.Errorf("%v does not name the file and say that it is damaged", err)
				default:
					found++
				}
			}
			if found < 2 {
				t.Errorf("%d ways of reading found it", found)
			}
		})
	}
}

// TestExportToFullDisk: what could not be written is an error.
func TestExportToFullDisk(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	expect.Value(b.Post(ctx, "w", Post{Content: "<b>bold</b> finding"}))(t)
	if err := b.Export(ctx, full{}); err == nil {
		t.Error("what could not be written was not told")
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestWatchAfterAWhile: a board whose files have not changed for long is asked less, and what is
// posted then is told.
func TestWatchAfterAWhile(t *testing.T) {
	needsFile(t)
	dir := t.TempDir()
	b := expect.Value(OpenOrCreate(t.Context(), dir, "r"))(t)
	defer b.Close()
	expect.Value(b.Post(t.Context(), "w", Post{Content: "first"}))(t)
	next, stop := iter.Pull2(b.Watch(t.Context(), 0))
	defer stop()
	for _, want := range []string{"first", "second", "third"} {
		if want != "first" {
			long := time.Now().Add(-time.Hour)
			for _, path := range []string{b.path, b.path + "-wal"} {
				expect.OK(t, os.Chtimes(path, long, long))
			}
			idle := sqlite.TimesOf(b.path)
			if runtime.GOOS != "windows" && !idle.Quiet() {
				t.Fatal(idle)
			}
			expect.Value(b.Post(t.Context(), "w", Post{Content: want}))(t)
			if sqlite.TimesOf(b.path) == idle {
				t.Fatal("the times do not tell of what was posted")
			}
		}
		for e, err, _ := next(); !strings.Contains(string(e.Payload), want); e, err, _ = next() {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
