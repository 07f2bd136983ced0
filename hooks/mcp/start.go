package mcp

import (
	"context"
	"errors"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/hooks/ops"
	kbhome "blackboard/kb/home"
)

// Start opens a run, created under the workspace's policy or there already, as the session's.
func (c *call) Start(ctx context.Context, in *ops.StartIn, who string, fn func(*board.Board,
	*check.Policy, bool, bool) error) error {
	run, err := c.runOf(in.Run, true)
	if err != nil {
		return err
	}
	existed := true
	if !c.cfg.NoCreate {
		err := kbhome.StartRun(ctx, c.boards(), run, in.Goal, who, c.workspace())
		if existed = errors.Is(err, fault.Conflict); err != nil && !existed {
			return err
		}
	}
	err = c.onBoard(run, true, func(b *board.Board) error {
		follow, err := c.Policy(ctx, b)
		if err != nil {
			return err
		}
		return fn(b, &follow, existed, false)
	})
	if session := sessionOf(c.req); err == nil && (session != "" || !c.cfg.Far) {
		c.joined.Store(session, run)
	}
	return err
}

func (c *call) Named(paths []string) ([]string, string, error) {
	if len(paths) > 0 {
		if err := c.cfg.Grants.need(Files, "naming files of the server's machine"); err != nil {
			return nil, "", err
		}
	}
	return op.Each(paths, c.where), c.workspace(), nil
}
