package kb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// documents finds the markdown files of paths, sorted, each once, by their real paths. own is the folder of the knowledge base, which is none of them. Links are followed, but for those that
// lead out of the folder that is given.
func documents(ctx context.Context, paths []string, own string, r *IngestedAll) (files, folders []string, err error) {
	seen := map[string]bool{}
	refuse := func(path string, err error) {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		r.Refused = append(r.Refused, Refused{From: path, Why: err.Error()})
	}
	add := func(path string) {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			refuse(path, err)
			return
		}
		if info, err := os.Stat(real); err != nil {
			refuse(path, err)
		} else if !info.Mode().IsRegular() {
			refuse(path, errors.New("it is not a regular file"))
		} else if !seen[real] {
			seen[real] = true
			files = append(files, real)
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, &Error{Kind: ErrNotFound, Msg: fmt.Sprintf("there is no file or folder %s", clip(path, 200)), Hint: "give markdown files, or folders of them"}
		}
		if err != nil {
			refuse(path, err)
			continue
		}
		if !info.IsDir() {
			if !isMarkdown(path) {
				refuse(path, errors.New("it is no markdown: its name does not end in .md or .markdown"))
				continue
			}
			add(path)
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			refuse(path, err)
			continue
		}
		folders = append(folders, real)
		err = filepath.WalkDir(real, func(p string, d fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				refuse(p, err)
				if d != nil && d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if d.IsDir() {
				if info, err := os.Stat(own); err == nil && d.Name() == filepath.Base(own) {
					if here, err := os.Stat(p); err == nil && os.SameFile(info, here) {
						return fs.SkipDir // the knowledge base itself
					}
				}
				if name := d.Name(); p != real && slices.Contains([]string{".git", ".hg", ".svn", "node_modules"}, name) {
					return fs.SkipDir
				}
				return nil
			}
			switch {
			case !isMarkdown(p):
			case d.Type()&fs.ModeSymlink != 0 && leadsOut(real, p):
				refuse(p, errors.New(leadsOutWhy+": ingest that file by itself"))
			default:
				add(p)
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	slices.Sort(files)
	return files, folders, nil
}

func isMarkdown(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".md" || ext == ".markdown"
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
	data, err := os.ReadFile(path)
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
