//go:build darwin || selfhost

package ort

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/ebitengine/purego"
)

// On this system the program is linked dynamically, so a host is a second process of it.
// The build tag selfhost does the same on Linux, for tests.

func supported() bool { return true }

// hostName is the program name that makes a process a host.
const hostName = "board-onnxruntime"

func hostCommand(library string) (cmd *exec.Cmd, line, serve uint64, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, 0, 0, err
	}
	return &exec.Cmd{Path: self, Args: []string{hostName, library}, Dir: "/"}, 0, 0, nil
}

// sharedMemory creates a file without a name.
func sharedMemory(size int) (*os.File, error) {
	f, err := os.CreateTemp("", hostName)
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	return f, f.Truncate(int64(size))
}

// checkHead accepts everything; the system reports what it cannot load.
func checkHead([]byte) error { return nil }

// Serve does not return in a process that was started as a host, and does nothing in
// others. The program must call it first.
func Serve() {
	if len(os.Args) != 2 || os.Args[0] != hostName {
		return
	}
	err := serveLibrary(os.Args[1])
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func serveLibrary(path string) error {
	library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return err
	}
	var told []byte
	for i, name := range hostSymbols {
		from := uintptr(purego.RTLD_DEFAULT)
		if i == 0 {
			from = library
		}
		at := uintptr(0) // pthread_create's result
		if i < len(hostSymbols)-1 {
			if at, err = purego.Dlsym(from, name); err != nil {
				return err
			}
		}
		told = binary.LittleEndian.AppendUint64(told, uint64(at))
	}
	if _, err := os.NewFile(hostMemory+2, "answers").Write(told); err != nil {
		return err
	}
	go serveLine(hostMemory+3, hostMemory+4)
	return serveLine(hostMemory+1, hostMemory+2)
}

// serveLine does what the machine code of an ELF host does.
func serveLine(calls, answers uintptr) error {
	in, out := os.NewFile(calls, "calls"), os.NewFile(answers, "answers")
	frame, args := make([]byte, 8*(1+maxArgs)), make([]uintptr, maxArgs)
	for {
		if _, err := io.ReadFull(in, frame); err != nil {
			os.Exit(0) // the caller has ended
		}
		for i := range args {
			args[i] = uintptr(binary.LittleEndian.Uint64(frame[8+8*i:]))
		}
		result, _, _ := purego.SyscallN(uintptr(binary.LittleEndian.Uint64(frame)), args...)
		if _, err := out.Write(binary.LittleEndian.AppendUint64(nil, uint64(result))); err != nil {
			return err
		}
	}
}
