package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb"
	"blackboard/kb/chunks"
	"blackboard/kb/memory"
)

// SelftestResult is what a self-test has counted.
type SelftestResult struct {
	OK        bool   `json:"ok"`        // nothing was lost
	Directory string `json:"directory"` // where it wrote; it is gone
	Seconds   int    `json:"seconds"`   // how long it wrote
	Writers   int    `json:"writers"`   // writers at a time
	Processes int    `json:"processes"` // processes that were started
	Killed    int    `json:"killed"`    // processes that were killed
	Failed    int    `json:"failed"`    // that ended with an error by themselves
	Failure   string `json:"failure"`   // what the first of them said

	Servers  ServerCount   `json:"servers"`  // of `board mcp`, beside the writers
	Entries  SelftestCount `json:"entries"`  // entries of a run
	Capsules SelftestCount `json:"capsules"` // capsules of a knowledge base
	Items    SelftestCount `json:"items"`    // of the memory
	Chunks   SelftestCount `json:"chunks"`   // chunks of a context store
	// changes of one variable by compare and set
	CompareAndSet SetCount `json:"compare_and_set"`
	SQLiteErrors  int      `json:"sqlite_errors"` // of commands and calls
	// TornBatches were posted in part: a batch is posted whole or not at all.
	TornBatches int `json:"torn_batches"`
	// what the integrity checks found, and what is missing
	Problems []string     `json:"problems"`
	Fsync    FsyncLatency `json:"fsync"` // how long a flush to disk takes
}

// SelftestCount is how much was acknowledged, and how much of that is there.
type SelftestCount struct {
	Acknowledged int `json:"acknowledged"` // writes that were acknowledged
	Found        int `json:"found"`        // of those, writes that are there
	Missing      int `json:"missing"`      // of those, writes that were lost
	// what is there besides, of processes that were killed before they said so
	Unacknowledged int `json:"unacknowledged"`
	Doubled        int `json:"doubled"` // acknowledgements with an id that another one has
}

// FsyncLatency is how long the disk takes to make four kilobytes last.
type FsyncLatency struct {
	Samples int     `json:"samples"` // how many were measured
	Median  float64 `json:"median_ms"`
	P99     float64 `json:"p99_ms"`
}

// SelftestOptions are how much a self-test writes, where, and with what.
type SelftestOptions struct {
	Home     string // the data home, in which it makes a directory of its own
	Program  string // that is tried
	Seconds  int
	Writers  int // commands at a time, beside the servers
	Progress Progress
}

// Selftest writes with many processes, kills some of them, and counts.
func Selftest(ctx context.Context, opt SelftestOptions) (*SelftestResult, error) {
	dir, err := os.MkdirTemp(nearest(opt.Home), selftestMark)
	if err != nil {
		return nil, fault.Failure.New("a directory for the self-test cannot be made: "+err.Error(), "make the data home writable, or point $BOARD_HOME at one that is")
	}
	defer os.RemoveAll(dir)
	r := &SelftestResult{Directory: dir, Seconds: opt.Seconds, Writers: opt.Writers, Problems: []string{}}
	if r.Fsync, err = measureFsync(ctx, dir); err != nil {
		return nil, err
	}
	t, err := newSelftestRun(dir, opt)
	if err != nil {
		return nil, err
	}
	if err := t.write(ctx, r.Writers, time.Duration(r.Seconds)*time.Second); err != nil {
		return nil, err
	}
	r.Processes, r.Killed, r.Failed, r.Failure, r.Servers, r.SQLiteErrors = t.processes, t.killed, t.failed, t.failure, t.servers, t.sqliteErrors
	if err := t.count(ctx, r); err != nil {
		return nil, err
	}
	r.OK = len(r.Problems) == 0
	return r, nil
}

// measureFsync times how long the disk takes to make a small write last, for two seconds
// at most.
func measureFsync(ctx context.Context, dir string) (FsyncLatency, error) {
	const most, patience = 200, 2 * time.Second
	f, err := os.Create(filepath.Join(dir, "fsync"))
	if err != nil {
		return FsyncLatency{}, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	var took []time.Duration
	block := make([]byte, 4096)
	for begin := time.Now(); len(took) < most && time.Since(begin) < patience; {
		if ctx.Err() != nil {
			return FsyncLatency{}, ctx.Err()
		}
		start := time.Now()
		if _, err = f.Write(block); err == nil {
			err = f.Sync()
		}
		if err != nil {
			return FsyncLatency{}, err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
	return FsyncLatency{len(took), ms(took[len(took)/2]), ms(took[len(took)*99/100])}, nil
}

// count holds what is there against what was acknowledged, and has every file checked.
func (t *selftestRun) count(ctx context.Context, r *SelftestResult) error {
	if len(t.entries)+len(t.capsules) == 0 {
		r.Problems = append(r.Problems, "no process got through")
		return nil
	}
	for _, count := range []func(context.Context, *SelftestResult) error{t.countEntries, t.countCapsules, t.countItems, t.countChunks} {
		if err := count(ctx, r); err != nil {
			return err
		}
	}
	for _, n := range []struct {
		name string
		n    SelftestCount
	}{{"entries", r.Entries}, {"capsules", r.Capsules}, {"items", r.Items}, {"chunks", r.Chunks}} {
		r.wrong(n.n.Missing, "acknowledged %s are missing", n.name)
		r.wrong(n.n.Doubled, "%s were acknowledged with a duplicate id", n.name)
	}
	r.wrong(r.TornBatches, "batches were stored in part")
	r.wrong(r.CompareAndSet.Twice, "changes of the variable were accepted twice")
	r.wrong(r.CompareAndSet.Missing, "acknowledged changes of the variable are missing")
	r.wrong(t.sqliteErrors, "errors of SQLite, the first: %s", t.sqliteError)
	return nil
}

// wrong adds a problem if there are any of it.
func (r *SelftestResult) wrong(n int, format string, a ...any) {
	if n > 0 {
		r.Problems = append(r.Problems, fmt.Sprintf("%d ", n)+fmt.Sprintf(format, a...))
	}
}

// tally counts what is there, by id, against what was acknowledged.
func (n *SelftestCount) tally(said []acknowledged, there map[string]string) {
	n.Acknowledged = len(said)
	ids := map[string]bool{}
	for _, a := range said {
		if there[a.id] == a.text {
			n.Found++
		}
		ids[a.id] = true
	}
	n.Missing, n.Doubled = n.Acknowledged-n.Found, n.Acknowledged-len(ids)
	for id := range there {
		if !ids[id] {
			n.Unacknowledged++
		}
	}
}

// tallySets holds the variable as it is against what was acknowledged of it.
func (n *SetCount) tallySets(said []acknowledged, now *board.Variable) {
	last, value := int64(0), ""
	if now != nil {
		last = now.Version
		json.Unmarshal(now.Value, &value)
	}
	made := map[string]bool{}
	for _, a := range said {
		if made[a.id] {
			n.Twice++
		}
		made[a.id] = true
		version, _ := strconv.ParseInt(a.id, 10, 64)
		if version > last || version == last && a.text != value {
			n.Missing++
		}
	}
	n.Won = len(said)
}

func (t *selftestRun) countEntries(ctx context.Context, r *SelftestResult) error {
	there := map[string]string{}
	var turn *board.Variable
	b, err := board.Open(ctx, filepath.Join(t.home(), "boards"), selftestBoard)
	if err == nil {
		defer b.Close()
		if err := b.Check(ctx); err != nil {
			r.problem(ctx, "the board", err)
		}
		var s *board.Snapshot
		if s, err = b.Snapshot(ctx); err == nil {
			for i := range s.Entries {
				there[s.Entries[i].ID] = s.Entries[i].Content
			}
			for i := range s.Variables {
				if s.Variables[i].Key == selftestVariable {
					turn = &s.Variables[i]
				}
			}
		}
	}
	if err != nil && !errors.Is(err, fault.NotFound) { // none was made, or what was is missing
		r.problem(ctx, "the board", err)
	}
	r.Entries.tally(t.entries, there)
	r.CompareAndSet = t.sets
	r.CompareAndSet.tallySets(t.versions, turn)
	r.TornBatches = tornBatches(there)
	return ctx.Err()
}

// tornBatches counts the batches of which some entries are there, and some are not.
func tornBatches(there map[string]string) (torn int) {
	parts := map[string]int{}
	for _, text := range there {
		if batch, _, ok := strings.Cut(text, partOf); ok {
			parts[batch]++
		}
	}
	for _, n := range parts {
		if n != selftestBatch {
			torn++
		}
	}
	return torn
}

func (t *selftestRun) countCapsules(ctx context.Context, r *SelftestResult) error {
	there := map[string]string{}
	k, err := kb.OpenExisting(ctx, t.home(), kb.Options{Sync: kb.SyncNow})
	if err == nil {
		defer k.Close()
		if found, err := k.Doctor(ctx); err != nil {
			r.problem(ctx, "the knowledge base", err)
		} else {
			for _, f := range found {
				if f.State == kb.StateBroken {
					r.Problems = append(r.Problems, "the knowledge base: "+f.What+": "+f.Say)
				}
			}
		}
		var all []kb.Capsule
		if all, _, err = k.List(ctx, kb.ListQuery{Superseded: true, Documents: true}); err == nil {
			for i := range all {
				there[all[i].ID] = all[i].Body
			}
		}
	}
	if err != nil && !errors.Is(err, fault.NotFound) {
		r.problem(ctx, "the knowledge base", err)
	}
	r.Capsules.tally(t.capsules, there)
	return ctx.Err()
}

// countItems reads the memory's file as it lies there: what the tools leave out counts
// too.
func (t *selftestRun) countItems(ctx context.Context, r *SelftestResult) error {
	paths, err := memory.Paths(t.home())
	if err != nil {
		return err
	}
	there := map[string]string{}
	for _, path := range paths {
		if _, err := memory.Check(ctx, t.home(), path, true); err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.problem(ctx, "the memory", err)
		}
		r.texts(ctx, "the memory", path, `SELECT id, content FROM items`, there)
	}
	r.Items.tally(t.items, there)
	return ctx.Err()
}

// countChunks reads the context store's file.
func (t *selftestRun) countChunks(ctx context.Context, r *SelftestResult) error {
	there := map[string]string{}
	path := filepath.Join(t.work(), ".agent-memory-store", chunks.FileName)
	if _, err := os.Lstat(path); err == nil {
		s, _, err := chunks.Open(ctx, filepath.Dir(path), chunks.Options{})
		if err == nil {
			err = errors.Join(s.Check(ctx), s.Close())
		}
		if err != nil {
			r.problem(ctx, "the context store", err)
		}
		r.texts(ctx, "the context store", path, `SELECT id, content FROM chunks`, there)
	}
	r.Chunks.tally(t.chunks, there)
	return ctx.Err()
}

// texts reads ids and texts out of a file that no process has open any more. One without
// tables has none: whoever made it was killed before it could write.
func (r *SelftestResult) texts(ctx context.Context, what, path, query string, into map[string]string) {
	f, err := sqlite.OpenForeign(ctx, path)
	var tables []string
	if err == nil {
		defer f.Close()
		tables, err = f.Tables(ctx)
	}
	if err == nil && len(tables) > 0 {
		err = f.Each(ctx, query, func(row []any) error {
			into[fmt.Sprint(row[0])] = fmt.Sprint(row[1])
			return nil
		})
	}
	if err != nil {
		r.problem(ctx, what, err)
	}
}

// problem notes what a check found, unless it was called off.
func (r *SelftestResult) problem(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		r.Problems = append(r.Problems, what+": "+err.Error())
	}
}
