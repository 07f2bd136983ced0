package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board"
	"blackboard/board/fault"
)

// PolicyOf returns the policy that a run is judged by: the one that it has on record, else that
// of dir, which may be "" for none. Note says which, if it is not what a reader of the directory would expect.
func PolicyOf(ctx context.Context, b *board.Board, dir string) (Policy, error) {
	recorded, err := b.RecordedPolicy(ctx)
	if err != nil {
		return Policy{}, err
	}
	own, err := FindPolicy(dir)
	if recorded == nil {
		if own.Path != "" {
			own.Note = b.Run() + " has no policy on record, so another directory may judge it otherwise"
			own.Next = []fault.Step{fault.Do("run.start", "{} records this one", "run", b.Run())}
		}
		return own, err
	}
	f, err2 := parse([]byte(recorded.Text))
	if err2 != nil {
		return Policy{}, fault.Invalid.New(fmt.Sprintf("the policy on record (event %d): %v",
			recorded.Seq, err2), "", recordStep(b, "{} records another one"))
	}
	f.Path, f.Text = shortenPath(recorded.Path), recorded.Text
	f.Recorded = &board.PolicyRef{Path: f.Path, SHA256: recorded.SHA256, Seq: recorded.Seq,
		Reason: recorded.Reason}
	same := board.PolicyHash(own.Text) == recorded.SHA256
	if err != nil || own.Path != "" && !same {
		f.Note = PolicyName + " of this directory is another policy and was not used"
		f.Next = []fault.Step{recordStep(b, "{} records it")}
	}
	f.placeRecorded(own, same)
	return f, nil
}

// recordStep is the step that replaces the policy on record.
func recordStep(b *board.Board, text string) fault.Step {
	return fault.Do("run.start", text, "run", b.Run(), "policy", "FILE", "reason", "…")
}

// placeRecorded resolves the sources and reports of a policy on record. Its path counts only
// while the same file is there: a run may come from elsewhere.
func (f *Policy) placeRecorded(own Policy, same bool) {
	switch data, err := read(f.Path); {
	case own.Path != "" && same:
		f.placeAt(filepath.Dir(own.Path))
	case f.Path != "" && err == nil && board.PolicyHash(string(data)) == f.Recorded.SHA256:
		f.placeAt(filepath.Dir(f.Path))
	case len(f.Sources)+len(f.Reports) > 0:
		f.unplaced = fault.NotFound.New(f.Path+", the policy on record, is not there any more, so its "+
			"sources and reports cannot be found", "name them in the call, or record the policy anew")
	}
}

// placeAt makes the sources and reports relative to the working directory, from a policy's
// directory.
func (f *Policy) placeAt(dir string) {
	f.root = dir
	for _, list := range [][]string{f.Sources, f.Reports} {
		for i, p := range list {
			if list[i] = filepath.FromSlash(p); !filepath.IsAbs(list[i]) {
				list[i] = filepath.Join(dir, list[i])
			}
		}
	}
}

// SourcePaths returns the sources, which must be below the policy's directory with links
// resolved, unless Outside is set. Those of UseSources were named by the caller.
func (f *Policy) SourcePaths() ([]string, error) {
	if f.callersSources {
		return f.Sources, nil
	}
	return f.paths(f.Sources)
}

// ReportPaths is SourcePaths for the reports.
func (f *Policy) ReportPaths() ([]string, error) { return f.paths(f.Reports) }

// UseSources replaces the policy's sources by those that a caller names. The error is that of
// CheckNamed.
func (f *Policy) UseSources(paths []string) error {
	f.Sources, f.callersSources = paths, true
	return f.CheckNamed(paths)
}

func (f *Policy) paths(list []string) ([]string, error) {
	if f.unplaced != nil && len(list) > 0 {
		return nil, f.unplaced
	}
	if f.Outside || f.root == "" {
		return list, nil
	}
	for _, path := range list {
		if err := CheckBelow(f.root, path); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// CheckBelow returns fault.Invalid if a path, or a file that it stands for as a pattern, leads out of
// a directory. A path that is not there is judged as it is written.
func CheckBelow(dir, path string) error {
	paths := []string{path}
	if matches, err := filepath.Glob(path); err == nil && len(matches) > 0 {
		paths = matches
	}
	root, err := resolvePath(dir)
	if err != nil {
		return err
	}
	for _, p := range paths {
		target, err := resolvePath(p)
		if err != nil {
			return err
		}
		if down, err := filepath.Rel(root, target); err != nil || isUp(down) {
			return fault.Invalid.New(fmt.Sprintf("%s leads out of %s, and was not read", p,
				describeDir(dir)), "move it there", fault.Give("outside", "", "or allow it for this call: {}"))
		}
	}
	return nil
}

// resolvePath returns an absolute path without links, as far as it exists.
func resolvePath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest), nil
		}
		if _, err := os.Lstat(at); err == nil { // a link into nothing, or to itself
			return "", fault.Invalid.New(path+" is a link that leads nowhere", "correct the link")
		}
		if at == filepath.Dir(at) {
			return path, nil
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// describeDir names a directory for a message.
func describeDir(dir string) string {
	if dir == "." || dir == "" {
		return "this directory"
	}
	return strings.TrimSuffix(dir, string(filepath.Separator))
}

// CheckNamed returns fault.Invalid if a path that a caller names, and that is written as one below
// the working directory, leads out of it: the directory's owner may have put a link there.
func (f *Policy) CheckNamed(paths []string) error {
	for _, p := range paths {
		if filepath.IsLocal(p) && !f.Outside {
			if err := CheckBelow(".", p); err != nil {
				return err
			}
		}
	}
	return nil
}

// ToRecord is the policy as a run keeps it, nil if there is no file: a run that was started
// under none may be given one later.
func (f *Policy) ToRecord(reason string) (*board.NewPolicy, error) {
	if f.Path == "" {
		return nil, nil
	}
	path, err := filepath.Abs(f.Path)
	return &board.NewPolicy{Path: path, Text: f.Text, Gate: f.Gate, Reason: reason}, err
}
