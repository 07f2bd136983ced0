package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"blackboard/board/fault"
	"blackboard/hooks/harness"
	"blackboard/hooks/topics"
	kbhome "blackboard/kb/home"
)

// turn is the handling of one event.
type turn struct {
	Config
	e     *harness.Event
	depth Depth
	now   time.Time
	late  func() bool // whether the answer was already given without this turn

	dir       string      // where the session works; "" if unknown
	topics    *topics.Dir // nil if the directory belongs to no workspace
	topic     topics.Topic
	branch    string // "" for a branch that unrelated sessions share
	workspace string // by the knowledge base's rules; "" for none
}

// logError logs an error of what was being done, if there is one.
func (t *turn) logError(what string, err error) {
	if err != nil {
		t.tell(t.now, t.e.Harness, t.e.Name, fmt.Sprintf("%s: %v", what, err))
	}
}

// locate finds the directory where the session works, and its topic. $BOARD_WORKSPACE
// comes first, as it does for commands that the agent runs; then the payload. This
// process's working directory may be the harness's own, so it counts only if neither
// names a directory.
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
	t.logError("find the home directory", err)
	ws, err := kbhome.Find(t.dir, home, t.Home)
	t.logError("find the workspace", err)
	t.workspace = ws
	place, err := topics.Find(t.dir, home)
	t.logError("find the topics", err)
	if err != nil || place.Workspace == "" {
		return
	}
	root, err := topics.Root(t.Env)
	if err == nil {
		t.topics, err = topics.Open(root, place.Workspace, topics.Options{Now: t.clock})
	}
	if t.logError("open the topics", err); err != nil {
		return
	}
	t.topic, t.branch = t.topics.Resolve(t.e.Session, place), place.OwnBranch()
}

// saveState saves what was given, unless the answer came too late to be used.
func (t *turn) saveState(given *sessionState) {
	if !t.late() {
		t.logError("save the session's state", given.save())
	}
}

func (t *turn) clock() time.Time { return t.now }

// suppressed reports whether the user has switched injection off.
func (t *turn) suppressed() bool {
	if t.topics == nil {
		return topics.Silenced(t.Env) != ""
	}
	return t.topics.Suppressed(t.topic.Name, t.Env) != ""
}

// notFound reports whether an error is about something that need not exist.
func notFound(err error) bool {
	return errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, fault.NotFound)
}
