package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"blackboard/board"
)

// What a live page shows at most: what one looks at while a run goes on, in about 150 KB.
// The page names the report, which has more.
const (
	liveOpen     = 40       // open signals
	liveClosed   = 10       // closed ones
	liveDuties   = 60       // entries that must surface
	liveDisputes = 30       // disputed entries
	liveEntries  = 100      // all entries
	liveBytes    = 82 << 10 // of the entries and signals, as they are written
	itemMarkup   = 500      // bytes around the text of one of them
	tagMarkup    = 26
	livePairs    = 15
	liveWorkers  = 60
	liveGiven    = 20
	// laneStretches is how finely the time axis of a worker is drawn.
	laneStretches = 80
)

type livePage struct {
	State board.State
	gateView
	At        int64     // the moment that is shown; 0: now
	Last      int64     // the newest event
	Time      time.Time // of the last event that is shown
	Note      string    // which policy judged the gate
	Timeline  *htmlTimeline
	Signals   htmlGroup
	Pairs     []livePair
	Documents []htmlGroup // the entries by the document that they come from
	Entries   htmlGroup   // all groups together
	Quotes    liveQuotes
	Workers   []liveWorker
	Given     []board.Retrieval
}

// livePair are two entries that contradict each other.
type livePair struct{ One, Other htmlItem }

type liveQuotes struct{ Sound, Doubted, Unchecked int }

type liveWorker struct {
	board.Worker
	Lane   string // the path of its bars, in a box of laneStretches × 10
	Status string // expected, done, dropped, or "" if nobody waits for it
	Silent string // how long it has said nothing, if the run waits for it
}

// moment is a run now or as it was.
type moment interface {
	Query(context.Context, board.Query) (board.Found, error)
	Gate(context.Context, board.Policy) (board.Verdict, error)
	Entry(context.Context, string) (board.EntryDetail, error)
	Retrievals(context.Context, int) ([]board.Retrieval, error)
}

// WriteLive writes a run as a page to watch it by: the gate by a policy, of which note
// says where it is from, questions, contradictions in pairs, entries by document, workers
// over time, and the knowledge that was used. With an event at above 0 it is the run as
// it was after that. It is about as long for a run of 100,000 entries as for one of 500.
func WriteLive(ctx context.Context, w io.Writer, b *board.Board, by board.Policy, note string,
	at int64) error {
	p := &livePage{At: at, Note: note}
	r := liveReader{page: p, now: time.Now(), room: liveBytes,
		build: htmlBuilder{ranking: &ranking{byID: map[string]*board.Entry{}},
			shown: map[string]bool{}}}
	if err := r.read(ctx, b, by); err != nil {
		return err
	}
	return pageTemplate("live.tmpl").Execute(w, p)
}

// liveReader gathers what a live page shows.
type liveReader struct {
	page  *livePage
	at    moment
	now   time.Time
	room  int // bytes of text that are left
	build htmlBuilder
}

func (r *liveReader) read(ctx context.Context, b *board.Board, by board.Policy) error {
	signals, err := r.findMoment(ctx, b)
	if err != nil {
		return err
	}
	p := r.page
	v, err := r.at.Gate(ctx, by)
	if err != nil {
		return err
	}
	p.gateView = newGateView(v)
	for _, step := range []func() error{
		func() error { return r.timeline(ctx, b) },
		func() error { return r.signals(ctx, signals) },
		func() error { return r.entries(ctx) },
		func() error { return r.pairs(ctx) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	for i := range p.Signals.Items {
		r.build.linkSignal(&p.Signals.Items[i])
	}
	p.Given, err = r.at.Retrievals(ctx, liveGiven)
	return err
}

// findMoment finds the moment asked for; its signals: open, then urgent, then oldest first.
func (r *liveReader) findMoment(ctx context.Context, b *board.Board) ([]board.Signal, error) {
	p := r.page
	var err error
	if p.State, err = b.State(ctx); err != nil {
		return nil, err
	}
	r.at, p.Last, p.Time = b, p.State.Seq, p.State.Updated
	if p.At == 0 {
		open, err := b.Signals(ctx, board.SignalQuery{Statuses: []string{board.SignalOpen},
			Limit: liveOpen})
		if err != nil {
			return nil, err
		}
		closed, err := b.Signals(ctx, board.SignalQuery{
			Statuses: []string{board.Addressed, board.Waived}, Limit: liveClosed})
		return append(open.Signals, closed.Signals...), err
	}
	past, err := b.At(ctx, p.At)
	if err != nil {
		return nil, err
	}
	r.at, p.State, p.Time = past, past.State(), past.At
	signals := slices.Clone(past.Signals)
	slices.SortStableFunc(signals, func(x, y board.Signal) int {
		rank := func(s *board.Signal) int {
			n, _ := board.PriorityRank(s.Priority)
			if s.Status != board.SignalOpen {
				n += len(board.Priorities)
			}
			return n
		}
		return cmp.Compare(rank(&x), rank(&y))
	})
	return signals, nil
}

// timeline draws the open questions over the log, and who did what.
func (r *liveReader) timeline(ctx context.Context, b *board.Board) error {
	p := r.page
	burn, err := b.Burndown(ctx)
	if err != nil {
		return err
	}
	p.Timeline = newHTMLTimeline(burn, p.State.Seq)
	track, err := b.Timeline(ctx)
	if err != nil {
		return err
	}
	lanes := map[string]string{}
	for _, lane := range track.Lanes(laneStretches) {
		lanes[lane.Worker] = lanePath(lane)
	}
	waited := map[string]*board.Expected{}
	for i := range p.State.Expected {
		waited[p.State.Expected[i].Worker] = &p.State.Expected[i]
	}
	add := func(w board.Worker) {
		row := liveWorker{Worker: w, Lane: lanes[w.Name]}
		if e := waited[w.Name]; e != nil {
			row.Status = e.Status
			if since := p.State.LastWord(e); e.Status == board.WorkerExpected && p.At == 0 &&
				r.now.Sub(since) >= board.SilentAfter {
				row.Silent = r.now.Sub(since).Truncate(time.Minute).String()
				row.Silent = strings.TrimSuffix(row.Silent, "0s")
			}
		}
		p.Workers = append(p.Workers, row)
	}
	for _, w := range p.State.Workers {
		add(w)
		delete(waited, w.Name)
	}
	for _, e := range p.State.Expected {
		if waited[e.Worker] != nil {
			add(board.Worker{Name: e.Worker})
		}
	}
	slices.SortStableFunc(p.Workers, func(x, y liveWorker) int { // the silent ones first
		return cmp.Compare(y.Silent, x.Silent)
	})
	p.Workers = p.Workers[:min(len(p.Workers), liveWorkers)]
	return nil
}

// lanePath draws a bar per stretch of the log in which a worker acted, high where it posted.
func lanePath(lane board.Lane) string {
	height := func(i int) int {
		switch {
		case !lane.Did[i]:
			return 0
		case lane.Posted[i] > 0:
			return 10
		}
		return 4
	}
	var d strings.Builder
	for i, end := 0, 0; i < len(lane.Did); i = end {
		h := height(i)
		for end = i + 1; end < len(lane.Did) && height(end) == h; {
			end++
		}
		if h > 0 {
			fmt.Fprintf(&d, "M%d 10v-%dh%dv%dz", i, h, end-i, h)
		}
	}
	return d.String()
}

// takeRoom takes the room of an item with these texts, and reports whether it was enough.
func (r *liveReader) takeRoom(tags []string, parts ...string) bool {
	r.room -= itemMarkup + tagMarkup*len(tags)
	for _, s := range append(parts, tags...) {
		r.room -= len(s)
	}
	return r.room >= 0
}

// signals takes the open questions, and the last that were closed.
func (r *liveReader) signals(ctx context.Context, all []board.Signal) error {
	p := r.page
	p.Signals = htmlGroup{Title: "Questions", Anchor: "signals", Total: int(p.State.Signals.Total)}
	open, closed := 0, 0
	for i := range all {
		s := &all[i]
		count, most := &open, liveOpen
		if s.Status != board.SignalOpen {
			count, most = &closed, liveClosed
		}
		if *count++; *count > most || !r.takeRoom(nil, s.Content, s.Reason) {
			continue
		}
		p.Signals.Items = append(p.Signals.Items, htmlItem{Signal: s})
		r.build.shown[s.ID] = true
		if s.AddressedBy != "" {
			d, err := r.at.Entry(ctx, s.AddressedBy)
			if err != nil {
				return err
			}
			r.build.byID[s.AddressedBy] = &d.Entry
		}
	}
	return nil
}

// entries takes those that must surface, the disputed ones and the newest, by document.
func (r *liveReader) entries(ctx context.Context) error {
	p := r.page
	var all []*board.Entry
	took := map[string]bool{}
	standing := []string{board.Active, board.Disputed}
	for _, q := range []board.Query{
		{MustSurface: true, Statuses: standing, Limit: liveDuties},
		{Statuses: []string{board.Disputed}, Limit: liveDisputes},
		{Statuses: standing, Limit: liveEntries},
	} {
		found, err := r.at.Query(ctx, q)
		if err != nil {
			return err
		}
		for i := range found.Entries {
			e := &found.Entries[i]
			if !took[e.ID] && len(all) < liveEntries &&
				r.takeRoom(e.Tags, e.Content, e.Evidence, e.SourceDoc, e.SourceRef) {
				took[e.ID] = true
				all = append(all, e)
				r.build.byID[e.ID], r.build.shown[e.ID] = e, true
			}
		}
	}
	slices.SortFunc(all, func(a, b *board.Entry) int { return cmp.Compare(b.Seq, a.Seq) })
	p.Entries = htmlGroup{Total: int(p.State.Entries.Total -
		p.State.Entries.ByStatus[board.Superseded])}
	at := map[string]int{}
	for _, e := range all {
		item := htmlItem{Entry: e}
		r.build.linkEntry(&item)
		n, known := at[e.SourceDoc]
		if !known {
			n = len(p.Documents)
			at[e.SourceDoc] = n
			p.Documents = append(p.Documents, htmlGroup{
				Title:  cmp.Or(e.SourceDoc, "Without a document"),
				Anchor: fmt.Sprintf("document-%d", n+1)})
		}
		p.Documents[n].Items = append(p.Documents[n].Items, item)
		p.Entries.Items = append(p.Entries.Items, item)
		switch v := e.Verified; {
		case v == nil || v.Stale:
			p.Quotes.Unchecked++
		case v.Holds():
			p.Quotes.Sound++
		default:
			p.Quotes.Doubted++
		}
	}
	return nil
}

// pairs finds the standing contradictions that nobody has settled.
func (r *liveReader) pairs(ctx context.Context) error {
	p := r.page
	seen := map[[2]string]bool{}
	for i := range p.Entries.Items {
		e := p.Entries.Items[i].Entry
		if e.Status != board.Disputed && len(e.Contradicts) == 0 {
			continue
		}
		d, err := r.at.Entry(ctx, e.ID)
		if err != nil {
			return err
		}
		others := slices.Clone(e.Contradicts)
		for _, l := range d.Linked {
			if l.Kind == board.Contradicts {
				others = append(others, l.From)
			}
		}
		for _, id := range others {
			settled := slices.ContainsFunc(d.Settled,
				func(s board.Settlement) bool { return s.Other(e.ID) == id })
			if pair := [2]string{min(e.ID, id), max(e.ID, id)}; settled || seen[pair] {
				continue
			} else {
				seen[pair] = true
			}
			other, err := r.at.Entry(ctx, id)
			if err != nil {
				return err
			}
			if other.Entry.Status == board.Superseded {
				continue
			}
			if p.Pairs = append(p.Pairs, livePair{htmlItem{Entry: &other.Entry},
				htmlItem{Entry: e}}); len(p.Pairs) == livePairs {
				return nil
			}
		}
	}
	return nil
}

// WriteRuns writes the page that lists the runs, at most 500: those whose gate waits for an
// answer first, then the one that changed last.
func WriteRuns(w io.Writer, infos []board.Info) error {
	infos = slices.Clone(infos)
	slices.SortStableFunc(infos, func(a, b board.Info) int {
		waits := func(i *board.Info) int { return min(1, int(i.Blocking)) }
		return cmp.Or(cmp.Compare(waits(&b), waits(&a)), b.Updated.Compare(a.Updated))
	})
	const most = 500
	group := htmlGroup{Total: len(infos)}
	return pageTemplate("runs.tmpl").Execute(w, struct {
		Runs   []board.Info
		Hidden int
		Total  int
	}{infos[:min(len(infos), most)], len(infos) - min(len(infos), most), group.Total})
}

// Asset returns a file that the live pages load, and its type.
func Asset(name string) (text, kind string, ok bool) {
	switch name {
	case "style.css":
		return asset(name), "text/css; charset=utf-8", true
	case "live.js":
		return asset(name), "text/javascript; charset=utf-8", true
	}
	return "", "", false
}
