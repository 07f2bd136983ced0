package memories

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/fault"
	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
	"blackboard/tui/page"
	"blackboard/tui/prose"
)

// scrubKinds are the counts of a manifest in their order on the screen, with their names.
var scrubKinds = []struct{ kind, one, many string }{
	{"live", "live item", "live items"}, {"forgotten", "forgotten item", "forgotten items"}, {"private", "of them private to an agent", "of them private to an agent"},
	{"named", "named entry", "named entries"}, {"journal", "journal entry of any agent", "journal entries of all agents"}, {"core", "core memory of any agent", "core memories of all agents"},
	{"scratch", "working note of any agent", "working notes of all agents"}, {"revisions", "revision", "revisions"}, {"conversations", "conversation", "conversations"},
}

// scrubCount is a count with its name.
func scrubCount(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return cells.Count(int64(n)) + " " + many
}

// The modes of a scrub.
const (
	scrubItems = "all but named entries"
	scrubFull  = "named entries too"
	scrubPurge = "a conversation too, with its working notes"
)

// scrub asks what to remove, and shows a dry run.
func (m *memoryHands) scrub(places []string) tea.Cmd {
	fields := []*page.Field{
		{Name: "place", Label: "Scope ", Choices: places},
		{Name: "what", Label: "Remove", Choices: []string{scrubItems, scrubFull, scrubPurge}},
	}
	intro := []string{"A scrub removes from the file, for good. First it is told what would go; nothing is removed yet."}
	return m.app.Overlay(page.NewForm(m.app,
		page.Form{Heading: "Scrub", Intro: intro, Fields: fields, Button: "show what would go",
			Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
				scope, err := memory.ParseScope(v["place"])
				if err != nil {
					return page.Outcome{}, err
				}
				q := memory.ScrubQuery{Scope: scope, Mode: memory.ScrubKeepNamed, Purge: v["what"] == scrubPurge}
				if v["what"] == scrubFull {
					q.Mode = memory.ScrubFull
				}
				p := &ScrubPage{app: m.app, hands: m, query: q, doc: page.Document{App: m.app}}
				if p.Manifest, err = m.manifest(ctx, q); err != nil {
					return page.Outcome{}, err
				}
				return page.Outcome{Text: "nothing is removed yet", Page: p}, nil
			}}))
}

func (m *memoryHands) manifest(ctx context.Context, q memory.ScrubQuery) (out memory.Manifest, err error) {
	err = m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		out, err = s.ScrubManifest(ctx, q)
		return err
	})
	return out, err
}

// ScrubPage shows the dry run of a scrub.
type ScrubPage struct {
	page.Plain
	app      *page.App
	hands    *memoryHands
	query    memory.ScrubQuery
	Manifest memory.Manifest
	doc      page.Document
	w, h     int
}

// the page has no links
func (p *ScrubPage) Update(msg tea.Msg) tea.Cmd { return p.doc.Take(msg, p.Actions, nil) }

// read makes the dry run.
func (p *ScrubPage) read() tea.Cmd {
	return p.app.Ask(p, func(ctx context.Context) func() tea.Cmd {
		m, err := p.hands.manifest(ctx, p.query)
		return func() tea.Cmd {
			if err != nil {
				return page.NoticeError(err)
			}
			p.Manifest = m
			p.layout()
			return nil
		}
	})
}

// hashStart is the number of characters of a manifest's hash that confirm it.
const hashStart = 6

// askHash asks for the start of the hash, and then removes what the manifest lists, if
// that is still exact.
func (p *ScrubPage) askHash() tea.Cmd {
	m := p.Manifest
	if m.Empty() {
		return page.Notice("there is nothing to remove")
	}
	intro := []string{"This removes from " + m.Scope.String() + ", for good: " + scrubbed(m.Counts) + "."}
	label := fmt.Sprintf("Type the first %d characters of %s…", hashStart, m.Hash[:2*hashStart])
	fields := []*page.Field{{Name: "hash", Label: label, Required: true}}
	f := page.NewForm(p.app, page.Form{Heading: "Scrub " + m.Scope.String(), Intro: intro, Fields: fields, Button: "remove for good",
		Submit: func(ctx context.Context, v page.Values) (out page.Outcome, err error) {
			if v["hash"] != m.Hash[:hashStart] {
				return page.Outcome{}, fmt.Errorf("the hash does not begin with %s · nothing is removed", cells.OneLine(v["hash"], 20))
			}
			err = p.hands.app.WithMemory(ctx, p.hands.agent, func(s *memory.Store) error {
				done, err := s.Scrub(ctx, p.query, m.Hash)
				out = page.Outcome{Text: "removed from " + m.Scope.String() + " for good: " + scrubbed(done.Counts) + warned(done.Notes), Kind: page.ChangedMemory}
				return err
			})
			if errors.Is(err, fault.Conflict) {
				return page.Outcome{}, fmt.Errorf("%s · esc, and ctrl+r shows what there is now",
					p.app.Explain(err))
			}
			return out, err
		}})
	f.Tried = func(err error) tea.Cmd {
		if err == nil {
			p.app.Pop(p)
		}
		return nil
	}
	return p.app.Overlay(f)
}

// scrubbed formats the counts of a manifest as a line.
func scrubbed(counts map[string]int) string {
	var parts []string
	for _, k := range scrubKinds {
		if n := counts[k.kind]; n > 0 {
			parts = append(parts, scrubCount(n, k.one, k.many))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, "; ")
}

// SetSize lays out the manifest anew, since it is wrapped.
func (p *ScrubPage) SetSize(w, h int) {
	p.w, p.h = w, h
	p.layout()
}

func (p *ScrubPage) layout() {
	x, m := prose.NewWriter(p.app.Styles, p.w), &p.Manifest
	switch {
	case m.Empty():
		x.Line("There is nothing to remove in " + cells.Clean(m.Scope.String()) + ".")
	default:
		for _, l := range cells.Wrap("This is what would be removed, for good. Nothing is removed yet: D removes exactly this, and asks once more.", x.Width) {
			x.Line(p.app.Styles.Warn.Render(l))
		}
	}
	x.Line("")
	x.Field("scope", m.Scope.String())
	x.Field("mode", map[bool]string{true: scrubFull,
		false: scrubItems}[m.Mode == memory.ScrubFull])
	if m.Purge {
		x.Field("purge", scrubPurge)
	}
	x.Field("as of", cells.Minute(m.At))
	x.Field("hash", m.Hash)
	x.Heading("How many")
	for _, k := range scrubKinds {
		n := m.Counts[k.kind]
		x.Line(cells.Fit("", 8-len(cells.Count(int64(n)))) + scrubCount(n, k.one, k.many))
	}
	if len(m.Sample) > 0 {
		x.Heading(cells.Count(int64(len(m.Sample))) + " of the ids")
		for ids := range slices.Chunk(m.Sample, max(x.Width/14, 1)) {
			x.Text(strings.Join(ids, "  "), "")
		}
	}
	p.doc.SetSize(p.w, max(p.h-1, 0))
	p.doc.SetLines(x.Lines)
}

// View shows what would be removed.
func (p *ScrubPage) View() []string {
	return append([]string{p.app.Styles.Heading("What a scrub would remove", p.doc.More(), p.w, true)}, p.doc.View()...)
}

// Title names the page in the header.
func (p *ScrubPage) Title() string { return "scrub" }

// Actions returns the keys of the dry run.
func (p *ScrubPage) Actions() page.Actions {
	copyHash := func() tea.Cmd { return p.app.CopyText(p.Manifest.Hash) }
	return page.Actions{
		page.On(keys.Renamed(keys.Remove, "remove exactly this"), p.askHash),
		page.On(keys.Renamed(keys.CopyID, "copy the hash"), copyHash),
		page.On(keys.Refresh, p.read),
	}.Also(keys.Moving()...)
}
