package histories

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// watch has a TUI look at the run, on a terminal of its own, until the run is over.
func (w *world) watch(ctx context.Context, n int) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		w.problem("no terminal for a TUI: %v", err)
		return
	}
	defer master.Close()
	var locked, pts int32
	size := [4]uint16{40, 120}
	for request, arg := range map[uintptr]unsafe.Pointer{syscall.TIOCSPTLCK: unsafe.Pointer(&locked), syscall.TIOCGPTN: unsafe.Pointer(&pts), syscall.TIOCSWINSZ: unsafe.Pointer(&size)} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(arg)); errno != 0 {
			w.problem("no terminal for a TUI: %v", errno)
			return
		}
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", pts), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		w.problem("no terminal for a TUI: %v", err)
		return
	}
	defer slave.Close()
	go func() {
		for b := make([]byte, 1<<16); ; {
			if _, err := master.Read(b); err != nil {
				return
			}
		}
	}()
	for ctx.Err() == nil {
		cmd := w.command("tui")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := cmd.Start(); err != nil {
			w.problem("%v", err)
			return
		}
		ended := make(chan struct{})
		go func() { cmd.Wait(); close(ended) }()
		select {
		case <-ended: // the run was not there yet
			pause(ctx, 0)
		case <-ctx.Done():
			cmd.Process.Signal(syscall.SIGTERM)
			<-ended
		}
	}
}
