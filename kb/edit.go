package kb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/store"
)

type EditOptions struct {
	Why string
	// Revision is the one that it must have, else it is a conflict; nil: any.
	Revision *int
	Force    bool
}

// Edit changes a capsule. fn receives the current capsule and may change everything but
// the id, the links and the fields that the knowledge base maintains. It is called again
// if others change the capsule at the same time. The old revision stays in the history.
// An edit without a change stores nothing.
func (k *KB) Edit(ctx context.Context, id string, fn func(*Capsule) error, opt EditOptions) (
	Remembered, error) {
	if opt.Revision != nil && *opt.Revision < 0 {
		return Remembered{}, invalid(fmt.Sprintf("%d is not a revision", *opt.Revision), "",
			getStep(clip(id, 60), "{} shows the revision"))
	}
	for try := 0; ; try++ {
		r, again, err := k.editOnce(ctx, id, fn, opt)
		if !again || try == 5 {
			return r, err
		}
	}
}

func (k *KB) editOnce(ctx context.Context, id string, fn func(*Capsule) error, opt EditOptions) (
	r Remembered, again bool, err error) {
	if err := k.PickUp(ctx, id); err != nil {
		return r, false, err
	}
	seen, err := k.Get(ctx, id)
	if err != nil {
		return r, false, err
	}
	c := seen
	c.Tags, c.DomainTags, c.Refs = slices.Clone(seen.Tags), slices.Clone(seen.DomainTags),
		slices.Clone(seen.Refs)
	if err := fn(&c); err != nil {
		return r, false, err
	}
	c.ID, c.Created, c.Revision, c.Supersedes, c.SupersededBy, c.Retired, c.RetiredWhy,
		c.Ingested = seen.ID, seen.Created, seen.Revision, seen.Supersedes, seen.SupersededBy,
		seen.Retired, seen.RetiredWhy, seen.Ingested
	if err := c.Normalise(); err != nil {
		return r, false, err
	}
	if !opt.Force {
		if err := c.CheckSecrets(); err != nil {
			return r, false, err
		}
	}
	r.Warnings, r.Alike = append([]string{}, c.Warnings()...), []Alike{}
	var v embed.Vector
	if embeddingText(&c) != embeddingText(&seen) {
		if v, err = store.Vector(ctx, k.emb, embeddingText(&c), &r.Warnings); err != nil {
			return r, false, err
		}
	}
	err = k.change(ctx, func(ch *change) error {
		old, err := ch.get(id)
		if err != nil {
			return err
		}
		if opt.Revision != nil && old.Revision != *opt.Revision {
			return capsuleError(fault.Conflict, id,
				fmt.Sprintf("%s is at revision %d, not %d: it has changed since", id,
					old.Revision, *opt.Revision), "", getStep(id, "{} shows the current one"))
		}
		if again = old.Revision != seen.Revision; again {
			return capsuleError(fault.Conflict, id,
				id+" was changed by others several times meanwhile",
				"try again")
		}
		if sameContent(old, &c) {
			c, r.Unchanged = *old, true
			return nil
		}
		if old.Ingested != nil {
			return invalid(fmt.Sprintf("%s is a section of %s: the next ingest of a changed file would undo the edit", id, clip(old.Ingested.File, 200)),
				"edit the document and ingest it, or remember a separate capsule")
		}
		if v, err = k.db.Usable(ch.tx, k.emb, v, &r.Warnings); err != nil {
			return err
		}
		if !opt.Force && old.Retired == nil && old.SupersededBy == "" {
			var err error
			if !c.SameTitle(old) { // an existing duplicate title can be edited
				err = ch.checkTitle(&c)
			}
			if err == nil && embeddingText(&c) != embeddingText(old) {
				r.Alike, err = ch.checkSame(&c, v, c.statement(), nil)
			}
			if err != nil {
				if e, ok := fault.Refused(err); ok {
					e.Next = []fault.Step{getStep(e.ID, "{} shows it; change the wording"),
						fault.Give("force", "", "or {} keeps both")}
				}
				return err
			}
		}
		return ch.update(old, &c, v, VerbEdited, "", opt.Why)
	})
	r.Capsule = c
	return r, again && err != nil, err
}

// Text returns a capsule's file as it would be written now, and its revision, for an editor.
func (k *KB) Text(ctx context.Context, id string) ([]byte, int, error) {
	if err := k.PickUp(ctx, id); err != nil {
		return nil, 0, err
	}
	c, err := k.Get(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	text, err := EncodeSidecar(&c, nil)
	return text, c.Revision, err
}

// EditText sets a capsule to an edited file, of which links, times and revision are ignored.
func (k *KB) EditText(ctx context.Context, id string, text []byte, opt EditOptions) (
	Remembered, error) {
	said, _, err := DecodeSidecar(id, text)
	if err != nil {
		return Remembered{}, invalid(fmt.Sprintf("not a valid capsule: %v", err),
			"correct it and try again; nothing was changed")
	}
	return k.Edit(ctx, id, func(c *Capsule) error {
		c.Title, c.Body, c.Kind, c.Scope, c.Tags, c.DomainTags, c.Source,
			c.Confidence = said.Title, said.Body, said.Kind, said.Scope, said.Tags,
			said.DomainTags, said.Source, said.Confidence
		c.VerifiedBy, c.Refs, c.Workspace, c.Project = said.VerifiedBy, said.Refs, said.Workspace,
			said.Project
		return nil
	}, opt)
}

// Retire removes a capsule from searches and lists. Restore undoes it.
func (k *KB) Retire(ctx context.Context, id, why string) (c Capsule, err error) {
	all, err := k.RetireAll(ctx, []string{id}, why)
	if err != nil {
		return c, err
	}
	return all[0], nil
}

// RetireAll is Retire for several capsules: all of them are retired, or none.
func (k *KB) RetireAll(ctx context.Context, ids []string, why string) (all []Capsule, err error) {
	for _, id := range ids {
		if err := CheckID(id); err != nil {
			return nil, err
		}
	}
	if err := CheckText("the reason", why, MaxField, false); err != nil {
		return nil, err
	}
	err = k.change(ctx, func(ch *change) error {
		all = []Capsule{}
		for _, id := range ids {
			old, err := ch.get(id)
			if err != nil {
				return err
			}
			if old.Retired != nil {
				return capsuleError(fault.Conflict, id,
					fmt.Sprintf("%s is already retired, since %s", id,
						old.Retired.Format(time.DateOnly)), "",
					fault.Do("kb.history", "{} shows why", "id", id))
			}
			c := *old
			c.Retired, c.RetiredWhy = &ch.tx.Now, why
			if err := ch.update(old, &c, nil, VerbRetired, "", why); err != nil {
				return err
			}
			all = append(all, c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Event is an entry in the log of changes.
type Event struct {
	Seq      int64     `json:"seq"`
	At       time.Time `json:"at"`
	Actor    string    `json:"actor"`
	Verb     string    `json:"verb"`
	Capsule  string    `json:"capsule"`
	Revision int       `json:"revision"` // the revision that the change created
	Other    string    `json:"other"`    // the other capsule; "": none
	Why      string    `json:"why"`
	Changed  []string  `json:"changed"` // fields
	Before   *Capsule  `json:"before"`  // the previous revision; null for the first
}

// History returns a capsule's changes, the oldest first, also of a deleted one.
func (k *KB) History(ctx context.Context, id string) (events []Event, err error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		events, err = eventsWhere(tx, `capsule = ? ORDER BY seq`, id)
		if err != nil {
			return err
		}
		now, err := capsulesWhere(tx, `id = ?`, id)
		if err != nil {
			return err
		}
		if len(now) == 0 && len(events) == 0 {
			return notFound(id)
		}
		for i := range events {
			after := (*Capsule)(nil)
			for j := i + 1; j < len(events) && after == nil; j++ {
				after = events[j].Before
			}
			if after == nil && len(now) == 1 {
				after = &now[0]
			}
			events[i].Changed = []string{}
			if events[i].Before != nil && after != nil {
				events[i].Changed = changedFields(events[i].Before, after)
			}
		}
		return nil
	})
	return events, err
}

func eventsWhere(tx *sqlite.Tx, where string, args ...any) ([]Event, error) {
	var e Event
	var before string
	events := []Event{}
	err := tx.Each([]any{&e.Seq, sqlite.Time(&e.At), &e.Actor, &e.Verb, &e.Capsule, &e.Revision,
		&e.Other, &e.Why, &before}, func() error {
		if before != "" {
			e.Before = &Capsule{}
			if err := json.Unmarshal([]byte(before), e.Before); err != nil {
				return sqlite.Fault(fault.Corrupt, "",
					fmt.Sprintf("has an event %d that cannot be read", e.Seq), err)
			}
		}
		events = append(events, e)
		e = Event{}
		return nil
	}, `SELECT seq, at, actor, verb, capsule, revision, other, why, before FROM events
		WHERE `+where, args...)
	return events, err
}

func changedFields(a, b *Capsule) []string {
	fields := []string{}
	as, bs := jsonFields(a), jsonFields(b)
	for _, f := range []string{
		"title", "body", "kind", "scope", "tags", "domain_tags", "source", "confidence",
		"verified_by", "supersedes", "superseded_by", "refs", "workspace", "project", "retired"} {
		if string(as[f]) != string(bs[f]) {
			fields = append(fields, f)
		}
	}
	return fields
}

func jsonFields(c *Capsule) (m map[string]json.RawMessage) {
	b, err := json.Marshal(c)
	if err == nil {
		json.Unmarshal(b, &m)
	}
	return m
}

// Revision returns a revision of a capsule, old or current, or fault.NotFound.
func (k *KB) Revision(ctx context.Context, id string, revision int) (c Capsule, err error) {
	if err := CheckID(id); err != nil {
		return c, err
	}
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		found, err := revisionOf(tx, id, revision)
		if err == nil {
			c = *found
		}
		return err
	})
	return c, err
}

func revisionOf(tx *sqlite.Tx, id string, revision int) (*Capsule, error) {
	now, err := capsulesWhere(tx, `id = ?`, id)
	if err != nil {
		return nil, err
	}
	if len(now) == 1 && now[0].Revision == revision {
		return &now[0], nil
	}
	events, err := eventsWhere(tx, `capsule = ? AND before <> '' ORDER BY seq`, id)
	if err != nil {
		return nil, err
	}
	for i := range slices.Backward(events) {
		if events[i].Before.Revision == revision {
			return events[i].Before, nil
		}
	}
	if len(now) == 0 && len(events) == 0 {
		return nil, notFound(id)
	}
	return nil, capsuleError(fault.NotFound, id,
		fmt.Sprintf("%s has no revision %d", id, revision), "",
		fault.Do("kb.history", "{} lists them", "id", id))
}

// Restore makes an old revision of a capsule the current one, as a new revision: its text, its
// fields, and whether it was retired or superseded. If it was superseded and no longer is, the
// decision that both stand is recorded, so that curation leaves the pair alone.
func (k *KB) Restore(ctx context.Context, id string, revision int, why string) (
	c Capsule, err error) {
	if err := CheckID(id); err != nil {
		return c, err
	}
	if err := k.PickUp(ctx, id); err != nil {
		return c, err
	}
	err = k.change(ctx, func(ch *change) error {
		old, err := ch.get(id)
		if err != nil {
			if errors.Is(err, fault.NotFound) {
				if _, e := revisionOf(ch.tx, id, revision); e == nil {
					return capsuleError(fault.NotFound, id,
						id+" was a section of a document that has changed since, and was deleted",
						"",
						fault.Do("kb.history", "{} still shows it", "id", id, "revision",
							fmt.Sprint(revision)))
				}
			}
			return err
		}
		was, err := revisionOf(ch.tx, id, revision)
		if err != nil {
			return err
		}
		c = *was
		c.n, c.Revision, c.DecayScore, c.Retrieved, c.Ingested = old.n, old.Revision,
			old.DecayScore, old.Retrieved, old.Ingested
		if old.Ingested != nil {
			c.Source = old.Source
		}
		if sameContent(old, &c) {
			return capsuleError(fault.Conflict, id,
				fmt.Sprintf("%s is already as it was at revision %d", id, revision),
				"nothing to do")
		}
		if err := ch.checkLinks(old, &c); err != nil {
			return err
		}
		if c.SupersededBy != "" && c.SupersededBy != old.SupersededBy {
			if _, err := ch.row(c.SupersededBy); err != nil {
				return err
			}
		}
		if err := ch.update(old, &c, nil, VerbRestored, "",
			join(fmt.Sprintf("as revision %d", revision), why)); err != nil {
			return err
		}
		var s Synced
		if err := ch.relink(old, &c, &s); err != nil {
			return err
		}
		ch.notes = append(ch.notes, s.Notes...)
		if old.SupersededBy != "" && c.SupersededBy == "" {
			return ch.decide(id, old.SupersededBy, DecisionStand, join("restored", why))
		}
		return nil
	})
	if err == nil && c.Model == "" && k.emb != nil {
		err = k.embedAgain(ctx, &c)
	}
	return c, err
}

// LastActive returns the newest revision in which an inactive capsule was active.
func (k *KB) LastActive(ctx context.Context, id string) (revision int, err error) {
	if err := CheckID(id); err != nil {
		return 0, err
	}
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		now, err := capsulesWhere(tx, `id = ?`, id)
		if err != nil {
			return err
		}
		if len(now) == 0 {
			return notFound(id)
		}
		if now[0].Retired == nil && now[0].SupersededBy == "" {
			say := id + " is neither retired nor superseded"
			if now[0].Revision == 1 {
				return capsuleError(fault.Conflict, id, say, "nothing to do")
			}
			return capsuleError(fault.Conflict, id, say, "",
				fault.Do("kb.history", "{} lists its revisions", "id", id),
				fault.Do("kb.restore", "{} restores one", "id", id, "revision", "N"))
		}
		events, err := eventsWhere(tx, `capsule = ? AND before <> '' ORDER BY seq`, id)
		if err != nil {
			return err
		}
		for _, e := range slices.Backward(events) {
			if e.Before.Retired == nil && e.Before.SupersededBy == "" {
				revision = e.Before.Revision
				return nil
			}
		}
		return capsuleError(fault.NotFound, id, id+" has no revision in which it was active", "",
			fault.Do("kb.history", "{} lists them", "id", id))
	})
	return revision, err
}

// embedAgain embeds a capsule whose text has changed. Until then it is found by words.
func (k *KB) embedAgain(ctx context.Context, c *Capsule) error {
	var notes []string
	v, err := store.Vector(ctx, k.emb, embeddingText(c), &notes)
	if err != nil || v == nil {
		k.note(notes...)
		return err
	}
	return k.change(ctx, func(ch *change) error {
		v, err := k.db.Usable(ch.tx, k.emb, v, &ch.notes)
		if err != nil || v == nil {
			return err
		}
		c.Model, c.Dim = k.emb.Model().Name, k.emb.Model().Dim
		_, err = k.db.SetVectors(ch.tx, k.emb.Model(), docsOf([]Capsule{*c}), []embed.Vector{v})
		return err
	})
}

func join(a, b string) string {
	if b == "" {
		return a
	}
	return a + ": " + b
}

// DecisionStand is the decision that two similar or contradicting capsules both stand.
const DecisionStand = "both stand"

func (ch *change) decide(a, b, decision, why string) error {
	_, err := ch.tx.Exec(`INSERT INTO decisions (a, b, decision, why, actor, at)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (a, b) DO UPDATE
		SET decision = excluded.decision, why = excluded.why, actor = excluded.actor,
		at = excluded.at`, min(a, b), max(a, b), decision, why, ch.k.actor, ch.tx.Now.UnixMilli())
	return err
}

// decisions returns the pairs that somebody has decided on, the smaller number first.
func decisions(tx *sqlite.Tx) (map[[2]int64]bool, error) {
	all := map[[2]int64]bool{}
	var a, b int64
	return all, tx.Each([]any{&a, &b}, func() error {
		all[pairOf(a, b)] = true
		return nil
	}, `SELECT a.n, b.n FROM decisions AS d JOIN capsules AS a ON a.id = d.a
		JOIN capsules AS b ON b.id = d.b`)
}

func pairOf(a, b int64) [2]int64 { return [2]int64{min(a, b), max(a, b)} }
