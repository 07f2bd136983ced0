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

// Root returns the directory of all workspaces' topics: $BOARD_SPEC_ROOT, else $XDG_STATE_HOME/blackboard/specs, else ~/.local/state/blackboard/specs.
func Root(env func(string) string) (string, error) {
	if dir := env("BOARD_SPEC_ROOT"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := env("XDG_STATE_HOME"); filepath.IsAbs(dir) { // the XDG specification: relative paths are to be ignored
		return filepath.Join(dir, "blackboard", "specs"), nil
	}
	home, err := Home(env)
	if err != nil {
		return "", invalid("there is no place for topics: "+err.Error(), "set $BOARD_SPEC_ROOT")
	}
	return filepath.Join(home, ".local", "state", "blackboard", "specs"), nil
}

// Home returns the user's home directory: $HOME, else what the system has for it, such as %USERPROFILE% on Windows.
func Home(env func(string) string) (string, error) {
	if home := env("HOME"); home != "" {
		return home, nil
	}
	return os.UserHomeDir()
}

// Limits of a worklog, unless Options say otherwise.
const (
	DefaultWorklogBytes = 256 << 10
	DefaultWorklogLines = 1000
)

// Options of a workspace's topics. The zero value is the common one.
type Options struct {
	Now          func() time.Time // time.Now
	WorklogBytes int              // most bytes of a worklog; DefaultWorklogBytes
	WorklogLines int              // most lines of a worklog; DefaultWorklogLines
}

// Dir is the topics of one workspace. Its methods may be used by many goroutines and processes at a time.
type Dir struct {
	workspace, path string
	opt             Options
}

// Open returns the topics of a workspace (Place.Workspace). It makes nothing; the first write does.
func Open(root, workspace string, opt Options) (*Dir, error) {
	if workspace == "" {
		return nil, invalid("this directory is nobody's workspace, so it has no topics", "go to a project's directory", otherPlace)
	}
	workspace = filepath.Clean(workspace)
	if !filepath.IsAbs(workspace) || workspace == filepath.Dir(workspace) {
		return nil, invalid(workspace+" is no workspace", "name the whole path of a project's directory")
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
	return &Dir{workspace: workspace, path: filepath.Join(root, below(workspace)), opt: opt}, nil
}

// Path returns the directory of the files, which need not be there.
func (d *Dir) Path() string { return d.path }

// Workspace returns the workspace.
func (d *Dir) Workspace() string { return d.workspace }

// SpecPath returns where a topic's spec is, or would be.
func (d *Dir) SpecPath(topic string) string { return filepath.Join(d.path, topic+specExt) }

// WorklogPath returns where a topic's worklog is, or would be.
func (d *Dir) WorklogPath(topic string) string { return filepath.Join(d.path, topic+worklogExt) }

// lock waits for the turn to write. What could not be written for want of a turn is written first.
func (d *Dir) lock(ctx context.Context) (unlock func(), err error) {
	unlock, err = lock(ctx, d.path)
	if err == nil {
		d.unspool()
	}
	return unlock, err
}

// Topic is a topic of a workspace, and how it was chosen.
type Topic struct {
	Name     string `json:"name"`     // "" if there is none
	Kind     string `json:"kind"`     // KindOf the name
	Explicit bool   `json:"explicit"` // somebody named or pinned it
	Why      string `json:"why"`      // how it was chosen, or why there is none, in words
}

// CleanRoom says whether a session of this topic is to start without what earlier ones found.
func (t Topic) CleanRoom() bool { return t.Kind == KindReview }

// Named is a topic that was asked for by its name.
func (d *Dir) Named(name string) (Topic, error) {
	if err := CheckName(name); err != nil {
		return Topic{}, err
	}
	name = d.Spelling(name)
	return Topic{Name: name, Kind: KindOf(name), Explicit: true, Why: "it was named"}, nil
}

// Resolve says which topic a session has in a place. Its name is "" if no session is given where each has a topic of its own: the topic of another would be a guess (see Latest).
func (d *Dir) Resolve(session string, at Place) Topic {
	pinned, problem := d.Pinned()
	if pinned != "" {
		return Topic{Name: pinned, Kind: KindOf(pinned), Explicit: true, Why: "it is pinned for this workspace"}
	}
	if problem != "" {
		problem = "; " + problem
	}
	shared, why := at.shared()
	name := SessionTopic(session)
	switch {
	case !shared:
		return Topic{Name: Current, Kind: KindCurrent, Why: why + problem}
	case name == "":
		return Topic{Why: why + ", and no session is named" + problem}
	}
	return Topic{Name: name, Kind: KindSession, Why: why + ": it is this session's own" + problem}
}

// Latest returns the session's own topic that was changed last, one with the name "" if there is none: what a person means who names neither a topic nor a session.
func (d *Dir) Latest() (Topic, error) {
	all, err := d.List()
	i := slices.IndexFunc(all, func(t Info) bool { return t.Kind == KindSession })
	if i < 0 {
		return Topic{}, err
	}
	return Topic{Name: all[i].Name, Kind: KindSession, Why: "no session is named: it is the one whose topic changed last"}, nil
}

// Spelling returns how the name of a topic that is there is written. Names that differ in upper and lower case alone are one topic, since some file systems do not tell them apart.
func (d *Dir) Spelling(name string) string {
	entries, _ := os.ReadDir(d.path) // no directory, no other spelling
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

// topicOf is the topic that a file belongs to and what of it the file is, "" for other files.
func topicOf(file string) (topic, ext string) {
	for _, ext := range []string{worklogExt, noContextExt, specExt} {
		if topic, ok := strings.CutSuffix(file, ext); ok && CheckName(topic) == nil {
			return topic, ext
		}
	}
	return "", ""
}
