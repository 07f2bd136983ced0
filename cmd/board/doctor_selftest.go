package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/kb"
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

	Entries  selftestCount `json:"entries"`
	Capsules selftestCount `json:"capsules"`
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
		return &hintedError{"a directory for the self-test cannot be made: " + err.Error(), "make the data home writable, or point $BOARD_HOME at one that is"}
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
	r.Processes, r.Killed, r.Failed, r.Failure = t.processes, t.killed, t.failed, t.failure
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
	for _, n := range []struct {
		name string
		n    *selftestCount
	}{{"entries", &r.Entries}, {"capsules", &r.Capsules}} {
		p.printf("%-12s %d acknowledged, %d of them found; %d more of processes that were killed\n", n.name, n.n.Acknowledged, n.n.Found, n.n.Unacknowledged)
	}
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
	if err := t.countEntries(ctx, r); err != nil {
		return err
	}
	if err := t.countCapsules(ctx, r); err != nil {
		return err
	}
	for _, n := range []struct {
		name string
		n    int
	}{{"acknowledged entries are missing", r.Entries.Missing}, {"acknowledged capsules are missing", r.Capsules.Missing}, {"batches are there in part", r.TornBatches}} {
		if n.n > 0 {
			r.Problems = append(r.Problems, fmt.Sprintf("%d %s", n.n, n.name))
		}
	}
	return nil
}

// tally counts what is there, by id, against what was acknowledged.
func (n *selftestCount) tally(acknowledged, there map[string]string) {
	n.Acknowledged = len(acknowledged)
	for id, text := range acknowledged {
		if there[id] == text {
			n.Found++
		}
	}
	n.Missing = n.Acknowledged - n.Found
	for id := range there {
		if _, ok := acknowledged[id]; !ok {
			n.Unacknowledged++
		}
	}
}

func (t *selftestRun) countEntries(ctx context.Context, r *selftestResult) error {
	there := map[string]string{}
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
		}
	}
	if err != nil && !errors.Is(err, board.ErrNotFound) { // none was made, or what was is missing
		r.problem(ctx, "the board", err)
	}
	r.Entries.tally(t.entries, there)
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
	if err != nil && !errors.Is(err, kb.ErrNotFound) {
		r.problem(ctx, "the knowledge base", err)
	}
	r.Capsules.tally(t.capsules, there)
	return ctx.Err()
}

// problem notes what a check found, unless it was called off.
func (r *selftestResult) problem(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		r.Problems = append(r.Problems, what+": "+err.Error())
	}
}
