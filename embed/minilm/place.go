package minilm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

// place is a model's directory and the paths around it.
type place struct {
	dir     string
	staging string // the files are downloaded to it
	old     string // the model that is being replaced
	// the lock file of a pull. It is never deleted: that would let two pulls run at once
	lockage string
}

func newPlace(dir string) (*place, error) {
	abs, err := filepath.Abs(dir)
	if err != nil || dir == "" {
		return nil, failure(fault.Invalid, "name one with BOARD_MODEL_DIR", err, "no directory is set for the model")
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	parent, name := filepath.Split(abs)
	if name == "" {
		return nil, failure(fault.Invalid, "name a directory below it with BOARD_MODEL_DIR", nil, "%s cannot be a model's directory", abs)
	}
	beside := func(suffix string) string { return filepath.Join(parent, "."+name+suffix) }
	return &place{dir: abs, staging: beside(".part"), old: beside(".old"), lockage: beside(".lock")}, nil
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// lock waits until no other process pulls into the directory.
func (p *place) lock(ctx context.Context, o *PullOptions) (unlock func(), err error) {
	const again = 100 * time.Millisecond
	lock := flock.New(p.lockage, flock.SetPermissions(0o600))
	got, err := lock.TryLock()
	if err == nil && !got {
		o.progress(Progress{Waiting: true})
		_, err = lock.TryLockContext(ctx, again)
	}
	switch {
	case ctx.Err() != nil:
		lock.Unlock()
		return nil, ctx.Err()
	case err != nil:
		return nil, cannotWrite(err, p.lockage)
	}
	return func() { lock.Unlock() }, nil
}

// settle completes or reverts an interrupted replacement.
func (p *place) settle() error {
	if _, err := os.Lstat(p.old); err != nil {
		return nil
	}
	if _, err := os.Lstat(p.dir); errors.Is(err, fs.ErrNotExist) {
		return cannotWrite(os.Rename(p.old, p.dir), p.dir)
	}
	return cannotWrite(os.RemoveAll(p.old), p.old)
}

// sound returns the installed model if it is the requested one and not damaged; else nil.
// It may have come by other means than Pull, and a known one from another exporter.
func (p *place) sound(m Manifest) *Pulled {
	r, err := readRecord(p.dir)
	if err != nil || r != nil && r.Name != m.Name {
		return nil
	}
	switch name, err := Identify(p.dir); {
	case err != nil:
		return nil
	case m.Pinned():
		published := record{Files: slices.DeleteFunc(slices.Clone(m.Files), func(f File) bool { return f.Optional })}
		if name != m.Name && len(published.check(p.dir)) > 0 {
			return nil
		}
	case r == nil && filepath.Base(p.dir) != m.Name, r != nil && len(r.check(p.dir)) > 0:
		return nil
	}
	if r == nil {
		r = &record{}
		for _, f := range anyFiles {
			if sum, n, err := sumOf(f.in(p.dir)); err == nil {
				r.Files = append(r.Files, File{Name: f.Name, Bytes: n, SHA256: sum})
			}
		}
	}
	return pulled(m, p.dir, r, m.Pinned(), true)
}

// checkFile returns what is wrong with a file of a model's directory, or "".
func checkFile(dir string, f File) string {
	path := f.in(dir)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.Optional:
		return ""
	case errors.Is(err, fs.ErrNotExist):
		return f.Name + " is missing"
	case err != nil:
		return f.Name + " cannot be read: " + errors.Unwrap(err).Error()
	case f.Bytes > 0 && info.Size() != f.Bytes:
		return fmt.Sprintf("%s has %s, not %s", f.Name, inBytes(info.Size()), inBytes(f.Bytes))
	case f.SHA256 == "":
		return ""
	}
	sum, _, err := sumOf(path)
	if err != nil {
		return f.Name + " cannot be read: " + err.Error()
	}
	if sum != f.SHA256 {
		return fmt.Sprintf("%s has the SHA-256 %s, not %s", f.Name, sum, f.SHA256)
	}
	return ""
}

// replaceable reports whether the content of the directory may be replaced by the model.
func (p *place) replaceable(m Manifest, force bool) error {
	info, err := os.Stat(p.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return cannotWrite(err, p.dir)
	}
	if !info.IsDir() {
		return failure(fault.Conflict, "name another directory with BOARD_MODEL_DIR", nil, "%s is a file", p.dir)
	}
	r, _ := readRecord(p.dir) // an unreadable record will be replaced
	ours := []string{recordName, "README.md", ".gitattributes", "vocab.txt", "config_sentence_transformers.json"}
	for _, f := range slices.Concat(anyFiles, m.Files) {
		ours = append(ours, f.Name)
	}
	if r != nil {
		for _, f := range r.Files {
			ours = append(ours, f.Name)
		}
	}
	empty := true
	var foreign []string
	if err := eachFile(p.dir, func(path string) error {
		empty = false
		if rel, err := filepath.Rel(p.dir, path); err != nil || !slices.Contains(ours, filepath.ToSlash(rel)) {
			if foreign = append(foreign, rel); len(foreign) > 3 {
				return fs.SkipAll
			}
		}
		return nil
	}); err != nil {
		return cannotWrite(err, p.dir)
	}
	if len(foreign) > 0 { // replacing would delete these files
		return failure(fault.Conflict, "move them away, or name another directory with BOARD_MODEL_DIR", nil, "%s holds files that no download has written: %s", p.dir, strings.Join(foreign, ", "))
	}
	if force || empty || r != nil && r.Name == m.Name {
		return nil
	}
	next := []fault.Step{fault.Give("force", "", "{} replaces it"), {Text: "or name another directory with BOARD_MODEL_DIR"}}
	if r != nil {
		return failure(fault.Conflict, "", nil, "%s holds another model, %s", p.dir, r.Name).Then(next...)
	}
	if _, err := Inspect(p.dir); err != nil {
		return nil // damaged
	}
	return failure(fault.Conflict, "", nil, "%s holds a model that was not fetched as %s", p.dir, m.Name).Then(next...)
}

// tidy deletes from the staging directory what this pull cannot use: files of another
// model, and complete files without a checksum, which may have changed at the source.
func (p *place) tidy(m Manifest) error {
	keep := map[string]bool{}
	for _, f := range m.Files {
		to := f.in(p.staging)
		keep[to], keep[to+partSuffix], keep[to+partSuffix+tagSuffix] = f.SHA256 != "", true, true
	}
	return cannotWrite(eachFile(p.staging, func(path string) error {
		if keep[path] {
			return nil
		}
		return os.Remove(path)
	}), p.staging)
}

// eachFile calls fn for every file below a directory.
func eachFile(dir string, fn func(path string) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return fn(path)
	})
}

// haveAlready reports whether the right file exists: staged by an interrupted pull or,
// with link, in the damaged directory, from which it is linked.
func (p *place) haveAlready(file File, link bool) bool {
	to, there := file.in(p.staging), file.in(p.dir)
	if _, err := os.Stat(to); err == nil {
		if checkFile(p.staging, file) == "" {
			return true
		}
		os.Remove(to)
	}
	if _, err := os.Stat(there); err != nil || !link || checkFile(p.dir, file) != "" {
		return false
	}
	return os.MkdirAll(filepath.Dir(to), 0o700) == nil && os.Link(there, to) == nil
}

// install replaces the directory by the staging directory.
func (p *place) install() error {
	err := filepath.WalkDir(p.staging, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			disk.SyncDir(path) // ignored where directories cannot be synced
		}
		return err
	})
	if err != nil {
		return cannotWrite(err, p.staging)
	}
	_, err = os.Lstat(p.dir)
	replaces := err == nil
	if replaces {
		if err := os.Rename(p.dir, p.old); err != nil {
			return failure(fault.ReadOnly, "it may be a mount point, or its parent may belong to somebody else: name a directory below it with BOARD_MODEL_DIR", errors.Unwrap(err), "%s cannot be replaced", p.dir)
		}
	}
	if err := os.Rename(p.staging, p.dir); err != nil {
		if replaces {
			err = errors.Join(err, os.Rename(p.old, p.dir))
		}
		return cannotWrite(err, p.dir)
	}
	disk.SyncDir(filepath.Dir(p.dir)) // installed, even if this fails
	if replaces {
		os.RemoveAll(p.old) // the next pull tries again
	}
	return nil
}
