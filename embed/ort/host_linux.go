//go:build linux && !selfhost

package ort

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

func supported() bool { return machines()[runtime.GOARCH].id != 0 }

// checkHead checks the start of a library.
func checkHead(head []byte) error { return machines()[runtime.GOARCH].checkLibrary(head) }

// Serve does nothing on this system, where hosts are not Go programs.
func Serve() {}

// emulated is for tests: another architecture, and the command that emulates it.
var emulated struct {
	arch    string
	command []string
}

// hostCommand creates a host: a file of a few hundred bytes. The system's dynamic loader
// loads it together with the library, which a statically linked program such as this one
// cannot do.
//
// It returns the addresses of the second line and of the function that serves it.
func hostCommand(library string) (cmd *exec.Cmd, line, serve uint64, err error) {
	m := machines()[cmp.Or(emulated.arch, runtime.GOARCH)]
	loader, err := m.loader()
	if err != nil {
		return nil, 0, 0, err
	}
	lines := [2][2]uint64{{hostMemory + 1, hostMemory + 2}, {hostMemory + 3, hostMemory + 4}}
	data, line, serve := m.hostFile(loader, library, lines)
	file, err := memoryFile("board-onnxruntime", 0)
	if err != nil {
		return nil, 0, 0, err
	}
	if _, err := file.Write(data); err != nil {
		file.Close()
		return nil, 0, 0, err
	}
	path := fmt.Sprintf("/proc/self/fd/%d", hostProgram)
	cmd = &exec.Cmd{Path: path, Args: []string{"board-onnxruntime"}, Dir: "/"}
	cmd.ExtraFiles = []*os.File{file}
	if c := emulated.command; c != nil {
		cmd.Path, cmd.Args = c[0], append(slices.Clone(c), path)
	}
	return cmd, line, serve, nil
}

func (m machine) loader() (string, error) {
	for _, path := range m.loaders {
		if _, err := os.Stat(path); err == nil || emulated.arch != "" {
			return path, nil
		}
	}
	return "", fmt.Errorf("this system has no dynamic loader in %q", m.loaders)
}

func sharedMemory(size int) (*os.File, error) {
	f, err := memoryFile("board-onnxruntime-memory", unix.MFD_NOEXEC_SEAL)
	if err == nil {
		err = f.Truncate(int64(size))
	}
	return f, err
}

// memoryFile creates a file without a name. Older kernels do not know all flags.
func memoryFile(name string, flags int) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|flags)
	if err == unix.EINVAL && flags != 0 {
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	}
	if err != nil {
		return nil, fmt.Errorf("make a file in memory: %w", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}
