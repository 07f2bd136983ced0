package knowledge

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// CapsulePage shows one capsule, with links to those that it supersedes or that supersede
// it.
type CapsulePage struct {
	page.Plain
	app  *page.App
	id   string
	from *page.SearchState // the search from which it was opened; nil: none

	capsule *kb.Capsule // nil: not read yet
	events  []kb.Event
	titles  map[string]string // of the capsules it links to, by id
	usage   board.Usage       // the runs that it was given to
	err     error
	reading page.Once
	looked  bool // it was read before: another read does not count as a retrieval
	all     bool // all fields are shown
	doc     page.Document
	w       int
}

// maxTitles is the most linked capsules whose titles are read.
const maxTitles = 50

// NewCapsule shows a capsule.
func NewCapsule(a *page.App, id string) *CapsulePage {
	return &CapsulePage{app: a, id: id, doc: page.Document{App: a}}
}

// Init reads the capsule, which counts as a retrieval.
func (p *CapsulePage) Init() tea.Cmd { return p.read() }

// read reads the capsule, once at a time. The first time counts as a retrieval, since a
// person reads it.
func (p *CapsulePage) read() tea.Cmd {
	if !p.reading.Begin() {
		return nil
	}
	get := (*kb.KB).Retrieve
	if p.looked {
		get = (*kb.KB).Get
	}
	p.looked = true
	return p.app.Ask(p, func(ctx context.Context) func() tea.Cmd {
		var c kb.Capsule
		var events []kb.Event
		var usage board.Usage
		titles := map[string]string{}
		k, err := p.app.KB(ctx)
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
			again := p.reading.End()
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
		if page.CapsuleID.MatchString(r) {
			ids = append(ids, r)
		}
	}
	return ids
}

// Update reads the capsule again after a change of the knowledge base.
func (p *CapsulePage) Update(msg tea.Msg) tea.Cmd {
	if done, ok := msg.(page.DoneMsg); ok && done.Kind == page.ChangedKnowledge && done.Err == nil {
		return p.read()
	}
	return p.doc.Take(msg, p.Actions, p.follow)
}

// showAll toggles all fields, or the text alone.
func (p *CapsulePage) showAll() tea.Cmd {
	p.all = !p.all
	p.compose()
	p.doc.Scroll(-len(p.doc.Lines))
	return nil
}

// follow opens the target of the chosen link.
func (p *CapsulePage) follow() tea.Cmd {
	to := p.doc.Chosen()
	if at, ok := strings.CutPrefix(to, toBoard); ok {
		run, entry, _ := strings.Cut(at, "/")
		return p.app.OpenEntry(run, entry)
	}
	if to != "" {
		return p.app.Push(NewCapsule(p.app, to))
	}
	return nil
}

// Leave returns to the search from which the page was opened.
// leave returns to the search, if it was opened from one.
func (p *CapsulePage) Leave() (tea.Cmd, bool) {
	if p.from == nil {
		return nil, false
	}
	return resumeSearch(p.app, p, *p.from), true
}

// SetSize lays out the text anew, since it is wrapped.
func (p *CapsulePage) SetSize(w, h int) {
	p.w = w
	p.doc.SetSize(w, h-1)
	p.compose()
}

// Title is the id of the capsule.
func (p *CapsulePage) Title() string { return p.id }

// Actions returns the keys for the capsule; retired ones have others.
func (p *CapsulePage) Actions() page.Actions {
	all := p.doc.PlaceActions(p.follow, "next place", "place before")
	if p.capsule != nil {
		away := page.On(page.Renamed(page.KeyPutAway, "retire"), p.retire)
		back := page.On(page.Renamed(page.KeyReopen, "an earlier revision"), p.bringBack)
		if p.capsule.Retired != nil {
			away, back.Binding = away.Unlisted(), page.Renamed(page.KeyReopen, "bring back")
		}
		all = append(all, page.On(page.KeyEdit, p.edit), away, back, page.On(page.KeyMeta, p.showAll))
	}
	if p.capsule != nil {
		all = append(all, page.On(page.KeySource, p.openLink))
	}
	return append(all, page.On(page.KeyCopyID, p.copyID), page.On(page.KeyCopyText, p.copyBody),
		page.On(page.KeyRefresh, p.read)).Also(page.MovingKeys()...)
}

func (p *CapsulePage) copyBody() tea.Cmd {
	return p.app.CopyWhole(p.id, func(ctx context.Context) (string, error) {
		k, err := p.app.KB(ctx)
		if err != nil {
			return "", err
		}
		c, err := k.Get(ctx, p.id)
		return c.Body, err
	})
}

// openLink opens what the capsule names. Ids of entries are those of the run that it
// refers to.
func (p *CapsulePage) openLink() tea.Cmd {
	c := p.capsule
	in := page.Linked{Own: c.ID, Source: c.Source, Texts: append([]string{c.Body}, c.Refs...)}
	for i := range c.Refs {
		if to, _, _ := boardRef(c.Refs, i); to != "" && in.Run == "" {
			in.Run, _, _ = strings.Cut(strings.TrimPrefix(to, toBoard), "/")
		}
	}
	return p.app.OpenLink(func(context.Context) (page.Linked, error) { return in, nil })
}

func (p *CapsulePage) copyID() tea.Cmd { return p.app.CopyText(p.id) }
