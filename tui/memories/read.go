package memories

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// Section is a tab of the memory: a tier, or a list beside the tiers.
type Section int

// The tabs, in their order.
const (
	SectionConversation Section = iota
	SectionChannel
	SectionWorkspace
	SectionAccount
	SectionNamed
	SectionJournal
	SectionCore
	SectionConversations
	Sections // their number
)

// memorySections are the tabs: the tier of the listed items, or the kind of an agent's
// notes, or "" for other lists.
var memorySections = [Sections]struct{ name, tier, note, heading, empty string }{
	{"in conversations", memory.Conversation, "", "Items in conversations",
		"No items in conversations. 8 shows all conversations and their working notes."},
	{"channel", memory.Channel, "", "Items in channels", emptyTier},
	{"workspace", memory.Workspace, "", "Workspace", emptyTier},
	{"account", memory.Account, "", "Account, in all projects", emptyTier},
	{"named", "", "", "Named entries", emptyTier},
	{"journal", "", memory.Journal, "Journal of ",
		"This journal is empty. + writes an entry; agents use board memory journal."},
	{"core", "", memory.Core, "Core memories of ",
		"This agent has no core memories. + writes one; agents use board memory core."},
	{"all conversations", "", "", "All conversations",
		"No conversation yet. An agent begins one with board memory conversation start."},
}

const emptyTier = "No items yet. + writes the first one; agents use board memory put."

// Tier returns the tier of the items in the tab; "" if it has other things.
func (s Section) Tier() string { return memorySections[s].tier }

// Note returns the kind of an agent's notes in the tab; "" if it has other things.
func (s Section) Note() string { return memorySections[s].note }

// String returns the name of the tab.
func (s Section) String() string { return memorySections[s].name }

// errNoAgent is for an agent's own items if no agent is selected.
var errNoAgent = errors.New("each agent has its own · A chooses the agent")

// memoryKind is the kind of thing that a row or a page shows.
type memoryKind int

// What a row or a page may show.
const (
	KindNone memoryKind = iota // nothing
	KindItem
	KindNote
	KindNamed
	KindConversation
)

// Ref identifies one thing of the memory.
type Ref struct {
	Kind memoryKind
	ID   string // of an item or a note; a name; a ref code
	Tier string // of a note or a named entry
	note string // kind of a note
}

// Row is the data of a row. Its size is limited, however long the text is.
type Row struct {
	Ref    Ref
	scope  memory.Scope // where an item is; a conversation's own scope
	At     time.Time    // the time from which its age counts; zero: never
	cells  []string     // by section; see Page.row
	Head   string
	marks  []string
	Source string
}

// Query selects the rows of a list.
type Query struct {
	Agent     string
	Section   Section
	forgotten bool   // with forgotten and expired items
	Text      string // words that must all occur, and filters
}

// filterNames are the filters of items: in is a channel, or a conversation's ref code.
var filterNames = []string{"curator", "source", "in", "tag", "since"}

// terms are the words and the filters that are typed.
func (q *Query) terms() page.Terms {
	t := page.ParseTerms(q.Text, filterNames...)
	t.Filters["curator"] = t.In("curator", memory.Curators)
	return t
}

// place returns the channel, or the conversation's ref code, that is asked for; "": all.
func (q *Query) place() string {
	if in := q.terms().Filters["in"]; len(in) > 0 && (q.Section == SectionChannel || q.Section == SectionConversation) {
		return in[0]
	}
	return ""
}

// memorySummary has the counts for the tabs, and the choices for pickers.
type memorySummary struct {
	read      bool
	workspace string
	counts    [Sections]int64
	private   [Sections]int64 // live private items of all agents
	unwritten int64           // named entries without a text
	agents    map[string]int  // the agents with items of their own, and the number of these
	channels  []memory.ChannelInfo
}

// memoryMost is the most notes and conversations in a list, the newest. The memory has no
// pages of them.
const memoryMost = 500

// summarise counts the items. Tiers that are not granted count nothing.
func summarise(ctx context.Context, s *memory.Store) (m memorySummary, err error) {
	m.workspace, m.agents = s.Workspace(), map[string]int{}
	files, err := s.Stats(ctx)
	if err != nil {
		return m, err
	}
	for i := range files {
		f := &files[i]
		for _, sc := range f.Scopes {
			tier, _, _ := strings.Cut(sc.Scope, ":")
			for at := range memorySections {
				if memorySections[at].tier == tier {
					m.counts[at] += int64(sc.Live)
					m.private[at] += int64(sc.Private)
				}
			}
		}
		for agent, n := range f.Agents {
			m.agents[agent] += n
		}
		for _, n := range f.Statuses {
			m.counts[SectionConversations] += int64(n)
		}
	}
	named, err := s.Named(ctx)
	if err != nil {
		return m, err
	}
	m.counts[SectionNamed] = int64(len(named))
	for i := range named {
		if named[i].Revision == 0 {
			m.unwritten++
		}
	}
	if s.Agent() != "" {
		for _, section := range []Section{SectionJournal, SectionCore} {
			notes, err := s.Notes(ctx, section.Note(), memoryMost)
			if err != nil {
				return m, err
			}
			m.counts[section] = int64(len(notes))
		}
	}
	if s.Reaches(memory.Channel) {
		if m.channels, err = s.Channels(ctx); err != nil {
			return m, err
		}
	}
	m.read = true
	return m, nil
}

// Read returns rows, those after an item if before is its id, and whether there are more.
func (q *Query) Read(ctx context.Context, s *memory.Store, now time.Time, before string, limit int) (rows []Row, more bool, err error) {
	t := q.terms()
	has := func(filter string) bool { return len(t.Filters[filter]) > 0 }
	if q.Section.Tier() == "" && slices.ContainsFunc(filterNames, has) { // only items have them
		return nil, false, nil
	}
	switch q.Section {
	case SectionNamed:
		rows, err = q.named(ctx, s)
	case SectionJournal, SectionCore:
		rows, err = q.notes(ctx, s)
	case SectionConversations:
		rows, err = q.conversations(ctx, s)
	default:
		return q.items(ctx, s, now, before, limit)
	}
	return rows, false, err
}

// memoryScan is the most items that one read compares with a text.
const memoryScan = 500

func (q *Query) items(ctx context.Context, s *memory.Store, now time.Time, before string, limit int) (rows []Row, more bool, err error) {
	lq := memory.ListQuery{Tiers: []string{q.Section.Tier()}, Forgotten: q.forgotten,
		Before: before, Limit: limit}
	switch q.Section {
	case SectionChannel:
		lq.Channel = q.place()
	case SectionConversation:
		lq.Conversation = q.place()
	}
	t := q.terms()
	lq.Curators, lq.Sources = t.Filters["curator"], t.Filters["source"]
	from := t.Since(now)
	if q.Text != "" {
		lq.Limit = memoryScan
	}
	for {
		found, more, err := s.List(ctx, lq)
		if err != nil {
			return nil, false, err
		}
		for i := range found {
			it := &found[i]
			lacks := func(tag string) bool { return !slices.Contains(it.Tags, tag) }
			if q.lets(it.Title, it.Content, strings.Join(it.Tags, " ")) && !it.Updated.Before(from) &&
				!slices.ContainsFunc(t.Filters["tag"], lacks) {
				rows = append(rows, itemRow(it, now))
			}
			if len(rows) == limit {
				return rows, more || i < len(found)-1, nil
			}
		}
		if !more {
			return rows, false, nil
		}
		lq.Before = found[len(found)-1].ID
	}
}

// lets reports whether every word of the text is in one of the fields.
func (q *Query) lets(fields ...string) bool {
	t := q.terms()
	return q.Text == "" || cells.HasWords(strings.Join(fields, "\n"), t.Text())
}

// MaxRunes is how many characters of a text a row keeps: more than the widest screen
// shows.
const MaxRunes = 300

// Headline returns the title of an item, or the start of its text.
func Headline(it *memory.Item) string {
	if it.Title != "" {
		return cells.OneLine(it.Title, MaxRunes)
	}
	return cells.OneLine(it.Content, MaxRunes)
}

func itemRow(it *memory.Item, now time.Time) Row {
	return Row{Ref: Ref{Kind: KindItem, ID: it.ID, Tier: it.Tier}, scope: it.Scope(),
		At: it.Created, Source: it.Source, Head: Headline(it), marks: itemMarks(it, now),
		cells: []string{memory.Level(it.Importance), it.Curator}}
}

// itemMarks returns the marks of an item in a list.
func itemMarks(it *memory.Item, now time.Time) (marks []string) {
	if it.Agent != "" {
		marks = append(marks, "private")
	}
	if it.Lifetime == memory.LongTerm {
		marks = append(marks, "long-term")
	}
	switch {
	case it.Archived != nil:
		marks = append(marks, "archived")
	case it.Forgotten != nil:
		marks = append(marks, "forgotten: "+cells.OneLine(it.Rule, 20))
	case it.Expires != nil && !it.Expires.After(now):
		marks = append(marks, "expired")
	}
	return marks
}

func (q *Query) named(ctx context.Context, s *memory.Store) (rows []Row, err error) {
	all, err := s.Named(ctx)
	for i := range all {
		n := &all[i]
		if !q.lets(n.Name, n.Body) {
			continue
		}
		row := Row{Ref: Ref{Kind: KindNamed, ID: n.Name, Tier: n.Tier},
			scope: memory.Scope{Tier: n.Tier}, At: n.Updated,
			Head:  cells.OneLine(n.Body, MaxRunes),
			cells: []string{n.Name, n.Tier, "rev " + cells.Count(int64(n.Revision))}}
		if n.Revision == 0 {
			row.Head, row.cells[2] = "nothing is written yet", "–"
		}
		rows = append(rows, row)
	}
	return rows, err
}

func (q *Query) notes(ctx context.Context, s *memory.Store) (rows []Row, err error) {
	if q.Agent == "" {
		return nil, errNoAgent
	}
	all, err := s.Notes(ctx, q.Section.Note(), memoryMost)
	for i := range all {
		n := &all[i]
		if !q.lets(n.Content) {
			continue
		}
		row := Row{Ref: Ref{Kind: KindNote, ID: n.ID, Tier: n.Tier, note: n.Kind},
			scope: memory.Scope{Tier: n.Tier}, At: n.Created,
			Head:  cells.OneLine(n.Content, MaxRunes),
			cells: []string{n.Tier}}
		if n.Expired {
			row.marks = []string{"expired"}
		}
		rows = append(rows, row)
	}
	return rows, err
}

func (q *Query) conversations(ctx context.Context, s *memory.Store) (rows []Row, err error) {
	all, err := s.Conversations(ctx, "", memory.Statuses, memoryMost)
	for i := range all {
		c := &all[i]
		if !q.lets(c.Ref, c.Agent, c.Channel, c.Thread, c.Status) {
			continue
		}
		row := Row{Ref: Ref{Kind: KindConversation, ID: c.Ref},
			scope: memory.Scope{Tier: memory.Conversation, Conversation: c.Ref}, At: c.Started,
			Head: cells.Plural(int64(c.Items), "item") + " " +
				cells.OneLine(c.Thread, MaxRunes),
			cells: []string{c.Ref, c.Status, c.Agent, c.Channel}}
		if c.Scratch > 0 {
			row.marks = []string{workingNote + " ×" + cells.Count(int64(c.Scratch))}
		}
		rows = append(rows, row)
	}
	return rows, err
}

// workingNote is the badge of a working note.
const workingNote = "Working Note"

// known returns the agents with items of their own, and the worker, by name.
func (m *memorySummary) known(worker string) []string {
	names := slices.Collect(maps.Keys(m.agents))
	if worker != "" && !slices.Contains(names, worker) {
		names = append(names, worker)
	}
	slices.Sort(names)
	return names
}
