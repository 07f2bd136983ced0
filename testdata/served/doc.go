// Package served runs a program's commands in processes that have started already, so that a
// test of hundreds of commands does not pay for as many starts. Each process runs one command
// at a time, with the directory, the environment and the streams of whoever gave it, so a
// command is as much by itself as in a process of its own; only what the program keeps in
// memory lasts. Tests that set BOARD_TEST_LONG have a process for each command.
package served

import (
	"context"
	"io"
)

// Env tells a process that it is to serve commands: its file 3 is where they arrive.
const Env = "BOARD_TEST_SERVER"

// Command is a program: arguments, environment and streams in, exit code out.
type Command func(ctx context.Context, args []string, env func(string) string, in io.Reader,
	out, errs io.Writer) int
