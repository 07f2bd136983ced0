package kb

import (
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

var (
	//go:embed migrations/0001_kb.sql
	migration1 string
	//go:embed migrations/0002_sidecars.sql
	migration2 string
	//go:embed migrations/0003_titles.sql
	migration3 string
	//go:embed migrations/0004_evidence.sql
	migration4 string
)

var schema = sqlite.Schema{Name: "knowledge base", ApplicationID: 0x626b6231, Migrations: []string{migration1, migration2, migration3, migration4}}

// indexConfig is how capsules are indexed: title, body, tags with domain tags, source. The weights and BM25's k1 and b are chosen over
// several sets of very different texts (`board kb eval`), none of them alone.
var indexConfig = index.Config{Name: "capsule_index", Weights: []float64{1.5, 1, 1, 0.5}, K1: 0.9, B: 0.4}

// kind is what the file holds. The knowledge base indexes every capsule, for questions about what is superseded.
var kind = store.Kind{Name: "the knowledge base", Schema: schema, Index: indexConfig, Table: "capsules", Live: "1", Row: "capsule", Dim: true, Batch: 20_000,
	Tables:     []string{"capsules", "capsule_tags", "thresholds", "sidecars", "events", "decisions", "ingested", "upkeep"},
	Invariants: invariants,
	Docs: func(tx *sqlite.Tx, where string, args ...any) ([]store.Doc, error) {
		caps, err := capsulesWhere(tx, where, args...)
		return docsOf(caps), err
	}}

// docsOf gives capsules as the index takes them.
func docsOf(caps []Capsule) []store.Doc {
	docs := make([]store.Doc, len(caps))
	for i := range caps {
		docs[i] = store.Doc{Kept: index.Kept{Doc: document(&caps[i], nil), Model: caps[i].Model}, Meaning: embeddingText(&caps[i])}
	}
	return docs
}

// Options say how to open a knowledge base.
type Options struct {
	// Embedder turns texts into vectors; nil: there is none, and searches go by words alone.
	Embedder embed.Embedder
	// Warm keeps what searches read in memory, for a process that lives.
	Warm bool
	// Now replaces the clock.
	Now func() time.Time
	// Actor is who makes the changes, as the log of events has it.
	Actor string
	// Sync says when edits of sidecars by hand are looked for at opening: SyncDue unless it is set.
	Sync SyncWhen
}

// KB is an open knowledge base. It is safe for concurrent use, by any number of processes.
type KB struct {
	db         *store.File
	index      *index.Index // of db
	emb        embed.Embedder
	actor      string
	sidecars   string // directory; "": a knowledge base without, as measurements use
	quarantine string
	mu         sync.Mutex
	notes      []string
}

// Path returns the file of the knowledge base in a data home.
func Path(home string) string { return filepath.Join(home, "kb", "kb.sqlite3") }

// Sidecars returns the directory of the capsules' files in a data home.
func Sidecars(home string) string { return filepath.Join(home, "kb", "capsules") }

// Open opens the knowledge base of a data home for reading and writing and makes it if there is none.
func Open(ctx context.Context, home string, opt Options) (*KB, error) {
	return open(ctx, home, sqlite.Create, opt)
}

// OpenExisting opens the knowledge base of a data home; fault.NotFound if there is none.
func OpenExisting(ctx context.Context, home string, opt Options) (*KB, error) {
	k, err := open(ctx, home, sqlite.ReadWrite, opt)
	if errors.Is(err, fs.ErrNotExist) {
		if files, _ := filepath.Glob(filepath.Join(Sidecars(home), "k*"+sidecarExt)); len(files) > 0 { // only the database is gone
			return Open(ctx, home, opt)
		}
		return nil, noBase(home)
	}
	return k, err
}

func open(ctx context.Context, home string, mode sqlite.Mode, opt Options) (*KB, error) {
	k, err := openFile(ctx, Path(home), mode, opt)
	if errors.Is(err, fault.Corrupt) {
		return nil, fault.With(err, "", rebuild("{} makes it anew from the capsules' files, and keeps this one beside it"))
	}
	if err != nil {
		return nil, err
	}
	k.sidecars, k.quarantine = Sidecars(home), filepath.Join(home, "kb", "quarantine")
	if err := k.syncAtOpen(ctx, opt.Sync); err != nil {
		k.Close()
		return nil, err
	}
	return k, nil
}

// openFile opens the file alone, without the sidecars.
func openFile(ctx context.Context, path string, mode sqlite.Mode, opt Options) (*KB, error) {
	db, err := kind.Open(ctx, path, mode, store.Options{Warm: opt.Warm, Now: opt.Now})
	if err != nil {
		return nil, err
	}
	if err := db.Full(); err != nil && opt.Warm { // who keeps it open would not see that there is space again
		db.Close()
		return nil, err
	}
	return &KB{db: db, index: db.Index, emb: opt.Embedder, actor: opt.Actor}, nil
}

// TakeNotes returns, once, what the knowledge base has found and done by itself that its user should know: edits by hand picked up, files put into quarantine.
func (k *KB) TakeNotes() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	notes := k.notes
	k.notes = nil
	return notes
}

func (k *KB) note(notes ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.notes = append(k.notes, notes...)
}

// StillThere is fault.Gone if the file was removed, or replaced, since it was opened.
func (k *KB) StillThere() error { return k.db.StillThere() }

// Close closes the file.
func (k *KB) Close() error { return k.db.Close() }

// Reindex makes the search index anew from the capsules.
func (k *KB) Reindex(ctx context.Context) error { return k.db.Reindex(ctx) }

// mendedNote is said when that was done.
const mendedNote = "the search index was damaged, and was made anew from the capsules"

// Keywords of the filters.
const (
	kwKind       = "kind:"
	kwScope      = "scope:"
	kwTag        = "tag:"
	kwDomain     = "domain:"
	kwWorkspace  = "workspace:"
	kwProject    = "project:"
	kwSuperseded = "superseded"
	kwRetired    = "retired"
)

func keyword(prefix, value string) string { return store.Keyword(prefix, value, 330, hash) }

// document is a capsule as the index takes it.
func document(c *Capsule, v embed.Vector) index.Doc {
	tags := ""
	for _, t := range append(append([]string{}, c.Tags...), c.DomainTags...) {
		tags += t + "\n"
	}
	d := index.Doc{ID: c.n, Text: []string{c.heading(), c.Body, tags, c.Source}, Vector: v}
	d.Keywords = append(d.Keywords, kwKind+c.Kind, kwScope+c.Scope)
	for _, t := range c.Tags {
		d.Keywords = append(d.Keywords, kwTag+t)
	}
	for _, t := range c.DomainTags {
		d.Keywords = append(d.Keywords, kwDomain+t)
	}
	if c.Workspace != "" {
		d.Keywords = append(d.Keywords, keyword(kwWorkspace, c.Workspace))
	}
	if c.Project != "" {
		d.Keywords = append(d.Keywords, keyword(kwProject, c.Project))
	}
	if c.SupersededBy != "" {
		d.Keywords = append(d.Keywords, kwSuperseded)
	}
	if c.Retired != nil {
		d.Keywords = append(d.Keywords, kwRetired)
	}
	return d
}

// embeddingText is what of a capsule is embedded.
func embeddingText(c *Capsule) string {
	if c.Title == "" {
		return c.Body
	}
	return c.heading() + "\n" + c.Body
}

// heading is a capsule's title as it is searched: that of a section has the name of its file.
func (c *Capsule) heading() string {
	if c.Ingested == nil {
		return c.Title
	}
	return titlePath(fileTitle(c.Ingested.File), c.Title)
}

// columns are a capsule's, but for its number. part has what they say of its document.
func (c *Capsule) columns(part *Ingested) store.Columns {
	return store.Columns{"id", &c.ID, "kind", &c.Kind, "scope", &c.Scope, "title", &c.Title,
		"body", &c.Body, "tags", &c.Tags, "domain_tags", &c.DomainTags, "source", &c.Source,
		"confidence", &c.Confidence, "verified_by", &c.VerifiedBy, "supersedes", &c.Supersedes,
		"superseded_by", &c.SupersededBy, "refs", &c.Refs, "workspace", &c.Workspace,
		"project", &c.Project, "decay_score", &c.DecayScore, "created", &c.Created,
		"updated", &c.Updated, "retrieved", &c.Retrieved, "model", &c.Model, "dim", &c.Dim,
		"retired", &c.Retired, "retired_why", &c.RetiredWhy, "revision", &c.Revision,
		"ingest_file", &part.File, "ingest_sha", &part.SHA256, "ingest_part", &part.Part,
		"ingest_of", &part.Of}
}

var capsuleColumns = new(Capsule).columns(new(Ingested)).Names("", "")

// capsulesWhere reads capsules; where is what follows WHERE.
func capsulesWhere(tx *sqlite.Tx, where string, args ...any) ([]Capsule, error) {
	return capsulesFrom(tx, `capsules WHERE `+where, args...)
}

// capsule reads one by its id.
func capsule(tx *sqlite.Tx, id string) (*Capsule, error) {
	found, err := capsulesWhere(tx, `id = ?`, id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, notFound(id)
	}
	return &found[0], nil
}

// capsulesFrom reads capsules; from is what follows FROM.
func capsulesFrom(tx *sqlite.Tx, from string, args ...any) (all []Capsule, err error) {
	var c Capsule
	var part Ingested
	err = tx.Each(c.columns(&part).Dest("a capsule %s whose lists", &c.n), func() error {
		if part.File != "" {
			c.Ingested = new(part)
		}
		all = append(all, c)
		c = Capsule{}
		return nil
	}, `SELECT n, `+capsuleColumns+` FROM `+from, args...)
	return all, err
}
