package kb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

// isolate moves an unreadable sidecar to the quarantine: a copy at once, the file after the commit
// (one that is too large or not regular: the file at once). If there is a row, the capsule stays
// and its sidecar is written again. data is nil if it is not a regular file.
func (ch *change) isolate(id string, row *Capsule, data []byte, why string, s *Synced) error {
	name, path := id+sidecarExt, ch.k.sidecarPath(id)
	var to string
	var err error
	if data == nil || len(data) > MaxSidecar {
		to, err = ch.k.moveToQuarantine(name)
		ch.undo = append(ch.undo, func() { os.Rename(to, path) })
	} else if to, err = ch.copyToQuarantine(id, data); err == nil && row == nil {
		ch.removeLater(id)
	}
	if err != nil {
		return err
	}
	note := fmt.Sprintf("%s is not a valid capsule: %s; it was moved to %s", name, why, to)
	c := &Capsule{ID: id}
	if row != nil {
		if err := ch.writeSidecar(row); err != nil {
			return err
		}
		c = row
		note += "; the capsule is unchanged"
	}
	s.Quarantined = append(s.Quarantined, note)
	return ch.event(VerbQuarantined, c, nil, "", why)
}

// isolateUnknown moves files that belong to no capsule to the quarantine, unless they were just
// saved, and returns a note for each that it cannot move. It needs the write lock: two processes
// that move files of the same name could overwrite each other's.
func (k *KB) isolateUnknown(names []string, s *Synced) (notes []string) {
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(k.sidecars, name)); err != nil ||
			time.Since(info.ModTime()) < editGrace {
			continue
		}
		to, err := k.moveToQuarantine(name)
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s belongs to no capsule and cannot be moved: %v",
				name, err))
			continue
		}
		s.Quarantined = append(s.Quarantined,
			fmt.Sprintf("%s belongs to no capsule: its name is not an id; it was moved to %s (an import takes files of any name)", name, to))
	}
	return notes
}

func (k *KB) moveToQuarantine(name string) (string, error) {
	to, err := k.quarantineName(name)
	if err == nil {
		err = os.Rename(filepath.Join(k.sidecars, name), to)
	}
	return to, err
}

// quarantineName returns a free name in the quarantine, whose directory it creates.
func (k *KB) quarantineName(name string) (string, error) {
	if err := os.MkdirAll(k.quarantine, 0o700); err != nil {
		return "", err
	}
	to := filepath.Join(k.quarantine, name)
	for i := 2; ; i++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to, nil
		} else if err != nil {
			return "", err
		}
		to = filepath.Join(k.quarantine,
			fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, sidecarExt), i, sidecarExt))
	}
}

// pendingName lists sidecars of an ingest; after a death, those without a row are deleted.
const pendingName = ".pending"

// writePending writes the list for this change. It first completes an interrupted ingest.
func (ch *change) writePending(ids []string) error {
	if ch.k.sidecars == "" || ch.dry {
		return nil
	}
	if err := ch.finishPending(); err != nil || len(ids) == 0 {
		return err
	}
	path := filepath.Join(ch.k.sidecars, pendingName)
	if err := writeFile(path, []byte(strings.Join(ids, "\n"))); err != nil {
		return err
	}
	ch.undo = append(ch.undo, func() { os.Remove(path) })
	return nil
}

func (ch *change) removePending() {
	ch.after = append(ch.after, func() { os.Remove(filepath.Join(ch.k.sidecars, pendingName)) })
}

const maxPending = 64 << 20

func (ch *change) finishPending() error {
	path := filepath.Join(ch.k.sidecars, pendingName)
	data, err := disk.Read(path, maxPending)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, id := range strings.Fields(string(data)) {
		if CheckID(id) != nil {
			continue
		}
		if _, err := ch.row(id); errors.Is(err, fault.NotFound) {
			os.Remove(ch.k.sidecarPath(id))
		} else if err != nil {
			return err
		}
	}
	ch.after = append(ch.after, func() { os.Remove(path) })
	return nil
}

// pruneGone removes the capsules of documents that the folders no longer have, or only lists them.
func (k *KB) pruneGone(ctx context.Context, folders []string, known map[string]ingestedDoc,
	opt *IngestOptions, r *IngestedAll) error {
	for _, f := range slices.Sorted(maps.Keys(known)) {
		inside := slices.ContainsFunc(folders,
			func(dir string) bool {
				return strings.HasPrefix(f, strings.TrimSuffix(dir, "/")+"/")
			})
		if _, err := os.Lstat(f); !inside || !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if !opt.Prune {
			r.Gone = append(r.Gone, f)
			continue
		}
		n, back := 0, false
		if err := k.change(ctx, func(ch *change) error {
			old, err := capsulesWhere(ch.tx, `ingest_file = ?`, f)
			if err != nil {
				return err
			}
			if _, err := os.Lstat(f); err == nil { // it exists again and may have been ingested
				back = true
				return nil
			}
			if n = len(old); opt.DryRun {
				return nil
			}
			var ids []string
			for i := range old {
				ids = append(ids, old[i].ID)
			}
			if err := ch.writePending(ids); err != nil {
				return err
			}
			for _, id := range ids {
				c, err := ch.get(id)
				if err != nil {
					return err
				}
				if err := ch.drop(c, "its document is gone"); err != nil {
					return err
				}
			}
			ch.removePending()
			_, err = ch.tx.Exec(`DELETE FROM ingested WHERE file = ?`, f)
			return err
		}); err != nil {
			return err
		}
		if !back {
			r.Pruned = append(r.Pruned, f)
			r.Removed += n
		}
	}
	return nil
}
