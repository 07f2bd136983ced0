package runs

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// acts are what a person can do on a run. Each is one method of the board, called for
// Config.Worker.
type acts struct {
	app  *page.App
	run  string
	b    *board.Board
	past bool // the page shows the past, which cannot be acted on: it may have changed since
}

// actions returns the actions on the chosen row; s is its signal. An impossible one is not
// listed, but its key tells the reason: text typed after it would run commands.
func (x *acts) actions(id string, s *board.Signal) (all page.Actions) {
	const signal, entry, either = "a question", "an entry", "an entry or a question"
	kind := entry
	if page.IsSignal(id) {
		kind = signal
	}
	form := func(of func(*board.Signal) *page.Form) func() tea.Cmd {
		return func() tea.Cmd { return x.app.Overlay(of(s)) }
	}
	open := s != nil && s.Status == board.SignalOpen
	claimed := open && s.ClaimedAt(x.app.Now())
	for _, a := range []struct {
		key.Binding
		of  string // what it applies to; "": anything, or nothing
		now bool   // the state of that allows it
		do  func() tea.Cmd
	}{
		{page.KeyAddress, signal, open, form(x.addressForm)},
		{page.KeyWaive, signal, open, form(x.waiveForm)},
		{page.KeyReopen, signal, !open, form(x.reopenForm)},
		{page.KeyRelease, signal, claimed, form(x.releaseForm)},
		// one's own again, for longer
		{page.KeyClaim, signal, open && (!claimed || s.ClaimedBy == x.app.Worker), func() tea.Cmd { return x.claim(id) }},
		{page.KeyPost, "", true, func() tea.Cmd { return x.app.Overlay(x.postForm(id)) }},
		{page.KeyRaise, "", true, func() tea.Cmd { return x.app.Overlay(x.raiseForm(id)) }},
		{page.Renamed(page.KeyEdit, "correct"), entry, true, func() tea.Cmd { return x.correct(id) }},
		{page.KeyPromote, entry, true, func() tea.Cmd { return x.promote(id) }},
		{page.KeySource, either, true, func() tea.Cmd { return x.openLink(id) }},
	} {
		refused := ""
		switch {
		case x.past:
			refused = "this is the past; L goes back to now"
		case a.of != "" && (id == "" || a.of != kind && a.of != either):
			refused = a.Help().Desc + " is for " + a.of + ": choose one first"
		case !a.now:
			refused = x.stateOf(s)
		}
		act := page.On(a.Binding, a.do)
		if refused != "" {
			act = page.On(a.Binding, func() tea.Cmd { return page.Notice(refused) }).Unlisted()
		}
		all = append(all, act)
	}
	return all
}

// stateOf says how a signal stands.
func (x *acts) stateOf(s *board.Signal) string {
	switch {
	case s.Status != board.SignalOpen:
		return s.ID + " is " + s.Status + " already"
	case s.ClaimedAt(x.app.Now()):
		return s.ID + " is open, claimed by " + cells.OneLine(s.ClaimedBy, 60)
	}
	return s.ID + " is open, claimed by nobody"
}

// acts returns the actions on a run's page.
func (p *Page) acts() *acts { return &acts{p.app, p.Name, p.b, p.back.on} }

// rowActions returns the actions on the chosen row.
func (p *Page) rowActions() page.Actions {
	id, signal := p.Chosen(), (*board.Signal)(nil)
	if p.focus == PaneQuestions {
		if q := p.questions.at(); q != nil {
			signal = q.signal
		}
	}
	return append(p.acts().awaited(p.awaited()), p.acts().actions(id, signal)...)
}

// aboutSignal describes a signal before an action. It names the worker who has claimed
// it, because closing it ends the claim.
func (x *acts) aboutSignal(s *board.Signal) []string {
	about := []string{s.ID + ", " + s.Priority + ": " + cells.OneLine(s.Content, 600)}
	if s.ClaimedAt(x.app.Now()) && s.ClaimedBy != x.app.Worker {
		about = append(about, "⚑ "+cells.OneLine(s.ClaimedBy, 60)+" has claimed it until "+cells.Clock(*s.LeaseUntil)+".")
	}
	return about
}

// changed is the outcome of an action on the run.
func changed(text string, back *page.Undo) page.Outcome {
	return page.Outcome{Text: text, Kind: page.ChangedRun, Undo: back}
}

func (x *acts) addressForm(s *board.Signal) *page.Form {
	fields := findingFields("Answer", "becomes an entry on the board", &board.Post{Type: board.Analysis})
	fields[0].Required = true
	return page.NewForm(x.app, page.Form{Heading: "Address " + s.ID, Intro: x.aboutSignal(s), Button: "address", Fields: fields,
		Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
			post, err := findingOf(v)
			if err != nil {
				return page.Outcome{}, err
			}
			_, closed, err := x.b.PostAddressing(ctx, x.app.Worker, s.ID, post)
			return changed(s.ID+" is addressed by "+closed.AddressedBy, x.undoClose(s, closed)), err
		}})
}

// undo reverts an action on the run's board, which it opens, since the page of the action
// may be closed.
func (x *acts) undo(text, done string, fn func(context.Context, *board.Board) error) *page.Undo {
	return &page.Undo{Text: text, Do: func(ctx context.Context) (page.Outcome, error) {
		return changed(done, nil), kbhome.OnRun(ctx, x.app.Boards, x.run, func(b *board.Board) error {
			x.app.SetClock(b)
			return fn(ctx, b)
		})
	}}
}

// undoClose reopens a signal that was closed, unless it has changed since. A claim that
// the closing ended is not restored: its worker must claim it again.
func (x *acts) undoClose(was *board.Signal, closed board.Signal) *page.Undo {
	id, text := closed.ID, "reopen "+closed.ID+" of "+x.run
	if closed.AddressedBy != "" {
		text += ", whose answer " + closed.AddressedBy + " stays on the board"
	}
	if was.ClaimedAt(x.app.Now()) {
		text += "; the claim of " + cells.OneLine(was.ClaimedBy, 60) + " is not restored"
	}
	return x.undo(text, id+" is open again", func(ctx context.Context, b *board.Board) error {
		d, err := b.SignalByID(ctx, id)
		if err != nil {
			return err
		}
		if s := &d.Signal; s.Status != closed.Status || s.Closed == nil || closed.Closed == nil || !s.Closed.Equal(*closed.Closed) {
			return fmt.Errorf("%s was changed since: it is %s now · O reopens it all the same", id, s.Status)
		}
		_, err = b.Reopen(ctx, x.app.Worker, id, "taken back")
		return err
	})
}

func (x *acts) waiveForm(s *board.Signal) *page.Form {
	return page.NewAct(x.app, page.Act{Heading: "Waive " + s.ID, Intro: x.aboutSignal(s), Button: "waive",
		Why: "Why may it stay unanswered? (goes on record)", Must: true,
		Do: func(ctx context.Context, why string) (page.Outcome, error) {
			closed, err := x.b.Waive(ctx, x.app.Worker, s.ID, why)
			return changed(s.ID+" is waived", x.undoClose(s, closed)), err
		}})
}

func (x *acts) reopenForm(s *board.Signal) *page.Form {
	var back *page.Undo
	if s.Status == board.Waived { // an answer cannot be linked twice
		back = x.undo("waive "+s.ID+" of "+x.run+" again", s.ID+" is waived",
			func(ctx context.Context, b *board.Board) error {
				_, err := b.Waive(ctx, x.app.Worker, s.ID, s.Reason)
				return err
			})
	}
	return page.NewAct(x.app, page.Act{Heading: "Reopen " + s.ID, Intro: x.aboutSignal(s), Button: "reopen", Why: "Why?",
		Do: func(ctx context.Context, why string) (page.Outcome, error) {
			_, err := x.b.Reopen(ctx, x.app.Worker, s.ID, why)
			return changed(s.ID+" is open again", back), err
		}})
}

// claim claims a signal for the default time.
func (x *acts) claim(id string) tea.Cmd {
	return x.app.Do(func(ctx context.Context) tea.Msg {
		s, err := x.b.Claim(ctx, x.app.Worker, id, board.DefaultLease)
		if err != nil {
			return page.DoneMsg{Err: err}
		}
		back := x.undo("release "+id+" of "+x.run, id+" is free again", func(ctx context.Context, b *board.Board) error {
			_, err := b.Release(ctx, x.app.Worker, id, false)
			return err
		})
		return page.DoneMsg{Outcome: changed(id+" is yours until "+cells.Clock(*s.LeaseUntil), back)}
	})
}

func (x *acts) releaseForm(s *board.Signal) *page.Form {
	intro, others := x.aboutSignal(s), s.ClaimedBy != x.app.Worker
	if others {
		intro = append(intro, "Take it away?")
	}
	return page.NewAct(x.app, page.Act{Heading: "Release " + s.ID, Intro: intro, Button: "release",
		Do: func(ctx context.Context, _ string) (page.Outcome, error) {
			_, err := x.b.Release(ctx, x.app.Worker, s.ID, others)
			return changed(s.ID+" is free again", nil), err
		}})
}

// ownType leaves the type of an entry to the board: contradiction if it contradicts
// something, else observation.
const ownType = "as its links say"

// mustSurface and mayMiss say whether a report has to carry an entry.
const mustSurface, mayMiss = "yes", "if it contradicts something"

// findingFields are the fields of a finding, with what it says now.
func findingFields(label, hint string, p *board.Post) []*page.Field {
	types, kind, must, confidence := board.EntryTypes, p.Type, mayMiss, ""
	if kind == "" {
		types = append([]string{ownType}, types...)
	}
	if p.MustSurface {
		must = mustSurface
	}
	if p.Confidence != nil {
		confidence = strconv.FormatFloat(*p.Confidence, 'g', -1, 64)
	}
	source := p.SourceDoc
	if p.SourceRef != "" {
		source += " @ " + p.SourceRef
	}
	return []*page.Field{
		{Name: "content", Label: label, Hint: hint, Lines: 5, Value: cells.Visible(p.Content)},
		{Name: "source", Label: "Source", Hint: "FILE:LINE, DOCUMENT @ PLACE, URL, kb:ID", Value: cells.Visible(source)},
		{Name: "quote", Label: "Its words there, verbatim", Value: cells.Visible(p.Evidence)},
		{Name: "confidence", Label: "Confidence", Hint: "0 to 1", Value: confidence},
		{Name: "tags", Label: "Tags", Hint: "separated by commas", Value: strings.Join(p.Tags, ", ")},
		{Name: "type", Label: "Type", Choices: types, Value: kind},
		{Name: "must", Label: "Must be in the report", Choices: []string{mayMiss, mustSurface}, Value: must},
	}
}

// findingOf is the finding that the fields say.
func findingOf(v page.Values) (p board.Post, err error) {
	p = board.Post{Content: v["content"], Evidence: v["quote"], Tags: cells.SplitList(v["tags"]), MustSurface: v["must"] == mustSurface}
	p.SourceDoc, p.SourceRef = board.SplitSource(v["source"])
	if v["type"] != ownType {
		p.Type = v["type"]
	}
	if v["confidence"] != "" {
		c, err := strconv.ParseFloat(v["confidence"], 64)
		if err != nil {
			return p, fmt.Errorf("the confidence %q is not a number · 0 to 1, such as 0.8", cells.OneLine(v["confidence"], 30))
		}
		p.Confidence = &c
	}
	return p, nil
}

// postForm asks for an entry. It names the chosen one, since most entries link to
// another.
func (x *acts) postForm(chosen string) *page.Form {
	about := ""
	if chosen != "" {
		about = " (" + chosen + " is chosen)"
	}
	fields := findingFields("What was found", "", &board.Post{})
	fields[0].Required = true
	fields = slices.Insert(fields, 3, &page.Field{Name: "links", Label: "Links" + about, Hint: "supports e3, contradicts e4, addresses s1"})
	return page.NewForm(x.app, page.Form{Heading: "Post an entry", Button: "post",
		Fields: fields, Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
			p, err := findingOf(v)
			if err != nil {
				return page.Outcome{}, err
			}
			links, err := parseLinks(v["links"])
			if err != nil {
				return page.Outcome{}, err
			}
			p.SetLinks(links)
			posted, err := x.b.Post(ctx, x.app.Worker, p)
			return posting(posted, " is posted"), err
		}})
}

// posting is the outcome of an entry that was posted.
func posting(posted board.Posted, how string) page.Outcome {
	text := posted.Entry.ID + how
	if len(posted.Reopened) > 0 {
		text += " · open again: " + strings.Join(posted.Reopened, " ")
	}
	return changed(text, &page.Undo{Text: posted.Entry.ID + " stays: nothing is deleted; post what supersedes it"})
}

// correct asks what an entry ought to say. A new entry takes its place, with its links.
func (x *acts) correct(id string) tea.Cmd {
	return x.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		d, err := x.b.Entry(ctx, id)
		if err != nil {
			return nil, err
		}
		e := &d.Entry
		was := board.Post{Content: e.Content, Type: e.Type, SourceDoc: e.SourceDoc, SourceRef: e.SourceRef, Evidence: e.Evidence, Confidence: e.Confidence, Tags: e.Tags, MustSurface: e.MustSurface}
		f := page.NewForm(x.app, page.Form{Heading: "Correct " + id, Button: "correct", Fields: findingFields("What was found", "", &was),
			Intro: []string{"A new entry takes its place, with its links and the question that it answers."}})
		f.Submit = func(ctx context.Context, v page.Values) (page.Outcome, error) {
			now, err := findingOf(v)
			if err != nil {
				return page.Outcome{}, err
			}
			posted, err := x.b.Correct(ctx, x.app.Worker, id, func(_ *board.Entry, p *board.Post) error {
				for name, take := range map[string]func(){
					"content": func() { p.Content = now.Content }, "type": func() { p.Type = now.Type },
					"source": func() { p.SourceDoc, p.SourceRef = now.SourceDoc, now.SourceRef },
					"quote":  func() { p.Evidence = now.Evidence }, "confidence": func() { p.Confidence = now.Confidence },
					"tags": func() { p.Tags = now.Tags }, "must": func() { p.MustSurface = now.MustSurface },
				} {
					if v[name] != f.Began[name] { // a form shows some characters as others
						take()
					}
				}
				return nil
			})
			return posting(posted, " corrects "+id), err
		}
		return page.OverlayMsg{Over: f}, nil
	})
}

// Correct asks what an entry of a run ought to say.
func Correct(a *page.App, run string, b *board.Board, id string) tea.Cmd {
	return (&acts{a, run, b, false}).correct(id)
}

// parseLinks parses typed links: a kind, followed by ids.
func parseLinks(s string) (board.Links, error) {
	var l board.Links
	lists := map[string]*[]string{board.Supports: &l.Supports, board.Contradicts: &l.Contradicts, board.Supersedes: &l.Supersedes, board.Addresses: &l.Addresses}
	var list *[]string
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == ';' }) {
		switch to := lists[strings.ToLower(w)]; {
		case to != nil:
			list = to
		case list == nil:
			return l, fmt.Errorf("%q is not a kind of link · use %s, then ids", cells.OneLine(w, 30), strings.Join(board.LinkKinds, ", "))
		default:
			*list = append(*list, w)
		}
	}
	return l, nil
}

// raiseForm asks for a question. If an entry is chosen, the question arises from it.
func (x *acts) raiseForm(chosen string) *page.Form {
	origin := ""
	if !page.IsSignal(chosen) {
		origin = chosen
	}
	return page.NewForm(x.app, page.Form{Heading: "Raise a signal", Button: "raise",
		Fields: []*page.Field{
			{Name: "content", Label: "What is not known?", Lines: 4, Required: true},
			{Name: "origin", Label: "Arises from", Hint: "an entry, such as e12; may be empty", Value: origin},
			{Name: "priority", Label: "Priority", Choices: board.Priorities, Value: "high"},
		}, Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
			r, err := x.b.Signal(ctx, x.app.Worker, board.Raise{Content: v["content"], Priority: v["priority"], Origin: v["origin"]})
			return changed(r.Signal.ID+" is raised", &page.Undo{Text: r.Signal.ID + " stays: nothing is deleted; w waives it"}), err
		}})
}

// promote asks for the fields that a capsule needs and the entry lacks, and stores the
// capsule.
func (x *acts) promote(id string) tea.Cmd {
	return x.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		d, err := x.b.Entry(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case x.app.Promoted == nil:
			return nil, page.ErrNoKnowledge
		}
		draft := x.app.Promoted(x.run, &d.Entry)
		if k, err := x.app.OpenKB(ctx, false); err == nil {
			if there, err := k.MadeFrom(ctx, &draft); err != nil {
				return nil, err
			} else if there != nil {
				return page.NoticeMsg{Text: id + " is capsule " + there.ID + " already · : goes to it"}, nil
			}
		}
		return page.OverlayMsg{Over: x.promoteForm(draft, id)}, nil
	})
}

func (x *acts) promoteForm(c kb.Capsule, id string) *page.Form {
	if c.Workspace = x.app.Workspace; c.Scope == "" {
		c.Scope = "universal"
		if c.Workspace != "" {
			c.Scope = "workspace"
		}
	}
	return page.NewForm(x.app, page.Form{Heading: "Promote " + id + " to the knowledge base", Intro: []string{cells.OneLine(c.Body, 600)}, Button: "promote", Fields: []*page.Field{
		{Name: "title", Label: "Title", Value: cells.Visible(c.Title), Required: true},
		{Name: "domain", Label: "Domain tags", Hint: "separated by commas", Value: strings.Join(c.DomainTags, ", ")},
		{Name: "source", Label: "Source", Value: cells.Visible(c.Source)},
		{Name: "verified", Label: "Verified by", Hint: "who has checked it; may be empty"},
		{Name: "kind", Label: "Kind", Choices: kb.Kinds, Value: c.Kind},
		{Name: "scope", Label: "Scope", Choices: kb.Scopes, Value: c.Scope},
	}, Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
		k, err := x.app.OpenKB(ctx, true)
		if err != nil {
			return page.Outcome{}, err
		}
		c := c
		c.Title, c.Kind, c.Scope, c.Source, c.VerifiedBy, c.DomainTags = v["title"], v["kind"], v["scope"], v["source"], v["verified"], cells.SplitList(v["domain"])
		r, err := k.Remember(ctx, c, kb.RememberOptions{})
		if err != nil {
			return page.Outcome{}, err
		}
		return page.Outcome{Text: id + " is capsule " + r.Capsule.ID, Kind: page.ChangedKnowledge,
			Undo: &page.Undo{Text: "retire the capsule " + r.Capsule.ID + ", which " + id +
				" became", Do: func(ctx context.Context) (page.Outcome, error) {
				k, err := x.app.KB(ctx)
				if err != nil {
					return page.Outcome{}, err
				}
				_, err = k.Retire(ctx, r.Capsule.ID, "the promotion of "+id+" was taken back")
				return page.Outcome{Text: "the capsule of " + id + " is retired", Kind: page.ChangedKnowledge}, err
			}}}, nil
	}})
}

// openLink opens the source of an entry, or what the text of an entry or a signal names.
func (x *acts) openLink(id string) tea.Cmd {
	return x.app.OpenLink(func(ctx context.Context) (page.Linked, error) {
		in := page.Linked{Own: id, Run: x.run, Board: x.b}
		if page.IsSignal(id) {
			d, err := x.b.SignalByID(ctx, id)
			in.Texts = []string{d.Signal.Content, d.Signal.Reason}
			return in, err
		}
		d, err := x.b.Entry(ctx, id)
		e := &d.Entry
		in.Source, in.Ref, in.Texts = e.SourceDoc, e.SourceRef, []string{e.Content, e.Evidence}
		return in, err
	})
}
