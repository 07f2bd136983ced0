package kb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"blackboard/board/sqlite"
)

// RebuildOptions say how Rebuild works.
type RebuildOptions struct {
	// WriteMissing writes sidecars that are not there from the rows, instead of retiring the capsules.
	WriteMissing bool
}

// Rebuilt is what Rebuild did.
type Rebuilt struct {
	Synced
	Capsules   int    `json:"capsules"`   // that there are now
	Unembedded int    `json:"unembedded"` // without an embedding of the knowledge base's model, or of any
	Aside      string `json:"aside"`      // where the database is that could not be read, "" if it could
}

// Rebuild makes the mirror anew from the sidecars: every file is read and held against its row, links are made to say the same at both ends, and the search index is built from
// nothing. Embeddings of texts that are the same are kept. A database that cannot be read is moved aside, not removed: its history is in it.
func Rebuild(ctx context.Context, home string, opt Options, how RebuildOptions) (r Rebuilt, err error) {
	path := Path(home)
	if _, err := os.Stat(Sidecars(home)); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return r, noBase(home)
		}
	}
	opt.Sync = SyncNever
	judged, _ := os.Stat(path) // nil: there is none
	k, err := open(ctx, home, sqlite.Create, opt)
	if err == nil {
		if err = k.Sound(ctx); err != nil {
			k.Close()
		}
	}
	if errors.Is(err, sqlite.ErrCorrupt) {
		r.Aside, err = aside(ctx, path, judged)
		switch {
		case errors.Is(err, sqlite.ErrGone): // another rebuild has done it
			r.Aside = ""
		case err != nil:
			return r, err
		}
		k, err = open(ctx, home, sqlite.Create, opt)
	}
	if err != nil {
		return r, err
	}
	defer k.Close()
	if err := k.db.Write(ctx, func(tx *sqlite.Tx) error {
		if how.WriteMissing { // as if they had never been
			f, err := k.lookIn(tx)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(`DELETE FROM sidecars WHERE id IN (SELECT value FROM json_each(?))`, jsonList(f.missing)); err != nil {
				return err
			}
			// And those that were retired for it stand again.
			if _, err := tx.Exec(`UPDATE capsules SET retired = NULL, retired_why = '' WHERE retired_why = ? AND id IN (SELECT id FROM sidecars WHERE size < 0)`, removedByHand); err != nil {
				return err
			}
			if _, err := tx.Exec(`DELETE FROM sidecars WHERE size < 0 AND id IN (SELECT id FROM capsules WHERE retired IS NULL)`); err != nil {
				return err
			}
		}
		// What is known of the files is forgotten, so that all are read.
		_, err := tx.Exec(`UPDATE sidecars SET mtime = 0, checked = 0, hash = x'' WHERE size >= 0`)
		return err
	}); err != nil {
		return r, err
	}
	if r.Synced, err = k.Sync(ctx); err != nil {
		return r, err
	}
	if err := k.change(ctx, func(ch *change) error {
		linked, err := capsulesWhere(ch.tx, `supersedes <> '[]' ORDER BY n`)
		if err != nil {
			return err
		}
		for i := range linked {
			if err := ch.relink(&Capsule{SupersededBy: linked[i].SupersededBy}, &linked[i], &r.Synced); err != nil {
				return err
			}
		}
		return k.reindex(ch.tx)
	}); err != nil {
		return r, err
	}
	for _, l := range []*[]string{&r.PickedUp, &r.Added, &r.Retired, &r.Quarantined, &r.Notes} {
		*l = append([]string{}, *l...) // lists, not null
	}
	return r, k.db.Read(ctx, func(tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT count(*), coalesce(sum(model = ''), 0) FROM capsules`).Scan(&r.Capsules, &r.Unembedded)
	})
}

// aside moves a database that cannot be read out of the way and returns its new name.
func aside(ctx context.Context, path string, is os.FileInfo) (to string, err error) {
	for i := 1; ; i++ {
		to = fmt.Sprintf("%s.broken-%d", path, i)
		if err := sqlite.Rename(ctx, path, to, is); !errors.Is(err, fs.ErrExist) {
			return to, err
		}
	}
}
