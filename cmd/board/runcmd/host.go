package runcmd

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/op"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	kbhome "blackboard/kb/home"
)

type host struct {
	*program
	c *cli.Context
}

func (p *program) operation(o op.Any, more ...cli.Flag) *cli.Command {
	return p.Operation(o, func(c *cli.Context) any { return &host{p, c} }, more...)
}

func (h *host) Board(_ context.Context, _ string, need ops.Access, fn func(*board.Board) error) error {
	open := h.OpenRun
	if need == ops.Create {
		open = h.OpenOrCreateRun
	}
	return base.OnBoard(open(h.c))(func(b *board.Board) error {
		err := fn(b)
		if err == nil {
			h.noteCreated(b)
		}
		return err
	})
}

func (h *host) Worker(string, bool) (string, error) { return h.WorkerName(h.c), nil }

// Acted tells that a login name, shared by all its shells, holds something.
func (h *host) Acted(done string) {
	if h.NamedWorker(h.c) == "" {
		h.Messagef("%s as login name %s; other shells of this login share that name; use --worker or "+
			"$BOARD_WORKER", done, base.Safe(h.WorkerName(h.c)))
	}
}

func (h *host) Person() bool { return base.IsTerminal(h.In) && h.NamedWorker(h.c) == "" }

func (h *host) CanVerify() (posts, files bool) { return !h.c.Bool("quiet"), true }

func (h *host) Policy(_ context.Context, b *board.Board) (check.Policy, error) {
	return h.policy(h.c, b)
}

// Which names no run: Board finds the run of a command line, or says that none is named.
func (h *host) Which(string) (string, bool) { return "its own", false }

func (h *host) List(ctx context.Context, check bool, only ...string) ([]board.Info, error) {
	dir, err := h.BoardsDir()
	if err != nil {
		return nil, err
	}
	follow, err := h.policy(h.c, nil)
	if err != nil {
		return nil, err
	}
	all, err := board.List(ctx, dir, follow.Gate)
	for i := range all {
		if check && all[i].Error == "" && (len(only) == 0 || slices.Contains(only, all[i].Run)) {
			if err := kbhome.CheckRun(ctx, dir, all[i].Run); err != nil {
				all[i].Error = err.Error()
			}
		}
	}
	return all, err
}

// Sound checks the knowledge base in a database; nil if in files: `board kb doctor` does those.
func (h *host) Sound(ctx context.Context) (*ops.Soundness, error) {
	home, err := h.KBHome()
	if err != nil {
		return nil, err
	}
	n, wrong, err := kbhome.CheckKnowledge(ctx, home)
	if err != nil || n < 0 {
		return nil, err
	}
	out := &ops.Soundness{Capsules: n}
	if wrong != nil {
		out.Error = wrong.Error()
	}
	return out, nil
}

// Dir is the working directory, without links.
func (h *host) Dir() string {
	dir, err := os.Getwd()
	if real, err2 := filepath.EvalSymlinks(dir); err == nil && err2 == nil {
		return real
	}
	return dir
}
