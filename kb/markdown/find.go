package markdown

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/text"
)

// MaxDocument is the most bytes of a document. A larger file is a dump and not text to read.
const MaxDocument = 4 << 20

// Find returns the markdown files in paths, sorted and without duplicates, by their real
// paths, and the folders among the paths. It skips the folder own, and links that lead
// out of the folder given. refuse is called for each path that cannot be read. Errors
// are a path that does not exist, and the end of ctx.
func Find(ctx context.Context, paths []string, own string, refuse func(path string, err error)) (
	files, folders []string, err error) {
	f := finder{own: own, seen: map[string]bool{}, refuse: refuse}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, fault.NotFound.New(fmt.Sprintf("file or folder %s not found",
				fault.Clip(path, 200)), "give markdown files, or folders of them")
		case err != nil:
			f.refuse(path, err)
		case info.IsDir():
			if err := f.addFolder(ctx, path); err != nil {
				return nil, nil, err
			}
		case Is(path):
			f.add(path)
		default:
			f.refuse(path, errors.New("not markdown: the name does not end in .md or .markdown"))
		}
	}
	slices.Sort(f.files)
	return f.files, f.folders, nil
}

type finder struct {
	own            string
	files, folders []string
	seen           map[string]bool // of files
	refuse         func(path string, err error)
}

func (f *finder) add(path string) {
	real, err := RealPath(path)
	if err != nil {
		f.refuse(path, err)
		return
	}
	if info, err := os.Stat(real); err != nil {
		f.refuse(path, err)
	} else if !info.Mode().IsRegular() {
		f.refuse(path, errors.New("not a regular file"))
	} else if !f.seen[real] {
		f.seen[real] = true
		f.files = append(f.files, real)
	}
}

func (f *finder) addFolder(ctx context.Context, path string) error {
	root, err := RealPath(path)
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
			if p != root && slices.Contains([]string{".git", ".hg", ".svn", "node_modules"},
				d.Name()) || f.isOwn(p) {
				return fs.SkipDir
			}
		case !Is(p):
		case d.Type()&fs.ModeSymlink != 0 && LeadsOut(root, p):
			f.refuse(p, errors.New(LeadsOutWhy+"; ingest that file by itself"))
		default:
			f.add(p)
		}
		return nil
	})
}

// isOwn reports whether a folder is the knowledge base itself.
func (f *finder) isOwn(path string) bool {
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

// Read reads a text file of at most MaxDocument bytes.
func Read(path string) (string, error) {
	data, err := disk.Read(path, MaxDocument)
	if err != nil {
		return "", disk.Cause(err)
	}
	decoded, ok := text.Decode(data)
	if !ok {
		return "", errors.New("it is binary, not text")
	}
	return text.Plain(decoded), nil
}
