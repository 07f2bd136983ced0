//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"

	tea "github.com/charmbracelet/bubbletea"
)

// bareEnv makes this program an empty Bubble Tea program, which runs until it is killed.
const bareEnv = "TABLE_BARE"

type empty struct{}

func (empty) Init() tea.Cmd                         { return nil }
func (e empty) Update(tea.Msg) (tea.Model, tea.Cmd) { return e, nil }
func (empty) View() string                          { return "empty" }

func bare() { _, _ = tea.NewProgram(empty{}, tea.WithAltScreen()).Run() }

// idles are terminal interfaces that nobody touches, a bare one and ours, in the same
// seconds. In place of a time the row counts wake-ups.
func (b *bench) idles() error {
	home, err := b.home("idle")
	if err != nil {
		return err
	}
	c := call{exe: b.boards[0], home: home}
	if err := b.do(c, []string{"new", "r"}, []string{"post", "first"}); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bareOne := b.command(call{exe: self, home: home, env: []string{bareEnv + "=1"}})
	ours := b.command(c, "tui")
	var last [2]cost
	began := false
	b.add("idle: empty Bubble Tea program, a second", "", 0, func() (cost, error) {
		if !began {
			began = true
			for _, cmd := range []*exec.Cmd{bareOne, ours} {
				if err := b.onTerminal(cmd); err != nil {
					return cost{}, err
				}
			}
			time.Sleep(2 * time.Second) // until both have drawn
		}
		before := [2]cost{state(bareOne), state(ours)}
		time.Sleep(time.Second)
		for i, cmd := range []*exec.Cmd{bareOne, ours} {
			now := state(cmd)
			last[i] = cost{now.wall - before[i].wall, now.cpu - before[i].cpu}
		}
		return last[0], nil
	})
	b.add("idle: board tui, a second", "idle: empty Bubble Tea program, a second", 1.1,
		func() (cost, error) { return last[1], nil })
	b.note("idle: the first column counts wake-ups, a millisecond for each")
	return nil
}

// onTerminal starts a command on a pseudo terminal, which is read.
func (b *bench) onTerminal(cmd *exec.Cmd) error {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	var unlocked, n int32
	size := [4]uint16{50, 160}
	for request, arg := range map[uintptr]unsafe.Pointer{syscall.TIOCSPTLCK: unsafe.Pointer(&unlocked),
		syscall.TIOCGPTN: unsafe.Pointer(&n), syscall.TIOCSWINSZ: unsafe.Pointer(&size)} {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(arg)); e != 0 {
			return e
		}
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	go io.Copy(io.Discard, master)
	b.ends = append(b.ends, func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); master.Close(); slave.Close() })
	return nil
}

// state is how often the threads of a process have slept, and their processor time.
func state(cmd *exec.Cmd) (c cost) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", cmd.Process.Pid))
	for _, task := range tasks {
		status, _ := os.ReadFile(filepath.Join(task, "status"))
		for line := range strings.Lines(string(status)) {
			var n int
			if _, err := fmt.Sscanf(line, "voluntary_ctxt_switches: %d", &n); err == nil {
				c.wall += time.Duration(n) * time.Millisecond
			}
		}
		var ns int64
		sched, _ := os.ReadFile(filepath.Join(task, "schedstat"))
		fmt.Sscan(string(sched), &ns)
		c.cpu += time.Duration(ns)
	}
	return c
}
