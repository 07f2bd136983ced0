package tui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/lazyregexp"
	"blackboard/kb"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
)

// acts are what a person can do on a run. Each is one method of the board, called for
// Config.Worker.
type acts struct {
	app  *app
	run  string
	b    *board.Board
	past bool // the page shows the past, which cannot be acted on: it may have changed since
}

func isSignal(id string) bool { return strings.HasPrefix(id, "s") }

// bindings returns the keys for the chosen row. If the signal is known, they are those
// that its status allows.
func (x *acts) bindings(id string, s *board.Signal) []key.Binding {
	switch {
	case isSignal(id) && s != nil && s.Status != board.SignalOpen:
		return []key.Binding{keys.Reopen, keys.Post, keys.Raise, keys.Source}
	case isSignal(id) && s != nil && s.ClaimedAt(x.app.Now()):
		all := []key.Binding{keys.Address, keys.Waive, keys.Release}
		if s.ClaimedBy == x.app.Worker { // again, for longer
			all = append(all, keys.Claim)
		}
		return append(all, keys.Post, keys.Raise, keys.Source)
	case isSignal(id):
		return []key.Binding{keys.Address, keys.Waive, keys.Claim, keys.Post, keys.Raise, keys.Source}
	case id != "":
		return []key.Binding{keys.Post, keys.Raise, keys.Promote, keys.Source}
	}
	return []key.Binding{keys.Post, keys.Raise}
}

// key runs the action of a key for the chosen row, and reports whether it was one of
// these keys.
func (x *acts) key(msg tea.KeyMsg, id string) (tea.Cmd, bool) {
	if x.past {
		return notice("this is the past; L goes back to now"), key.Matches(msg, x.bindings(id, nil)...)
	}
	const signal, entry, either = "a question", "an entry", "an entry or a question"
	kind := signal
	if !isSignal(id) {
		kind = entry
	}
	about := func(ask func(*board.Signal) (*form, error)) func() tea.Cmd {
		return func() tea.Cmd { return x.withSignal(id, ask) }
	}
	for _, a := range []struct {
		key.Binding
		of string // what it applies to; "": anything, or nothing
		do func() tea.Cmd
	}{
		{keys.Post, "", func() tea.Cmd { return x.app.overlay(x.postForm(id)) }},
		{keys.Raise, "", func() tea.Cmd { return x.app.overlay(x.raiseForm(id)) }},
		{keys.Address, signal, about(x.addressForm)},
		{keys.Waive, signal, about(x.waiveForm)},
		{keys.Reopen, signal, about(x.reopenForm)},
		{keys.Claim, signal, func() tea.Cmd { return x.claim(id) }},
		{keys.Release, signal, about(x.releaseForm)},
		{keys.Promote, entry, func() tea.Cmd { return x.promote(id) }},
		{keys.Source, either, func() tea.Cmd { return x.openLink(id) }},
	} {
		switch {
		case !key.Matches(msg, a.Binding):
		case a.of == "", (a.of == kind || a.of == either) && id != "":
			return a.do(), true
		default: // tell it: text typed after this would run commands
			return notice(a.Help().Desc + " is for " + a.of + ": choose one first"), true
		}
	}
	return nil, false
}

// acts returns the actions on a run's page.
func (p *runPage) acts() *acts { return &acts{p.app, p.name, p.b, p.back.on} }

// actBindings returns the keys for the chosen row.
func (p *runPage) actBindings() []key.Binding {
	if p.back.on {
		return nil
	}
	if p.awaited() != "" {
		return append(awaitedBindings(), keys.Post, keys.Raise)
	}
	id := p.chosen()
	var signal *board.Signal
	for i := range p.scene.signals {
		if p.scene.signals[i].ID == id {
			signal = p.scene.signals[i]
		}
	}
	return p.acts().bindings(id, signal)
}

// withSignal reads a signal and opens a form about it, or tells why its status does not
// allow that.
func (x *acts) withSignal(id string, ask func(*board.Signal) (*form, error)) tea.Cmd {
	return x.app.hold(func(ctx context.Context) (tea.Msg, error) {
		d, err := x.b.SignalByID(ctx, id)
		if err != nil {
			return nil, err
		}
		f, err := ask(&d.Signal)
		return overlayMsg{f}, err
	})
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

// claimer returns the worker who has claimed a signal, or "".
func (x *acts) claimer(s *board.Signal) string {
	if !s.ClaimedAt(x.app.Now()) {
		return ""
	}
	return s.ClaimedBy
}

func mustBeOpen(s *board.Signal) error {
	if s.Status != board.SignalOpen {
		return fmt.Errorf("%s is %s already · O reopens it", s.ID, s.Status)
	}
	return nil
}

func (x *acts) addressForm(s *board.Signal) (*form, error) {
	if err := mustBeOpen(s); err != nil {
		return nil, err
	}
	id, claimed := s.ID, x.claimer(s)
	return newForm(x.app, form{heading: "Address " + id, intro: x.aboutSignal(s), button: "address", fields: []*field{
		{name: "content", label: "Answer", hint: "becomes an entry on the board", lines: 8},
		{name: "doc", label: "Source document", hint: "where the answer is from"},
		{name: "ref", label: "Place in it", hint: "a line, a page, a section"},
		{name: "entry", label: "Or, in place of an answer, an entry that is one", hint: "e12"},
		{name: "type", label: "Type", choices: board.EntryTypes, value: board.Analysis},
	}, submit: func(ctx context.Context, v values) (outcome, error) {
		done := outcome{kind: changedRun}
		switch {
		case v["entry"] != "" && v["content"] != "":
			return outcome{}, errors.New("an answer and an entry are given · take one of them away")
		case v["entry"] != "":
			s, err := x.b.Address(ctx, x.app.Worker, id, v["entry"])
			done.text, done.undo = id+" is addressed by "+s.AddressedBy, x.undoClose(s, claimed)
			return done, err
		case v["content"] == "":
			return outcome{}, errors.New("there is no answer · write one, or name the entry that is one")
		}
		_, s, err := x.b.PostAddressing(ctx, x.app.Worker, id, board.Post{Type: v["type"], Content: v["content"], SourceDoc: v["doc"], SourceRef: v["ref"]})
		done.text, done.undo = id+" is addressed by "+s.AddressedBy, x.undoClose(s, claimed)
		return done, err
	}}), nil
}

// undo reverts an action on the run's board, which it opens, since the page of the action
// may be closed. fn returns what reverts the undo; nil if that is impossible.
func (x *acts) undo(text, done string, fn func(context.Context, *board.Board) (*undo, error)) *undo {
	return &undo{text, func(ctx context.Context) (outcome, error) {
		b, err := board.Open(ctx, x.app.Boards, x.run)
		if err != nil {
			return outcome{}, err
		}
		defer b.Close()
		x.app.setClock(b)
		back, err := fn(ctx, b)
		return outcome{text: done, kind: changedRun, undo: back}, err
	}}
}

// undoClose reopens a signal that was closed, unless it has changed since. A claim that
// the closing ended is not restored: its worker must claim it again.
func (x *acts) undoClose(closed board.Signal, claimed string) *undo {
	id, text := closed.ID, "reopen "+closed.ID+" of "+x.run
	if closed.AddressedBy != "" {
		text += ", whose answer " + closed.AddressedBy + " stays on the board"
	}
	if claimed != "" {
		text += "; the claim of " + cells.OneLine(claimed, 60) + " is not restored"
	}
	return x.undo(text, id+" is open again", func(ctx context.Context, b *board.Board) (*undo, error) {
		d, err := b.SignalByID(ctx, id)
		if err != nil {
			return nil, err
		}
		if s := &d.Signal; s.Status != closed.Status || s.Closed == nil || closed.Closed == nil || !s.Closed.Equal(*closed.Closed) {
			return nil, fmt.Errorf("%s was changed since: it is %s now · O reopens it all the same", id, s.Status)
		}
		_, err = b.Reopen(ctx, x.app.Worker, id, "taken back")
		return nil, err
	})
}

func (x *acts) waiveForm(s *board.Signal) (*form, error) {
	if err := mustBeOpen(s); err != nil {
		return nil, err
	}
	id, claimed := s.ID, x.claimer(s)
	return newForm(x.app, form{heading: "Waive " + id, intro: x.aboutSignal(s), button: "waive", fields: []*field{
		{name: "reason", label: "Why may it stay unanswered? (goes on record)", required: true},
	}, submit: func(ctx context.Context, v values) (outcome, error) {
		s, err := x.b.Waive(ctx, x.app.Worker, id, v["reason"])
		return outcome{text: id + " is waived", kind: changedRun, undo: x.undoClose(s, claimed)}, err
	}}), nil
}

func (x *acts) reopenForm(s *board.Signal) (*form, error) {
	if s.Status == board.SignalOpen {
		return nil, fmt.Errorf("%s is open already", s.ID)
	}
	id, was, reason := s.ID, s.Status, s.Reason
	return newForm(x.app, form{heading: "Reopen " + id, intro: x.aboutSignal(s), button: "reopen", fields: []*field{
		{name: "note", label: "Why?", hint: "goes on record; may be empty"},
	}, submit: func(ctx context.Context, v values) (outcome, error) {
		done := outcome{text: id + " is open again", kind: changedRun}
		if was == board.Waived { // an answer cannot be linked twice
			text := "waive " + id + " of " + x.run + " again"
			done.undo = x.undo(text, id+" is waived", func(ctx context.Context, b *board.Board) (*undo, error) {
				s, err := b.Waive(ctx, x.app.Worker, id, reason)
				return x.undoClose(s, ""), err
			})
		}
		_, err := x.b.Reopen(ctx, x.app.Worker, id, v["note"])
		return done, err
	}}), nil
}

// claim claims a signal for the default time.
func (x *acts) claim(id string) tea.Cmd {
	return x.app.do(func(ctx context.Context) tea.Msg {
		s, err := x.b.Claim(ctx, x.app.Worker, id, board.DefaultLease)
		text := "release " + id + " of " + x.run
		back := x.undo(text, id+" is free again", func(ctx context.Context, b *board.Board) (*undo, error) {
			_, err := b.Release(ctx, x.app.Worker, id, false)
			return nil, err
		})
		done := outcome{kind: changedRun, undo: back}
		if err == nil {
			done.text = id + " is yours until " + cells.Clock(*s.LeaseUntil)
			if s.Since != nil {
				done.text += "; this name had claimed it already, at " + cells.Clock(*s.Since)
			}
		}
		return doneMsg{outcome: done, err: err}
	})
}

func (x *acts) releaseForm(s *board.Signal) (*form, error) {
	if !s.ClaimedAt(x.app.Now()) {
		return nil, fmt.Errorf("%s is claimed by nobody", s.ID)
	}
	id, others := s.ID, s.ClaimedBy != x.app.Worker
	intro := x.aboutSignal(s)
	if others {
		intro = append(intro, "Take it away?")
	}
	return newForm(x.app, form{heading: "Release " + id, intro: intro, button: "release", submit: func(ctx context.Context, _ values) (outcome, error) {
		_, err := x.b.Release(ctx, x.app.Worker, id, others)
		return outcome{text: id + " is free again", kind: changedRun}, err
	}}), nil
}

// ownType leaves the type of an entry to the board: contradiction if it contradicts
// something, else observation.
const ownType = "as its links say"

// postForm asks for an entry. It names the chosen one, since most entries link to
// another.
func (x *acts) postForm(chosen string) *form {
	about := ""
	if chosen != "" {
		about = " (" + chosen + " is chosen)"
	}
	return newForm(x.app, form{heading: "Post an entry", button: "post", fields: []*field{
		{name: "content", label: "What was found", lines: 6, required: true},
		{name: "doc", label: "Source document"},
		{name: "ref", label: "Place in it", hint: "a line, a page, a section"},
		{name: "links", label: "Links" + about, hint: "supports e3, contradicts e4, addresses s1"},
		{name: "confidence", label: "Confidence", hint: "0 to 1"},
		{name: "tags", label: "Tags", hint: "separated by commas"},
		{name: "type", label: "Type", choices: append([]string{ownType}, board.EntryTypes...)},
		{name: "must", label: "Must be in the artifact", choices: []string{"if it contradicts something", "yes"}},
	}, submit: func(ctx context.Context, v values) (outcome, error) {
		p := board.Post{Type: v["type"], Content: v["content"], SourceDoc: v["doc"], SourceRef: v["ref"], MustSurface: v["must"] == "yes"}
		if p.Type == ownType {
			p.Type = ""
		}
		links, err := parseLinks(v["links"])
		if err != nil {
			return outcome{}, err
		}
		p.SetLinks(links)
		if v["confidence"] != "" {
			c, err := strconv.ParseFloat(v["confidence"], 64)
			if err != nil {
				return outcome{}, fmt.Errorf("the confidence %q is not a number · 0 to 1, such as 0.8", cells.OneLine(v["confidence"], 30))
			}
			p.Confidence = &c
		}
		p.Tags = cells.SplitList(v["tags"])
		posted, err := x.b.Post(ctx, x.app.Worker, p)
		return outcome{text: posted.Entry.ID + " is posted", kind: changedRun, undo: &undo{text: posted.Entry.ID + " stays: nothing is deleted; post what supersedes it"}}, err
	}})
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
func (x *acts) raiseForm(chosen string) *form {
	origin := ""
	if !isSignal(chosen) {
		origin = chosen
	}
	return newForm(x.app, form{heading: "Raise a signal", button: "raise", fields: []*field{
		{name: "content", label: "What is not known?", lines: 4, required: true},
		{name: "origin", label: "Arises from", hint: "an entry, such as e12; may be empty", value: origin},
		{name: "priority", label: "Priority", choices: board.Priorities, value: "high"},
	}, submit: func(ctx context.Context, v values) (outcome, error) {
		r, err := x.b.Signal(ctx, x.app.Worker, board.Raise{Content: v["content"], Priority: v["priority"], Origin: v["origin"]})
		return outcome{text: r.Signal.ID + " is raised", kind: changedRun, undo: &undo{text: r.Signal.ID + " stays: nothing is deleted; w waives it"}}, err
	}})
}

// promote asks for the fields that a capsule needs and the entry lacks, and stores the
// capsule.
func (x *acts) promote(id string) tea.Cmd {
	return x.app.hold(func(ctx context.Context) (tea.Msg, error) {
		d, err := x.b.Entry(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case x.app.Promoted == nil:
			return nil, errNoKnowledge
		}
		draft := x.app.Promoted(x.run, &d.Entry)
		if k, err := x.app.openKnowledge(ctx, false); err == nil {
			if there, err := k.MadeFrom(ctx, &draft); err != nil {
				return nil, err
			} else if there != nil {
				return noticeMsg{text: id + " is capsule " + there.ID + " already · : goes to it"}, nil
			}
		}
		return overlayMsg{x.promoteForm(draft, id)}, nil
	})
}

func (x *acts) promoteForm(c kb.Capsule, id string) *form {
	if c.Workspace = x.app.Workspace; c.Scope == "" {
		c.Scope = "universal"
		if c.Workspace != "" {
			c.Scope = "workspace"
		}
	}
	return newForm(x.app, form{heading: "Promote " + id + " to the knowledge base", intro: []string{cells.OneLine(c.Body, 600)}, button: "promote", fields: []*field{
		{name: "title", label: "Title", value: cells.Visible(c.Title), required: true},
		{name: "domain", label: "Domain tags", hint: "separated by commas", value: strings.Join(c.DomainTags, ", ")},
		{name: "source", label: "Source", value: cells.Visible(c.Source)},
		{name: "verified", label: "Verified by", hint: "who has checked it; may be empty"},
		{name: "kind", label: "Kind", choices: kb.Kinds, value: c.Kind},
		{name: "scope", label: "Scope", choices: kb.Scopes, value: c.Scope},
	}, submit: func(ctx context.Context, v values) (outcome, error) {
		k, err := x.app.openKnowledge(ctx, true)
		if err != nil {
			return outcome{}, err
		}
		c := c
		c.Title, c.Kind, c.Scope, c.Source, c.VerifiedBy, c.DomainTags = v["title"], v["kind"], v["scope"], v["source"], v["verified"], cells.SplitList(v["domain"])
		r, err := k.Remember(ctx, c, kb.RememberOptions{})
		if err != nil {
			return outcome{}, err
		}
		return outcome{text: id + " is capsule " + r.Capsule.ID, kind: changedKnowledge, undo: &undo{"retire the capsule " + r.Capsule.ID + ", which " + id + " became", func(ctx context.Context) (outcome, error) {
			k, err := x.app.knowledge(ctx)
			if err != nil {
				return outcome{}, err
			}
			_, err = k.Retire(ctx, r.Capsule.ID, "the promotion of "+id+" was taken back")
			return outcome{text: "the capsule of " + id + " is retired", kind: changedKnowledge}, err
		}}}, nil
	}})
}

// lineInRef finds the number of a line in the reference of a source: L12, 12, line 12,
// :12-20.
var lineInRef = lazyregexp.New(`(?i)^(?:.*\b(?:lines?|l)[ .:]*|:)?([0-9]{1,9})\b`)

// openLink opens the source of an entry, or what the text of an entry or a signal names.
func (x *acts) openLink(id string) tea.Cmd {
	return x.app.openLink(func(ctx context.Context) (linked, error) {
		in := linked{own: id, run: x.run, b: x.b}
		if isSignal(id) {
			d, err := x.b.SignalByID(ctx, id)
			in.texts = []string{d.Signal.Content, d.Signal.Reason}
			return in, err
		}
		d, err := x.b.Entry(ctx, id)
		e := &d.Entry
		in.source, in.ref, in.texts = e.SourceDoc, e.SourceRef, []string{e.Content, e.Evidence}
		return in, err
	})
}

// sourceFile returns the file and line that a source names. The name comes from an agent.
// It is made absolute, so that the editor cannot take it for an option, and must be a
// regular file.
func (a *app) sourceFile(doc, ref string) (path string, line int, err error) {
	if strings.Contains(doc, "://") {
		return "", 0, fmt.Errorf("the source is not a file: %s", cells.OneLine(doc, 200))
	}
	try := []string{doc}
	// the colon of a Windows volume does not precede a line number
	volume := filepath.VolumeName(doc)
	if name, at, ok := strings.Cut(doc[len(volume):], ":"); ok && ref == "" { // auth.go:12
		try, ref = append(try, volume+name), at
	}
	for _, name := range try {
		if path = name; !filepath.IsAbs(path) {
			path = filepath.Join(a.Files, name)
		}
		var info fs.FileInfo
		if info, err = os.Stat(path); err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is not a regular file", cells.OneLine(name, 200))
		}
		if err == nil {
			break
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no %s below %s · start `board tui` where the sources are", cells.OneLine(doc, 200), a.Files)
	}
	if err != nil {
		return "", 0, err
	}
	if m := lineInRef.FindStringSubmatch(strings.TrimSpace(ref)); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	return path, line, nil
}
