//go:build linux || darwin

package ort

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
)

// host is a process that has loaded a library and calls its functions for this program.
// It has two lines, so that one call can be made during another, and memory that both
// processes share. If the host crashes, this program continues, and calls fail with
// errGone.
type host struct {
	cmd    *exec.Cmd
	lines  [2]line
	mem    []byte  // the shared memory
	base   uintptr // its address in the host
	stderr tail    // the host's standard error
	done   chan struct{}
	ended  error // how the process ended; read it after done

	getAPI, memcpy, strlen uintptr // addresses in the host
}

// line is a pair of pipes for one call at a time.
type line struct {
	mu      sync.Mutex
	out, in *os.File
}

// errGone means that a host has ended or could not be started.
var errGone = errors.New("the process that runs ONNX Runtime has ended")

// The file descriptors of a host.
const (
	hostMemory  = 3 // followed by those of the two lines: to read, to write
	hostProgram = 8
)

const maxArgs = 10

// hostSymbols are the functions whose addresses a host reports first.
var hostSymbols = []string{"OrtGetApiBase", "mmap", "memcpy", "strlen", "pthread_create"}

// startHost starts a host with this much shared memory.
func startHost(library string, size int) (*host, error) {
	h := &host{done: make(chan struct{})}
	cmd, second, serve, err := hostCommand(library)
	if err != nil {
		return nil, err
	}
	theirs := cmd.ExtraFiles
	defer func() {
		for _, f := range theirs { // otherwise the end of the process would not close its pipes
			f.Close()
		}
	}()
	memory, err := sharedMemory(size)
	if err != nil {
		return nil, err
	}
	theirs = append(theirs, memory)
	given := []*os.File{memory}
	const access = syscall.PROT_READ | syscall.PROT_WRITE
	h.mem, err = syscall.Mmap(int(memory.Fd()), 0, size, access, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map memory: %w", err)
	}
	for i := range h.lines {
		calls, out, err1 := os.Pipe()
		in, answers, err2 := os.Pipe()
		theirs, given = append(theirs, calls, answers), append(given, calls, answers)
		h.lines[i].out, h.lines[i].in = out, in
		err = errors.Join(err, err1, err2)
	}
	cmd.ExtraFiles = append(given, cmd.ExtraFiles...)
	cmd.Stderr = &h.stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that Ctrl-C does not reach the host
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		h.release()
		return nil, fmt.Errorf("start a process for ONNX Runtime: %w", err)
	}
	h.cmd = cmd
	go func() {
		h.ended = cmd.Wait()
		close(h.done)
	}()
	for _, f := range theirs {
		f.Close()
	}
	if err := h.greet(size, second, serve); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// greet reads the addresses that a host reports after loading its libraries.
func (h *host) greet(size int, second, serve uint64) error {
	symbols := make([]byte, 8*len(hostSymbols))
	if _, err := io.ReadFull(h.lines[0].in, symbols); err != nil {
		return h.gone()
	}
	at := func(i int) uintptr { return uintptr(binary.LittleEndian.Uint64(symbols[8*i:])) }
	h.getAPI, h.memcpy, h.strlen = at(0), at(2), at(3)
	const read, write, shared = 1, 2, 1
	base, err := h.call(0, at(1), 0, uintptr(size), read|write, shared, hostMemory, 0)
	if err != nil {
		return err
	}
	if base == ^uintptr(0) {
		return fmt.Errorf("ONNX Runtime's process cannot map %d MB of memory", size>>20)
	}
	h.base = base
	if create := at(4); create != 0 {
		failed, err := h.call(0, create, h.base, 0, uintptr(serve), uintptr(second))
		if err == nil && failed != 0 {
			err = fmt.Errorf("ONNX Runtime's process cannot start a thread: error %d", failed)
		}
		return err
	}
	return nil
}

// call calls the function at an address in the host over one of the lines.
func (h *host) call(on int, fn uintptr, args ...uintptr) (uintptr, error) {
	var frame [8 * (1 + maxArgs)]byte
	binary.LittleEndian.PutUint64(frame[:], uint64(fn))
	for i, a := range args {
		binary.LittleEndian.PutUint64(frame[8+8*i:], uint64(a))
	}
	l := &h.lines[on]
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.out.Write(frame[:]); err != nil {
		return 0, h.gone()
	}
	if _, err := io.ReadFull(l.in, frame[:8]); err != nil {
		return 0, h.gone()
	}
	return uintptr(binary.LittleEndian.Uint64(frame[:])), nil
}

// gone returns how the host ended. A line breaks only then.
func (h *host) gone() error {
	h.cmd.Process.Kill()
	<-h.done
	message := h.stderr.last()
	if message == "" && h.ended != nil {
		message = h.ended.Error()
	}
	return fmt.Errorf("%w: %s", errGone, message)
}

// close kills the host and waits for it. It must not be used afterwards.
func (h *host) close() {
	h.cmd.Process.Kill() // it has no state worth saving
	<-h.done
	h.release()
}

func (h *host) release() {
	for i := range h.lines {
		h.lines[i].out.Close()
		h.lines[i].in.Close()
	}
	syscall.Munmap(h.mem)
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(p []byte) (int, error) {
	const most = 4 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if n := len(t.data) - most; n > 0 {
		t.data = append(t.data[:0], t.data[n:]...)
	}
	return len(p), nil
}

// last returns the last line that is not empty.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.data), []byte("\n"))
	return strings.ToValidUTF8(string(bytes.TrimSpace(lines[len(lines)-1])), "�")
}
