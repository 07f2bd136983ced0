//go:build linux

package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blackboard/board"
)

// curve is how the processor time of an operation grows with its input.
type curve struct {
	what  string
	sizes []int
	rows  []*row
}

// growths measure builds, passes and lists at four sizes.
func (b *bench) growths() error {
	of := func(what string, sizes []int, once func(n int) (func() (cost, error), string, error)) error {
		c := curve{what: what, sizes: sizes}
		for _, n := range sizes {
			do, floor, err := once(n)
			if err != nil {
				return err
			}
			b.add(fmt.Sprintf("%s of %d", what, n), floor, 0, do)
			c.rows = append(c.rows, b.rows[len(b.rows)-1])
		}
		b.curves = append(b.curves, c)
		return nil
	}
	many, few := []int{1000, 3000, 10_000, 30_000}, []int{100, 300, 1000, 3000}
	if err := of("FTS5 built", many, b.growFTS); err != nil {
		return err
	}
	for _, exe := range b.boards {
		name := filepath.Base(filepath.Dir(exe)) + "/" + filepath.Base(exe)
		if exe == b.boards[0] {
			name = "board"
		}
		kept := map[int]call{}
		build := func(n int) (func() (cost, error), string, error) { return b.growKB(exe, n, kept) }
		if err := of(name+" kb import", many, build); err != nil {
			return err
		}
		for _, what := range []string{"dedupe", "contradictions"} {
			pass := func(n int) (func() (cost, error), string, error) {
				return func() (cost, error) { return b.process(kept[n], "kb", "curate", what) }, "", nil
			}
			if err := of(name+" kb curate "+what, many, pass); err != nil {
				return err
			}
		}
		list := func(n int) (func() (cost, error), string, error) {
			c := call{exe: exe, home: filepath.Join(b.dir, fmt.Sprint("runs", n))}
			return func() (cost, error) { return b.process(c, "runs") }, "", b.makeRuns(c.home, n)
		}
		if err := of(name+" runs", []int{30, 100, 300, 1000}, list); err != nil {
			return err
		}
		take := func(n int) (func() (cost, error), string, error) { return b.growImport(exe, n) }
		if err := of(name+" import", few, take); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) growFTS(n int) (func() (cost, error), string, error) {
	file := filepath.Join(b.dir, fmt.Sprintf("grow%d.db", n))
	return func() (cost, error) {
		os.Remove(file)
		return inProcess(func() error { return fillFTS(file, n) })
	}, "", nil
}

// growKB imports capsules into a home of its own each time, the last of which stays in kept.
func (b *bench) growKB(exe string, n int, kept map[int]call) (func() (cost, error), string, error) {
	capsules := filepath.Join(b.dir, fmt.Sprintf("grow%d.jsonl", n))
	return func() (cost, error) {
		os.RemoveAll(kept[n].home)
		home, err := os.MkdirTemp(b.dir, "grow")
		kept[n] = call{exe: exe, home: home}
		if err != nil {
			return cost{}, err
		}
		return b.process(kept[n], "kb", "import", capsules, "--apply")
	}, fmt.Sprintf("FTS5 built of %d", n), writeCapsules(capsules, n)
}

// makeRuns makes runs that have an entry each, if they are not there.
func (b *bench) makeRuns(home string, n int) error {
	dir := filepath.Join(home, "boards")
	for i := range n {
		r, err := board.OpenOrCreate(b.ctx, dir, fmt.Sprint("run", i))
		if err == nil {
			_, err = r.Post(b.ctx, "w", board.Post{Content: text(i)})
			r.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// growImport imports a run's export into a home of its own each time.
func (b *bench) growImport(exe string, n int) (func() (cost, error), string, error) {
	file := filepath.Join(b.dir, fmt.Sprintf("run%d.jsonl", n))
	if _, err := os.Stat(file); err != nil {
		r, err := board.OpenOrCreate(b.ctx, filepath.Join(b.dir, "from"), fmt.Sprint("grow", n))
		if err != nil {
			return nil, "", err
		}
		defer r.Close()
		for i := range n {
			if _, err := r.Post(b.ctx, "w", board.Post{Content: text(i)}); err != nil {
				return nil, "", err
			}
		}
		var s strings.Builder
		if err := r.Export(b.ctx, &s); err != nil {
			return nil, "", err
		}
		if err := os.WriteFile(file, []byte(s.String()), 0o600); err != nil {
			return nil, "", err
		}
	}
	return func() (cost, error) {
		home, err := os.MkdirTemp(b.dir, "import")
		if err != nil {
			return cost{}, err
		}
		defer os.RemoveAll(home)
		return b.process(call{exe: exe, home: home}, "import", file)
	}, "", nil
}

// exponent is that of the power of the size by which the processor time grows: the slope
// between the logarithms, by least squares.
func (c *curve) exponent() (float64, bool) {
	var n, x, y, xx, xy float64
	for i, r := range c.rows {
		if len(r.took) == 0 {
			return 0, false
		}
		u := math.Log(float64(c.sizes[i]))
		v := math.Log(float64(max(r.median().cpu, time.Microsecond)))
		n, x, y, xx, xy = n+1, x+u, y+v, xx+u*u, xy+u*v
	}
	return (n*xy - x*y) / (n*xx - x*x), n > 1
}
