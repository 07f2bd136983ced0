package kb

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"blackboard/board/clash"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

// Incoming is a capsule from a source, with an id only if that is ours.
type Incoming struct {
	Capsule Capsule  `json:"capsule"`
	From    string   `json:"from"`  // file:line, file, or table and id
	Notes   []string `json:"notes"` // what was converted, or could not be kept

	said    clash.Said // what it says
	refused error      // what is wrong with it by itself
}

// ImportSet is a source's content: each record is an item, refused, or in the notes.
type ImportSet struct {
	Format  string     `json:"format"`
	Items   []Incoming `json:"items"`
	Refused []Refused  `json:"refused"`
	Notes   []string   `json:"notes"`
}

type ImportOptions struct {
	DryRun bool // check everything, store nothing
	// store duplicates and suspected secrets, and replace capsules that have the same id
	Force       bool
	NoEmbedding bool
	Progress    func(what string, done, of int)
}

// Imported is the result of an import. Each item is in one of the lists.
type Imported struct {
	Stored  []Incoming `json:"stored"`  // new capsules, with their ids here
	Changed []Incoming `json:"changed"` // capsules that were replaced
	Already []Refused  `json:"already"` // items that exist here already
	// items that cannot be stored, including those refused by the reader
	Refused []Refused `json:"refused"`
	Notes   []string  `json:"notes"`
}

var errDryRun = errors.New("dry run")

var importBatch = 2000 // tests have smaller ones

// Import stores the content of a source. A capsule with an id keeps it, with its times
// and links; others are stored as by Remember. What exists already is skipped, so an
// import can be repeated. It is done in batches, each committed by itself.
func (k *KB) Import(ctx context.Context, set *ImportSet, opt ImportOptions) (
	out Imported, err error) {
	out = Imported{Stored: []Incoming{}, Changed: []Incoming{}, Already: []Refused{},
		Refused: append([]Refused{}, set.Refused...), Notes: append([]string{}, set.Notes...)}
	var notes []string
	compares := !opt.Force && slices.ContainsFunc(set.Items,
		func(in Incoming) bool { return in.Capsule.ID == "" })
	var arrived *arrivals // nil if nothing is compared
	for at := 0; at < len(set.Items); at += importBatch {
		part := slices.Clone(set.Items[at:min(at+importBatch, len(set.Items))])
		if opt.Progress != nil {
			opt.Progress("importing", at, len(set.Items))
		}
		vectors := make([]embed.Vector, len(part))
		if k.emb != nil && !opt.NoEmbedding && !opt.DryRun {
			texts := make([]string, len(part))
			for i := range part {
				texts[i] = embeddingText(&part[i].Capsule)
			}
			vs, err := store.Vectors(ctx, k.emb, texts)
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			if err != nil {
				notes = append(notes, fmt.Sprintf("some capsules have no embedding: %v", err))
			} else {
				vectors = vs
			}
		}
		index.Spread(len(part), func(i int) { part[i].prepare(compares, opt.Force) })
		var now Imported
		put := func(ch *change) error {
			now, ch.dry = Imported{}, opt.DryRun
			if compares && (arrived == nil || opt.DryRun) { // of a dry run nothing stays
				last, err := sqlite.One[int64](ch.tx, `SELECT coalesce(max(n), 0) FROM capsules`)
				if err != nil {
					return err
				}
				arrived = arrivalsSince(last)
			}
			if ch.arrivals = arrived; compares {
				if err := arrived.catchUp(ch.tx); err != nil {
					return err
				}
			}
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
		if err := k.change(ctx, put); err != nil && !errors.Is(err, errDryRun) {
			return out, err
		}
		out.Stored, out.Changed = append(out.Stored, now.Stored...),
			append(out.Changed, now.Changed...)
		out.Already, out.Refused = append(out.Already, now.Already...),
			append(out.Refused, now.Refused...)
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

// prepare checks and parses the capsule by itself, so that several cores can do it.
func (in *Incoming) prepare(compares, force bool) {
	c := &in.Capsule
	if in.refused = c.Normalise(); in.refused == nil && !force {
		in.refused = c.CheckSecrets()
	}
	if compares && in.refused == nil {
		in.said = c.statement()
	}
}

func (ch *change) importOne(in Incoming, v embed.Vector, opt *ImportOptions, out *Imported) error {
	c, said := in.Capsule, in.said
	in.said = clash.Said{} // the result keeps the item, and needs no words
	refuse := func(why string) { out.Refused = append(out.Refused, Refused{in.From, why}) }
	if in.refused != nil {
		refuse(in.refused.Error())
		return nil
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
	var words []int32
	if ch.arrivals != nil {
		words = ch.arrivals.Read(said.Words())
	}
	if !opt.Force && c.ID == "" { // an item with an id is compared by that id
		alike, err := ch.checkDuplicate(&c, v, said, words)
		for _, a := range alike {
			in.Notes = append(in.Notes, fmt.Sprintf("similar to %s: %q", a.ID, clip(a.Title, 80)))
		}
		if e, ok := fault.Refused(err); ok {
			old, err := ch.row(e.ID)
			if err != nil {
				return err
			}
			if old.SameTitle(&c) && plainText(old) != plainText(&c) {
				refuse(fmt.Sprintf("%s and says something else: edit that capsule, or add this one with force", e.Msg))
			} else {
				out.Already = append(out.Already, Refused{in.From, e.Msg})
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
	c.Ingested = nil // its document is not known here
	created, updated := c.Created, c.Updated
	if c.ID == "" {
		// Links to ids of another tool have no meaning here.
		c.Supersedes, c.SupersededBy = []string{}, ""
		c.ID = newID()
	}
	c.Created, c.Updated = ch.tx.Now, ch.tx.Now
	if plausibleTime(created, ch.tx.Now) {
		c.Created = Stamp(created)
	}
	if plausibleTime(updated, ch.tx.Now) && !updated.Before(c.Created) {
		c.Updated = Stamp(updated)
	}
	c.Revision, c.DecayScore, c.Retrieved = max(1, c.Revision), max(0, min(1, c.DecayScore)), nil
	if err := ch.create(&c, v, VerbImported, in.From); err != nil {
		return err
	}
	if ch.arrivals != nil {
		ch.arrivals.arrive(&c, words)
	}
	in.Capsule = c
	out.Stored = append(out.Stored, in)
	return nil
}

func plausibleTime(t, now time.Time) bool {
	return t.Year() >= 1970 && t.UnixMilli() > 0 && !t.After(now)
}

// importOver handles an item whose id exists here.
func (ch *change) importOver(old, c *Capsule, in Incoming, v embed.Vector, opt *ImportOptions,
	out *Imported) error {
	c.Ingested = old.Ingested
	c.n, c.Created, c.DecayScore, c.Retrieved = old.n, old.Created, old.DecayScore, old.Retrieved
	if err := ch.mergeLinks(old, c); err != nil {
		return err
	}
	if sameContent(old, c) {
		out.Already = append(out.Already, Refused{in.From, c.ID + " exists and is the same"})
		return nil
	}
	if c.SupersededBy != old.SupersededBy {
		in.Notes = append(in.Notes,
			fmt.Sprintf("%s exists and was active; it is now superseded by %s", c.ID,
				c.SupersededBy))
	}
	if differ := changedFields(old, c); !opt.Force && !slices.Equal(differ, []string{"superseded_by"}) {
		out.Refused = append(out.Refused,
			Refused{in.From, fmt.Sprintf("%s exists at revision %d with another text (%s); with force the import replaces it, and the old text stays in its history", c.ID, old.Revision, strings.Join(differ, ", "))})
		return nil
	}
	if err := ch.update(old, c, v, VerbImported, "", in.From); err != nil {
		return err
	}
	in.Capsule = *c
	out.Changed = append(out.Changed, in)
	return nil
}

// mergeLinks keeps links made here, and takes a superseded_by unless somebody restored it here.
func (ch *change) mergeLinks(old, c *Capsule) error {
	by := c.SupersededBy
	c.Supersedes, c.SupersededBy = old.Supersedes, old.SupersededBy
	if by != "" && c.Retired == nil { // perhaps because the superseding capsule is missing
		c.Retired, c.RetiredWhy = old.Retired, old.RetiredWhy
	}
	if by == "" || old.SupersededBy != "" || old.Retired != nil {
		return nil
	}
	var was bool // was superseded here before
	err := ch.tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM events WHERE capsule = ?
		AND CASE before WHEN '' THEN '' ELSE json_extract(before,
		'$.superseded_by') END <> '')`, old.ID).Scan(&was)
	if err == nil && !was {
		c.SupersededBy = by
	}
	return err
}

// linkImported repairs both ends of the links of imported capsules, once all are stored.
func (k *KB) linkImported(ctx context.Context, set *ImportSet, out *Imported) error {
	var linked []string
	// including existing ones: an earlier import may have been interrupted before this step
	for _, in := range set.Items {
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
						why := by + ", which superseded it, does not exist here"
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
					s.Notes = append(s.Notes,
						fmt.Sprintf("%s: %v; its links are left out", id, err))
					now := *c
					now.Supersedes, now.SupersededBy = []string{}, ""
					if err := ch.update(c, &now, nil, VerbImported, "",
						"its links form a cycle"); err != nil {
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

// halfLinked returns the capsules that supersede a stored one which does not name them.
func (k *KB) halfLinked(ctx context.Context, stored []Incoming) (ids []string, err error) {
	came := make([]string, len(stored))
	for i := range stored {
		came[i] = stored[i].Capsule.ID
	}
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		ids, err = sqlite.Column[string](tx,
			`SELECT DISTINCT b.id FROM capsules AS b, json_each(b.supersedes) AS s
				JOIN capsules AS c ON c.id = s.value
			WHERE b.supersedes <> '[]' AND c.superseded_by = '' AND c.id IN (SELECT value
			FROM json_each(?))`, sqlite.List(came))
		return err
	})
	return ids, err
}

// Export yields the capsules that q selects, on one snapshot, the oldest first; no Before, no
// Limit.
func (k *KB) Export(ctx context.Context, q ListQuery) iter.Seq2[Capsule, error] {
	return func(yield func(Capsule, error) bool) {
		stop := errors.New("stop")
		from, order, where, args := q.conditions()
		if !q.Documents {
			where = append(where, `ingest_file = ''`)
		}
		ask := from + ` WHERE ` + strings.Join(where, " AND ") + ` AND ` + order + ` > ? ORDER BY ` +
			order + ` LIMIT 1000`
		err := k.db.Read(ctx, func(tx *sqlite.Tx) error {
			var after int64
			for {
				caps, err := capsulesFrom(tx, ask, append(slices.Clone(args), after)...)
				if err != nil || len(caps) == 0 {
					return err
				}
				after = caps[len(caps)-1].n
				for i := range caps {
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

// Fill stores capsules as they are, without files and without checks, and gives them
// ids. It is for a knowledge base that is only measured.
func (k *KB) Fill(ctx context.Context, caps []Capsule) error {
	vs := make([]embed.Vector, len(caps))
	if k.emb != nil {
		texts := make([]string, len(caps))
		for i := range caps {
			texts[i] = embeddingText(&caps[i])
		}
		var err error
		if vs, err = store.Vectors(ctx, k.emb, texts); err != nil {
			return err
		}
	}
	return k.db.Write(ctx, func(tx *sqlite.Tx) error {
		if k.emb != nil {
			if err := k.index.SetModel(tx, k.emb.Model()); err != nil {
				return err
			}
		}
		docs := make([]index.Doc, len(caps))
		for i := range caps {
			c := &caps[i]
			c.ID, c.Created, c.Updated = newID(), tx.Now, tx.Now
			if vs[i] != nil {
				c.Model, c.Dim = k.emb.Model().Name, len(vs[i])
			}
			if err := insertRow(tx, c); err != nil {
				return err
			}
			docs[i] = document(c, vs[i])
		}
		return k.index.Put(tx, docs...)
	})
}
