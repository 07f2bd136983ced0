package setup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"blackboard/board/replace"
)

// backupMark stands between the name of a file and the time of its copy.
const backupMark = ".board-backup-"

// Apply does what was planned for one harness: all of it, or, if anything fails, nothing.
func (s *Setup) Apply(w *Work) error {
	if w.Err != nil {
		return w.Err
	}
	if len(w.Changes) == 0 && len(w.records) == 0 {
		return nil
	}
	for _, r := range w.records {
		if !exists(r.Path) { // the harness that was to make it has failed
			return conflict(r.Path+" is not there, though it was to be by now; nothing was changed", "set up again")
		}
	}
	fresh, err := readManifest(s.dataHome) // another may have recorded something since this was planned
	if err != nil {
		return err
	}
	s.manifest = fresh
	if err := s.write(w); err != nil {
		return err
	}
	for _, r := range w.records {
		if old := s.manifest.of(r.Path); old != nil { // another harness may have made the file since this was planned
			r.Backups = old.Backups
		}
		s.manifest.put(r)
	}
	for _, c := range w.Changes {
		if c.record == nil {
			s.manifest.drop(c.disk.real)
		} else {
			s.manifest.put(c.record)
		}
	}
	if err := s.manifest.write(s.dataHome); err != nil {
		return fileError(fmt.Sprintf("%s is done, but it could not be recorded in %s: %v", w.Title, filepath.Join(s.dataHome, manifestName), cause(err)), "see to the data home, then set up again")
	}
	return nil
}

// write prepares all files, then puts them in place one after the other.
func (s *Setup) write(w *Work) (err error) {
	var temps, dirs []string
	done := 0
	defer func() {
		for _, t := range temps {
			if t != "" {
				os.Remove(t) // those that were renamed are gone
			}
		}
		if err == nil {
			return
		}
		for _, c := range w.Changes[:done] {
			c.restore()
		}
		for _, c := range w.Changes {
			if c.Backup != "" {
				os.Remove(c.Backup)
				c.Backup = ""
			}
		}
		for _, d := range slices.Backward(dirs) {
			os.Remove(d)
		}
	}()
	for _, c := range w.Changes {
		if err := c.unchanged(); err != nil {
			return err
		}
		temp := ""
		if c.Action != Remove {
			missing := missingDirs(c.disk.real)
			dirs = append(dirs, missing...)
			if err = os.MkdirAll(filepath.Dir(c.disk.real), 0o755); err == nil {
				temp, err = prepare(c.disk.real, c.After, s.modeOf(c), c.disk.info)
			}
			if err != nil {
				return cannotWrite(c.Path, err)
			}
		}
		temps = append(temps, temp)
	}
	now := s.now().UTC()
	for i, c := range w.Changes {
		if err = c.copyBefore(now); err == nil {
			if c.Action == Remove {
				err = os.Remove(c.disk.real)
			} else {
				err = replace.Put(temps[i], c.disk.real)
			}
		}
		if err != nil {
			return cannotWrite(c.Path, err)
		}
		done = i + 1
		replace.SyncDir(filepath.Dir(c.disk.real)) // if it fails, the file itself is on the disk all the same
	}
	s.manifest.Dirs = append(s.manifest.Dirs, dirs...)
	for _, c := range w.Changes {
		s.tidy(c)
	}
	s.manifest.sweep()
	return nil
}

func cannotWrite(path string, err error) error {
	return fileError(fmt.Sprintf("%s cannot be written: %v; nothing was changed", path, cause(err)), "see to its permissions and those of its directory, then set up again")
}

// modeOf is the mode of a file: what it has, or that of a new one.
func (s *Setup) modeOf(c *Change) os.FileMode {
	if c.disk.exists {
		return c.disk.mode
	}
	return 0o644
}

// unchanged makes sure that a file is still what the plan was made for.
func (c *Change) unchanged() error {
	now, err := look(c.Path)
	if err != nil {
		return err
	}
	if now.real != c.disk.real || now.exists != c.disk.exists || !bytes.Equal(now.text, c.disk.text) {
		return conflict(c.Path+" was changed by somebody else meanwhile; nothing was written", "set up again")
	}
	return nil
}

// copyBefore keeps what the file was, unless it is known anyway: a file that becomes what it was before.
func (c *Change) copyBefore(now time.Time) error {
	if c.Action == Create || c.exact {
		return nil
	}
	name := c.disk.real + backupMark + now.Format("20060102T150405Z")
	for i := 2; exists(name); i++ {
		name = c.disk.real + backupMark + now.Format("20060102T150405Z") + "-" + strconv.Itoa(i)
	}
	if err := writeWhole(name, c.disk.text, c.disk.mode, c.disk.info); err != nil {
		return err
	}
	c.Backup = name
	if c.record != nil {
		c.record.Backups = append(slices.Clone(c.record.Backups), backup{name, hashText(c.disk.text)})
	}
	return nil
}

// restore puts back what the file was.
func (c *Change) restore() {
	if c.Action == Create {
		os.Remove(c.disk.real)
		return
	}
	writeWhole(c.disk.real, c.disk.text, c.disk.mode, c.disk.info) // it could be written a moment ago; its copy is there if it cannot any more
}

// tidy removes what only served a file that is as it was before: its copies and, without a manifest, the directory of the skill.
func (s *Setup) tidy(c *Change) {
	old := s.manifest.of(c.disk.real)
	switch {
	case old == nil && c.Action == Remove && filepath.Base(c.disk.real) == "SKILL.md":
		os.Remove(filepath.Dir(c.disk.real)) // fails when something is in it
	case old != nil && c.record == nil && c.exact:
		for _, b := range old.Backups {
			if text, err := os.ReadFile(b.Path); err == nil && hashText(text) == b.Hash {
				os.Remove(b.Path)
			}
		}
	}
}
