package kb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/markdown"
)

// documents finds the markdown files of paths, sorted, each once, by their real paths. own is the folder of the knowledge base, which is none of them. Links are followed, but for those that
// lead out of the folder that is given.
func documents(ctx context.Context, paths []string, own string, r *IngestedAll) (files, folders []string, err error) {
	f := finding{own: own, seen: map[string]bool{}, r: r}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, fault.NotFound.New(fmt.Sprintf("there is no file or folder %s", clip(path, 200)), "give markdown files, or folders of them")
		case err != nil:
			f.refuse(path, err)
		case info.IsDir():
			if err := f.folder(ctx, path); err != nil {
				return nil, nil, err
			}
		case markdown.Is(path):
			f.add(path)
		default:
			f.refuse(path, errors.New("it is no markdown: its name does not end in .md or .markdown"))
		}
	}
	slices.Sort(f.files)
	return f.files, f.folders, nil
}

// finding is how far the search for documents has come.
type finding struct {
	own            string
	files, folders []string
	seen           map[string]bool // of files
	r              *IngestedAll
}

func (f *finding) refuse(path string, err error) {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	f.r.Refused = append(f.r.Refused, Refused{From: path, Why: err.Error()})
}

// add adds a file, unless it is there already.
func (f *finding) add(path string) {
	real, err := markdown.RealPath(path)
	if err != nil {
		f.refuse(path, err)
		return
	}
	if info, err := os.Stat(real); err != nil {
		f.refuse(path, err)
	} else if !info.Mode().IsRegular() {
		f.refuse(path, errors.New("it is not a regular file"))
	} else if !f.seen[real] {
		f.seen[real] = true
		f.files = append(f.files, real)
	}
}

// folder adds what is below a folder. What cannot be read is refused; only the end of ctx is an error.
func (f *finding) folder(ctx context.Context, path string) error {
	root, err := markdown.RealPath(path)
	if err != nil {
		f.refuse(path, err)
		return nil
	}
	f.folders = append(f.folders, root)
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			f.refuse(p, err)
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			if p != root && slices.Contains([]string{".git", ".hg", ".svn", "node_modules"}, d.Name()) || f.isOwn(p) {
				return fs.SkipDir
			}
		case !markdown.Is(p):
		case d.Type()&fs.ModeSymlink != 0 && markdown.LeadsOut(root, p):
			f.refuse(p, errors.New(markdown.LeadsOutWhy+": ingest that file by itself"))
		default:
			f.add(p)
		}
		return nil
	})
}

// isOwn says whether a folder is the knowledge base itself.
func (f *finding) isOwn(path string) bool {
	if filepath.Base(path) != filepath.Base(f.own) {
		return false
	}
	own, err := os.Stat(f.own)
	if err != nil {
		return false
	}
	here, err := os.Stat(path)
	return err == nil && os.SameFile(own, here)
}

// readDocument reads a file that is small enough, and text.
func readDocument(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Size() > MaxDocument {
		return "", fmt.Errorf("it has %d bytes; a document has at most %d", info.Size(), MaxDocument)
	}
	f, err := sqlite.OpenFile(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxDocument+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > MaxDocument:
		return "", fmt.Errorf("it has more than %d bytes", MaxDocument)
	case strings.IndexByte(string(data), 0) >= 0:
		return "", errors.New("it has NUL bytes: it is binary, not text")
	case !utf8.Valid(data):
		return "", errors.New("it is not valid UTF-8")
	}
	return string(data), nil
}
