package chunks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
)

// What the other program keeps in a store's directory.
const (
	storeFile   = "store.db"
	chunkFolder = "chunks"
	stateFolder = "state"
)

// ImportCount counts what was taken over.
type ImportCount struct {
	Added   int `json:"added"`   // was not there
	Updated int `json:"updated"` // there already, and older than the original
	Kept    int `json:"kept"`    // there already, and not older
}

// Refused is a record that was not taken over.
type Refused struct {
	From string `json:"from"` // the file, and which record of it
	Why  string `json:"why"`
}

// ImportResult says what became of the other program's files.
type ImportResult struct {
	// store.db with its path, or the directory with the folders; "": there was nothing to
	// take over
	Source string      `json:"source"`
	Chunks ImportCount `json:"chunks"` // counts of chunks
	State  ImportCount `json:"state"`  // counts of state keys
	// chunks that were left out because their time is over
	Expired int `json:"expired"`
	// chunks that were left out because they were deleted here
	Deleted    int       `json:"deleted"`
	Embeddings int       `json:"embeddings"` // that were taken over with their chunks
	Refused    []Refused `json:"refused"`
	Notes      []string  `json:"notes"`
}

func newImportResult() ImportResult { return ImportResult{Refused: []Refused{}, Notes: []string{}} }

// Imported is what an import has taken over, and when.
type Imported struct {
	At time.Time `json:"at"`
	ImportResult
}

// Import takes over what is new in the other program's files since they were taken over
// last: what has an id or a key that is not here, and what was changed there later than
// here. What was deleted here stays deleted, unless it was changed there since. All of it
// is one transaction. If there are no such files, that is an error that matches
// fault.NotFound.
func (s *Store) Import(ctx context.Context) (ImportResult, error) {
	res := newImportResult()
	src, err := s.originals(ctx)
	if err != nil {
		return res, err
	}
	if src == nil {
		return res, fault.NotFound.New(fmt.Sprintf("there is nothing to import in %s: neither %s nor the folders %s and %s", s.dir, storeFile, chunkFolder, stateFolder), "", otherStore)
	}
	defer src.close()
	err = s.writing(ctx, func(f *file, tx *sqlite.Tx) error {
		if err := f.purgeIn(tx); err != nil {
			return err
		}
		res = newImportResult() // a second try begins anew
		if err := f.take(ctx, tx, s, src, &res); err != nil {
			return err
		}
		return noteImport(tx, &res)
	})
	return res, err
}

// source is what the other program has left: a database, or folders from before it had
// one.
type source struct {
	path    string              // of the database, or of the directory with the folders
	db      *sqlite.Foreign     // nil: folders
	columns map[string][]string // that its tables have, of those that we read
	notes   []string
}

func (src *source) close() {
	if src.db != nil {
		src.db.Close()
	}
}

// originals opens what the other program has left, nil if there is nothing, and makes
// sure that all of it can be read. It takes the database, unless that is empty and there
// are the folders: the version 0.0.9 makes the database before it looks whether there is
// one, and so leaves its folders where they are.
func (s *Store) originals(ctx context.Context) (*source, error) {
	path := filepath.Join(s.dir, storeFile)
	folders := isDir(filepath.Join(s.dir, chunkFolder)) || isDir(filepath.Join(s.dir, stateFolder))
	src := &source{path: s.dir}
	switch _, err := os.Stat(path); {
	case err == nil:
		src.path = path
		rows, err := src.openDB(ctx)
		if err != nil {
			src.close()
			return nil, sourceError(path, err)
		}
		if folders && rows == 0 {
			src.close()
			return &source{path: s.dir, notes: []string{path + " is empty; the folders beside it were taken over"}}, nil
		}
		if folders {
			src.notes = append(src.notes, fmt.Sprintf("the folders %s and %s beside %s were not taken over: it is newer than they are", chunkFolder, stateFolder, path))
		}
		return src, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, sourceError(path, err)
	case !folders:
		return nil, nil
	}
	for _, name := range []string{chunkFolder, stateFolder} {
		if _, err := filesIn(filepath.Join(s.dir, name)); err != nil {
			return nil, err
		}
	}
	return src, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// without is the step that leaves the other program's files alone.
var without = fault.Give("no_import", "", "or go on without what is in it: {}")

// sourceError says what is wrong with the other program's file, and how to go on.
func sourceError(path string, err error) error {
	switch _, refused := fault.Refused(err); {
	case refused:
		return err
	case errors.Is(err, fault.Busy):
		return fault.Conflict.New("cannot import "+err.Error(), "try again when the program that writes to it rests", without)
	case errors.Is(err, fault.Full), errors.Is(err, syscall.ENOSPC):
		return fault.Full.New("cannot import "+err.Error(), "make it smaller, or free some space where temporary files go", without)
	case errors.Is(err, fs.ErrPermission):
		return invalid(fmt.Sprintf("cannot import %s: it cannot be read", path), "see who may read it", without)
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return invalid("cannot import "+err.Error(), "restore it from a backup", without)
}

// originalModel is what the other program embeds with.
var originalModel = embed.Model{Name: "all-MiniLM-L6-v2", Dim: 384}

// incomingChunk is a chunk of the other program. Its times are zero if they are not
// known.
type incomingChunk struct {
	Chunk
	vector embed.Vector // by originalModel; nil: none
	odd    []string     // what of it is not as it was; the same words for all of a kind
}

// each calls chunk and state with all that the source holds.
func (src *source) each(ctx context.Context, chunk func(incomingChunk) error, state func(State) error, refuse func(from, why string)) error {
	if src.db != nil {
		return src.eachRow(ctx, chunk, state, refuse)
	}
	return src.eachFile(ctx, chunk, state, refuse)
}
