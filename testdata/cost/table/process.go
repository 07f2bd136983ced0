//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// call is a command with a data home of its own, or what it shares with others.
type call struct {
	exe   string
	home  string
	env   []string
	stdin string
}

// command is the command, ready to start. The daemon is off unless env says else.
func (b *bench) command(c call, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(b.ctx, c.exe, args...)
	cmd.Dir = c.home
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "BOARD_HOME=" + c.home,
		"BOARD_MODEL_DIR=" + filepath.Join(c.home, "none"), "BOARD_RUN=r", "BOARD_WORKER=w",
		"XDG_RUNTIME_DIR=" + c.home, "BOARD_DAEMON=off"}, c.env...)
	if c.stdin != "" {
		cmd.Stdin = strings.NewReader(c.stdin)
	}
	return cmd
}

// process runs a command to its end. Its output is thrown away, as a file takes it at once.
func (b *bench) process(c call, args ...string) (cost, error) {
	cmd := b.command(c, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	begin := time.Now()
	err := cmd.Run()
	took := time.Since(begin)
	if err != nil {
		return cost{}, fmt.Errorf("%q: %w: %s", args, err, said.Bytes())
	}
	return cost{took, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

// inProcess measures fn in this process.
func inProcess(fn func() error) (cost, error) {
	before, begin := spent(), time.Now()
	err := fn()
	return cost{time.Since(begin), spent() - before}, err
}

// spent is the processor time of this process.
func spent() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// home makes a data home.
func (b *bench) home(name string) (string, error) {
	dir := filepath.Join(b.dir, name)
	return dir, os.MkdirAll(dir, 0o700)
}

const (
	toolUsed = `{"session_id":"s","cwd":"%s","hook_event_name":"PostToolUse","tool_name":"Bash",` +
		`"tool_use_id":"t1","tool_input":{"command":"make"},"tool_response":{"stdout":"x"}}`
	prompted = `{"session_id":"s","cwd":"%s","hook_event_name":"UserPromptSubmit",` +
		`"prompt":"why does the thing 17 of the service fail?"}`
)

// starts are commands as whole processes, beside a program of one line.
func (b *bench) starts() error {
	for i, exe := range b.boards {
		name := ""
		if i > 0 {
			name = exe + " "
		}
		home, err := b.home(fmt.Sprint("start", i))
		if err != nil {
			return err
		}
		c := call{exe: exe, home: home}
		if err := b.do(c, []string{"new", "r"}, []string{"post", "first"}); err != nil {
			return err
		}
		b.addProcess(name+"--version", 3, c, "--version")
		b.addProcess(name+"gate", 4, c, "gate")
		b.addProcess(name+"post", 5, c, "post", "a finding about a thing")
		if err := b.hooks(name, c); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) addProcess(name string, aim float64, c call, args ...string) {
	b.add(name, "hello", aim, func() (cost, error) { return b.process(c, args...) })
}

// hooks are hooks, without a daemon and beside one.
func (b *bench) hooks(name string, c call) error {
	warm := c
	warm.env = []string{"BOARD_DAEMON=auto"}
	if err := b.do(warm, []string{"daemon", "start"}); err != nil {
		return err
	}
	b.ends = append(b.ends, func() { _ = b.do(warm, []string{"daemon", "stop"}) })
	for _, h := range []struct {
		event, payload string
	}{{"PostToolUse", toolUsed}, {"UserPromptSubmit", prompted}} {
		c.stdin, warm.stdin = fmt.Sprintf(h.payload, c.home), fmt.Sprintf(h.payload, c.home)
		b.addProcess(name+"hook "+h.event+", daemon", 6, warm, "hook", h.event)
		b.addProcess(name+"hook "+h.event+", alone", 0, c, "hook", h.event)
	}
	return nil
}

// do runs commands that prepare something.
func (b *bench) do(c call, lines ...[]string) error {
	for _, args := range lines {
		if _, err := b.process(c, args...); err != nil {
			return err
		}
	}
	return nil
}
