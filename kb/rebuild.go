package kb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"blackboard/board/fault"
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
	// Lost is what could not be read of that database: history, decisions, what is noted of documents. Capsules are taken from their sidecars.
	Lost []string `json:"lost"`
}

// Rebuild makes the mirror anew from the sidecars: every file is read and held against its row, links are made to say the same at both ends, and the search index is built from
// nothing. Embeddings of texts that are the same are kept. A database that is damaged is moved aside, not removed; what can be read of its rows, the history above all, goes into the new one.
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
	if errors.Is(err, fault.Corrupt) {
		err = r.salvage(ctx, path, judged)
		if err != nil && !errors.Is(err, fault.Gone) { // gone: another rebuild has done it
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
			if _, err := tx.Exec(`DELETE FROM sidecars WHERE id IN (SELECT value FROM json_each(?))`, sqlite.List(f.missing)); err != nil {
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
		return k.db.ReindexIn(ch.tx)
	}); err != nil {
		return r, err
	}
	for _, l := range []*[]string{&r.Lost, &r.PickedUp, &r.Added, &r.Retired, &r.Quarantined, &r.Notes} {
		*l = append([]string{}, *l...) // lists, not null
	}
	return r, k.db.Read(ctx, func(tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT count(*), coalesce(sum(model = ''), 0) FROM capsules`).Scan(&r.Capsules, &r.Unembedded)
	})
}

// salvage puts a database in the place of a damaged one that has what can be read of it, or moves the damaged one away if that is nothing.
func (r *Rebuilt) salvage(ctx context.Context, path string, judged os.FileInfo) (err error) {
	r.Aside, err = sqlite.Replace(ctx, path, judged, func(to string) error {
		s, err := kind.Salvage(ctx, path, to, func(tx *sqlite.Tx, _ *sqlite.Salvaged) error {
			// The keys of titles are made anew.
			if _, err := tx.Exec(`DELETE FROM upkeep WHERE what = 'title keys'`); err != nil {
				return err
			}
			// What a sidecar says goes on from the last change that is known of.
			_, err := tx.Exec(`UPDATE capsules SET revision = (SELECT max(revision) FROM events WHERE capsule = id) WHERE revision < (SELECT max(revision) FROM events WHERE capsule = id)`)
			return err
		})
		if err != nil {
			return err
		}
		for _, l := range s.Lost {
			r.Lost = append(r.Lost, l.Say)
		}
		return nil
	})
	if errors.Is(err, fault.Corrupt) {
		r.Lost = append(r.Lost, "nothing can be read of the database: the history of changes is in it alone")
		r.Aside, err = aside(ctx, path, judged)
	}
	return err
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
