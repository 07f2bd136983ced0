// Command check runs histories of overlapping calls against a program and judges them: see package
// histories. It exits with 1 if one fails, and then prints where its files are.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/testdata/histories"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

func run() error {
	c := histories.Config{}
	program := flag.String("program", "", "the program under test; default: board, built from this tree")
	again := flag.String("judge", "", "judge the history in this directory again, and run nothing")
	rounds := flag.Int("rounds", 1, "how many runs, each with the next seed")
	shrink := flag.Int("shrink", 3, "how often each smaller run is tried after one that failed; 0: do not shrink")
	flag.Uint64Var(&c.Seed, "seed", uint64(time.Now().UnixNano()), "the seed")
	flag.DurationVar(&c.Time, "time", 30*time.Second, "how long callers begin new calls")
	flag.IntVar(&c.Calls, "calls", 0, "how many calls at most; 0: no bound")
	flag.IntVar(&c.Servers, "servers", 2, "how many board mcp over stdio")
	flag.IntVar(&c.Overlap, "overlap", 4, "overlapping calls of each server and of the daemon")
	flag.IntVar(&c.Commands, "commands", 2, "callers whose every call is a process")
	flag.BoolVar(&c.Daemon, "daemon", false, "a daemon over HTTP")
	flag.IntVar(&c.Watchers, "watchers", 0, "TUIs that watch")
	flag.DurationVar(&c.Kills, "kills", 0, "between two kills, on average; 0: some ten a second")
	stores := flag.String("stores", strings.Join(histories.Stores, ","), "which stores")
	faults := flag.String("faults", "none", "of "+strings.Join(histories.Faults, ",")+"; or all, none")
	flag.Parse()
	if *again != "" {
		h, err := histories.Load(*again)
		if err != nil {
			return err
		}
		return tell(h, histories.Judge(h, *again), nil)
	}
	c.Stores = strings.Split(*stores, ",")
	for _, store := range c.Stores {
		if !slices.Contains(histories.Stores, store) {
			return fmt.Errorf("unknown store %q; the stores are %s", store, strings.Join(histories.Stores, ", "))
		}
	}
	switch *faults {
	case "all":
		c.Faults = histories.Faults
	case "none":
	default:
		c.Faults = strings.Split(*faults, ",")
	}
	for _, f := range c.Faults {
		if !slices.Contains(histories.Faults, f) {
			return fmt.Errorf("unknown fault %q; the faults are %s", f, strings.Join(histories.Faults, ", "))
		}
	}
	dir, err := os.MkdirTemp("", "board-histories-")
	if err != nil {
		return err
	}
	if c.Program, err = filepath.Abs(*program); *program == "" {
		c.Program = filepath.Join(dir, "board")
		build := exec.Command("go", "build", "-o", c.Program, "blackboard/cmd/board")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	if err != nil {
		return err
	}
	begin := time.Now()
	total, kills := histories.Verdict{}, 0
	for i := range *rounds {
		r := c
		r.Seed += uint64(i)
		r.Dir = filepath.Join(dir, fmt.Sprintf("round-%d", i+1))
		h, problems, err := histories.Run(r)
		if err != nil {
			return err
		}
		v := histories.Judge(h, r.Dir)
		for _, f := range h.Faults {
			if f.What == "kill" {
				kills++
			}
		}
		total.Acked, total.Lost, total.DoubleIDs, total.Errors, total.Files = total.Acked+v.Acked, total.Lost+v.Lost, total.DoubleIDs+v.DoubleIDs, total.Errors+v.Errors, total.Files+v.Files
		if err := tell(h, v, problems); err != nil {
			fmt.Printf("failed after %.1f s in round %d; kept in %s\njudge it again: go run ./testdata/histories/check -judge %s\nrepeat the run: go run ./testdata/histories/check %s\n",
				time.Since(begin).Seconds(), i+1, r.Dir, r.Dir, r.Settings())
			if *shrink > 0 {
				smaller, kept := histories.Shrink(r, dir, *shrink, func(format string, args ...any) { fmt.Printf("  "+format+"\n", args...) })
				fmt.Printf("the smallest that failed: go run ./testdata/histories/check %s\nits files: %s\n", smaller.Settings(), kept)
			}
			return err
		}
		os.RemoveAll(r.Dir)
	}
	os.RemoveAll(dir)
	fmt.Printf("%d runs in %.0f s, %d kills: %d writes acknowledged, %d lost, %d double ids, %d errors, %d unsound files\n", *rounds, time.Since(begin).Seconds(), kills, total.Acked, total.Lost, total.DoubleIDs, total.Errors, total.Files)
	return nil
}

// tell prints a verdict, and is an error if something is wrong.
func tell(h *histories.History, v histories.Verdict, problems []string) error {
	fmt.Println(h.Summary(v))
	for _, p := range problems {
		fmt.Println("  the world:", p)
	}
	for i, p := range v.Problems {
		if i == 20 {
			fmt.Printf("  … and %d more problems\n", len(v.Problems)-i)
			break
		}
		fmt.Println("  " + p.String())
	}
	if n := len(v.Problems) + len(problems); n > 0 {
		return fmt.Errorf("%d problems", n)
	}
	return nil
}
