package hooks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"blackboard/board/fault"
	"blackboard/hooks/harness"
	"blackboard/hooks/topics"
	"blackboard/kb"
)

// turn is one event on its way to its answer.
type turn struct {
	Config
	e     *harness.Event
	depth Depth
	now   time.Time
	late  func() bool // whether the answer was given without this turn

	dir       string      // where the session works; "" if nobody knows
	topics    *topics.Dir // nil where nobody has topics
	topic     topics.Topic
	branch    string // "" for one that unrelated sessions share
	workspace string // as the knowledge base has it; "" for none
}

// note writes down what went wrong.
func (t *turn) note(what string, err error) {
	if err != nil {
		logLine(t.Home, t.now, "%s %s: %s: %v", t.e.Harness, t.e.Name, what, err)
	}
}

// locate finds where the session works, and its topic. $BOARD_WORKSPACE goes first, as for the commands that the agent runs; then the payload; the working directory of this process, which may be
// the harness's own, counts only if nobody names a place.
func (t *turn) locate() {
	named := []string{t.Env("BOARD_WORKSPACE"), t.e.Cwd}
	for _, h := range harness.All {
		if h.ProjectVariable != "" {
			named = append(named, t.Env(h.ProjectVariable))
		}
	}
	any := false
	for _, dir := range named {
		if !filepath.IsAbs(dir) {
			continue
		}
		any = true
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			t.dir = dir
			break
		}
	}
	if !any {
		var err error
		if t.dir, err = os.Getwd(); err != nil {
			t.dir = ""
		}
	}
	if t.dir == "" {
		return
	}
	home, err := topics.Home(t.Env)
	t.note("find the home directory", err)
	ws, err := kb.FindWorkspace(t.dir, home, t.Home)
	t.note("find the workspace", err)
	t.workspace = ws
	place, err := topics.Find(t.dir, home)
	t.note("find the topics", err)
	if err != nil || place.Workspace == "" {
		return
	}
	root, err := topics.Root(t.Env)
	if err == nil {
		t.topics, err = topics.Open(root, place.Workspace, topics.Options{Now: t.clock})
	}
	if t.note("open the topics", err); err != nil {
		return
	}
	t.topic, t.branch = t.topics.Resolve(t.e.Session, place), place.OwnBranch()
}

// save notes what was given, unless nobody gets it any more.
func (t *turn) save(given *seen) {
	if !t.late() {
		t.note("note what was given", given.save())
	}
}

func (t *turn) clock() time.Time { return t.now }

// suppressed says whether the user wants nothing to be injected.
func (t *turn) suppressed() bool {
	if t.topics == nil {
		return topics.Silenced(t.Env) != ""
	}
	return t.topics.Suppressed(t.topic.Name, t.Env) != ""
}

// absent says that an error is about what need not be there.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fault.NotFound) }
