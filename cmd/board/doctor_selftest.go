package main

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

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb"
	"blackboard/kb/chunks"
	"blackboard/kb/memory"
)

// selftestResult is what a self-test has counted.
type selftestResult struct {
	OK        bool   `json:"ok"`
	Directory string `json:"directory"` // where it wrote; it is gone
	Seconds   int    `json:"seconds"`
	Writers   int    `json:"writers"`
	Processes int    `json:"processes"`
	Killed    int    `json:"killed"`
	Failed    int    `json:"failed"`  // that ended with an error by themselves
	Failure   string `json:"failure"` // what the first of them said

	Servers       serverCount   `json:"servers"` // of `board mcp`, beside the writers
	Entries       selftestCount `json:"entries"`
	Capsules      selftestCount `json:"capsules"`
	Items         selftestCount `json:"items"` // of the memory
	Chunks        selftestCount `json:"chunks"`
	CompareAndSet setCount      `json:"compare_and_set"`
	SQLiteErrors  int           `json:"sqlite_errors"` // of commands and calls
	// TornBatches were posted in part: a batch is posted whole or not at all.
	TornBatches int          `json:"torn_batches"`
	Problems    []string     `json:"problems"` // what the integrity checks found, and what is missing
	Fsync       fsyncLatency `json:"fsync"`
}

// selftestCount is how much was acknowledged, and how much of that is there.
type selftestCount struct {
	Acknowledged   int `json:"acknowledged"`
	Found          int `json:"found"`
	Missing        int `json:"missing"`
	Unacknowledged int `json:"unacknowledged"` // what is there besides, of processes that were killed before they said so
	Doubled        int `json:"doubled"`        // acknowledgements with an id that another one has
}

// fsyncLatency is how long the disk takes to make four kilobytes last.
type fsyncLatency struct {
	Samples int     `json:"samples"`
	Median  float64 `json:"median_ms"`
	P99     float64 `json:"p99_ms"`
}

// selftest writes with many processes, kills some of them, and counts.
func (p *program) selftest(c *cli.Context, home string) error {
	ctx := c.Context
	dir, err := os.MkdirTemp(nearest(home), selftestMark)
	if err != nil {
		return fault.Failure.New("a directory for the self-test cannot be made: "+err.Error(), "make the data home writable, or point $BOARD_HOME at one that is")
	}
	defer os.RemoveAll(dir)
	r := selftestResult{Directory: dir, Seconds: c.Int("seconds"), Writers: c.Int("writers"), Problems: []string{}}
	if r.Fsync, err = measureFsync(ctx, dir); err != nil {
		return err
	}
	t, err := newSelftestRun(dir, p.doctorBar())
	if err != nil {
		return err
	}
	if err := t.write(ctx, r.Writers, time.Duration(r.Seconds)*time.Second); err != nil {
		return err
	}
	r.Processes, r.Killed, r.Failed, r.Failure, r.Servers, r.SQLiteErrors = t.processes, t.killed, t.failed, t.failure, t.servers, t.sqliteErrors
	if err := t.count(ctx, &r); err != nil {
		return err
	}
	r.OK = len(r.Problems) == 0
	if c.Bool("json") {
		if err := p.json("selftest", r); err != nil {
			return err
		}
	} else {
		p.tellSelftest(&r)
	}
	if !r.OK {
		return verdictError(exitFailure)
	}
	return nil
}

func (p *program) tellSelftest(r *selftestResult) {
	p.printf("wrote        for %d s with %d at a time in %s, which is gone\n", r.Seconds, r.Writers, safe(r.Directory))
	p.printf("processes    %d, %d of them killed, %d failed\n", r.Processes, r.Killed, r.Failed)
	if r.Failure != "" {
		p.printf("             the first that failed: %s\n", line(r.Failure, 200))
	}
	p.printf("servers      %d, %d of them killed; %d calls, %d at a time, %d answered with an error\n", r.Servers.Processes, r.Servers.Killed, r.Servers.Calls, r.Servers.Overlap, r.Servers.Errors)
	if r.Servers.Error != "" {
		p.printf("             the first error: %s\n", line(r.Servers.Error, 200))
	}
	for _, n := range []struct {
		name string
		n    *selftestCount
	}{{"entries", &r.Entries}, {"capsules", &r.Capsules}, {"items", &r.Items}, {"chunks", &r.Chunks}} {
		p.printf("%-12s %d acknowledged, %d of them found; %d more of processes that were killed\n", n.name, n.n.Acknowledged, n.n.Found, n.n.Unacknowledged)
	}
	p.printf("variable     set by its version %d times, refused %d times, won twice %d times\n", r.CompareAndSet.Won, r.CompareAndSet.Refused, r.CompareAndSet.Twice)
	p.printf("fsync        median %.2f ms, 99 %% within %.2f ms, of %d\n", r.Fsync.Median, r.Fsync.P99, r.Fsync.Samples)
	for _, problem := range r.Problems {
		p.printf("%s  %s\n", p.paint(red, "WRONG"), safe(problem))
	}
	if r.OK {
		p.printf("nothing that was acknowledged is missing, and all files are sound\n")
	} else {
		p.printf("this disk, or this program, does not keep what it acknowledges: do not trust it with what matters\n")
	}
}

// measureFsync times how long the disk takes to make a small write last, for two seconds at most.
func measureFsync(ctx context.Context, dir string) (fsyncLatency, error) {
	const most, patience = 200, 2 * time.Second
	f, err := os.Create(filepath.Join(dir, "fsync"))
	if err != nil {
		return fsyncLatency{}, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	var took []time.Duration
	block := make([]byte, 4096)
	for begin := time.Now(); len(took) < most && time.Since(begin) < patience; {
		if ctx.Err() != nil {
			return fsyncLatency{}, ctx.Err()
		}
		start := time.Now()
		if _, err = f.Write(block); err == nil {
			err = f.Sync()
		}
		if err != nil {
			return fsyncLatency{}, err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
	return fsyncLatency{len(took), ms(took[len(took)/2]), ms(took[len(took)*99/100])}, nil
}

// count holds what is there against what was acknowledged, and has every file checked.
func (t *selftestRun) count(ctx context.Context, r *selftestResult) error {
	if len(t.entries)+len(t.capsules) == 0 {
		r.Problems = append(r.Problems, "no process got through")
		return nil
	}
	for _, count := range []func(context.Context, *selftestResult) error{t.countEntries, t.countCapsules, t.countItems, t.countChunks} {
		if err := count(ctx, r); err != nil {
			return err
		}
	}
	for _, n := range []struct {
		name string
		n    selftestCount
	}{{"entries", r.Entries}, {"capsules", r.Capsules}, {"items", r.Items}, {"chunks", r.Chunks}} {
		r.wrong(n.n.Missing, "acknowledged %s are missing", n.name)
		r.wrong(n.n.Doubled, "%s were acknowledged with an id that another one has", n.name)
	}
	r.wrong(r.TornBatches, "batches are there in part")
	r.wrong(r.CompareAndSet.Twice, "changes of the variable were won by two at once")
	r.wrong(r.CompareAndSet.Missing, "acknowledged changes of the variable are missing")
	r.wrong(t.sqliteErrors, "errors of SQLite, the first: %s", t.sqliteError)
	return nil
}

// wrong adds a problem if there are any of it.
func (r *selftestResult) wrong(n int, format string, a ...any) {
	if n > 0 {
		r.Problems = append(r.Problems, fmt.Sprintf("%d ", n)+fmt.Sprintf(format, a...))
	}
}

// tally counts what is there, by id, against what was acknowledged.
func (n *selftestCount) tally(said []acknowledged, there map[string]string) {
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
func (n *setCount) tallySets(said []acknowledged, now *board.Variable) {
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

func (t *selftestRun) countEntries(ctx context.Context, r *selftestResult) error {
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

func (t *selftestRun) countCapsules(ctx context.Context, r *selftestResult) error {
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

// countItems reads the memory's file as it lies there: what the tools leave out counts too.
func (t *selftestRun) countItems(ctx context.Context, r *selftestResult) error {
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
func (t *selftestRun) countChunks(ctx context.Context, r *selftestResult) error {
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

// texts reads ids and texts out of a file that no process has open any more.
func (r *selftestResult) texts(ctx context.Context, what, path, query string, into map[string]string) {
	f, err := sqlite.OpenForeign(ctx, path)
	if err == nil {
		defer f.Close()
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
func (r *selftestResult) problem(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		r.Problems = append(r.Problems, what+": "+err.Error())
	}
}
