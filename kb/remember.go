package kb

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
)

// DuplicateCosine is how near in meaning a capsule of the same kind must be to count as the same.
const DuplicateCosine = 0.95

// RememberOptions say what Remember does about others.
type RememberOptions struct {
	// Force stores the capsule though it looks like one that is there, or holds what looks like a secret.
	Force bool
	// NoEmbedding stores it without an embedding, which Reembed adds later.
	NoEmbedding bool
}

// Remembered is what became of a capsule.
type Remembered struct {
	Capsule   Capsule  `json:"capsule"`
	Warnings  []string `json:"warnings"`
	Unchanged bool     `json:"unchanged"` // of an edit: it was so already
}

// Remember stores a capsule; its id and times are given to it. What it names in Supersedes is marked as superseded by it. A capsule with the same title, or one of the same
// kind that means the same, is a conflict whose error has that capsule's id.
func (k *KB) Remember(ctx context.Context, c Capsule, opt RememberOptions) (Remembered, error) {
	if err := c.normalise(); err != nil {
		return Remembered{}, err
	}
	if !opt.Force {
		if err := refuseSecret(&c); err != nil {
			return Remembered{}, err
		}
	}
	warnings := c.Warnings()
	var v embed.Vector
	if !opt.NoEmbedding {
		var err error
		if v, err = k.embedOne(ctx, &c, &warnings); err != nil {
			return Remembered{}, err
		}
	}
	store := func(ch *change) error {
		v, err := ch.usable(v, &warnings)
		if err != nil {
			return err
		}
		if c.ID, err = ch.freshID(); err != nil {
			return err
		}
		ch.fresh(&c)
		if err := ch.draft(&c, len(c.Supersedes) == 0); err != nil {
			return err
		}
		if !opt.Force {
			if err := ch.checkDuplicate(&c, v, &warnings); err != nil {
				return err
			}
		}
		return ch.insert(&c, v, VerbRemembered, "")
	}
	err := k.change(ctx, store)
	if k.mended(ctx, err) {
		warnings = append(warnings, mendedNote)
		err = k.change(ctx, store)
	}
	if err != nil {
		return Remembered{}, err
	}
	if warnings == nil {
		warnings = []string{}
	}
	return Remembered{Capsule: c, Warnings: warnings}, nil
}

// embedOne embeds a capsule's text, nil without a model. A finding is never lost because a model fails: that is a warning.
func (k *KB) embedOne(ctx context.Context, c *Capsule, warnings *[]string) (embed.Vector, error) {
	if k.emb == nil {
		return nil, nil
	}
	vs, err := k.emb.Embed(ctx, []string{embeddingText(c)})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		*warnings = append(*warnings, fmt.Sprintf("it has no embedding: %v", err))
		return nil, nil
	}
	return vs[0], nil
}

// usable returns a vector if it can be stored: the knowledge base has vectors of one model.
func (ch *change) usable(v embed.Vector, warnings *[]string) (embed.Vector, error) {
	if v == nil {
		return nil, nil
	}
	name, dim, err := ch.k.index.Model(ch.tx)
	if err != nil {
		return nil, err
	}
	m := ch.k.emb.Model()
	if name == "" {
		return v, ch.k.index.SetModel(ch.tx, m)
	}
	if name != m.Name || dim != m.Dim {
		*warnings = append(*warnings, fmt.Sprintf("it has no embedding: the knowledge base is embedded with %s, and the model here is %s; `board kb reembed` changes over", name, m.Name))
		return nil, nil
	}
	return v, nil
}

// checkDuplicate refuses what is there already, unless it is being superseded. What is alike and differs in a number or a negation is a warning.
func (ch *change) checkDuplicate(c *Capsule, v embed.Vector, warnings *[]string) error {
	if err := ch.checkTitle(c); err != nil {
		return err
	}
	return ch.checkMeaning(c, v, warnings)
}

// isThere is the conflict with a capsule that is there already.
func isThere(old *Capsule, how string) error {
	return &Error{Kind: ErrConflict, ID: old.ID, Msg: fmt.Sprintf("%s %s: %q", old.ID, how, clip(old.Title, 80)),
		Hint: fmt.Sprintf("`board kb get %s` shows it; --supersedes %s replaces it, --force keeps both", old.ID, old.ID)}
}

func (ch *change) checkTitle(c *Capsule) error {
	same, err := withTitle(ch.tx, c)
	if err != nil {
		return err
	}
	for i := range same {
		if !slices.Contains(c.Supersedes, same[i].ID) {
			return isThere(&same[i], "has this title already")
		}
	}
	return nil
}

func (ch *change) checkMeaning(c *Capsule, v embed.Vector, warnings *[]string) error {
	if v == nil {
		return nil
	}
	k, tx := ch.k, ch.tx
	res, err := k.index.Search(tx, index.Query{Vector: v, Model: k.emb.Model().Name, Depth: 5, Near: DuplicateCosine,
		Filter: index.Filter{All: [][]string{{kwKind + c.Kind}}, None: []string{kwSuperseded, kwRetired}}})
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
		if len(old) == 1 && old[0].ID != c.ID && !slices.Contains(c.Supersedes, old[0].ID) {
			if why := clash(&old[0], c); len(why) > 0 { // the same of another number: a correction, most likely, and no duplicate
				*warnings = append(*warnings, fmt.Sprintf("it may contradict %s (%s): `board kb curate contradictions --resolve %s,%s --as supersede` replaces that", old[0].ID, strings.Join(why, "; "), c.ID, old[0].ID))
				continue
			}
			return isThere(&old[0], fmt.Sprintf("says the same already (cosine %.2f)", cand.Cosine))
		}
	}
	return nil
}

// freshID makes an id that no capsule and no file has.
func (ch *change) freshID() (string, error) {
	for {
		id := newID()
		var taken int
		if err := ch.tx.QueryRow(`SELECT count(*) FROM capsules WHERE id = ?`, id).Scan(&taken); err != nil {
			return "", err
		}
		_, err := os.Lstat(ch.k.sidecarPath(id))
		if taken == 0 && errors.Is(err, fs.ErrNotExist) {
			return id, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
}

// fresh makes a capsule one that is new.
func (ch *change) fresh(c *Capsule) {
	c.Created, c.Updated, c.Revision = ch.tx.Now, ch.tx.Now, 1
	c.SupersededBy, c.DecayScore, c.Retrieved, c.Retired, c.RetiredWhy = "", 0, nil, nil, ""
}

// insert gives a capsule its id, if it has none, and times, stores it and marks what it supersedes.
func (ch *change) insert(c *Capsule, v embed.Vector, verb, why string) error {
	ch.fresh(c)
	if c.ID == "" {
		var err error
		if c.ID, err = ch.freshID(); err != nil {
			return err
		}
	}
	// Nothing is written before everything that can be wrong has been looked at.
	for _, id := range c.Supersedes {
		old, err := ch.get(id)
		if err != nil {
			return err
		}
		if by := old.SupersededBy; by != "" {
			return supersededAlready(id, by)
		}
	}
	if err := ch.add(c, v, verb, why); err != nil {
		return err
	}
	for _, id := range c.Supersedes {
		if err := ch.supersede(c, id, why); err != nil {
			return err
		}
	}
	return nil
}

// insertRow stores the row and the tags of a capsule and gives it its number.
func insertRow(tx *sqlite.Tx, c *Capsule) error {
	from := c.ingested()
	res, err := tx.Exec(`INSERT INTO capsules (id, kind, scope, title, body, tags, domain_tags, source, confidence, verified_by, supersedes, superseded_by, refs,
		workspace, project, decay_score, created, updated, retrieved, model, dim, retired, retired_why, revision, ingest_file, ingest_sha, ingest_part, ingest_of)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.ID, c.Kind, c.Scope, c.Title, c.Body, jsonList(c.Tags), jsonList(c.DomainTags), c.Source, c.Confidence, c.VerifiedBy, jsonList(c.Supersedes), c.SupersededBy,
		jsonList(c.Refs), c.Workspace, c.Project, c.DecayScore, c.Created.UnixMilli(), c.Updated.UnixMilli(), millis(c.Retrieved), c.Model, c.Dim, millis(c.Retired), c.RetiredWhy,
		c.Revision, from.File, from.SHA256, from.Part, from.Of)
	if err != nil {
		return err
	}
	if c.n, err = res.LastInsertId(); err != nil {
		return err
	}
	if err := keepTitle(tx, c); err != nil {
		return err
	}
	return insertTags(tx, c)
}

func insertTags(tx *sqlite.Tx, c *Capsule) error {
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
		return Reembedded{}, &Error{Kind: embed.ErrNoModel, Msg: "no embedding model is installed", Hint: "`board model pull` fetches one"}
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
		n, last, err := k.embedBatch(ctx, m, after)
		if err != nil {
			return out, err
		}
		if last == 0 {
			break
		}
		after = last
		out.Embedded += n
		if progress != nil {
			progress(out.Embedded, max(total, out.Embedded))
		}
	}
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT count(*) - ? FROM capsules`, out.Embedded).Scan(&out.Skipped)
	})
	return out, err
}

// embedBatch embeds some of the capsules without an embedding, after a number, and returns how many they were and the last one's number, 0 if there was none.
func (k *KB) embedBatch(ctx context.Context, m embed.Model, after int64) (n int, last int64, err error) {
	var caps []Capsule
	if err := k.db.Read(ctx, func(tx *sqlite.Tx) (err error) {
		caps, err = capsulesWhere(tx, `model = '' AND n > ? ORDER BY n LIMIT ?`, after, reembedBatch)
		return err
	}); err != nil || len(caps) == 0 {
		return 0, 0, err
	}
	texts := make([]string, len(caps))
	for i := range caps {
		texts[i] = embeddingText(&caps[i])
	}
	vs, err := k.emb.Embed(ctx, texts)
	if err != nil {
		return 0, 0, err
	}
	if err := k.db.Write(ctx, func(tx *sqlite.Tx) error { return k.setVectors(tx, caps, vs, m) }); err != nil {
		return 0, 0, err
	}
	return len(caps), caps[len(caps)-1].n, nil
}

// Unembedded returns how many capsules have no embedding though they could have one of the model at hand. Without a model, or with the embeddings of another, that is 0: changing over is
// for Reembed.
func (k *KB) Unembedded(ctx context.Context) (n int, err error) {
	if k.emb == nil {
		return 0, nil
	}
	m := k.emb.Model()
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		name, dim, err := k.index.Model(tx)
		if err != nil || name != "" && (name != m.Name || dim != m.Dim) {
			return err
		}
		return tx.QueryRow(`SELECT count(*) FROM capsules WHERE model = ''`).Scan(&n)
	})
	return n, err
}

// Backfill gives some of the capsules that Unembedded counts, those after a number, their embedding. It returns how many, and the number to go on from, 0 when there are no more.
func (k *KB) Backfill(ctx context.Context, after int64) (n int, last int64, err error) {
	missing, err := k.Unembedded(ctx)
	if err != nil || missing == 0 {
		return 0, 0, err
	}
	m := k.emb.Model()
	if after == 0 {
		if err := k.db.Write(ctx, func(tx *sqlite.Tx) error {
			if name, _, err := k.index.Model(tx); err != nil || name != "" {
				return err
			}
			return k.index.SetModel(tx, m)
		}); err != nil {
			return 0, 0, err
		}
	}
	return k.embedBatch(ctx, m, after)
}

// Checkpoint folds what was written lately into the database's file, as far as readers allow.
func (k *KB) Checkpoint(ctx context.Context) error { return k.db.Checkpoint(ctx) }

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
