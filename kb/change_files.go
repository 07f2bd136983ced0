package kb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/replace"
)

// writing is a new sidecar on its way to the disk, beside what the change does meanwhile.
type writing struct {
	id      string
	data    []byte
	drafted *Capsule // of what it is a draft; nil once it is wanted
	alone   bool     // nothing else will be written: its name can be made to last at once
	file    *replaced
	wanted  chan bool // whether the draft gets its name
	done    chan struct{}
	info    fs.FileInfo
	err     error
}

// flush makes the new names of the sidecars last.
func (ch *change) flush() error {
	if err := ch.join(); err != nil || !ch.wrote {
		return err
	}
	return ch.k.syncNames()
}

func (k *KB) syncNames() error {
	if err := replace.SyncDir(k.sidecars); err != nil {
		return fmt.Errorf("make the sidecars last: %w", err)
	}
	return nil
}

func (k *KB) sidecarPath(id string) string { return filepath.Join(k.sidecars, id+sidecarExt) }

const sidecarExt = ".md"

// draft begins to write the sidecar of a new capsule that may yet be refused: it takes longer than all the questions that come before it is stored. put gives it its name.
// alone says that the change will write no other.
func (ch *change) draft(c *Capsule, alone bool) error {
	if ch.k.sidecars == "" || ch.dry {
		return nil
	}
	if err := ch.join(); err != nil {
		return err
	}
	data, err := EncodeSidecar(c, nil)
	if err != nil || len(data) > MaxSidecar { // which put will say
		return err
	}
	was := *c
	ch.begin(&writing{id: c.ID, data: data, drafted: &was, alone: alone})
	return nil
}

// begin starts the writing.
func (ch *change) begin(w *writing) {
	w.wanted, w.done = make(chan bool, 1), make(chan struct{})
	ch.disk = w
	path := ch.k.sidecarPath(w.id)
	go func() {
		defer close(w.done)
		temp, err := writeTemp(path, w.data)
		if !<-w.wanted {
			if err == nil {
				os.Remove(temp)
			}
			return
		}
		if err == nil {
			if err = w.file.unchanged(); err == nil {
				err = rename(temp, path)
			} else {
				os.Remove(temp)
			}
		}
		if err == nil {
			w.file.now = w.data
			w.info, err = os.Lstat(path)
		}
		if err == nil && w.alone {
			err = ch.k.syncNames()
		}
		w.err = err
	}()
}

// discard gives a draft up that nobody wanted.
func (ch *change) discard() {
	if w := ch.disk; w != nil && w.drafted != nil {
		w.wanted <- false
		<-w.done
		ch.disk = nil
	}
}

// put writes a capsule's sidecar and notes what was written. One that replaces none is written while the change goes on: join waits for it.
func (ch *change) put(c *Capsule) error {
	if ch.k.sidecars == "" || ch.dry {
		return nil
	}
	if w := ch.disk; w != nil && w.drafted != nil && reflect.DeepEqual(w.drafted, c) {
		w.drafted, w.file = nil, &replaced{path: ch.k.sidecarPath(c.ID)}
		ch.track(c.ID, w.file)
		w.wanted <- true
		return nil
	}
	w, err := ch.writingOf(c)
	if err != nil {
		return err
	}
	ch.begin(w)
	w.wanted <- true
	if w.file.old != nil {
		return ch.join()
	}
	return nil
}

// writingOf prepares the writing of a capsule's sidecar: the one that is there is kept aside.
func (ch *change) writingOf(c *Capsule) (*writing, error) {
	if err := ch.join(); err != nil {
		return nil, err
	}
	path := ch.k.sidecarPath(c.ID)
	seen, err := os.Lstat(path) // before it is read: what comes after this look shows in the next
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
		return nil, invalid(fmt.Sprintf("the capsule would make a file of %d bytes; at most %d are taken", len(data), MaxSidecar), "shorten it, or split it")
	}
	if old != nil && ch.files[c.ID] == nil {
		if err := ch.spare(c.ID, old); err != nil {
			return nil, err
		}
	}
	was := ch.files[c.ID]
	if was == nil {
		was = &replaced{path: path, old: old}
		if old != nil {
			// The old file is kept under another name until all is committed: a disk that is full then cannot keep it from being put back.
			was.aside = filepath.Join(ch.k.sidecars, tempPrefix+"old-"+filepath.Base(path))
			os.Remove(was.aside)
			was.linked = os.Link(path, was.aside) == nil
		}
		ch.track(c.ID, was)
	}
	if was.seen = seen; old == nil {
		was.seen = nil
	}
	return &writing{id: c.ID, data: data, file: was}, nil
}

// track remembers how to put a sidecar back.
func (ch *change) track(id string, was *replaced) {
	ch.files[id] = was
	ch.undo = append(ch.undo, was.undo)
	ch.after = append(ch.after, was.done)
}

// join waits until the sidecar that is being written is on the disk, and notes it.
func (ch *change) join() error {
	ch.discard()
	w := ch.disk
	if w == nil {
		return nil
	}
	<-w.done
	ch.disk = nil
	if w.err != nil {
		return w.err
	}
	ch.wrote = ch.wrote || !w.alone
	return ch.seen(w.id, w.info, w.data)
}

// replaced is a sidecar that a change has written, and what it was before.
type replaced struct {
	path, aside string
	old, now    []byte      // nil: there was none; nothing was written yet
	linked      bool        // the old one is at aside
	seen        fs.FileInfo // when it was read last; nil: there was none
}

// unchanged refuses to write over what somebody has saved since the file was read.
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
	return &fault.Error{Kind: fault.Conflict, ID: strings.TrimSuffix(name, sidecarExt), Msg: name + " is being edited by hand: it was saved just now", Next: fault.Steps("try once more")}
}

// sameFile reports whether a file is the one that was seen, as far as its size and time tell.
func sameFile(now, seen fs.FileInfo) bool {
	return os.SameFile(now, seen) && now.Size() == seen.Size() && now.ModTime().Equal(seen.ModTime())
}

func (r *replaced) undo() {
	if now, err := readSidecar(r.path); err == nil && r.now != nil && bytes.Equal(now, r.now) { // else it is somebody else's by now
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

// readSidecar reads a file of at most MaxSidecar bytes, and one more so that it shows.
func readSidecar(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
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

// tempPrefix is how the names of files begin that are not finished. None is there while nobody writes.
const tempPrefix = ".new-"

// writeFile writes a file so that it is there whole or not at all, whatever happens. That its name lasts is for the directory's own sync.
func writeFile(path string, data []byte) error {
	temp, err := writeTemp(path, data)
	if err != nil {
		return err
	}
	return rename(temp, path)
}

func rename(temp, path string) error {
	err := os.Rename(temp, path)
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// writeTemp writes what a file shall hold beside it, on the disk, and returns its name there.
func writeTemp(path string, data []byte) (temp string, err error) {
	temp = filepath.Join(filepath.Dir(path), tempPrefix+filepath.Base(path))
	const how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	f, err := os.OpenFile(temp, how, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // the first file of all
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			f, err = os.OpenFile(temp, how, 0o600)
		}
	}
	if err != nil {
		return "", err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil { // a little older than it is, so that any later change shows in its time
		then := time.Now().Add(-2 * fresh)
		err = os.Chtimes(temp, then, then)
	}
	if err != nil {
		os.Remove(temp)
		return "", err
	}
	return temp, nil
}
