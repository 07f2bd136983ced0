package kb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

// writersAtOnce sidecars are written together: many sync in about the time of one.
const writersAtOnce = 16

// flush writes what was put off, and syncs the directory: new names survive a crash.
func (ch *change) flush() error {
	if err := ch.writeIndex(); err != nil {
		return err
	}
	if err := ch.writeNew(); err != nil || !ch.wrote {
		return err
	}
	if err := disk.SyncDir(ch.k.sidecars); err != nil {
		return fmt.Errorf("sync the directory of the capsules: %w", err)
	}
	return nil
}

func (k *KB) sidecarPath(id string) string { return filepath.Join(k.sidecars, id+sidecarExt) }

const sidecarExt = ".md"

// writeSidecar keeps the old file for a rollback. A new one is written meanwhile, until writeNew.
func (ch *change) writeSidecar(c *Capsule) error {
	if ch.k.sidecars == "" || ch.dry {
		return nil
	}
	if w := ch.files[c.ID]; w != nil && w.now == nil { // it is being written as it was
		if err := ch.writeNew(); err != nil {
			return err
		}
	}
	w, err := ch.prepareWrite(c)
	if err != nil {
		return err
	}
	ch.wrote = true
	if w.seen == nil && w.now == nil {
		w.id = c.ID
		ch.fresh = append(ch.fresh, w)
		ch.writing.Go(func() {
			ch.slots <- struct{}{}
			w.temp, w.failed = writeTemp(w.path, w.data)
			<-ch.slots
		})
		return nil
	}
	// A sidecar that names a new capsule is only written after that capsule's.
	if err := ch.writeNew(); err != nil {
		return err
	}
	info, err := w.write()
	if err != nil {
		return err
	}
	return ch.recordSidecar(c.ID, info, w.now)
}

// writeNew waits for the new sidecars that are being written, and names them.
func (ch *change) writeNew() (err error) {
	ch.writing.Wait()
	for _, w := range ch.fresh {
		err = errors.Join(err, w.failed)
	}
	if err != nil {
		return err // the rollback removes them
	}
	for _, w := range ch.fresh {
		info, err := w.place(w.temp)
		if err != nil {
			return err
		}
		if err := ch.recordSidecar(w.id, info, w.now); err != nil {
			return err
		}
	}
	ch.fresh = nil
	return nil
}

// dropNew removes what has been written of new sidecars that have no name yet.
func (ch *change) dropNew() {
	ch.writing.Wait()
	for _, w := range ch.fresh {
		os.Remove(w.temp)
	}
	ch.fresh = nil
}

// write replaces the file by the new content, unless it was saved since it was read.
func (r *replaced) write() (fs.FileInfo, error) {
	temp, err := writeTemp(r.path, r.data)
	if err != nil {
		return nil, err
	}
	return r.place(temp)
}

// place gives a file that was written aside its name.
func (r *replaced) place(temp string) (fs.FileInfo, error) {
	if err := r.unchanged(); err != nil {
		os.Remove(temp)
		return nil, err
	}
	if err := disk.Put(temp, r.path); err != nil {
		return nil, err
	}
	r.now = r.data
	return os.Lstat(r.path)
}

func (ch *change) prepareWrite(c *Capsule) (*replaced, error) {
	path := ch.k.sidecarPath(c.ID)
	seen, err := os.Lstat(path) // taken before reading, so that a later change is noticed
	var old []byte
	if err == nil {
		old, err = readSidecar(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var extra map[string]any
	if old != nil {
		if _, extra, err = DecodeSidecar(c.ID, old); err != nil {
			extra = nil
		}
	}
	data, err := EncodeSidecar(c, extra)
	if err != nil {
		return nil, err
	}
	if len(data) > MaxSidecar {
		return nil, invalid(fmt.Sprintf("the capsule needs a file of %d bytes; at most %d are allowed", len(data), MaxSidecar), "shorten or split it")
	}
	if old != nil && ch.files[c.ID] == nil {
		if err := ch.saveUnseen(c.ID, old); err != nil {
			return nil, err
		}
	}
	was := ch.files[c.ID]
	if was == nil {
		was = &replaced{path: path, old: old}
		if old != nil {
			// Until the commit, the old file has another name: a full disk cannot prevent a
			// rollback.
			was.aside = filepath.Join(ch.k.sidecars, tempPrefix+"old-"+filepath.Base(path))
			os.Remove(was.aside)
			was.linked = os.Link(path, was.aside) == nil
		}
		ch.files[c.ID] = was
		ch.undo = append(ch.undo, was.undo)
		ch.after = append(ch.after, was.done)
	}
	if was.seen = seen; old == nil {
		was.seen = nil
	}
	was.data = data
	return was, nil
}

// replaced is a sidecar that a change has written, with its old content.
type replaced struct {
	id          string // of a new capsule
	path, aside string
	temp        string      // where a new file is written
	failed      error       // why temp could not be written
	old, now    []byte      // old is nil for a new file; now is nil before the write
	data        []byte      // the content to write
	linked      bool        // the old file is kept at aside
	seen        fs.FileInfo // when it was last read; nil: there was no file
}

// unchanged refuses to overwrite a file that was saved since it was read.
func (r *replaced) unchanged() error {
	now, err := os.Lstat(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case r.seen != nil && sameFile(now, r.seen):
		return nil
	}
	name := filepath.Base(r.path)
	return &fault.Error{Kind: fault.Conflict, ID: strings.TrimSuffix(name, sidecarExt),
		Msg:  name + " is being edited by hand: it was just saved",
		Next: fault.Steps("try again")}
}

func sameFile(now, seen fs.FileInfo) bool {
	return os.SameFile(now, seen) && now.Size() == seen.Size() &&
		now.ModTime().Equal(seen.ModTime())
}

func (r *replaced) undo() {
	// otherwise somebody else has written it since
	if now, err := readSidecar(r.path); err == nil && r.now != nil && bytes.Equal(now, r.now) {
		switch {
		case r.old == nil:
			os.Remove(r.path)
		case r.linked:
			os.Rename(r.aside, r.path)
		default:
			writeFile(r.path, r.old)
		}
	}
	r.done()
}

func (r *replaced) done() {
	if r.linked {
		os.Remove(r.aside)
	}
}

// readSidecar reads at most MaxSidecar+1 bytes of a regular file, so that a larger one is noticed.
func readSidecar(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	b.Grow(int(min(info.Size(), MaxSidecar)) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, MaxSidecar+1)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

const tempPrefix = disk.TempPrefix

// writeFile writes a file atomically. The caller syncs the directory.
func writeFile(path string, data []byte) error {
	temp, err := writeTemp(path, data)
	if err != nil {
		return err
	}
	return disk.Put(temp, path)
}

// writeTemp writes and syncs a temporary file next to path, dates it back, and returns its name.
func writeTemp(path string, data []byte) (temp string, err error) {
	f, err := disk.Temp(path, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // the first capsule
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			f, err = disk.Temp(path, 0o600)
		}
	}
	if err != nil {
		return "", err
	}
	err = disk.Fill(f, func(f *os.File) error { _, err := f.Write(data); return err })
	if err == nil { // backdate it, so that any later change shows in its time
		then := time.Now().Add(-2 * timeResolution)
		err = os.Chtimes(f.Name(), then, then)
	}
	return f.Name(), err
}
