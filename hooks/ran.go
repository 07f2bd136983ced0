package hooks

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"time"

	"blackboard/board"
	"blackboard/hooks/harness"
	"blackboard/hooks/topics"
)

// noteRan leaves a receipt with the run that the session works for: what was run, or edited.
// It needs $BOARD_RUN and $BOARD_WORKER, which subagents have from their session.
func (t *turn) noteRan(ctx context.Context) {
	run, worker, use := t.Env("BOARD_RUN"), t.Env("BOARD_WORKER"), t.e.Tool
	edits := use.Command == "" && use.Path != "" && t.e.Kind != harness.ToolFailure &&
		(use.OK == nil || *use.OK)
	if run == "" || worker == "" || t.Home == "" || use.Command == "" && !edits {
		return
	}
	did := board.Did{Command: clean(use.Command), Dir: t.realDir(), Root: t.place.Workspace,
		Began: t.now.UTC(), DurationMS: use.DurationMS, ExitCode: exitOf(use),
		Commit: topics.Commit(t.place.Workspace), Harness: t.e.Harness, Session: clean(t.e.Session), Use: clean(use.ID)}
	if use.DurationMS != nil {
		did.Began = did.Began.Add(-time.Duration(*use.DurationMS) * time.Millisecond)
	}
	if edits {
		did.Path, did.ExitCode = t.below(did.Dir, clean(use.Path)), nil
	} else {
		sum := sha256.Sum256([]byte(cmp.Or(use.End, use.Error)))
		did.Output = hex.EncodeToString(sum[:])
		if use.Path != "" { // the directory that the call names
			did.Dir = t.below(did.Dir, use.Path)
		}
	}
	if t.e.Agent == "" { // a subagent has a record of its own
		did.Transcript = t.e.Transcript
	}
	dir, err := t.boards()
	if err == nil {
		err = board.NoteRan(ctx, dir, run, worker, did)
	}
	if !notFound(err) { // the run may not exist yet
		t.logError("leave a receipt with the run", err)
	}
}

// realDir is the directory of the session, without links, as the workspace is.
func (t *turn) realDir() string {
	if real, err := filepath.EvalSymlinks(cmp.Or(t.e.Cwd, t.dir)); err == nil {
		return real
	}
	return t.dir
}

// below returns a path that a tool names, joined to a directory unless it is absolute.
func (t *turn) below(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// exitOf returns the exit code of a command, nil if it is not known. Where a harness has one event for what went well
// and one for what failed, it is 0 or -1.
func exitOf(use *harness.Tool) *int {
	if use.ExitCode != nil || use.OK == nil {
		return use.ExitCode
	}
	code := 0
	if !*use.OK {
		code = -1
	}
	return &code
}
