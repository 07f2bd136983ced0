package kb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"blackboard/board/sqlite"
)

// Finding is one thing that Doctor looked at.
type Finding struct {
	What  string `json:"what"`
	State string `json:"state"` // ok, note (worth knowing), broken
	Say   string `json:"say"`
	Try   string `json:"try"` // the next step, "" if none is needed
}

// States of a finding.
const (
	StateOK     = "ok"
	StateNote   = "note"
	StateBroken = "broken"
)

// Doctor looks at everything: the file, the search index, the sidecars, the links, the embeddings, the metadata, the documents. It changes nothing.
func (k *KB) Doctor(ctx context.Context) (all []Finding, err error) {
	add := func(what, state, say, try string) { all = append(all, Finding{what, state, say, try}) }
	if err := k.db.Check(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		add("database", StateBroken, err.Error(), "`board kb rebuild` makes it anew from the sidecars")
		return all, nil
	}
	add("database", StateOK, "sound", "")
	if err := k.Check(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		add("search index", StateBroken, err.Error(), "`board kb rebuild` makes it anew")
	} else {
		add("search index", StateOK, "holds every capsule", "")
	}
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		f, err := k.lookIn(tx)
		if err != nil {
			return err
		}
		if f.nothing() {
			add("files", StateOK, fmt.Sprintf("%d, as the database has them", f.files), "")
		} else {
			state, try := StateNote, "the next command picks it up"
			if f.lost || len(f.missing) > fewMissing {
				state, try = StateBroken, "`board kb rebuild --write-missing` writes them from the database"
			}
			add("files", state, fmt.Sprintf("%d were changed by hand, %d are missing, %d are no capsule's", len(f.changed), len(f.missing), len(f.unknown)+len(f.temp)), try)
		}
		entries, err := os.ReadDir(k.quarantine)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if len(entries) > 0 {
			var names []string
			for _, e := range entries[:min(5, len(entries))] {
				names = append(names, e.Name())
			}
			add("quarantine", StateNote, fmt.Sprintf("%d files: %s", len(entries), strings.Join(names, ", ")), "mend each and move it back to "+k.sidecars+", or delete it")
		} else {
			add("quarantine", StateOK, "empty", "")
		}
		count := func(stmt string, args ...any) (n int, err error) {
			err = tx.QueryRow(stmt, args...).Scan(&n)
			return n, err
		}
		torn, err := count(`SELECT count(*) FROM capsules AS c WHERE superseded_by <> ''
			AND NOT EXISTS (SELECT 1 FROM capsules AS b, json_each(b.supersedes) WHERE b.id = c.superseded_by AND value = c.id)`)
		if err != nil {
			return err
		}
		half, err := count(`SELECT count(*) FROM capsules AS b, json_each(b.supersedes) WHERE NOT EXISTS (SELECT 1 FROM capsules AS c WHERE c.id = value AND c.superseded_by <> '')`)
		if err != nil {
			return err
		}
		if torn+half > 0 {
			add("links", StateNote, fmt.Sprintf("%d capsules are superseded by one that does not name them or is not there, %d are named as superseded and are not", torn, half), "`board kb rebuild` mends what both ends allow")
		} else {
			add("links", StateOK, "both ends of each say the same", "")
		}
		total, err := count(`SELECT count(*) FROM capsules WHERE superseded_by = '' AND retired IS NULL`)
		if err != nil {
			return err
		}
		bare, err := count(`SELECT count(*) FROM capsules WHERE superseded_by = '' AND retired IS NULL AND model = ''`)
		if err != nil {
			return err
		}
		model, _, err := k.index.Model(tx)
		if err != nil {
			return err
		}
		switch {
		case model == "" && k.emb == nil:
			add("embeddings", StateNote, "none: searches go by words", "`board model pull`, then `board kb reembed`")
		case k.emb != nil && model != "" && model != k.emb.Model().Name:
			add("embeddings", StateNote, fmt.Sprintf("they are of %s, and the model here is %s", model, k.emb.Model().Name), "`board kb reembed` changes over")
		case bare > 0:
			add("embeddings", StateNote, fmt.Sprintf("%d of %d capsules that stand have none", bare, total), "`board kb reembed` gives them one")
		default:
			add("embeddings", StateOK, fmt.Sprintf("all %d, of %s", total, model), "")
		}
		noSource, err := count(`SELECT count(*) FROM capsules WHERE superseded_by = '' AND retired IS NULL AND source = ''`)
		if err != nil {
			return err
		}
		noConfidence, err := count(`SELECT count(*) FROM capsules WHERE superseded_by = '' AND retired IS NULL AND confidence IS NULL AND kind <> 'doc'`)
		if err != nil {
			return err
		}
		if noSource+noConfidence > 0 {
			add("metadata", StateNote, fmt.Sprintf("%d of %d capsules name no source, %d state no confidence", noSource, total, noConfidence), "`board kb edit CAPSULE --source … --confidence …`")
		} else {
			add("metadata", StateOK, "every capsule names a source, and a confidence unless it is a part of a document", "")
		}
		var files []string
		rows, err := tx.Query(`SELECT file FROM ingested`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var f string
			if err := rows.Scan(&f); err != nil {
				return err
			}
			files = append(files, f)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		gone := 0
		for _, f := range files {
			if _, err := os.Lstat(f); errors.Is(err, fs.ErrNotExist) {
				gone++
			}
		}
		if gone > 0 {
			add("documents", StateNote, fmt.Sprintf("%d of %d are not where they were", gone, len(files)), "`board kb ingest FOLDER --prune` removes their capsules")
		} else {
			add("documents", StateOK, fmt.Sprintf("%d, all where they were", len(files)), "")
		}
		return nil
	})
	return all, err
}
