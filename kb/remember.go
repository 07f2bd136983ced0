package kb

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"blackboard/board/clash"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

// AlikeCosine is how near in meaning a capsule of the same kind must be to be named as alike.
const AlikeCosine = 0.95

const (
	// alikeShared is which share of their words two capsules must have in common for the same.
	alikeShared = 0.8
	// alikeBM25 is the share of the best score from which a capsule is looked at more closely.
	alikeBM25 = 0.5
)

// maxAlike is how many capsules an answer names as alike.
const maxAlike = 5

// RememberOptions say what Remember does about others.
type RememberOptions struct {
	// Force stores the capsule though it looks like one that is there, or holds what
	// looks like a secret.
	Force bool
	// NoEmbedding stores it without an embedding, which Reembed adds later.
	NoEmbedding bool
}

// Remembered is what became of a capsule.
type Remembered struct {
	Capsule   Capsule  `json:"capsule"`
	Warnings  []string `json:"warnings"`
	Alike     []Alike  `json:"alike"`
	Unchanged bool     `json:"unchanged"` // of an edit: it was so already
}

// Alike is a capsule that says nearly what another says, and perhaps the same: somebody
// has to judge.
type Alike struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Cosine *float64 `json:"cosine"` // null: not known, their words are nearly the same
	Differ []string `json:"differ"` // in what they may contradict each other
}

// Remember stores a capsule; its id and times are given to it. What it names in
// Supersedes is marked as superseded by it. A capsule with the same title, or one of the
// same kind that says the same word for word (clash.Said), which can be read in the same
// place, is a conflict whose error has that capsule's id; what is only alike is named in
// the answer.
func (k *KB) Remember(ctx context.Context, c Capsule, opt RememberOptions) (Remembered, error) {
	if err := c.Normalise(); err != nil {
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
		if v, err = store.Vector(ctx, k.emb, embeddingText(&c), &warnings); err != nil {
			return Remembered{}, err
		}
	}
	var alike []Alike
	put := func(ch *change) error {
		v, err := k.db.Usable(ch.tx, k.emb, v, &warnings)
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
			var err error
			if alike, err = ch.checkDuplicate(&c, v); err != nil {
				return err
			}
		}
		return ch.insert(&c, v, VerbRemembered, "")
	}
	err := k.change(ctx, put)
	if k.db.ReindexIfCorrupt(ctx, err) {
		warnings = append(warnings, mendedNote)
		err = k.change(ctx, put)
	}
	if err != nil {
		return Remembered{}, err
	}
	if warnings == nil {
		warnings = []string{}
	}
	return Remembered{Capsule: c, Warnings: warnings, Alike: append([]Alike{}, alike...)}, nil
}

// checkDuplicate refuses what is there already, unless it is being superseded, and
// returns what is alike.
func (ch *change) checkDuplicate(c *Capsule, v embed.Vector) ([]Alike, error) {
	if err := ch.checkTitle(c); err != nil {
		return nil, err
	}
	return ch.checkSame(c, v)
}

// isThere is the conflict with a capsule that is there already.
func isThere(old *Capsule, how string) error {
	return about(fault.Conflict, old.ID, fmt.Sprintf("%s %s: %q", old.ID, how, clip(old.Title, 80)), "",
		get(old.ID, "{} shows it"), fault.Give("supersedes", old.ID, "{} replaces it"), fault.Give("force", "", "{} keeps both"))
}

func (ch *change) checkTitle(c *Capsule) error {
	same, err := withTitle(ch.tx, c)
	if err != nil {
		return err
	}
	for i := range same {
		if !slices.Contains(c.Supersedes, same[i].ID) && c.meets(&same[i]) {
			return isThere(&same[i], "has this title already")
		}
	}
	return nil
}

// checkSame refuses what a standing capsule of the same kind says word for word, and
// returns those that say nearly the same, by their words or, if v is not nil, by meaning.
func (ch *change) checkSame(c *Capsule, v embed.Vector) ([]Alike, error) {
	k, tx := ch.k, ch.tx
	q := index.Query{Text: embeddingText(c), Depth: 2 * maxAlike, Filter: index.Filter{All: [][]string{{kwKind + c.Kind}}, None: []string{kwSuperseded, kwRetired}}}
	if v != nil {
		q.Vector, q.Model, q.Near = v, k.emb.Model().Name, AlikeCosine
	}
	res, err := k.index.Search(tx, q)
	if err != nil {
		return nil, err
	}
	best := 0.0
	for _, cand := range res.Candidates {
		best = max(best, cand.BM25)
	}
	cosine, ns := map[int64]float64{}, []int64{}
	for _, cand := range res.Candidates {
		if cand.BM25 < alikeBM25*best && cand.Cosine < AlikeCosine {
			continue // it has too few of the words to say nearly the same
		}
		ns = append(ns, cand.ID)
		if cand.HasVector {
			cosine[cand.ID] = cand.Cosine
		}
	}
	others, err := capsulesWhere(tx, `n IN (SELECT value FROM json_each(?)) AND ingest_file = '' ORDER BY n DESC`, sqlite.List(ns))
	if err != nil {
		return nil, err
	}
	said, alike := c.said(), []Alike{}
	for i := range others {
		o := &others[i]
		if o.ID == c.ID || slices.Contains(c.Supersedes, o.ID) {
			continue
		}
		theirs, cos := o.said(), cosine[o.n]
		if said.Covered(theirs) && c.meets(o) {
			return nil, isThere(o, "says the same already")
		}
		if c.meets(o) && (cos >= AlikeCosine || said.Shared(theirs) >= alikeShared) && len(alike) < maxAlike {
			a := Alike{ID: o.ID, Title: o.Title, Differ: append([]string{}, clashes(o, c)...)}
			if cos > 0 {
				a.Cosine = &cos
			}
			alike = append(alike, a)
		}
	}
	return alike, nil
}

// meets reports whether two capsules can be read in one place: what two projects have learned
// each for itself, each needs.
func (c *Capsule) meets(o *Capsule) bool {
	return c.covers(o) || o.covers(c) || c.Workspace != "" && c.Workspace == o.Workspace
}

// said is what a capsule says, to be compared with another.
func (c *Capsule) said() clash.Said { return clash.Read(clash.Text{Title: c.Title, Body: c.Body}) }

// freshID makes an id that no capsule and no file has.
func (ch *change) freshID() (string, error) {
	for {
		id := newID()
		taken, err := sqlite.One[int](ch.tx, `SELECT count(*) FROM capsules WHERE id = ?`, id)
		if err != nil {
			return "", err
		}
		_, err = os.Lstat(ch.k.sidecarPath(id))
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

// insert gives a capsule its id, if it has none, and times, stores it and marks what it
// supersedes.
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
	n, err := c.columns(new(c.ingested())).Insert(tx, "capsules")
	if err != nil {
		return err
	}
	c.n = n
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

// Reembed gives every capsule the embedding of the model at hand that has none of it:
// those that were stored without, and all when the model has changed. It works in small
// steps, each of them kept, and calls progress after each.
func (k *KB) Reembed(ctx context.Context, progress func(done, of int)) (Reembedded, error) {
	if k.emb == nil {
		return Reembedded{}, embed.NoModel()
	}
	did, err := store.Embed(ctx, k.emb, []*store.File{k.db}, store.EmbedOptions{Change: true, Progress: progress})
	out := Reembedded{Model: did.Model, Embedded: did.Embedded}
	if err != nil {
		return out, err
	}
	return out, k.db.Read(ctx, func(tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT count(*) - ? FROM capsules`, out.Embedded).Scan(&out.Skipped)
	})
}

// Unembedded returns how many capsules have no embedding though they could have one of
// the model at hand. Without a model, or with the embeddings of another, that is 0:
// changing over is for Reembed.
func (k *KB) Unembedded(ctx context.Context) (int, error) {
	if k.emb == nil {
		return 0, nil
	}
	return k.db.Unembedded(ctx, k.emb)
}

// Backfill gives the capsules that Unembedded counts their embedding, in batches of which
// each is kept, at most so many (0: until none is left).
func (k *KB) Backfill(ctx context.Context, batches int) (store.Embedded, error) {
	if k.emb == nil {
		return store.Embedded{}, nil
	}
	return store.Embed(ctx, k.emb, []*store.File{k.db}, store.EmbedOptions{Batches: batches})
}

// Checkpoint folds what was written lately into the database's file, as far as readers allow.
func (k *KB) Checkpoint(ctx context.Context) error { return k.db.Checkpoint(ctx) }
