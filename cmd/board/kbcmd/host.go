package kbcmd

import (
	"cmp"
	"context"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/op"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/kb/secret"
)

type host struct {
	*program
	c *cli.Context
}

func (p *program) operation(o op.Any, more ...cli.Flag) *cli.Command {
	return p.Operation(o, func(c *cli.Context) any { return &host{p, c} }, more...)
}

func (h *host) KB(_ context.Context, need ops.Access, meaning bool, fn func(*kb.KB) error) error {
	meaning = meaning && !h.Unembedded()
	var k *kb.KB
	var done func()
	var err error
	switch need {
	case ops.Read:
		k, done, err = h.openToRead(h.c, meaning)
	case ops.Examine:
		k, done, err = h.openKBAs(h.c, kbhome.Knowledge, meaning, kb.SyncNever)
	case ops.Create:
		k, done, err = h.openKB(h.c, kbhome.MakeKnowledge, meaning)
	default:
		k, done, err = h.openKB(h.c, kbhome.Knowledge, meaning)
	}
	return base.With(k, done, err)(func(k *kb.KB) error {
		err := fn(k)
		h.kbNotes(k)
		return err
	})
}

// Board reads the run that the flags name.
func (h *host) Board(_ context.Context, _ string, _ ops.Access, fn func(*board.Board) error) error {
	return base.OnBoard(h.OpenRun(h.c))(fn)
}

func (h *host) Search(_ context.Context, q kb.Query) (kb.Result, error) {
	src, err := h.Source()
	if err != nil {
		return kb.Result{}, err
	}
	res, notes, err := src.Search(h.c.Context, q, func(_ context.Context, model bool) (*kb.KB, func(), error) {
		return h.openToRead(h.c, model)
	})
	h.sayNotes(notes)
	return res, err
}

func (h *host) Place() (string, error) { return h.Workspace(h.c) }
func (h *host) Unembedded() bool       { return h.c.Bool("no-embed") }

func (h *host) Documents(paths []string) ([]string, func(string) string, error) {
	return paths, h.SharedPath, nil
}

// Asks returns the asking run, and the project: the given one, or the one that was stored for the workspace.
func (h *host) Asks(_, workspace, project string) (asking, about string, err error) {
	if asking, err = h.askingRun(h.c); err != nil {
		return "", "", err
	}
	data, err := h.DataHome()
	return asking, cmp.Or(project, kbhome.Lookup(data, workspace).Project), err
}

// Gave creates no run, and only notes what goes wrong.
func (h *host) Gave(ctx context.Context, _ string, r board.Retrieval) error {
	run, err := h.askingRun(h.c)
	if err != nil || run == "" || len(r.Capsules) == 0 {
		return err
	}
	r.Task = secret.Redact(r.Task)
	if err := base.OnBoard(h.OpenRun(h.c))(func(b *board.Board) error {
		return b.Retrieved(ctx, h.WorkerName(h.c), r)
	}); err != nil {
		h.Messagef("note: cannot record on the board what was given: %s", base.Safe(err.Error()))
	}
	return nil
}

// askingRun returns the run within which a question is asked, "" for none. An invalid $BOARD_RUN is only noted: the
// question is answered.
func (p *program) askingRun(c *cli.Context) (string, error) {
	name, err := p.RunName(c)
	if err == nil || c.IsSet("run") {
		return name, err
	}
	if name != "" {
		p.Messagef("note: cannot record on the board what was given: %s", base.Safe(err.Error()))
	}
	return "", nil
}

func (h *host) Usage(_ context.Context, k *kb.KB, c *kb.Capsule) (*board.Usage, error) {
	history, err := k.History(h.c.Context, c.ID)
	if err != nil {
		return nil, err
	}
	dir, err := h.BoardsDir()
	if err != nil {
		return nil, err
	}
	u, err := board.UsageOf(h.c.Context, dir, c.ID, c.Created, kb.ConfirmedBy(history))
	return &u, err
}
