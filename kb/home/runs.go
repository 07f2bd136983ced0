package home

import (
	"context"
	"errors"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/kb"
)

func OnRun(ctx context.Context, dir, run string, fn func(*board.Board) error) error {
	b, err := Run(ctx, dir, run)
	if err != nil {
		return err
	}
	defer b.Close()
	return fn(b)
}

// CheckRun compares a run's tables with its event log.
func CheckRun(ctx context.Context, dir, run string) error {
	return OnRun(ctx, dir, run, func(b *board.Board) error { return b.Check(ctx) })
}

// CheckKnowledge checks a base in a database: how many capsules (-1: none), and what is wrong.
func CheckKnowledge(ctx context.Context, home string) (n int64, wrong, err error) {
	if !kb.IsShared(home) {
		return -1, nil, nil
	}
	k, err := Knowledge(ctx, home, kb.Options{})
	if errors.Is(err, fault.NotFound) {
		return -1, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	defer k.Close()
	st, err := k.Stats(ctx)
	if err == nil {
		err = k.Check(ctx)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, fault.Away) {
		wrong, err = err, nil
	}
	return st.Capsules, wrong, err
}

// StartRun creates a run with the policy of a workspace on record.
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
