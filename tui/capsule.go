package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/lazyregexp"
	"blackboard/kb"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
)

// capsulePage shows one capsule, with links to those that it supersedes or that supersede
// it.
type capsulePage struct {
	plain
	app  *app
	id   string
	from *searchState // the search from which it was opened; nil: none

	capsule *kb.Capsule // nil: not read yet
	events  []kb.Event
	titles  map[string]string // of the capsules it links to, by id
	usage   board.Usage       // the runs that it was given to
	err     error
	reading once
	looked  bool // it was read before: another read does not count as a retrieval
	all     bool // all fields are shown
	doc     document
	w       int
}

// maxTitles is the most linked capsules whose titles are read.
const maxTitles = 50

// capsuleID matches a capsule's id in references.
var capsuleID = lazyregexp.New(`^k[0-9a-hjkmnp-tv-z]{9}$`)

func newCapsulePage(a *app, id string) *capsulePage {
	return &capsulePage{app: a, id: id, doc: document{app: a}}
}

func (p *capsulePage) init() tea.Cmd { return p.read() }

// read reads the capsule, once at a time. The first time counts as a retrieval, since a
// person reads it.
func (p *capsulePage) read() tea.Cmd {
	if !p.reading.begin() {
		return nil
	}
	get := (*kb.KB).Retrieve
	if p.looked {
		get = (*kb.KB).Get
	}
	p.looked = true
	return p.app.ask(p, func(ctx context.Context) func() tea.Cmd {
		var c kb.Capsule
		var events []kb.Event
		var usage board.Usage
		titles := map[string]string{}
		k, err := p.app.knowledge(ctx)
		if err == nil {
			c, err = get(k, ctx, p.id)
		}
		if err == nil {
			events, err = k.History(ctx, p.id)
		}
		if err == nil {
			others := leadsTo(&c)
			for _, id := range others[:min(len(others), maxTitles)] {
				if c, err := k.Get(ctx, id); err == nil { // a missing one has no title
					titles[id] = cells.OneLine(c.Title, kb.MaxTitle)
				}
			}
		}
		if err == nil {
			usage, err = board.UsageOf(ctx, p.app.Boards, p.id, c.Created, kb.ConfirmedBy(events))
		}
		return func() tea.Cmd {
			again := p.reading.end()
			if p.err = err; err == nil {
				p.capsule, p.events, p.titles, p.usage = &c, events, titles, usage
			}
			p.compose()
			if again {
				return p.read()
			}
			return nil
		}
	})
}

// leadsTo returns the capsules that a capsule links to.
func leadsTo(c *kb.Capsule) []string {
	var ids []string
	if c.SupersededBy != "" {
		ids = append(ids, c.SupersededBy)
	}
	ids = append(ids, c.Supersedes...)
	for _, r := range c.Refs {
		if capsuleID.MatchString(r) {
			ids = append(ids, r)
		}
	}
	return ids
}

func (p *capsulePage) update(msg tea.Msg) tea.Cmd {
	if done, ok := msg.(doneMsg); ok && done.kind == changedKnowledge && done.err == nil {
		return p.read()
	}
	return p.doc.take(msg, p.actions, p.follow)
}

// showAll toggles all fields, or the text alone.
func (p *capsulePage) showAll() tea.Cmd {
	p.all = !p.all
	p.compose()
	p.doc.scroll(-len(p.doc.lines))
	return nil
}

// follow opens the target of the chosen link.
func (p *capsulePage) follow() tea.Cmd {
	to := p.doc.chosen()
	if at, ok := strings.CutPrefix(to, toBoard); ok {
		run, entry, _ := strings.Cut(at, "/")
		return p.app.openEntry(run, entry)
	}
	if to != "" {
		return p.app.push(newCapsulePage(p.app, to))
	}
	return nil
}

// leave returns to the search from which the page was opened.
func (p *capsulePage) leave() (tea.Cmd, bool) { return p.app.resumeSearch(p, p.from) }

func (p *capsulePage) setSize(w, h int) {
	p.w = w
	p.doc.setSize(w, h-1)
	p.compose()
}

func (p *capsulePage) title() string { return p.id }

func (p *capsulePage) actions() actions {
	all := p.doc.placeActions(p.follow, "next place", "place before")
	if p.capsule != nil {
		away := action{keys.Renamed(keys.PutAway, "retire"), p.retire}
		back := action{keys.Renamed(keys.Reopen, "an earlier revision"), p.bringBack}
		if p.capsule.Retired != nil {
			away, back.Binding = away.unlisted(), keys.Renamed(keys.Reopen, "bring back")
		}
		all = append(all, action{keys.Edit, p.edit}, away, back, action{keys.Meta, p.showAll})
	}
	if p.capsule != nil {
		all = append(all, action{keys.Source, p.openLink})
	}
	return append(all, action{keys.CopyID, p.copyID}, action{keys.CopyText, p.copyBody}, action{keys.Refresh, p.read}).also(keys.Moving()...)
}

func (p *capsulePage) copyBody() tea.Cmd {
	return p.app.copyWhole(p.id, func(ctx context.Context) (string, error) {
		k, err := p.app.knowledge(ctx)
		if err != nil {
			return "", err
		}
		c, err := k.Get(ctx, p.id)
		return c.Body, err
	})
}

// openLink opens what the capsule names. Ids of entries are those of the run that it
// refers to.
func (p *capsulePage) openLink() tea.Cmd {
	c := p.capsule
	in := linked{own: c.ID, source: c.Source, texts: append([]string{c.Body}, c.Refs...)}
	for i := range c.Refs {
		if to, _, _ := boardRef(c.Refs, i); to != "" && in.run == "" {
			in.run, _, _ = strings.Cut(strings.TrimPrefix(to, toBoard), "/")
		}
	}
	return p.app.openLink(func(context.Context) (linked, error) { return in, nil })
}

func (p *capsulePage) copyID() tea.Cmd { return p.app.copyText(p.id) }
