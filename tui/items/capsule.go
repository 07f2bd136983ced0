package items

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

type capsuleFacts struct {
	titles map[string]string // of the capsules it links to, by id
	usage  board.Usage       // the runs that it was given to
}

// maxTitles is the most linked capsules whose titles are read.
const maxTitles = 50

// readCapsule reads a capsule. If a person has opened it, it counts as a retrieval.
func (f *facts) readCapsule(ctx context.Context, a *page.App, opened bool) error {
	k, err := a.KB(ctx)
	if err != nil {
		return err
	}
	get := k.Get
	if opened {
		get = k.Retrieve
	}
	c, err := get(ctx, f.ref.ID)
	if err != nil {
		return err
	}
	of := &capsuleFacts{titles: map[string]string{}}
	f.setCapsule(&c, of)
	for _, l := range leads(&c) {
		if id, ok := strings.CutPrefix(l.to, toCapsule); ok && len(of.titles) < maxTitles {
			if c, err := k.Get(ctx, id); err == nil { // a missing one has no title
				of.titles[id] = cells.OneLine(c.Title, kb.MaxTitle)
			}
		}
	}
	events, err := k.History(ctx, c.ID)
	if f.events = deeds(events); err == nil {
		of.usage, err = board.UsageOf(ctx, a.Boards, c.ID, c.Created, kb.ConfirmedBy(events))
	}
	return err
}

// setCapsule takes what is known of a capsule; of nil: only what it says.
func (f *facts) setCapsule(c *kb.Capsule, of *capsuleFacts) *facts {
	f.title, f.body, f.inUse = "Capsule "+cells.OneLine(c.ID, 80), c.Body, c.Retired == nil
	f.says = c.Title
	f.linked = page.Linked{Own: c.ID, Source: c.Source, Texts: append([]string{c.Body}, c.Refs...)}
	for _, l := range leads(c) { // ids of entries are those of the run that it refers to
		if at, ok := strings.CutPrefix(l.to, toBoard); ok && f.linked.Run == "" {
			f.linked.Run, _, _ = strings.Cut(at, "/")
		}
	}
	f.write = func(x *factLines) { x.writeCapsule(c, of) }
	return f
}

// lead is what a capsule refers to: another, a run or an entry, or a text without a link.
type lead struct{ name, to, text string }

func leads(c *kb.Capsule) (all []lead) {
	capsule := func(name, id string) { all = append(all, lead{name, toCapsule + id, id}) }
	if c.SupersededBy != "" {
		capsule("superseded by", c.SupersededBy)
	}
	for _, id := range c.Supersedes {
		capsule("supersedes", id)
	}
	for i := 0; i < len(c.Refs); i++ {
		if page.CapsuleID.MatchString(c.Refs[i]) {
			capsule("see", c.Refs[i])
			continue
		}
		to, text, skip := boardRef(c.Refs, i)
		if all = append(all, lead{"see", to, text}); skip {
			i++
		}
	}
	return all
}

func (x *factLines) writeCapsule(c *kb.Capsule, of *capsuleFacts) {
	whole := of != nil
	if !whole { // beside the list: what it says
		of = &capsuleFacts{}
	}
	x.Names = 15
	for _, l := range cells.Wrap(cells.OneLine(c.Title, kb.MaxTitle), x.Width) {
		x.Line(x.Styles.Bold.Render(l))
	}
	x.writeProperties(c)
	if c.Retired != nil {
		x.row("retired", cells.Clock(*c.Retired)+because(c.RetiredWhy))
	}
	x.row("source", c.Source)
	x.row("verified by", c.VerifiedBy)
	x.writeLinks(c, of.titles)
	x.writeGiven(&of.usage)
	x.row("changed", fmt.Sprintf("%s, %s, revision %d", cells.Clock(c.Updated), cells.Since(c.Updated, x.app.Now()), c.Revision))
	x.Line("")
	x.writeMarkdown(c.Body)
	if !whole {
		return
	}
	x.Heading("All about it")
	x.row("created", cells.Clock(c.Created))
	asked := "never, as far as is known"
	if c.Retrieved != nil {
		asked = cells.Clock(*c.Retrieved)
	}
	x.row("last asked for", asked)
	x.row("decay", fmt.Sprintf("%.2f of 1: it falls while nobody retrieves it", c.DecayScore))
	x.row("workspace", c.Workspace)
	x.row("project", c.Project)
	embedding := "none: it is found by its words"
	if c.Model != "" {
		embedding = fmt.Sprintf("%s, %d numbers", c.Model, c.Dim)
	}
	x.row("embedding", embedding)
	if in := c.Ingested; in != nil {
		x.row("part of", fmt.Sprintf("%s, %d of %d", in.File, in.Part, in.Of))
	}
}

// row writes a field, if it has a value.
func (x *factLines) row(name, value string) { x.Field(name, cells.OneLine(value, kb.MaxField)) }

// writeProperties writes kind, scope, confidence and tags, on as many lines as needed.
func (x *factLines) writeProperties(c *kb.Capsule) {
	all := []string{cells.Clean(c.Kind), cells.Clean(c.Scope)}
	if c.Confidence != nil {
		all = append(all, "confidence "+strconv.FormatFloat(*c.Confidence, 'g', 3, 64))
	}
	for _, t := range c.DomainTags {
		all = append(all, "in "+cells.OneLine(t, 60))
	}
	for _, t := range c.Tags {
		all = append(all, "#"+cells.OneLine(t, 60))
	}
	var line string
	for _, b := range all {
		b = x.Styles.Badge.Render(" " + b + " ")
		if line != "" && cells.Width(line)+1+cells.Width(b) > x.Width {
			x.Line(line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += b
	}
	x.Line(line)
}

func (x *factLines) writeLinks(c *kb.Capsule, titles map[string]string) {
	for _, l := range leads(c) {
		if id, ok := strings.CutPrefix(l.to, toCapsule); ok {
			name := x.Styles.Faint.Render(cells.Fit(l.name, x.Names)) + x.Styles.Key.Render(cells.Clean(id))
			x.Link(cells.Fit(name+"  "+titles[id], x.Width), l.to)
		} else {
			x.FieldTo(l.name, cells.OneLine(l.text, kb.MaxField), l.to)
		}
	}
}

// boardRef returns the link of reference i of a list, and its label. A run and the entry
// after it are one link; skip means that the next reference is included.
func boardRef(refs []string, i int) (to, text string, skip bool) {
	run, ok := strings.CutPrefix(refs[i], "run:")
	if !ok || board.CheckRun(run) != nil {
		return "", refs[i], false
	}
	if i+1 < len(refs) {
		if entry, ok := strings.CutPrefix(refs[i+1], "entry:"); ok {
			if _, err := board.ParseEntryID(entry); err == nil {
				return toBoard + run + "/" + entry, refs[i] + " " + refs[i+1], true
			}
		}
	}
	return toBoard + run, refs[i], false
}

// writeGiven writes the runs it was given to, linked, or the entries that name it.
func (x *factLines) writeGiven(usage *board.Usage) {
	if len(usage.Runs) > 0 {
		x.row("given", usage.Describe())
	}
	for i := range usage.Runs {
		u := &usage.Runs[i]
		to := toBoard + u.Run
		if len(u.CitedBy) > 0 {
			to += "/" + u.CitedBy[0]
		}
		made := fmt.Sprintf("%s, %s: %s", u.Run, cells.Plural(u.Times, "time"), u.Outcome())
		x.FieldTo("", cells.OneLine(made, page.RowRunes), to)
	}
	if len(usage.Unread) > 0 {
		x.row("not known of", strings.Join(usage.Unread, ", ")+": their boards cannot be read")
	}
}

func deeds(events []kb.Event) (all []memory.Event) {
	for _, e := range events {
		d := memory.Event{At: e.At, Actor: e.Actor, Why: e.Why, Other: e.Other}
		d.Verb = fmt.Sprintf("r%d %s", e.Revision, e.Verb)
		if len(e.Changed) > 0 {
			d.Verb += " (" + strings.Join(e.Changed, ", ") + ")"
		}
		all = append(all, d)
	}
	return all
}

// because returns a reason to put after what it is for; "" without one.
func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}
