//go:build unix

package served

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Start has n processes of program, a file named board, serve commands, and puts a program
// named board first in $PATH that gives them its own. source is the folder of that program.
// stop ends them.
func Start(program, source string, n int) (stop func(), err error) {
	dir, err := os.MkdirTemp("", "bs") // short: a socket's path is at most about 100 bytes
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	if _, err := os.ReadDir(source); err != nil { // also has go test know on what its result stands
		return nil, err
	}
	address := filepath.Join(dir, "s")
	build := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, "board"), "-ldflags",
		"-s -w -X main.address="+address+" -X main.program="+program, ".")
	build.Dir, build.Env = source, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: address, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // the processes accept from it
	defer l.Close()
	socket, err := l.File()
	if err != nil {
		return nil, err
	}
	end, hold, err := os.Pipe() // the processes end when hold is closed, also because this one ended
	if err != nil {
		return nil, err
	}
	errs := os.Stderr // which the tests set anew when they begin, with -json
	var stopped atomic.Bool
	var processes sync.WaitGroup
	for range n {
		processes.Go(func() {
			for !stopped.Load() { // another one for one that a command has ended
				cmd := exec.Command(program)
				cmd.Args = []string{"board"}
				cmd.Env = append(os.Environ(), Env+"=1")
				cmd.Stdin, cmd.Stderr = end, errs
				cmd.ExtraFiles = []*os.File{socket}
				if err := cmd.Run(); err != nil && !stopped.Load() {
					fmt.Fprintln(errs, "a process that serves commands:", err)
					time.Sleep(100 * time.Millisecond)
				}
			}
		})
	}
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return func() {
		stopped.Store(true)
		hold.Close()
		processes.Wait()
		end.Close()
		socket.Close()
		os.RemoveAll(dir)
	}, nil
}

// Serve runs commands until the process that called [Start] stops it, or ends.
func Serve(run Command) {
	l, err := net.FileListener(os.NewFile(3, "socket"))
	if err != nil {
		fail(err)
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0) // which also writes what the tests have covered
	}()
	for {
		c, err := l.(*net.UnixListener).AcceptUnix()
		if err != nil {
			fail(err)
		}
		if err := serve(c, run); err != nil {
			fail(err)
		}
		c.Close()
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// serve runs one command.
func serve(c *net.UnixConn, run Command) error {
	var size [4]byte
	rights := make([]byte, syscall.CmsgSpace(3*4))
	n, nr, _, _, err := c.ReadMsgUnix(size[:], rights)
	if err != nil || n == 0 {
		return nil // killed before it said anything
	}
	files, err := received(rights[:nr])
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(c, size[n:]); err != nil {
		return nil
	}
	text := make([]byte, binary.LittleEndian.Uint32(size[:]))
	if _, err := io.ReadFull(c, text); err != nil {
		return nil
	}
	parts := strings.Split(string(text), "\x00")
	args, err := strconv.Atoi(parts[1])
	if err != nil {
		return err
	}
	if err := os.Chdir(parts[0]); err != nil {
		return err
	}
	os.Clearenv()
	for _, v := range parts[2+args:] {
		if name, value, ok := strings.Cut(v, "="); ok {
			os.Setenv(name, value)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		var one [1]byte
		c.Read(one[:]) // who gave the command has ended
		cancel()
	}()
	code := guarded(ctx, run, parts[2:2+args], files)
	c.Write([]byte{byte(code)})
	return nil
}

// guarded runs a command; should it panic, its streams say so as they would otherwise.
func guarded(ctx context.Context, run Command, args []string, files []*os.File) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(files[2], "panic: %v\n\n%s", p, debug.Stack())
			code = 2
		}
	}()
	return run(ctx, args, os.Getenv, files[0], files[1], files[2])
}

// received are the three streams that came along.
func received(rights []byte) ([]*os.File, error) {
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(err, errors.New("a command came without its streams"))
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	files := make([]*os.File, len(fds))
	for i, fd := range fds {
		syscall.CloseOnExec(fd)
		files[i] = os.NewFile(uintptr(fd), "/dev/"+[]string{"stdin", "stdout", "stderr"}[i])
	}
	return files, nil
}
