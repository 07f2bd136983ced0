package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/hooks/topics"
	"blackboard/kb/secret"
)

func (p *program) topicWriteCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "note", Usage: "append a line to the spec, with its time", ArgsUsage: "TEXT… | -",
			Description: `The words are joined. It stands at the end, below "Notes". Without a terminal,
and without words, the text is read from standard input.`,
			Flags: topicFlags(
				&cli.StringFlag{Name: "topic", Aliases: []string{"t"}, Usage: "the `TOPIC`; default that of the session"},
				&cli.BoolFlag{Name: "force", Usage: "store it though it holds what looks like a secret"},
			),
			Action: p.topicNote,
		},
		{
			Name: "edit", Usage: "write the spec anew", ArgsUsage: "[TOPIC]",
			Description: "Opens it in $VISUAL or $EDITOR; --file takes the new text from a file instead, - from\nstandard input.",
			Flags: topicFlags(
				&cli.StringFlag{Name: "file", Usage: "take the text from `FILE`"},
				&cli.BoolFlag{Name: "force", Usage: "store it though it holds what looks like a secret"},
			),
			Action: p.topicEdit,
		},
		{
			Name: "wipe", Usage: "delete a topic: spec, worklog and sentinel", ArgsUsage: "[TOPIC]",
			Description: `Without a topic that of the session; where each session has its own and none is
named, the one that changed last. Asks first; without a terminal it needs --yes.
Other topics, the pin, and what is in the archive stay.`,
			Flags:  topicFlags(&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"}),
			Action: p.topicWipe,
		},
	}
}

// refuseSecret refuses a text that holds what looks like a secret: sessions start with it, and it is archived.
func refuseSecret(c *cli.Context, what, text string) error {
	found := secret.Find(text)
	if len(found) == 0 || c.Bool("force") {
		return nil
	}
	return fault.Conflict.New(what+" holds what looks like a secret: "+found[0].Description, "say where it is kept instead of what it is; --force stores it if it is none")
}

func (p *program) topicNote(c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) > 1 {
		args = []string{strings.Join(args, " ")}
	}
	text, err := p.textArg(c, "note", args)
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
	return p.answer(c, nil, func() { p.printf("noted in %s: %s\n", t.Name, line(note, 120)) }, "topic", t, "path", h.SpecPath(t.Name), "note", note)
}

func (p *program) topicEdit(c *cli.Context) error {
	name, err := oneTopic(c)
	if err != nil {
		return err
	}
	h, err := p.openTopics(c)
	if err != nil {
		return err
	}
	t, err := h.chosenToWrite(name)
	if err != nil {
		return err
	}
	if c.IsSet("file") {
		text, err := p.topicText(c)
		if err != nil {
			return err
		}
		return p.writeSpec(c, h, t, text, nil)
	}
	editor, err := p.editor("--file FILE or --file - takes the new spec; on a terminal, with $EDITOR set, it is opened")
	if err != nil {
		return err
	}
	was, err := h.Spec(t.Name)
	if err != nil {
		return err
	}
	if was.TooLong {
		return usagef("open it in an editor: "+was.Path, "the spec of %s has %s, more than is edited here", t.Name, fileSize(was.Bytes))
	}
	text, file, err := p.edit(c.Context, editor, "topic", was.Text)
	if err != nil {
		return err
	}
	return p.edited(file, p.writeSpec(c, h, t, text, &was.Text)) // what somebody else wrote meanwhile is not lost
}

// topicText reads what --file names.
func (p *program) topicText(c *cli.Context) (string, error) {
	in, closeInput, err := p.named(c.String("file"), "text")
	if err != nil {
		return "", err
	}
	defer closeInput()
	data, err := p.readAll(c.Context, in, topics.MaxSpec+1) // one byte too many, to tell
	return string(data), err
}

func (p *program) writeSpec(c *cli.Context, h *here, t topics.Topic, text string, was *string) error {
	if err := refuseSecret(c, "the spec", text); err != nil {
		return err
	}
	s, err := h.Rewrite(c.Context, t.Name, text, was)
	return p.answer(c, err, func() { p.printf("the spec of %s has %s: %s\n", t.Name, fileSize(s.Bytes), safe(s.Path)) }, "topic", t, "spec", s)
}

func (p *program) topicWipe(c *cli.Context) error {
	name, err := oneTopic(c)
	if err != nil {
		return err
	}
	h, err := p.openTopics(c)
	if err != nil {
		return err
	}
	t, err := h.chosen(name)
	if err != nil {
		return err
	}
	var found *topics.Info
	all, err := h.List()
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].Name == t.Name {
			found = &all[i]
		}
	}
	if found == nil {
		return h.noTopic(t.Name)
	}
	if !c.Bool("yes") {
		if !isTerminal(p.in) {
			return usagef("add --yes to confirm", "wiping the topic %s must be confirmed", t.Name)
		}
		p.talk("Delete the topic %s of %s, with a spec of %s and a worklog of %s? It cannot be undone. [y/N] ", t.Name, safe(h.Workspace()), fileSize(found.Spec), fileSize(found.Worklog))
		answer, err := p.readLine(c.Context)
		if err != nil {
			return err
		}
		if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
			p.talk("kept")
			return verdictError(exitFailure)
		}
	}
	removed, err := h.Wipe(c.Context, t.Name)
	return p.answer(c, err, func() {
		p.printf("topic %s deleted\n", t.Name)
		for _, r := range removed {
			p.printf("  %s\n", safe(fmt.Sprintf("%s, %s", r.Path, fileSize(r.Bytes))))
		}
	}, "topic", t, "removed", removed)
}
