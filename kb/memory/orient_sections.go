package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// section is a part of an orientation: lines under a heading.
type section struct {
	heading string
	lines   []string
	ids     []string // one for each line
	hits    []*Hit   // one for each line; nil for an agent's own notes
	kept    int
	own     bool
}

// sections reads what there may be to say, the first section first.
func (s *Store) sections(ctx context.Context, q *OrientQuery, o *Orientation) ([]*section, error) {
	var shown []*Hit
	// read gives the hits of some tiers, the best first, without what another section has.
	read := func(rq Query, tiers ...string) (hits []*Hit, err error) {
		rq.Channel, rq.Conversation, rq.Untouched, rq.shown = q.Channel, q.Conversation, true, shown
		for _, t := range tiers {
			if slices.Contains(q.Tiers, t) {
				rq.Tiers = append(rq.Tiers, t)
			}
		}
		if len(rq.Tiers) == 0 {
			return nil, nil
		}
		res, err := s.Read(ctx, rq)
		o.Degraded = append(o.Degraded, res.Degraded...)
		for i := range res.Slices {
			for j := range res.Slices[i].Hits {
				if h := &res.Slices[i].Hits[j]; !q.old(h.Updated) && !slices.Contains(q.Given, h.ID) {
					hits = append(hits, h)
				}
			}
		}
		if rq.Text != "" {
			slices.SortStableFunc(hits, func(a, b *Hit) int { return cmp.Compare(b.Score, a.Score) })
		}
		return hits, err
	}
	// of makes a section of hits.
	of := func(heading string, hits []*Hit, most int) *section {
		sec := &section{heading: heading}
		now := s.now()
		for _, h := range hits[:min(most, len(hits))] {
			said := *h
			said.Title, said.Content = q.Clean(h.Title), q.Clean(h.Content)
			sec.hits, sec.ids = append(sec.hits, h), append(sec.ids, h.ID)
			sec.lines = append(sec.lines, said.Line(now, s.opt.Agent))
			shown = append(shown, h)
		}
		return sec
	}
	counts, err := read(Query{Limit: maxCritical + q.Limit, recent: true}, Channel, Workspace, Account)
	if err != nil {
		return nil, err
	}
	talk, err := read(Query{Limit: maxCritical + q.Limit}, Conversation)
	if err != nil {
		return nil, err
	}
	critical := slices.DeleteFunc(slices.Concat(counts, talk), func(h *Hit) bool { return h.Importance < criticalFrom })
	slices.SortStableFunc(critical, func(a, b *Hit) int { return cmp.Compare(b.Relevance, a.Relevance) })
	all := []*section{of("## Critical", critical, len(critical))}
	if q.Text != "" {
		var about []*Hit
		for _, text := range q.questions() {
			hits, err := read(Query{Text: text, Limit: q.Limit, Gate: q.Unasked, words: q.Unasked}, Channel, Workspace, Account)
			if err != nil {
				return nil, err
			}
			for _, h := range hits {
				if !slices.ContainsFunc(about, func(o *Hit) bool { return o.ID == h.ID }) {
					about = append(about, h)
				}
			}
		}
		about = slices.DeleteFunc(about, func(h *Hit) bool { return h.Weak && h.Score < weakShare })
		if q.Unasked {
			slices.SortStableFunc(about, func(a, b *Hit) int { return cmp.Compare(b.Evidence, a.Evidence) })
		}
		all = append(all, of("## About this", about, q.Limit))
	}
	// rest are those of some hits that no section has.
	rest := func(hits []*Hit, in func(*Hit) bool) []*Hit {
		return slices.DeleteFunc(slices.Clone(hits), func(h *Hit) bool {
			return !in(h) || slices.ContainsFunc(shown, func(o *Hit) bool { return h.ID == o.ID || h.saysTheSame(o) })
		})
	}
	slices.SortStableFunc(talk, func(a, b *Hit) int { return b.Created.Compare(a.Created) })
	all = append(all, of("## This conversation", rest(talk, func(*Hit) bool { return true }), q.Limit))
	if q.Conversation != "" || q.Channel != "" {
		hits := rest(counts, func(h *Hit) bool { return h.Tier == Channel })
		// What the conversations before came to, the last one first.
		slices.SortStableFunc(hits, func(a, b *Hit) int {
			x, y := slices.Contains(a.Tags, TagSummary), slices.Contains(b.Tags, TagSummary)
			switch {
			case x && y:
				return b.Created.Compare(a.Created)
			case x:
				return -1
			case y:
				return 1
			}
			return 0
		})
		if len(hits) > 0 {
			all = append(all, of("## This channel: "+hits[0].Channel, hits, q.Limit))
		}
	}
	core, journal, err := s.ownSections(ctx, q)
	if err != nil {
		return nil, err
	}
	lately := rest(counts, func(h *Hit) bool { return h.Tier != Channel })
	slices.SortStableFunc(lately, func(a, b *Hit) int {
		if x, y := a.Importance < lowUnder, b.Importance < lowUnder; x != y {
			return map[bool]int{true: 1, false: -1}[x]
		}
		return b.Updated.Compare(a.Updated)
	})
	all = append(all, journal, of("## Lately", lately, q.Limit))
	return slices.Insert(all, 1, core), nil
}

// questions are what the text asks. What nobody asks (a topic's page) is about several things:
// asked as one, none of them would surely be what an item is about.
func (q *OrientQuery) questions() (all []string) {
	if !q.Unasked {
		return []string{q.Text}
	}
	for line := range strings.Lines(q.Text) {
		if line = strings.Trim(line, "#*-|> \t\n"); len(line) >= shortest && !slices.Contains(all, line) && len(all) < mostQuestions {
			all = append(all, line)
		}
	}
	return all
}

// ownSections are the agent's core memories and its journal of the last week.
func (s *Store) ownSections(ctx context.Context, q *OrientQuery) (core, journal *section, err error) {
	core, journal = &section{heading: "## Core", own: true}, &section{heading: "## Journal of the last week", own: true}
	if s.opt.Agent == "" || !slices.Contains(q.Tiers, Workspace) && !slices.Contains(q.Tiers, Account) {
		return core, journal, nil
	}
	notes, err := s.Notes(ctx, "", 0)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range notes { // the newest first
		switch text := "“" + inline(q.Clean(n.Content), frameContent) + "”\n"; {
		case !slices.Contains(q.Tiers, n.Tier), q.old(n.Created), slices.Contains(q.Given, n.ID):
		case n.Kind == Core:
			core.ids, core.lines = append(core.ids, n.ID), append(core.lines, "- "+text)
		case !n.Expired:
			line := "- " + n.Created.Format(time.DateOnly) + " " + text
			journal.ids, journal.lines = append(journal.ids, n.ID), append(journal.lines, line)
		}
	}
	return core, journal, nil
}

// demand is how many tokens the sections would take with all their lines.
func demand(sections []*section) (n int) {
	for _, sec := range sections {
		if len(sec.lines) > 0 {
			n += sec.cost(0)
			for _, l := range sec.lines[1:] {
				n += tokens(l)
			}
		}
	}
	return n + 2*tokens(intro)
}

// cost is what a line of a section takes, with its heading if it is the first.
func (sec *section) cost(i int) int {
	n := tokens(sec.lines[i])
	if i == 0 {
		n += tokens(sec.heading) + 1
	}
	return n
}

// allot keeps as many lines of each section as there is room for, in tokens: first of each no
// more than leaves the sections after it a share, then, in the same order, whatever fits. A
// long line makes way for shorter ones of the next section, not for those after it in its own.
func allot(sections []*section, room int) {
	began := map[bool]bool{}
	take := func(sec *section, most int) bool {
		if sec.kept == len(sec.lines) {
			return false
		}
		cost := sec.cost(sec.kept)
		if !began[sec.own] {
			cost += tokens(intro) + 2
		}
		if cost > most {
			return false
		}
		began[sec.own] = true
		room -= cost
		sec.kept++
		return true
	}
	for i, sec := range sections {
		after := 0 // sections with something to say
		for _, o := range sections[i+1:] {
			if len(o.lines) > 0 {
				after++
			}
		}
		keep := room * min(after, 4) / 10
		if strings.HasPrefix(sec.heading, "## Critical") {
			keep = 0
		}
		for take(sec, room-keep) {
		}
	}
	for _, sec := range sections {
		for take(sec, room) {
		}
	}
}

// write puts the kept lines under their headings.
func (o *Orientation) write(sections []*section, items, own *strings.Builder) {
	began := map[bool]bool{}
	for _, sec := range sections {
		o.LeftOut += len(sec.lines) - sec.kept
		if sec.kept == 0 {
			continue
		}
		b, head := items, intro
		if sec.own {
			b, head = own, ownIntro
		}
		if !began[sec.own] {
			began[sec.own] = true
			b.WriteString(sep(b) + head)
		}
		o.Given = append(o.Given, sec.ids[:sec.kept]...)
		b.WriteString("\n" + sec.heading + "\n")
		for _, l := range sec.lines[:sec.kept] {
			b.WriteString(l)
		}
	}
}

// give lists what was kept, by tier.
func (o *Orientation) give(sections []*section, tiers []string) {
	for _, t := range tiers {
		sl := Slice{Tier: t, Hits: []Hit{}}
		for _, sec := range sections {
			for i := 0; i < sec.kept && !sec.own; i++ {
				if sec.hits[i].Tier == t {
					sl.Hits = append(sl.Hits, *sec.hits[i])
				}
			}
		}
		o.Slices = append(o.Slices, sl)
	}
}

const (
	// criticalFrom is the importance from which an item comes before everything else.
	criticalFrom = 0.9
	// maxCritical is how many of them a tier gives at most.
	maxCritical = 50
	// lowUnder is the importance under which an item makes way for whatever is recent.
	lowUnder = 0.4
	// mostQuestions is how many lines of a text are asked unasked, and shortest how many bytes
	// one has at least.
	mostQuestions = 12
	shortest      = 8
	// weakShare is of the best hit's score what one needs that is not surely about the text.
	weakShare = 0.5
)

// intro stands before what was remembered, ownIntro before an agent's own notes.
const (
	intro    = "# From memory\n\nCandidates, not facts, with their ids and ages: check one before you rely on it.\n"
	ownIntro = "# Your own notes\n"
)
