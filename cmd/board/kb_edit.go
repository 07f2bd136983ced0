package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/kb"
)

func (p *program) kbEditCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "edit", Usage: "change a capsule; what it was stays in its history", ArgsUsage: "CAPSULE",
			Description: `The flags say what changes; - as --body reads it from standard input. Without any, on a terminal, the capsule's file is opened in $VISUAL or $EDITOR. The files in
the data home (kb/capsules/CAPSULE.md) may be edited at any time: the next command picks it up.`,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "title", Aliases: []string{"t"}, Usage: "what it says, in one `LINE`"},
				&cli.StringFlag{Name: "body", Usage: "the `TEXT`, or - to read it from standard input"},
				&cli.StringFlag{Name: "kind", Aliases: []string{"k"}, Usage: "`KIND`: " + strings.Join(kb.Kinds, ", ")},
				&cli.StringFlag{Name: "scope", Usage: "`SCOPE`: " + strings.Join(kb.Scopes, ", ")},
				&cli.StringSliceFlag{Name: "tags", Usage: "`TAG`, repeatable or with commas: in place of those it has; '' for none"},
				&cli.StringSliceFlag{Name: "add-tag", Usage: "`TAG` that it gets, repeatable"},
				&cli.StringSliceFlag{Name: "remove-tag", Usage: "`TAG` that it loses, repeatable"},
				&cli.StringSliceFlag{Name: "domain", Usage: "domain `TAG`, repeatable or with commas: in place of those it has"},
				&cli.StringFlag{Name: "source", Usage: "`WHERE` it can be checked"},
				&cli.StringFlag{Name: "confidence", Aliases: []string{"c"}, Usage: "0 (a guess) to 1 (certain)"},
				&cli.StringFlag{Name: "verified-by", Usage: "`WHO` or what has verified it"},
				&cli.StringSliceFlag{Name: "ref", Usage: "`REFERENCE`, repeatable: in place of those it has"},
				&cli.StringFlag{Name: "project", Usage: "the `PROJECT` it belongs to"},
				workspaceFlag("the `DIRECTORY` it belongs to"),
				&cli.StringFlag{Name: "why", Usage: "the `REASON`, for the history"},
				&cli.StringFlag{Name: "if-revision", Usage: "only if it still has this `REVISION`; else exit 6"},
				&cli.BoolFlag{Name: "force", Usage: "keep it though it looks like another, or holds what looks like a secret"},
				workerFlag(), quietFlag(), jsonFlag(),
			},
			Action: p.kbEdit,
		},
		{
			Name: "retire", Usage: "take capsules out of searches and lists; they can be restored", ArgsUsage: "CAPSULE…",
			Flags:  []cli.Flag{&cli.StringFlag{Name: "why", Usage: "the `REASON`, for the history"}, workerFlag(), jsonFlag()},
			Action: p.kbRetire,
		},
		{
			Name: "history", Usage: "show what was done to a capsule, show or restore a revision", ArgsUsage: "CAPSULE",
			Description: `Every change is there: who, when, why, and what it was before. --restore N makes the capsule what it was at revision N, as a new revision: a retired one stands again,
a superseded one stands beside the other, and curation leaves the two alone.`,
			Flags: []cli.Flag{
				&cli.IntFlag{Name: "revision", Usage: "show revision `N` whole"},
				&cli.IntFlag{Name: "restore", Usage: "make it what it was at revision `N`"},
				&cli.StringFlag{Name: "why", Usage: "the `REASON`, for the history"},
				workerFlag(), jsonFlag(),
			},
			Action: p.kbHistory,
		},
		{
			Name: "rebuild", Usage: "make the database anew from the capsules' files",
			Description: `Reads every file in kb/capsules, brings the database to what the files say and builds the search index from nothing. Embeddings of texts that are the same, and the history,
are kept. A damaged database is moved aside; what can be read of its history goes
into the new one.`,
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "write-missing", Usage: "write files that are not there from the database, instead of retiring their capsules"},
				workerFlag(), jsonFlag(),
			},
			Action: p.kbRebuild,
		},
		{
			Name: "stats", Usage: "count what there is",
			Flags: []cli.Flag{jsonFlag()}, Action: p.kbStats,
		},
		{
			Name: "doctor", Usage: "look for what is broken or missing; exit 1 if something is broken",
			Flags: []cli.Flag{jsonFlag()}, Action: p.kbDoctor,
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
		return nil, usagef("0 is a guess, 1 is certain", "confidence %q is not a number between 0 and 1", c.String("confidence"))
	}
	return &f, nil
}

// oneCapsule is the id that a command is about.
func oneCapsule(c *cli.Context) (string, error) {
	if c.NArg() != 1 {
		return "", usagef("`board kb "+c.Command.Name+" CAPSULE`", "one id is needed, but %d are given", c.NArg())
	}
	return c.Args().First(), nil
}

// noBlank drops the one empty value that stands for none.
func noBlank(l []string) []string {
	return slices.DeleteFunc(l, func(s string) bool { return s == "" })
}

func (p *program) kbEdit(c *cli.Context) error {
	id, err := oneCapsule(c)
	if err != nil {
		return err
	}
	fields := []string{"title", "body", "kind", "scope", "tags", "add-tag", "remove-tag", "domain", "source", "confidence", "verified-by", "ref", "project", "workspace"}
	if !slices.ContainsFunc(fields, c.IsSet) {
		return p.editFile(c, id)
	}
	conf, err := confidence(c)
	if err != nil {
		return err
	}
	revision, err := ifRevision(c)
	if err != nil {
		return err
	}
	body := c.String("body")
	if body == "-" {
		if body, err = p.text(c, "body", []string{"-"}); err != nil {
			return err
		}
	}
	ws := ""
	if c.IsSet("workspace") {
		if ws, err = p.workspace(c); err != nil {
			return err
		}
	}
	k, done, err := p.openKB(c, kb.OpenExisting, slices.ContainsFunc([]string{"title", "body"}, c.IsSet))
	if err != nil {
		return err
	}
	defer done()
	r, err := k.Edit(c.Context, id, func(x *kb.Capsule) error {
		for _, f := range []struct {
			name string
			to   *string
		}{{"title", &x.Title}, {"kind", &x.Kind}, {"scope", &x.Scope}, {"source", &x.Source}, {"verified-by", &x.VerifiedBy}, {"project", &x.Project}} {
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
			x.Tags = noBlank(list(c, "tags"))
		}
		x.Tags = append(x.Tags, list(c, "add-tag")...)
		for _, t := range list(c, "remove-tag") {
			if !slices.Contains(x.Tags, t) {
				return fault.Usage.New(fmt.Sprintf("%s has no tag %q", id, t), "`board kb get "+id+"` shows its tags")
			}
			x.Tags = slices.DeleteFunc(x.Tags, func(s string) bool { return s == t })
		}
		if c.IsSet("domain") {
			x.DomainTags = noBlank(list(c, "domain"))
		}
		if c.IsSet("ref") {
			x.Refs = noBlank(c.StringSlice("ref"))
		}
		return nil
	}, kb.EditOptions{Why: c.String("why"), Revision: revision, Force: c.Bool("force")})
	p.kbNotes(k)
	if err != nil {
		return err
	}
	return p.printEdited(c, &r)
}

// editFile opens a copy of a capsule's file in the editor, and makes what became of it the capsule. A copy, so that nothing is lost if it cannot be read, or if somebody else
// is faster.
func (p *program) editFile(c *cli.Context, id string) error {
	guard, err := ifRevision(c)
	if err != nil {
		return err
	}
	editor, err := p.editor("`board kb edit " + id + " --title …`; on a terminal, with $EDITOR set, its file is opened")
	if err != nil {
		return err
	}
	k, done, err := p.openKB(c, kb.OpenExisting, true)
	if err != nil {
		return err
	}
	defer done()
	text, revision, err := k.Text(c.Context, id)
	if err != nil {
		return err
	}
	if guard == nil {
		guard = &revision // what somebody else writes meanwhile is not lost
	}
	edited, name, err := p.edit(c.Context, editor, id, string(text))
	if err != nil {
		return err
	}
	r, err := k.EditText(c.Context, id, []byte(edited), kb.EditOptions{Why: c.String("why"), Revision: guard, Force: c.Bool("force")})
	p.kbNotes(k)
	if err := p.edited(name, err); err != nil {
		return err
	}
	return p.printEdited(c, &r)
}

// printEdited says what became of an edit.
func (p *program) printEdited(c *cli.Context, r *kb.Remembered) error {
	return p.answer(c, nil, func() {
		switch {
		case c.Bool("quiet"):
			p.printf("%s\n", r.Capsule.ID)
		case r.Unchanged:
			p.printf("%s is as it was\n", r.Capsule.ID)
		default:
			p.printf("%s is at revision %d: %s\n", r.Capsule.ID, r.Capsule.Revision, line(r.Capsule.Title, 100))
		}
		for _, w := range r.Warnings {
			p.talk("  note: %s", safe(w))
		}
		p.printLike(r.Alike)
	}, "capsule", r.Capsule, "warnings", r.Warnings, "alike", r.Alike, "unchanged", r.Unchanged)
}

func (p *program) kbRetire(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("`board kb retire CAPSULE`", "no capsule is given")
	}
	k, done, err := p.openKB(c, kb.OpenExisting, false)
	if err != nil {
		return err
	}
	defer done()
	all := []kb.Capsule{}
	for _, id := range c.Args().Slice() {
		r, err := k.Retire(c.Context, id, c.String("why"))
		p.kbNotes(k)
		if err != nil {
			return err
		}
		all = append(all, r)
		if !c.Bool("json") {
			p.printf("%s is retired: %s; `board kb history %s --restore %d` brings it back\n", r.ID, line(r.Title, 80), r.ID, r.Revision-1)
		}
	}
	return p.answer(c, nil, func() {}, "capsules", all)
}

func (p *program) kbHistory(c *cli.Context) error {
	id, err := oneCapsule(c)
	if err != nil {
		return err
	}
	k, done, err := p.openKB(c, kb.OpenExisting, c.IsSet("restore"))
	if err != nil {
		return err
	}
	defer done()
	switch {
	case c.IsSet("restore"):
		r, err := k.Restore(c.Context, id, c.Int("restore"), c.String("why"))
		p.kbNotes(k)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return p.json("capsule", r)
		}
		p.printf("%s is what it was at revision %d, as revision %d: %s\n", id, c.Int("restore"), r.Revision, line(r.Title, 80))
		return nil
	case c.IsSet("revision"):
		r, err := k.Revision(c.Context, id, c.Int("revision"))
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return p.json("capsule", r)
		}
		p.printCapsule(&r, nil)
		return nil
	}
	events, err := k.History(c.Context, id)
	return p.answer(c, err, func() {
		for _, e := range events {
			what := eventText(&e)
			if len(e.Changed) > 0 {
				what += " (" + strings.Join(e.Changed, ", ") + ")"
			}
			if e.Why != "" {
				what += ": " + line(e.Why, 200)
			}
			p.printf("r%-3d %s  %s  %s\n", e.Revision, clock(e.At), line(e.Actor, 30), what)
		}
	}, "events", events)
}

// eventText says what an event did to its capsule.
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
	home, err := p.dataHome()
	if err != nil {
		return err
	}
	r, err := kb.Rebuild(c.Context, home, kb.Options{Actor: p.workerName(c)}, kb.RebuildOptions{WriteMissing: c.Bool("write-missing")})
	return p.answer(c, err, func() {
		p.printf("%s; %d picked up, %d new, %d retired, %d files written, %d quarantined\n", count(int64(r.Capsules), "capsule", "capsules"), len(r.PickedUp), len(r.Added), len(r.Retired), r.Written, len(r.Quarantined))
		if r.Aside != "" {
			p.talk("note: the database was damaged; it is at %s", r.Aside)
		}
		for _, l := range r.Lost {
			p.talk("note: lost: %s", safe(l))
		}
		for _, n := range append(r.Quarantined, r.Notes...) {
			p.talk("note: %s", safe(n))
		}
		if r.Unembedded > 0 {
			p.talk("note: %s no embedding; `board kb reembed` gives them one", count(int64(r.Unembedded), "capsule has", "capsules have"))
		}
	}, "rebuild", r)
}

func (p *program) kbStats(c *cli.Context) error {
	k, done, err := p.openToRead(c, false)
	if err != nil {
		return err
	}
	defer done()
	s, err := k.Stats(c.Context)
	return p.answer(c, err, func() {
		p.printf("capsules     %d: %d stand, %d superseded, %d retired\n", s.Capsules, s.Standing, s.Superseded, s.Retired)
		p.printf("kinds        %s\n", tally(s.Kinds))
		p.printf("scopes       %s\n", tally(s.Scopes))
		p.printf("documents    %d\n", s.Documents)
		p.printf("embedded     %d%s\n", s.Embedded, map[bool]string{true: ", with " + s.Model, false: ""}[s.Model != ""])
		p.printf("index        %d segments, %d in the tail, %s\n", s.Index.Segments, s.Index.Tail, megabytes(s.Index.Bytes))
		p.printf("decayed      %d\n", s.Decayed)
	}, "stats", s)
}

// tally prints counts, the highest first.
func tally(counts []kb.Count) string {
	var parts []string
	for _, n := range counts {
		parts = append(parts, fmt.Sprintf("%s %d", safe(n.Name), n.N))
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
		all = []kb.Finding{{What: "database", State: kb.StateBroken, Say: err.Error(), Try: "`board kb rebuild` makes it anew from the files"}}
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
		if err := p.json("findings", all, "broken", broken); err != nil {
			return err
		}
	} else {
		for _, f := range all {
			mark := map[string]string{kb.StateOK: "ok    ", kb.StateNote: "note  ", kb.StateBroken: "BROKEN"}[f.State]
			p.printf("%s  %-13s %s\n", mark, f.What, safe(f.Say))
			if f.Try != "" {
				p.printf("        %-13s try: %s\n", "", safe(f.Try))
			}
		}
	}
	if broken {
		return verdictError(exitFailure)
	}
	return nil
}
