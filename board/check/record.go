package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"

	"blackboard/board"
)

// Record puts the verdict of a check on record if a report was checked, by the policy of the run,
// and the caller writes to the board; else it does nothing.
func Record(ctx context.Context, b *board.Board, r *Result, in *Input) error {
	if in.Worker == "" || in.Dir == "" || len(in.Reports) == 0 ||
		r.Step(Survival) == nil && r.Step(Trace) == nil && r.Step(Citations) == nil {
		return nil
	}
	if r.Recorded == nil { // a call may pass by a policy of its own what the run's refuses
		if its, err := b.RecordedPolicy(ctx); err != nil || its != nil {
			return err
		}
	}
	c := board.ReportCheck{Dir: DirDigest(in.Dir), Passed: r.Passed, JudgedAt: r.Seq}
	texts := sha256.New()
	for _, d := range in.Reports {
		c.Reports = append(c.Reports, relPath(in.Dir, d.Name))
		io.WriteString(texts, d.Text())
	}
	c.SHA256 = hex.EncodeToString(texts.Sum(nil))
	for i := range r.Steps {
		c.Steps = append(c.Steps, r.Steps[i].record())
	}
	return b.RecordCheck(ctx, in.Worker, c)
}

// DirDigest tells a directory from others without naming it; "" if it cannot be found.
func DirDigest(dir string) string {
	dir, err := resolvePath(dir)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:8])
}

// relPath is the path of a file below a directory. A file that is not below it has its name alone:
// no record names directories of a machine.
func relPath(dir, file string) string {
	root, err := resolvePath(dir)
	at, err2 := resolvePath(filepath.Dir(file))
	if err == nil && err2 == nil {
		if path, err := filepath.Rel(root, filepath.Join(at, filepath.Base(file))); err == nil && filepath.IsLocal(path) {
			return filepath.ToSlash(path)
		}
	}
	return filepath.Base(file)
}

// record is the verdict on a step, as a run keeps it.
func (s *Step) record() board.CheckedStep {
	c := board.CheckedStep{Name: s.Name, Passed: s.Passed, Skipped: s.Skipped}
	switch {
	case s.Verify != nil:
		c.Wrong, c.Unsure = s.Verify.Doubted, len(s.Verify.Unsure)
	case s.Conflicts != nil:
		c.Unsure = s.Conflicts.Total // each is a proposal
		if !s.Passed {
			c.Wrong, c.Unsure = c.Unsure, 0
		}
	case s.Survival != nil:
		c.Wrong, c.Unsure = s.Survival.Missing, s.Survival.Unsure
	case s.Trace != nil:
		c.Wrong, c.Unsure = s.Trace.Counted(), s.Trace.Unsure
	default:
		c.Wrong = len(s.Findings())
	}
	return c
}
