package items

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// facts are what is known of a capsule, an item, a note, a named entry or a conversation.
type facts struct {
	ref         Ref
	title, body string
	where, says string // its place and author, and what it says, with its title
	revision    int
	inUse       bool // it is not retired or forgotten
	linked      page.Linked
	write       func(*factLines)
	events      []memory.Event // newest last
}

const (
	factEvents = 50 // number of events that are shown
	factItems  = 50 // number of a conversation's items that are shown
)

// readFacts reads what ref names, as an agent sees it. It does not count as an access, but for a
// capsule that a person has opened.
func readFacts(ctx context.Context, a *page.App, agent string, ref Ref, opened bool) (*facts, error) {
	f := &facts{ref: ref, inUse: true}
	if ref.Kind == KindCapsule {
		return f, f.readCapsule(ctx, a, opened)
	}
	err := a.WithMemory(ctx, agent, func(s *memory.Store) error { return f.read(ctx, s) })
	f.says = cmp.Or(f.says, f.body)
	f.linked = page.Linked{Own: ref.ID, Texts: []string{f.body}, Agent: agent}
	return f, err
}

func (f *facts) read(ctx context.Context, s *memory.Store) (err error) {
	ref, id := f.ref, cells.OneLine(f.ref.ID, 80)
	subject, tier := ref.ID, ref.Tier
	switch ref.Kind {
	case KindItem:
		var it memory.Item
		it, err = s.Peek(ctx, ref.ID)
		tier, f.revision, f.inUse = it.Tier, it.Revision, it.Live()
		f.title, f.body = id+" · "+cells.OneLine(it.Scope().String(), 120), it.Content
		f.where, f.says = it.Tier+", curator "+it.Curator, strings.TrimPrefix(it.Title+": "+it.Content, ": ")
		f.write = func(x *factLines) { x.writeItem(&it) }
	case KindNote:
		var n memory.Note
		n, err = findNote(ctx, s, ref)
		f.title, f.body, f.where = n.Kind+" "+id, n.Content, n.Kind+" of "+n.Agent
		f.write = func(x *factLines) { x.writeNote(&n) }
	case KindNamed:
		var n memory.Named
		n, err = s.GetNamed(ctx, ref.ID, ref.Tier)
		f.title, f.body, f.revision = id+" · "+n.Tier, n.Body, n.Revision
		f.write = func(x *factLines) { x.writeNamed(&n) }
		subject = "named:" + strings.ToUpper(ref.ID)
	case KindConversation:
		tier = memory.Conversation
		err = f.readTalk(ctx, s)
	}
	if err == nil {
		f.events, err = s.Events(ctx, tier, subject, factEvents)
	}
	return err
}

func findNote(ctx context.Context, s *memory.Store, ref Ref) (memory.Note, error) {
	all, err := s.Notes(ctx, ref.note, 0)
	at := slices.IndexFunc(all, func(n memory.Note) bool { return n.ID == ref.ID })
	if err != nil || at < 0 {
		return memory.Note{}, cmp.Or(err, errors.New(ref.ID+" is not there any more"))
	}
	return all[at], nil
}

// talk is a conversation: its agent's working notes, and its items, newest first.
type talk struct {
	memory.ConversationInfo
	agent   string // as which it is seen
	scratch []memory.Scratch
	items   []memory.Item
	more    bool // there are older ones
}

func (f *facts) readTalk(ctx context.Context, s *memory.Store) (err error) {
	c := talk{agent: s.Agent()}
	if c.ConversationInfo, err = s.Conversation(ctx, f.ref.ID); err != nil {
		return err
	}
	f.title = "conversation " + cells.OneLine(c.Ref, 80)
	f.write = func(x *factLines) { x.writeTalk(&c) }
	if c.scratch, err = s.ListScratch(ctx, c.Ref); err != nil {
		return err
	}
	c.items, c.more, err = s.List(ctx, memory.ListQuery{Tiers: []string{memory.Conversation},
		Conversation: c.Ref, Limit: factItems})
	return err
}

// The prefixes of links: to an item of the memory, a capsule, a run or one of its entries.
const (
	toItem    = "memory:"
	toCapsule = "kb:"
	toBoard   = "board:"
)

func follow(a *page.App, agent, to string) tea.Cmd {
	kind, id, _ := strings.Cut(to, ":")
	switch kind + ":" {
	case toItem:
		return a.Push(NewDetail(a, agent, Ref{Kind: KindItem, ID: id}))
	case toCapsule:
		return a.Push(NewCapsule(a, id))
	case toBoard:
		run, entry, _ := strings.Cut(id, "/")
		return a.OpenEntry(run, entry)
	}
	return nil
}

type factLines struct {
	*cells.Writer
	app *page.App
}

func (f *facts) writeTo(to *cells.Writer, a *page.App) {
	x := &factLines{to, a}
	f.write(x)
	x.writeEvents(f.events)
}

func (x *factLines) writeMarkdown(text string) {
	x.Line(cells.Markdown(x.Styles, text, min(x.Width, cells.Measure), x.Mark...)...)
}

func (x *factLines) when(name string, t time.Time) {
	x.Field(name, cells.Minute(t)+", "+cells.Since(t, x.app.Now()))
}

func (x *factLines) writeItem(it *memory.Item) {
	if it.Title != "" {
		for _, l := range cells.Wrap(cells.Clean(it.Title), x.Width) {
			x.Line(x.Styles.Bold.Render(l))
		}
	}
	if marks := itemMarks(it, x.app.Now()); len(marks) > 0 {
		x.Line(badges(x.app, marks))
	}
	x.Text(it.Content, "")
	x.Heading("How it stands")
	if it.Archived != nil {
		x.Field("archived", cells.Minute(*it.Archived)+because(it.Why))
	}
	if it.Forgotten != nil {
		x.Field("forgotten", cells.Minute(*it.Forgotten)+", by the rule "+it.Rule+because(it.Why))
		x.FieldTo("replaced by", it.ReplacedBy, toItem+it.ReplacedBy)
	}
	x.Field("importance", fmt.Sprintf("%s (%g)", memory.Level(it.Importance), it.Importance))
	asked := "never"
	if it.Accesses > 0 {
		asked = cells.Plural(int64(it.Accesses), "time") + ", the last " + cells.Since(it.Accessed, x.app.Now())
	}
	x.Field("asked for", asked)
	x.Field("lifetime", it.Lifetime)
	if it.Expires != nil {
		x.Field("expires", cells.Minute(*it.Expires))
	}
	from, to := it.DerivedFrom, ""
	if strings.HasPrefix(from, toItem) || strings.HasPrefix(from, toCapsule) {
		to = from
	}
	x.FieldTo("derived from", from, to)
	x.Heading("All about it")
	x.Field("id", it.ID)
	x.Field("scope", it.Scope().String())
	if it.Tier != memory.Conversation {
		x.Field("conversation", it.Conversation)
	}
	x.Field("private to", it.Agent)
	x.Field("curator", it.Curator)
	x.Field("source", it.Source)
	x.Field("tags", strings.Join(it.Tags, ", "))
	x.when("created", it.Created)
	x.when("updated", it.Updated)
	x.Field("revision", cells.Count(int64(it.Revision)))
}

func (x *factLines) writeNote(n *memory.Note) {
	if n.Expired {
		x.Line(badges(x.app, []string{"expired"}))
	}
	x.Text(n.Content, "")
	x.Heading("All about it")
	x.Field("id", n.ID)
	x.Field("kind", n.Kind)
	x.Field("agent", n.Agent)
	x.Field("kept with", n.Tier)
	x.when("created", n.Created)
	if n.Kind == memory.Journal {
		counts := "until " + cells.Minute(n.Created.Add(memory.JournalWindow))
		if n.Expired {
			counts = "no more: a journal's entry does for seven days"
		}
		x.Field("counts", counts)
	}
}

func (x *factLines) writeNamed(n *memory.Named) {
	if n.Revision == 0 {
		x.Line(x.Styles.Faint.Render("Nothing is written yet. e writes it in your editor."))
	} else {
		x.writeMarkdown(n.Body)
	}
	x.Heading("All about it")
	x.Field("name", n.Name)
	x.Field("tier", n.Tier)
	x.Field("read", "first of all in every turn, and never ranked")
	x.Field("size", fmt.Sprintf("%s of the %s tokens that a turn has for all named entries",
		cells.Count(int64(n.Tokens())), cells.Count(memory.NamedTokens)))
	if n.Revision > 0 {
		x.Field("curator", n.Curator)
		x.Field("revision", cells.Count(int64(n.Revision)))
		x.when("created", n.Created)
		x.when("updated", n.Updated)
	}
}

func (x *factLines) writeTalk(c *talk) {
	x.Field("conversation", c.Ref)
	x.Field("status", c.Status)
	x.Field("begun by", c.Agent)
	x.Field("channel", c.Channel)
	x.Field("thread", c.Thread)
	x.when("started", c.Started)
	if c.Ended != nil {
		x.when("ended", *c.Ended)
	}
	if c.Archived != nil {
		x.when("archived", *c.Archived)
	}
	whose := "Working notes"
	if c.agent != "" {
		whose += " of " + cells.OneLine(c.agent, 40)
	}
	x.Heading(whose)
	switch {
	case c.agent == "":
		x.Line(x.Styles.Faint.Render("Each agent has its own: A in the list chooses whose."))
	case len(c.scratch) == 0:
		x.Line(x.Styles.Faint.Render("There are none."))
	}
	for i := range c.scratch {
		n := &c.scratch[i]
		about := x.Styles.Faint.Render("  " + cells.Since(n.Updated, x.app.Now()) + ", read-only")
		x.Line(badges(x.app, []string{workingNote}) + " " +
			x.Styles.Bold.Render(cells.OneLine(n.Key, 80)) + about)
		var pretty bytes.Buffer
		_ = json.Indent(&pretty, n.Value, "", "  ") // the memory takes JSON alone
		x.Text(pretty.String(), "  ")
	}
	x.Heading("What is remembered of it")
	for i := range c.items {
		it := &c.items[i]
		x.Link(page.Columns(cells.Right(cells.Ago(it.Created, x.app.Now()), 4),
			cells.Fit(it.Curator, 6), Headline(it)), toItem+it.ID)
	}
	switch {
	case len(c.items) == 0:
		x.Line(x.Styles.Faint.Render("Nothing yet."))
	case c.more:
		x.Line(x.Styles.Faint.Render("More are older: the tab in conversations lists them, by in:" + c.Ref))
	}
}

// writeEvents writes what was done to it, the latest first.
func (x *factLines) writeEvents(all []memory.Event) {
	if len(all) > 0 {
		x.Heading("What was done to it")
	}
	for _, e := range slices.Backward(all) {
		line := cells.Minute(e.At) + "  " + cells.OneLine(e.Verb, 200)
		if e.Actor != "" {
			line += " by " + cells.OneLine(e.Actor, 60)
		}
		line += because(cells.OneLine(e.Why, 200))
		if e.Other != "" {
			line += " → " + cells.OneLine(e.Other, 60)
		}
		x.Line(cells.Wrap(line, x.Width)...)
	}
}
