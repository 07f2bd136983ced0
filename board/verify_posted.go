package board

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"blackboard/board/verify"
)

// MaxCheckedAtOnce is the size of a source, in bytes, that is read when a finding is
// posted: a larger one would keep its author waiting.
const MaxCheckedAtOnce = 2 << 20

// VerifyPosted checks a finding against its source when it has just been posted, and
// writes the verdict. The options say where sources may lie. It returns nil where there
// is nothing to hold the finding against: it names no source, or the run has none.
func (b *Board) VerifyPosted(ctx context.Context, worker string, e *Entry,
	opt VerifyOptions) (*verify.ItemResult, error) {
	if e.SourceDoc == "" {
		return nil, nil
	}
	opt.IDs = []string{e.ID}
	v := verifier{b: b, worker: worker, opt: opt, posted: true, files: verify.NewFiles(opt.Files),
		joined: map[int64]*joinedParts{}, result: verify.Result{Run: b.run}}
	if err := b.read(ctx, v.load); err != nil || len(v.registered)+len(opt.Files) == 0 {
		return nil, err
	}
	for _, j := range v.jobs {
		if info, err := os.Stat(j.path); j.path != "" && err == nil && info.Size() > MaxCheckedAtOnce {
			j.verdict = verify.NoFile
			j.note = fmt.Sprintf("%s has %d MB, and is read when the run is verified",
				filepath.Base(j.path), info.Size()>>20)
		}
	}
	err := v.run(ctx)
	if err == nil {
		err = v.record(ctx, 1)
	}
	if v.finish(); err != nil || len(v.result.Items) == 0 {
		return nil, err
	}
	return &v.result.Items[0], nil
}
