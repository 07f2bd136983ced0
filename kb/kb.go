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
	"blackboard/kb/markdown"
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
	//go:embed migrations/0005_content.sql
	migration5 string
	//go:embed migrations/0006_scale.sql
	migration6 string
)

var schema = sqlite.Schema{
	Name: "knowledge base", ApplicationID: 0x626b6231,
	Migrations: []string{migration1, migration2, migration3, migration4, migration5, migration6}}

// indexConfig configures the index over title, body, tags with domain tags, and source. The weights
// and BM25's k1 and b were tuned on several different sets of texts together (testdata/score).
var indexConfig = index.Config{
	Name: "capsule_index", Weights: []float64{1.5, 1, 1, 0.5}, K1: 0.9, B: 0.4}

// kind indexes every capsule, since searches may include superseded ones.
var kind = store.Kind{Name: "the knowledge base", Schema: schema, Index: indexConfig,
	Table: "capsules", Live: "TRUE", Row: "capsule", Dim: true, Batch: 20_000,
	Tables: []string{"capsules", "capsule_tags", "thresholds", "sidecars", "events",
		"decisions", "ingested", "upkeep"},
	Invariants: invariants,
	Docs: func(tx *sqlite.Tx, where string, args ...any) ([]store.Doc, error) {
		caps, err := capsulesWhere(tx, where, args...)
		return docsOf(caps), err
	}}

func docsOf(caps []Capsule) []store.Doc {
	docs := make([]store.Doc, len(caps))
	for i := range caps {
		docs[i] = store.Doc{Kept: index.Kept{Doc: document(&caps[i], nil), Model: caps[i].Model},
			Meaning: embeddingText(&caps[i])}
	}
	return docs
}

type Options struct {
	Embedder embed.Embedder
	Warm     bool
	Now      func() time.Time
	Actor    string
	Sync     SyncWhen
}

// KB is an open knowledge base. It is safe for concurrent use by any number of processes.
type KB struct {
	db    *store.File
	index *index.Index // of db
	emb   embed.Embedder
	actor string
	// directory; "": none, as in a shared database and in measurements
	sidecars   string
	quarantine string
	mu         sync.Mutex
	notes      []string
}

func Path(home string) string { return filepath.Join(home, "kb", "kb.sqlite3") }

func Sidecars(home string) string { return filepath.Join(home, "kb", "capsules") }

// sharedAs returns the shared database of a data home, "" if the data home has files.
var sharedAs = func(home string) string {
	if store.IsShared(home) {
		return home
	}
	return ""
}

func IsShared(home string) bool { return sharedAs(home) != "" }

// Open opens the knowledge base of a data home, and creates it if needed. In a shared database
// (board.UseDatabase) there are only rows and no files.
func Open(ctx context.Context, home string, opt Options) (*KB, error) {
	return open(ctx, home, sqlite.Create, opt)
}

// OpenExisting opens the knowledge base of a data home, and returns fault.NotFound if there is
// none. If only the database is missing, it is created from the capsules' files.
func OpenExisting(ctx context.Context, home string, opt Options) (*KB, error) {
	k, err := open(ctx, home, sqlite.ReadWrite, opt)
	if errors.Is(err, fs.ErrNotExist) {
		if sharedAs(home) != "" {
			return nil, noKnowledgeBase("the database")
		}
		// only the database is missing
		if files, _ := filepath.Glob(filepath.Join(Sidecars(home), "k*"+sidecarExt)); len(
			files) > 0 {
			return Open(ctx, home, opt)
		}
		return nil, noKnowledgeBase(home)
	}
	return k, err
}

func open(ctx context.Context, home string, mode sqlite.Mode, opt Options) (*KB, error) {
	if shared := sharedAs(home); shared != "" {
		return openFile(ctx, shared, mode, opt)
	}
	k, err := openFile(ctx, Path(home), mode, opt)
	if errors.Is(err, fault.Corrupt) {
		return nil, fault.With(err, "",
			rebuild("{} rebuilds it from the capsules' files and keeps a copy of this one"))
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

// openFile opens only the database, without the sidecars.
func openFile(ctx context.Context, path string, mode sqlite.Mode, opt Options) (*KB, error) {
	db, err := kind.Open(ctx, path, mode, store.Options{Warm: opt.Warm, Now: opt.Now})
	if err != nil {
		return nil, err
	}
	// a long-running process would not notice when there is space again
	if err := db.Full(); err != nil && opt.Warm {
		db.Close()
		return nil, err
	}
	return &KB{db: db, index: db.Index, emb: opt.Embedder, actor: opt.Actor}, nil
}

// TakeNotes returns and clears what the user should know: edits picked up, quarantine.
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

// CheckFile returns fault.Gone if the file was removed or replaced since it was opened.
func (k *KB) CheckFile() error { return k.db.CheckFile() }

func (k *KB) Close() error { return k.db.Close() }

func (k *KB) Reindex(ctx context.Context) error { return k.db.Reindex(ctx) }

const reindexedNote = "the search index was damaged and was rebuilt from the capsules"

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

func embeddingText(c *Capsule) string {
	if c.Title == "" {
		return c.Body
	}
	return c.heading() + "\n" + c.Body
}

// heading returns a capsule's title for searches. A section's title includes the name of its file.
func (c *Capsule) heading() string {
	if c.Ingested == nil {
		return c.Title
	}
	return markdown.TitlePath(markdown.FileTitle(c.Ingested.File), c.Title)
}

// columns lists the columns of a capsule but its number. part receives those about its document.
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

var selectCapsules = `SELECT n, ` + capsuleColumns + ` FROM `

// capsulesWhere reads capsules; where is what follows WHERE.
func capsulesWhere(tx *sqlite.Tx, where string, args ...any) ([]Capsule, error) {
	return capsulesFrom(tx, `capsules WHERE `+where, args...)
}

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
	}, selectCapsules+from, args...)
	return all, err
}
