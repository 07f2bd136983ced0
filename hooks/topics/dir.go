package topics

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Root returns the directory of all workspaces' topics: $BOARD_SPEC_ROOT, else
// $XDG_STATE_HOME/blackboard/specs, else ~/.local/state/blackboard/specs.
func Root(env func(string) string) (string, error) {
	if dir := env("BOARD_SPEC_ROOT"); dir != "" {
		return filepath.Abs(dir)
	}
	// The XDG specification says to ignore relative paths.
	if dir := env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "blackboard", "specs"), nil
	}
	home, err := Home(env)
	if err != nil {
		return "", invalid("cannot find a directory for topics: "+
			err.Error(), "set $BOARD_SPEC_ROOT")
	}
	return filepath.Join(home, ".local", "state", "blackboard", "specs"), nil
}

// Home is the user's home directory: $HOME, else the system's, such as %USERPROFILE%.
func Home(env func(string) string) (string, error) {
	if home := env("HOME"); home != "" {
		return home, nil
	}
	return os.UserHomeDir()
}

// Default limits of a worklog.
const (
	DefaultWorklogBytes = 256 << 10
	DefaultWorklogLines = 1000
)

// Options are the options of a workspace's topics. The zero value is the default.
type Options struct {
	Now          func() time.Time // nil: time.Now
	WorklogBytes int              // upper limit of a worklog; 0: DefaultWorklogBytes
	WorklogLines int              // upper limit of a worklog; 0: DefaultWorklogLines
	// Branch is the caller's branch: writes keep it, and a session starts with what belongs to it.
	Branch string
}

// Dir has the topics of one workspace. Many goroutines and processes may use it at once.
type Dir struct {
	workspace, path string
	opt             Options
	turn            chan struct{} // holds one value while this Dir has or awaits the lock
}

// Open returns a workspace's topics (Place.Workspace). The first write creates the files.
func Open(root, workspace string, opt Options) (*Dir, error) {
	if workspace == "" {
		return nil, invalid("this directory belongs to no workspace, so it has no topics",
			"go to a project's directory", otherPlace)
	}
	workspace = filepath.Clean(workspace)
	if !filepath.IsAbs(workspace) || workspace == filepath.Dir(workspace) {
		return nil, invalid(workspace+" is not a valid workspace",
			"use the absolute path of a project's directory")
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	opt.WorklogBytes = cmp.Or(max(opt.WorklogBytes, 0), DefaultWorklogBytes)
	opt.WorklogLines = cmp.Or(max(opt.WorklogLines, 0), DefaultWorklogLines)
	return &Dir{workspace: workspace, path: filepath.Join(root, workspaceDir(workspace)),
		opt: opt, turn: make(chan struct{}, 1)}, nil
}

// Path returns the directory of the files. It may not exist.
func (d *Dir) Path() string { return d.path }

func (d *Dir) Workspace() string { return d.workspace }

// SpecPath returns the path of a topic's spec, which may not exist.
func (d *Dir) SpecPath(topic string) string { return filepath.Join(d.path, topic+specExt) }

// WorklogPath returns the path of a topic's worklog, which may not exist.
func (d *Dir) WorklogPath(topic string) string { return filepath.Join(d.path, topic+worklogExt) }

// lock takes the write lock. Callers of one Dir get it in order: the system's lock could let one
// of many wait without end.
func (d *Dir) lock(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	select {
	case d.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, lockError(ctx.Err(), d.path)
	}
	release, err := lock(ctx, d.path)
	if err != nil {
		<-d.turn
		return nil, err
	}
	return func() { release(); <-d.turn }, nil
}

// Topic is a topic of a workspace, and how it was chosen.
type Topic struct {
	Name     string `json:"name"`     // "" if there is none
	Kind     string `json:"kind"`     // KindOf the name
	Explicit bool   `json:"explicit"` // it was named or pinned
	Why      string `json:"why"`      // how it was chosen, or why there is none, in words
}

// CleanRoom reports whether a session of this topic starts without earlier findings.
func (t Topic) CleanRoom() bool { return t.Kind == KindReview }

// onBranch returns the topic as it is on a branch: a review if the branch is for one.
func (t Topic) onBranch(branch string) Topic {
	if isReview(branch) && t.Kind != KindReview {
		t.Kind, t.Why = KindReview, t.Why+"; the branch "+clip(branch, 100)+" is for a review"
	}
	return t
}

func (d *Dir) Named(name string) (Topic, error) {
	if err := CheckName(name); err != nil {
		return Topic{}, err
	}
	name = d.Spelling(name)
	return Topic{Name: name, Kind: KindOf(name), Explicit: true, Why: "it was named"}, nil
}

// Resolve is a session's topic in a place; "" if sessions have topics of their own and none is
// given: another's would be a guess (see Latest).
func (d *Dir) Resolve(session string, at Place) Topic {
	pinned, problem := d.Pinned()
	if pinned != "" {
		return Topic{Name: pinned, Kind: KindOf(pinned), Explicit: true,
			Why: "it is pinned for this workspace"}.onBranch(at.Branch)
	}
	if problem != "" {
		problem = "; " + problem
	}
	shared, why := at.shared()
	name := SessionTopic(session)
	switch {
	case !shared:
		return Topic{Name: Current, Kind: KindCurrent, Why: why + problem}.onBranch(at.Branch)
	case name == "":
		return Topic{Why: why + ", and no session is named" + problem}
	}
	return Topic{Name: name, Kind: KindSession, Why: why + "; this is the session's own topic" +
		problem}
}

// Latest returns the session topic that was changed last. It serves a person who names
// neither a topic nor a session. The name is "" if there is none.
func (d *Dir) Latest() (Topic, error) {
	all, err := d.List()
	i := slices.IndexFunc(all, func(t Info) bool { return t.Kind == KindSession })
	if i < 0 {
		return Topic{}, err
	}
	return Topic{Name: all[i].Name, Kind: KindSession, Why: "no session is named: it is the " +
		"session topic that changed last"}, nil
}

// Spelling returns the spelling of an existing topic's name. Names that differ only in
// case are one topic, because some file systems do not tell them apart.
func (d *Dir) Spelling(name string) string {
	entries, _ := os.ReadDir(d.path) // without a directory there is no other spelling
	found := ""
	for _, e := range entries {
		switch topic, _ := topicOf(e.Name()); {
		case topic == name:
			return name
		case found == "" && strings.EqualFold(topic, name):
			found = topic
		}
	}
	return cmp.Or(found, name)
}

// topicOf splits a file name into its topic and extension; "" for files of no topic.
func topicOf(file string) (topic, ext string) {
	for _, ext := range []string{worklogExt, noContextExt, specExt} {
		if topic, ok := strings.CutSuffix(file, ext); ok && CheckName(topic) == nil {
			return topic, ext
		}
	}
	return "", ""
}
