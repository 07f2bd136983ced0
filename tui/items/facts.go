package items

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// facts is the data of a capsule, an item, a note, a named entry or a conversation; the ref
// tells which field is set.
type facts struct {
	ref       Ref
	capsule   *kb.Capsule
	of        *capsuleFacts // nil: not read
	item      *memory.Item
	note      *memory.Note
	named     *memory.Named
	talk      *memory.ConversationInfo
	scratch   []memory.Scratch
	items     []memory.Item // of a conversation, newest first
	moreItems bool
	events    []memory.Event // newest last
}

const (
	factEvents = 50 // number of events that are shown
	factItems  = 50 // number of a conversation's items that are shown
)

// readFacts reads what ref names, as an agent sees it. It does not count as an access, but for a
// capsule that a person has opened.
func readFacts(ctx context.Context, a *page.App, agent string, ref Ref, opened bool) (*facts, error) {
	f := &facts{ref: ref}
	if ref.Kind == KindCapsule {
		return f, f.readCapsule(ctx, a, opened)
	}
	return f, a.WithMemory(ctx, agent, func(s *memory.Store) error { return f.read(ctx, s) })
}

func (f *facts) read(ctx context.Context, s *memory.Store) (err error) {
	ref := f.ref
	subject, tier := ref.ID, ref.Tier
	switch ref.Kind {
	case KindItem:
		var it memory.Item
		it, err = s.Peek(ctx, ref.ID)
		f.item, tier = &it, it.Tier
	case KindNote:
		f.note, err = findNote(ctx, s, ref)
	case KindNamed:
		var n memory.Named
		if n, err = s.GetNamed(ctx, ref.ID, ref.Tier); err == nil {
			f.named = &n
		}
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

// title describes it in a few words.
func (f *facts) title() string {
	id := cells.OneLine(f.ref.ID, 80)
	switch {
	case f.capsule != nil:
		return "Capsule " + id
	case f.item != nil:
		return id + " · " + cells.OneLine(f.item.Scope().String(), 120)
	case f.note != nil:
		return f.note.Kind + " " + id
	case f.named != nil:
		return id + " · " + f.named.Tier
	}
	return "conversation " + id
}

// findNote returns a note of the agent.
func findNote(ctx context.Context, s *memory.Store, ref Ref) (*memory.Note, error) {
	all, err := s.Notes(ctx, ref.note, 0)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(n memory.Note) bool { return n.ID == ref.ID })
	if at < 0 {
		return nil, errors.New(ref.ID + " is not there any more")
	}
	return &all[at], nil
}

func (f *facts) readTalk(ctx context.Context, s *memory.Store) error {
	c, err := s.Conversation(ctx, f.ref.ID)
	if err != nil {
		return err
	}
	f.talk = &c
	if f.scratch, err = s.ListScratch(ctx, f.ref.ID); err != nil {
		return err
	}
	f.items, f.moreItems, err = s.List(ctx,
		memory.ListQuery{Tiers: []string{memory.Conversation}, Conversation: f.ref.ID,
			Limit: factItems})
	return err
}

// The prefixes of links: to an item of the memory, a capsule, a run or one of its entries.
const (
	toItem    = "memory:"
	toCapsule = "kb:"
	toBoard   = "board:"
)

// follow opens the target of a link.
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

// factLines writes the facts about an item.
type factLines struct {
	*cells.Writer
	app *page.App
}

// lines writes the facts.
func (f *facts) lines(to *cells.Writer, a *page.App, agent string) {
	x := &factLines{to, a}
	switch {
	case f.capsule != nil:
		x.capsule(f)
	case f.item != nil:
		x.item(f)
	case f.note != nil:
		x.note(f.note)
	case f.named != nil:
		x.named(f)
	case f.talk != nil:
		x.talk(f, agent)
	}
	x.events(f.events)
}

// markdown writes a text that is markdown.
func (x *factLines) markdown(text string) {
	x.Line(cells.Markdown(x.Styles, text, min(x.Width, cells.Measure), x.Mark...)...)
}

func (x *factLines) when(name string, t time.Time) {
	x.Field(name, cells.Minute(t)+", "+cells.Since(t, x.app.Now()))
}

func (x *factLines) item(f *facts) {
	it := f.item
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
		x.Field("archived", cells.Minute(*it.Archived)+": "+it.Why)
	}
	if it.Forgotten != nil {
		why := cells.Minute(*it.Forgotten) + ", by the rule " + it.Rule
		if it.Why != "" {
			why += ": " + it.Why
		}
		x.Field("forgotten", why)
		if it.ReplacedBy != "" {
			x.FieldTo("replaced by", it.ReplacedBy, toItem+it.ReplacedBy)
		}
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
	x.derived(f)
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
	x.Field("revision", x.earlier(it.Revision))
	embedding := "none"
	if it.Model != "" {
		embedding = fmt.Sprintf("%s, %d numbers", it.Model, it.Dim)
	}
	x.Field("embedding", embedding)
}

// derived adds the origin of an item.
func (x *factLines) derived(f *facts) {
	from := f.item.DerivedFrom
	if from == "" {
		return
	}
	to := ""
	if strings.HasPrefix(from, toItem) || strings.HasPrefix(from, toCapsule) {
		to = from
	}
	x.FieldTo("derived from", from, to)
}

// earlier is a revision, and where those before it are.
func (x *factLines) earlier(n int) string {
	if n < 2 {
		return cells.Count(int64(n))
	}
	return cells.Count(int64(n)) + "; " + page.KeyReopen.Help().Key + " shows earlier ones"
}

func (x *factLines) note(n *memory.Note) {
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

func (x *factLines) named(f *facts) {
	n := f.named
	if n.Revision == 0 {
		x.Line(x.Styles.Faint.Render("Nothing is written yet. e writes it in your editor."))
	} else {
		x.markdown(n.Body)
	}
	x.Heading("All about it")
	x.Field("name", n.Name)
	x.Field("tier", n.Tier)
	x.Field("read", "first of all in every turn, and never ranked")
	if tokens := n.Tokens(); tokens > memory.NamedTokens {
		x.Field("cut", fmt.Sprintf("it has %s tokens, and a turn has %s for all named entries where there is more to say", cells.Count(int64(tokens)), cells.Count(memory.NamedTokens)))
	} else {
		x.Field("cut", fmt.Sprintf("never: %s of the %s tokens that a turn has for named entries",
			cells.Count(int64(tokens)), cells.Count(memory.NamedTokens)))
	}
	if n.Revision > 0 {
		x.Field("curator", n.Curator)
		x.Field("revision", x.earlier(n.Revision))
		x.when("created", n.Created)
		x.when("updated", n.Updated)
	}
}

func (x *factLines) talk(f *facts, agent string) {
	c := f.talk
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
	switch agent {
	case "":
		x.Heading("Working notes")
		x.Line(x.Styles.Faint.Render("Each agent has its own: A in the list chooses whose."))
	default:
		x.Heading("Working notes of " + cells.OneLine(agent, 40))
	}
	for i := range f.scratch {
		n := &f.scratch[i]
		about := x.Styles.Faint.Render("  " + cells.Since(n.Updated, x.app.Now()) + ", read-only")
		x.Line(badges(x.app, []string{workingNote}) + " " +
			x.Styles.Bold.Render(cells.OneLine(n.Key, 80)) + about)
		var pretty bytes.Buffer
		if json.Indent(&pretty, n.Value, "", "  ") != nil {
			pretty.Reset()
			pretty.Write(n.Value)
		}
		x.Text(pretty.String(), "  ")
	}
	if agent != "" && len(f.scratch) == 0 {
		x.Line(x.Styles.Faint.Render("There are none."))
	}
	x.Heading("What is remembered of it")
	for i := range f.items {
		it := &f.items[i]
		x.Link(page.Columns(cells.Right(cells.Ago(it.Created, x.app.Now()), 4),
			cells.Fit(it.Curator, 6), Headline(it)), toItem+it.ID)
	}
	switch {
	case len(f.items) == 0:
		x.Line(x.Styles.Faint.Render("Nothing yet."))
	case f.moreItems:
		x.Line(x.Styles.Faint.Render("More are older: the tab in conversations lists them, by in:" + f.ref.ID))
	}
}

func (x *factLines) events(all []memory.Event) {
	if len(all) == 0 {
		return
	}
	x.Heading("What was done to it")
	for i := len(all) - 1; i >= 0; i-- {
		e := &all[i]
		line := cells.Minute(e.At) + "  " + cells.OneLine(e.Verb, 40)
		if e.Actor != "" {
			line += " by " + cells.OneLine(e.Actor, 40)
		}
		if e.Why != "" {
			line += ": " + cells.OneLine(e.Why, 200)
		}
		if e.Other != "" {
			line += " → " + cells.OneLine(e.Other, 60)
		}
		x.Line(cells.Wrap(line, x.Width)...)
	}
}
