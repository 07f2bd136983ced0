package items

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

type Section int

// The tabs, in their order.
const (
	SectionSearch Section = iota // all of them, and the knowledge base
	SectionConversation
	SectionChannel
	SectionWorkspace
	SectionAccount
	SectionNamed
	SectionJournal
	SectionCore
	SectionConversations
	Sections // their number
)

// sections are the tabs: a tier of items, a kind of an agent's notes, or "" for other lists.
var sections = [Sections]struct{ name, tier, note, heading, empty string }{
	{name: "search"},
	{"in conversations", memory.Conversation, "", "Items in conversations",
		"No items in conversations. 8 shows all conversations and their working notes."},
	{"channel", memory.Channel, "", "Items in channels", emptyTier},
	{"workspace", memory.Workspace, "", "Workspace", emptyTier},
	{"account", memory.Account, "", "Account, in all projects", emptyTier},
	{"named", "", "", "Named entries", "No named entries."},
	{"journal", "", memory.Journal, "Journal of ",
		"This journal is empty. Agents write it by board memory journal."},
	{"core", "", memory.Core, "Core memories of ",
		"This agent has no core memories. Agents write them by board memory core."},
	{"all conversations", "", "", "All conversations",
		"No conversation yet. An agent begins one with board memory conversation start."},
}

const emptyTier = "No items yet. `board memory put` writes one."

func (s Section) Tier() string { return sections[s].tier }

func (s Section) Note() string { return sections[s].note }

func (s Section) String() string { return sections[s].name }

// errNoAgent is for an agent's own items if no agent is selected.
var errNoAgent = errors.New("each agent has its own · A chooses the agent")

// kind is the kind of thing that a row or a page shows.
type kind int

const (
	KindNone kind = iota // nothing
	KindItem
	KindNote
	KindNamed
	KindConversation
	KindCapsule
)

// Ref identifies one thing of the memory.
type Ref struct {
	Kind kind
	ID   string // of an item or a note; a name; a ref code
	Tier string // of a note or a named entry
	note string // kind of a note
}

type Row struct {
	Ref   Ref
	scope memory.Scope // where an item is; a conversation's own scope
	At    time.Time    // the time from which its age counts; zero: never
	cells []string     // by section; see Page.row
	Head  string
	marks []string // badges at the end of the row: "private", "archived", …
	hit   *kb.Hit  // of the search; nil: of a tab
}

type Query struct {
	Agent     string
	Section   Section
	forgotten bool   // with forgotten and expired items
	Text      string // words that must all occur, and filters
}

// filterNames are the filters of what is known, and filterHint says them.
var filterNames = []string{"kind", "scope", "tag", "doc", "source", "curator", "since", "in"}

const filterHint = "words  kind:gotcha  scope:universal  tag:x  doc:x  curator:author  since:7d  in:memory"

// A search's places, for the filter in, which also takes a channel or a conversation's ref.
const (
	inKnowledge = "capsules"
	inMemory    = "memory"
)

// terms are a question as it is meant: its words, and what is asked for.
type terms struct {
	page.Terms
	typed string
	since time.Time
}

func termsOf(text string, now time.Time) terms {
	t := page.ParseTerms(text, filterNames...)
	t.Filters["doc"] = append(t.Filters["doc"], t.Filters["source"]...)
	for name, all := range map[string][]string{"curator": memory.Curators,
		"kind": slices.Concat(kb.Kinds, memory.Tiers), "in": {inKnowledge, inMemory},
		"scope": append(slices.Clone(kb.Scopes), inMemory)} {
		t.Filters[name] = t.In(name, all)
	}
	return terms{t, text, t.Since(now)}
}

// traits are what filters ask of something.
type traits struct {
	kind, scope, curator, source string
	tags, places                 []string
	at                           time.Time // it was last written
}

func itemTraits(it *memory.Item) *traits {
	return &traits{kind: it.Tier, scope: inMemory, curator: it.Curator, source: it.Source,
		tags: it.Tags, places: []string{inMemory, it.Channel, it.Conversation}, at: it.Updated}
}

// allows reports whether a filter lets one of some values through.
func (t *terms) allows(name string, values ...string) bool {
	asked := t.Filters[name]
	return len(asked) == 0 ||
		slices.ContainsFunc(values, func(v string) bool { return slices.Contains(asked, v) })
}

func (t *terms) matches(x *traits) bool {
	lacksTag := func(tag string) bool {
		return !slices.ContainsFunc(x.tags, func(of string) bool { return strings.EqualFold(of, tag) })
	}
	source := strings.ToLower(x.source)
	lacks := func(part string) bool { return !strings.Contains(source, strings.ToLower(part)) }
	return t.allows("kind", x.kind) && t.allows("scope", x.scope) && t.allows("curator", x.curator) &&
		t.allows("in", x.places...) && !x.at.Before(t.since) &&
		!slices.ContainsFunc(t.Filters["tag"], lacksTag) &&
		!slices.ContainsFunc(t.Filters["doc"], lacks)
}

// hasWords reports whether every word is in one of the texts.
func (t *terms) hasWords(texts ...string) bool {
	return len(t.Words) == 0 || cells.HasWords(strings.Join(texts, "\n"), t.Text())
}

// summary has the counts for the tabs, and the agents to choose from.
type summary struct {
	read   bool
	counts [Sections]int64
	agents map[string]int // the agents with items of their own, and the number of these
}

// maxListed is the most, newest, notes and conversations listed: the memory has no pages of them.
const maxListed = 500

// summarise counts what each tab has. Tiers that are not granted count nothing.
func summarise(ctx context.Context, s *memory.Store) (m summary, err error) {
	st, err := s.Stats(ctx)
	if err != nil {
		return m, err
	}
	for at := range sections {
		m.counts[at] = int64(st.Live[sections[at].tier])
	}
	m.agents, m.counts[SectionConversations] = st.Agents, int64(st.Conversations)
	named, err := s.Named(ctx)
	if err != nil {
		return m, err
	}
	m.counts[SectionNamed] = int64(len(named))
	if s.Agent() != "" {
		for _, section := range []Section{SectionJournal, SectionCore} {
			notes, err := s.Notes(ctx, section.Note(), maxListed)
			if err != nil {
				return m, err
			}
			m.counts[section] = int64(len(notes))
		}
	}
	m.read = true
	return m, nil
}

// Read returns the rows that match, and whether there are more: of items at most limit, of other
// things those among the newest memoryMost.
func (q *Query) Read(
	ctx context.Context, s *memory.Store, now time.Time, limit int,
) (rows []Row, more bool, err error) {
	t := termsOf(q.Text, now)
	if tier := q.Section.Tier(); tier != "" {
		lq := memory.ListQuery{Tiers: []string{tier}, Forgotten: q.forgotten, Limit: limit}
		return listItems(ctx, s, &t, lq, now)
	}
	take := func(x traits, r Row, texts ...string) {
		x.scope, x.places = inMemory, append(x.places, inMemory)
		if t.matches(&x) && t.hasWords(texts...) {
			rows = append(rows, r)
		}
	}
	switch q.Section {
	case SectionNamed:
		err = listNamed(ctx, s, take)
	case SectionJournal, SectionCore:
		err = q.listNotes(ctx, s, take)
	case SectionConversations:
		err = listConversations(ctx, s, take)
	}
	return rows, false, err
}

// taker takes a row if the query asks for what has these traits and texts.
type taker func(x traits, r Row, texts ...string)

// maxScanned is the most items that one read compares with a text.
const maxScanned = 500

// listItems returns items that pass, as many as the query says.
func listItems(
	ctx context.Context, s *memory.Store, t *terms, lq memory.ListQuery, now time.Time,
) (rows []Row, more bool, err error) {
	limit := lq.Limit
	if len(t.Words)+len(t.Filters) > 0 {
		lq.Limit = max(limit, maxScanned)
	}
	for {
		found, more, err := s.List(ctx, lq)
		if err != nil {
			return nil, false, err
		}
		for i := range found {
			it := &found[i]
			if t.matches(itemTraits(it)) && t.hasWords(it.Title, it.Content, strings.Join(it.Tags, " ")) {
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

// MaxRunes is how many runes of a text a row keeps: more than any screen shows.
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
		At: it.Created, Head: Headline(it), marks: itemMarks(it, now),
		cells: []string{memory.Level(it.Importance), it.Curator}}
}

// itemMarks returns the badges of an item in a list.
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

func listNamed(ctx context.Context, s *memory.Store, take taker) error {
	all, err := s.Named(ctx)
	for i := range all {
		n := &all[i]
		row := Row{Ref: Ref{Kind: KindNamed, ID: n.Name, Tier: n.Tier},
			scope: memory.Scope{Tier: n.Tier}, At: n.Updated,
			Head:  cells.OneLine(n.Body, MaxRunes),
			cells: []string{n.Name, n.Tier, "rev " + cells.Count(int64(n.Revision))}}
		if n.Revision == 0 {
			row.Head, row.cells[2] = "nothing is written yet", "–"
		}
		take(traits{kind: n.Tier, curator: n.Curator, at: n.Updated}, row, n.Name, n.Body)
	}
	return err
}

func (q *Query) listNotes(ctx context.Context, s *memory.Store, take taker) error {
	if q.Agent == "" {
		return errNoAgent
	}
	all, err := s.Notes(ctx, q.Section.Note(), maxListed)
	for i := range all {
		n := &all[i]
		row := Row{Ref: Ref{Kind: KindNote, ID: n.ID, Tier: n.Tier, note: n.Kind},
			scope: memory.Scope{Tier: n.Tier}, At: n.Created,
			Head:  cells.OneLine(n.Content, MaxRunes),
			cells: []string{n.Tier}}
		if n.Expired {
			row.marks = []string{"expired"}
		}
		take(traits{kind: n.Tier, at: n.Created}, row, n.Content)
	}
	return err
}

func listConversations(ctx context.Context, s *memory.Store, take taker) error {
	all, err := s.Conversations(ctx, "", memory.Statuses, maxListed)
	for i := range all {
		c := &all[i]
		row := Row{Ref: Ref{Kind: KindConversation, ID: c.Ref},
			scope: memory.Scope{Tier: memory.Conversation, Conversation: c.Ref}, At: c.Started,
			Head: cells.Plural(int64(c.Items), "item") + " " +
				cells.OneLine(c.Thread, MaxRunes),
			cells: []string{c.Ref, c.Status, c.Agent, c.Channel}}
		if c.Scratch > 0 {
			row.marks = []string{workingNote + " ×" + cells.Count(int64(c.Scratch))}
		}
		take(traits{kind: memory.Conversation, places: []string{c.Ref, c.Channel}, at: c.Started},
			row, c.Ref, c.Agent, c.Channel, c.Thread, c.Status)
	}
	return err
}

// workingNote is the badge of a working note.
const workingNote = "Working Note"

// agentNames returns the agents with items of their own, and the worker, by name.
func (m *summary) agentNames(worker string) []string {
	names := slices.Collect(maps.Keys(m.agents))
	if worker != "" && !slices.Contains(names, worker) {
		names = append(names, worker)
	}
	slices.Sort(names)
	return names
}
