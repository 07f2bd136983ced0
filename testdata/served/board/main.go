//go:build unix

// Command board stands for the program in tests. It hands its arguments, directory,
// environment and streams to a process that has started already (package served), and ends
// with that command's exit code: the start of the program is most of what a command costs.
package main

import (
	"encoding/binary"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// alone are the commands that last, or that replace their process: each has one of its own.
const alone = " daemon demo doctor mcp tui wait watch "

// Where the served processes listen, and the program for a process of a command's own: the
// linker sets them, since a test may have an environment of its own.
var address, program string

func main() {
	code, ok := ask()
	if !ok {
		err := syscall.Exec(program, append([]string{"board"}, os.Args[1:]...), os.Environ())
		os.Stderr.WriteString("exec " + program + ": " + err.Error() + "\n")
		code = 126
	}
	os.Exit(code)
}

// ask has a served process run the command. It reports false if it was not asked.
func ask() (code int, ok bool) {
	for _, arg := range os.Args[1:] {
		if strings.Contains(alone, " "+arg+" ") || strings.HasPrefix(arg, "--wait") {
			return 0, false
		}
	}
	dir, err := syscall.Getwd()
	if err != nil {
		return 0, false
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return 0, false
	}
	if err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: address}); err != nil {
		return 0, false
	}
	parts := append([]string{dir, strconv.Itoa(len(os.Args) - 1)}, os.Args[1:]...)
	text := strings.Join(append(parts, os.Environ()...), "\x00")
	message := append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
	n, err := syscall.SendmsgN(fd, message, syscall.UnixRights(0, 1, 2), nil, 0)
	for err == nil && n < len(message) {
		message = message[n:]
		n, err = syscall.Write(fd, message)
	}
	if err != nil {
		return 0, false
	}
	var answer [1]byte
	for {
		n, err := syscall.Read(fd, answer[:])
		if err == syscall.EINTR {
			continue
		}
		if n != 1 {
			os.Stderr.WriteString("the process that ran this command has ended\n")
			return 125, true
		}
		return int(answer[0]), true
	}
}
