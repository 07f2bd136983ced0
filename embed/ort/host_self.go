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

// A host is this program once more, as it is linked dynamically on this system. The
// build tag selfhost has it so elsewhere, for tests.

func supported() bool { return true }

// hostName is the name by which a program knows that it is to be a host.
const hostName = "board-onnxruntime"

func hostCommand(library string) (cmd *exec.Cmd, line, serve uint64, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, 0, 0, err
	}
	return &exec.Cmd{Path: self, Args: []string{hostName, library}, Dir: "/"}, 0, 0, nil
}

// sharedMemory is a file without a name.
func sharedMemory(size int) (*os.File, error) {
	f, err := os.CreateTemp("", hostName)
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	return f, f.Truncate(int64(size))
}

// checkHead leaves it to the system to say what it cannot load.
func checkHead([]byte) error { return nil }

// Serve never returns in a process that was started to be a host, and does nothing in
// others. The program calls it first.
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
		at := uintptr(0) // of pthread_create, as the second line is served already
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

// serveLine does what the code of an ELF host does.
func serveLine(calls, answers uintptr) error {
	in, out := os.NewFile(calls, "calls"), os.NewFile(answers, "answers")
	frame, args := make([]byte, 8*(1+maxArgs)), make([]uintptr, maxArgs)
	for {
		if _, err := io.ReadFull(in, frame); err != nil {
			os.Exit(0) // nobody calls any more
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
