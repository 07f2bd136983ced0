package runs

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/op"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// acts are what a person can do on a run: each a method of the board, for Config.Worker.
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

func (x *acts) stateOf(s *board.Signal) string {
	switch {
	case s.Status != board.SignalOpen:
		return s.ID + " is " + s.Status + " already"
	case s.ClaimedAt(x.app.Now()):
		return s.ID + " is open, claimed by " + cells.OneLine(s.ClaimedBy, 60)
	}
	return s.ID + " is open, claimed by nobody"
}

func (p *Page) acts() *acts { return &acts{p.app, p.Name, p.b, p.back.on} }

func (p *Page) rowActions() page.Actions {
	id, signal := p.Chosen(), (*board.Signal)(nil)
	if p.focus == PaneQuestions {
		if q := p.questions.at(); q != nil {
			signal = q.signal
		}
	}
	return append(p.acts().awaitedActions(p.awaitedWorker()), p.acts().actions(id, signal)...)
}

// aboutSignal describes a signal before an action, with its claimer: closing ends the claim.
func (x *acts) aboutSignal(s *board.Signal) []string {
	about := []string{s.ID + ", " + s.Priority + ": " + cells.OneLine(s.Content, 600)}
	if s.ClaimedAt(x.app.Now()) && s.ClaimedBy != x.app.Worker {
		about = append(about, "⚑ "+cells.OneLine(s.ClaimedBy, 60)+" has claimed it until "+cells.Clock(*s.LeaseUntil)+".")
	}
	return about
}

func changedRun(text string, back *page.Undo) page.Outcome {
	return page.Outcome{Text: text, Kind: page.ChangedRun, Undo: back}
}

func (x *acts) addressForm(s *board.Signal) *page.Form {
	form, given := x.app.Form("answer"), page.Values{"type": board.Analysis}
	if s.Gates() {
		given["must_surface"] = "yes"
	}
	return page.NewForm(x.app, page.Form{Heading: "Address " + s.ID, Intro: x.aboutSignal(s), Button: "address",
		Fields: page.Fields(form, given), // as an answer is, if nobody says otherwise
		Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
			post, err := findingOf(form, v, board.Post{})
			if err != nil {
				return page.Outcome{}, err
			}
			_, closed, err := x.b.PostAddressing(ctx, x.app.Worker, s.ID, post, &post.MustSurface)
			return changedRun(s.ID+" is addressed by "+closed.AddressedBy, x.undoClose(s, closed)), err
		}})
}

// undo reverts an action on the run's board, opened anew since the page may be closed.
func (x *acts) undo(text, done string, fn func(context.Context, *board.Board) error) *page.Undo {
	return &page.Undo{Text: text, Do: func(ctx context.Context) (page.Outcome, error) {
		return changedRun(done, nil), kbhome.OnRun(ctx, x.app.Boards, x.run, func(b *board.Board) error {
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
		Why: x.app.Form("waive", "reason"),
		Do: func(ctx context.Context, why string) (page.Outcome, error) {
			closed, err := x.b.Waive(ctx, x.app.Worker, s.ID, why)
			return changedRun(s.ID+" is waived", x.undoClose(s, closed)), err
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
	return page.NewAct(x.app, page.Act{Heading: "Reopen " + s.ID, Intro: x.aboutSignal(s), Button: "reopen", Why: x.app.Form("reopen", "note"),
		Do: func(ctx context.Context, why string) (page.Outcome, error) {
			_, err := x.b.Reopen(ctx, x.app.Worker, s.ID, why)
			return changedRun(s.ID+" is open again", back), err
		}})
}

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
		return page.DoneMsg{Outcome: changedRun(id+" is yours until "+cells.Clock(*s.LeaseUntil), back)}
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
			return changedRun(s.ID+" is free again", nil), err
		}})
}

type finding struct {
	board.Post
	Source *string `json:"source"`
	Quote  *string `json:"quote"`
}

// findingOf returns a finding, changed to what the fields say.
func findingOf(form op.Form, v page.Values, p board.Post) (board.Post, error) {
	f := finding{Post: p}
	err := form.Decode(v, &f)
	if f.Source != nil {
		f.SourceDoc, f.SourceRef = board.SplitSource(*f.Source)
	}
	if f.Quote != nil {
		f.Evidence = *f.Quote
	}
	return f.Post, err
}

func valuesOf(e *board.Entry) page.Values {
	v := page.Values{"content": e.Content, "type": e.Type, "source": e.Cites()[0].String(), "quote": e.Evidence, "tags": strings.Join(e.Tags, ", "),
		"supports": strings.Join(e.Supports, ", "), "contradicts": strings.Join(e.Contradicts, ", ")}
	if e.Confidence != nil {
		v["confidence"] = strconv.FormatFloat(*e.Confidence, 'g', -1, 64)
	}
	if e.MustSurface {
		v["must_surface"] = "yes"
	}
	return v
}

// postForm asks for an entry, and names the chosen one: most entries link to another.
func (x *acts) postForm(chosen string) *page.Form {
	form, heading := x.app.Form("post"), "Post an entry"
	if chosen != "" {
		heading += " (" + chosen + " is chosen)"
	}
	return page.NewForm(x.app, page.Form{Heading: heading, Button: "post", Fields: page.Fields(form, nil),
		Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
			p, err := findingOf(form, v, board.Post{})
			if err != nil {
				return page.Outcome{}, err
			}
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
	return changedRun(text, &page.Undo{Text: posted.Entry.ID + " stays: nothing is deleted; post what supersedes it"})
}

// correct asks what an entry ought to say. A new entry takes its place, with its links.
func (x *acts) correct(id string) tea.Cmd {
	return x.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		d, err := x.b.Entry(ctx, id)
		if err != nil {
			return nil, err
		}
		form := x.app.Form("correct")
		f := page.NewForm(x.app, page.Form{Heading: "Correct " + id, Button: "correct", Fields: page.Fields(form, valuesOf(&d.Entry)),
			Intro: []string{"A new entry takes its place, with its links and the question that it answers."}})
		f.Submit = func(ctx context.Context, v page.Values) (page.Outcome, error) {
			maps.DeleteFunc(v, func(name, now string) bool { return now == f.Began[name] }) // a form shows some characters as others
			posted, err := x.b.Correct(ctx, x.app.Worker, id, v["reason"], func(_ *board.Entry, p *board.Post) (err error) {
				*p, err = findingOf(form, v, *p)
				return err
			})
			return posting(posted, " corrects "+id), err
		}
		return page.OverlayMsg{Over: f}, nil
	})
}

func Correct(a *page.App, run string, b *board.Board, id string) tea.Cmd {
	return (&acts{a, run, b, false}).correct(id)
}

// raiseForm asks for a question. If an entry is chosen, the question arises from it.
func (x *acts) raiseForm(chosen string) *page.Form {
	form, now := x.app.Form("ask"), page.Values{}
	if !page.IsSignal(chosen) {
		now["origin"] = chosen
	}
	return page.NewForm(x.app, page.Form{Heading: "Raise a question", Button: "raise", Fields: page.Fields(form, now),
		Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
			in := struct {
				board.Raise
				Question string `json:"question"`
			}{}
			if err := form.Decode(v, &in); err != nil {
				return page.Outcome{}, err
			}
			in.Content = in.Question
			r, err := x.b.Signal(ctx, x.app.Worker, in.Raise)
			return changedRun(r.Signal.ID+" is raised", &page.Undo{Text: r.Signal.ID + " stays: nothing is deleted; w waives it"}), err
		}})
}

// promote asks for the capsule's fields that the entry lacks, and stores it.
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
	form := x.app.Form("kb remember", "title", "kind", "scope", "source", "verified_by", "domains")
	now := page.Values{"title": c.Title, "domains": strings.Join(c.DomainTags, ", "), "source": c.Source, "kind": c.Kind, "scope": c.Scope}
	return page.NewForm(x.app, page.Form{Heading: "Promote " + id + " to the knowledge base", Intro: []string{cells.OneLine(c.Body, 600)}, Button: "promote", Fields: page.Fields(form, now), Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
		in := struct {
			kb.Capsule
			Domains []string `json:"domains"`
		}{Capsule: c}
		if err := form.Decode(v, &in); err != nil {
			return page.Outcome{}, err
		}
		c := in.Capsule
		c.DomainTags = in.Domains
		k, err := x.app.OpenKB(ctx, true)
		if err != nil {
			return page.Outcome{}, err
		}
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
