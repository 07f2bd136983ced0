package kb

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
)

var (
	//go:embed migrations/0001_kb.sql
	migration1 string
	//go:embed migrations/0002_sidecars.sql
	migration2 string
	//go:embed migrations/0003_titles.sql
	migration3 string
)

var schema = sqlite.Schema{Name: "knowledge base", ApplicationID: 0x626b6231, Migrations: []string{migration1, migration2, migration3}}

// indexConfig is how capsules are indexed: title, body, tags with domain tags, source. The weights and BM25's k1 and b are chosen over
// several sets of very different texts (`board kb eval`), none of them alone.
var indexConfig = index.Config{Name: "capsule_index", Weights: []float64{1.5, 1, 1, 0.5}, K1: 0.9, B: 0.4}

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
	db         *sqlite.DB
	index      *index.Index
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

// OpenExisting opens the knowledge base of a data home; ErrNotFound if there is none.
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
	if errors.Is(err, sqlite.ErrCorrupt) {
		return nil, &Error{Kind: err, Msg: err.Error(), Hint: "`board kb rebuild` makes it anew from the capsules' files, and keeps this one beside it"}
	}
	if err != nil {
		return nil, err
	}
	k.sidecars, k.quarantine = Sidecars(home), filepath.Join(home, "kb", "quarantine")
	err = k.syncAtOpen(ctx, opt.Sync)
	if err == nil && opt.Warm {
		err = k.db.Read(ctx, k.index.Warm)
	}
	if err != nil {
		k.Close()
		return nil, err
	}
	return k, nil
}

// openFile opens the file alone, without the sidecars.
func openFile(ctx context.Context, path string, mode sqlite.Mode, opt Options) (*KB, error) {
	db, err := sqlite.Open(ctx, path, schema, mode)
	if err != nil {
		return nil, err
	}
	if err := db.Full(); err != nil && opt.Warm { // who keeps it open would not see that there is space again
		db.Close()
		return nil, err
	}
	if opt.Now != nil {
		db.SetNow(opt.Now)
	}
	k := &KB{db: db, index: index.New(indexConfig), emb: opt.Embedder, actor: opt.Actor}
	if err := k.ensureIndex(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return k, nil
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

// StillThere is sqlite.ErrGone if the file was removed, or replaced, since it was opened.
func (k *KB) StillThere() error { return k.db.StillThere() }

// Close closes the file.
func (k *KB) Close() error { return k.db.Close() }

// ensureIndex makes the index if it is not there, or was made by another version of the program. Embeddings are kept where they can be.
func (k *KB) ensureIndex(ctx context.Context) error {
	var state index.State
	look := func(tx *sqlite.Tx) (err error) {
		state, err = k.index.State(tx)
		return err
	}
	if err := k.db.Read(ctx, look); err != nil || state == index.Ready {
		return err
	}
	if k.db.ReadOnly() {
		return &sqlite.Error{Path: k.db.Path(), Kind: sqlite.ErrReadOnly, Detail: "needs its search index made anew, but cannot be written to"}
	}
	return k.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := look(tx); err != nil || state == index.Ready {
			return err
		}
		return k.reindex(tx)
	})
}

// Reindex makes the search index anew from the capsules.
func (k *KB) Reindex(ctx context.Context) error { return k.db.Write(ctx, k.reindex) }

func (k *KB) reindex(tx *sqlite.Tx) error {
	return k.index.Rebuild(tx, func(after int64) ([]index.Kept, error) {
		caps, err := capsulesWhere(tx, `n > ? ORDER BY n LIMIT 20000`, after)
		docs := make([]index.Kept, len(caps))
		for i := range caps {
			docs[i] = index.Kept{Doc: document(&caps[i], nil), Model: caps[i].Model}
		}
		return docs, err
	}, func(n int64) error {
		_, err := tx.Exec(`UPDATE capsules SET model = '', dim = 0 WHERE n = ?`, n)
		return err
	})
}

// mended reports whether an error says that the search index is damaged, and it could be made anew: all that it holds is derived.
func (k *KB) mended(ctx context.Context, err error) bool {
	return errors.Is(err, index.ErrCorrupt) && !k.db.ReadOnly() && k.Reindex(ctx) == nil
}

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

// keyword makes a keyword of a value that may be longer than the index takes.
func keyword(prefix, value string) string {
	const most = 400
	if len(value) > most {
		value = fmt.Sprintf("%s#%x", strings.ToValidUTF8(value[:most-70], ""), hash(value)) // the cut may go through a letter
	}
	return prefix + value
}

// document is a capsule as the index takes it.
func document(c *Capsule, v embed.Vector) index.Doc {
	tags := ""
	for _, t := range append(append([]string{}, c.Tags...), c.DomainTags...) {
		tags += t + "\n"
	}
	d := index.Doc{ID: c.n, Text: []string{c.Title, c.Body, tags, c.Source}, Vector: v}
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
	return c.Title + "\n" + c.Body
}

const capsuleColumns = `n, id, kind, scope, title, body, tags, domain_tags, source, confidence, verified_by, supersedes, superseded_by, refs, workspace,
	project, decay_score, created, updated, retrieved, model, dim, retired, retired_why, revision, ingest_file, ingest_sha, ingest_part, ingest_of`

// capsulesWhere reads capsules; where is what follows WHERE.
func capsulesWhere(tx *sqlite.Tx, where string, args ...any) ([]Capsule, error) {
	return capsulesFrom(tx, `capsules WHERE `+where, args...)
}

// capsulesFrom reads capsules; from is what follows FROM.
func capsulesFrom(tx *sqlite.Tx, from string, args ...any) ([]Capsule, error) {
	rows, err := tx.Query(`SELECT `+capsuleColumns+` FROM `+from, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Capsule
	for rows.Next() {
		var c Capsule
		var tags, domains, supersedes, refs string
		var created, updated int64
		var retrieved, retired *int64
		var from Ingested
		if err := rows.Scan(&c.n, &c.ID, &c.Kind, &c.Scope, &c.Title, &c.Body, &tags, &domains, &c.Source, &c.Confidence, &c.VerifiedBy, &supersedes,
			&c.SupersededBy, &refs, &c.Workspace, &c.Project, &c.DecayScore, &created, &updated, &retrieved, &c.Model, &c.Dim, &retired, &c.RetiredWhy, &c.Revision,
			&from.File, &from.SHA256, &from.Part, &from.Of); err != nil {
			return nil, err
		}
		for _, l := range []struct {
			raw  string
			into *[]string
		}{{tags, &c.Tags}, {domains, &c.DomainTags}, {supersedes, &c.Supersedes}, {refs, &c.Refs}} {
			if err := json.Unmarshal([]byte(l.raw), l.into); err != nil {
				return nil, &sqlite.Error{Kind: sqlite.ErrCorrupt, Detail: "has a capsule " + c.ID + " whose lists cannot be read", Cause: err}
			}
		}
		c.Created, c.Updated = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
		c.Retrieved, c.Retired = timeOf(retrieved), timeOf(retired)
		if from.File != "" {
			c.Ingested = &from
		}
		all = append(all, c)
	}
	return all, rows.Err()
}

func timeOf(ms *int64) *time.Time {
	if ms == nil {
		return nil
	}
	t := time.UnixMilli(*ms).UTC()
	return &t
}

func millis(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMilli()
}

// jsonList writes a list, never null.
func jsonList(l []string) string {
	if l == nil {
		l = []string{}
	}
	b, _ := json.Marshal(l) // strings always can be
	return string(b)
}
