package hookcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks"
	"blackboard/hooks/topics"
)

func (p *program) topicReadCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "show", Usage: "print a topic's spec and the end of its worklog", ArgsUsage: "[TOPIC]",
			Description: `The default is the session's topic; if each session has its own, the one that
changed last.`,
			Flags: topicFlags(
				&cli.IntFlag{Name: "tail", Usage: "at most `N` entries of the worklog; 0: all", Value: 20},
				&cli.BoolFlag{Name: "injected",
					Usage: "print what a session would start with, to the letter, and why each thing is in it"},
			),
			Action: p.onTopic((*here).chosen, p.topicShow),
		},
		{
			Name: "list", Usage: "list topics, the one that changed last first",
			Flags: topicFlags(
				&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "topics of all workspaces"},
				&cli.BoolFlag{Name: "archived", Usage: "the files of the archive, with their paths"},
				base.LimitFlag(),
			),
			Action: p.topicList,
		},
	}
}

func (p *program) topicShow(c *cli.Context, h *here, t topics.Topic) error {
	if c.Int("tail") < 0 {
		return base.Usagef("0 shows all", "the tail %d is negative", c.Int("tail"))
	}
	if t.Name == "" {
		return h.noTopic("")
	}
	spec, err := h.Spec(t.Name)
	if err != nil {
		return err
	}
	worklog, err := h.Tail(t.Name, topics.TailLimits{Entries: c.Int("tail")})
	if err != nil {
		return err
	}
	if !spec.Exists && len(worklog) == 0 {
		return h.noTopic(t.Name)
	}
	if c.Bool("injected") {
		return p.topicInjected(c, h, t)
	}
	return p.Answer(c, nil, func() {
		switch {
		case spec.TooLong:
			p.Messagef("the spec has %s, more than is shown: %s", fileSize(spec.Bytes),
				base.Safe(spec.Path))
		case !spec.Exists:
			p.Messagef("%s has no spec yet; `board topic note` starts one", t.Name)
		default:
			p.PrintDocument(strings.TrimRight(spec.Text, "\n"))
		}
		p.printWorklog(worklog)
	}, "topic", t, "spec", spec, "worklog", worklog)
}

func (p *program) printWorklog(entries []topics.Entry) {
	if len(entries) == 0 {
		return
	}
	p.Printf("\n%s\n", p.Paint(base.Bold, "Worklog"))
	for _, e := range entries {
		p.Printf("  %s\n", base.Line(e.String(), 400))
	}
}

// topicInjected prints what a session would start with.
func (p *program) topicInjected(c *cli.Context, h *here, t topics.Topic) error {
	s, err := h.Startup(t, topics.StartupLimits{})
	if err != nil {
		return err
	}
	why := h.Suppressed(t.Name, p.Env)
	if why != "" {
		s.Spec, s.Pointer, s.Worklog = "", "", []topics.Entry{}
	}
	r, err := p.startPage(c, h, t)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.JSON("topic", t, "startup", s, "suppressed", why, "page", r.Text,
			"considered", append([]hooks.Considered{}, r.Considered...))
	}
	if why != "" {
		p.Messagef("nothing is injected: %s", base.Safe(why))
		return nil
	}
	p.Printf("%s\n\nWhy\n", base.Safe(r.Text))
	for _, one := range r.Considered {
		p.Printf("  %s\n", base.Safe(one.String()))
	}
	return nil
}

// startPage is what a hook would start the topic's session with; it changes nothing.
func (p *program) startPage(c *cli.Context, h *here, t topics.Topic) (hooks.Result, error) {
	cfg, _, err := p.hookConfig()
	if err != nil {
		return hooks.Result{}, err
	}
	cfg.Harness, cfg.Event, cfg.Preview = "claude", "SessionStart", true
	cfg.Topic = t.Name
	payload, err := json.Marshal(map[string]string{"hook_event_name": "SessionStart",
		"source": "startup", "session_id": h.session, "cwd": h.Workspace()})
	if err != nil {
		return hooks.Result{}, err
	}
	env := cfg.Env
	cfg.Env = func(name string) string { // a person can wait, and means this place
		switch name {
		case "BOARD_HOOK_TIMEOUT":
			return "10s"
		case "BOARD_WORKSPACE":
			return h.Workspace()
		}
		return env(name)
	}
	return hooks.Handle(c.Context, cfg, bytes.NewReader(payload)), nil
}

func (p *program) topicList(c *cli.Context) error {
	limit, err := base.Limit(c)
	switch {
	case err != nil:
		return err
	case c.Bool("all") && c.IsSet("workspace"):
		return base.Usagef("leave one out", "both --all and --workspace are given")
	case c.Bool("archived"):
		return p.topicArchived(c, limit)
	}
	var all []topics.Info
	if c.Bool("all") {
		root, err := topics.Root(p.Env)
		if err != nil {
			return err
		}
		if all, err = topics.All(c.Context, root); err != nil {
			return err
		}
	} else {
		h, err := p.openTopics(c)
		if err != nil {
			return err
		}
		if all, err = h.List(); err != nil {
			return err
		}
	}
	all, more := base.CutList(all, limit)
	return p.Answer(c, nil, func() {
		workspace := ""
		for i := range all {
			if c.Bool("all") && all[i].Workspace != workspace {
				workspace = all[i].Workspace
				gone := ""
				if _, err := os.Stat(workspace); errors.Is(err, os.ErrNotExist) {
					gone = p.Paint(base.Yellow, "  gone")
				}
				p.Printf("%s%s\n", base.Safe(workspace), gone)
			}
			p.printTopic(&all[i])
		}
		p.EndList(len(all), more, "topics")
	}, "topics", all, "more", more)
}

func (p *program) printTopic(t *topics.Info) {
	mark := " "
	if t.Pinned {
		mark = p.Paint(base.Green, "*")
	}
	var parts []string
	for _, f := range []struct {
		what string
		size int64
	}{{"spec", t.Spec}, {"worklog", t.Worklog}} {
		if f.size > 0 {
			parts = append(parts, f.what+" "+fileSize(f.size))
		}
	}
	if t.NoContext {
		parts = append(parts, p.Paint(base.Yellow, "not injected"))
	}
	p.Printf("%s %-28s  %-7s  %s  %s\n", mark, t.Name, t.Kind, base.FormatTime(t.Changed),
		strings.Join(parts, ", "))
}

func (p *program) topicArchived(c *cli.Context, limit int) error {
	home, err := p.DataHome()
	if err != nil {
		return err
	}
	workspace := ""
	if !c.Bool("all") {
		h, err := p.openTopics(c)
		if err != nil {
			return err
		}
		workspace = h.Workspace()
	}
	all, err := topics.Archived(c.Context, topics.ArchiveDir(home), workspace)
	if err != nil {
		return err
	}
	all, more := base.CutList(all, limit)
	return p.Answer(c, nil, func() {
		width := 0
		for i := range all {
			width = max(width, len(all[i].Snapshot))
		}
		for i := range all {
			p.Printf("%-*s  %-28s  %s\n", width, all[i].Snapshot, all[i].Topic, base.Safe(all[i].Path))
		}
		p.EndList(len(all), more, "files in the archive")
		if len(all) > 0 {
			p.Messagef("`board topic restore NAME` brings a topic back")
		}
	}, "archived", all, "more", more)
}
