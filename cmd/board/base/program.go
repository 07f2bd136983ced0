package base

import (
	"io"
	"sync/atomic"

	"blackboard/cmd/board/daemon"
)

// Program is what every command gets: environment, streams, source of answers and embeddings.
type Program struct {
	Env   func(string) string
	In    io.Reader
	Out   *CheckedWriter
	Err   io.Writer
	Color bool
	// Terminal: stdout is a terminal, where a person reads.
	Terminal bool
	// src is opened when it is first needed.
	src *daemon.Source
	// spawned: this process started a daemon in the background.
	spawned atomic.Bool
	// Database is the value of --database, "" if it is not given.
	Database string
	// Answered, if set, gets each JSON answer's pairs: a test documents their types.
	Answered func(pairs []any)
	// Wanted, if set, names the one command called: Operation leaves out what others would have.
	Wanted []string
	// Listed are the words that a flag takes, by command and flag, as operations say.
	Listed map[string][]string
	// Verdicts are what the command has judged, for telemetry.
	Verdicts []Verdict
}

// Verdict is the result of a gate, or of one step of a check.
type Verdict struct {
	Name            string
	Passed, Skipped bool
	Headline        string // in a few words
}
