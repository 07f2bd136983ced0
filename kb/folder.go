package kb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// Folder is the result of SyncFolder. The lists have ids.
type Folder struct {
	Taken   []string `json:"taken"`   // capsules updated from changed files
	Added   []string `json:"added"`   // capsules created from new files
	Written []string `json:"written"` // files written from changed or new capsules
	// files removed because their section of a document is gone
	Removed   []string  `json:"removed"`
	Same      int       `json:"same"`      // files that agree with their capsules
	Conflicts []string  `json:"conflicts"` // both the file and the capsule have changed
	Refused   []Refused `json:"refused"`   // files that are not valid capsules
	Notes     []string  `json:"notes"`     // other remarks
}

// folderBatch is how many files are held in memory at once.
const folderBatch = 200

// verdict says what to do about a capsule and its file in a folder.
type verdict int

const (
	isSame     verdict = iota
	isToTake           // the file has changed
	isToAdd            // there is only a file
	isToWrite          // the capsule has changed, or there is no file
	isToRemove         // the capsule was a section of a document that has changed
	isConflict
	isRefused
)

// SyncFolder synchronises a folder of capsule files with the knowledge base, both ways.
// Changed files update capsules, and changed capsules are written to files.
//
// The revision in a file tells which version it was made from, and the history has that
// version, so no other state is kept: the folder may come from git or another machine.
// If both sides have changed, both stay as they are. A missing file is written: only
// Retire removes a capsule. A dry run changes nothing.
func (k *KB) SyncFolder(ctx context.Context, dir string, dryRun bool) (f Folder, err error) {
	f = Folder{Taken: []string{}, Added: []string{}, Written: []string{}, Removed: []string{},
		Conflicts: []string{}, Refused: []Refused{}, Notes: []string{}}
	if !dryRun {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return f, invalid(fmt.Sprintf("cannot use %s as a folder of capsules: %v", dir, err),
				"name a folder that exists or can be created")
		}
	}
	ids, err := k.folderIDs(ctx, dir, &f)
	if err != nil {
		return f, err
	}
	for part := range slices.Chunk(ids, folderBatch) {
		if err := k.takeFiles(ctx, dir, part, dryRun, &f); err != nil {
			return f, err
		}
	}
	if dryRun {
		return f, nil
	}
	// updates may have changed other capsules through links
	for part := range slices.Chunk(ids, folderBatch) {
		if err := k.writeFiles(ctx, dir, part, &f); err != nil {
			return f, err
		}
	}
	if err := disk.SyncDir(dir); err != nil {
		return f, err
	}
	if len(f.Taken)+len(f.Added) > 0 {
		_, err = k.Backfill(ctx, 0)
	}
	return f, err
}

// folderIDs returns the ids of all capsules, and of files without a capsule.
func (k *KB) folderIDs(ctx context.Context, dir string, f *Folder) (ids []string, err error) {
	if err := k.db.Read(ctx, func(tx *sqlite.Tx) (err error) {
		ids, err = sqlite.Column[string](tx, `SELECT id FROM capsules ORDER BY n`)
		return err
	}); err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		known[id] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		id, is := strings.CutSuffix(e.Name(), sidecarExt)
		switch {
		case !is || strings.HasPrefix(e.Name(), ".") || known[id]:
		case CheckID(id) == nil:
			ids = append(ids, id)
		default:
			f.Notes = append(f.Notes,
				e.Name()+" was skipped: its name is not a capsule id (an import takes files of any name)")
		}
	}
	return ids, nil
}

// paired is a capsule and its file.
type paired struct {
	is    verdict
	data  []byte   // nil: no file
	row   *Capsule // nil: no capsule
	file  *Capsule
	extra map[string]any
	why   string // reason of isRefused
}

// pair decides what to do about an id.
func pair(tx *sqlite.Tx, dir, id string) (p paired, err error) {
	path := filepath.Join(dir, id+sidecarExt)
	if p.data, err = readSidecar(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return paired{is: isRefused, why: err.Error()}, nil
	}
	if p.row, err = capsule(tx, id); errors.Is(err, fault.NotFound) {
		p.row, err = nil, nil
	}
	if err != nil || p.data == nil && p.row == nil {
		return p, err
	}
	if p.data == nil {
		p.is = isToWrite
		return p, nil
	}
	c, extra, err := DecodeSidecar(id, p.data)
	if err != nil {
		p.is, p.why = isRefused, err.Error()
		return p, nil
	}
	p.file, p.extra = &c, extra
	p.is, err = p.judge(tx, id)
	return p, err
}

func (p *paired) judge(tx *sqlite.Tx, id string) (verdict, error) {
	if p.row != nil && sameContent(p.row, p.file) {
		data, err := EncodeSidecar(p.row, p.extra)
		if err != nil || bytes.Equal(data, p.data) {
			return isSame, err
		}
		return isToWrite, nil
	}
	if p.row != nil && p.file.Revision == p.row.Revision {
		return isToTake, nil
	}
	base, err := revisionOf(tx, id, p.file.Revision)
	switch {
	case errors.Is(err, fault.NotFound):
		if err = nil; p.row == nil {
			return isToAdd, nil
		}
		return isConflict, nil
	case err != nil:
		return isSame, err
	case !sameContent(base, p.file):
		return isConflict, nil
	case p.row == nil:
		return isToRemove, nil
	}
	return isToWrite, nil
}

// takeFiles updates capsules from changed files. In a dry run it only reports.
func (k *KB) takeFiles(ctx context.Context, dir string, ids []string, dryRun bool,
	f *Folder) error {
	var take []string
	if err := k.db.Read(ctx, func(tx *sqlite.Tx) error {
		for _, id := range ids {
			p, err := pair(tx, dir, id)
			if err != nil {
				return err
			}
			if p.is == isToTake || p.is == isToAdd {
				take = append(take, id)
			}
			f.note(id, &p, dryRun)
		}
		return nil
	}); err != nil || dryRun || len(take) == 0 {
		return err
	}
	var s Synced
	if err := k.change(ctx, func(ch *change) error {
		s = Synced{}
		ch.sync = &s
		for _, id := range take {
			if err := ch.takeFile(dir, id, &s); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	f.Taken, f.Added, f.Notes = append(f.Taken, s.PickedUp...), append(f.Added, s.Added...),
		append(f.Notes, s.Notes...)
	return nil
}

// note counts a verdict. Updates and writes are counted when they are done.
func (f *Folder) note(id string, p *paired, dryRun bool) {
	switch {
	case p.is == isRefused:
		f.Refused = append(f.Refused, Refused{From: id + sidecarExt, Why: p.why})
	case p.is == isConflict:
		f.Conflicts = append(f.Conflicts, id)
	case p.is == isSame && p.data != nil:
		f.Same++
	case !dryRun:
	case p.is == isToTake:
		f.Taken = append(f.Taken, id)
	case p.is == isToAdd:
		f.Added = append(f.Added, id)
	case p.is == isToWrite:
		f.Written = append(f.Written, id)
	case p.is == isToRemove:
		f.Removed = append(f.Removed, id)
	}
}

// takeFile updates a capsule from a file, unless the capsule has changed meanwhile.
func (ch *change) takeFile(dir, id string, s *Synced) error {
	p, err := pair(ch.tx, dir, id)
	if err != nil || p.is != isToTake && p.is != isToAdd {
		return err
	}
	if err := ch.checkLinks(p.row, p.file); err != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("%s was not taken: %v", id+sidecarExt, err))
		return nil
	}
	if p.is == isToAdd {
		return ch.adopt(p.file, nil, nil, s)
	}
	return ch.edited(p.row, p.file, nil, nil, s)
}

// writeFiles writes changed capsules to files.
func (k *KB) writeFiles(ctx context.Context, dir string, ids []string, f *Folder) error {
	pairs := map[string]*paired{}
	if err := k.db.Read(ctx, func(tx *sqlite.Tx) error {
		for _, id := range ids {
			p, err := pair(tx, dir, id)
			if err != nil {
				return err
			}
			if p.is == isToWrite || p.is == isToRemove {
				pairs[id] = &p
			}
		}
		return nil
	}); err != nil {
		return err
	}
	for _, id := range ids {
		p := pairs[id]
		if p == nil {
			continue
		}
		path := filepath.Join(dir, id+sidecarExt)
		if now, err := readSidecar(path); err != nil && !errors.Is(err, fs.ErrNotExist) ||
			!bytes.Equal(now, p.data) {
			f.Notes = append(f.Notes,
				id+sidecarExt+" was just changed; the next sync checks it again")
			continue
		}
		if p.is == isToRemove {
			if err := os.Remove(path); err != nil {
				return err
			}
			f.Removed = append(f.Removed, id)
			continue
		}
		data, err := EncodeSidecar(p.row, p.extra)
		if err == nil {
			err = writeFile(path, data)
		}
		if err != nil {
			return err
		}
		if !slices.Contains(f.Taken, id) && !slices.Contains(f.Added, id) {
			f.Written = append(f.Written, id)
		}
	}
	return nil
}
