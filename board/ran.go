package board

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/sqlite"
	"blackboard/board/store"
	"blackboard/hooks/shell"
	"blackboard/kb/secret"
)

const (
	maxReceipts = 5000 // of a run; later ones are not kept

)

// NoteRan keeps what a hook saw a worker do. It never creates a run. For runs in files it
// costs no database: the next write to the run takes it over.
func NoteRan(ctx context.Context, dir, run, worker string, d Did) error {
	if err := cmp.Or(CheckRun(run), record.CheckWorker(worker), d.Check()); err != nil {
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
	return b.write(ctx, worker, func(w *writer) error { return w.writeReceipts([]Receipt{{Worker: worker, Did: d}}) })
}

// writeReceipts writes what hooks saw, except what is there, or what says nothing new: a second
// edit after the last command.
func (w *writer) writeReceipts(seen []Receipt) error {
	have, err := receiptEvents(w.tx)
	if err != nil {
		return err
	}
	for _, r := range seen {
		secret.MaskWrite(context.Background(), func(m *secret.Masker) {
			m.Text("the command", &r.Command)
			m.Text("the path", &r.Path)
		})
		if len(have) >= maxReceipts || r.IsKnown(have) {
			continue
		}
		r.Dirty = record.IsDirty(have, &r)
		if err := w.eventBy(r.Worker, record.VerbRan, record.RanEventID, r.Did); err != nil {
			return err
		}
		r.Seq = w.seq
		have = append(have, r)
	}
	return nil
}

// receiptEvents are the receipts of the log, as they were written.
func receiptEvents(tx *store.Tx) ([]Receipt, error) {
	return decodeAll(tx, (*Event).Receipt, `WHERE id = ? AND verb = ? ORDER BY seq`, record.RanEventID, record.VerbRan)
}

// receipts are those of the log and those that wait for the next write.
func (b *Board) receipts(tx *store.Tx) ([]Receipt, error) {
	all, err := receiptEvents(tx)
	if err != nil {
		return nil, err
	}
	waiting, err := b.waitingReceipts()
	for _, r := range waiting {
		if !r.IsKnown(all) {
			r.Dirty = record.IsDirty(all, &r)
			all = append(all, r)
		}
	}
	return record.FoldReceipts(all), err
}

// CompareReceipts records what the harness's own record says of receipts.
func (b *Board) CompareReceipts(ctx context.Context, worker string, later []Receipt) error {
	if len(later) == 0 {
		return nil
	}
	return b.write(ctx, worker, func(w *writer) error { return w.writeReceipts(later) })
}

func (b *Board) Receipts(ctx context.Context) ([]Receipt, error) {
	return readValue(ctx, b, b.receipts)
}

// RanClaims lists the commands that workers say to have run, oldest first.
func (b *Board) RanClaims(ctx context.Context) ([]RanClaim, error) {
	return readValue(ctx, b, ranClaims)
}

func ranClaims(tx *store.Tx) ([]RanClaim, error) {
	return decodeAll(tx, (*Event).RanClaim, `WHERE verb = ? ORDER BY seq`, record.VerbClaimRan)
}

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
// that held when it was made still does; another is judged again.
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
	sights := map[string]*record.Sight{}
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
				sights[c.Worker] = record.NewSight(c.Worker, seen)
			}
			c.Judge(sights[c.Worker])
		}
		last = append(last, c)
	}
	return last, nil
}

// ClaimRan holds a worker's claimed command against what hooks saw of it, and records both.
func (b *Board) ClaimRan(ctx context.Context, worker string, c RanClaim) (RanClaim, error) {
	maskText(ctx, "the command", &c.Command)
	of := shell.Claim{Command: c.Command}
	if why := of.Check(); why != "" {
		return c, invalid(fmt.Sprintf("%s cannot be held against anything: %s", clip(c.Command, 100), why),
			"give the command alone, as a shell takes it")
	}
	if err := record.CheckText("the command", c.Command, MaxField, true); err != nil {
		return c, err
	}
	c.Worker = cmp.Or(c.Worker, worker)
	if err := record.CheckWorker(c.Worker); err != nil {
		return c, err
	}
	err := b.write(ctx, worker, func(w *writer) error {
		seen, err := receiptEvents(w.tx)
		if err != nil {
			return err
		}
		c.Judge(record.NewSight(c.Worker, record.FoldReceipts(seen)))
		err = w.eventBy(c.Worker, record.VerbClaimRan, cmp.Or(c.Entry, record.RanEventID), c)
		c.Seq, c.At = w.seq, fromMillis(w.at)
		return err
	})
	return c, err
}

// SourceExit reports whether the place of a source says that it is a command: "exit 0".
func SourceExit(ref string) (code int, ok bool) {
	said, ok := strings.CutPrefix(ref, "exit ")
	code, err := strconv.Atoi(said)
	return code, ok && err == nil
}

// ranReasons returns the reasons why a gate that asks for commands is closed.
func ranReasons(p Policy, in *gateInput) (reasons []Reason) {
	if !p.AsksRan() {
		return nil
	}
	names := in.ranBy(p)
	for _, name := range names {
		seen := record.NewSight(name, in.receipts)
		for _, command := range p.Required(name) {
			c := RanClaim{Worker: name, Command: command}
			if c.Judge(seen); !c.Holds {
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
			names = record.Union(names, []string{name})
		}
	}
	slices.Sort(names)
	return names
}

// ranReason says which command a worker lacks, and what to do.
func ranReason(c *RanClaim) Reason {
	r := Reason{Rule: RuleRan, Worker: c.Worker, Content: fmt.Sprintf("%s has not shown that %s passes: %s (%s)",
		c.Worker, c.Command, c.Verdict, c.Why), Clear: "run it again in its session, alone, until it passes"}
	if c.Verdict == record.Unseen {
		r.Clear = "set up the hooks of its harness, and start its session with BOARD_RUN and BOARD_WORKER"
		r.Next = []fault.Step{fault.Do("harness.setup", "{} sets up hooks: nothing could see commands", "harness", "…")}
	}
	r.Next = append(r.Next, fault.Do("worker.done", "once it has run: {}", "names", c.Worker, "ran", c.Command),
		fault.Do("worker.drop", "or {}", "names", c.Worker, "reason", "…"))
	return r
}

// This file keeps receipts beside the file of a run until the next write takes them over. A
// hook that opened the database would cost a third more.

const (
	spoolSuffix = ".ran"
	spoolLock   = "-lock"
	maxSpool    = 4 << 20
)

// spoolOf is where receipts of a run wait, "" for a run on a server.
func spoolOf(dir, run string) string {
	if at, ok := placeOf(dir).(sqlite.RunDir); ok {
		return at.Name(run) + spoolSuffix
	}
	return ""
}

// appendSpool adds a receipt to those that wait, as one line.
func appendSpool(ctx context.Context, dir, run, spool string, r Receipt) error {
	if _, err := os.Stat(sqlite.RunPath(dir, run)); err != nil {
		return (&Board{run: run}).missing()
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	unlock, err := disk.Lock(ctx, spool+spoolLock)
	if err != nil {
		return err
	}
	defer unlock()
	if info, err := os.Stat(spool); err == nil && info.Size()+int64(len(line)) > maxSpool {
		return invalid("too many receipts wait for a write to "+run, "post something, or say done")
	}
	f, err := os.OpenFile(spool, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// waitingReceipts reads what waits, without what a hook that was killed has left half written.
func (b *Board) waitingReceipts() (all []Receipt, err error) {
	spool := spoolOf(b.dir, b.run)
	if spool == "" {
		return nil, nil
	}
	data, err := disk.Read(spool, maxSpool)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	for line := range bytes.Lines(data) {
		var r Receipt
		if json.Unmarshal(line, &r) == nil && r.Check() == nil && record.CheckWorker(r.Worker) == nil {
			all = append(all, r)
		}
	}
	return all, err
}

// takeSpool reads the receipts that wait for a write, and locks them until release. With taken,
// release removes them: the write has them.
func (b *Board) takeSpool(ctx context.Context) (waiting []Receipt, release func(taken bool), err error) {
	release = func(bool) {}
	spool := spoolOf(b.dir, b.run)
	if spool == "" {
		return nil, release, nil
	}
	if info, err := os.Stat(spool); err != nil || info.Size() == 0 {
		return nil, release, nil
	}
	unlock, err := disk.Lock(ctx, spool+spoolLock)
	if err != nil {
		return nil, release, err
	}
	waiting, err = b.waitingReceipts()
	return waiting, func(taken bool) {
		if taken {
			os.Truncate(spool, 0) // if it fails, they are recognized next time
		}
		unlock()
	}, err
}

// removeSpool removes what waits for a run that was removed.
func removeSpool(dir, run string) {
	if spool := spoolOf(dir, run); spool != "" {
		os.Remove(spool)
		os.Remove(spool + spoolLock)
	}
}
