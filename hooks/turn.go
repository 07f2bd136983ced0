package hooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/hooks/harness"
	"blackboard/hooks/topics"
	kbhome "blackboard/kb/home"
)

type turn struct {
	Config
	e     *harness.Event
	depth Depth
	now   time.Time
	late  func() bool // whether the answer was already given without this turn

	dir       string      // where the session works; "" if unknown
	topics    *topics.Dir // nil if the directory belongs to no workspace
	place     topics.Place
	topic     topics.Topic
	branch    string // "" for a branch that unrelated sessions share
	workspace string // by the knowledge base's rules; "" for none

	pinProblem string // why the pin of a topic is not used; "": it is, or there is none
	considered []Considered
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
	home, err := topics.Home(t.Env)
	t.logError("find the home directory", err)
	if filepath.IsAbs(named[0]) {
		if ws, err := kbhome.Find(named[0], home, t.Home); err == nil && ws == "" {
			named = named[1:] // the home directory is nobody's project: commands say so
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
	ws, err := kbhome.Find(t.dir, home, t.Home)
	t.logError("find the workspace", err)
	t.workspace = ws
	place, err := topics.Find(t.dir, home)
	t.logError("find the topics", err)
	t.place = place
	if err != nil || place.Workspace == "" {
		return
	}
	root, err := topics.Root(t.Env)
	if err == nil {
		t.topics, err = topics.Open(root, place.Workspace, topics.Options{Now: t.clock,
			Branch: place.OwnBranch()})
	}
	if t.logError("open the topics", err); err != nil {
		return
	}
	t.topic, t.branch = t.topics.Resolve(t.e.Session, place), place.OwnBranch()
	_, t.pinProblem = t.topics.Pinned()
	if t.Topic != "" && t.Topic != t.topic.Name {
		t.topic, err = t.topics.Named(t.Topic)
		t.logError("find the topic", err)
	}
}

// saveState saves what was given, unless the answer came too late to be used.
func (t *turn) saveState(given *sessionState) {
	if !t.late() {
		t.logError("save the session's state", given.save())
	}
}

// openSession reads what the session was given; for a preview nothing.
func (t *turn) openSession() *sessionState {
	if t.Preview {
		return &sessionState{}
	}
	given, err := openSession(t.Home, t.e.Session)
	t.logError("read the session's state", err)
	return given
}

// nameSession tells the session's id to the agent's commands, where the harness has a file for it.
func (t *turn) nameSession() {
	name := t.Env("CLAUDE_ENV_FILE")
	if t.Preview || !filepath.IsAbs(name) || topics.SessionTopic(t.e.Session) != "session-"+t.e.Session {
		return // an id that is no plain word stands in no file for a shell
	}
	line := "export BOARD_SESSION=" + t.e.Session + "\n"
	if have, err := disk.Read(name, maxStateBytes); err == nil && strings.Contains(string(have), line) {
		return
	}
	if f, err := disk.OpenLog(name, maxLog); err == nil {
		_, err = f.WriteString(line)
		t.logError("tell commands the session's id", errors.Join(err, f.Close()))
	}
}

func (t *turn) clock() time.Time { return t.now }

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
