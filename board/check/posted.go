package check

import (
	"context"
	"slices"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/verify"
)

// maxHolding is how long who posts waits for the sources of what is posted.
const maxHolding = 2 * time.Second

// VerifyPosted holds findings that have just been posted against their sources, if the run or its policy has
// sources. It returns what came of them, and for how many there was no time. boardOnly is for callers who may not read
// files. The posts count whatever comes of this.
func VerifyPosted(ctx context.Context, b *board.Board, f *Policy, worker string, posted []board.Posted,
	boardOnly bool) (items []verify.ItemResult, left int, err error) {
	opt := board.VerifyOptions{BoardOnly: boardOnly}
	for i := range posted {
		e := &posted[i].Entry
		if _, ran := board.SourceExit(e.SourceRef); e.SourceDoc != "" && !posted[i].Existing && !ran {
			opt.IDs = append(opt.IDs, e.ID)
		}
	}
	if len(opt.IDs) == 0 {
		return nil, 0, nil
	}
	if !boardOnly {
		dirs, err := f.SourcePaths()
		if err == nil && len(dirs) > 0 {
			opt.Files, err = verify.FindFiles(dirs...)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	return b.VerifyPosted(ctx, worker, opt, maxHolding)
}

// Mend is how to mend what is doubted of a finding: its source, if that is not known; what it says, if its quote
// was found and says otherwise; else its quote, of several sources that of the one that decides.
func Mend(item *verify.ItemResult, text string) fault.Step {
	args := []string{"id", item.ID, "quote", "…"}
	switch {
	case slices.Contains([]string{verify.Unknown, verify.Unregistered, verify.Ambiguous}, item.Verdict):
		args = []string{"id", item.ID, "source", "…"}
	case item.Verdict == verify.Refuted || item.Verdict == verify.ValueMissing:
		args = []string{"id", item.ID, "content", "…"}
	case len(item.Parts) > 0:
		args = append(args[:2:2], "source", item.SourceDoc, "quote", "…")
	}
	return fault.Do("entry.correct", text, args...)
}
