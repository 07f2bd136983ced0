package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/text"
	"blackboard/kb"
)

// isDamage reports that an error may be of a file's content; others have steps of their own.
func isDamage(err error) bool {
	others := []error{fault.Newer, fault.Busy, fault.Full, fault.ReadOnly, fault.Gone,
		fs.ErrPermission}
	return !slices.ContainsFunc(others, func(other error) bool { return errors.Is(err, other) })
}

// salvager makes a file of what can be read of a damaged one.
type salvager func(ctx context.Context, path, to string) (sqlite.Salvaged, error)

// brokenStore adds that a file of the memory, or of the context store, cannot be used.
// If anything can be read of it, that can be put in its place.
func (d *Doctor) brokenStore(ctx context.Context, what, path string, err error, salvage salvager) {
	tmp, tmpErr := os.MkdirTemp("", "board-salvage-")
	if tmpErr != nil || !isDamage(err) || ctx.Err() != nil {
		os.RemoveAll(tmp)
		d.failed(what, err)
		return
	}
	defer os.RemoveAll(tmp)
	s, readErr := salvage(ctx, path, filepath.Join(tmp, "read.sqlite3"))
	rows := int64(0)
	for _, n := range s.Rows {
		rows += n
	}
	if readErr != nil || rows == 0 {
		d.failed(what, err)
		return
	}
	d.repairable(what, kb.StateBroken, salvageStore(path, salvage, &s), "%s", d.short(err.Error()))
}

func salvageStore(path string, salvage salvager, s *sqlite.Salvaged) *Step {
	offer := "rebuilds it from what can be read: " + describeRows(s)
	return &Step{Offer: offer, Changes: []string{path}, do: func(ctx context.Context, b *backup) (string, error) {
		var s sqlite.Salvaged
		aside, err := sqlite.Replace(ctx, path, nil, func(to string) (err error) {
			s, err = salvage(ctx, path, to)
			return err
		})
		if err != nil {
			return "", err
		}
		return "rebuilt: " + describeRows(&s), errors.Join(b.takeAside(ctx, aside), b.noteLost(path, s.Losses()))
	}}
}

// describeRows says how much of a file there is, and what is lost.
func describeRows(s *sqlite.Salvaged) string {
	var have []string
	for _, table := range slices.Sorted(maps.Keys(s.Rows)) {
		have = append(have, fmt.Sprintf("%d %s", s.Rows[table], table))
	}
	return strings.Join(have, ", ") + loss(strings.Join(s.Losses(), "; "))
}

func loss(lost string) string {
	if lost == "" {
		return "; no known loss"
	}
	return "; lost: " + lost
}

// rebuildBoard returns the step that makes the tables of a board anew from its event log, which is whole.
func (d *Doctor) rebuildBoard(dir, name string, s *board.Salvaged) *Step {
	offer := fmt.Sprintf("rebuilds its tables from its event log, which is intact: %s", describeSalvaged(s))
	return &Step{Offer: offer, Changes: []string{sqlite.RunPath(dir, name)}, do: func(ctx context.Context, b *backup) (string, error) {
		s, aside, err := board.Rebuild(ctx, dir, name)
		if err != nil {
			return "", err
		}
		if err := errors.Join(b.takeAside(ctx, aside), b.noteLost(name, s.Lost)); err != nil {
			return "", err
		}
		return "rebuilt: " + describeSalvaged(s), nil
	}}
}

// salvageBoard returns the step that puts what can be read of a board whose event log is not whole into a new run.
func (d *Doctor) salvageBoard(dir, name, as string, s *board.Salvaged) *Step {
	offer := fmt.Sprintf("puts what can be read into the new run %s, and leaves %s as it is: %s", as, name, describeSalvaged(s))
	return &Step{Offer: offer, do: func(ctx context.Context, b *backup) (string, error) {
		s, err := board.SalvageTo(ctx, dir, name, as, "doctor")
		if err != nil {
			return "", err
		}
		if err := b.note("created the run %s from the readable part of %s", as, sqlite.RunPath(dir, name)); err != nil {
			return "", err
		}
		return "in the run " + as + ": " + describeSalvaged(s), b.noteLost(name, s.Lost)
	}}
}

// describeSalvaged says how much of a board there is, and what is lost.
func describeSalvaged(s *board.Salvaged) string {
	return text.Count(int64(s.Entries), "entry", "entries") + ", " + text.Count(int64(s.Signals), "question", "questions") + ", " +
		text.Count(int64(s.Variables), "variable", "variables") + loss(s.Say())
}

// takeAside moves a damaged file, put aside with what lies beside it, into the backup.
func (b *backup) takeAside(ctx context.Context, aside string) error {
	for _, path := range []string{aside, aside + "-wal", aside + "-shm"} {
		if err := b.take(ctx, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// noteLost writes down all that is lost: what is told is only the first of it.
func (b *backup) noteLost(name string, lost []string) error {
	for _, l := range lost {
		if err := b.note("lost of %s: %s", name, l); err != nil {
			return err
		}
	}
	return nil
}
