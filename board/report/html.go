package report

import (
	"context"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/trace"
)

//go:embed *.tmpl style.css live.js
var pages embed.FS

// pageTemplate parses a template with those that all pages share, in under a millisecond.
func pageTemplate(name string) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{
		"text":  printable,
		"style": func() template.CSS { return template.CSS(asset("style.css")) },
		"date":  func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") },
		"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"long":  func(s string) bool { return len(s) > 3000 || strings.Count(s, "\n") > 30 },
		"thousands": func(n any) string {
			s := fmt.Sprint(n)
			for i := len(s) - 3; i > 0; i -= 3 {
				s = s[:i] + "," + s[i:]
			}
			return s
		},
	}).ParseFS(pages, "items.tmpl", name))
}

func asset(name string) string {
	text, err := pages.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// What one HTML report shows at most, so that a browser can hold it.
const (
	htmlItems = 2000    // entries, and signals
	htmlBytes = 6 << 20 // of their text, each
	htmlRefs  = 40      // of one kind at one entry
	htmlRows  = 500     // workers, and variables
	htmlValue = 4000    // runes of a variable's value
)

// WriteHTML writes a board as one HTML page, as it is now, with a policy's gate. See [HTML].
func WriteHTML(ctx context.Context, w io.Writer, b *board.Board, by board.Policy,
	traced *trace.Result) error {
	s, err := b.Snapshot(ctx)
	if err != nil {
		return err
	}
	burn, err := b.Burndown(ctx)
	if err != nil {
		return err
	}
	return HTML(w, s, by, burn, traced)
}

// HTML writes a snapshot as one HTML page that loads nothing from outside. It shows the
// gate by a policy, a timeline, signals, entries, workers and variables. The timeline is
// drawn from the board's burndown up to the snapshot. Without one, the page says that it
// has no timeline.
//
// With traced, which may be nil, the page also shows the passages of the traced reports,
// with links to the entries that support them and back. It marks what nothing supports.
//
// Everything on the board is treated as hostile: html/template escapes it, control
// characters are replaced, and the page's own policy forbids it to load anything.
//
// A page shows at most 2,000 entries: first those that must surface, then the disputed
// ones. It shows at most 2,000 signals, open ones first, and 6 MiB of text of each. If
// something is left out, the page says how much.
func HTML(w io.Writer, s *board.Snapshot, by board.Policy, burn []board.BurnPoint,
	traced *trace.Result) error {
	v, err := board.GateOf(context.Background(), s, by)
	if err != nil {
		return err
	}
	return pageTemplate("html.tmpl").Execute(w, newHTMLPage(s, v, burn, traced))
}

// htmlPage is what the template sees.
type htmlPage struct {
	*board.Snapshot
	State board.State
	gateView
	Timeline *htmlTimeline
	Signals  htmlGroup
	Groups   []htmlGroup
	Entries  htmlGroup   // all groups together
	Report   *htmlReport // nil: none was traced
	Workers  []board.Worker
	Values   []htmlValueRow
	Ran      []board.Receipt // the latest of them

	Types, Statuses, Names []string // for the filter
}

type htmlGroup struct {
	Title, Anchor string
	Items         []htmlItem
	Total         int
}

type gateView struct {
	Verdict board.Verdict
	Reasons []board.Reason // those that are listed
}

func newGateView(v board.Verdict) gateView { return gateView{v, v.Reasons[:min(len(v.Reasons), 50)]} }

// OnlySignals says that nothing but open signals keeps the gate closed.
func (g gateView) OnlySignals() bool {
	return !slices.ContainsFunc(g.Verdict.Reasons,
		func(r board.Reason) bool { return r.Rule != board.RuleOpenSignal })
}

// Unblocked says after "no" why no signal keeps the gate closed.
func (g gateView) Unblocked() string { return noneOpen(g.Verdict.Policy) }

// noneOpen says after "no" why no signal keeps the gate of a verdict closed.
func noneOpen(p board.Policy) string {
	if len(p.Block) == 0 {
		return "priority is set to block"
	}
	return strings.Join(p.Block, " or ") + " question is open"
}

// Hidden is how many items the page leaves out.
func (g htmlGroup) Hidden() int { return g.Total - len(g.Items) }

type htmlItem struct {
	Entry  *board.Entry
	Signal *board.Signal
	Answer string // the beginning of the entry that addressed a signal
	// Dropped are the duties of an entry to surface that its successors dropped.
	Dropped []board.DroppedDuty
	Links   []htmlLinks
}

type htmlLinks struct {
	Verb string
	Refs []htmlRef
	More int
}

// htmlRef is a mention of an id. It is a link only if the page shows what it names.
type htmlRef struct {
	ID    string
	Shown bool
}

type htmlValueRow struct {
	board.Variable
	Text string
	Cut  bool
}

// Percent is an entry's confidence as a whole number, for a meter.
func (i htmlItem) Percent() string { return strconv.Itoa(int(*i.Entry.Confidence*100 + .5)) }

func newHTMLPage(s *board.Snapshot, v board.Verdict, burn []board.BurnPoint,
	traced *trace.Result) *htmlPage {
	p := &htmlPage{Snapshot: s, State: s.State(), gateView: newGateView(v),
		Timeline: newHTMLTimeline(burn, s.Seq)}
	b := &htmlBuilder{ranking: newRanking(s), settled: settledByEntry(s.Settled),
		shown: map[string]bool{}, raised: map[string][]string{}}

	p.Signals = htmlGroup{Title: "Questions", Anchor: "signals", Total: len(s.Signals)}
	room := htmlBytes
	for _, sig := range b.signals {
		if room -= len(sig.Content) + len(sig.Reason); len(p.Signals.Items) == htmlItems ||
			room < 0 {
			break
		}
		p.Signals.Items = append(p.Signals.Items, htmlItem{Signal: sig})
		b.shown[sig.ID] = true
	}
	p.groupEntries(b)
	p.Types = append(slices.Clone(board.EntryTypes), "question")
	p.Statuses = slices.Concat(board.EntryStatuses, board.SignalStatuses)
	b.stated = p.addReport(b, traced)
	for _, sig := range s.Signals {
		if sig.Origin != "" {
			b.raised[sig.Origin] = append(b.raised[sig.Origin], sig.ID)
		}
	}
	for i := range p.Signals.Items {
		b.linkSignal(&p.Signals.Items[i])
	}
	dropped := map[string][]board.DroppedDuty{}
	for _, d := range s.SurfaceWaivers {
		dropped[d.ID] = append(dropped[d.ID], d)
	}
	for g := range p.Groups {
		for i := range p.Groups[g].Items {
			item := &p.Groups[g].Items[i]
			b.linkEntry(item)
			item.Dropped = dropped[item.Entry.ID]
		}
	}

	p.Ran = s.Receipts[max(0, len(s.Receipts)-htmlRows):]
	p.Workers = p.State.Workers[:min(len(p.State.Workers), htmlRows)]
	for _, v := range s.Variables[:min(len(s.Variables), htmlRows)] {
		text := fault.Clip(string(v.Value), htmlValue)
		p.Values = append(p.Values, htmlValueRow{v, text, text != string(v.Value)})
	}
	for _, w := range p.Workers {
		p.Names = append(p.Names, w.Name)
	}
	slices.Sort(p.Names)
	return p
}

// groupEntries sorts the entries under headings, as many as the page takes.
func (p *htmlPage) groupEntries(b *htmlBuilder) {
	p.Groups = []htmlGroup{
		{Title: "Must surface", Anchor: "must-surface"},
		{Title: "Disputed", Anchor: "disputed"},
		{Title: "Other findings", Anchor: "findings"},
		{Title: "Superseded", Anchor: "superseded"},
	}
	group := func(e *board.Entry) int {
		switch {
		case e.Status == board.Superseded:
			return 3
		case e.MustSurface:
			return 0
		case e.Status == board.Disputed:
			return 1
		}
		return 2
	}
	sorted := slices.Clone(b.entries)
	slices.SortStableFunc(sorted, func(x, y *board.Entry) int { return group(x) - group(y) })
	p.Entries.Total = len(sorted)
	room := htmlBytes
	for _, e := range sorted {
		g := &p.Groups[group(e)]
		g.Total++
		if room -= len(e.Content) + len(e.Evidence); len(p.Entries.Items) == htmlItems || room < 0 {
			room = -1 // nor anything weaker that happens to be shorter
			continue
		}
		item := htmlItem{Entry: e}
		g.Items, p.Entries.Items = append(g.Items, item), append(p.Entries.Items, item)
		b.shown[e.ID] = true
	}
}

// htmlBuilder knows what an item is linked to and what the page shows.
type htmlBuilder struct {
	*ranking
	shown   map[string]bool
	raised  map[string][]string // signals by the entry they arose from
	settled map[string][]board.Settlement
	stated  map[string][]string // passages of the reports by what supports them
}

func (b *htmlBuilder) links(item *htmlItem, verb string, ids []string) {
	if len(ids) == 0 {
		return
	}
	l := htmlLinks{Verb: verb, More: max(0, len(ids)-htmlRefs)}
	for _, id := range ids[:len(ids)-l.More] {
		l.Refs = append(l.Refs, htmlRef{id, b.shown[id]})
	}
	item.Links = append(item.Links, l)
}

func passiveLink(kind string) string {
	switch kind {
	case board.Supports:
		return "supported by"
	case board.Contradicts:
		return "contradicted by"
	case board.Supersedes:
		return "superseded by"
	}
	return "answered by"
}

func (b *htmlBuilder) linkEntry(item *htmlItem) {
	e := item.Entry
	for _, kind := range board.LinkKinds {
		verb := kind
		if kind == board.Addresses {
			verb = "answers"
		}
		b.links(item, verb, e.Of(kind))
	}
	b.linkIn(item, e.ID)
	b.links(item, "raised", b.raised[e.ID])
	var settled []string
	for _, s := range b.settled[e.ID] {
		settled = append(settled, s.Other(e.ID))
	}
	b.links(item, "settled with", settled)
	b.links(item, "in the report", b.stated[e.ID])
}

func (b *htmlBuilder) linkSignal(item *htmlItem) {
	s := item.Signal
	if s.Origin != "" {
		b.links(item, "arose from", []string{s.Origin})
	}
	b.linkIn(item, s.ID)
	b.links(item, "in the report", b.stated[s.ID])
	if e := b.byID[s.AddressedBy]; e != nil {
		item.Answer, _ = oneLine(e.Content, 280)
	}
}

func (b *htmlBuilder) linkIn(item *htmlItem, id string) {
	for _, kind := range board.LinkKinds {
		var from []string
		for _, l := range b.linked[id] {
			if l.Kind == kind {
				from = append(from, l.From)
			}
		}
		b.links(item, passiveLink(kind), from)
	}
}
