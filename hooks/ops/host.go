package ops

import (
	"context"
	"io"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/kb/memory"
)

// Access is how an operation opens a run or the knowledge base.
type Access int

const (
	Read    Access = iota // it must be there
	Write                 // the same
	Create                // the first write makes it
	ReadOne               // of the knowledge base: one capsule, which Retrieve syncs
	Examine               // of the knowledge base: nothing is synced
)

// Caller is who asks for an operation.
type Caller interface {
	// IsToolCall is false for a command. A tool only shows what changes much unless the call asks for
	// it, takes the revision that was read of a named entry, and has an answer where a chunk is not found.
	IsToolCall() bool
	// Progress tells the caller how far something has come, until its end.
	Progress() (step func(what string, done, of int), end func())
	// Room is how many tokens a document may have for which a call asks; least at any rate.
	Room(asked, least int) int
	// Note tells the caller something besides the answer.
	Note(text string)
	// Words are how the caller does an operation.
	Words(step fault.Step) string
}

type Runs interface {
	Caller
	// Board calls fn with the board of a run, "" for the caller's.
	Board(ctx context.Context, run string, need Access, fn func(*board.Board) error) error
	// Worker is who acts: whom the call names, else the caller. If it holds something, such as a
	// claim, a client without a name of its own must name one.
	Worker(named string, holds bool) (string, error)
	// Acted is told what was done under the worker's name.
	Acted(done string)
	// CanVerify: whether posts are verified against their sources, and whether from files.
	CanVerify() (posts, files bool)
	Policy(ctx context.Context, b *board.Board) (check.Policy, error)
	// Which is the run that a call means, "" for none, and whether its first post begins it.
	Which(run string) (name string, begins bool)
	// List are the runs that the caller may read; check verifies each file, or only the named.
	List(ctx context.Context, check bool, only ...string) ([]board.Info, error)
	// Sound says whether the knowledge base in the runs' database is sound; nil: it is not there.
	Sound(ctx context.Context) (*Soundness, error)
	// Person reports whether somebody at a terminal calls.
	Person() bool
	// Dir is the directory that the caller works in, "" if it is not known.
	Dir() string
}

// Grants that every call of a tool takes.
const (
	WorkspaceRead  = "workspace:read"
	WorkspaceWrite = "workspace:write"
	KBRead         = "kb:read"
	KBWrite        = "kb:write"
	ContextRead    = "context:read"
	ContextWriting = "context:write"
)

type Knowledge interface {
	Caller
	// Board calls fn with the board of a run, "" for the caller's.
	Board(ctx context.Context, run string, need Access, fn func(*board.Board) error) error
	// KB calls fn with the knowledge base, which the first Create makes; a model, if it counts.
	KB(ctx context.Context, need Access, meaning bool, fn func(*kb.KB) error) error
	// Search answers a question, and tells its notes.
	Search(ctx context.Context, q kb.Query) (kb.Result, error)
	// Place is the workspace that the call is about; "": none.
	Place() (string, error)
	// Unembedded reports whether what is written shall have no embedding.
	Unembedded() bool
	// Gave is told what a run was given; "": the caller's run. It refuses what is no run.
	Gave(ctx context.Context, run string, r board.Retrieval) error
	// Asks is the run within which something is asked, or "", and the project it is about.
	Asks(run, workspace, project string) (asking, about string, err error)
	// Documents are paths that a call names, and what a file is in another worktree.
	Documents(paths []string) (as []string, shared func(file string) string, err error)
	// Usage is what runs did with a capsule; nil: it is not told.
	Usage(ctx context.Context, k *kb.KB, c *kb.Capsule) (*board.Usage, error)
}

type Memories interface {
	Caller
	// Memory calls fn with the memory as the caller reaches it; and a model, if it counts.
	Memory(ctx context.Context, meaning bool, fn func(*memory.Store) error) error
	// MayRead and MayWrite refuse a tier that is not the caller's to read, or to write to.
	MayRead(tier string) error
	MayWrite(tier string) error
	// UsualTiers are those that a read means which names none.
	UsualTiers() []string
	// Empty is told that nothing was found in the workspace.
	Empty(m *memory.Store)
	// MayUse refuses what takes a grant of the memory's that is not the caller's.
	MayUse(grant string) error
	// Owns refuses what belongs to one agent unless the caller is known to be one.
	Owns(what string) error
	// Tidy is Memory for the tiers the caller may write and, if it shows what items say, read.
	Tidy(ctx context.Context, shows bool, fn func(*memory.Store) error) error
	// Open opens a file that a command names, - for its standard input.
	Open(name, what string) (r io.Reader, done func(), err error)
	// Talk is the conversation that a call names, else the one that the caller is in.
	Talk(named string) string
}

// inMemory calls fn with the memory, without a model, and returns its value.
func inMemory[T any](ctx context.Context, h Memories, fn func(*memory.Store) (T, error)) (out T,
	err error) {
	err = h.Memory(ctx, false, func(m *memory.Store) (err error) {
		out, err = fn(m)
		return err
	})
	return out, err
}

// onMemory is an operation on the memory that needs no model.
func onMemory[In, Out any](fn func(ctx context.Context, h Memories, m *memory.Store, in In) (Out, error),
) func(context.Context, Memories, In) (Out, error) {
	return func(ctx context.Context, h Memories, in In) (Out, error) {
		return inMemory(ctx, h, func(m *memory.Store) (Out, error) { return fn(ctx, h, m, in) })
	}
}

// onBoard is an operation on the board of the run that a call names.
func onBoard[In interface{ board() string }, Out any](need Access,
	fn func(ctx context.Context, h Runs, b *board.Board, in In) (Out, error),
) func(context.Context, Runs, In) (Out, error) {
	return func(ctx context.Context, h Runs, in In) (out Out, err error) {
		err = h.Board(ctx, in.board(), need, func(b *board.Board) (err error) {
			out, err = fn(ctx, h, b, in)
			return err
		})
		return out, err
	}
}

// byWorker is an operation on the board that a call names, as the worker that acts.
func byWorker[In interface{ on() On }, Out any](need Access,
	fn func(ctx context.Context, h Runs, b *board.Board, who string, in In) (Out, error),
) func(context.Context, Runs, In) (Out, error) {
	return func(ctx context.Context, h Runs, in In) (out Out, err error) {
		err = withBoardWorker(ctx, h, in.on(), need, func(b *board.Board, who string) (err error) {
			out, err = fn(ctx, h, b, who, in)
			return err
		})
		return out, err
	}
}

type On struct {
	OnRun
	Worker string `json:"worker,omitempty" jsonschema:"default: the client"`
}

func (o On) on() On { return o }

type OnRun struct {
	Run string `json:"run,omitempty" flag:"run,r,board" jsonschema:"default: the server's"`
}

func (o OnRun) board() string { return o.Run }

// KeepSecrets is for writes to what masks or refuses secrets.
type KeepSecrets struct {
	KeepSecret bool `json:"keep_secret,omitempty" flag:"force" rare:"true" jsonschema:"even a secret" cli:"store it as it is even if it seems to hold a secret"`
}

// KeepsSecret reports whether what looks like a secret is to be stored as it is.
func (k KeepSecrets) KeepsSecret() bool { return k.KeepSecret }

func withBoardWorker(ctx context.Context, h Runs, on On, need Access,
	fn func(b *board.Board, who string) error) error {
	who, err := h.Worker(on.Worker, false)
	if err != nil {
		return err
	}
	return h.Board(ctx, on.Run, need, func(b *board.Board) error { return fn(b, who) })
}
