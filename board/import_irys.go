package board

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"blackboard/board/fault"
	"blackboard/board/foreign"
	"blackboard/kb/secret"
)

// irysImport reads an Irys board. Ids of the source repeat, so a reference by id means the
// nearest earlier one (see resolve). Entries and signals get new ids, in their order; the
// old ones are kept as external ids.
type irysImport struct {
	*stateImport
	src  *foreign.Irys
	must []string
	now  time.Time // of everything, since the source has no times
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
	im := &irysImport{stateImport: newStateImport(opt, "irys", worker), src: src,
		must: opt.MustSurface, now: time.Now().UTC().Truncate(time.Millisecond)}
	im.goal, im.source.Extra = src.Task, src.Extra
	if err := im.prepare(); err != nil {
		return Imported{}, err
	}
	im.spent(worker)
	return im.writeTo(ctx, dir, worker, opt)
}

// prepare checks every entry and signal and resolves all references.
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
	for i := range im.src.Entries {
		if err := im.prepareEntry(i, entries, signals); err != nil {
			return err
		}
	}
	im.imply()
	for i := range im.src.Signals {
		if err := im.prepareSignal(i, entries); err != nil {
			return err
		}
	}
	return nil
}

// imply gives entries the statuses that follow from links, where the source does not.
func (im *irysImport) imply() {
	imply := func(kind, status string) {
		for i := range im.entries {
			if im.entries[i].status == Superseded && kind == Contradicts {
				continue // its dispute has ended
			}
			for _, id := range im.entries[i].post.links().Of(kind) {
				n, _ := ParseEntryID(id) // made from a position
				if e := &im.entries[n-1]; e.status == Active || kind == Supersedes {
					e.status = status
				}
			}
		}
	}
	imply(Supersedes, Superseded)
	imply(Contradicts, Disputed)
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
	var links Links
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
			list := links.of(kind)
			if target == "" || slices.Contains(*list, target) {
				leftOut = append(leftOut, kind+" "+id)
				im.note("entry %s %s %s, which is not another entry or signal of the source: "+
					"the link is kept in the log only", clip(e.ID, 40), kind, clip(id, 40))
				continue
			}
			*list = append(*list, target)
		}
	}
	e.Extra = keepLeftOut(e.Extra, leftOut)
	if err := p.prepare(); err != nil {
		return prefixed(where, err)
	}
	p.SetLinks(links)
	im.entries = append(im.entries, importedEntry{post: postPayload{Post: p, ExternalID: e.ID,
		Extra: e.Extra}, at: im.now, status: cmp.Or(e.Status, Active)})
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
	g := importedSignal{raise: signalPayload{Raise: Raise{Content: s.Content,
		Priority: s.Priority}, ExternalID: s.ID, Extra: s.Extra}, at: im.now, worker: "irys",
		status: s.Status, by: -1, after: -1}
	if err := g.raise.prepare(); err != nil {
		return prefixed(where, err)
	}
	if !slices.Contains([]string{SignalOpen, Addressed, Waived, "expired"}, s.Status) {
		return prefixed(where, unknown("status", s.Status,
			[]string{SignalOpen, Addressed, "expired"}))
	}
	if s.Status == Addressed {
		if s.AddressedBy != nil {
			g.by = im.answerer(entries[*s.AddressedBy], s.ID)
		}
		if g.by < 0 {
			return invalid(where+"it is addressed, but by no entry of the source",
				"mark it open in the source, or name the entry in addressed_by")
		}
	}
	if s.Status == Waived || s.Status == "expired" {
		g.status, g.reason = Waived, s.Status
	}
	if from := entries[s.Origin]; len(from) > 0 {
		g.after = from[0]
		g.raise.Origin, g.worker = EntryID(int64(g.after)+1), im.entries[g.after].post.Worker
	} else if s.Origin != "" && checkWorker(s.Origin) == nil {
		g.worker = s.Origin // the source's name for a planner: seed_plan
	}
	im.signals = append(im.signals, g)
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

// spent sets the variables for what the run has spent.
func (im *irysImport) spent(worker string) {
	for _, v := range []struct{ from, to string }{
		{"total_tokens_used", TokensVariable}, {"token_budget", BudgetVariable},
	} {
		var number float64
		value := im.src.Extra[v.from]
		if value != nil && json.Unmarshal(value, &number) == nil {
			im.set = append(im.set, Variable{Key: v.to, Value: value, Version: 1, Worker: worker})
		}
	}
}
