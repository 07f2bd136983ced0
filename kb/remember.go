package kb

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
)

// DuplicateCosine is how near in meaning a capsule of the same kind must be to count as the same.
const DuplicateCosine = 0.95

// RememberOptions say what Remember does about others.
type RememberOptions struct {
	// Force stores the capsule though it looks like one that is there.
	Force bool
	// NoEmbedding stores it without an embedding, which Reembed adds later.
	NoEmbedding bool
}

// Remembered is what became of a capsule.
type Remembered struct {
	Capsule  Capsule  `json:"capsule"`
	Warnings []string `json:"warnings"`
}

// Remember stores a capsule; its id and times are given to it. What it names in Supersedes is marked as superseded by it. A capsule with the same title, or one of the same
// kind that means the same, is a conflict whose error has that capsule's id.
func (k *KB) Remember(ctx context.Context, c Capsule, opt RememberOptions) (Remembered, error) {
	if err := c.normalise(); err != nil {
		return Remembered{}, err
	}
	warnings := c.Warnings()
	var v embed.Vector
	if k.emb != nil && !opt.NoEmbedding {
		vs, err := k.emb.Embed(ctx, []string{embeddingText(&c)})
		if err != nil {
			if ctx.Err() != nil {
				return Remembered{}, ctx.Err()
			}
			// A finding is never lost because a model fails.
			warnings = append(warnings, fmt.Sprintf("it has no embedding: %v", err))
		} else {
			v = vs[0]
		}
	}
	store := func(tx *sqlite.Tx) error {
		if v != nil {
			name, dim, err := k.index.Model(tx)
			if err != nil {
				return err
			}
			m := k.emb.Model()
			switch {
			case name == "":
				if err := k.index.SetModel(tx, m); err != nil {
					return err
				}
			case name != m.Name || dim != m.Dim:
				warnings = append(warnings, fmt.Sprintf("it has no embedding: the knowledge base is embedded with %s, and the model here is %s; `board kb reembed` changes over", name, m.Name))
				v = nil
			}
		}
		if !opt.Force {
			if err := k.checkDuplicate(tx, &c, v); err != nil {
				return err
			}
		}
		return k.insert(tx, &c, v)
	}
	err := k.db.Write(ctx, store)
	if k.mended(ctx, err) {
		warnings = append(warnings, mendedNote)
		err = k.db.Write(ctx, store)
	}
	if err != nil {
		return Remembered{}, err
	}
	if warnings == nil {
		warnings = []string{}
	}
	return Remembered{c, warnings}, nil
}

// checkDuplicate refuses what is there already, unless it is being superseded.
func (k *KB) checkDuplicate(tx *sqlite.Tx, c *Capsule, v embed.Vector) error {
	refuse := func(old *Capsule, how string) error {
		return &Error{Kind: ErrConflict, ID: old.ID, Msg: fmt.Sprintf("%s %s: %q", old.ID, how, clip(old.Title, 80)),
			Hint: fmt.Sprintf("`board kb get %s` shows it; --supersedes %s replaces it, --force keeps both", old.ID, old.ID)}
	}
	same, err := capsulesWhere(tx, `title = ? COLLATE NOCASE AND superseded_by = '' ORDER BY n`, c.Title)
	if err != nil {
		return err
	}
	for i := range same {
		if !slices.Contains(c.Supersedes, same[i].ID) {
			return refuse(&same[i], "has this title already")
		}
	}
	if v == nil {
		return nil
	}
	res, err := k.index.Search(tx, index.Query{Vector: v, Model: k.emb.Model().Name, Depth: 5,
		Filter: index.Filter{All: [][]string{{kwKind + c.Kind}}, None: []string{kwSuperseded}}})
	if err != nil {
		return err
	}
	for _, cand := range res.Candidates {
		if cand.Cosine < DuplicateCosine {
			continue
		}
		old, err := capsulesWhere(tx, `n = ?`, cand.ID)
		if err != nil {
			return err
		}
		if len(old) == 1 && !slices.Contains(c.Supersedes, old[0].ID) {
			return refuse(&old[0], fmt.Sprintf("says the same already (cosine %.2f)", cand.Cosine))
		}
	}
	return nil
}

// insert stores a capsule with its index entry and marks what it supersedes.
func (k *KB) insert(tx *sqlite.Tx, c *Capsule, v embed.Vector) error {
	c.Created, c.Updated = tx.Now, tx.Now
	c.SupersededBy, c.DecayScore, c.Retrieved = "", 0, nil
	c.Model, c.Dim = "", 0
	if v != nil {
		c.Model, c.Dim = k.emb.Model().Name, len(v)
	}
	for c.ID = newID(); ; c.ID = newID() {
		var taken int
		if err := tx.QueryRow(`SELECT count(*) FROM capsules WHERE id = ?`, c.ID).Scan(&taken); err != nil {
			return err
		}
		if taken == 0 {
			break
		}
	}
	if err := insertRow(tx, c); err != nil {
		return err
	}
	for _, id := range c.Supersedes {
		old, err := capsulesWhere(tx, `id = ?`, id)
		if err != nil {
			return err
		}
		if len(old) == 0 {
			return notFound(id)
		}
		if by := old[0].SupersededBy; by != "" {
			return &Error{Kind: ErrConflict, ID: by, Msg: fmt.Sprintf("%s is superseded by %s already", id, by), Hint: fmt.Sprintf("--supersedes %s, if that is the one to replace", by)}
		}
		old[0].SupersededBy = c.ID
		if _, err := tx.Exec(`UPDATE capsules SET superseded_by = ?, updated = ? WHERE n = ?`, c.ID, tx.Now.UnixMilli(), old[0].n); err != nil {
			return err
		}
		vs, err := k.index.Vectors(tx, old[0].n)
		if err != nil {
			return err
		}
		if err := k.index.Put(tx, document(&old[0], vs[old[0].n])); err != nil {
			return err
		}
	}
	return k.index.Put(tx, document(c, v))
}

// insertRow stores the row and the tags of a capsule and gives it its number.
func insertRow(tx *sqlite.Tx, c *Capsule) error {
	res, err := tx.Exec(`INSERT INTO capsules (id, kind, scope, title, body, tags, domain_tags, source, confidence, verified_by, supersedes, superseded_by, refs,
		workspace, project, decay_score, created, updated, retrieved, model, dim) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.ID, c.Kind, c.Scope, c.Title, c.Body, jsonList(c.Tags), jsonList(c.DomainTags), c.Source, c.Confidence, c.VerifiedBy, jsonList(c.Supersedes), c.SupersededBy,
		jsonList(c.Refs), c.Workspace, c.Project, c.DecayScore, c.Created.UnixMilli(), c.Updated.UnixMilli(), nil, c.Model, c.Dim)
	if err != nil {
		return err
	}
	if c.n, err = res.LastInsertId(); err != nil {
		return err
	}
	for domain, tags := range [][]string{c.Tags, c.DomainTags} {
		for _, t := range tags {
			if _, err := tx.Exec(`INSERT INTO capsule_tags VALUES (?, ?, ?)`, t, domain, c.n); err != nil {
				return err
			}
		}
	}
	return nil
}

func hash(s string) []byte {
	h := sha256.Sum256([]byte(s))
	return h[:]
}

// Reembedded is what Reembed did.
type Reembedded struct {
	Model    string `json:"model"`
	Embedded int    `json:"embedded"`
	Skipped  int    `json:"skipped"` // had their embedding already
}

// reembedBatch is how many capsules are embedded between two writes.
const reembedBatch = 50

// Reembed gives every capsule the embedding of the model at hand that has none of it: those that were stored without, and all when the model has
// changed. It works in small steps, each of them kept, and calls progress after each.
func (k *KB) Reembed(ctx context.Context, progress func(done, of int)) (Reembedded, error) {
	if k.emb == nil {
		return Reembedded{}, embed.ErrNoModel
	}
	m := k.emb.Model()
	out := Reembedded{Model: m.Name}
	var total int
	err := k.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := k.index.SetModel(tx, m); err != nil {
			return err
		}
		if _, err := tx.Exec(`UPDATE capsules SET model = '', dim = 0 WHERE model <> ? OR dim <> ?`, m.Name, m.Dim); err != nil {
			return err
		}
		return tx.QueryRow(`SELECT count(*) FROM capsules WHERE model = ''`).Scan(&total)
	})
	if err != nil {
		return out, err
	}
	var after int64
	for {
		var caps []Capsule
		if err := k.db.Read(ctx, func(tx *sqlite.Tx) (err error) {
			caps, err = capsulesWhere(tx, `model = '' AND n > ? ORDER BY n LIMIT ?`, after, reembedBatch)
			return err
		}); err != nil {
			return out, err
		}
		if len(caps) == 0 {
			break
		}
		after = caps[len(caps)-1].n
		texts := make([]string, len(caps))
		for i := range caps {
			texts[i] = embeddingText(&caps[i])
		}
		vs, err := k.emb.Embed(ctx, texts)
		if err != nil {
			return out, err
		}
		if err := k.db.Write(ctx, func(tx *sqlite.Tx) error { return k.setVectors(tx, caps, vs, m) }); err != nil {
			return out, err
		}
		out.Embedded += len(caps)
		if progress != nil {
			progress(out.Embedded, max(total, out.Embedded))
		}
	}
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT count(*) - ? FROM capsules`, out.Embedded).Scan(&out.Skipped)
	})
	return out, err
}

// setVectors stores the embeddings of capsules that have not changed since they were read.
func (k *KB) setVectors(tx *sqlite.Tx, caps []Capsule, vs []embed.Vector, m embed.Model) error {
	docs := make([]index.Doc, 0, len(caps))
	for i := range caps {
		now, err := capsulesWhere(tx, `n = ? AND updated = ?`, caps[i].n, caps[i].Updated.UnixMilli())
		if err != nil {
			return err
		}
		if len(now) == 0 || embeddingText(&now[0]) != embeddingText(&caps[i]) {
			continue
		}
		if _, err := tx.Exec(`UPDATE capsules SET model = ?, dim = ? WHERE n = ?`, m.Name, m.Dim, caps[i].n); err != nil {
			return err
		}
		docs = append(docs, document(&now[0], vs[i]))
	}
	return k.index.Put(tx, docs...)
}
