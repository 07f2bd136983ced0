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
)

// host is what an operation on the knowledge base works with, when a command line asks for
// it.
type host struct {
	*program
	c *cli.Context
}

// operation is the command of an operation on the knowledge base.
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

func (h *host) Search(_ context.Context, q kb.Query) (kb.Result, error) { return h.search(h.c, q) }
func (h *host) Place() (string, error)                                  { return h.Workspace(h.c) }
func (h *host) Unembedded() bool                                        { return h.c.Bool("no-embed") }

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

func (h *host) Gave(_ context.Context, _ string, r board.Retrieval) error {
	run, err := h.askingRun(h.c)
	if err == nil {
		h.recordGiven(h.c, run, r)
	}
	return err
}

func (h *host) Usage(_ context.Context, k *kb.KB, c *kb.Capsule) (*board.Usage, error) {
	u, err := h.usage(h.c, k, c)
	return &u, err
}
