package chunks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
)

// The files of the other program in a store's directory.
const (
	storeFile   = "store.db"
	chunkFolder = "chunks"
	stateFolder = "state"
)

type ImportCount struct {
	Added   int `json:"added"`   // new here
	Updated int `json:"updated"` // older here than in the source
	Kept    int `json:"kept"`    // here already, not older than in the source
}

type Refused struct {
	From string `json:"from"` // the file, and the record in it
	Why  string `json:"why"`
}

type ImportResult struct {
	// Source is the path of store.db, or the directory that has the folders; "" if there was nothing
	// to import.
	Source string      `json:"source"`
	Chunks ImportCount `json:"chunks"` // counts of chunks
	State  ImportCount `json:"state"`  // counts of state keys
	// expired chunks, which were left out
	Expired int `json:"expired"`
	// chunks that were deleted here, which were left out
	Deleted    int       `json:"deleted"`
	Embeddings int       `json:"embeddings"` // imported with their chunks
	Refused    []Refused `json:"refused"`
	Notes      []string  `json:"notes"`
}

func newImportResult() ImportResult { return ImportResult{Refused: []Refused{}, Notes: []string{}} }

// Import imports what is new in the other program's files since the last import: ids and
// keys that are missing here, and records that were changed there later than here. A
// record that was deleted here is imported only if it was changed there since. The import
// is one transaction. Without such files it returns an error that matches fault.NotFound.
func (s *Store) Import(ctx context.Context) (ImportResult, error) {
	res := newImportResult()
	src, err := readOriginals(ctx, s.dir)
	if err != nil {
		return res, err
	}
	if src == nil {
		return res, fault.NotFound.New(fmt.Sprintf("there is nothing to import in %s: neither %s nor the folders %s and %s", s.dir, storeFile, chunkFolder, stateFolder), "", otherStore)
	}
	err = s.writing(ctx, func(f *file, tx *sqlite.Tx) error {
		if err := f.purgeIn(tx); err != nil {
			return err
		}
		res = newImportResult() // the transaction may run again
		if err := f.importAll(ctx, tx, s, src, &res); err != nil {
			return err
		}
		return noteUse(tx)
	})
	return res, err
}

// source is what the other program has left: a database, or the folders of earlier versions.
type source struct {
	path    string // of the database, or of the directory that has the folders
	chunks  []incomingChunk
	states  []State
	refused []Refused
	more    int // refused records that are not listed
	notes   []string
}

// refusedListed is the most refused records that are listed; the others are counted only.
const refusedListed = 1000

func (src *source) refuse(from, why string) {
	if len(src.refused) == refusedListed {
		src.more++
		return
	}
	src.refused = append(src.refused, Refused{text(from), text(why)})
}

// readOriginals reads the other program's files first, so that damage is found before a write; nil
// if there are none. It prefers the database, unless that is empty and there are folders: version
// 0.0.9 creates it before it checks, and therefore never migrates its folders.
func readOriginals(ctx context.Context, dir string) (*source, error) {
	path := filepath.Join(dir, storeFile)
	folders := disk.IsDir(filepath.Join(dir, chunkFolder)) || disk.IsDir(filepath.Join(dir, stateFolder))
	src := &source{path: dir}
	switch _, err := os.Stat(path); {
	case err == nil:
		src.path = path
		if err := src.readDB(ctx); err != nil {
			return nil, sourceError(path, err)
		}
		empty := len(src.chunks)+len(src.states)+len(src.refused) == 0
		if folders && !empty {
			src.notes = append(src.notes, fmt.Sprintf("the folders %s and %s beside %s were not imported: the store is newer", chunkFolder, stateFolder, path))
		}
		if !folders || !empty {
			return src, nil
		}
		src = &source{path: dir, notes: []string{path + " is empty; the folders beside it were imported"}}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, sourceError(path, err)
	case !folders:
		return nil, nil
	}
	return src, src.readFiles(ctx)
}

var skipImport = fault.Give("no_import", "", "or go on without what is in it: {}")

func sourceError(path string, err error) error {
	switch _, refused := fault.Refused(err); {
	case refused:
		return err
	case errors.Is(err, fault.Busy):
		return fault.Conflict.New("cannot import "+err.Error(), "try again when no program writes to it", skipImport)
	case errors.Is(err, fault.Full), errors.Is(err, syscall.ENOSPC):
		return fault.Full.New("cannot import "+err.Error(), "make it smaller, or free some space where temporary files go", skipImport)
	case errors.Is(err, fs.ErrPermission):
		return invalid(fmt.Sprintf("cannot import %s: it cannot be read", path), "check its permissions", skipImport)
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return invalid("cannot import "+err.Error(), "restore it from a backup", skipImport)
}

var originalModel = embed.Model{Name: "all-MiniLM-L6-v2", Dim: 384}

// incomingChunk is a chunk of the other program. Unknown times are zero.
type incomingChunk struct {
	Chunk
	vector embed.Vector // by originalModel; nil: none
	odd    []string     // differences from a valid chunk
}
