// Command load runs a command while other processes keep the machine busy, to show that
// its result does not depend on its speed:
//
//	go run ./testdata/load [-n 20] [-limit 1h] -- go test -count=1 ./...
//
// Of five busy processes three compute, one writes and syncs a file in a directory of its
// own, one allocates. They have the priority of the command: one that computes in a single
// thread gets about one part in n+1 of the CPUs.
//
// The exit code is the command's (go run makes a 1 of each that is not 0). The busy
// processes end with this one, however it ends: they read a pipe that only it holds open.
// It ends when its parent does or after -limit, and then ends the command too, as a failure.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	if kind := os.Getenv(busyEnv); kind != "" {
		busy(kind)
		os.Exit(0)
	}
	n := flag.Int("n", 20, "how many busy processes")
	limit := flag.Duration("limit", time.Hour, "the longest that the command and the load may last")
	flag.Parse()
	if flag.NArg() == 0 || *n < 0 {
		fmt.Fprintln(os.Stderr, "usage: load [-n 20] [-limit 1h] -- COMMAND [ARGUMENT …]")
		os.Exit(2)
	}
	code, err := run(*n, *limit, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
	}
	os.Exit(code)
}

// busyEnv tells a process which kind of load it makes.
const busyEnv = "LOAD_BUSY"

// kinds are the kinds of load, in turn.
var kinds = []string{"compute", "write", "compute", "allocate", "compute"}

// run runs the command beside n busy processes and returns its exit code.
func run(n int, limit time.Duration, command []string) (int, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeoutCause(ctx, limit,
		fmt.Errorf("the command was not done after %v and is ended; -limit sets how long it may take", limit))
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return 1, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return 1, err
	}
	var load []*exec.Cmd
	defer func() {
		w.Close() // the busy processes end
		for _, c := range load {
			c.Wait()
		}
	}()
	started := map[string]int{}
	for i := range n {
		kind := kinds[i%len(kinds)]
		c := exec.Command(self)
		c.Stdin, c.Stderr, c.Env = r, os.Stderr, append(os.Environ(), busyEnv+"="+kind, "GOMAXPROCS=1")
		if err := c.Start(); err != nil {
			return 1, err
		}
		load, started[kind] = append(load, c), started[kind]+1
	}
	r.Close()
	fmt.Fprintf(os.Stderr, "load: %d busy processes on %d CPUs: %d compute, %d write, %d allocate\n",
		n, runtime.NumCPU(), started["compute"], started["write"], started["allocate"])

	begin := time.Now()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // which go test hands on
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		return 1, cmp.Or(context.Cause(ctx), err)
	}
	average, stopWatching := watch(cancel)
	err = cmd.Wait()
	stopWatching()
	fmt.Fprintf(os.Stderr, "load: %s: exit code %d after %.0f s%s\n",
		strings.Join(command, " "), cmd.ProcessState.ExitCode(), time.Since(begin).Seconds(), average())
	if ctx.Err() != nil {
		return 1, context.Cause(ctx)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(exit.ExitCode(), 1), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// watch samples the load once a second until stop is called, and cancels when the parent has
// gone. average says what was seen, once it has stopped.
func watch(cancel func()) (average func() string, stop func()) {
	var running, samples int
	var loads []string
	parent, done, over := os.Getppid(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for tick := time.Tick(time.Second); ; {
			select {
			case <-done:
				return
			case <-tick:
			}
			if os.Getppid() != parent {
				cancel()
			}
			var now int
			if b, err := os.ReadFile("/proc/loadavg"); err == nil {
				loads = strings.Fields(string(b))
				if _, err := fmt.Sscanf(loads[3], "%d/", &now); err == nil {
					running, samples = running+now, samples+1
				}
			}
		}
	}()
	average = func() string {
		if samples == 0 {
			return ""
		}
		return fmt.Sprintf(", on average %.1f threads wanted a CPU; load averages at the end %s",
			float64(running)/float64(samples), strings.Join(loads[:3], " "))
	}
	return average, func() { close(done); <-over }
}

// busy makes one kind of load until the process that started it has gone.
func busy(kind string) {
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
	defer os.RemoveAll(dir) // after the last write, which would bring the directory back
	var gone atomic.Bool
	go func() {
		io.Copy(io.Discard, os.Stdin)
		gone.Store(true)
	}()
	block := bytes.Repeat([]byte("load"), 64<<10)
	for kept, i := make([][]byte, 64), 0; !gone.Load(); i++ {
		switch kind {
		case "write":
			if f, err := os.Create(filepath.Join(dir, "file")); err == nil {
				f.Write(block)
				f.Sync()
				f.Close()
			}
		case "allocate":
			kept[i%len(kept)] = bytes.Clone(block)
		}
	}
}
