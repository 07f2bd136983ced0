package check

import (
	"context"
	"slices"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/verify"
)

// VerifyPosted holds a finding that has just been posted against its source, if the run or its
// policy has sources; nil if there was nothing to do. boardOnly is for callers who may
// not read files. The post counts whatever comes of this.
func VerifyPosted(ctx context.Context, b *board.Board, f *Policy, worker string, p *board.Posted,
	boardOnly bool) (*verify.ItemResult, error) {
	if p.Existing {
		return nil, nil
	}
	opt := board.VerifyOptions{BoardOnly: boardOnly}
	if !boardOnly {
		dirs, err := f.SourcePaths()
		if err == nil && len(dirs) > 0 {
			opt.Files, err = verify.FindFiles(dirs...)
		}
		if err != nil {
			return nil, err
		}
	}
	return b.VerifyPosted(ctx, worker, &p.Entry, opt)
}

// Mend is how to mend what is doubted of a finding: its source, if that is not known, else its quote; of
// several sources, the one that decides.
func Mend(item *verify.ItemResult, text string) fault.Step {
	args := []string{"id", item.ID, "quote", "…"}
	switch {
	case slices.Contains([]string{verify.Unknown, verify.Unregistered, verify.Ambiguous}, item.Verdict):
		args = []string{"id", item.ID, "source", "…"}
	case len(item.Parts) > 0:
		args = append(args[:2:2], "source", item.SourceDoc, "quote", "…")
	}
	return fault.Do("entry.correct", text, args...)
}
