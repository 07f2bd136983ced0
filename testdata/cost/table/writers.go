//go:build linux

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// writers are 16 writers at once of one board and of one database: a process for each of
// their inserts. The cost is that of all of them.
func (b *bench) writers() error {
	const each = 3
	floor := fmt.Sprintf("sqlite3: 16 × %d processes insert", each)
	if b.hasShell() {
		file := filepath.Join(b.dir, "writers.db")
		insert := ".timeout 60000\nPRAGMA synchronous=FULL;" + shellInsert + "\n"
		c := call{exe: "sqlite3", home: b.dir, stdin: shellTable + "\n"}
		if err := b.do(c, []string{"-batch", file}); err != nil {
			return err
		}
		c.stdin = insert
		b.add(floor, "", 0, func() (cost, error) { return b.together(each, c, "-batch", file) })
	}
	for i, exe := range b.boards {
		name := fmt.Sprintf("board post: 16 × %d processes", each)
		if i > 0 {
			name = exe + " " + name
		}
		home, err := b.home(fmt.Sprint("writers", i))
		if err != nil {
			return err
		}
		c := call{exe: exe, home: home}
		if err := b.do(c, []string{"new", "r"}); err != nil {
			return err
		}
		b.add(name, floor, 2, func() (cost, error) {
			return b.together(each, c, "post", "a finding about a thing")
		})
	}
	return nil
}

// together has 16 run a command so often each, one process after the other.
func (b *bench) together(each int, c call, args ...string) (all cost, err error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	begin := time.Now()
	for range 16 {
		wg.Go(func() {
			for range each {
				one, e := b.process(c, args...)
				mu.Lock()
				all.cpu, err = all.cpu+one.cpu, errors.Join(err, e)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	all.wall = time.Since(begin)
	return all, err
}
