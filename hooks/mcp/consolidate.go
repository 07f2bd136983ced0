package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/kb/memory"
)

// What memory_consolidate does.
const (
	doDryRun  = "dry_run"
	doPass    = "pass"
	doPlan    = "plan"
	doRewrite = "rewrite"
	doPasses  = "passes"
	doUndo    = "undo"
)

var tidyings = []string{doDryRun, doPass, doPlan, doRewrite, doPasses, doUndo}

type consolidateIn struct {
	Do     string      `json:"do,omitempty" enum:"tidyings" jsonschema:"default dry_run; passes lists what undo takes"`
	Apply  bool        `json:"apply,omitempty" jsonschema:"the same as do: pass"`
	Scopes []string    `json:"scopes,omitempty" jsonschema:"workspace, account, channel:NAME, conversation:REF; default all"`
	Limit  int         `json:"limit,omitempty" min:"1" max:"100" default:"20" jsonschema:"groups of a plan, or passes"`
	Groups []rewriteIn `json:"groups,omitempty" jsonschema:"for rewrite: one text in the place of the items of a plan's group or contradiction"`
	Pass   string      `json:"pass,omitempty" jsonschema:"for undo: its id"`
}

type rewriteIn struct {
	Group      string          `json:"group,omitempty"`
	Items      []rewriteItemIn `json:"items" jsonschema:"what it replaces"`
	Title      string          `json:"title,omitempty"`
	Content    string          `json:"content"`
	Importance *float64        `json:"importance,omitempty" min:"0" max:"1" jsonschema:"default the greatest of the items'"`
	Tags       *[]string       `json:"tags,omitempty" jsonschema:"default those of all items"`
}

type rewriteItemIn struct {
	ID       string `json:"id"`
	Revision int    `json:"revision" jsonschema:"that you read"`
}

type stepOut struct {
	Op       string `json:"op"`
	Item     string `json:"item"`
	Into     string `json:"into,omitempty"`
	Why      string `json:"why,omitempty"`
	Text     string `json:"text,omitempty" jsonschema:"what the item says"`
	IntoText string `json:"into_text,omitempty"`
}

type scopePassOut struct {
	Scope  string         `json:"scope"`
	Pass   string         `json:"pass,omitempty" jsonschema:"id for undo"`
	Counts map[string]int `json:"counts" jsonschema:"by what is done"`
	Steps  []stepOut      `json:"steps" jsonschema:"of a dry run, 50 at most"`
	Notes  []string       `json:"notes"`
}

type groupItemOut struct {
	ID         string  `json:"id"`
	Revision   int     `json:"revision"`
	Title      string  `json:"title,omitempty"`
	Content    string  `json:"content,omitempty"`
	Importance float64 `json:"importance"`
	Curator    string  `json:"curator"`
	Created    string  `json:"created"`
}

type groupOut struct {
	Group          string         `json:"group"`
	Scope          string         `json:"scope"`
	Items          []groupItemOut `json:"items" jsonschema:"the oldest first"`
	Contradictions []clashOut     `json:"contradictions" jsonschema:"among them: the text has to say which holds"`
}

type clashOut struct {
	Items []string `json:"items"`
	Why   []string `json:"why"`
}

type contradictionOut struct {
	Scope string         `json:"scope"`
	Items []groupItemOut `json:"items" jsonschema:"two that may not both hold, the older first"`
	Why   []string       `json:"why"`
}

type rewrittenOut struct {
	Item     string   `json:"item"`
	Replaced []string `json:"replaced"`
	Pass     string   `json:"pass" jsonschema:"id for undo"`
}

type refusedOut struct {
	Group string `json:"group"`
	Why   string `json:"why"`
}

type passOut struct {
	Pass        string         `json:"pass"`
	Scope       string         `json:"scope"`
	Actor       string         `json:"actor"`
	Began       string         `json:"began"`
	Interrupted bool           `json:"interrupted"`
	Undone      bool           `json:"undone"`
	Steps       map[string]int `json:"steps"`
}

type consolidateOut struct {
	Applied        bool               `json:"applied"`
	Scopes         []scopePassOut     `json:"scopes"`
	Groups         []groupOut         `json:"groups"`
	Contradictions []contradictionOut `json:"contradictions" jsonschema:"of a dry run and a plan, 50 at most"`
	Rewritten      []rewrittenOut     `json:"rewritten"`
	Refused        []refusedOut       `json:"refused"`
	Passes         []passOut          `json:"passes"`
	Restored       []string           `json:"restored" jsonschema:"of undo: the items that are live again"`
}

func (c *call) consolidate(in consolidateIn) (out consolidateOut, text string, err error) {
	out = consolidateOut{Scopes: []scopePassOut{}, Groups: []groupOut{},
		Contradictions: []contradictionOut{}, Rewritten: []rewrittenOut{}, Refused: []refusedOut{},
		Passes: []passOut{}, Restored: []string{}}
	if in.Do == "" {
		in.Do = map[bool]string{true: doPass, false: doDryRun}[in.Apply]
	}
	var scopes []memory.Scope
	for _, name := range in.Scopes {
		sc, err := memory.ParseScope(name)
		if err != nil {
			return out, "", err
		}
		scopes = append(scopes, sc)
	}
	if in.Do == doUndo && in.Pass == "" {
		return out, "", badArgument("give pass; do: passes lists them", "no pass is named")
	}
	if in.Do == doRewrite && len(in.Groups) == 0 {
		return out, "", badArgument("give groups with their items and a content; do: plan lists "+
			"candidates", "there is nothing to rewrite")
	}
	tiers := c.cfg.Grants.writable()
	if in.Do == doDryRun || in.Do == doPlan { // they show what items say
		tiers = slices.DeleteFunc(tiers, func(t string) bool {
			return c.cfg.Grants.readTier(t) != nil
		})
	}
	err = c.onTiers(tiers, in.Do == doRewrite || in.Do == doUndo, func(m *memory.Store) error {
		switch in.Do {
		case doPass:
			out.Applied = true
			text, err = out.pass(c, m, scopes)
		case doPlan:
			text, err = out.plan(c, m, scopes, in.Limit)
		case doRewrite:
			out.Applied = true
			text, err = out.rewrite(c, m, in.Groups)
		case doPasses:
			text, err = out.passes(c, m, in.Limit)
		case doUndo:
			out.Applied = true
			text, err = out.undo(c, m, in.Pass)
		default:
			text, err = out.dryRun(c, m, scopes)
		}
		return err
	})
	return out, text, err
}

func (o *consolidateOut) dryRun(c *call, m *memory.Store, scopes []memory.Scope) (string, error) {
	plans, err := m.PlanConsolidation(c.ctx, scopes)
	if err != nil {
		return "", err
	}
	text := []string{"A pass would do:"}
	for _, p := range plans {
		s := scopePassOut{Scope: p.Scope, Counts: map[string]int{}, Steps: []stepOut{},
			Notes: list(p.Notes)}
		for _, st := range p.Steps {
			s.Counts[st.Op]++
			if len(s.Steps) < mostPairs {
				s.Steps = append(s.Steps, stepOut{st.Op, st.Item, st.Into, st.Why, st.Text,
					st.IntoText})
			}
		}
		o.Scopes = append(o.Scopes, s)
		text = append(text, s.text())
		o.contradictions(p.Contradictions)
	}
	return strings.Join(append(text, o.contradictionsText(len(plans))...), "\n"), nil
}

func (o *consolidateOut) pass(c *call, m *memory.Store, scopes []memory.Scope) (string, error) {
	done, err := m.Consolidate(c.ctx, scopes, c.counting("consolidating"))
	text := []string{"A pass did:"}
	for _, d := range done {
		s := scopePassOut{d.Scope, d.Pass, map[string]int{memory.OpExpire: d.Expired,
			memory.OpEnd: d.Ended, memory.OpPromote: d.Promoted, memory.OpArchive: d.Archived,
			memory.OpMerge: d.Merged, memory.OpCap: d.Capped}, []stepOut{}, list(d.Notes)}
		o.Scopes = append(o.Scopes, s)
		text = append(text, s.text())
	}
	if len(done) == 0 {
		text = append(text, "nothing: nothing is remembered")
	}
	return strings.Join(text, "\n"), err
}

func (s *scopePassOut) text() string {
	what := counted(s.Counts)
	if what == "" {
		what = " nothing"
	}
	if s.Pass != "" {
		what += "; undo takes " + s.Pass
	}
	text := []string{"- " + s.Scope + ":" + what}
	for _, st := range s.Steps {
		line := fmt.Sprintf("  %s %s %q", st.Op, st.Item, fault.Clip(inLine(st.Text), 120))
		if st.Into != "" {
			line += fmt.Sprintf(" into %s %q", st.Into, fault.Clip(inLine(st.IntoText), 120))
		}
		text = append(text, line+": "+inLine(st.Why))
	}
	return strings.Join(text, "\n")
}

func (o *consolidateOut) plan(c *call, m *memory.Store, scopes []memory.Scope, limit int) (
	string, error) {
	groups, clashes, err := m.Groups(c.ctx, scopes, limit)
	if err != nil {
		return "", err
	}
	text := []string{"What one text could replace (do: rewrite with items, revisions and a " +
		"content):"}
	for _, g := range groups {
		out := groupOut{g.ID, g.Scope, groupItemsOf(g.Items), []clashOut{}}
		for _, cl := range g.Contradictions {
			out.Contradictions = append(out.Contradictions, clashOut{[]string{cl.A, cl.B}, cl.Why})
		}
		o.Groups = append(o.Groups, out)
		text = append(text, "- "+g.ID+" in "+g.Scope+":", itemsText(out.Items))
	}
	if len(groups) == 0 {
		text = append(text, "nothing: no items are about the same thing")
	}
	o.contradictions(clashes)
	return strings.Join(append(text, o.contradictionsText(1)...), "\n"), nil
}

func groupItemsOf(all []memory.GroupItem) []groupItemOut {
	return each(all, func(it *memory.GroupItem) groupItemOut {
		return groupItemOut{it.ID, it.Revision, it.Title, it.Content, it.Importance, it.Curator,
			timeText(it.Created)}
	})
}

func itemsText(all []groupItemOut) string {
	return lines(all, "\n", "", func(it *groupItemOut) string {
		return fmt.Sprintf("  %s revision %d, %s: %q", it.ID, it.Revision, it.Created,
			fault.Clip(inLine(strings.TrimSpace(it.Title+" "+it.Content)), 200))
	})
}

func (o *consolidateOut) contradictions(all []memory.Contradiction) {
	for _, c := range all {
		if len(o.Contradictions) < mostPairs {
			o.Contradictions = append(o.Contradictions, contradictionOut{c.Scope,
				groupItemsOf(c.Items), c.Why})
		}
	}
}

// contradictionsText lists pairs for a judge, and says so if there was nothing to look
// at.
func (o *consolidateOut) contradictionsText(looked int) (text []string) {
	if looked == 0 {
		return []string{"nothing: nothing is remembered"}
	}
	for i := range o.Contradictions {
		if i == 0 {
			text = append(text, "These may not both hold (update or forget one, or rewrite both):")
		}
		c := &o.Contradictions[i]
		text = append(text, "- "+inLine(strings.Join(c.Why, "; "))+":", itemsText(c.Items))
	}
	return text
}

func (o *consolidateOut) rewrite(c *call, m *memory.Store, groups []rewriteIn) (string, error) {
	in, err := json.Marshal(map[string]any{"v": 1, "groups": groups})
	if err != nil {
		return "", err
	}
	done, refused, err := m.ApplyRewrites(c.ctx, bytes.NewReader(in))
	if err != nil {
		return "", err
	}
	var text []string
	for _, d := range done {
		o.Rewritten = append(o.Rewritten, rewrittenOut{d.Item.ID, d.Replaced, d.Pass})
		text = append(text, fmt.Sprintf("%s replaces %s; undo takes %s", d.Item.ID,
			strings.Join(d.Replaced, ", "), d.Pass))
	}
	for _, r := range refused {
		o.Refused = append(o.Refused, refusedOut{r.From, r.Why})
		text = append(text, "refused: "+inLine(r.From)+": "+inLine(r.Why))
	}
	return strings.Join(text, "\n"), nil
}

func (o *consolidateOut) passes(c *call, m *memory.Store, limit int) (string, error) {
	all, err := m.Passes(c.ctx, limit)
	o.Passes = each(all, func(p *memory.Pass) passOut {
		return passOut{p.ID, p.Scope, p.Actor, timeText(p.Began), p.Ended == nil, p.Undone != nil,
			p.Steps}
	})
	return lines(o.Passes, "\n", "no pass has changed anything yet", func(p *passOut) string {
		line := fmt.Sprintf("- %s %s %s by %s%s", p.Pass, p.Began, p.Scope, inLine(p.Actor),
			counted(p.Steps))
		if p.Interrupted {
			line += ", interrupted"
		}
		if p.Undone {
			line += ", undone"
		}
		return line
	}), err
}

func (o *consolidateOut) undo(c *call, m *memory.Store, pass string) (string, error) {
	u, err := m.Undo(c.ctx, pass)
	if err != nil {
		return "", err
	}
	o.Restored = list(u.Restored)
	return noted(fmt.Sprintf("The pass %s is undone; items that are live again: %d", u.Pass,
		len(u.Restored)+u.Private), u.Warnings), nil
}
