package board

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/store"
)

// Board is one run's blackboard. It is safe for concurrent use, by goroutines and by
// processes.
type Board struct {
	dir     string
	place   store.Place
	path    string // what messages call its database
	run     string
	create  bool   // writes may make the run
	goal    string // of the run that a write makes
	bare    bool   // the write that makes the run brings the whole log
	session string // of the caller; see SetSession

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

// Open opens the board of an existing run. It is fault.NotFound for a run that does not
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

// OpenOrCreate opens the board of a run for posting. The first accepted write creates the
// run.
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

// Create makes a new run, with a policy on record unless by is nil. It is fault.Conflict if the
// run exists.
func Create(ctx context.Context, dir, run, goal, worker string, by *NewPolicy) (*Board, error) {
	if by != nil {
		if err := by.check(); err != nil {
			return nil, err
		}
	}
	maskText(ctx, "the goal", &goal)
	if err := checkText("the goal", goal, MaxContent, false); err != nil {
		return nil, err
	}
	if err := checkWorker(worker); err != nil {
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
		return w.policy(*by)
	})
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Remove deletes a run and everything on it. If seen is not 0, it is the last event that
// the caller knows: it is fault.Conflict if the run has a later one.
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

// open opens the database if it exists or may be created. The caller holds mu, or no one
// else has the board yet.
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

// Run returns the name of the run.
func (b *Board) Run() string { return b.run }

// Created reports whether a write through this handle created the run.
func (b *Board) Created() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.made
}

// Close closes the board's database.
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

// readValue returns what fn reads on a consistent snapshot of the board.
func readValue[T any](ctx context.Context, b *Board, fn func(*store.Tx) (T, error)) (v T, err error) {
	err = b.read(ctx, func(tx *store.Tx) (err error) {
		v, err = fn(tx)
		return err
	})
	return v, err
}

// mustExist is fault.NotFound for a file without a first event: the process that created
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
	if err := checkWorker(worker); err != nil {
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
					if err := w.receipts(waiting); err != nil {
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
		b.forget(db)
	}
}

// writable returns the open file. It creates the file if it does not exist and may be
// created.
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

// forget closes a file that was removed.
func (b *Board) forget(db store.DB) {
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
	if !b.bare {
		if err := w.event(verbCreate, b.run, createPayload{b.run, b.goal}); err != nil {
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

// checkWorker checks a worker's name. Lists and logs show names within a line, so a name
// with a line end could pretend to be another line.
func checkWorker(name string) error {
	if err := checkText("the worker's name", name, MaxName, true); err != nil {
		return err
	}
	last := ' '
	for _, r := range name {
		// makes one emoji of several
		joins := (r == '\u200d' || r == '\ufe0f') && last > unicode.MaxASCII
		if !unicode.IsGraphic(r) && !joins {
			return invalid(fmt.Sprintf("the worker's name %q has a line end or another "+
				"character that cannot be seen: %U", clip(name, 60), r),
				"give a plain name, such as reader-1")
		}
		last = r
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
	// why the run cannot be read, if it cannot; the counts are 0 then, and the gate is
	// not open
	Error string `json:"error"`
}

// List returns the runs in a directory by name, each with its gate under a policy. A file
// that cannot be read is listed with its error.
func List(ctx context.Context, dir string, by Policy) ([]Info, error) {
	r := Runs{Dir: dir}
	place, local := placeOf(dir).(sqlite.RunDir)
	if local {
		r.load(place.List(), by)
	}
	infos, err := r.List(ctx, by)
	if err == nil && local && r.unread >= worthKeeping {
		r.keep(place.List())
	}
	return infos, err
}

// atOnce is how many runs are read at the same time. Runs on a server are mostly waited
// for.
const atOnce = 8

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

// RunNames returns the names of the files that may be runs, sorted. It opens none of
// them.
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
