//go:build linux

// Command table measures what people and agents wait for, beside the floors under it: a
// program of one line, SQLite's own shell, FTS5 in process, an empty Bubble Tea program.
//
//	go run ./testdata/cost/table [-rounds 20] [-only start,post] [-also BOARD]
//	go run ./testdata/cost/table -rounds 1 -only growth -limit 20m
//
// The rows take turns, so that what else the machine does falls on all of them alike. For
// each row it prints the median and the processor time (user and system, of all its
// processes), and how many times its floor's they are. A floor that is not installed is
// left out, and the table says so. It ends by itself: the quick form within 3 minutes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// row is one line of the table.
type row struct {
	name  string
	floor string  // the row that it is compared with
	aim   float64 // at most so many times the floor; 0: none
	// once does it once. What a call prepares is not in its cost.
	once func() (cost, error)
	took []cost
}

// cost is what one call takes.
type cost struct{ wall, cpu time.Duration }

// bench is where the rows are made: the binaries, and a scratch directory.
type bench struct {
	ctx    context.Context
	dir    string
	boards []string // the one of this source first
	rows   []*row
	ends   []func()
	notes  []string
	curves []curve
}

func main() {
	rounds := flag.Int("rounds", 20, "how often each row is measured")
	only := flag.String("only", "start,post,search,writers,idle", "groups of rows, with commas")
	also := flag.String("also", "", "other binaries of board to measure beside, with commas")
	limit := flag.Duration("limit", 3*time.Minute, "when to stop, with what is measured by then")
	if os.Getenv(bareEnv) != "" {
		bare()
		return
	}
	flag.Parse()
	if err := run(*rounds, *only, *also, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(rounds int, only, also string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), max(limit, time.Minute)+time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "cost")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{ctx: ctx, dir: dir}
	defer func() {
		for _, end := range slices.Backward(b.ends) {
			end()
		}
	}()
	if err := b.build(also); err != nil {
		return err
	}
	b.add("hello", "", 0, func() (cost, error) {
		return b.process(call{exe: filepath.Join(b.dir, "hello"), home: b.dir})
	})
	groups := map[string]func() error{"start": b.starts, "post": b.posts, "search": b.searches,
		"writers": b.writers, "idle": b.idles, "growth": b.growths}
	for name := range strings.SplitSeq(only, ",") {
		if groups[name] == nil {
			return fmt.Errorf("there is no group %q", name)
		}
		if err := groups[name](); err != nil {
			return err
		}
	}
	begin := time.Now()
	for range rounds {
		for _, r := range b.rows {
			if time.Since(begin) > limit {
				break
			}
			c, err := r.once()
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			r.took = append(r.took, c)
		}
	}
	b.print()
	return nil
}

// build builds the program as a release is, but without SIMD, which nothing here needs, and
// a program of one line.
func (b *bench) build(also string) error {
	b.boards = []string{filepath.Join(b.dir, "board")}
	if also != "" {
		b.boards = append(b.boards, strings.Split(also, ",")...)
	}
	if err := b.goBuild("board", "blackboard/cmd/board"); err != nil {
		return err
	}
	source := filepath.Join(b.dir, "hello.go")
	text := "package main\n\nfunc main() { print(\"hello\\n\") }\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return err
	}
	return b.goBuild("hello", source)
}

func (b *bench) goBuild(name, what string) error {
	c := exec.CommandContext(b.ctx, "go", "build", "-tags", "urfave_cli_no_docs", "-trimpath",
		"-o", filepath.Join(b.dir, name), what)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", what, err, out)
	}
	return nil
}

// add adds a row.
func (b *bench) add(name, floor string, aim float64, once func() (cost, error)) {
	b.rows = append(b.rows, &row{name: name, floor: floor, aim: aim, once: once})
}

// note says what the table lacks.
func (b *bench) note(text string) { b.notes = append(b.notes, text) }

// print prints the table.
func (b *bench) print() {
	fmt.Printf("%-44s %9s %9s %8s %8s %6s  of\n", "", "median", "cpu", "ratio", "cpu", "aim")
	for _, r := range b.rows {
		if len(r.took) == 0 {
			continue
		}
		m := r.median()
		fmt.Printf("%-44s %9s %9s", r.name, short(m.wall), short(m.cpu))
		i := slices.IndexFunc(b.rows, func(f *row) bool { return f.name == r.floor && len(f.took) > 0 })
		if i >= 0 {
			f := b.rows[i].median()
			fmt.Printf(" %7.2f× %7.2f×", ratio(m.wall, f.wall), ratio(m.cpu, f.cpu))
			if r.aim > 0 {
				fmt.Printf(" %6.3g", r.aim)
			} else {
				fmt.Printf(" %6s", "")
			}
			fmt.Printf("  %s", r.floor)
		}
		fmt.Println()
	}
	for _, c := range b.curves {
		if e, measured := c.exponent(); measured {
			fmt.Printf("%s grows with the power %.2f of its size\n", c.what, e)
		}
	}
	for _, n := range b.notes {
		fmt.Println(n)
	}
}

func (r *row) median() cost {
	return cost{middle(r.took, func(c cost) time.Duration { return c.wall }),
		middle(r.took, func(c cost) time.Duration { return c.cpu })}
}

func middle(all []cost, of func(cost) time.Duration) time.Duration {
	var ds []time.Duration
	for _, c := range all {
		ds = append(ds, of(c))
	}
	slices.Sort(ds)
	return ds[len(ds)/2]
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

// short is a duration in milliseconds.
func short(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1e3) }
