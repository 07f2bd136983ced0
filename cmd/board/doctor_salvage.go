package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"blackboard/board"
)

// rebuildBoard makes the tables of a board anew from its event log, which is whole.
func (d *doctor) rebuildBoard(dir, name string, s *board.Salvaged) *repairStep {
	offer := fmt.Sprintf("makes its tables anew from its event log, which is whole: %s", salvagedSay(s))
	return &repairStep{offer: offer, changes: []string{board.Path(dir, name)}, do: func(ctx context.Context, b *repairBackup) (string, error) {
		s, aside, err := board.Rebuild(ctx, dir, name)
		if err != nil {
			return "", err
		}
		if err := errors.Join(b.takeAside(ctx, aside), b.noteLost(name, s.Lost)); err != nil {
			return "", err
		}
		return "made anew: " + salvagedSay(s), nil
	}}
}

// salvageBoard puts what can be read of a board whose event log is not whole into a new run.
func (d *doctor) salvageBoard(dir, name, as string, s *board.Salvaged) *repairStep {
	offer := fmt.Sprintf("puts what can be read into the new run %s, and leaves %s as it is: %s", as, name, salvagedSay(s))
	return &repairStep{offer: offer, do: func(ctx context.Context, b *repairBackup) (string, error) {
		s, err := board.SalvageTo(ctx, dir, name, as, "doctor")
		if err != nil {
			return "", err
		}
		if err := b.note("made the run %s of what can be read of %s", as, board.Path(dir, name)); err != nil {
			return "", err
		}
		return "in the run " + as + ": " + salvagedSay(s), b.noteLost(name, s.Lost)
	}}
}

// salvagedSay says how much of a board there is, and what is lost.
func salvagedSay(s *board.Salvaged) string {
	say := count(int64(s.Entries), "entry", "entries") + ", " + count(int64(s.Signals), "signal", "signals") + ", " + count(int64(s.Variables), "variable", "variables")
	if len(s.Lost) == 0 {
		return say + "; nothing is lost that is known of"
	}
	return say + "; lost: " + s.Say()
}

// takeAside moves a damaged file that was put aside into the backup, with what lies beside it.
func (b *repairBackup) takeAside(ctx context.Context, aside string) error {
	for _, path := range []string{aside, aside + "-wal", aside + "-shm"} {
		if err := b.take(ctx, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// noteLost writes down all that is lost: what is told is only the first of it.
func (b *repairBackup) noteLost(name string, lost []string) error {
	for _, l := range lost {
		if err := b.note("lost of %s: %s", name, l); err != nil {
			return err
		}
	}
	return nil
}
