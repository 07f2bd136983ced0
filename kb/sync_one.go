package kb

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

func (ch *change) pickUp(id string) error {
	if ch.k.sidecars == "" {
		return nil
	}
	if ch.sync != nil {
		return ch.reconcileOne(id, ch.sync, false)
	}
	var s Synced
	err := ch.reconcileOne(id, &s, false)
	ch.notes = append(ch.notes, s.summary()...)
	return err
}

// PickUp picks up an edit of a capsule's file by hand, in a change of its own, before another
// change reads the capsule. Sync handles missing files.
func (k *KB) PickUp(ctx context.Context, id string) error {
	if k.sidecars == "" || k.db.ReadOnly() || CheckID(id) != nil {
		return nil
	}
	edited := false
	if err := k.db.Read(ctx, func(tx *sqlite.Tx) error {
		edited = k.isEdited(tx, id)
		return nil
	}); err != nil || !edited {
		return nil
	}
	return k.change(ctx, func(ch *change) error { return ch.pickUp(id) })
}

func (k *KB) isEdited(tx *sqlite.Tx, id string) bool {
	info, err := os.Lstat(k.sidecarPath(id))
	if err != nil {
		return false // missing, or an error that the next sync reports
	}
	var m sidecarState
	err = tx.QueryRow(`SELECT size, mtime, checked FROM sidecars WHERE id = ?`, id).Scan(&m.size,
		&m.mtime, &m.checked)
	return err == nil && !m.same(info) || sqlite.IsNoRows(err)
}

type sidecarState struct {
	size, mtime, checked int64
	hash                 []byte
}

// same reports whether a file is certainly unchanged.
func (m *sidecarState) same(info fs.FileInfo) bool {
	return info.Size() == m.size && info.ModTime().UnixNano() == m.mtime &&
		m.checked-m.mtime >= int64(timeResolution)
}

// reconcileOne handles one capsule's file. Only a sync treats it as missing.
func (ch *change) reconcileOne(id string, s *Synced, missing bool) error {
	var m *sidecarState
	var have sidecarState
	if err := ch.tx.QueryRow(`SELECT size, mtime, checked, hash FROM sidecars WHERE id = ?`,
		id).Scan(&have.size, &have.mtime, &have.checked, &have.hash); err == nil {
		m = &have
	} else if !sqlite.IsNoRows(err) {
		return err
	}
	row, err := ch.row(id)
	if errors.Is(err, fault.NotFound) {
		row, err = nil, nil
	}
	if err != nil {
		return err
	}
	path := ch.k.sidecarPath(id)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !missing {
			return nil
		}
		return ch.fileMissing(id, row, s)
	case err != nil:
		return err
	case m != nil && row != nil && m.same(info):
		return nil
	case !info.Mode().IsRegular():
		return ch.isolate(id, row, nil, "not a regular file", s)
	}
	data, err := readSidecar(path)
	if errors.Is(err, fs.ErrPermission) {
		s.Notes = append(s.Notes, fmt.Sprintf("%s cannot be read: %v", path, errors.Unwrap(err)))
		return nil
	}
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	if m != nil && row != nil && bytes.Equal(sum[:], m.hash) {
		return ch.recordSidecar(id, info, data)
	}
	c, _, err := DecodeSidecar(id, data)
	if err == nil {
		err = ch.checkLinks(row, &c)
	}
	if err != nil {
		if errors.Is(err, errUnmerged) {
			s.Notes = append(s.Notes, fmt.Sprintf("%s was left alone: %v; the capsule is "+
				"unchanged; resolve it in the file", path, err))
			return nil
		}
		if age := time.Since(info.ModTime()); age >= 0 && age < editGrace {
			s.Notes = append(s.Notes,
				fmt.Sprintf("%s is not a valid capsule (%v); it was left alone, as it may still be being written", path, err))
			return nil
		}
		return ch.isolate(id, row, data, err.Error(), s)
	}
	if row == nil {
		return ch.adopt(&c, info, data, s)
	}
	return ch.storeEdit(row, &c, info, data, s)
}

// fileMissing writes the missing sidecar of a row. Without a row it forgets the sidecar.
func (ch *change) fileMissing(id string, row *Capsule, s *Synced) error {
	if row == nil {
		_, err := ch.tx.Exec(`DELETE FROM sidecars WHERE id = ?`, id)
		return err
	}
	s.Written++
	c := *row
	if err := c.Normalise(); err != nil || sameContent(row, &c) {
		return ch.writeSidecar(row)
	}
	// written by a version that did not trim texts
	return ch.update(row, &c, nil, VerbEdited, "", "its file was written")
}

// adopt stores a sidecar without a row: a new file, or one whose process died before the commit.
func (ch *change) adopt(c *Capsule, info fs.FileInfo, data []byte, s *Synced) error {
	part := c.Ingested != nil
	if part {
		if err := ch.checkSection(c); err != nil {
			return err
		}
	}
	if c.Created.IsZero() || c.Created.UnixMilli() <= 0 {
		c.Created = Stamp(info.ModTime())
	}
	if c.Updated.Before(c.Created) {
		c.Updated = c.Created
	}
	c.Revision = max(1, c.Revision)
	if err := ch.createRow(c, nil, VerbPickedUp, "its file was there"); err != nil {
		return err
	}
	if err := ch.recordSidecar(c.ID, info, data); err != nil {
		return err
	}
	if part && c.Ingested == nil {
		if err := ch.writeSidecar(c); err != nil {
			return err
		}
	}
	s.Added = append(s.Added, c.ID)
	s.warnSecret(c)
	// Other capsules may have named it before it existed.
	var by string
	if err := ch.tx.QueryRow(`SELECT capsules.id FROM capsules, json_each(capsules.supersedes)
		WHERE value = ? LIMIT 1`, c.ID).Scan(&by); err == nil && c.SupersededBy == "" {
		now := *c
		now.SupersededBy = by
		if err := ch.update(c, &now, nil, VerbSuperseded, by, "its file was there"); err != nil {
			return err
		}
		*c = now
	} else if err != nil && !sqlite.IsNoRows(err) {
		return err
	}
	return ch.relink(&Capsule{}, c, s)
}

// checkSection clears c.Ingested if the document lost the section; an unknown one is noted.
func (ch *change) checkSection(c *Capsule) error {
	var sha string
	err := ch.tx.QueryRow(`SELECT sha256 FROM ingested WHERE file = ?`, c.Ingested.File).Scan(&sha)
	// of a lost database or another machine: the next ingest finds out what has changed
	if sqlite.IsNoRows(err) {
		_, err = ch.tx.Exec(`INSERT INTO ingested (file, sha256, parts, refused, at)
			VALUES (?, '', 0, 0, ?)`, c.Ingested.File, ch.tx.Now.UnixMilli())
		return err
	}
	if err != nil {
		return err
	}
	var taken int
	if err := ch.tx.QueryRow(`SELECT count(*) FROM capsules WHERE ingest_file = ?
		AND ingest_sha = ? AND ingest_part = ?`, c.Ingested.File, c.Ingested.SHA256, c.Ingested.Part).Scan(&taken); err != nil {
		return err
	}
	if taken > 0 || sha != "" && sha != c.Ingested.SHA256 {
		c.Ingested = nil
	}
	return nil
}

// storeEdit stores in the row what was edited in a sidecar. The file stays as it was written.
func (ch *change) storeEdit(row, c *Capsule, info fs.FileInfo, data []byte, s *Synced) error {
	if err := ch.recordSidecar(row.ID, info, data); err != nil {
		return err
	}
	if sameContent(row, c) {
		return nil
	}
	if c.Created.UnixMilli() <= 0 {
		c.Created = row.Created
	}
	c.Revision, c.Updated = row.Revision+1, ch.tx.Now
	c.DecayScore, c.Retrieved = row.DecayScore, row.Retrieved
	if err := ch.mirror(row, c, nil, VerbPickedUp, "", "its file was edited"); err != nil {
		return err
	}
	s.PickedUp = append(s.PickedUp, row.ID)
	s.warnSecret(c)
	return ch.relink(row, c, s)
}
