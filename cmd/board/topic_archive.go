package main

import (
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board/lazyregexp"
	"blackboard/hooks/topics"
)

func (p *program) topicArchiveCommand() *cli.Command {
	return &cli.Command{
		Name: "archive", Usage: "keep what changed in the archive, and take old topics away, or one", ArgsUsage: "[TOPIC]",
		Description: `With a topic: it is copied to specs-archive/DAY in the data home, where nothing is
ever overwritten, and taken away, as when its branch is merged. board topic restore
brings it back.
Without one, of all workspaces: what has changed since the last run is copied, and
topics that nobody has changed for 30 days are taken away, but for those that are
pinned. A run that was interrupted is resumed by the next.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "older-than", Usage: "take away what was not changed for so many `DAYS`", Value: "30d"},
			&cli.BoolFlag{Name: "copy-only", Usage: "take nothing away"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be done"},
			topicWorkspaceFlag(),
			jsonFlag(),
		},
		Action: p.topicArchive,
	}
}

func (p *program) topicRestoreCommand() *cli.Command {
	return &cli.Command{
		Name: "restore", Usage: "bring a topic back from the archive", ArgsUsage: "TOPIC",
		Description: `The latest version of its spec, its worklog and its sentinel. It counts as changed
now. A topic that is there is not overwritten (exit 6).`,
		Flags:  []cli.Flag{topicWorkspaceFlag(), jsonFlag()},
		Action: p.topicRestore,
	}
}

// days are at most 99,999, some 270 years: a duration holds them.
var days = lazyregexp.New(`^([0-9]{1,5})d?$`)

func (p *program) topicArchive(c *cli.Context) error {
	opt := topics.ArchiveOptions{Now: time.Now(), DryRun: c.Bool("dry-run")}
	name, err := oneTopic(c)
	if err != nil {
		return err
	}
	m := days.FindStringSubmatch(c.String("older-than"))
	switch {
	case name != "" && c.IsSet("older-than"):
		return usagef("leave one out", "both the topic %s and --older-than are given", name)
	case name == "" && c.IsSet("workspace"):
		return usagef("name a topic, or leave --workspace out", "without a topic all workspaces are archived, but --workspace names one")
	case c.Bool("copy-only") && c.IsSet("older-than"):
		return usagef("leave one out", "both --copy-only and --older-than are given")
	case m == nil:
		return usagef("give days: 30d", "--older-than %q is no number of days", c.String("older-than"))
	case !c.Bool("copy-only"):
		n, _ := strconv.Atoi(m[1]) // digits, and few of them
		if n == 0 {
			return usagef("give 1d or more: what is younger may be in use", "--older-than %s would take away every topic", c.String("older-than"))
		}
		opt.OlderThan = time.Duration(n) * 24 * time.Hour
	}
	home, err := p.dataHome()
	if err != nil {
		return err
	}
	root, err := topics.Root(p.env)
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
		r, err = h.ArchiveTopic(c.Context, root, topics.ArchiveDir(home), h.Spelling(name), c.Bool("copy-only"), opt)
	}
	if err != nil {
		return err
	}
	if c.Bool("json") {
		if err := p.json("archive", r, "dry_run", opt.DryRun); err != nil {
			return err
		}
	} else {
		p.printArchive(&r, opt.DryRun)
	}
	if len(r.Problems) > 0 {
		return verdictError(exitFailure)
	}
	return nil
}

func (p *program) printArchive(r *topics.ArchiveResult, dryRun bool) {
	copied, moved := "copied", "taken away"
	if dryRun {
		copied, moved = "would be copied", "would be taken away"
	}
	p.printf("%s of %s %s, %s: %s\n", strconv.Itoa(r.Copied), count(int64(r.Files), "file", "files"), copied, fileSize(r.CopiedBytes), safe(r.Archive))
	for _, m := range r.Moved {
		p.printf("%s: %s of %s, unchanged since %s\n", moved, m.Topic, safe(m.Workspace), clock(m.Changed))
	}
	for _, problem := range r.Problems {
		p.talk("not archived: %s", safe(problem))
	}
}

func (p *program) topicRestore(c *cli.Context) error {
	name, err := oneTopic(c)
	switch {
	case err != nil:
		return err
	case name == "":
		return usagef("`board topic restore NAME`; `board topic list --archived` shows what the archive has", "no topic is named")
	}
	home, err := p.dataHome()
	if err != nil {
		return err
	}
	h, err := p.openTopics(c)
	if err != nil {
		return err
	}
	t, err := h.Named(name)
	if err != nil {
		return err
	}
	restored, err := h.Restore(c.Context, topics.ArchiveDir(home), t.Name)
	return p.answer(c, err, func() {
		p.printf("topic %s restored\n", t.Name)
		for _, f := range restored {
			p.printf("  %s\n", safe(f.Path+", "+fileSize(f.Bytes)))
		}
	}, "topic", t, "restored", restored)
}
