package kb

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
)

// Incoming is a capsule as a source has it, before it is stored. Its id is set only by our own export and our own sidecars, and its times only if the source has them.
type Incoming struct {
	Capsule Capsule  `json:"capsule"`
	From    string   `json:"from"`  // file:line, file, or table and id
	Notes   []string `json:"notes"` // what of it is kept in another form, or could not be kept
}

// ImportSet is all that a source holds: every record of it is an item, or refused, or told of in the notes.
type ImportSet struct {
	Format  string     `json:"format"`
	Items   []Incoming `json:"items"`
	Refused []Refused  `json:"refused"`
	Notes   []string   `json:"notes"`
}

// ImportOptions say how an import is done.
type ImportOptions struct {
	DryRun      bool // everything is looked at, nothing is stored
	Force       bool // takes what looks like a capsule that is there, or holds what looks like a secret; and a capsule of the same id in place of the one here
	NoEmbedding bool
	Progress    func(what string, done, of int)
}

// Imported is what became of an import set: each of its items is in one of the lists.
type Imported struct {
	Stored  []Incoming `json:"stored"`  // with the ids that they have here
	Changed []Incoming `json:"changed"` // their id was here, and its text was another
	Already []Refused  `json:"already"` // are here: nothing is to be done
	Refused []Refused  `json:"refused"` // cannot be stored, and why; those of the set among them
	Notes   []string   `json:"notes"`
}

// errDryRun undoes a change that was only tried.
var errDryRun = errors.New("dry run")

// importBatch is how many capsules are stored in one change.
const importBatch = 200

// Import stores what a source holds. A capsule that has an id keeps it, with its times and links; others are stored as Remember does. What is here already is left alone, so an import
// can be repeated. It goes in steps of some hundred capsules, each of them kept.
func (k *KB) Import(ctx context.Context, set *ImportSet, opt ImportOptions) (out Imported, err error) {
	out = Imported{Stored: []Incoming{}, Changed: []Incoming{}, Already: []Refused{}, Refused: append([]Refused{}, set.Refused...), Notes: append([]string{}, set.Notes...)}
	var notes []string
	for at := 0; at < len(set.Items); at += importBatch {
		part := set.Items[at:min(at+importBatch, len(set.Items))]
		if opt.Progress != nil {
			opt.Progress("importing", at, len(set.Items))
		}
		vectors := make([]embed.Vector, len(part))
		if k.emb != nil && !opt.NoEmbedding && !opt.DryRun {
			texts := make([]string, len(part))
			for i := range part {
				texts[i] = embeddingText(&part[i].Capsule)
			}
			vs, err := k.emb.Embed(ctx, texts)
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			if err != nil {
				notes = append(notes, fmt.Sprintf("some capsules have no embedding: %v", err))
			} else {
				vectors = vs
			}
		}
		var now Imported
		store := func(ch *change) error {
			now, ch.dry = Imported{}, opt.DryRun
			for i := range part {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := ch.importOne(part[i], vectors[i], &opt, &now); err != nil {
					return err
				}
			}
			if opt.DryRun {
				return errDryRun
			}
			return nil
		}
		if err := k.change(ctx, store); err != nil && !errors.Is(err, errDryRun) {
			return out, err
		}
		out.Stored, out.Changed = append(out.Stored, now.Stored...), append(out.Changed, now.Changed...)
		out.Already, out.Refused = append(out.Already, now.Already...), append(out.Refused, now.Refused...)
		notes = append(notes, now.Notes...)
	}
	if !opt.DryRun {
		if err := k.linkImported(ctx, set, &out); err != nil {
			return out, err
		}
	}
	slices.Sort(notes)
	out.Notes = append(out.Notes, slices.Compact(notes)...)
	if opt.Progress != nil {
		opt.Progress("importing", len(set.Items), len(set.Items))
	}
	return out, nil
}

func (ch *change) importOne(in Incoming, v embed.Vector, opt *ImportOptions, out *Imported) error {
	c := in.Capsule
	refuse := func(why string) { out.Refused = append(out.Refused, Refused{in.From, why}) }
	if err := c.Normalise(); err != nil {
		refuse(err.Error())
		return nil
	}
	if !opt.Force {
		if err := refuseSecret(&c); err != nil {
			refuse(err.Error())
			return nil
		}
	}
	v, err := ch.k.db.Usable(ch.tx, ch.k.emb, v, &out.Notes)
	if err != nil {
		return err
	}
	if c.ID != "" {
		if err := CheckID(c.ID); err != nil {
			refuse(err.Error())
			return nil
		}
		old, err := ch.get(c.ID)
		switch {
		case err == nil:
			return ch.importOver(old, &c, in, v, opt, out)
		case !errors.Is(err, fault.NotFound):
			return err
		}
	}
	if !opt.Force && c.ID == "" { // a capsule with an id of its own is what it is
		alike, err := ch.checkDuplicate(&c, v)
		for _, a := range alike {
			in.Notes = append(in.Notes, fmt.Sprintf("it is like %s: %q", a.ID, clip(a.Title, 80)))
		}
		if e, ok := fault.Refused(err); ok {
			old, err := ch.row(e.ID)
			if err != nil {
				return err
			}
			if titleKey(old.Title) == titleKey(c.Title) && plainText(old) != plainText(&c) {
				refuse(fmt.Sprintf("%s and says something else: edit that one, or force this one in beside it", e.Msg))
			} else {
				out.Already = append(out.Already, Refused{in.From, e.Msg})
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
	c.Ingested = nil // its document is not here
	created, updated := c.Created, c.Updated
	if c.ID == "" {
		// Links to capsules by ids of elsewhere make no sense here.
		c.Supersedes, c.SupersededBy = []string{}, ""
		c.ID = newID()
	}
	c.Created, c.Updated = ch.tx.Now, ch.tx.Now
	if sensible(created, ch.tx.Now) {
		c.Created = Stamp(created)
	}
	if sensible(updated, ch.tx.Now) && !updated.Before(c.Created) {
		c.Updated = Stamp(updated)
	}
	c.Revision, c.DecayScore, c.Retrieved = max(1, c.Revision), max(0, min(1, c.DecayScore)), nil
	if err := ch.add(&c, v, VerbImported, in.From); err != nil {
		return err
	}
	in.Capsule = c
	out.Stored = append(out.Stored, in)
	return nil
}

// sensible is a time that something can have been made at.
func sensible(t, now time.Time) bool { return t.Year() >= 1970 && t.UnixMilli() > 0 && !t.After(now) }

// importOver deals with a capsule whose id is here.
func (ch *change) importOver(old, c *Capsule, in Incoming, v embed.Vector, opt *ImportOptions, out *Imported) error {
	c.Ingested = old.Ingested
	c.n, c.Created, c.DecayScore, c.Retrieved = old.n, old.Created, old.DecayScore, old.Retrieved
	if err := ch.linksOver(old, c); err != nil {
		return err
	}
	if sameContent(old, c) {
		out.Already = append(out.Already, Refused{in.From, c.ID + " is here, and the same"})
		return nil
	}
	if c.SupersededBy != old.SupersededBy {
		in.Notes = append(in.Notes, fmt.Sprintf("%s is here, and stands: it is superseded now, by %s", c.ID, c.SupersededBy))
	}
	if differ := changed(old, c); !opt.Force && !slices.Equal(differ, []string{"superseded_by"}) {
		out.Refused = append(out.Refused, Refused{in.From, fmt.Sprintf("%s is here at revision %d and says something else (%s); with force this one is taken, and the other is kept in its history", c.ID, old.Revision, strings.Join(differ, ", "))})
		return nil
	}
	if err := ch.update(old, c, v, VerbImported, "", in.From); err != nil {
		return err
	}
	in.Capsule = *c
	out.Changed = append(out.Changed, in)
	return nil
}

// linksOver decides how a capsule is linked that is here already. What is linked here stays linked.
// That it was superseded since is taken over, unless somebody here has made it stand again.
func (ch *change) linksOver(old, c *Capsule) error {
	by := c.SupersededBy
	c.Supersedes, c.SupersededBy = old.Supersedes, old.SupersededBy
	if by != "" && c.Retired == nil { // perhaps for want of what superseded it
		c.Retired, c.RetiredWhy = old.Retired, old.RetiredWhy
	}
	if by == "" || old.SupersededBy != "" || old.Retired != nil {
		return nil
	}
	var was bool // superseded here, once
	err := ch.tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM events WHERE capsule = ? AND before <> '' AND before ->> 'superseded_by' <> '')`, old.ID).Scan(&was)
	if err == nil && !was {
		c.SupersededBy = by
	}
	return err
}

// linkImported makes both ends of the links of imported capsules say the same, now that all are here.
func (k *KB) linkImported(ctx context.Context, set *ImportSet, out *Imported) error {
	var linked []string
	for _, in := range set.Items { // those that were here already too: an import may have been interrupted before it came to this
		if c := &in.Capsule; c.ID != "" && (len(c.Supersedes) > 0 || c.SupersededBy != "") {
			linked = append(linked, c.ID)
		}
	}
	half, err := k.halfLinked(ctx, out.Stored)
	if err != nil {
		return err
	}
	linked = append(linked, half...)
	var s Synced
	for part := range slices.Chunk(linked, importBatch) {
		if err := k.change(ctx, func(ch *change) error {
			for _, id := range part {
				c, err := ch.get(id)
				if errors.Is(err, fault.NotFound) {
					continue // refused
				}
				if err != nil {
					return err
				}
				if by := c.SupersededBy; by != "" {
					if _, err := ch.row(by); errors.Is(err, fault.NotFound) {
						why := by + ", which superseded it, is not here"
						s.Notes = append(s.Notes, fmt.Sprintf("%s is retired: %s", id, why))
						now := *c
						now.SupersededBy = ""
						if now.Retired == nil {
							now.Retired, now.RetiredWhy = &ch.tx.Now, why
						}
						if err := ch.update(c, &now, nil, VerbImported, "", why); err != nil {
							return err
						}
						c = &now
					} else if err != nil {
						return err
					}
				}
				if err := ch.checkLinks(nil, c); err != nil {
					s.Notes = append(s.Notes, fmt.Sprintf("%s: %v; its links are left out", id, err))
					now := *c
					now.Supersedes, now.SupersededBy = []string{}, ""
					if err := ch.update(c, &now, nil, VerbImported, "", "its links go in a circle"); err != nil {
						return err
					}
					continue
				}
				if err := ch.relink(&Capsule{}, c, &s); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	out.Notes = append(out.Notes, s.Notes...)
	return nil
}

// halfLinked returns the capsules that were here before one which they say they supersede.
func (k *KB) halfLinked(ctx context.Context, stored []Incoming) (ids []string, err error) {
	came := make([]string, len(stored))
	for i := range stored {
		came[i] = stored[i].Capsule.ID
	}
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		ids, err = sqlite.Column[string](tx, `SELECT DISTINCT b.id FROM capsules AS b, json_each(b.supersedes) AS s JOIN capsules AS c ON c.id = s.value
			WHERE b.supersedes <> '[]' AND c.superseded_by = '' AND c.id IN (SELECT value FROM json_each(?))`, sqlite.List(came))
		return err
	})
	return ids, err
}

// Export yields every capsule, the oldest first; those that are superseded or retired too.
func (k *KB) Export(ctx context.Context, q ListQuery) iter.Seq2[Capsule, error] {
	return func(yield func(Capsule, error) bool) {
		stop := errors.New("stop")
		err := k.db.Read(ctx, func(tx *sqlite.Tx) error {
			var after int64
			for {
				caps, err := capsulesWhere(tx, `n > ? AND (? OR ingest_file = '') ORDER BY n LIMIT 1000`, after, q.Documents)
				if err != nil || len(caps) == 0 {
					return err
				}
				after = caps[len(caps)-1].n
				for i := range caps {
					if !q.matches(&caps[i]) {
						continue
					}
					if !yield(caps[i], nil) {
						return stop
					}
				}
			}
		})
		if err != nil && err != stop {
			yield(Capsule{}, err)
		}
	}
}

// matches is List's filter for one capsule.
func (q *ListQuery) matches(c *Capsule) bool {
	has := func(want []string, have ...string) bool {
		return len(want) == 0 || slices.ContainsFunc(want, func(w string) bool { return slices.Contains(have, w) })
	}
	for _, t := range q.Tags {
		if !slices.Contains(c.Tags, t) {
			return false
		}
	}
	return has(q.Kinds, c.Kind) && has(q.Scopes, c.Scope) && has(q.DomainTags, c.DomainTags...) && has(q.Workspaces, c.Workspace) && has(q.Projects, c.Project) &&
		(q.Superseded || c.SupersededBy == "") && (q.Retired || c.Retired == nil)
}
