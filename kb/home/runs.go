package home

import (
	"context"

	"blackboard/board"
	"blackboard/board/check"
)

// OnRun calls fn with a run that there is, and closes it.
func OnRun(ctx context.Context, dir, run string, fn func(*board.Board) error) error {
	b, err := Run(ctx, dir, run)
	if err != nil {
		return err
	}
	defer b.Close()
	return fn(b)
}

// CheckRun holds a run's tables against its event log.
func CheckRun(ctx context.Context, dir, run string) error {
	return OnRun(ctx, dir, run, func(b *board.Board) error { return b.Check(ctx) })
}

// StartRun makes a run with the policy of a workspace on record.
func StartRun(ctx context.Context, dir, run, goal, worker, workspace string) error {
	own, err := check.FindPolicy(workspace)
	if err != nil {
		return err
	}
	by, err := own.ToRecord("")
	if err != nil {
		return err
	}
	b, err := NewRun(ctx, dir, run, goal, worker, by)
	if err != nil {
		return err
	}
	return b.Close()
}
