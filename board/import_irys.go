package board

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/foreign"
	"blackboard/kb/secret"
)

// irysImport turns an Irys board into steps on ours. Ids of the source repeat, so a
// reference by id means the nearest earlier one (see resolve). Entries and signals get new
// ids; the old ones are kept as external ids.
//
// First the seed signals; then each
// entry with the links whose targets exist, followed by its answers and questions; last,
// what expired.
type irysImport struct {
	src      *foreign.Irys
	must     []string
	posts    []Post
	links    []Links // by position: e<n+1> and s<n+1>-to-be of the source order
	answers  map[int][]int
	raised   map[int][]int // entry (-1: none) → the signals that arose from it
	notes    []string
	signalID []int64 // our ids, once raised
}

func importIrys(ctx context.Context, dir, worker string, r *bufio.Reader,
	opt ImportOptions) (Imported, error) {
	data, err := io.ReadAll(io.LimitReader(r, foreign.MaxIrys+1))
	if err != nil {
		return Imported{}, err
	}
	secret.MaskWrite(ctx, func(m *secret.Masker) { data = m.JSON("the board", "", data) })
	src, err := foreign.ReadIrys(data)
	if err != nil {
		return Imported{}, err
	}
	if opt.Run == "" {
		return Imported{}, invalid("an Irys board does not say what its run is called", "",
			fault.Give("run", "", "name it with {}"))
	}
	im := &irysImport{src: src, must: opt.MustSurface, answers: map[int][]int{},
		raised: map[int][]int{}, notes: []string{},
		signalID: make([]int64, len(src.Signals))}
	if err := im.prepare(); err != nil {
		return Imported{}, err
	}
	b, err := OpenOrCreate(ctx, dir, opt.Run)
	if err != nil {
		return Imported{}, err
	}
	defer b.Close()
	out := Imported{Run: opt.Run, Format: "irys", Entries: len(src.Entries),
		Signals: len(src.Signals), Notes: im.notes}
	err = b.write(ctx, worker, func(w *writer) error {
		if err := w.mustBeNew(opt.Run); err != nil {
			return err
		}
		if err := w.event(verbImport, opt.Run, importPayload{Name: opt.Run, Format: "irys",
			Source: opt.Source, Extra: src.Extra}); err != nil {
			return err
		}
		if err := im.write(w); err != nil {
			return err
		}
		if out.Variables, err = im.writeSpent(w); err != nil {
			return err
		}
		out.Events = w.seq
		return w.tx.QueryRow(`SELECT count(*) FROM links`).Scan(&out.Links)
	}, withGoal(src.Task))
	return out, err
}

// prepare checks every entry and signal and resolves all references, without touching a
// board.
func (im *irysImport) prepare() error {
	if err := checkText("the task", im.src.Task, MaxContent, false); err != nil {
		return err
	}
	entries, signals := map[string][]int{}, map[string][]int{}
	for i, e := range im.src.Entries {
		entries[e.ID] = append(entries[e.ID], i)
	}
	for i, s := range im.src.Signals {
		signals[s.ID] = append(signals[s.ID], i)
	}
	im.links = make([]Links, len(im.src.Entries))
	for i := range im.src.Entries {
		if err := im.prepareEntry(i, entries, signals); err != nil {
			return err
		}
	}
	after := make([][]int, len(im.links))
	for i, l := range im.links {
		for _, id := range l.Supersedes {
			n, _ := ParseEntryID(id)
			after[i] = append(after[i], int(n)-1)
		}
	}
	if c := cycle(after); c != nil {
		names := make([]string, len(c))
		for k, i := range c {
			names[k] = im.src.Entries[i].ID
		}
		return invalid("entries of the source supersede each other in a cycle: "+strings.Join(names,
			" → "), "remove one of the links in the source")
	}
	for i := range im.src.Signals {
		if err := im.prepareSignal(i, entries); err != nil {
			return err
		}
	}
	return nil
}

func (im *irysImport) prepareEntry(i int, entries, signals map[string][]int) error {
	e := &im.src.Entries[i]
	where := fmt.Sprintf("entry %s (number %d): ", clip(e.ID, 60), i+1)
	if err := checkText("the id", e.ID, MaxName, true); err != nil {
		return prefixed(where, err)
	}
	p := Post{Type: e.Type, Content: e.Content, Confidence: e.Confidence, Tags: e.Tags,
		Worker: e.CreatedBy.Worker}
	if p.Type == "" {
		return prefixed(where, unknown("type", "", EntryTypes))
	}
	if p.Worker == "" {
		p.Worker = "irys"
	}
	if e.Source != nil {
		p.SourceDoc, p.SourceRef, p.Evidence = e.Source.Document, e.Source.Section,
			e.Source.Evidence
	}
	if e.Status != "" && !slices.Contains(EntryStatuses, e.Status) {
		return prefixed(where, unknown("status", e.Status, EntryStatuses))
	}
	if n := len(e.Supports) + len(e.Contradicts) + len(e.Supersedes) +
		len(e.Addresses); n > MaxLinks {
		return invalid(fmt.Sprintf("%sit has %d links; at most %d are allowed", where, n, MaxLinks),
			"leave some of them out in the source")
	}
	var leftOut []string
	for _, kind := range LinkKinds {
		from := map[string][]string{Supports: e.Supports, Contradicts: e.Contradicts,
			Supersedes: e.Supersedes, Addresses: e.Addresses}[kind]
		for _, id := range from {
			var target string
			if kind == Addresses {
				if j := im.answered(signals[id], e.ID); j >= 0 {
					target = SignalID(int64(j) + 1)
					p.MustSurface = p.MustSurface || slices.Contains(im.must,
						im.src.Signals[j].Priority)
				}
			} else if j := resolve(entries[id], i); j >= 0 {
				target = EntryID(int64(j) + 1)
			}
			list := im.links[i].of(kind)
			if target == "" || slices.Contains(*list, target) {
				leftOut = append(leftOut, kind+" "+id)
				im.notes = append(im.notes,
					fmt.Sprintf("entry %s %s %s, which is not another entry or signal of the "+
						"source: the link is kept in the log only", clip(e.ID, 40), kind,
						clip(id, 40)))
				continue
			}
			*list = append(*list, target)
		}
	}
	e.Extra = keepLeftOut(e.Extra, leftOut)
	if err := p.prepare(); err != nil {
		return prefixed(where, err)
	}
	im.posts = append(im.posts, p)
	return nil
}

// keepLeftOut keeps in the log the links that have no target, or are repeated.
func keepLeftOut(extra map[string]json.RawMessage, links []string) map[string]json.RawMessage {
	if len(links) == 0 {
		return extra
	}
	var kept []string
	json.Unmarshal(extra["links_left_out"], &kept)
	data, _ := json.Marshal(append(kept, links...)) // strings always marshal
	extra["links_left_out"] = data
	return extra
}

// resolve picks the entry that a reference from entry i means: the nearest before it,
// else the first after it, never i itself; -1 for none.
func resolve(candidates []int, i int) int {
	at, itself := slices.BinarySearch(candidates, i)
	switch {
	case at > 0:
		return candidates[at-1]
	case itself:
		at++
	}
	if at < len(candidates) {
		return candidates[at]
	}
	return -1
}

// answered picks the signal that an entry answers: the one that names the entry too, else
// one that was addressed, else the first.
func (im *irysImport) answered(candidates []int, entry string) int {
	best := -1
	for _, c := range candidates {
		s := &im.src.Signals[c]
		switch {
		case s.AddressedBy != nil && *s.AddressedBy == entry:
			return c
		case best < 0, s.Status == Addressed && im.src.Signals[best].Status != Addressed:
			best = c
		}
	}
	return best
}

func (im *irysImport) prepareSignal(i int, entries map[string][]int) error {
	s := &im.src.Signals[i]
	where := fmt.Sprintf("signal %s (number %d): ", clip(s.ID, 60), i+1)
	if err := checkText("the id", s.ID, MaxName, true); err != nil {
		return prefixed(where, err)
	}
	if s.Priority == "" {
		return prefixed(where, unknown("priority", "", Priorities))
	}
	if err := (&Raise{Content: s.Content, Priority: s.Priority}).prepare(); err != nil {
		return prefixed(where, err)
	}
	if !slices.Contains([]string{SignalOpen, Addressed, Waived, "expired"}, s.Status) {
		return prefixed(where, unknown("status", s.Status,
			[]string{SignalOpen, Addressed, "expired"}))
	}
	if s.Status == Addressed {
		by := -1
		if s.AddressedBy != nil {
			by = im.answerer(entries[*s.AddressedBy], s.ID)
		}
		if by < 0 {
			return invalid(where+"it is addressed, but by no entry of the source",
				"mark it open in the source, or name the entry in addressed_by")
		}
		im.answers[by] = append(im.answers[by], i)
	}
	origin := -1
	if from := entries[s.Origin]; len(from) > 0 {
		origin = from[0]
	}
	im.raised[origin] = append(im.raised[origin], i)
	return nil
}

// answerer picks the entry that addressed a signal: one that says so, else the first with
// that id; -1 for none.
func (im *irysImport) answerer(candidates []int, signal string) int {
	for _, c := range candidates {
		if slices.Contains(im.src.Entries[c].Addresses, signal) {
			return c
		}
	}
	if len(candidates) > 0 {
		return candidates[0]
	}
	return -1
}

func (im *irysImport) write(w *writer) error {
	clear(im.signalID)
	operator := w.actor
	answeredBy := map[int]int{}
	for by, signals := range im.answers {
		for _, s := range signals {
			answeredBy[s] = by
		}
	}
	later := map[string][]pendingLink{} // links whose target comes later, by target
	posted := 0
	raise := func(i, origin int) error {
		s := &im.src.Signals[i]
		w.actor = "irys"
		r := Raise{Content: s.Content, Priority: s.Priority}
		if origin >= 0 {
			r.Origin, w.actor = EntryID(int64(origin)+1), im.posts[origin].Worker
		} else if s.Origin != "" && checkWorker(s.Origin) == nil {
			w.actor = s.Origin // the source's name for a planner: seed_plan
		}
		id, err := nextID(w.tx, "signals")
		if err != nil {
			return err
		}
		im.signalID[i] = id
		if err := w.insertSignal(r, id, s.ID, s.Extra); err != nil {
			return err
		}
		if err := im.linkLater(w, later[fmt.Sprint("s", i)]); err != nil {
			return err
		}
		if by, ok := answeredBy[i]; ok && by < posted {
			w.actor = im.posts[by].Worker
			return w.closeSignal(id, Addressed, verbAddress,
				addressPayload{By: EntryID(int64(by) + 1)})
		}
		return nil
	}
	for _, i := range im.raised[-1] {
		if err := raise(i, -1); err != nil {
			return err
		}
	}
	for i := range im.posts {
		if err := im.writeEntry(w, i, later); err != nil {
			return err
		}
		posted = i + 1
		for _, s := range im.answers[i] {
			if id := im.signalID[s]; id > 0 {
				w.actor = im.posts[i].Worker
				if err := w.closeSignal(id, Addressed, verbAddress,
					addressPayload{By: EntryID(int64(i) + 1)}); err != nil {
					return err
				}
			}
		}
		for _, s := range im.raised[i] {
			if err := raise(s, i); err != nil {
				return err
			}
		}
	}
	w.actor = operator
	return im.finish(w)
}

// pendingLink is a link whose target does not exist yet.
type pendingLink struct {
	src  int64
	kind string
	id   func() string // the target, once it is there
}

// writeEntry posts entry i with the links whose targets exist. The others wait in later.
func (im *irysImport) writeEntry(w *writer, i int, later map[string][]pendingLink) error {
	p, id := im.posts[i], int64(i)+1
	links := p.links()
	for _, kind := range LinkKinds {
		for _, target := range im.links[i].Of(kind) {
			n, err := targetID(kind, target)
			if err != nil {
				return err
			}
			j := int(n) - 1
			switch {
			case kind == Addresses && im.signalID[j] > 0:
				links.Addresses = append(links.Addresses, SignalID(im.signalID[j]))
			case kind == Addresses:
				key := fmt.Sprint("s", j)
				later[key] = append(later[key], pendingLink{id, kind,
					func() string { return SignalID(im.signalID[j]) }})
			case j < i:
				list := links.of(kind)
				*list = append(*list, target)
			default:
				key := fmt.Sprint("e", j)
				later[key] = append(later[key], pendingLink{id, kind,
					func() string { return target }})
			}
		}
	}
	p.SetLinks(*links)
	w.actor = p.Worker
	if err := w.insertEntry(&p, id, im.src.Entries[i].ID, im.src.Entries[i].Extra); err != nil {
		return err
	}
	// what it addresses, the source says itself
	for _, kind := range []string{Contradicts, Supersedes} {
		for _, target := range links.Of(kind) {
			dst, err := ParseEntryID(target)
			if err != nil {
				return err
			}
			if err := w.effect(id, kind, dst); err != nil {
				return err
			}
		}
	}
	return im.linkLater(w, later[fmt.Sprint("e", i)])
}

// linkLater adds links whose target exists now.
func (im *irysImport) linkLater(w *writer, links []pendingLink) error {
	for _, l := range links {
		w.actor = im.posts[l.src-1].Worker
		if err := w.event(verbLink, EntryID(l.src),
			linkPayload{Kind: l.kind, Target: l.id()}); err != nil {
			return err
		}
		if err := w.linkRow(l.src, l.kind, l.id()); err != nil {
			return err
		}
		if l.kind == Addresses {
			continue
		}
		dst, err := targetID(l.kind, l.id())
		if err != nil {
			return err
		}
		if err := w.effect(l.src, l.kind, dst); err != nil {
			return err
		}
	}
	return nil
}

// finish closes signals that the source closed without an answer, and sets statuses that
// no link explains.
func (im *irysImport) finish(w *writer) error {
	for i := range im.src.Signals {
		if s := &im.src.Signals[i]; s.Status == "expired" || s.Status == Waived {
			if err := w.closeSignal(im.signalID[i], Waived, verbWaive,
				waivePayload{s.Status}); err != nil {
				return err
			}
		}
	}
	for i := range im.src.Entries {
		note := byPayload{Note: "so in the source"}
		switch e := &im.src.Entries[i]; e.Status {
		case Disputed:
			if err := w.setStatus(int64(i)+1, Active, Disputed, verbDispute, note); err != nil {
				return err
			}
		case Superseded:
			if err := w.setStatus(int64(i)+1, "", Superseded, verbSupersede, note); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeSpent sets the variables for what the run has spent, and returns how many.
func (im *irysImport) writeSpent(w *writer) (n int, err error) {
	for _, v := range []struct{ from, to string }{
		{"total_tokens_used", TokensVariable}, {"token_budget", BudgetVariable},
	} {
		var number float64
		value := im.src.Extra[v.from]
		if value == nil || json.Unmarshal(value, &number) != nil {
			continue
		}
		set := Variable{Key: v.to, Value: value, Version: 1, Updated: w.tx.Now, Worker: w.actor}
		if err := w.event(verbSet, v.to, setPayload{Value: value,
			Version: set.Version}); err != nil {
			return n, err
		}
		if err := w.variableRow(set); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
