package board

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// postAll writes prepared posts and fills in out. It may run again in another
// transaction.
func (w *writer) postAll(posts []Post, out []Posted) error {
	posts = slices.Clone(posts) // links are resolved in them
	clear(out)
	byKey := map[string]int64{}
	ids := make([]int64, len(posts))
	next, err := nextID(w.tx, "entries")
	if err != nil {
		return err
	}
	// First every post gets its id, so that links can point forward.
	for i := range posts {
		p := &posts[i]
		if p.Key != "" {
			old, err := entryByKey(w.tx, p.Key)
			if err != nil {
				return err
			}
			if old != nil {
				out[i] = Posted{Entry: *old, Existing: true}
				ids[i], _ = ParseEntryID(old.ID)
				byKey[p.Key] = ids[i]
				continue
			}
		}
		ids[i] = next
		next++
		if p.Key != "" {
			byKey[p.Key] = ids[i]
		}
	}
	// Then all links are resolved. No row is written yet, so a guessed id cannot match
	// one.
	for i := range posts {
		err := w.resolve(&posts[i], ids[i], byKey)
		if err == nil && out[i].Existing {
			err = sameAs(&posts[i], &out[i].Entry)
		}
		if err != nil {
			return prefixed(at(i, len(posts)), err)
		}
	}
	if err := w.takeDuties(posts, ids, out); err != nil {
		return err
	}
	linked := false
	for i := range posts {
		if out[i].Existing {
			continue
		}
		payload := postPayload{Post: posts[i]}
		payload.Worker = "" // the actor says it
		if err := w.eventBy(posts[i].Worker, verbPost, EntryID(ids[i]), payload); err != nil {
			return err
		}
		out[i].Entry = posts[i].entry(EntryID(ids[i]), w.seq, time.UnixMilli(w.at).UTC())
		linked = linked || posts[i].links().Count() > 0
	}
	// Effects come after all rows, in the order of the posts, in the name of their
	// workers.
	actor := w.actor
	for i := range posts {
		if out[i].Existing {
			continue
		}
		w.actor, w.reopened = posts[i].Worker, nil
		if err := w.effects(&posts[i], ids[i]); err != nil {
			return prefixed(at(i, len(posts)), err)
		}
		out[i].Reopened = w.reopened
	}
	w.actor = actor
	for i := range posts {
		if !out[i].Existing && linked { // else it is as it was sent
			e, err := getEntry(w.tx, ids[i])
			if err != nil {
				return err
			}
			out[i].Entry = *e
		}
		for j, id := range out[i].Reopened { // a later post may have answered it anew
			n, _ := ParseSignalID(id)
			if s, err := getSignal(w.tx, n); err != nil {
				return err
			} else if s.Status != SignalOpen {
				out[i].Reopened[j] = ""
			}
		}
		out[i].Reopened = slices.DeleteFunc(out[i].Reopened, func(id string) bool { return id == "" })
	}
	return nil
}

// sameAs reports whether a post under a used key has other content: returning the old
// entry would then lose what is new.
func sameAs(p *Post, old *Entry) error {
	differs := ""
	switch {
	case p.Content != old.Content:
		differs = "another content"
	case p.Type != old.Type:
		differs = "the type " + old.Type
	case p.SourceDoc != old.SourceDoc || p.SourceRef != old.SourceRef:
		differs = "another source"
	case !slices.Equal(p.Sources, old.Sources):
		differs = "another source"
	case p.Evidence != old.Evidence:
		differs = "other evidence"
	// a link may have brought the duty
	case p.MustSurface != old.MustSurface && len(p.Contradicts) == 0 &&
		(p.MustSurface || len(old.Supersedes)+len(old.Contradicts) == 0):
		differs = map[bool]string{true: "must-surface", false: "no must-surface"}[old.MustSurface]
	case (p.Confidence == nil) != (old.Confidence == nil) || p.Confidence != nil &&
		*p.Confidence != *old.Confidence:
		differs = "another confidence"
	case !slices.Equal(p.Tags, old.Tags):
		differs = "other tags"
	}
	for _, kind := range LinkKinds {
		for _, id := range p.links().Of(kind) {
			if !slices.Contains(old.Of(kind), id) {
				differs = "no link that " + kind + " " + id
			}
		}
	}
	if differs == "" {
		return nil
	}
	return conflict(fmt.Sprintf("the key %q was used for %s, with %s", clip(p.Key, 60), old.ID,
		differs),
		"use a new key", fault.Give("supersedes", old.ID, "or {} if this replaces it"))
}

func nextID(tx *store.Tx, table string) (n int64, err error) {
	err = tx.QueryRow(`SELECT coalesce(max(id), 0) + 1 FROM ` + table).Scan(&n)
	return n, err
}

// resolve replaces @key links by ids and checks that every target exists.
func (w *writer) resolve(p *Post, self int64, byKey map[string]int64) error {
	links := p.links()
	for _, kind := range LinkKinds {
		var seen []string
		for _, id := range links.Of(kind) {
			if key, local := strings.CutPrefix(id, "@"); local {
				id = EntryID(byKey[key])
			} else if err := w.target(kind, id, self); err != nil {
				return err
			}
			if !slices.Contains(seen, id) {
				seen = append(seen, id)
			}
		}
		*links.of(kind) = seen
	}
	p.SetLinks(*links)
	return nil
}

// target checks that a link of this kind from entry self may point at id.
func (w *writer) target(kind, id string, self int64) error {
	table, parse := "entries", ParseEntryID
	if kind == Addresses {
		table, parse = "signals", ParseSignalID
	}
	n, err := parse(id)
	if err != nil {
		return err
	}
	if kind != Addresses && n == self {
		return invalid(fmt.Sprintf("%s would link to itself", id),
			"name the entry that was there before")
	}
	var one int
	err = w.tx.QueryRow(`SELECT 1 FROM `+table+` WHERE id = ?`, n).Scan(&one)
	if store.IsNoRows(err) {
		what := map[string]string{"entries": "entry", "signals": "signal"}[table]
		return notFound(fmt.Sprintf("there is no %s %s on this board", what, id), "",
			fault.Do("entry.list", "{} lists entries"), fault.Do("signal.list", "{} lists signals"))
	}
	return err
}

// entry returns the entry for a prepared, resolved post.
func (p *Post) entry(id string, seq int64, at time.Time) Entry {
	e := Entry{ID: id, Seq: seq, Created: at, Type: p.Type, Status: Active, Content: p.Content,
		SourceDoc: p.SourceDoc, SourceRef: p.SourceRef, Evidence: p.Evidence, Sources: p.Sources,
		Confidence: p.Confidence, Worker: p.Worker, Tags: p.Tags,
		MustSurface: p.MustSurface, Links: *p.links(), Key: p.Key}
	e.notNil()
	return e
}

// asPost is the post that would make the entry.
func (e *Entry) asPost() Post {
	p := Post{Type: e.Type, Content: e.Content, SourceDoc: e.SourceDoc, SourceRef: e.SourceRef,
		Evidence: e.Evidence, Sources: e.Sources, Confidence: e.Confidence, Tags: e.Tags,
		MustSurface: e.MustSurface, Key: e.Key}
	p.SetLinks(e.Links)
	return p
}
