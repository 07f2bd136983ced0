package kbcmd

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
)

func (p *program) kbEditCommands() []*cli.Command {
	edit := p.operation(&ops.KBEdit, base.WorkerFlag())
	change := edit.Action
	edit.Action = func(c *cli.Context) error {
		says := []string{"reason", "if-version", "force", "worker", "quiet", "json"}
		if c.NArg() == 1 && !slices.ContainsFunc(c.LocalFlagNames(), func(name string) bool {
			return len(name) > 1 && !slices.Contains(says, name)
		}) {
			return p.editFile(c, c.Args().First())
		}
		return change(c)
	}
	return []*cli.Command{
		edit, p.operation(&ops.KBRetire, base.WorkerFlag()), p.operation(&ops.KBRestore, base.WorkerFlag()),
		p.operation(&ops.KBHistory, base.WorkerFlag()),
		{
			Name: "rebuild", Usage: "rebuild the database from the capsules' files",
			Description: `Reads every file in kb/capsules, updates the database to match, writes
the files that are missing, and rebuilds the search index. The history is kept, and so are embeddings of unchanged texts.
A damaged database is moved aside; the readable part of its history goes into the new one.`,
			Flags: []cli.Flag{
				base.WorkerFlag(), base.JSONFlag(),
			},
			Action: p.kbRebuild,
		},
		p.operation(&ops.KBDoctor),
	}
}

// editFile opens a copy of a capsule's file in the editor, and stores the result: nothing is lost
// if that is invalid, or somebody else writes meanwhile.
func (p *program) editFile(c *cli.Context, id string) error {
	guard, err := base.IfRevision(c)
	if err != nil {
		return err
	}
	return base.With(p.openKB(c, kbhome.Knowledge, true))(func(k *kb.KB) error {
		text, revision, err := k.Text(c.Context, id)
		if err != nil {
			return err
		}
		guard = cmp.Or(guard, &revision) // what somebody else writes meanwhile is not lost
		return p.Edit(c.Context, id, "`board kb edit "+id+
			" --title …`; on a terminal, with $EDITOR set, its file is opened",
			func() (string, error) { return string(text), nil }, func(edited string) error {
				r, err := k.EditText(c.Context, id, []byte(edited), kb.EditOptions{Why: c.String("reason"),
					Revision: guard, Force: c.Bool("force")})
				p.kbNotes(k)
				return p.AnswerWith(c, ops.KBEdit.Answer(ops.EditedOut(&r)), err)
			})
	})
}

func (p *program) kbRebuild(c *cli.Context) error {
	home, err := p.KBHome()
	if err != nil {
		return err
	}
	r, err := kb.Rebuild(c.Context, home, kb.Options{Actor: p.WorkerName(c)})
	return p.Answer(c, err, func() {
		p.Printf("%s; %d picked up, %d new, %d files written, %d quarantined\n",
			base.Count(int64(r.Capsules), "capsule", "capsules"), len(r.PickedUp), len(r.Added),
			r.Written, len(r.Quarantined))
		if r.Aside != "" {
			p.Messagef("note: the database was damaged; the damaged file is %s", r.Aside)
		}
		for _, l := range r.Lost {
			p.Messagef("note: lost: %s", base.Safe(l))
		}
		for _, n := range append(r.Quarantined, r.Notes...) {
			p.Messagef("note: %s", base.Safe(n))
		}
		if r.Unembedded > 0 {
			p.Messagef("note: %s no embedding; `board kb reembed` gives them one",
				base.Count(int64(r.Unembedded), "capsule has", "capsules have"))
		}
	}, "rebuild", r)
}
