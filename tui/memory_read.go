package tui

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
)

// memorySection is a tab of the memory: a tier, or a list beside the tiers.
type memorySection int

const (
	sectionConversation memorySection = iota
	sectionChannel
	sectionWorkspace
	sectionAccount
	sectionNamed
	sectionJournal
	sectionCore
	sectionConversations
	sections
)

// memorySections are the tabs: the tier of the listed items, or the kind of an agent's
// notes, or "" for other lists.
var memorySections = [sections]struct{ name, tier, note, heading, empty string }{
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

func (s memorySection) tier() string { return memorySections[s].tier }
func (s memorySection) note() string { return memorySections[s].note }

// errNoAgent is for an agent's own items if no agent is selected.
var errNoAgent = errors.New("each agent has its own · A chooses the agent")

// memoryKind is the kind of thing that a row or a page shows.
type memoryKind int

const (
	kindNone memoryKind = iota
	kindItem
	kindNote
	kindNamed
	kindConversation
)

// memoryRef identifies one thing of the memory.
type memoryRef struct {
	kind memoryKind
	id   string // of an item or a note; a name; a ref code
	tier string // of a note or a named entry
	note string // kind of a note
}

// memoryRow is the data of a row. Its size is limited, however long the text is.
type memoryRow struct {
	ref    memoryRef
	scope  memory.Scope // where an item is; a conversation's own scope
	at     time.Time    // the time from which its age counts; zero: never
	cells  []string     // by section; see memoryPage.row
	head   string
	marks  []string
	source string
}

// memoryQuery selects the rows of a list.
type memoryQuery struct {
	agent     string
	section   memorySection
	place     string // a channel, or a conversation's ref code; "": all
	curator   string // "": all
	source    string // "": all
	forgotten bool   // with forgotten and expired items
	text      string // words that must all occur
}

// filtered reports whether the query has filters other than the text.
func (q *memoryQuery) filtered() bool {
	return q.curator != "" || q.source != "" || q.place != "" || q.forgotten
}

// memorySummary has the counts for the tabs, and the choices for pickers.
type memorySummary struct {
	read      bool
	workspace string
	counts    [sections]int64
	private   [sections]int64 // live private items of all agents
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
			m.counts[sectionConversations] += int64(n)
		}
	}
	named, err := s.Named(ctx)
	if err != nil {
		return m, err
	}
	m.counts[sectionNamed] = int64(len(named))
	for i := range named {
		if named[i].Revision == 0 {
			m.unwritten++
		}
	}
	if s.Agent() != "" {
		for _, section := range []memorySection{sectionJournal, sectionCore} {
			notes, err := s.Notes(ctx, section.note(), memoryMost)
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

// read returns rows, those after an item if before is its id, and whether there are more.
func (q *memoryQuery) read(ctx context.Context, s *memory.Store, now time.Time, before string, limit int) (rows []memoryRow, more bool, err error) {
	switch q.section {
	case sectionNamed:
		rows, err = q.named(ctx, s)
	case sectionJournal, sectionCore:
		rows, err = q.notes(ctx, s)
	case sectionConversations:
		rows, err = q.conversations(ctx, s)
	default:
		return q.items(ctx, s, now, before, limit)
	}
	return rows, false, err
}

// memoryScan is the most items that one read compares with a text.
const memoryScan = 500

func (q *memoryQuery) items(ctx context.Context, s *memory.Store, now time.Time, before string, limit int) (rows []memoryRow, more bool, err error) {
	lq := memory.ListQuery{Tiers: []string{q.section.tier()}, Forgotten: q.forgotten, Before: before, Limit: limit}
	switch q.section {
	case sectionChannel:
		lq.Channel = q.place
	case sectionConversation:
		lq.Conversation = q.place
	}
	if q.curator != "" {
		lq.Curators = []string{q.curator}
	}
	if q.source != "" {
		lq.Sources = []string{q.source}
	}
	if q.text != "" {
		lq.Limit = memoryScan
	}
	for {
		found, more, err := s.List(ctx, lq)
		if err != nil {
			return nil, false, err
		}
		for i := range found {
			if q.lets(found[i].Title, found[i].Content, strings.Join(found[i].Tags, " ")) {
				rows = append(rows, itemRow(&found[i], now))
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
func (q *memoryQuery) lets(fields ...string) bool {
	return q.text == "" || cells.HasWords(strings.Join(fields, "\n"), q.text)
}

// memoryRunes is how many characters of a text a row keeps: more than the widest screen
// shows.
const memoryRunes = 300

func headline(it *memory.Item) string {
	if it.Title != "" {
		return cells.OneLine(it.Title, memoryRunes)
	}
	return cells.OneLine(it.Content, memoryRunes)
}

func itemRow(it *memory.Item, now time.Time) memoryRow {
	return memoryRow{ref: memoryRef{kind: kindItem, id: it.ID, tier: it.Tier}, scope: it.Scope(), at: it.Created, source: it.Source, head: headline(it), marks: itemMarks(it, now),
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

func (q *memoryQuery) named(ctx context.Context, s *memory.Store) (rows []memoryRow, err error) {
	all, err := s.Named(ctx)
	for i := range all {
		n := &all[i]
		if !q.lets(n.Name, n.Body) {
			continue
		}
		row := memoryRow{ref: memoryRef{kind: kindNamed, id: n.Name, tier: n.Tier}, scope: memory.Scope{Tier: n.Tier}, at: n.Updated, head: cells.OneLine(n.Body, memoryRunes),
			cells: []string{n.Name, n.Tier, "rev " + cells.Count(int64(n.Revision))}}
		if n.Revision == 0 {
			row.head, row.cells[2] = "nothing is written yet", "–"
		}
		rows = append(rows, row)
	}
	return rows, err
}

func (q *memoryQuery) notes(ctx context.Context, s *memory.Store) (rows []memoryRow, err error) {
	if q.agent == "" {
		return nil, errNoAgent
	}
	all, err := s.Notes(ctx, q.section.note(), memoryMost)
	for i := range all {
		n := &all[i]
		if !q.lets(n.Content) {
			continue
		}
		row := memoryRow{ref: memoryRef{kind: kindNote, id: n.ID, tier: n.Tier, note: n.Kind}, scope: memory.Scope{Tier: n.Tier}, at: n.Created, head: cells.OneLine(n.Content, memoryRunes),
			cells: []string{n.Tier}}
		if n.Expired {
			row.marks = []string{"expired"}
		}
		rows = append(rows, row)
	}
	return rows, err
}

func (q *memoryQuery) conversations(ctx context.Context, s *memory.Store) (rows []memoryRow, err error) {
	all, err := s.Conversations(ctx, "", memory.Statuses, memoryMost)
	for i := range all {
		c := &all[i]
		if !q.lets(c.Ref, c.Agent, c.Channel, c.Thread, c.Status) {
			continue
		}
		row := memoryRow{ref: memoryRef{kind: kindConversation, id: c.Ref}, scope: memory.Scope{Tier: memory.Conversation, Conversation: c.Ref}, at: c.Started,
			head: cells.Plural(int64(c.Items), "item") + " " + cells.OneLine(c.Thread, memoryRunes), cells: []string{c.Ref, c.Status, c.Agent, c.Channel}}
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
