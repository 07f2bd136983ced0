package hookcmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/hooks"
	"blackboard/hooks/topics"
	"blackboard/kb/secret"
)

func (p *program) topicWriteCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "note", Usage: "append a line to the spec, with its time", ArgsUsage: "TEXT… | -",
			Description: `Joins the words, and appends them below "Notes". Without words it reads standard
input, unless that is a terminal.`,
			Flags: topicFlags(
				&cli.StringFlag{Name: "topic", Usage: "the `TOPIC`; default that of the session"},
				&cli.BoolFlag{Name: "force", Usage: "store it even if it seems to hold a secret"},
			),
			Action: p.topicNote,
		},
		{
			Name: "edit", Usage: "edit the spec", ArgsUsage: "[TOPIC]",
			Description: "Opens it in $VISUAL or $EDITOR; --file takes the new text from a file " +
				"instead, - from\nstandard input.",
			Flags: topicFlags(
				&cli.StringFlag{Name: "file", Usage: "take the text from `FILE`"},
				&cli.BoolFlag{Name: "force", Usage: "store it even if it seems to hold a secret"},
			),
			Action: p.onTopic((*here).chosenToWrite, p.topicEdit),
		},
		{
			Name: "wipe", Aliases: []string{"wipe-current"}, Usage: "delete a topic: spec, worklog and sentinel", ArgsUsage: "[TOPIC]",
			Description: `The default is the session's topic; if each session has its own, the one that
changed last. Asks first; without a terminal it needs --yes. Other topics, the
pin and the archive are kept.`,
			Flags:  topicFlags(base.DeleteFlags()...),
			Action: p.onTopic((*here).chosen, p.topicWipe),
		},
	}
}

// refuseSecret refuses text with a seeming secret: sessions start with it, and it is archived.
func refuseSecret(c *cli.Context, what, text string) error {
	found := secret.Find(text)
	if len(found) == 0 || c.Bool("force") {
		return nil
	}
	return fault.Conflict.New(what+" holds what looks like a secret: "+found[0].Description,
		"say where it is kept instead of what it is; --force stores it if it is none")
}

func (p *program) topicNote(c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) > 1 {
		args = []string{strings.Join(args, " ")}
	}
	text, err := p.Text(c, "note", args)
	if err != nil {
		return err
	}
	h, err := p.openTopics(c)
	if err != nil {
		return err
	}
	t, err := h.chosenToWrite(c.String("topic"))
	if err != nil {
		return err
	}
	if err := refuseSecret(c, "the note", text); err != nil {
		return err
	}
	note, err := h.Note(c.Context, t.Name, text)
	if err != nil {
		return err
	}
	s, err := h.Startup(t, topics.StartupLimits{SpecBytes: hooks.SpecBytes})
	return p.Answer(c, err, func() {
		p.Printf("noted in %s: %s\n", t.Name, base.Line(note, 120))
		if s.Pointer != "" {
			p.Messagef("the spec is longer than a session's start shows: the oldest notes are left " +
				"out; `board topic edit` shortens it, `board topic show --injected` shows what is given")
		}
	}, "topic", t, "path", h.SpecPath(t.Name), "note", note)
}

func (p *program) topicEdit(c *cli.Context, h *here, t topics.Topic) error {
	if c.IsSet("file") {
		text, err := p.topicText(c)
		if err != nil {
			return err
		}
		return p.writeSpec(c, h, t, text, nil)
	}
	was := ""
	return p.Edit(c.Context, "topic", "--file FILE or --file - takes the new spec; on a terminal, with "+
		"$EDITOR set, it is opened", func() (string, error) {
		spec, err := h.Spec(t.Name)
		if err == nil && spec.TooLong {
			err = base.Usagef("open it in an editor: "+spec.Path,
				"the spec of %s has %s, more than is edited here", t.Name, fileSize(spec.Bytes))
		}
		was = spec.Text
		return was, err
	}, func(text string) error { return p.writeSpec(c, h, t, text, &was) }) // what others wrote meanwhile is not lost
}

func (p *program) topicText(c *cli.Context) (string, error) {
	in, closeInput, err := p.OpenNamed(c.String("file"), "text")
	if err != nil {
		return "", err
	}
	defer closeInput()
	data, err := p.ReadAll(c.Context, in, topics.MaxSpec+1) // one byte too many, to tell
	return string(data), err
}

func (p *program) writeSpec(c *cli.Context, h *here, t topics.Topic, text string,
	was *string) error {
	if err := refuseSecret(c, "the spec", text); err != nil {
		return err
	}
	s, err := h.Rewrite(c.Context, t.Name, text, was)
	return p.Answer(c, err, func() {
		p.Printf("the spec of %s has %s: %s\n", t.Name,
			fileSize(s.Bytes), base.Safe(s.Path))
	}, "topic", t, "spec", s)
}

func (p *program) topicWipe(c *cli.Context, h *here, t topics.Topic) error {
	all, err := h.List()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(i topics.Info) bool { return i.Name == t.Name })
	if i < 0 {
		return h.noTopic(t.Name)
	}
	found := &all[i]
	if c.Bool("dry-run") {
		would := []topics.Removed{}
		for _, r := range []topics.Removed{{Path: h.SpecPath(t.Name), Bytes: found.Spec},
			{Path: h.WorklogPath(t.Name), Bytes: found.Worklog}} {
			if r.Bytes > 0 {
				would = append(would, r)
			}
		}
		return p.Answer(c, nil, func() {
			p.printWiped("would be deleted for good: topic "+t.Name,
				would)
		}, "topic", t, "removed", would, "dry_run", true)
	}
	err = p.ConfirmDelete(c, fmt.Sprintf("the topic %s of %s, with a spec of %s and a worklog of %s",
		t.Name, base.Safe(h.Workspace()), fileSize(found.Spec), fileSize(found.Worklog)))
	if err != nil {
		return err
	}
	removed, err := h.Wipe(c.Context, t.Name)
	return p.Answer(c, err, func() { p.printWiped("topic "+t.Name+" deleted", removed) }, "topic", t,
		"removed", removed, "dry_run", false)
}

func (p *program) printWiped(what string, removed []topics.Removed) {
	p.Printf("%s\n", what)
	for _, r := range removed {
		p.Printf("  %s\n", base.Safe(fmt.Sprintf("%s, %s", r.Path, fileSize(r.Bytes))))
	}
}
