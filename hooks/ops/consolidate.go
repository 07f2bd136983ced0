package ops

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/kb/memory"
)

// What memory consolidate does.
const (
	doDryRun = "dry_run"
	doPass   = "pass"
	doPlan   = "plan"
)

type ConsolidateIn struct {
	Do     string   `json:"do,omitempty" only:"mcp" enum:"tidyings" jsonschema:"default dry_run"`
	Apply  bool     `json:"apply,omitempty" only:"mcp" jsonschema:"the same as do: pass"`
	Scopes []string `json:"scopes,omitempty" flag:"scope" value:"SCOPE" jsonschema:"workspace, account, channel:NAME, conversation:REF; default all"`
	Due    bool     `json:"due,omitempty" only:"cli" cli:"only scopes with enough changes since the last pass"`
	DryRun bool     `json:"dry_run,omitempty" only:"cli" cli:"show what would be done, and change nothing"`
	Plan   bool     `json:"plan,omitempty" only:"cli" cli:"list items that one text could replace, and contradictions; change nothing"`
	Limit  int      `json:"limit,omitempty" flag:"limit,n" value:"N" min:"0" default:"20" jsonschema:"groups of a plan" cli:"with --plan, at most this many; 0: all"`
	op.Given
}

type ConsolidateOut struct {
	Consolidated   []memory.Consolidated  `json:"consolidated,omitempty"`
	Plans          []memory.Plan          `json:"plans,omitempty"`
	DryRun         *bool                  `json:"dry_run,omitempty"`
	Groups         []memory.Group         `json:"groups,omitempty"`
	Contradictions []memory.Contradiction `json:"contradictions,omitempty"`
	did            string
	due            bool
}

// chooseAction returns what a call does; arguments that do not go together are an error.
func (in *ConsolidateIn) chooseAction(careful bool) (string, error) {
	switch {
	case in.Do != "":
	case careful:
		in.Do = map[bool]string{true: doPass, false: doDryRun}[in.Apply]
	default:
		in.Do = doPass
		switch {
		case in.DryRun && in.Plan:
			return "", fault.Usage.New("a dry run and a plan do not go together", "do one after the other")
		case in.DryRun:
			in.Do = doDryRun
		case in.Plan:
			in.Do = doPlan
		}
		switch {
		case in.Has("scopes") && in.Due:
			return "", fault.Usage.New("both scopes and due are given", "leave one out")
		case in.Has("limit") && in.Do != doPlan:
			return "", fault.Usage.New("a limit is for a plan", "",
				fault.Give("limit", "", "leave {} out"))
		}
	}
	return in.Do, nil
}

var MemoryConsolidate = op.Op[Memories, ConsolidateIn, ConsolidateOut]{
	Info: op.Info{Command: "memory consolidate", Tool: "memory_consolidate", Profile: "admin",
		Need: WorkspaceWrite, Kind: op.Writes, Budget: 4000,
		Short: "promote, archive, merge items; list what to rewrite",
		About: "Tidy up. A pass promotes what several sessions asked for, archives what nobody reads, and " +
			"forgets what is over or said twice. plan lists what one better text could replace, and what " +
			"may not both hold.",
		Long: `A pass makes items long-term that three sessions asked for, archives items that
nobody has read for a year, forgets expired items, and merges items that make
the same statement word for word. Important items (high, critical) are not
archived for their age. If it is interrupted, run the same command again. The end
of a session makes a pass if 20 items are new a day after the last one, or if
something has expired.

Archived items are not read: board memory read --archived finds them, and
board memory restore brings them back. It also restores what was forgotten,
which board memory list --forgotten lists; what a merge has added to the kept
item stays.

To rewrite several items into one, list groups of items that are about one thing,
and pairs that may contradict each other, put the better text, and forget the others:

  board memory consolidate --plan
  board memory put "…"
  board memory forget ID… --replaced-by ID --why "rewritten"

They point to the item that takes their place, and can be restored.`},
	Do: func(ctx context.Context, h Memories, in ConsolidateIn) (out ConsolidateOut, err error) {
		if out.did, err = in.chooseAction(h.IsToolCall()); err != nil {
			return out, err
		}
		var scopes []memory.Scope
		for _, name := range in.Scopes {
			sc, err := memory.ParseScope(name)
			if err != nil {
				return out, err
			}
			scopes = append(scopes, sc)
		}
		shows := out.did == doDryRun || out.did == doPlan
		err = h.Tidy(ctx, shows, func(m *memory.Store) error {
			if out.due = in.Due; in.Due {
				if scopes, err = m.Due(ctx); err != nil {
					return err
				}
			}
			return out.execute(ctx, h, m, in.Limit, scopes)
		})
		return out, err
	},
	Text: func(p *op.Page, o ConsolidateOut) {
		switch o.did {
		case doPass:
			printConsolidated(p, &o)
		case doDryRun:
			printPlans(p, &o)
		case doPlan:
			printGroups(p, &o)
		}
	},
}

func (o *ConsolidateOut) execute(ctx context.Context, h Memories, m *memory.Store, limit int,
	scopes []memory.Scope) (err error) {
	dryRun := o.did == doDryRun
	switch o.did {
	case doDryRun:
		o.Plans, err = m.PlanConsolidation(ctx, scopes)
		o.Plans, o.DryRun = op.List(o.Plans), &dryRun
	case doPlan:
		o.Groups, o.Contradictions, err = m.Groups(ctx, scopes, limit)
		o.Groups, o.Contradictions = op.List(o.Groups), op.List(o.Contradictions)
	default:
		o.Consolidated, err = m.Consolidate(ctx, scopes)
		o.Consolidated, o.DryRun = op.List(o.Consolidated), &dryRun
		if n := len(o.Consolidated); err != nil && n > 0 {
			h.Note(text.Count(int64(n), "scope is", "scopes are") + " done; the same call continues")
		}
	}
	return err
}

// scopesLeft tells why no scope was consolidated.
func scopesLeft(p *op.Page, o *ConsolidateOut, n int) {
	switch {
	case n > 0:
	case o.due:
		p.Note("nothing is due")
	default:
		p.Note("the memory is empty")
	}
}

func printConsolidated(p *op.Page, o *ConsolidateOut) {
	for i := range o.Consolidated {
		x := &o.Consolidated[i]
		p.Printf("%s: %s\n", x.Scope, Consolidated(x))
		scopeNotes(p, x.Scope, x.Notes)
	}
	scopesLeft(p, o, len(o.Consolidated))
}

func scopeNotes(p *op.Page, scope string, notes []string) {
	for _, n := range notes {
		p.Note("note: " + scope + ": " + n)
	}
}

func Consolidated(x *memory.Consolidated) string {
	did := counted([]count{{x.Promoted, "promoted"}, {x.Merged, "merged"}, {x.Archived, "archived"},
		{x.Ended, "archived with their conversation"}, {x.Capped, "archived over the cap"},
		{x.Expired, "expired"}})
	return cmp.Or(did, "nothing to do") + "; " + text.Count(int64(x.Live), "item", "items") + " now"
}

type count struct {
	n    int
	name string
}

// counted joins the counts that are not zero: "2 merged, 1 expired".
func counted(all []count) string {
	var parts []string
	for _, c := range all {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.name))
		}
	}
	return strings.Join(parts, ", ")
}

func printPlans(p *op.Page, o *ConsolidateOut) {
	for i := range o.Plans {
		x := &o.Plans[i]
		p.Printf("%s: %s would be done; %s now\n", x.Scope, text.Count(int64(len(x.Steps)), "step",
			"steps"), text.Count(int64(x.Live), "item", "items"))
		shown := op.FirstRows(p, x.Steps)
		for _, st := range shown {
			p.Printf("  %-7s  %s  %s\n", st.Op, st.Item, p.Text(st.Text, 120, "memory.get", st.Item))
			if st.Into != "" {
				p.Printf("  %7s  %s  %s\n", "into", st.Into, p.Text(st.IntoText, 120, "memory.get", st.Into))
			}
			p.Printf("  %7s  %s\n", "", p.Paint(op.Dim, fmt.Sprintf("relevance %.2f; %s", st.Relevance,
				p.Text(st.Why, 300, "", ""))))
		}
		if left := len(x.Steps) - len(shown); left > 0 {
			p.Printf("  and %s more\n", text.Count(int64(left), "step", "steps"))
		}
		printContradictions(p, x.Contradictions)
		scopeNotes(p, x.Scope, x.Notes)
	}
	scopesLeft(p, o, len(o.Plans))
}

func printGroups(p *op.Page, o *ConsolidateOut) {
	for i := range op.FirstRows(p, o.Groups) {
		g := &o.Groups[i]
		p.Printf("%s  %s  %s\n", p.Paint(op.Bold, g.ID), g.Scope, text.Count(int64(len(g.Items)), "item",
			"items"))
		groupItems(p, g.Items)
	}
	if len(o.Groups) == 0 {
		p.Note("no items are about the same thing")
	} else {
		p.Note("note: put one text for a group, and forget its items, replaced by that")
	}
	printContradictions(p, o.Contradictions)
}

func groupItems(p *op.Page, items []memory.GroupItem) {
	for _, it := range items {
		p.Printf("  %s  revision %d  %s  %s\n", it.ID, it.Revision, it.Created.Format("2006-01-02"),
			p.Text(strings.TrimPrefix(it.Title+": "+it.Content, ": "), 160, "memory.get", it.ID))
	}
}

func printContradictions(p *op.Page, all []memory.Contradiction) {
	shown := op.FirstRows(p, all)
	for _, c := range shown {
		p.Printf("%s  %s  %s\n", p.Paint(op.Yellow, "contradiction"), c.Scope,
			p.Text(strings.Join(c.Why, "; "), 200, "", ""))
		groupItems(p, c.Items)
	}
	if left := len(all) - len(shown); left > 0 {
		p.Printf("%s more\n", text.Count(int64(left), "contradiction", "contradictions"))
	}
	if len(all) > 0 {
		p.Note("note: these may not both hold: update or forget one")
	}
}
