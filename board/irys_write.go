package board

import (
	"encoding/json"
	"fmt"
)

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
		if err := w.insertSignal(r, id, s.ID, s.extra); err != nil {
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
	if err := w.insertEntry(&p, id, im.src.Entries[i].ID, im.src.Entries[i].extra); err != nil {
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
		value := im.src.extra[v.from]
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
