package kb

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"blackboard/board/clash"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

// AlikeCosine is the least similarity to a capsule of the same kind for it to be named as similar.
const AlikeCosine = 0.95

const (
	// alikeShared stands for AlikeCosine where there is no embedding.
	alikeShared = 0.8
	// alikeBM25 is the share of the best score from which a capsule is compared in full.
	alikeBM25 = 0.5
)

const maxAlike = 5

type RememberOptions struct {
	Force       bool
	KeepSecret  bool
	NoEmbedding bool
}

type Remembered struct {
	Capsule   Capsule  `json:"capsule"`
	Warnings  []string `json:"warnings"`
	Alike     []Alike  `json:"alike"`
	Unchanged bool     `json:"unchanged"` // of an edit: nothing has changed
}

// Alike is a capsule that says nearly the same as another.
type Alike struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Cosine *float64 `json:"cosine"` // null: unknown; the words are nearly the same
	Differ []string `json:"differ"` // possible contradictions
}

// Remember stores a capsule and gives it an id and times. The capsules that it
// supersedes are marked. A capsule with the same title, or of the same kind and with the
// same statement word for word (clash.Said), is a conflict if the same readers see both;
// the error has its id. Similar capsules are named in the answer.
func (k *KB) Remember(ctx context.Context, c Capsule, opt RememberOptions) (Remembered, error) {
	if err := c.Normalise(); err != nil {
		return Remembered{}, err
	}
	if !opt.Force && !opt.KeepSecret {
		if err := c.CheckSecrets(); err != nil {
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
		c.ID = ""
		if !opt.Force {
			if alike, err = ch.checkDuplicate(&c, v, c.statement(), nil); err != nil {
				return err
			}
		}
		return ch.insert(&c, v, VerbRemembered, "")
	}
	err := k.change(ctx, put)
	if k.db.ReindexIfCorrupt(ctx, err) {
		warnings = append(warnings, reindexedNote)
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

// checkDuplicate refuses a duplicate that is not superseded, and returns similar ones.
func (ch *change) checkDuplicate(c *Capsule, v embed.Vector, said clash.Said, arrived []int32) ([]Alike, error) {
	if err := ch.checkTitle(c); err != nil {
		return nil, err
	}
	return ch.checkSame(c, v, said, arrived)
}

func duplicateError(old *Capsule, how string) error {
	return capsuleError(fault.Conflict, old.ID,
		fmt.Sprintf("%s %s: %q", old.ID, how, clip(old.Title, 80)), "",
		getStep(old.ID, "{} shows it"), fault.Give("supersedes", old.ID, "{} replaces it"),
		fault.Give("force", "", "{} keeps both"))
}

func (ch *change) checkTitle(c *Capsule) error {
	same, err := ch.withTitle(c)
	if err != nil {
		return err
	}
	for i := range same {
		if !slices.Contains(c.Supersedes, same[i].ID) && c.sharesReaders(&same[i]) {
			return duplicateError(&same[i], "already has this title")
		}
	}
	return nil
}

// checkSame refuses a capsule whose statement one of the same kind and readers has word for word.
// It returns those that say nearly the same, by words or, with v, by meaning.
func (ch *change) checkSame(c *Capsule, v embed.Vector, said clash.Said, arrived []int32) ([]Alike, error) {
	ns, cosine, err := ch.findNear(c, v)
	if err != nil {
		return nil, err
	}
	if ch.arrivals != nil {
		ns = append(ns, ch.arrivals.propose(arrived)...)
	}
	if len(ns) == 0 {
		return []Alike{}, nil
	}
	others, err := capsulesWhere(ch.tx,
		`n IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) AND ingest_file = ''
			AND kind = ? AND superseded_by = '' AND retired IS NULL ORDER BY n DESC`,
		sqlite.List(ns), c.Kind)
	if err != nil {
		return nil, err
	}
	alike := []Alike{}
	for i := range others {
		o := &others[i]
		if o.ID == c.ID || slices.Contains(c.Supersedes, o.ID) {
			continue
		}
		theirs, cos := o.statement(), cosine[o.n]
		if said.Covered(theirs) && c.sharesReaders(o) {
			return nil, duplicateError(o, "already says the same")
		}
		if c.sharesReaders(o) && (cos >= AlikeCosine || said.Shared(theirs) >= alikeShared) &&
			len(alike) < maxAlike {
			a := Alike{ID: o.ID, Title: o.Title, Differ: append([]string{}, clashes(o, c)...)}
			if cos > 0 {
				a.Cosine = &cos
			}
			alike = append(alike, a)
		}
	}
	return alike, nil
}

// findNear returns the numbers, perhaps repeated, of active capsules of the same kind that may say
// the same by words or meaning, and their cosines where known. During an import, what has arrived
// is matched by words in arrivals.propose.
func (ch *change) findNear(c *Capsule, v embed.Vector) (
	ns []int64, cosine map[int64]float64, err error) {
	cosine = map[int64]float64{}
	q := index.Query{Text: embeddingText(c), Depth: 2 * maxAlike,
		Filter: index.Filter{All: [][]string{{kwKind + c.Kind}},
			None: []string{kwSuperseded, kwRetired}}}
	if v != nil {
		q.Vector, q.Model, q.Near = v, ch.k.emb.Model().Name, AlikeCosine
		ch.addNewNear(v, cosine)
	}
	ask := []index.Query{q}
	if a := ch.arrivals; a != nil {
		older, near := q, q
		older.Vector, older.Until, near.Text = nil, a.since, ""
		if ask = ask[:0]; a.since > 0 {
			ask = append(ask, older)
		}
		if v != nil {
			ask = append(ask, near)
		}
	}
	ns = slices.Collect(maps.Keys(cosine))
	for _, q := range ask {
		res, err := ch.k.index.Search(ch.tx, q)
		if err != nil {
			return nil, nil, err
		}
		best := 0.0
		for _, cand := range res.Candidates {
			best = max(best, cand.BM25)
		}
		for _, cand := range res.Candidates {
			if cand.BM25 < alikeBM25*best && cand.Cosine < AlikeCosine {
				continue // too few common words
			}
			ns = append(ns, cand.ID)
			if cand.HasVector {
				cosine[cand.ID] = cand.Cosine
			}
		}
	}
	return ns, cosine, nil
}

// addNewNear adds to cosine the change's new capsules, not in the index yet.
func (ch *change) addNewNear(v embed.Vector, cosine map[int64]float64) {
	dim := ch.k.emb.Model().Dim
	for i := range ch.docs {
		if d := &ch.docs[i]; len(d.Vector) >= dim {
			if cos := embed.Cosine(v[:dim], d.Vector[:dim]); cos >= AlikeCosine {
				cosine[d.ID] = cos
			}
		}
	}
}

// sharesReaders reports whether the same readers see both. Two projects may need the same.
func (c *Capsule) sharesReaders(o *Capsule) bool {
	return c.covers(o) || o.covers(c) || c.Workspace != "" && c.Workspace == o.Workspace
}

func (c *Capsule) statement() clash.Said {
	return clash.Read(clash.Text{Title: c.Title, Body: c.Body})
}

func (ch *change) newUniqueID() (string, error) {
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

func (ch *change) initNew(c *Capsule) {
	c.Created, c.Updated, c.Revision = ch.tx.Now, ch.tx.Now, 1
	c.SupersededBy, c.DecayScore, c.Retrieved, c.Retired, c.RetiredWhy = "", 0, nil, nil, ""
}

// insert stores a new capsule with an id and times, and marks what it supersedes.
func (ch *change) insert(c *Capsule, v embed.Vector, verb, why string) error {
	ch.initNew(c)
	if c.ID == "" {
		var err error
		if c.ID, err = ch.newUniqueID(); err != nil {
			return err
		}
	}
	// Check everything before anything is written.
	for _, id := range c.Supersedes {
		old, err := ch.get(id)
		if err != nil {
			return err
		}
		if by := old.SupersededBy; by != "" {
			return supersededAlready(id, by)
		}
	}
	if err := ch.create(c, v, verb, why); err != nil {
		return err
	}
	for _, id := range c.Supersedes {
		if err := ch.supersede(c, id, why); err != nil {
			return err
		}
	}
	return nil
}

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

func updateRow(tx *sqlite.Tx, old, c *Capsule) error {
	c.n = old.n
	if err := c.columns(new(c.ingested())).Update(tx, "capsules", c.n); err != nil {
		return err
	}
	if old.Title != c.Title {
		if err := keepTitle(tx, c); err != nil {
			return err
		}
	}
	if slices.Equal(old.Tags, c.Tags) && slices.Equal(old.DomainTags, c.DomainTags) {
		return nil
	}
	if _, err := tx.Exec(`DELETE FROM capsule_tags WHERE capsule = ?`, c.n); err != nil {
		return err
	}
	return insertTags(tx, c)
}

func insertTags(tx *sqlite.Tx, c *Capsule) error {
	for domain, tags := range [][]string{c.Tags, c.DomainTags} {
		for _, t := range tags {
			if _, err := tx.Exec(`INSERT INTO capsule_tags VALUES (?, ?, ?)`, t, domain,
				c.n); err != nil {
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

type Reembedded struct {
	Model    string `json:"model"`
	Embedded int    `json:"embedded"`
	Skipped  int    `json:"skipped"` // had an embedding of this model
}

// Reembed embeds every capsule that has no embedding of the current model: those stored without
// one, or all if the model has changed. It commits in small batches and calls progress after each.
func (k *KB) Reembed(ctx context.Context, progress func(done, of int)) (Reembedded, error) {
	if k.emb == nil {
		return Reembedded{}, embed.NoModel()
	}
	did, err := store.Embed(ctx, k.emb, []*store.File{k.db},
		store.EmbedOptions{Change: true, Progress: progress})
	out := Reembedded{Model: did.Model, Embedded: did.Embedded}
	if err != nil {
		return out, err
	}
	return out, k.db.Read(ctx, func(tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT count(*) - ? FROM capsules`, out.Embedded).Scan(&out.Skipped)
	})
}

// Unembedded counts the capsules without an embedding of the current model, 0 without one.
func (k *KB) Unembedded(ctx context.Context) (int, error) {
	if k.emb == nil {
		return 0, nil
	}
	return k.db.Unembedded(ctx, k.emb)
}

// Backfill embeds the capsules that Unembedded counts, at most `batches` batches of them (0: all).
// The first one drops the embeddings of another model. Without a model it does nothing.
func (k *KB) Backfill(ctx context.Context, batches int) (store.Embedded, error) {
	if k.emb == nil {
		return store.Embedded{}, nil
	}
	return store.Embed(ctx, k.emb, []*store.File{k.db}, store.EmbedOptions{Batches: batches, Change: true})
}

// Checkpoint moves recent writes from the WAL to the database file, as far as readers allow.
func (k *KB) Checkpoint(ctx context.Context) error { return k.db.Checkpoint(ctx) }

// titleKey normalises a title for comparison: NFKC, ignoring case.
func titleKey(title string) string {
	fold := cases.Fold() // it is not safe for concurrent use
	return norm.NFKC.String(fold.String(norm.NFKC.String(title)))
}

func (c *Capsule) SameTitle(o *Capsule) bool { return titleKey(c.Title) == titleKey(o.Title) }

// titleKeys is the version of titleKey. Keys of other versions are computed again.
const titleKeys = 1

func keepTitle(tx *sqlite.Tx, c *Capsule) error {
	_, err := tx.Exec(`INSERT INTO capsule_titles VALUES (?, ?) ON CONFLICT (n) DO UPDATE
		SET key = excluded.key`, c.n, titleKey(c.Title))
	return err
}

func (ch *change) withTitle(c *Capsule) ([]Capsule, error) {
	if !ch.keyed {
		if err := keyTitles(ch.tx); err != nil {
			return nil, err
		}
	}
	ch.keyed = true
	return capsulesWhere(ch.tx,
		`n IN (SELECT n FROM capsule_titles WHERE key = ?) AND superseded_by = ''
			AND retired IS NULL AND id <> ? ORDER BY n`, titleKey(c.Title), c.ID)
}

// keyTitles computes the keys of all titles once, for capsules stored before there were keys.
func keyTitles(tx *sqlite.Tx) error {
	version, err := sqlite.One[int](tx,
		`SELECT coalesce(max(value), 0) FROM upkeep WHERE what = 'title keys'`)
	if err != nil || version == titleKeys {
		return err
	}
	all, err := sqlite.All(tx, func(c *Capsule) []any { return []any{&c.n, &c.Title} },
		`SELECT n, title FROM capsules`)
	if err != nil {
		return err
	}
	for i := range all {
		if err := keepTitle(tx, &all[i]); err != nil {
			return err
		}
	}
	_, err = tx.Exec(`INSERT INTO upkeep VALUES ('title keys', ?) ON CONFLICT (what) DO UPDATE
		SET value = excluded.value`, titleKeys)
	return err
}

// MadeFrom returns the active capsule of the same entry as a draft, if words find it, or nil.
func (k *KB) MadeFrom(ctx context.Context, draft *Capsule) (*Capsule, error) {
	run, entry := draft.Origin()
	if run == "" {
		return nil, nil
	}
	found, err := k.Search(ctx, Query{Text: draft.Title + "\n" + draft.Body, Mode: ModeBM25,
		NoDocs: true, NoMMR: true, Measuring: true})
	if err != nil {
		return nil, err
	}
	for i := range found.Hits {
		if r, e := found.Hits[i].Origin(); r == run && e == entry {
			return &found.Hits[i].Capsule, nil
		}
	}
	return nil, nil
}
