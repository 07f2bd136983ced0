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

// Finding is one thing that Doctor looked at.
type Finding struct {
	What  string `json:"what"`  // what was looked at: files, links, embeddings, …
	State string `json:"state"` // one of the State… values
	Say   string `json:"say"`   // how it is
	Try   string `json:"try"`   // the next step in the words of an adapter, which fills it in; "" if none is needed

	Next []fault.Step `json:"-"`
}

// States of a finding.
const (
	StateOK     = "ok"
	StateNote   = "note"   // worth knowing: everything works
	StateBroken = "broken" // something does not
)

// Doctor looks at everything: the file, the search index, the sidecars, the links, the embeddings, the metadata, the documents. It changes nothing.
func (k *KB) Doctor(ctx context.Context) ([]Finding, error) { return k.examine(ctx, true) }

// Examine is Doctor for what a damaged file shows: the file, the history of changes, the sidecars, the links. It leaves out what is said of what is in the capsules, and the search
// index, which is derived and takes the longest.
func (k *KB) Examine(ctx context.Context) ([]Finding, error) { return k.examine(ctx, false) }

func (k *KB) examine(ctx context.Context, all bool) ([]Finding, error) {
	d := &doctor{k: k}
	if err := k.Sound(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d.add("database", StateBroken, err.Error(), "", rebuild("{} makes it anew from the sidecars"))
		return d.all, nil
	}
	d.add("database", StateOK, "sound", "")
	looks := []func() error{d.history, d.files, d.links}
	if all {
		if err := k.checkIndex(ctx); err == nil {
			d.add("search index", StateOK, "holds every capsule", "")
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		} else {
			d.add("search index", StateBroken, err.Error(), "", rebuild("{} makes it anew"))
		}
		looks = []func() error{d.history, d.files, d.quarantine, d.links, d.embeddings, d.metadata, d.documents}
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

// doctor looks at one thing after the other, on one snapshot.
type doctor struct {
	k   *KB
	tx  *sqlite.Tx
	all []Finding
}

func (d *doctor) add(what, state, say, hint string, next ...fault.Step) {
	d.all = append(d.all, Finding{What: what, State: state, Say: say, Next: fault.Steps(hint, next...)})
}

func rebuild(text string) fault.Step { return fault.Do("kb.rebuild", text) }

// count reads the numbers of one row.
func (d *doctor) count(stmt string, into ...any) error { return d.tx.QueryRow(stmt).Scan(into...) }

// history looks for changes that are missing: they are numbered without a gap, and none is ever removed.
func (d *doctor) history() error {
	var gaps, last int64
	if err := d.count(`SELECT coalesce(max(seq), 0) - count(*), coalesce(max(seq), 0) FROM events`, &gaps, &last); err != nil {
		return err
	}
	if gaps > 0 {
		d.add("history", StateNote, fmt.Sprintf("%d of %d changes are missing: what capsules said before those cannot be had again", gaps, last), "")
	} else {
		d.add("history", StateOK, fmt.Sprintf("%d changes, none is missing", last), "")
	}
	return nil
}

func (d *doctor) files() error {
	f, err := d.k.lookIn(d.tx)
	if err != nil {
		return err
	}
	if f.nothing() {
		d.add("files", StateOK, fmt.Sprintf("%d, as the database has them", f.files), "")
		return nil
	}
	state, next := StateNote, fault.Steps("the next command picks it up")
	if f.lost || len(f.missing) > fewMissing {
		state, next = StateBroken, []fault.Step{fault.Do("kb.rebuild", "{} writes them from the database", "write_missing", "")}
	}
	d.add("files", state, fmt.Sprintf("%d were changed by hand, %d are missing, %d are no capsule's", len(f.changed), len(f.missing), len(f.unknown)+len(f.temp)), "", next...)
	return nil
}

func (d *doctor) quarantine() error {
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
	d.add("quarantine", StateNote, fmt.Sprintf("%d files: %s", len(entries), strings.Join(names, ", ")), "mend each and move it back to "+d.k.sidecars+", or delete it")
	return nil
}

func (d *doctor) links() error {
	var torn, half int
	if err := d.count(`SELECT (SELECT count(*) FROM capsules AS c WHERE superseded_by <> ''
			AND NOT EXISTS (SELECT 1 FROM capsules AS b, json_each(b.supersedes) WHERE b.id = c.superseded_by AND value = c.id)),
		(SELECT count(*) FROM capsules AS b, json_each(b.supersedes) WHERE NOT EXISTS (SELECT 1 FROM capsules AS c WHERE c.id = value AND c.superseded_by <> ''))`, &torn, &half); err != nil {
		return err
	}
	if torn+half > 0 {
		d.add("links", StateNote, fmt.Sprintf("%d capsules are superseded by one that does not name them or is not there, %d are named as superseded and are not", torn, half), "", rebuild("{} mends what both ends allow"))
	} else {
		d.add("links", StateOK, "both ends of each say the same", "")
	}
	return nil
}

func (d *doctor) embeddings() error {
	var total, bare int
	if err := d.count(`SELECT count(*), coalesce(sum(model = ''), 0) FROM capsules WHERE superseded_by = '' AND retired IS NULL`, &total, &bare); err != nil {
		return err
	}
	model, _, err := d.k.index.Model(d.tx)
	if err != nil {
		return err
	}
	switch emb := d.k.emb; {
	case model == "" && emb == nil:
		d.add("embeddings", StateNote, "none: searches go by words", "", fault.Do("model.pull", "{}"), fault.Do("kb.reembed", "then {}"))
	case emb != nil && model != "" && model != emb.Model().Name:
		d.add("embeddings", StateNote, fmt.Sprintf("they are of %s, and the model here is %s", model, emb.Model().Name), "", fault.Do("kb.reembed", "{} changes over"))
	case bare > 0:
		d.add("embeddings", StateNote, fmt.Sprintf("%d of %d capsules that stand have none", bare, total), "", fault.Do("kb.reembed", "{} gives them one"))
	default:
		d.add("embeddings", StateOK, fmt.Sprintf("all %d, of %s", total, model), "")
	}
	return nil
}

func (d *doctor) metadata() error {
	var total, noSource, noConfidence int
	if err := d.count(`SELECT count(*), coalesce(sum(source = ''), 0), coalesce(sum(confidence IS NULL AND kind <> 'doc'), 0) FROM capsules WHERE superseded_by = '' AND retired IS NULL`,
		&total, &noSource, &noConfidence); err != nil {
		return err
	}
	if noSource+noConfidence > 0 {
		d.add("metadata", StateNote, fmt.Sprintf("%d of %d capsules name no source, %d state no confidence", noSource, total, noConfidence), "", fault.Do("kb.edit", "{}", "id", "CAPSULE", "source", "…", "confidence", "…"))
	} else {
		d.add("metadata", StateOK, "every capsule names a source, and a confidence unless it is a part of a document", "")
	}
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
	if gone > 0 {
		d.add("documents", StateNote, fmt.Sprintf("%d of %d are not where they were", gone, all), "", fault.Do("kb.ingest", "{} removes their capsules", "paths", "FOLDER", "prune", ""))
	} else {
		d.add("documents", StateOK, fmt.Sprintf("%d, all where they were", all), "")
	}
	return nil
}
