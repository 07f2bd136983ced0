package ops

import (
	"context"
	"path/filepath"
	"slices"

	"blackboard/board"
	"blackboard/board/policy"
	"blackboard/board/verify"
)

// Sources are the files below paths, by names as they are seen from a directory.
func Sources(dir string, paths []string) ([]verify.File, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	all, err := verify.FindFiles(paths...)
	NameFrom(dir, all)
	return all, err
}

// NameFrom has files that are in a directory be named as they are seen from there.
func NameFrom(dir string, files []verify.File) {
	for i := range files {
		f := &files[i]
		if near, err := filepath.Rel(dir, f.Path); err == nil && filepath.IsLocal(near) {
			f.Name = filepath.ToSlash(near)
		}
	}
}

// Join has the gate of a run wait for its policy's workers and for others, and registers
// files that quotes are held against.
func Join(ctx context.Context, b *board.Board, who string, by *policy.File, expect []string,
	files []verify.File) (board.State, error) {
	if expect = append(slices.Clone(by.Gate.Expect), expect...); len(expect) > 0 {
		if _, err := b.Expect(ctx, who, expect, false); err != nil {
			return board.State{}, err
		}
	}
	if len(files) > 0 {
		if _, err := b.AddSources(ctx, who, files, false); err != nil {
			return board.State{}, err
		}
	}
	return b.State(ctx)
}
