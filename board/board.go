package board

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/postgres"
	"blackboard/board/record"
	"blackboard/board/sqlite"
	"blackboard/board/store"
)

// Board is one run's blackboard, safe for concurrent goroutines and processes.
type Board struct {
	dir        string
	place      store.Place
	path       string // what messages call its database
	run        string
	create     bool   // writes may make the run
	goal       string // of the run that a write makes
	importsLog bool   // the write that makes the run brings the whole log
	session    string // of the caller; see SetSession

	mu   sync.Mutex
	db   store.DB // nil until the run exists
	made bool     // a write through this handle made the run

	now func() time.Time // nil: the wall clock

	timeline timelines
}

func newAt(dir, run string) *Board {
	place := placeOf(dir)
	return &Board{dir: dir, place: place, path: place.Name(run), run: run}
}

// Open opens the board of an existing run. It returns fault.NotFound for a run that does not
// exist; opening never creates one.
func Open(ctx context.Context, dir, run string) (*Board, error) {
	if err := CheckRun(run); err != nil {
		return nil, err
	}
	b := newAt(dir, run)
	db, err := b.open(ctx, false)
	if err != nil {
		return nil, err
	}
	if err := sqlite.Once(db, "events", func() error { return db.Read(ctx, b.mustExist) }); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// OpenOrCreate opens a run's board for posting; the first accepted write creates the run.
func OpenOrCreate(ctx context.Context, dir, run string) (*Board, error) {
	if err := CheckRun(run); err != nil {
		return nil, err
	}
	b := newAt(dir, run)
	b.create = true
	if _, err := b.open(ctx, false); err != nil && !errors.Is(err, fault.NotFound) {
		return nil, err
	}
	return b, nil
}

// Create makes a run, with a policy on record unless by is nil; fault.Conflict if it exists.
func Create(ctx context.Context, dir, run, goal, worker string, by *NewPolicy) (*Board, error) {
	if by != nil {
		if err := by.Check(); err != nil {
			return nil, err
		}
	}
	maskText(ctx, "the goal", &goal)
	if err := record.CheckText("the goal", goal, MaxContent, false); err != nil {
		return nil, err
	}
	if err := record.CheckWorker(worker); err != nil {
		return nil, err
	}
	b, err := OpenOrCreate(ctx, dir, run)
	if err != nil {
		return nil, err
	}
	b.goal = goal
	err = b.write(ctx, worker, func(w *writer) error {
		if err := w.mustBeNew(run); err != nil || by == nil {
			return err
		}
		return w.recordPolicy(*by)
	})
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Remove deletes a run and everything on it. seen is the last event that the caller has read,
// 0 if that does not matter: Remove returns fault.Conflict if the run has a later one.
func Remove(ctx context.Context, dir, run string, seen int64) error {
	if err := CheckRun(run); err != nil {
		return err
	}
	var unchanged func() error
	if seen != 0 {
		unchanged = func() error {
			b, err := Open(ctx, dir, run)
			if err != nil {
				return err
			}
			defer b.Close()
			last, err := readValue(ctx, b, (*store.Tx).LastSeq)
			if err == nil && last != seen {
				err = conflict(fmt.Sprintf("run %s has changed: %d events since; nothing was "+
					"deleted", run, last-seen), "", fault.Do("run.show", "look at it again: {}"))
			}
			return err
		}
	}
	err := placeOf(dir).Remove(ctx, run, unchanged)
	if err == nil {
		removeSpool(dir, run)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return (&Board{run: run}).missing()
	}
	return err
}

// open opens the database if it exists or may be created, under mu or on a board nobody has yet.
func (b *Board) open(ctx context.Context, create bool) (store.DB, error) {
	db, err := b.place.Open(ctx, b.run, create)
	if !create && errors.Is(err, fs.ErrNotExist) {
		return nil, b.missing()
	}
	if err != nil {
		return nil, err
	}
	if b.now != nil {
		db.SetNow(b.now)
	}
	b.db = db
	return db, nil
}

func (b *Board) missing() error {
	return notFound(fmt.Sprintf("there is no run %s", b.run), "",
		fault.Do("run.list", "{} lists the runs"),
		fault.Do("run.create", "{} or the first post makes one"))
}

// SetNow replaces the clock, for tests and replays that must be repeatable.
func (b *Board) SetNow(now func() time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = now
	if b.db != nil {
		b.db.SetNow(now)
	}
}

// SetSession names the session that claims through this handle belong to, in addition to
// the worker. While a lease runs, another session with the same worker name can neither
// extend nor release the claim. Without a session, as in a command that is a process of
// its own, only the worker name counts. A session is not a secret: the log has it. Set it
// before the handle is shared.
func (b *Board) SetSession(id string) { b.session = id }

func (b *Board) Run() string { return b.run }

// Created reports whether a write through this handle created the run.
func (b *Board) Created() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.made
}

func (b *Board) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.db == nil {
		return nil
	}
	return b.db.Close()
}

func (b *Board) reader() (store.DB, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.db == nil {
		return nil, b.missing()
	}
	return b.db, nil
}

// read runs fn on a consistent snapshot of the board.
func (b *Board) read(ctx context.Context, fn func(*store.Tx) error) error {
	db, err := b.reader()
	if err != nil {
		return err
	}
	return db.Read(ctx, func(tx *store.Tx) error {
		if err := b.mustExist(tx); err != nil {
			return err
		}
		return fn(tx)
	})
}

func readValue[T any](ctx context.Context, b *Board, fn func(*store.Tx) (T, error)) (v T, err error) {
	err = b.read(ctx, func(tx *store.Tx) (err error) {
		v, err = fn(tx)
		return err
	})
	return v, err
}

// mustExist returns fault.NotFound for a file without a first event: the process that created
// it ended before its first commit, or its first write was refused.
func (b *Board) mustExist(tx *store.Tx) error {
	if n, err := tx.LastSeq(); err != nil || n > 0 {
		return err
	}
	return b.missing()
}

// writer is a running write transaction on a board. All changes are events that it appends; its
// other methods decide which.
type writer struct {
	tx      *store.Tx
	actor   string
	seq     int64 // of the last event
	created bool  // this transaction made the run
	at      int64 // the time of the transaction, in Unix milliseconds
	// name is that of the run whose whole log is appended; "" takes that of its first event
	name string

	reopened []string // signals whose answer the entry of now supersedes
}

// write runs fn as one transaction by a worker. If the run does not exist, it is created
// if the board allows that. So is a run that another process has just deleted.
func (b *Board) write(ctx context.Context, worker string, fn func(*writer) error) error {
	if err := record.CheckWorker(worker); err != nil {
		return err
	}
	waiting, release, err := b.takeSpool(ctx)
	taken := false
	defer func() { release(taken) }()
	if err != nil {
		return err
	}
	for try := 0; ; try++ {
		db, err := b.writable(ctx)
		if err != nil {
			return err
		}
		made := false
		err = db.Write(ctx, func(tx *store.Tx) (err error) {
			made, err = b.inTx(tx, worker, func(w *writer) error {
				if w.seq > 0 && len(waiting) > 0 {
					if err := w.writeReceipts(waiting); err != nil {
						return err
					}
				}
				return fn(w)
			})
			return err
		})
		taken = err == nil
		if made && err == nil {
			b.mu.Lock()
			b.made = true
			b.mu.Unlock()
		}
		if !errors.Is(err, fault.Gone) || !b.create || try == 2 {
			return err
		}
		b.closeRemoved(db)
	}
}

// writable returns the open file, which it creates if need be and allowed.
func (b *Board) writable(ctx context.Context) (store.DB, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.db != nil:
		return b.db, nil
	case !b.create:
		return nil, b.missing()
	}
	return b.open(ctx, true)
}

func (b *Board) closeRemoved(db store.DB) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.db == db {
		b.db = nil
		db.Close() // nothing of it is left to lose
	}
}

// inTx runs fn in a transaction. It writes the first event if there is none.
func (b *Board) inTx(tx *store.Tx, worker string, fn func(*writer) error) (made bool, err error) {
	seq, err := tx.LastSeq()
	if err != nil {
		return false, err
	}
	w := &writer{tx: tx, actor: worker, seq: seq, at: tx.Now.UnixMilli()}
	if seq > 0 {
		return false, fn(w)
	}
	if !b.create {
		return false, b.missing()
	}
	w.created = true
	if !b.importsLog {
		if err := w.event(record.VerbCreate, b.run, record.CreatePayload{Name: b.run, Goal: b.goal}); err != nil {
			return false, err
		}
	}
	return true, fn(w)
}

func (w *writer) mustBeNew(run string) error {
	if !w.created {
		return conflict(fmt.Sprintf("run %s exists already", run),
			"choose another name")
	}
	return nil
}

// Info is one line of the list of runs.
type Info struct {
	Run        string    `json:"run"`
	Goal       string    `json:"goal"`
	Created    time.Time `json:"created"`
	Updated    time.Time `json:"updated"` // of the last event
	Seq        int64     `json:"seq"`     // the last event
	Entries    int64     `json:"entries"`
	OpenSignal int64     `json:"open_signals"` // of any priority
	// of them, those of a priority that keeps the gate closed
	Blocking int64 `json:"blocking_signals"`
	Open     bool  `json:"gate_open"`    // by the policy given to List
	Reasons  int   `json:"gate_reasons"` // why it is closed, as many as Gate gives
	Workers  int   `json:"workers"`      // who have written anything
	// Needs are what it waits for, the most pressing first: at most 8.
	Needs []Need `json:"needs"`
	// of the file, with what is not folded into it yet
	Bytes int64 `json:"bytes"`
	// why the run cannot be read, if it cannot; the counts are 0 then, and the gate is not
	// open
	Error string `json:"error"`
}

// List returns the runs in a directory by name, each with its gate under a policy. A file
func List(ctx context.Context, dir string, by Policy) ([]Info, error) {
	r := Runs{Dir: dir}
	place, local := placeOf(dir).(sqlite.RunDir)
	if local {
		r.load(place.List(), by)
	}
	infos, err := r.List(ctx, by)
	if err == nil && local && r.unread >= minKept {
		r.keep(place.List())
	}
	return infos, err
}

// maxParallel is how many runs are read at the same time. Runs on a server are mostly waited for.
const maxParallel = 8

// parallel calls do for each number below n, most at a time, until one fails.
func parallel(ctx context.Context, n, most int, do func(i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(most, n) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					stop(err)
				}
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// SpeltAlike returns the other runs whose names differ from this one's in case and in what is neither
// letter nor digit alone: audit-7 and Audit7.
func (b *Board) SpeltAlike() ([]string, error) {
	bare := func(name string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, name)
	}
	names, err := RunNames(b.dir)
	return slices.DeleteFunc(names, func(s string) bool { return s == b.run || bare(s) != bare(b.run) }), err
}

func RunNames(dir string) ([]string, error) {
	// of a server that is away
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return placeOf(dir).Runs(ctx, time.Time{})
}

func inspect(ctx context.Context, dir, name string, by Policy) (Info, error) {
	b, err := Open(ctx, dir, name)
	if err != nil {
		return Info{}, err
	}
	defer b.Close()
	st, err := b.State(ctx)
	if err != nil {
		return Info{}, err
	}
	info := Info{Run: name, Goal: st.Goal, Created: st.Created, Updated: st.Updated, Seq: st.Seq,
		Entries: st.Entries.Total, Workers: len(st.Workers)}
	for _, n := range st.Signals.Open {
		info.OpenSignal += n
	}
	v, err := b.Gate(ctx, by)
	if err != nil {
		return Info{}, err
	}
	for _, p := range v.Policy.Block {
		info.Blocking += st.Signals.Open[p]
	}
	info.Open, info.Reasons, info.Needs = v.Open, len(v.Reasons), needs(&st, &v)
	info.Bytes = b.place.Size(name)
	return info, nil
}

// placeOf returns where the runs of a directory are; what UseDatabase returned counts as a directory.
var placeOf = func(dir string) store.Place {
	if p := postgres.At(dir); p != nil {
		return p
	}
	return sqlite.RunDir{Path: dir, IsRun: func(name string) bool { return CheckRun(name) == nil }}
}

// UseDatabase reads the URL of a PostgreSQL database (postgres://user@host/database). It returns a name that
// can be used wherever a directory of boards is expected. The name has no password in it.
func UseDatabase(url string) (dir string, err error) {
	p, err := postgres.Open(url)
	if err != nil {
		return "", err
	}
	return p.String(), nil
}

// OnContact returns a context whose requests to the database of dir tell of an error once the
// server seems down, and nil once it answers; often, from goroutines; never for files.
func OnContact(ctx context.Context, dir string, told func(away error)) context.Context {
	return store.OnContact(ctx, func(place string, away error) {
		if place == dir {
			told(away)
		}
	})
}

// DatabaseName is the name of the database that dir stands for, without its user; "" for files.
func DatabaseName(dir string) string {
	if p := postgres.At(dir); p != nil {
		return strings.TrimPrefix(p.Name(""), "the ")
	}
	return ""
}

// Runs is a list of the runs in a directory that is read again and again: it reads only
// what has changed. Set Dir only. One goroutine at a time may use it.
type Runs struct {
	Dir    string
	by     Policy
	seen   map[string]seenRun
	unread int // how many the last call has read
}

// seenRun is a run as it was read, with the times of its files.
type seenRun struct {
	Info  Info
	Times sqlite.FileTimes
}

// minKept is how many runs a list must have read to keep them in a file for the next one.
const minKept = 32

// keptRuns is in that file. Only the same program with the same policy can use it.
type keptRuns struct {
	By   string
	Runs map[string]seenRun
}

// stamp identifies the program and the policy; "" if that fails.
func stamp(by Policy) string {
	path, err := os.Executable()
	info, err2 := os.Stat(path)
	rules, err3 := json.Marshal(by)
	if errors.Join(err, err2, err3) != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano(), " ", string(rules))
}

// load takes what another process has kept, if it can be used.
func (r *Runs) load(path string, by Policy) {
	var kept keptRuns
	data, err := disk.Read(path, 64<<20)
	if err == nil && json.Unmarshal(data, &kept) == nil && kept.By != "" && kept.By == stamp(by) {
		r.by, r.seen = by, kept.Runs
	}
}

// keep writes what was read to a file. Runs with a claim or an error are left out: both may end
// without a write to the run. It does not matter if the file cannot be written.
func (r *Runs) keep(path string) {
	maps.DeleteFunc(r.seen, func(_ string, s seenRun) bool {
		return s.Info.Error != "" || slices.ContainsFunc(s.Info.Needs,
			func(n Need) bool { return n.Claimed != "" })
	})
	if data, err := json.Marshal(keptRuns{stamp(r.by), r.seen}); err == nil {
		disk.WriteUnsynced(path, data, 0o600)
	}
}

// List is the function List, limited to what has changed since the last call.
func (r *Runs) List(ctx context.Context, by Policy) ([]Info, error) {
	if err := by.Check(); err != nil {
		return nil, err
	}
	place := placeOf(r.Dir)
	_, told := place.(sqlite.RunDir) // what has files tells by their times whether it has changed
	names, err := place.Runs(ctx, time.Time{})
	if err != nil {
		return nil, err
	}
	before := r.seen
	if !reflect.DeepEqual(by, r.by) {
		before = nil
	}
	r.by, r.seen = by, make(map[string]seenRun, len(names))
	times, unread := map[string]sqlite.FileTimes{}, []string{}
	for _, name := range names {
		if told {
			times[name] = sqlite.TimesOf(place.Name(name))
		}
		now := times[name]
		if was, known := before[name]; told && known && was.Times == now && now.Quiet() {
			r.seen[name] = was
		} else {
			unread = append(unread, name)
		}
	}
	r.unread = len(unread)
	fresh, there := make([]Info, len(unread)), make([]bool, len(unread))
	if err := parallel(ctx, len(unread), maxParallel, func(i int) (err error) {
		fresh[i], there[i], err = inspectRun(ctx, place, r.Dir, unread[i], by)
		return err
	}); err != nil {
		return nil, err
	}
	for i, name := range unread {
		if there[i] {
			r.seen[name] = seenRun{fresh[i], times[name]}
		}
	}
	infos := make([]Info, 0, len(names))
	for _, name := range names {
		if s, there := r.seen[name]; there {
			infos = append(infos, s.Info)
		}
	}
	return infos, nil
}

// inspectRun reads one run for the list. It returns false if that is no run yet. An error
// in its file is part of the answer.
func inspectRun(ctx context.Context, place store.Place, dir, name string, by Policy) (info Info,
	there bool, err error) {
	info, err = inspect(ctx, dir, name, by)
	switch {
	case errors.Is(err, fault.NotFound):
		// Nothing was written to the file yet: it is being created, or was truncated.
		if !place.Unfinished(name) {
			return Info{}, false, nil
		}
		info = Info{Run: name, Needs: []Need{}, Error: "the file holds no event: " +
			"whoever made it died before the first one, or it was cut to nothing"}
	case ctx.Err() != nil:
		return Info{}, false, ctx.Err()
	case err != nil:
		info = Info{Run: name, Needs: []Need{}, Error: err.Error()}
	}
	return info, true, nil
}

// RunsChange notifies of writes to any run in dir, by any process, and of new runs. See
// sqlite.Changes. The channel is nil where the system sends no notifications.
func RunsChange(dir string) (changed <-chan struct{}, stop func()) {
	if at, ok := placeOf(dir).(sqlite.RunDir); ok {
		return sqlite.ChangesIn(at.Path)
	}
	return nil, func() {}
}

// Created says that a run was created, and names similar runs that may have been meant.
func Created(run string, names []string) string {
	return strings.TrimRight("created run "+run+"; "+fault.DidYouMean(run, names), "; ")
}
