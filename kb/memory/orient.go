package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"blackboard/board/clash"
	"blackboard/board/fault"
)

const (
	DefaultBudget = 1200
	// leastLine is about the fewest tokens of an item's line.
	leastLine = 12
	// criticalFrom is the least importance of a critical item.
	criticalFrom = 0.9
	maxCritical  = 50
	// lowUnder is the importance below which recent items come first, highFrom that of what is
	// told unasked beside the topic, where that would be more than a few lines.
	lowUnder = 0.4
	highFrom = 0.7
	few      = 6
	// mostQuestions lines of a text are asked, none shorter than shortest unless it is alone.
	mostQuestions = 12
	shortest      = 8
	// weakShare is the share of the best score that a weak hit needs.
	weakShare = 0.5
)

// OrientQuery describes the reader of an orientation.
type OrientQuery struct {
	Text         string // what the turn is about
	Conversation string // "": none
	Channel      string // "": that of the conversation
	Budget       int    // tokens; 0 means DefaultBudget
	Limit        int    // most items of a section; 0: as many as the budget may hold
	// nil: all that the caller can reach, and the conversation's if one is named
	Tiers []string
	// Unasked is for a document that nobody asked for: fast, by words only, sure answers only, one
	// question for each line of the text. Nothing counts as an access.
	Unasked bool
	Without string
	// Given lists what the reader has already, as Orientation.Given does.
	Given []string
	// Clean removes from texts what the reader must not see; nil: nothing.
	Clean func(string) string
	Since time.Time
	// Words name the command that shows the rest of a cut text.
	Words fault.Words
}

func (q *OrientQuery) unchanged(changed time.Time) bool {
	return !q.Since.IsZero() && !changed.After(q.Since)
}

// Orientation is the document that a turn begins with.
type Orientation struct {
	// Markdown has named entries, then items by section; "" if there are none.
	Markdown string `json:"markdown"`
	// Own has the agent's core memories and its journal of a week, framed; "" if there are none.
	Own      string   `json:"own"`
	Tokens   int      `json:"tokens"` // of both together
	Budget   int      `json:"budget"`
	Named    []Named  `json:"named"`
	Slices   []Slice  `json:"tiers"`    // the included items by tier
	LeftOut  int      `json:"left_out"` // items and notes that did not fit the budget
	Degraded []string `json:"degraded"`
	// Considered says of each thing why it is in the document, or why not.
	Considered []Considered `json:"-"`
	// Given lists what is in the document: ids of items and notes, revisions of named entries.
	Given []string `json:"-"`
}

// Considered is a line that a document might have, and why it has it or not.
type Considered struct {
	What   string
	Tokens int
	Given  bool
	Why    string
}

// leave notes why an item that was read is in no section.
func (c *collector) leave(h *Hit, why string) {
	c.o.Considered = append(c.o.Considered, Considered{"memory " + h.ID,
		tokensOf(c.line(h, maxContent)), false, why})
}

func (o *Orientation) consider(sections []*docSection) {
	for _, sec := range sections {
		for i, line := range sec.Lines {
			c := Considered{What: "memory " + sec.IDs[i], Tokens: tokensOf(line),
				Given: i < sec.Kept, Why: "no room is left for " + sec.Heading}
			if c.Given {
				c.Why = strings.TrimLeft(sec.Heading, "# ")
			}
			o.Considered = append(o.Considered, c)
		}
	}
}

func (o *Orientation) Text() string {
	return strings.TrimSpace(o.Markdown + "\n\n" + o.Own)
}

// Orient writes the document that a turn begins with, within a budget for all of it.
// Named entries come first, whole while there is room. Then come the critical items of
// all tiers, the agent's core memories, items about the text, the conversation, the
// agent's journal, and recent items. Nothing is repeated.
func (s *Store) Orient(ctx context.Context, q OrientQuery) (Orientation, error) {
	var err error
	if q.Budget, err = checkBudget(q.Budget); err != nil {
		return Orientation{}, err
	}
	q.Limit = cmp.Or(q.Limit, min(max(DefaultLimit, q.Budget/leastLine), MaxLimit-maxCritical))
	if q.Clean == nil {
		q.Clean = func(s string) string { return s }
	}
	o := Orientation{Budget: q.Budget, Named: []Named{}, Slices: []Slice{}, Degraded: []string{}}
	for _, t := range q.Tiers {
		if err := s.allowed(t); err != nil {
			return o, err
		}
	}
	if q.Tiers == nil {
		for _, t := range Tiers {
			if s.Reaches(t) && (t != Conversation || q.Conversation != "") {
				q.Tiers = append(q.Tiers, t)
			}
		}
	}
	sections, hits, err := s.sections(ctx, &q, &o)
	if err != nil {
		return o, err
	}
	var b strings.Builder
	if err := s.orientNamed(ctx, &q, &o, &b, tokensOfAll(sections)); err != nil {
		return o, err
	}
	fitSections(sections, q.Budget-tokensOf(b.String())-1)
	var own strings.Builder
	o.consider(sections)
	ids, left := writeSections(sections, &b, &own)
	o.Given, o.LeftOut = append(o.Given, ids...), left
	o.Degraded = slices.Compact(o.Degraded)
	o.Markdown, o.Own = strings.TrimSpace(b.String()), strings.TrimSpace(own.String())
	o.Tokens = tokensOf(o.Text())
	o.listGiven(sections, hits, q.Tiers)
	if !q.Unasked && q.Text != "" {
		for i := range o.Slices {
			if err := s.touchHits(ctx, q.Text, &o.Slices[i]); err != nil {
				return o, err
			}
		}
	}
	return o, nil
}

// checkBudget validates a budget of tokens; 0 means the default.
func checkBudget(budget int) (int, error) {
	budget = cmp.Or(budget, DefaultBudget)
	if budget < 100 || budget > 100_000 {
		return 0, invalid(fmt.Sprintf("a budget of %d tokens is not between 100 and 100,000",
			budget), "1,200 is the default")
	}
	return budget, nil
}

func (s *Store) touchHits(ctx context.Context, question string, sl *Slice) error {
	if len(sl.Hits) == 0 {
		return nil
	}
	f, err := s.file(ctx, sl.Tier, false)
	if err != nil {
		return err
	}
	f.touch(ctx, asked(question, sl.Hits)...)
	return nil
}

// orientNamed writes the named entries of the tiers, whole while there is room.
func (s *Store) orientNamed(ctx context.Context, q *OrientQuery, o *Orientation,
	b *strings.Builder, others int) error {
	var tiers []string
	for _, t := range ownTiers {
		if slices.Contains(q.Tiers, t) {
			tiers = append(tiers, t)
		}
	}
	if len(tiers) == 0 {
		return nil
	}
	named, err := s.Named(ctx, tiers...)
	if err != nil {
		return err
	}
	named = slices.DeleteFunc(named, func(n Named) bool {
		return n.Body == "" || q.unchanged(n.Updated) || slices.Contains(q.Given, n.version())
	})
	limit := max(q.Budget*namedShare/100, q.Budget-others)
	for i := range named {
		named[i].Body = q.Clean(named[i].Body)
	}
	entries := make([]docEntry, len(named))
	for i, n := range named {
		entries[i] = docEntry{Name: n.Name, Body: n.Body, More: cmp.Or(
			fault.Do("memory.named.show", "the rest: {}", "name", n.Name,
				"tier", n.Tier).In(q.Words), "the rest was cut")}
	}
	written, degraded := writeDocEntries(b, entries, limit)
	for _, i := range written {
		o.Named, o.Given = append(o.Named, named[i]), append(o.Given, named[i].version())
		o.Considered = append(o.Considered, Considered{"named " + named[i].Name, entries[i].tokens(),
			true, "always"})
	}
	o.Degraded = append(o.Degraded, degraded...)
	return nil
}

// NamedTokens is what all named entries together are guaranteed of a default
// orientation. They also get what the sections do not need.
const NamedTokens = DefaultBudget * namedShare / 100

func (n *Named) Tokens() int {
	return (&docEntry{Name: n.Name, Body: n.Body}).tokens()
}

// namedShare is the guaranteed share of named entries in a budget, in percent.
const namedShare = 60

type collector struct {
	*Store
	ctx   context.Context
	q     *OrientQuery
	o     *Orientation
	shown []*Hit
	hits  map[*docSection][]*Hit // of their lines
	near  map[string]float64     // evidence of what is not surely about the text, by id
}

// sections reads the candidates for all sections, in order, and the hits of their lines.
func (s *Store) sections(ctx context.Context, q *OrientQuery, o *Orientation) (
	[]*docSection, map[*docSection][]*Hit, error) {
	c := &collector{Store: s, ctx: ctx, q: q, o: o, hits: map[*docSection][]*Hit{},
		near: map[string]float64{}}
	counts, err := c.read(Query{Limit: maxCritical + q.Limit, recent: true}, Channel, Workspace,
		Account)
	if err != nil {
		return nil, nil, err
	}
	talk, err := c.read(Query{Limit: maxCritical + q.Limit, recent: true}, Conversation)
	if err != nil {
		return nil, nil, err
	}
	core, journal, err := c.ownSections()
	if err != nil {
		return nil, nil, err
	}
	// What a conversation came to is told to others, and not to itself.
	counts = slices.DeleteFunc(counts, func(h *Hit) bool {
		return q.Conversation != "" && h.Conversation == q.Conversation && slices.Contains(h.Tags, TagSummary)
	})
	critical := slices.DeleteFunc(slices.Concat(counts, talk),
		func(h *Hit) bool { return h.Importance < criticalFrom })
	slices.SortStableFunc(critical,
		func(a, b *Hit) int { return cmp.Compare(b.Relevance, a.Relevance) })
	all := []*docSection{c.section("## Critical", critical, len(critical)), core}
	all[0].Shorten = func(i, n int) string { return c.line(critical[i], n) }
	about, err := c.about()
	if err != nil {
		return nil, nil, err
	}
	all = append(all, c.section("## About this", about, q.Limit))
	talk = c.rest(talk, Conversation)
	slices.SortStableFunc(talk, func(a, b *Hit) int { return b.Created.Compare(a.Created) })
	all = append(all, c.section("## This conversation", talk, q.Limit))
	if channel := c.rest(counts, Channel); len(channel) > 0 &&
		(q.Conversation != "" || q.Channel != "") {
		// Summaries of earlier conversations come first, the latest before all.
		slices.SortStableFunc(channel, func(a, b *Hit) int {
			x, y := slices.Contains(a.Tags, TagSummary), slices.Contains(b.Tags, TagSummary)
			if x && y {
				return b.Created.Compare(a.Created)
			}
			return hasFirst(x, y)
		})
		all = append(all, c.section("## This channel: "+channel[0].Channel, channel, q.Limit))
	}
	lately := c.rest(counts, Workspace, Account)
	first := lowUnder
	if q.Unasked {
		first = highFrom
		lately = c.without(lately, func(h *Hit) bool { return h.Importance < lowUnder })
	}
	slices.SortStableFunc(lately, func(a, b *Hit) int {
		return cmp.Or(hasFirst(a.Importance >= first, b.Importance >= first),
			cmp.Compare(c.near[b.ID], c.near[a.ID]), b.Updated.Compare(a.Updated))
	})
	if q.Unasked && len(lately) > few {
		left := few
		lately = c.without(lately, func(h *Hit) bool {
			// What holds in all projects is nearly always a habit of the author.
			if h.Tier != Workspace {
				return false
			}
			left--
			return left < 0 || q.Text != "" && h.Importance < highFrom
		})
	}
	return append(all, journal, c.section("## Lately", lately, q.Limit)), c.hits, nil
}

// without drops what nobody should be told unasked, since it is not about the topic. Prompts find it.
func (c *collector) without(hits []*Hit, drop func(*Hit) bool) []*Hit {
	return slices.DeleteFunc(hits, func(h *Hit) bool {
		out := drop(h)
		if out {
			c.leave(h, "of "+Level(h.Importance)+" importance, and not about a topic of the session")
		}
		return out
	})
}

func hasFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// read returns the best hits of some tiers that no section has yet.
func (c *collector) read(rq Query, tiers ...string) (hits []*Hit, err error) {
	rq.Channel, rq.Conversation, rq.Untouched, rq.shown = c.q.Channel, c.q.Conversation, true,
		c.shown
	for _, t := range tiers {
		if slices.Contains(c.q.Tiers, t) {
			rq.Tiers = append(rq.Tiers, t)
		}
	}
	if len(rq.Tiers) == 0 {
		return nil, nil
	}
	res, err := c.Read(c.ctx, rq)
	c.o.Degraded = append(c.o.Degraded, res.Degraded...)
	for _, h := range res.Weak {
		c.near[h.ID] = max(c.near[h.ID], h.Evidence)
	}
	for i := range res.Slices {
		for j := range res.Slices[i].Hits {
			h, why := &res.Slices[i].Hits[j], ""
			switch {
			case slices.Contains(c.q.Given, h.ID):
				why = "given in this session"
			case c.q.unchanged(h.Updated):
				why = "older than the last page"
			case c.q.Without != "" && slices.Contains(h.Tags, c.q.Without):
				why = "tagged " + c.q.Without
			default:
				hits = append(hits, h)
			}
			if why != "" && rq.Text == "" { // a question finds it again
				c.leave(h, why)
			}
		}
	}
	if rq.Text == "" {
		all := hits
		hits = withoutReplaced(slices.Clone(all))
		for _, h := range all {
			if !slices.Contains(hits, h) {
				c.leave(h, "a newer note says otherwise")
			}
		}
	}
	return hits, err
}

func (c *collector) about() (hits []*Hit, err error) {
	questions := c.q.questions()
	for _, text := range questions {
		limit := min(c.q.Limit, max(DefaultLimit, c.q.Limit/len(questions)))
		found, err := c.read(Query{
			Text: text, Limit: limit, Gate: c.q.Unasked, words: c.q.Unasked}, Channel, Workspace,
			Account)
		if err != nil {
			return nil, err
		}
		for _, h := range found {
			if !slices.ContainsFunc(hits, func(o *Hit) bool { return o.ID == h.ID }) &&
				(!h.Weak || h.Score >= weakShare) {
				hits = append(hits, h)
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b *Hit) int {
		if c.q.Unasked { // scores of different questions cannot be compared
			return cmp.Compare(b.Evidence, a.Evidence)
		}
		return cmp.Compare(b.Score, a.Score)
	})
	return hits, nil
}

func (c *collector) section(heading string, hits []*Hit, most int) *docSection {
	sec := &docSection{Heading: heading}
	for _, h := range hits[:min(most, len(hits))] {
		sec.IDs = append(sec.IDs, h.ID)
		sec.Lines = append(sec.Lines, c.line(h, maxContent))
		c.shown, c.hits[sec] = append(c.shown, h), append(c.hits[sec], h)
	}
	return sec
}

func (c *collector) line(h *Hit, n int) string {
	said := *h
	said.Title, said.Content = c.q.Clean(h.Title), c.q.Clean(h.Content)
	return said.line(c.now(), c.opt.Agent, n, c.q.Words)
}

// rest returns the hits of some tiers that no section has yet.
func (c *collector) rest(hits []*Hit, tiers ...string) []*Hit {
	return slices.DeleteFunc(slices.Clone(hits), func(h *Hit) bool {
		return !slices.Contains(tiers, h.Tier) ||
			slices.ContainsFunc(c.shown,
				func(o *Hit) bool { return h.ID == o.ID || h.sameStatement(o) })
	})
}

// questions returns what to ask: all of a topic's page as one would match nothing surely.
func (q *OrientQuery) questions() (all []string) {
	switch {
	case q.Text == "":
		return nil
	case !q.Unasked:
		return []string{q.Text}
	}
	for line := range strings.Lines(q.Text) {
		if line = strings.Trim(line, "#*-|> \t\n"); (len(line) >= shortest || line == q.Text) &&
			!slices.Contains(all, line) && len(all) < mostQuestions {
			all = append(all, line)
		}
	}
	return all
}

// leastAbout is the least share of a journal entry's words that a topic has, so that it is told unasked.
const leastAbout = 0.1

// ownSections has the core memories and the journal of a week; unasked, about the topic only.
func (c *collector) ownSections() (core, journal *docSection, err error) {
	s, q := c.Store, c.q
	core, journal = &docSection{Heading: "## Core", Own: true,
		More: fault.Do("memory.core", "{}").In(q.Words)},
		&docSection{Heading: "## Journal of the last week", Own: true,
			More: fault.Do("memory.journal", "{}").In(q.Words)}
	if s.opt.Agent == "" || !slices.Contains(q.Tiers, Workspace) &&
		!slices.Contains(q.Tiers, Account) {
		return core, journal, nil
	}
	notes, err := s.Notes(c.ctx, "", 0)
	if err != nil {
		return nil, nil, err
	}
	topic := clash.ReadNote(clash.Text{Body: q.Text})
	for _, n := range notes { // the newest first
		said := whole(q.Clean(n.Content), n.ID, maxContent, q.Words)
		switch text := "“" + said + "”\n"; {
		case !slices.Contains(q.Tiers, n.Tier), q.unchanged(n.Created),
			slices.Contains(q.Given, n.ID):
		case n.Kind == Core:
			core.IDs, core.Lines = append(core.IDs, n.ID), append(core.Lines, "- "+text)
		case n.Expired:
		case q.Unasked && q.Text != "" && clash.ReadNote(clash.Text{Body: said}).Share(topic) < leastAbout:
			c.leave(&Hit{Item: n.item()}, "a journal entry about something else than the topic")
		default:
			line := "- " + n.Created.Format(time.DateOnly) + " " + text
			journal.IDs, journal.Lines = append(journal.IDs, n.ID), append(journal.Lines, line)
		}
	}
	return core, journal, nil
}

func (o *Orientation) listGiven(sections []*docSection, hits map[*docSection][]*Hit,
	tiers []string) {
	for _, t := range tiers {
		sl := Slice{Tier: t, Hits: []Hit{}}
		for _, sec := range sections {
			for i := 0; i < sec.Kept && !sec.Own; i++ {
				if h := hits[sec][i]; h.Tier == t {
					sl.Hits = append(sl.Hits, *h)
				}
			}
		}
		o.Slices = append(o.Slices, sl)
	}
}

// Line formats an item as one line: id, age, source if another, quoted text.
func (h *Hit) Line(now time.Time, reader string, words fault.Words) string {
	return h.line(now, reader, maxContent, words)
}

// whole puts a text on one line; of a longer one at most n characters, and what shows the rest.
func whole(text, id string, n int, words fault.Words) string {
	said := inline(text, n)
	if utf8.RuneCountInString(text) <= n || words == nil {
		return said
	}
	return fmt.Sprintf("%s (%d, %s)", said, utf8.RuneCountInString(text),
		cmp.Or(fault.Do("memory.get", "{}", "id", id).In(words), id))
}

// persons are sources that an agent names for what a person has said.
var persons = []string{"user", "the user", "author", "the author", "owner", "human", "person",
	"me", "nutzer", "benutzer", "mensch"}

// line is Line with at most n characters of the text.
func (h *Hit) line(now time.Time, reader string, n int, words fault.Words) string {
	s := "- " + h.ID + " " + shortAge(now.Sub(h.Updated))
	switch {
	case h.Curator == CuratorAuthor:
		s += " by the author"
	case h.Curator == CuratorAgent && slices.Contains(persons, strings.ToLower(h.Source)):
		s += " by an agent, of “" + inline(h.Source, 30) + "”"
	case h.Source != "" && h.Source != reader:
		s += " by " + inline(h.Source, 30)
	}
	s += " “" + whole(h.titled(), h.ID, n, words) + "”"
	if h.DerivedFrom != "" { // the source, for verification
		s += " (from “" + inline(h.DerivedFrom, 120) + "”"
		if h.Derived != "" {
			s += ", " + inline(h.Derived, 120)
		}
		s += ")"
	}
	return s + h.statusSuffix() + "\n"
}

func (it *Item) titled() string { return strings.TrimPrefix(it.Title+": "+it.Content, ": ") }

func (h *Hit) statusSuffix() (s string) {
	if len(h.Replaces) > 0 {
		s = ", replaces " + strings.Join(h.Replaces, ", ")
	}
	if h.Newer != "" {
		s += ", " + h.Newer + " is newer"
	}
	if h.Expires != nil {
		s += ", until " + h.Expires.Format(time.DateOnly)
	}
	return s
}

// frame presents an item as what somebody noted once, on its line and in quotes.
func (h *Hit) frame(now time.Time) string {
	by := map[string]string{
		CuratorAgent: "noted by an agent", CuratorAuthor: "noted by the author",
		CuratorImport: "imported"}[h.Curator]
	if h.Source != "" && h.Source != h.Curator {
		by += " (“" + inline(h.Source, 60) + "”)"
	}
	where := h.Tier
	if h.Tier == Channel {
		where += " " + h.Channel
	}
	if h.Agent != "" {
		where += ", private"
	}
	s := fmt.Sprintf("%s %s, %s, importance %s: “%s”", by, ageInWords(now.Sub(h.Updated)), where,
		Level(h.Importance), inline(h.titled(), maxContent))
	if h.DerivedFrom != "" {
		s += " — derived from “" + inline(h.DerivedFrom, 120) + "”"
		if h.Derived != "" {
			s += " (" + inline(h.Derived, 120) + ")"
		}
	}
	return s + h.statusSuffix()
}
