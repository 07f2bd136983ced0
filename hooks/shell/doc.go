// Package shell reads a command line of a POSIX shell or of bash, and tells what it does:
// whether it only looks, and what its exit code says. It runs nothing and looks at
// nothing but the text.
//
//	read.go       Read: the parts of a line, joined
//	text.go       a line in short
//	command.go    one command with its arguments: those that need reading
//	wrapper.go    commands that run another one: sudo, env, xargs, bash -c, …
//	tables.go     commands by name; commands.txt has what is known of them
//
// The grammar is that of mvdan.cc/sh: quotes, substitutions and here-documents have too
// many rules for a reader of our own that is small and right. It costs a process 0.1 ms
// and 15 KB at start.
package shell
