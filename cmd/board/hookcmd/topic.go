package hookcmd

import (
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/hooks/topics"
)

func (p *program) topicCommand() *cli.Command {
	return &cli.Command{
		Name: "topic", Category: base.CategoryKnow,
		Usage: "the topic of a working session: status, use, list, note, show and more",
		Description: `Each topic has a spec, which the next session starts with, and a worklog, which
hooks write. They are plain files, in one directory for each working tree. board
help topic explains which topic a session has, and where the files are.`,
		Subcommands: slices.Concat(p.topicChoiceCommands(), p.topicReadCommands(),
			p.topicWriteCommands(), []*cli.Command{p.topicArchiveCommand(), p.topicRestoreCommand()}),
	}
}

func (p *program) topicChoiceCommands() []*cli.Command {
	return []*cli.Command{
		{Name: "status",
			Usage: "print the topic here, the reason, and where its files are", Flags: topicFlags(),
			Action: p.topicStatus},
		{
			Name: "use", Usage: "pin a topic for all sessions of the workspace", ArgsUsage: "TOPIC",
			Description: `A topic without a spec gets one with its name and --goal. The topics of a branch
(current) and of sessions cannot be pinned. --none removes the pin: the branch
decides again.`,
			Flags: topicFlags(
				&cli.StringFlag{Name: "goal", Aliases: []string{"g"},
					Usage: "the goal, one `LINE`, for a new spec"},
				&cli.BoolFlag{Name: "none", Usage: "pin none"},
				&cli.BoolFlag{Name: "force", Usage: "store the goal even if it seems to hold a secret"},
			),
			Action: p.topicUse,
		},
	}
}

func topicFlags(more ...cli.Flag) []cli.Flag {
	return slices.Concat(more, []cli.Flag{
		topicWorkspaceFlag(),
		&cli.StringFlag{Name: "session", Usage: "the `ID` of the session; default $BOARD_SESSION"},
		base.JSONFlag(),
	})
}

func topicWorkspaceFlag() cli.Flag {
	return &cli.StringFlag{Name: "workspace",
		Usage: "the `DIRECTORY` whose topics they are; default $BOARD_WORKSPACE, else the current " +
			"working tree"}
}

// here is where a topic command works: the topics, the place, and the session that calls it.
type here struct {
	*topics.Dir
	place   topics.Place
	session string
}

// openTopics finds the place and opens its topics. It creates nothing.
func (p *program) openTopics(c *cli.Context) (*here, error) {
	dir := c.String("workspace")
	if !c.IsSet("workspace") {
		dir = p.NamedWorkspace()
	} else if dir == "" {
		return nil, base.Usagef("name an existing directory", "--workspace is empty")
	}
	session := p.Env("BOARD_SESSION")
	if c.IsSet("session") {
		session = c.String("session")
	}
	return p.topicsOf(dir, session)
}

func (p *program) topicsOf(dir, session string) (*here, error) {
	root, err := topics.Root(p.Env)
	if err != nil {
		return nil, err
	}
	place, err := topics.Find(dir, p.UserHome())
	if err != nil {
		d, known := leftBy(root, dir)
		if !known {
			return nil, err
		}
		return &here{d, topics.Place{Workspace: d.Workspace(), Head: topics.HeadNone}, session}, nil
	}
	d, err := topics.Open(root, place.Workspace,
		topics.Options{Branch: place.OwnBranch()})
	if err != nil {
		return nil, err
	}
	return &here{d, place, session}, nil
}

// leftBy returns the topics of a directory that is gone, such as a worktree, and if any are.
func leftBy(root, dir string) (*topics.Dir, bool) {
	d, err := topics.Open(root, dir, topics.Options{})
	if err != nil {
		return nil, false
	}
	all, err := d.List()
	return d, err == nil && len(all) > 0
}

// chosen is a command's topic: the named one, else the session's; where each has its own, commands
// that read or ask first take the last changed, or "".
func (h *here) chosen(name string) (topics.Topic, error) {
	if name != "" {
		return h.Named(name)
	}
	if t := h.Resolve(h.session, h.place); t.Name != "" {
		return t, nil
	}
	return h.Latest()
}

// chosenToWrite is chosen for a command that writes: it never guesses a session's
// topic, and creates none under a misspelled name.
func (h *here) chosenToWrite(name string) (topics.Topic, error) {
	if name == "" {
		t := h.Resolve(h.session, h.place)
		if t.Name == "" {
			return t, base.Usagef("`board topic use NAME` pins a topic; --session or $BOARD_SESSION "+
				"says which session it is", "no topic to write to: %s", t.Why)
		}
		return t, nil
	}
	t, err := h.Named(name)
	if err != nil {
		return t, err
	}
	all, err := h.List()
	if err == nil && !slices.ContainsFunc(all,
		func(i topics.Info) bool { return i.Name == t.Name }) && t.Name != h.Resolve(h.session,
		h.place).Name {
		err = h.noTopic(t.Name)
	}
	return t, err
}

// noTopic is the error that a topic, or any topic for "", was not found.
func (h *here) noTopic(name string) error {
	if name == "" {
		return fault.NotFound.New("there is no topic in "+h.Workspace()+" yet",
			"`board topic use NAME` pins one; --session says which session it is")
	}
	hint := "`board topic list` lists the topics"
	// those are not to be pinned
	if kind := topics.KindOf(name); kind != topics.KindCurrent && kind != topics.KindSession {
		hint += "; `board topic use " + name + "` makes it"
	}
	return fault.NotFound.New("there is no topic "+name+" in "+h.Workspace(), hint)
}

func oneTopic(c *cli.Context) (string, error) {
	switch {
	case c.NArg() > 1:
		return "", base.Usagef("name one", "`board %s` takes one topic, but got %d", base.CommandName(c),
			c.NArg())
	case c.NArg() == 1 && c.Args().First() == "": // a variable that is not set
		return "", base.Usagef("leave the argument out for the topic of the session",
			"the name of the topic is empty")
	}
	return c.Args().First(), nil
}

// onTopic is the action of a command about the topic that find finds by its argument.
func (p *program) onTopic(find func(*here, string) (topics.Topic, error),
	do func(*cli.Context, *here, topics.Topic) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		name, err := oneTopic(c)
		if err != nil {
			return err
		}
		h, err := p.openTopics(c)
		if err != nil {
			return err
		}
		t, err := find(h, name)
		if err != nil {
			return err
		}
		return do(c, h, t)
	}
}

type topicReport struct {
	topics.Place
	Directory  string        `json:"directory"` // of the files
	Session    string        `json:"session"`
	Topic      *topics.Topic `json:"topic"`      // null if there is none
	CleanRoom  bool          `json:"clean_room"` // whether this session gets no context
	Spec       *topicFile    `json:"spec"`       // null if there is no topic
	Worklog    *topicFile    `json:"worklog"`    // null if there is no topic
	Entries    int           `json:"entries"`    // of the worklog
	Suppressed string        `json:"suppressed"` // why nothing is injected, "" if it is
	Problem    string        `json:"problem"`    // why a pin is not used, "" if there is none
}

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
	r := topicReport{Place: h.place, Directory: h.Path(), Session: h.session,
		CleanRoom: t.CleanRoom(), Suppressed: h.Suppressed(t.Name, p.Env)}
	_, r.Problem = h.Pinned()
	if t.Name != "" {
		entries, err := h.Tail(t.Name, topics.TailLimits{})
		if err != nil {
			return err
		}
		r.Topic, r.Spec, r.Worklog, r.Entries = &t, fileAt(h.SpecPath(t.Name)),
			fileAt(h.WorklogPath(t.Name)), len(entries)
	}
	return p.Answer(c, nil, func() { p.printStatus(&r) }, "status", r)
}

func fileAt(path string) *topicFile {
	f := &topicFile{Path: path}
	if info, err := os.Stat(path); err == nil {
		size := info.Size()
		f.Bytes = &size
	}
	return f
}

func (p *program) printStatus(r *topicReport) {
	row := func(name, format string, a ...any) {
		p.Printf("%-10s %s\n", name, base.Safe(fmt.Sprintf(format, a...)))
	}
	row("workspace", "%s", r.Workspace)
	branch := r.Branch
	if branch == "" {
		branch = map[string]string{topics.HeadDetached: "none: HEAD is detached",
			topics.HeadUnknown: "unknown", topics.HeadNone: "none: not a git repository"}[r.Head]
	}
	row("branch", "%s", branch)
	if r.Problem != "" {
		p.Messagef("note: %s; `board topic use NAME` mends it", base.Safe(r.Problem))
	}
	if r.Topic == nil {
		row("topic", "none yet")
		p.Messagef("`board topic use NAME` pins one; --session says which session it is")
		return
	}
	row("topic", "%s (%s)", r.Topic.Name, r.Topic.Kind)
	row("why", "%s", r.Topic.Why)
	for _, f := range []struct {
		name string
		file *topicFile
		more string
	}{{"spec", r.Spec, ""}, {"worklog", r.Worklog, ", " + base.Count(int64(r.Entries), "entry",
		"entries")}} {
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
		row("injected", "the start page: board topic show --injected")
	}
	if r.Topic.Kind == topics.KindSession {
		p.Messagef("`board topic use NAME` gives this work a topic that outlasts the session")
	}
}

func fileSize(n int64) string {
	switch {
	case n < 1000:
		return base.Count(n, "byte", "bytes")
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
			return base.Usagef("`board topic use NAME`, or `board topic use --none`",
				"--none pins no topic, but a topic or a goal is given")
		}
		return p.topicUnpin(c)
	}
	if name == "" {
		return base.Usagef("`board topic use auth-refactor`; --none takes the pin away",
			"no topic is named")
	}
	h, err := p.openTopics(c)
	if err != nil {
		return err
	}
	if err := refuseSecret(c, "the goal", c.String("goal")); err != nil {
		return err
	}
	u, err := h.Use(c.Context, name, c.String("goal"))
	return p.Answer(c, err, func() {
		p.Printf("%s is the topic of %s now\n", u.Topic.Name, base.Safe(h.Workspace()))
		switch {
		case u.Was != "" && u.Was != u.Topic.Name:
			p.Messagef("before, it was %s; its files are kept", u.Was)
		case !u.Seeded && c.IsSet("goal"):
			p.Messagef("note: the topic has a spec, so the goal was not written; `board topic edit` " +
				"changes it")
		}
		p.Messagef("spec: %s", base.Safe(u.Spec))
	}, "topic", u.Topic, "spec", u.Spec, "seeded", u.Seeded, "was", u.Was)
}

func (p *program) topicUnpin(c *cli.Context) error {
	h, err := p.openTopics(c)
	if err != nil {
		return err
	}
	was, err := h.Unpin(c.Context)
	return p.Answer(c, err, func() {
		if was == "" {
			p.Printf("no topic was pinned for %s\n", base.Safe(h.Workspace()))
			return
		}
		p.Printf("%s is no longer pinned for %s; its files are kept\n", was, base.Safe(h.Workspace()))
	}, "topic", nil, "spec", nil, "seeded", false, "was", was)
}
