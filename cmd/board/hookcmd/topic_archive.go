package hookcmd

import (
	"strconv"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/topics"
)

func (p *program) topicArchiveCommand() *cli.Command {
	return &cli.Command{
		Name:      "archive",
		Usage:     "archive changed topics, and remove old ones from the list, or one",
		ArgsUsage: "[TOPIC]",
		Description: `With a topic: copies it to specs-archive/DAY in the data home, where nothing is
overwritten, and removes it from the list. Use it when a branch is merged. board
topic restore brings it back.
Without a topic, in all workspaces: copies what has changed since the last run,
and removes topics from the list that were not changed for 30 days and are not
pinned. The next run resumes an interrupted one.`,
		Flags: []cli.Flag{
			base.DryRunFlag(),
			topicWorkspaceFlag(),
			base.JSONFlag(),
		},
		Action: p.topicArchive,
	}
}

func (p *program) topicRestoreCommand() *cli.Command {
	return &cli.Command{
		Name: "restore", Usage: "restore a topic from the archive", ArgsUsage: "TOPIC",
		Description: `Restores the latest version of its spec, its worklog and its sentinel. It counts
as changed now. An existing topic is not overwritten (exit 6).`,
		Flags: []cli.Flag{topicWorkspaceFlag(), base.JSONFlag()},
		Action: p.onTopic(func(h *here, name string) (topics.Topic, error) {
			if name == "" {
				return topics.Topic{}, base.Usagef("`board topic restore NAME`; `board topic list --archived` shows "+
					"what the archive has", "no topic is named")
			}
			return h.Named(name)
		}, p.topicRestore),
	}
}

func (p *program) topicArchive(c *cli.Context) error {
	opt := topics.ArchiveOptions{DryRun: c.Bool("dry-run"), OlderThan: topics.ArchiveAfter}
	name, err := oneTopic(c)
	switch {
	case err != nil:
		return err
	case name == "" && c.IsSet("workspace"):
		return base.Usagef("name a topic, or leave --workspace out",
			"without a topic all workspaces are archived, but --workspace names one")
	}
	home, err := p.DataHome()
	if err != nil {
		return err
	}
	root, err := topics.Root(p.Env)
	if err != nil {
		return err
	}
	var r topics.ArchiveResult
	if name == "" {
		r, err = topics.Archive(c.Context, root, topics.ArchiveDir(home), opt)
	} else {
		var h *here
		if h, err = p.openTopics(c); err != nil {
			return err
		}
		r, err = h.ArchiveTopic(c.Context, root, topics.ArchiveDir(home), h.Spelling(name), opt)
	}
	if err != nil {
		return err
	}
	return p.AnswerFailed(c, len(r.Problems) > 0, func() { p.printArchive(&r, opt.DryRun) }, "archive", r,
		"dry_run", opt.DryRun)
}

func (p *program) printArchive(r *topics.ArchiveResult, dryRun bool) {
	copied, moved := "copied", "removed"
	if dryRun {
		copied, moved = "would be copied", "would be removed"
	}
	p.Printf("%s of %s %s, %s: %s\n", strconv.Itoa(r.Copied), base.Count(int64(r.Files), "file",
		"files"), copied, fileSize(r.CopiedBytes), base.Safe(r.Archive))
	for _, m := range r.Moved {
		p.Printf("%s: %s of %s, unchanged since %s\n", moved, m.Topic, base.Safe(m.Workspace),
			base.FormatTime(m.Changed))
	}
	for _, problem := range r.Problems {
		p.Messagef("not archived: %s", base.Safe(problem))
	}
}

func (p *program) topicRestore(c *cli.Context, h *here, t topics.Topic) error {
	home, err := p.DataHome()
	if err != nil {
		return err
	}
	restored, err := h.Restore(c.Context, topics.ArchiveDir(home), t.Name)
	return p.Answer(c, err, func() {
		p.Printf("topic %s restored\n", t.Name)
		for _, f := range restored {
			p.Printf("  %s\n", base.Safe(f.Path+", "+fileSize(f.Bytes)))
		}
	}, "topic", t, "restored", restored)
}
