package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/hooks/topics"
)

func (p *program) topicCommand() *cli.Command {
	return &cli.Command{
		Name: "topic", Category: catKnow, Usage: "what a working session is about: status, use, list, note, show and more",
		Description: `For each topic a spec, which the next session starts with, and a worklog, which
hooks write. Plain files, one directory a working tree. board help topic says
which topic a session has, what it starts with, and where the files are.`,
		Subcommands: slices.Concat(p.topicChoiceCommands(), p.topicReadCommands(), p.topicWriteCommands(), []*cli.Command{p.topicArchiveCommand(), p.topicRestoreCommand()}),
	}
}

func (p *program) topicChoiceCommands() []*cli.Command {
	return []*cli.Command{
		{Name: "status", Usage: "which topic it is here, why, and where its files are", Flags: topicFlags(), Action: p.topicStatus},
		{
			Name: "use", Usage: "pin a topic for all sessions of the workspace", ArgsUsage: "TOPIC",
			Description: `If it has no spec yet, it gets one with its name and --goal. The topic of a branch
(current) and those of sessions are not to be pinned. --none takes the pin away:
the branch decides again.`,
			Flags: topicFlags(
				&cli.StringFlag{Name: "goal", Aliases: []string{"g"}, Usage: "what it is to achieve, in a `LINE`, for a new spec"},
				&cli.BoolFlag{Name: "none", Usage: "pin none"},
				&cli.BoolFlag{Name: "force", Usage: "take a goal that holds what looks like a secret"},
			),
			Action: p.topicUse,
		},
	}
}

// topicFlags are those that every command about the topics of one place has.
func topicFlags(more ...cli.Flag) []cli.Flag {
	return flags(more, []cli.Flag{
		topicWorkspaceFlag(),
		&cli.StringFlag{Name: "session", Usage: "the `ID` of the session; default $BOARD_SESSION"},
		jsonFlag(),
	})
}

func topicWorkspaceFlag() cli.Flag {
	return &cli.StringFlag{Name: "workspace", Usage: "the `DIRECTORY` whose topics they are; default $BOARD_WORKSPACE, else the working tree of the working directory"}
}

// here is where a command about topics stands.
type here struct {
	*topics.Dir
	place   topics.Place
	session string
}

// openTopics finds the place and opens its topics. It makes nothing.
func (p *program) openTopics(c *cli.Context) (*here, error) {
	dir := c.String("workspace")
	if !c.IsSet("workspace") {
		dir = p.env("BOARD_WORKSPACE")
	} else if dir == "" {
		return nil, usagef("name an existing directory", "--workspace is empty")
	}
	session := p.env("BOARD_SESSION")
	if c.IsSet("session") {
		session = c.String("session")
	}
	return p.topicsOf(dir, session)
}

func (p *program) topicsOf(dir, session string) (*here, error) {
	root, err := topics.Root(p.env)
	if err != nil {
		return nil, err
	}
	place, err := topics.Find(dir, p.userHome())
	if err != nil {
		d, known := leftBy(root, dir)
		if !known {
			return nil, err
		}
		return &here{d, topics.Place{Workspace: d.Workspace(), Head: topics.HeadNone}, session}, nil
	}
	d, err := topics.Open(root, place.Workspace, topics.Options{})
	if err != nil {
		return nil, err
	}
	return &here{d, place, session}, nil
}

// leftBy is the topics of a directory that is gone, such as a worktree that was removed, if it has left any.
func leftBy(root, dir string) (*topics.Dir, bool) {
	d, err := topics.Open(root, dir, topics.Options{})
	if err != nil {
		return nil, false
	}
	all, err := d.List()
	return d, err == nil && len(all) > 0
}

// chosen is the topic that a command is about: the one that is named, else the one that the session has. Where each session has its own and none is named, a command that only looks, or asks
// first, takes the one that changed last; its name is "" if there is none.
func (h *here) chosen(name string) (topics.Topic, error) {
	if name != "" {
		return h.Named(name)
	}
	if t := h.Resolve(h.session, h.place); t.Name != "" {
		return t, nil
	}
	return h.Latest()
}

// chosenToWrite is the same for a command that writes: what is meant for one session is not written into the topic of another, and a name that is misspelled makes no topic.
func (h *here) chosenToWrite(name string) (topics.Topic, error) {
	if name == "" {
		t := h.Resolve(h.session, h.place)
		if t.Name == "" {
			return t, usagef("`board topic use NAME` pins a topic; --session or $BOARD_SESSION says which session it is", "there is no topic to write to: %s", t.Why)
		}
		return t, nil
	}
	t, err := h.Named(name)
	if err != nil {
		return t, err
	}
	all, err := h.List()
	if err == nil && !slices.ContainsFunc(all, func(i topics.Info) bool { return i.Name == t.Name }) && t.Name != h.Resolve(h.session, h.place).Name {
		err = h.noTopic(t.Name)
	}
	return t, err
}

// noTopic says that a topic is not there, or, for "", that none is.
func (h *here) noTopic(name string) error {
	if name == "" {
		return fault.NotFound.New("there is no topic in "+h.Workspace()+" yet", "`board topic use NAME` pins one; --session says which session it is")
	}
	hint := "`board topic list` shows those that there are"
	if kind := topics.KindOf(name); kind != topics.KindCurrent && kind != topics.KindSession { // those are not to be pinned
		hint += "; `board topic use " + name + "` makes it"
	}
	return fault.NotFound.New("there is no topic "+name+" in "+h.Workspace(), hint)
}

// oneTopic is the argument of a command that takes a topic or none.
func oneTopic(c *cli.Context) (string, error) {
	switch {
	case c.NArg() > 1:
		return "", usagef("name one", "`board %s` takes one topic, but got %d", commandName(c), c.NArg())
	case c.NArg() == 1 && c.Args().First() == "": // a variable that is not set
		return "", usagef("leave the argument out for the topic of the session", "the name of the topic is empty")
	}
	return c.Args().First(), nil
}

// topicReport is the answer of `board topic status`.
type topicReport struct {
	topics.Place
	Directory  string        `json:"directory"` // of the files
	Session    string        `json:"session"`
	Topic      *topics.Topic `json:"topic"` // null if there is none
	CleanRoom  bool          `json:"clean_room"`
	Spec       *topicFile    `json:"spec"`    // null if there is no topic
	Worklog    *topicFile    `json:"worklog"` // null if there is no topic
	Entries    int           `json:"entries"` // of the worklog
	Suppressed string        `json:"suppressed"`
}

// topicFile is a file that need not be there.
type topicFile struct {
	Path  string `json:"path"`
	Bytes *int64 `json:"bytes"` // null if it is not there
}

func (p *program) topicStatus(c *cli.Context) error {
	h, err := p.openTopics(c)
	if err != nil {
		return err
	}
	t, err := h.chosen("")
	if err != nil {
		return err
	}
	r := topicReport{Place: h.place, Directory: h.Path(), Session: h.session, CleanRoom: t.CleanRoom() && !topics.FullContext(p.env), Suppressed: h.Suppressed(t.Name, p.env)}
	if t.Name != "" {
		entries, err := h.Tail(t.Name, topics.TailLimits{})
		if err != nil {
			return err
		}
		r.Topic, r.Spec, r.Worklog, r.Entries = &t, fileAt(h.SpecPath(t.Name)), fileAt(h.WorklogPath(t.Name)), len(entries)
	}
	return p.answer(c, nil, func() { p.printStatus(&r) }, "status", r)
}

// fileAt looks at a file.
func fileAt(path string) *topicFile {
	f := &topicFile{Path: path}
	if info, err := os.Stat(path); err == nil {
		size := info.Size()
		f.Bytes = &size
	}
	return f
}

func (p *program) printStatus(r *topicReport) {
	row := func(name, format string, a ...any) { p.printf("%-10s %s\n", name, safe(fmt.Sprintf(format, a...))) }
	row("workspace", "%s", r.Workspace)
	branch := r.Branch
	if branch == "" {
		branch = map[string]string{topics.HeadDetached: "none: HEAD is detached", topics.HeadUnknown: "unknown", topics.HeadNone: "none: no git repository"}[r.Head]
	}
	row("branch", "%s", branch)
	if r.Topic == nil {
		row("topic", "none yet")
		p.talk("`board topic use NAME` pins one; --session says which session it is")
		return
	}
	row("topic", "%s (%s)", r.Topic.Name, r.Topic.Kind)
	row("why", "%s", r.Topic.Why)
	for _, f := range []struct {
		name string
		file *topicFile
		more string
	}{{"spec", r.Spec, ""}, {"worklog", r.Worklog, ", " + count(int64(r.Entries), "entry", "entries")}} {
		if f.file.Bytes == nil {
			row(f.name, "%s, not there yet", f.file.Path)
			continue
		}
		row(f.name, "%s, %s%s", f.file.Path, fileSize(*f.file.Bytes), f.more)
	}
	switch {
	case r.Suppressed != "":
		row("injected", "nothing: %s", r.Suppressed)
	case r.CleanRoom:
		row("injected", "a review starts in a clean room: title, goal and scope of the spec")
	default:
		row("injected", "the spec and what the worklog comes to")
	}
	if r.Topic.Kind == topics.KindSession {
		p.talk("`board topic use NAME` gives this work a topic that outlasts the session")
	}
}

// fileSize is a number of bytes for people.
func fileSize(n int64) string {
	switch {
	case n < 1000:
		return count(n, "byte", "bytes")
	case n < 1_000_000:
		return fmt.Sprintf("%.1f KB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
}

func (p *program) topicUse(c *cli.Context) error {
	name, err := oneTopic(c)
	if err != nil {
		return err
	}
	if c.Bool("none") {
		if name != "" || c.IsSet("goal") {
			return usagef("`board topic use NAME`, or `board topic use --none`", "--none pins no topic, but one is described")
		}
		return p.topicUnpin(c)
	}
	if name == "" {
		return usagef("`board topic use auth-refactor`; --none takes the pin away", "no topic is named")
	}
	h, err := p.openTopics(c)
	if err != nil {
		return err
	}
	if err := refuseSecret(c, "the goal", c.String("goal")); err != nil {
		return err
	}
	u, err := h.Use(c.Context, name, c.String("goal"))
	if err != nil {
		return err
	}
	return p.answer(c, nil, func() {
		p.printf("%s is the topic of %s now\n", u.Topic.Name, safe(h.Workspace()))
		switch {
		case u.Was != "" && u.Was != u.Topic.Name:
			p.talk("it was %s, which keeps its files", u.Was)
		case !u.Seeded && c.IsSet("goal"):
			p.talk("note: it has a spec already, so the goal was not written; `board topic edit` changes it")
		}
		p.talk("spec: %s", safe(u.Spec))
	}, "topic", u.Topic, "spec", u.Spec, "seeded", u.Seeded, "was", u.Was)
}

func (p *program) topicUnpin(c *cli.Context) error {
	h, err := p.openTopics(c)
	if err != nil {
		return err
	}
	was, err := h.Unpin(c.Context)
	if err != nil {
		return err
	}
	switch {
	case c.Bool("json"):
		return p.json("topic", nil, "spec", nil, "seeded", false, "was", was)
	case was == "":
		p.printf("no topic was pinned for %s\n", safe(h.Workspace()))
	default:
		p.printf("%s is not pinned for %s any more, and keeps its files\n", was, safe(h.Workspace()))
	}
	return nil
}
