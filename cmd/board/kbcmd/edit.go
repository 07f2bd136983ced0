package kbcmd

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/kb"
)

func (p *program) kbEditCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "edit", Usage: "edit a capsule; its history keeps every revision", ArgsUsage: "CAPSULE",
			Description: `The flags say what changes; - as --body reads it from standard input.
Without flags, on a terminal, the capsule's file opens in $VISUAL or $EDITOR. You may also
edit the files in the data home (kb/capsules/CAPSULE.md) at any time: the next command
reads them.`,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "title", Usage: "title, one `LINE`"},
				&cli.StringFlag{Name: "body", Usage: "the `TEXT`, or - to read it from standard input"},
				&cli.StringFlag{Name: "kind", Usage: "`KIND`: " + strings.Join(kb.Kinds, ", ")},
				&cli.StringFlag{Name: "scope", Usage: "`SCOPE`: " + strings.Join(kb.Scopes, ", ")},
				&cli.StringSliceFlag{Name: "tags",
					Usage: "`TAG`, repeatable or with commas: in place of those it has; '' for none"},
				&cli.StringSliceFlag{Name: "add-tag", Usage: "`TAG` to add, repeatable"},
				&cli.StringSliceFlag{Name: "remove-tag", Usage: "`TAG` to remove, repeatable"},
				&cli.StringSliceFlag{Name: "domain",
					Usage: "domain `TAG`, repeatable or with commas: in place of those it has"},
				&cli.StringFlag{Name: "source", Usage: "`WHERE` it can be checked"},
				&cli.StringFlag{Name: "confidence", Aliases: []string{"c"},
					Usage: "0 (a guess) to 1 (certain)"},
				&cli.StringFlag{Name: "verified-by", Usage: "`WHO` or what verified it"},
				&cli.StringSliceFlag{Name: "ref", Usage: "`REFERENCE`, repeatable: in place of " +
					"those it has"},
				&cli.StringFlag{Name: "project", Usage: "the `PROJECT` it belongs to"},
				base.WorkspaceFlag("the `DIRECTORY` it belongs to"),
				&cli.StringFlag{Name: "why", Usage: "the `REASON`, for the history"},
				&cli.StringFlag{Name: "if-revision",
					Usage: "only if it still has this `REVISION`; else exit 6"},
				&cli.BoolFlag{Name: "force",
					Usage: "store it even if it resembles another or seems to hold a secret"},
				base.WorkerFlag(), base.QuietFlag(), base.JSONFlag(),
			},
			Action: p.kbEdit,
		},
		{
			Name:  "retire",
			Usage: "remove capsules from searches and lists; they can be restored", ArgsUsage: "CAPSULE…",
			Flags: []cli.Flag{&cli.StringFlag{Name: "why",
				Usage: "the `REASON`, for the history"}, base.WorkerFlag(), base.JSONFlag()},
			Action: p.kbRetire,
		},
		{
			Name:  "restore",
			Usage: "restore a retired or superseded capsule, or an earlier revision", ArgsUsage: "CAPSULE",
			Description: `Without --revision, a retired or superseded capsule becomes active again.
With it, the capsule gets the content of that revision, as a new revision; board kb
history CAPSULE lists them. A superseded capsule becomes active beside the other, and
curation leaves the two alone.`,
			Flags: []cli.Flag{
				&cli.IntFlag{Name: "revision", Usage: "restore revision `N`"},
				&cli.StringFlag{Name: "why", Usage: "the `REASON`, for the history"},
				base.WorkerFlag(), base.JSONFlag(),
			},
			Action: p.kbRestore,
		},
		{
			Name:  "history",
			Usage: "show a capsule's changes; show or restore a revision", ArgsUsage: "CAPSULE",
			Description: `Lists every change: who, when, why, and the earlier content. --restore N
is board kb restore CAPSULE --revision N.`,
			Flags: []cli.Flag{
				&cli.IntFlag{Name: "revision", Usage: "show all of revision `N`"},
				&cli.IntFlag{Name: "restore", Usage: "restore revision `N`"},
				&cli.StringFlag{Name: "why", Usage: "the `REASON`, for the history"},
				base.WorkerFlag(), base.JSONFlag(),
			},
			Action: p.kbHistory,
		},
		{
			Name: "rebuild", Usage: "rebuild the database from the capsules' files",
			Description: `Reads every file in kb/capsules, updates the database to match, and
rebuilds the search index. The history is kept, and so are embeddings of unchanged texts.
A damaged database is moved aside; the readable part of its history goes into the new one.`,
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "write-missing",
					Usage: "write missing files from the database, instead of retiring their capsules"},
				base.WorkerFlag(), base.JSONFlag(),
			},
			Action: p.kbRebuild,
		},
		{
			Name: "stats", Usage: "show counts and sizes",
			Flags: []cli.Flag{base.JSONFlag()}, Action: p.kbStats,
		},
		{
			Name: "doctor", Usage: "check for damage and missing parts; exit 1 if something is broken",
			Flags: []cli.Flag{base.JSONFlag()}, Action: p.kbDoctor,
		},
	}
}

// confidence reads --confidence, nil if it is not given.
func confidence(c *cli.Context) (*float64, error) {
	if !c.IsSet("confidence") {
		return nil, nil
	}
	f, err := strconv.ParseFloat(c.String("confidence"), 64)
	if err != nil {
		return nil, base.Usagef("0 is a guess, 1 is certain",
			"confidence %q is not a number between 0 and 1", c.String("confidence"))
	}
	return &f, nil
}

// oneCapsule is the id argument of a command.
func oneCapsule(c *cli.Context) (string, error) {
	if c.NArg() != 1 {
		return "", base.Usagef("`board kb "+c.Command.Name+" CAPSULE`",
			"one id is needed, but %d are given", c.NArg())
	}
	return c.Args().First(), nil
}

func (p *program) kbEdit(c *cli.Context) error {
	id, err := oneCapsule(c)
	if err != nil {
		return err
	}
	fields := []string{"title", "body", "kind", "scope", "tags", "add-tag", "remove-tag", "domain",
		"source", "confidence", "verified-by", "ref", "project", "workspace"}
	if !slices.ContainsFunc(fields, c.IsSet) {
		return p.editFile(c, id)
	}
	conf, err := confidence(c)
	if err != nil {
		return err
	}
	revision, err := base.IfRevision(c)
	if err != nil {
		return err
	}
	body := c.String("body")
	if body == "-" {
		if body, err = p.Content(c, "body", []string{"-"}); err != nil {
			return err
		}
	}
	ws := ""
	if c.IsSet("workspace") {
		if ws, err = p.Workspace(c); err != nil {
			return err
		}
	}
	return base.With(p.openKB(c, kb.OpenExisting, slices.ContainsFunc([]string{"title", "body"},
		c.IsSet)))(func(k *kb.KB) error {
		r, err := k.Edit(c.Context, id, func(x *kb.Capsule) error {
			for _, f := range []struct {
				name string
				to   *string
			}{{"title", &x.Title}, {"kind", &x.Kind}, {"scope", &x.Scope}, {"source", &x.Source},
				{"verified-by", &x.VerifiedBy}, {"project", &x.Project}} {
				if c.IsSet(f.name) {
					*f.to = c.String(f.name)
				}
			}
			if c.IsSet("body") {
				x.Body = body
			}
			if c.IsSet("workspace") {
				x.Workspace = ws
			}
			if c.IsSet("confidence") {
				x.Confidence = conf
			}
			if c.IsSet("tags") {
				x.Tags = base.DropBlank(base.List(c, "tags"))
			}
			x.Tags = append(x.Tags, base.List(c, "add-tag")...)
			for _, t := range base.List(c, "remove-tag") {
				if !slices.Contains(x.Tags, t) {
					return fault.Usage.New(fmt.Sprintf("%s has no tag %q", id, t),
						"`board kb get "+id+"` shows its tags")
				}
				x.Tags = slices.DeleteFunc(x.Tags, func(s string) bool { return s == t })
			}
			if c.IsSet("domain") {
				x.DomainTags = base.DropBlank(base.List(c, "domain"))
			}
			if c.IsSet("ref") {
				x.Refs = base.DropBlank(c.StringSlice("ref"))
			}
			return nil
		}, kb.EditOptions{Why: c.String("why"), Revision: revision, Force: c.Bool("force")})
		p.kbNotes(k)
		if err != nil {
			return err
		}
		return p.printEdited(c, &r)
	})
}

// editFile opens a copy of a capsule's file in the editor, and stores the result.
// Editing a copy loses nothing if the result is invalid, or somebody else writes
// meanwhile.
func (p *program) editFile(c *cli.Context, id string) error {
	guard, err := base.IfRevision(c)
	if err != nil {
		return err
	}
	return base.With(p.openKB(c, kb.OpenExisting, true))(func(k *kb.KB) error {
		text, revision, err := k.Text(c.Context, id)
		if err != nil {
			return err
		}
		editor, err := p.Editor("`board kb edit " + id +
			" --title …`; on a terminal, with $EDITOR set, its file is opened")
		if err != nil {
			return err
		}
		if guard == nil {
			guard = &revision // what somebody else writes meanwhile is not lost
		}
		edited, name, err := p.Edit(c.Context, editor, id, string(text))
		if err != nil {
			return err
		}
		r, err := k.EditText(c.Context, id, []byte(edited), kb.EditOptions{Why: c.String("why"),
			Revision: guard, Force: c.Bool("force")})
		p.kbNotes(k)
		if err := p.EndEdit(name, err); err != nil {
			return err
		}
		return p.printEdited(c, &r)
	})
}

// printEdited prints the result of an edit.
func (p *program) printEdited(c *cli.Context, r *kb.Remembered) error {
	return p.Answer(c, nil, func() {
		switch {
		case c.Bool("quiet"):
			p.Printf("%s\n", r.Capsule.ID)
		case r.Unchanged:
			p.Printf("%s is unchanged\n", r.Capsule.ID)
		default:
			p.Printf("%s is at revision %d: %s\n", r.Capsule.ID, r.Capsule.Revision,
				base.Line(r.Capsule.Title, 100))
		}
		for _, w := range r.Warnings {
			p.Messagef("  note: %s", base.Safe(w))
		}
		p.printLike(r.Alike)
	}, "capsule", r.Capsule, "warnings", r.Warnings, "alike", r.Alike, "unchanged", r.Unchanged)
}

func (p *program) kbRetire(c *cli.Context) error {
	if c.NArg() == 0 {
		return base.Usagef("`board kb retire CAPSULE`", "no capsule is given")
	}
	return base.With(p.openKB(c, kb.OpenExisting, false))(func(k *kb.KB) error {
		all, err := k.RetireAll(c.Context, base.DistinctArgs(c), c.String("why"))
		p.kbNotes(k)
		return p.Answer(c, err, func() {
			for _, r := range all {
				p.Printf("%s is retired: %s; `board kb restore %s` brings it back\n", r.ID,
					base.Line(r.Title, 80), r.ID)
			}
		}, "capsules", all)
	})
}

func (p *program) kbRestore(c *cli.Context) error {
	id, err := oneCapsule(c)
	if err != nil {
		return err
	}
	return base.With(p.openKB(c, kb.OpenExisting, true))(func(k *kb.KB) (err error) {
		revision := c.Int("revision")
		if !c.IsSet("revision") {
			if revision, err = k.LastActive(c.Context, id); err != nil {
				return err
			}
		}
		return p.restore(c, k, id, revision)
	})
}

func (p *program) restore(c *cli.Context, k *kb.KB, id string, revision int) error {
	r, err := k.Restore(c.Context, id, revision, c.String("why"))
	p.kbNotes(k)
	return p.Answer(c, err, func() {
		p.Printf("%s is restored to revision %d, as revision %d: %s\n", id, revision, r.Revision,
			base.Line(r.Title, 80))
	}, "capsule", r)
}

func (p *program) kbHistory(c *cli.Context) error {
	id, err := oneCapsule(c)
	if err != nil {
		return err
	}
	return base.With(p.openKB(c, kb.OpenExisting, c.IsSet("restore")))(func(k *kb.KB) error {
		switch {
		case c.IsSet("restore"):
			return p.restore(c, k, id, c.Int("restore"))
		case c.IsSet("revision"):
			r, err := k.Revision(c.Context, id, c.Int("revision"))
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return p.JSON("capsule", r)
			}
			p.printCapsule(&r, nil)
			return nil
		}
		events, err := k.History(c.Context, id)
		return p.Answer(c, err, func() {
			for _, e := range events {
				what := eventText(&e)
				if len(e.Changed) > 0 {
					what += " (" + strings.Join(e.Changed, ", ") + ")"
				}
				if e.Why != "" {
					what += ": " + base.Line(e.Why, 200)
				}
				p.Printf("r%-3d %s  %s  %s\n", e.Revision, base.FormatTime(e.At),
					base.Line(e.Actor, 30), what)
			}
		}, "events", events)
	})
}

// eventText describes an event of a capsule.
func eventText(e *kb.Event) string {
	switch {
	case e.Other == "":
		return e.Verb
	case e.Verb == kb.VerbSuperseded:
		return "superseded by " + e.Other
	case e.Verb == kb.VerbSupersedes:
		return "supersedes " + e.Other
	case e.Verb == kb.VerbReleased:
		return "parted from " + e.Other
	}
	return e.Verb + ", with " + e.Other
}

func (p *program) kbRebuild(c *cli.Context) error {
	home, err := p.KBHome()
	if err != nil {
		return err
	}
	r, err := kb.Rebuild(c.Context, home, kb.Options{Actor: p.WorkerName(c)},
		kb.RebuildOptions{WriteMissing: c.Bool("write-missing")})
	return p.Answer(c, err, func() {
		p.Printf("%s; %d picked up, %d new, %d retired, %d files written, %d quarantined\n",
			base.Count(int64(r.Capsules), "capsule", "capsules"), len(r.PickedUp), len(r.Added),
			len(r.Retired), r.Written, len(r.Quarantined))
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

func (p *program) kbStats(c *cli.Context) error {
	return base.With(p.openToRead(c, false))(func(k *kb.KB) error {
		s, err := k.Stats(c.Context)
		return p.Answer(c, err, func() {
			p.Printf("capsules     %d: %d stand, %d superseded, %d retired\n", s.Capsules, s.Standing,
				s.Superseded, s.Retired)
			p.Printf("kinds        %s\n", tally(s.Kinds))
			p.Printf("scopes       %s\n", tally(s.Scopes))
			p.Printf("documents    %d\n", s.Documents)
			p.Printf("embedded     %d%s\n", s.Embedded, map[bool]string{true: ", with " + s.Model,
				false: ""}[s.Model != ""])
			p.Printf("index        %d segments, %d in the tail, %s\n", s.Index.Segments, s.Index.Tail,
				base.Megabytes(s.Index.Bytes))
			p.Printf("decayed      %d\n", s.Decayed)
		}, "stats", s)
	})
}

// tally prints counts, the highest first.
func tally(counts []kb.Count) string {
	var parts []string
	for _, n := range counts {
		parts = append(parts, fmt.Sprintf("%s %d", base.Safe(n.Name), n.N))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func (p *program) kbDoctor(c *cli.Context) error {
	var all []kb.Finding
	k, done, err := p.openKBAs(c, kb.OpenExisting, true, kb.SyncNever)
	switch {
	case errors.Is(err, fault.Corrupt):
		all = []kb.Finding{{What: "database", State: kb.StateBroken, Say: err.Error(),
			Try: "`board kb rebuild` rebuilds it from the files"}}
	case err != nil:
		return err
	default:
		defer done()
		if all, err = k.Doctor(c.Context); err != nil {
			return err
		}
		all = inCommands(all)
	}
	broken := slices.ContainsFunc(all, func(f kb.Finding) bool { return f.State == kb.StateBroken })
	if c.Bool("json") {
		if err := p.JSON("findings", all, "broken", broken); err != nil {
			return err
		}
	} else {
		for _, f := range all {
			mark := map[string]string{kb.StateOK: "ok    ", kb.StateNote: "note  ",
				kb.StateBroken: "BROKEN"}[f.State]
			p.Printf("%s  %-13s %s\n", mark, f.What, base.Safe(f.Say))
			if f.Try != "" {
				p.Printf("        %-13s try: %s\n", "", base.Safe(f.Try))
			}
		}
	}
	if broken {
		return base.ExitError(base.ExitFailure)
	}
	return nil
}

// inCommands turns the next steps of findings into commands.
func inCommands(all []kb.Finding) []kb.Finding {
	for i := range all {
		all[i].Try = fault.Say(all[i].Next, base.CommandFor)
	}
	return all
}
