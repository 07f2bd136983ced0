package knowledge

import (
	"fmt"
	"strconv"
	"strings"

	"blackboard/kb"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// View shows a heading and the visible part of the text.
func (p *CapsulePage) View() []string {
	return append([]string{p.app.Styles.Heading("Capsule "+cells.Clean(p.id), p.doc.More(), p.w, true)}, p.doc.View()...)
}

// compose renders the page. It runs after changes, not for each view.
func (p *CapsulePage) compose() {
	switch {
	case p.w == 0: // the size is unknown yet
	case p.err != nil:
		p.doc.SetText(cells.Wrap(p.app.Explain(p.err), p.w-2)...)
	case p.capsule == nil:
		p.doc.SetText("reading…")
	default:
		p.doc.SetLines(p.lines())
	}
}

// badges returns the main properties of a capsule, cleaned: kind, scope, confidence,
// tags.
func badges(c *kb.Capsule) []string {
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
	return all
}

func (p *CapsulePage) lines() []cells.Line {
	st, c := p.app.Styles, p.capsule
	x := cells.NewWriter(st, p.w)
	x.Names = 15
	for _, l := range cells.Wrap(cells.OneLine(c.Title, kb.MaxTitle), p.w-2) {
		x.Line(st.Bold.Render(l))
	}
	p.badges(x)
	if c.Retired != nil {
		p.row(x, "retired", cells.Clock(*c.Retired)+page.Because(c.RetiredWhy))
	}
	p.row(x, "source", c.Source)
	p.row(x, "verified by", c.VerifiedBy)
	if c.SupersededBy != "" {
		p.link(x, "superseded by", c.SupersededBy)
	}
	for _, id := range c.Supersedes {
		p.link(x, "supersedes", id)
	}
	for i := 0; i < len(c.Refs); i++ {
		if page.CapsuleID.MatchString(c.Refs[i]) {
			p.link(x, "see", c.Refs[i])
			continue
		}
		to, text, skip := boardRef(c.Refs, i)
		if x.FieldTo("see", cells.OneLine(text, kb.MaxField), to); skip {
			i++
		}
	}
	p.given(x)
	p.row(x, "changed", fmt.Sprintf("%s, %s, revision %d", cells.Clock(c.Updated), cells.Since(c.Updated, p.app.Now()), c.Revision))
	if p.all {
		p.everything(x)
	}
	x.Line("")
	for _, l := range cells.Markdown(p.app.Styles, c.Body, min(p.w-2, cells.Measure)) {
		x.Line(l)
	}
	return x.Lines
}

// badges writes the main properties of the capsule, on as many lines as needed.
func (p *CapsulePage) badges(x *cells.Writer) {
	var line string
	for _, b := range badges(p.capsule) {
		b = p.app.Styles.Badge.Render(" " + b + " ")
		if line != "" && cells.Width(line)+1+cells.Width(b) > p.w-2 {
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

// given writes the runs that it was given to. Each links to the run, or to the entry that
// names the capsule.
func (p *CapsulePage) given(x *cells.Writer) {
	if len(p.usage.Runs) > 0 {
		p.row(x, "given", p.usage.Describe())
	}
	for i := range p.usage.Runs {
		u := &p.usage.Runs[i]
		to := toBoard + u.Run
		if len(u.CitedBy) > 0 {
			to += "/" + u.CitedBy[0]
		}
		made := fmt.Sprintf("%s, %s: %s", u.Run, cells.Plural(u.Times, "time"), u.Outcome())
		x.FieldTo("", cells.OneLine(made, page.RowRunes), to)
	}
	if len(p.usage.Unread) > 0 {
		p.row(x, "not known of", strings.Join(p.usage.Unread, ", ")+": their boards cannot be read")
	}
}

// row writes a field, if it has a value.
func (p *CapsulePage) row(x *cells.Writer, name, value string) {
	x.Field(name, cells.OneLine(value, kb.MaxField))
}

// link writes a line with a link.
func (p *CapsulePage) link(x *cells.Writer, name, id string) {
	text := x.Styles.Faint.Render(cells.Fit(name, x.Names)) +
		x.Styles.Key.Render(cells.Clean(id)) + "  " + p.titles[id]
	x.Link(cells.Fit(text, x.Width), id)
}

// everything writes the rarely needed fields, and the history of the capsule.
func (p *CapsulePage) everything(x *cells.Writer) {
	c := p.capsule
	p.row(x, "created", cells.Clock(c.Created))
	asked := "never, as far as is known"
	if c.Retrieved != nil {
		asked = cells.Clock(*c.Retrieved)
	}
	p.row(x, "last asked for", asked)
	p.row(x, "decay", fmt.Sprintf("%.2f of 1: it falls while nobody retrieves it", c.DecayScore))
	p.row(x, "workspace", c.Workspace)
	p.row(x, "project", c.Project)
	embedding := "none: it is found by its words"
	if c.Model != "" {
		embedding = fmt.Sprintf("%s, %d numbers", c.Model, c.Dim)
	}
	p.row(x, "embedding", embedding)
	if in := c.Ingested; in != nil {
		p.row(x, "part of", fmt.Sprintf("%s, %d of %d", in.File, in.Part, in.Of))
	}
	x.Heading("History")
	for i := range p.events {
		p.event(x, &p.events[i])
	}
	x.Heading("Text")
}

// event writes what was done, by whom, and why.
func (p *CapsulePage) event(x *cells.Writer, e *kb.Event) {
	st := p.app.Styles
	what := e.Verb
	if e.Other != "" {
		what += ", with " + e.Other
	}
	if len(e.Changed) > 0 {
		what += " (" + strings.Join(e.Changed, ", ") + ")"
	}
	text := fmt.Sprintf("r%d  %s  by %s  %s%s", e.Revision, cells.Clock(e.At), cells.OneLine(e.Actor, 60), what, page.Because(e.Why))
	for i, l := range cells.Wrap(cells.OneLine(text, 600), p.w-6) {
		if i > 0 {
			l = "    " + l
		}
		x.Line("  " + st.Faint.Render(l))
	}
}
