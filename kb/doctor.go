package kb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

type Finding struct {
	What  string `json:"what"`  // what was checked: files, links, embeddings, …
	State string `json:"state"` // one of the State… values
	Say   string `json:"say"`   // what was found
	// the next step as text, filled in by an adapter; "": none
	Try string `json:"try"`

	Next []fault.Step `json:"-"`
}

// States of a finding.
const (
	StateOK     = "ok"
	StateNote   = "note"   // worth knowing; everything works
	StateBroken = "broken" // something does not work
)

// Doctor checks all that there is to check, and changes nothing.
func (k *KB) Doctor(ctx context.Context) ([]Finding, error) { return k.examine(ctx, true) }

// Examine is Doctor for file, history, sidecars and links: it finds a damaged file.
func (k *KB) Examine(ctx context.Context) ([]Finding, error) { return k.examine(ctx, false) }

func (k *KB) examine(ctx context.Context, all bool) ([]Finding, error) {
	d := &doctor{k: k}
	if err := k.Sound(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d.add("database", StateBroken, err.Error(), "",
			rebuild("{} rebuilds it from the sidecars"))
		return d.all, nil
	}
	d.add("database", StateOK, "sound", "")
	looks := []func() error{d.history, d.files, d.links}
	if all {
		if err := k.checkIndex(ctx); err == nil {
			d.add("search index", StateOK, "complete", "")
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		} else {
			d.add("search index", StateBroken, err.Error(), "", rebuild("{} rebuilds it"))
		}
		switch err := k.checkContent(ctx); {
		case err == nil:
			d.add("content", StateOK, "as the history has it", "")
		case errors.Is(err, fault.Corrupt):
			d.add("content", StateBroken, err.Error(), "", rebuild("{} takes the sidecars' content"))
		default:
			return nil, err
		}
		looks = []func() error{d.history, d.files, d.quarantine, d.links, d.embeddings, d.metadata,
			d.documents}
	}
	err := k.db.Read(ctx, func(tx *sqlite.Tx) error {
		d.tx = tx
		for _, look := range looks {
			if err := look(); err != nil {
				return err
			}
		}
		return nil
	})
	return d.all, err
}

type doctor struct {
	k   *KB
	tx  *sqlite.Tx
	all []Finding
}

func (d *doctor) add(what, state, say, hint string, next ...fault.Step) {
	d.all = append(d.all, Finding{
		What: what, State: state, Say: say, Next: fault.Steps(hint, next...)})
}

// note adds say as a note if some is true, else well as ok.
func (d *doctor) note(what string, some bool, say, well string, next ...fault.Step) {
	if some {
		d.add(what, StateNote, say, "", next...)
	} else {
		d.add(what, StateOK, well, "")
	}
}

func rebuild(text string) fault.Step { return fault.Do("kb.rebuild", text) }

func (d *doctor) count(stmt string, into ...any) error { return d.tx.QueryRow(stmt).Scan(into...) }

// history looks for missing events. They are numbered without gaps and never deleted.
func (d *doctor) history() error {
	var gaps, last int64
	if err := d.count(`SELECT coalesce(max(seq), 0) - count(*), coalesce(max(seq), 0) FROM events`,
		&gaps, &last); err != nil {
		return err
	}
	d.note("history", gaps > 0,
		fmt.Sprintf("%d of %d changes are missing: older revisions of their capsules are lost",
			gaps, last), fmt.Sprintf("%d changes, none missing", last))
	return nil
}

func (d *doctor) files() error {
	if d.k.sidecars == "" {
		return nil
	}
	f, err := d.k.compareFilesIn(d.tx)
	if err != nil {
		return err
	}
	if f.isEmpty() {
		d.add("files", StateOK, fmt.Sprintf("%d, all as in the database", f.files), "")
		return nil
	}
	d.add("files", StateNote, fmt.Sprintf("%d changed by hand, %d missing, %d that belong to no capsule",
		len(f.changed), len(f.missing), len(f.unknown)+len(f.temp)), "the next command picks it up")
	return nil
}

func (d *doctor) quarantine() error {
	if d.k.quarantine == "" {
		return nil
	}
	entries, err := os.ReadDir(d.k.quarantine)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) == 0 {
		d.add("quarantine", StateOK, "empty", "")
		return nil
	}
	var names []string
	for _, e := range entries[:min(5, len(entries))] {
		names = append(names, e.Name())
	}
	d.add("quarantine", StateNote,
		fmt.Sprintf("%d files: %s", len(entries), strings.Join(names, ", ")),
		"correct each file and move it back to "+d.k.sidecars+", or delete it")
	return nil
}

func (d *doctor) links() error {
	var torn, half int
	if err := d.count(`SELECT (SELECT count(*) FROM capsules AS c WHERE superseded_by <> ''
			AND NOT EXISTS (SELECT 1 FROM capsules AS b, json_each(b.supersedes)
			WHERE b.id = c.superseded_by AND value = c.id)),
		(SELECT count(*) FROM capsules AS b, json_each(b.supersedes) WHERE NOT EXISTS (SELECT 1
		FROM capsules AS c WHERE c.id = value
		AND c.superseded_by <> ''))`, &torn, &half); err != nil {
		return err
	}
	d.note("links", torn+half > 0, fmt.Sprintf("%d capsules are superseded by a capsule that does "+
		"not name them or does not exist; %d are named as superseded and are not", torn, half),
		"consistent", rebuild("{} repairs them where possible"))
	return nil
}

func (d *doctor) embeddings() error {
	var total, bare int
	if err := d.count(`SELECT count(*), count(*) FILTER (WHERE model = '') FROM capsules
		WHERE superseded_by = '' AND retired IS NULL`, &total, &bare); err != nil {
		return err
	}
	model, _, err := d.k.index.Model(d.tx)
	if err != nil {
		return err
	}
	switch emb := d.k.emb; {
	case model == "" && emb == nil:
		d.add("embeddings", StateNote, "none: searches use words only", "",
			fault.Do("model.pull", "{}"), fault.Do("kb.reembed", "then {}"))
	case emb != nil && model != "" && model != emb.Model().Name:
		d.add("embeddings", StateNote,
			fmt.Sprintf("made by %s; the current model is %s", model, emb.Model().Name), "",
			fault.Do("kb.reembed", "{} switches the model"))
	case bare > 0:
		d.add("embeddings", StateNote,
			fmt.Sprintf("%d of %d active capsules have none", bare, total), "",
			fault.Do("kb.reembed", "{} adds them"))
	default:
		d.add("embeddings", StateOK, fmt.Sprintf("all %d, by %s", total, model), "")
	}
	return nil
}

func (d *doctor) metadata() error {
	var total, noSource, noConfidence int
	if err := d.count(`SELECT count(*), count(*) FILTER (WHERE source = ''),
		count(*) FILTER (WHERE confidence IS NULL AND kind <> 'doc') FROM capsules
		WHERE superseded_by = '' AND retired IS NULL`,
		&total, &noSource, &noConfidence); err != nil {
		return err
	}
	d.note("metadata", noSource+noConfidence > 0,
		fmt.Sprintf("of %d capsules, %d have no source and %d no confidence", total, noSource,
			noConfidence),
		"every capsule has a source and a confidence (sections of documents need no confidence)",
		fault.Do("kb.edit", "{}", "id", "CAPSULE", "source", "…", "confidence", "…"))
	return nil
}

func (d *doctor) documents() error {
	files, err := sqlite.Column[string](d.tx, `SELECT file FROM ingested`)
	if err != nil {
		return err
	}
	all, gone := len(files), 0
	for _, file := range files {
		if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
			gone++
		}
	}
	d.note("documents", gone > 0, fmt.Sprintf("%d of %d no longer exist at their path", gone, all),
		fmt.Sprintf("%d, all at their paths", all),
		fault.Do("kb.ingest", "{} removes their capsules", "paths", "FOLDER", "prune", ""))
	return nil
}

type Rebuilt struct {
	Synced
	Capsules int `json:"capsules"` // how many there are now
	// without an embedding by the knowledge base's model
	Unembedded int `json:"unembedded"`
	// path of the unreadable database that was moved aside; "": none
	Aside string `json:"aside"`
	// Lost lists what could not be read of that database: history, decisions, ingested documents.
	Lost []string `json:"lost"`
}

// Rebuild rebuilds the database from the sidecars. It reads every file, repairs links at both ends
// and rebuilds the search index. Embeddings of unchanged texts are kept. A damaged database is
// moved aside, and what can be read of its rows, above all the history, is copied to the new one.
func Rebuild(ctx context.Context, home string, opt Options) (r Rebuilt, err error) {
	if sharedAs(home) != "" {
		return rebuildRows(ctx, home, opt)
	}
	path := Path(home)
	if _, err := os.Stat(Sidecars(home)); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return r, noKnowledgeBase(home)
		}
	}
	opt.Sync = SyncNever
	damagedInfo, _ := os.Stat(path) // nil: there is no file
	k, err := open(ctx, home, sqlite.Create, opt)
	if err == nil {
		if err = k.Sound(ctx); err != nil {
			k.Close()
		}
	}
	if errors.Is(err, fault.Corrupt) {
		err = r.salvage(ctx, path, damagedInfo)
		if err != nil && !errors.Is(err, fault.Gone) { // Gone: another rebuild has done it
			return r, err
		}
		k, err = open(ctx, home, sqlite.Create, opt)
	}
	if err != nil {
		return r, err
	}
	defer k.Close()
	if err := k.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`UPDATE sidecars SET mtime = 0, checked = 0, hash = x'' WHERE size >= 0`)
		return err
	}); err != nil {
		return r, err
	}
	if r.Synced, err = k.Sync(ctx); err != nil {
		return r, err
	}
	return r, r.relink(ctx, k)
}

// rebuildRows is Rebuild for a knowledge base without sidecars, where the rows are authoritative.
func rebuildRows(ctx context.Context, home string, opt Options) (r Rebuilt, err error) {
	k, err := OpenExisting(ctx, home, opt)
	if err != nil {
		return r, err
	}
	defer k.Close()
	return r, r.relink(ctx, k)
}

// relink repairs links at both ends and rebuilds the search index.
func (r *Rebuilt) relink(ctx context.Context, k *KB) error {
	if err := k.change(ctx, func(ch *change) error {
		linked, err := capsulesWhere(ch.tx, `supersedes <> '[]' ORDER BY n`)
		if err != nil {
			return err
		}
		for i := range linked {
			if err := ch.relink(&Capsule{SupersededBy: linked[i].SupersededBy}, &linked[i],
				&r.Synced); err != nil {
				return err
			}
		}
		return k.db.ReindexIn(ch.tx)
	}); err != nil {
		return err
	}
	for _, l := range []*[]string{
		&r.Lost, &r.PickedUp, &r.Added, &r.Quarantined, &r.Notes} {
		*l = append([]string{}, *l...) // lists, not null
	}
	return k.db.Read(ctx, func(tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT count(*), count(*) FILTER (WHERE model = '') FROM capsules`).Scan(&r.Capsules, &r.Unembedded)
	})
}

// salvage replaces a damaged database by one with the rows that can be read, if there are any.
func (r *Rebuilt) salvage(ctx context.Context, path string, judged os.FileInfo) (err error) {
	r.Aside, err = sqlite.Replace(ctx, path, judged, func(to string) error {
		s, err := kind.Salvage(ctx, path, to, func(tx *sqlite.Tx, _ *sqlite.Salvaged) error {
			if _, err := tx.Exec(`DELETE FROM upkeep WHERE what = 'title keys'`); err != nil {
				return err
			}
			// The revision continues after the last known change.
			_, err := tx.Exec(`UPDATE capsules SET revision = (SELECT max(revision) FROM events
				WHERE capsule = id) WHERE revision < (SELECT max(revision) FROM events
				WHERE capsule = id)`)
			return err
		})
		if err != nil {
			return err
		}
		r.Lost = append(r.Lost, s.Losses()...)
		return nil
	})
	if errors.Is(err, fault.Corrupt) {
		r.Lost = append(r.Lost, "nothing in the database can be read; the history of changes is only there")
		r.Aside, err = moveAside(ctx, path, judged)
	}
	return err
}

func moveAside(ctx context.Context, path string, is os.FileInfo) (to string, err error) {
	for i := 1; ; i++ {
		to = fmt.Sprintf("%s.broken-%d", path, i)
		if err := sqlite.Rename(ctx, path, to, is); !errors.Is(err, fs.ErrExist) {
			return to, err
		}
	}
}
