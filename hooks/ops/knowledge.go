package ops

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/kb"
)

type RememberIn struct {
	Title      string   `json:"title,omitempty" needs:"mcp" unless:"entry" value:"LINE" jsonschema:"what holds, in one line" cli:"title"`
	Body       string   `json:"body" arg:"[BODY | -]" as:"text" unless:"entry" flag:"body" hidden:"true" jsonschema:"for whom, why, how you know"`
	Kind       string   `json:"kind,omitempty" enum:"kinds" default:"fact" jsonschema:"default fact" cli:" "`
	Scope      string   `json:"scope,omitempty" enum:"scopes" jsonschema:"where it holds; default workspace" cli:"where it holds (default workspace; universal in your home directory and above)"`
	Source     string   `json:"source,omitempty" value:"WHERE" jsonschema:"where to check it" cli:"where it can be checked: file:line, a command, a URL"`
	Confidence *float64 `json:"confidence,omitempty" min:"0" max:"1" flag:"confidence,c" jsonschema:"0 to 1" cli:"0 (a guess) to 1 (certain)"`
	VerifiedBy string   `json:"verified_by,omitempty" value:"WHO" rare:"true" cli:"who or what verified it"`
	Tags       []string `json:"tags,omitempty" flag:"tag,tags" value:"TAG" jsonschema:"topics"`
	Domains    []string `json:"domains,omitempty" flag:"domain" rare:"true" cli:"domains (auth, tmux, rust)"`
	Project    string   `json:"project,omitempty" rare:"true" cli:"that it belongs to"`
	Refs       []string `json:"refs,omitempty" flag:"ref" value:"REFERENCE" commas:"no" rare:"true" cli:"to a run, an entry, a file"`
	Supersedes []string `json:"supersedes,omitempty" value:"CAPSULE" jsonschema:"capsules it replaces"`
	All        bool     `json:"all,omitempty" only:"cli" flag:"force" cli:"store it even if it resembles an existing one or seems to hold a secret"`
	Force      bool     `json:"force,omitempty" only:"mcp" rare:"true" jsonschema:"though one looks alike"`
	KeepSecret bool     `json:"keep_secret,omitempty" only:"mcp" rare:"true" jsonschema:"even a secret"`
	Entry      string   `json:"entry,omitempty" only:"mcp" rare:"true" jsonschema:"or an entry of the run to keep"`
	Run        string   `json:"run,omitempty" only:"mcp" rare:"true" jsonschema:"default: the server's"`
	op.Given
}

type RememberOut struct {
	Capsule   kb.Capsule `json:"capsule"`
	Warnings  []string   `json:"warnings"`
	Alike     []kb.Alike `json:"alike"`
	Unchanged *bool      `json:"unchanged,omitempty"`
	before    bool       // it was made from the entry before
	outside   bool       // nobody said where it holds, outside a project
}

func (o RememberOut) IDs() []string { return []string{o.Capsule.ID} }

var Remember = op.Op[Knowledge, RememberIn, RememberOut]{
	Info: op.Info{Command: "kb remember", Tool: "kb_remember", Profile: "knowledge", Need: KBWrite,
		Kind: op.Writes, Short: "store a capsule",
		About: "Keep what is verified, lasting and useful to others. Search first.",
		Long: `Say what is true, for whom, and how you know it; the source lets readers verify it.
If a capsule with the same title or the same words exists, the new one is refused with that
id (exit 6); --supersedes replaces it. Similar capsules are listed.`},
	Do: func(ctx context.Context, h Knowledge, in RememberIn) (RememberOut, error) {
		if in.Entry == "" {
			return in.keep(ctx, h, in.capsule())
		}
		if !in.Has("kind") { // the entry's type says it
			in.Kind = ""
		}
		return promote(ctx, h, &in)
	},
	Text: RememberText,
}

func (in *RememberIn) capsule() kb.Capsule {
	return kb.Capsule{Kind: in.Kind, Scope: in.Scope, Title: in.Title, Body: in.Body, Tags: in.Tags,
		DomainTags: in.Domains, Source: in.Source, Confidence: in.Confidence,
		VerifiedBy: in.VerifiedBy, Supersedes: in.Supersedes, Refs: in.Refs, Project: in.Project}
}

func (in *RememberIn) forced() bool { return in.Force || in.All }

func (in *RememberIn) keep(ctx context.Context, h Knowledge, c kb.Capsule) (out RememberOut, err error) {
	if c.Workspace, err = h.Place(); err == nil {
		err = c.Check() // before a knowledge base is made for it
	}
	if err != nil {
		return out, err
	}
	err = h.KB(ctx, Create, true, func(k *kb.KB) error {
		if in.Entry != "" && !in.forced() {
			if there, err := k.MadeFrom(ctx, &c); err != nil {
				return err
			} else if there != nil {
				out = RememberOut{Capsule: *there, Warnings: []string{}, Alike: []kb.Alike{}, before: true}
				return nil
			}
		}
		r, err := k.Remember(ctx, c, kb.RememberOptions{KeepSecret: in.KeepSecret || in.All,
			NoEmbedding: h.Unembedded()})
		var refused *fault.Error
		// for the likeness, not for what looks like a secret
		if in.forced() && errors.As(err, &refused) && refused.ID != "" {
			r, err = k.Remember(ctx, c, kb.RememberOptions{Force: true, NoEmbedding: h.Unembedded()})
		}
		out = RememberOut{Capsule: r.Capsule, Warnings: r.Warnings, Alike: r.Alike,
			outside: in.Scope == "" && c.Workspace == ""}
		return err
	})
	return out, err
}

func RememberText(p *op.Page, o RememberOut) {
	c := &o.Capsule
	place := *c
	if filepath.IsAbs(place.Workspace) { // the name is enough here
		place.Workspace = filepath.Base(place.Workspace)
	}
	switch {
	case o.before:
		p.Printf("%s %s was made from this entry before: %s\n", c.ID, c.Kind, p.Line(c.Title, 100))
		p.Note("  note: nothing was stored" + p.Step(fault.Do("kb.edit", "; {} changes it", "id", c.ID)) +
			p.Step(fault.Give("force", "", "; {} makes another")))
	case o.Unchanged == nil:
		p.Printf("%s %s remembered: %s%s\n", c.ID, c.Kind, p.Line(c.Title, 100),
			p.Paint(op.Dim, "  scope "+p.Line(place.Place(), 100)))
	case *o.Unchanged:
		p.Printf("%s is unchanged\n", c.ID)
	default:
		p.Printf("%s is at revision %d: %s\n", c.ID, c.Revision, p.Line(c.Title, 100))
	}
	if o.outside {
		p.Note("  note: outside a project: kept as universal" + p.Step(fault.Give("scope", "", "; {} says otherwise")))
	}
	warnings(p, o.Warnings)
	for _, a := range o.Alike {
		how := ""
		if a.Cosine != nil {
			how = fmt.Sprintf(" (cosine %.2f)", *a.Cosine)
		}
		if len(a.Differ) > 0 {
			how += "; they may differ: " + strings.Join(a.Differ, "; ")
		}
		p.Note(fmt.Sprintf("  note: it is similar to %s %s%s", a.ID, p.Line(a.Title, 80), how))
	}
}

type KBEditIn struct {
	ID         string   `json:"id" arg:"CAPSULE"`
	Title      string   `json:"title,omitempty" value:"LINE" cli:"title"`
	Body       string   `json:"body,omitempty" arg:"[BODY | -]" as:"text" flag:"body" hidden:"true"`
	Kind       string   `json:"kind,omitempty" enum:"kinds"`
	Scope      string   `json:"scope,omitempty" enum:"scopes"`
	Tags       []string `json:"tags,omitempty" flag:"tag,tags" value:"TAG" cli:"in place of those it has; '' for none"`
	AddTags    []string `json:"add_tags,omitempty" flag:"add-tag" value:"TAG" cli:"to add"`
	RemoveTags []string `json:"remove_tags,omitempty" flag:"remove-tag" value:"TAG" cli:"to remove"`
	Domains    []string `json:"domains,omitempty" flag:"domain" cli:"in place of those it has"`
	Source     string   `json:"source,omitempty" value:"WHERE" cli:"where it can be checked"`
	Confidence *float64 `json:"confidence,omitempty" min:"0" max:"1" flag:"confidence,c" cli:"0 (a guess) to 1 (certain)"`
	VerifiedBy string   `json:"verified_by,omitempty" value:"WHO" cli:"who or what verified it"`
	Refs       []string `json:"refs,omitempty" flag:"ref" value:"REFERENCE" commas:"no" cli:"in place of those it has"`
	Project    string   `json:"project,omitempty" cli:"that it belongs to"`
	Workspace  string   `json:"workspace,omitempty" value:"DIRECTORY" cli:"that it belongs to"`
	Why        string   `json:"why,omitempty" flag:"reason,why" value:"REASON" cli:"for the history"`
	Revision   *int     `json:"revision,omitempty" min:"0" flag:"if-version,if-revision" value:"REVISION" cli:"only if it still has this one; else exit 6"`
	Force      bool     `json:"force,omitempty" cli:"store it even if it resembles another or seems to hold a secret"`
	op.Given
}

var KBEdit = op.Op[Knowledge, KBEditIn, RememberOut]{
	Info: op.Info{Command: "kb edit", Short: "edit a capsule; its history keeps every revision",
		Long: `The flags say what changes. Without any, on a terminal, the capsule's file opens in
$VISUAL or $EDITOR. You may also edit the files in the data home (kb/capsules/CAPSULE.md) at
any time: the next command reads them.`},
	Do: func(ctx context.Context, h Knowledge, in KBEditIn) (out RememberOut, err error) {
		if in.Workspace, err = h.Place(); err != nil {
			return out, err
		}
		err = h.KB(ctx, Write, in.Has("title") || in.Has("body"), func(k *kb.KB) error {
			r, err := k.Edit(ctx, in.ID, in.change, kb.EditOptions{Why: in.Why, Revision: in.Revision,
				Force: in.Force})
			out = EditedOut(&r)
			return err
		})
		return out, err
	},
	Text: RememberText,
}

func EditedOut(r *kb.Remembered) RememberOut {
	return RememberOut{Capsule: r.Capsule, Warnings: r.Warnings, Alike: r.Alike, Unchanged: &r.Unchanged}
}

func (in *KBEditIn) change(c *kb.Capsule) error {
	g := &in.Given
	op.Take(g, &c.Title, in.Title, "title")
	op.Take(g, &c.Body, in.Body, "body")
	op.Take(g, &c.Kind, in.Kind, "kind")
	op.Take(g, &c.Scope, in.Scope, "scope")
	op.Take(g, &c.Source, in.Source, "source")
	op.Take(g, &c.VerifiedBy, in.VerifiedBy, "verified_by")
	op.Take(g, &c.Project, in.Project, "project")
	op.Take(g, &c.Workspace, in.Workspace, "workspace")
	op.Take(g, &c.Tags, in.Tags, "tags")
	op.Take(g, &c.DomainTags, in.Domains, "domains")
	op.Take(g, &c.Refs, in.Refs, "refs")
	op.Take(g, &c.Confidence, in.Confidence, "confidence")
	return changeTags(&c.Tags, in.AddTags, in.RemoveTags, in.ID, "kb.get")
}

// changeTags adds tags and removes others. A tag to remove that is not there is an error, which names the operation
// that shows the tags.
func changeTags(tags *[]string, add, remove []string, id, shows string) error {
	*tags = append(*tags, add...)
	for _, t := range remove {
		if !slices.Contains(*tags, t) {
			return fault.Usage.New(fmt.Sprintf("%s has no tag %q", id, t), "",
				fault.Do(shows, "{} shows its tags", "id", id))
		}
		*tags = slices.DeleteFunc(*tags, func(s string) bool { return s == t })
	}
	return nil
}

type RetireIn struct {
	ID  []string `json:"id" arg:"CAPSULE…" as:"words" jsonschema:"from kb_search"`
	Why string   `json:"why,omitempty" flag:"reason,why" needs:"mcp" value:"REASON" cli:"for the history"`
}

type RetireOut struct {
	Capsules []kb.Capsule `json:"capsules"`
}

var KBRetire = op.Op[Knowledge, RetireIn, RetireOut]{
	Info: op.Info{Command: "kb retire", Tool: "kb_retire", Profile: "admin", Need: KBWrite,
		Kind: op.Writes, Short: "remove capsules from searches and lists; they can be restored",
		About: "Take a capsule that is wrong out of searches, with the reason. It can be restored."},
	Do: func(ctx context.Context, h Knowledge, in RetireIn) (out RetireOut, err error) {
		var ids []string
		for _, id := range in.ID {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		err = h.KB(ctx, Write, false, func(k *kb.KB) (err error) {
			out.Capsules, err = k.RetireAll(ctx, ids, in.Why)
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o RetireOut) {
		for i := range o.Capsules {
			c := &o.Capsules[i]
			p.Printf("%s is retired: %s%s\n", c.ID, p.Line(c.Title, 80),
				p.Step(fault.Do("kb.restore", "; {} brings it back", "id", c.ID)))
		}
	},
}

type RestoreIn struct {
	ID       string `json:"id" arg:"CAPSULE"`
	Revision *int   `json:"revision,omitempty" value:"N" cli:"restore this revision"`
	Why      string `json:"why,omitempty" flag:"reason,why" value:"REASON" cli:"for the history"`
}

type RestoreOut struct {
	Capsule kb.Capsule `json:"capsule"`
	from    int
}

var KBRestore = op.Op[Knowledge, RestoreIn, RestoreOut]{
	Info: op.Info{Command: "kb restore",
		Short: "restore a retired or superseded capsule, or an earlier revision",
		Long: `Without --revision, a retired or superseded capsule becomes active again.
With it, the capsule gets the content of that revision, as a new revision; board kb
history CAPSULE lists them. A superseded capsule becomes active beside the other, and
curation leaves the two alone.`},
	Do: func(ctx context.Context, h Knowledge, in RestoreIn) (out RestoreOut, err error) {
		err = h.KB(ctx, Write, true, func(k *kb.KB) (err error) {
			if in.Revision != nil {
				out.from = *in.Revision
			} else if out.from, err = k.LastActive(ctx, in.ID); err != nil {
				return err
			}
			out.Capsule, err = k.Restore(ctx, in.ID, out.from, in.Why)
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o RestoreOut) {
		p.Printf("%s is restored to revision %d, as revision %d: %s\n", o.Capsule.ID, o.from,
			o.Capsule.Revision, p.Line(o.Capsule.Title, 80))
	},
}

type HistoryIn struct {
	ID       string `json:"id" arg:"CAPSULE"`
	Revision *int   `json:"revision,omitempty" value:"N" cli:"show all of this revision"`
	Restore  *int   `json:"restore,omitempty" value:"N" cli:"restore this revision"`
	Why      string `json:"why,omitempty" flag:"reason,why" value:"REASON" cli:"for the history"`
}

type HistoryOut struct {
	Events  *[]kb.Event `json:"events,omitempty"`
	Capsule *kb.Capsule `json:"capsule,omitempty"`
	restore *RestoreOut
}

var KBHistory = op.Op[Knowledge, HistoryIn, HistoryOut]{
	Info: op.Info{Command: "kb history",
		Short: "show a capsule's changes; show or restore a revision",
		Long: `Lists every change: who, when, why, and the earlier content. --restore N
is board kb restore CAPSULE --revision N.`},
	Do: func(ctx context.Context, h Knowledge, in HistoryIn) (out HistoryOut, err error) {
		if in.Restore != nil {
			r, err := KBRestore.Do(ctx, h, RestoreIn{in.ID, in.Restore, in.Why})
			return HistoryOut{Capsule: &r.Capsule, restore: &r}, err
		}
		err = h.KB(ctx, Write, false, func(k *kb.KB) error {
			if in.Revision != nil {
				c, err := k.Revision(ctx, in.ID, *in.Revision)
				out.Capsule = &c
				return err
			}
			events, err := k.History(ctx, in.ID)
			out.Events = &events
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o HistoryOut) {
		switch {
		case o.restore != nil:
			KBRestore.Text(p, *o.restore)
			return
		case o.Capsule != nil:
			printCapsule(p, o.Capsule, nil)
			return
		}
		for _, e := range *o.Events {
			what := capsuleEvent(&e)
			if len(e.Changed) > 0 {
				what += " (" + strings.Join(e.Changed, ", ") + ")"
			}
			if e.Why != "" {
				what += ": " + p.Line(e.Why, 200)
			}
			p.Printf("r%-3d %s  %s  %s\n", e.Revision, seconds(e.At), p.Line(e.Actor, 30), what)
		}
	},
}

func capsuleEvent(e *kb.Event) string {
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
