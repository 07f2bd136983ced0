package ops

import (
	"context"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/policy"
)

// Access is what an operation does with a run.
type Access int

const (
	Read   Access = iota // the run must be there
	Write                // the same
	Create               // the first write makes it
)

// Runs is what operations on runs work with.
type Runs interface {
	// Board calls fn with the board of a run, "" for the caller's.
	Board(ctx context.Context, run string, need Access, fn func(*board.Board) error) error
	// Worker is who acts: whom the call names, else the caller. One that holds something is
	// known again by its name alone.
	Worker(named string, holds bool) (string, error)
	// Acted is told what was done under the worker's name.
	Acted(done string)
	// Checks reports whether posts are held against their sources, and whether these may be
	// files.
	Checks() (posts, files bool)
	// Policy is the policy of a run.
	Policy(ctx context.Context, b *board.Board) (policy.File, error)
	// Note tells the caller something besides the answer.
	Note(text string)
	// Words are how the caller does an operation.
	Words(step fault.Step) string
}

// On says on which board, and as whom.
type On struct {
	OnRun
	Worker string `json:"worker,omitempty" jsonschema:"default the client's"`
}

// OnRun says on which board.
type OnRun struct {
	Run string `json:"run,omitempty" flag:"run,r,board" jsonschema:"default the server's"`
}

// KeepSecrets is for writes to what masks or refuses secrets.
type KeepSecrets struct {
	KeepSecret bool `json:"keep_secret,omitempty" flag:"force" rare:"true" jsonschema:"even a secret" cli:"store it as it is even if it seems to hold a secret"`
}

// KeepsSecret reports whether what looks like a secret is to be stored as it is.
func (k KeepSecrets) KeepsSecret() bool { return k.KeepSecret }

// act does something on a board, as the worker that acts.
func act(ctx context.Context, h Runs, on On, need Access,
	fn func(b *board.Board, who string) error) error {
	who, err := h.Worker(on.Worker, false)
	if err != nil {
		return err
	}
	return h.Board(ctx, on.Run, need, func(b *board.Board) error { return fn(b, who) })
}
