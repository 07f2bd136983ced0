package setup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"blackboard/board/disk"
)

// backupMark separates a file's name from the time of its copy.
const backupMark = ".board-backup-"

// Apply makes the planned changes for one harness. If one fails, it undoes them all.
func (s *Setup) Apply(w *Work) error {
	if w.Err != nil {
		return w.Err
	}
	if len(w.Changes) == 0 && len(w.records) == 0 {
		return nil
	}
	for _, r := range w.records {
		if !disk.Exists(r.Path) { // the harness that shares it has failed
			return conflict(r.Path+
				" does not exist, although an earlier step should have created it; "+
				"nothing was changed", "set up again")
		}
	}
	// another process may have changed the manifest since the plan was made
	fresh, err := readManifest(s.dataHome)
	if err != nil {
		return err
	}
	s.manifest = fresh
	if err := s.write(w); err != nil {
		return err
	}
	for _, r := range w.records {
		// another harness may have created the file since the plan was made
		if old := s.manifest.of(r.Path); old != nil {
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
		return fileError(fmt.Sprintf("%s is set up, but recording it in %s failed: %v", w.Title,
			filepath.Join(s.dataHome, manifestName), disk.Cause(err)),
			"check the data home, then set up again")
	}
	return nil
}

// write prepares all files, then renames them one after the other.
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
				err = disk.Put(temps[i], c.disk.real)
			}
		}
		if err != nil {
			return cannotWrite(c.Path, err)
		}
		done = i + 1
		// if it fails, the file itself is on the disk all the same
		disk.SyncDir(filepath.Dir(c.disk.real))
	}
	s.manifest.Dirs = append(s.manifest.Dirs, dirs...)
	for _, c := range w.Changes {
		s.removeLeftovers(c)
	}
	s.manifest.sweep()
	return nil
}

func cannotWrite(path string, err error) error {
	return fileError(fmt.Sprintf("cannot write %s: %v; nothing was changed", path,
		disk.Cause(err)), "check its permissions and those of its directory, then set up again")
}

func (s *Setup) modeOf(c *Change) os.FileMode {
	if c.disk.exists {
		return c.disk.mode
	}
	return 0o644
}

// unchanged returns an error if a file has changed since the plan was made.
func (c *Change) unchanged() error {
	now, err := readDisk(c.Path)
	if err != nil {
		return err
	}
	if now.real != c.disk.real || now.exists != c.disk.exists ||
		!bytes.Equal(now.text, c.disk.text) {
		return conflict(c.Path+" was changed by another process in the meantime; "+
			"nothing was written",
			"set up again")
	}
	return nil
}

// copyBefore keeps a copy of the file, unless it becomes what it was before setup.
func (c *Change) copyBefore(now time.Time) error {
	if c.Action == Create || c.exact {
		return nil
	}
	name := c.disk.real + backupMark + now.Format("20060102T150405Z")
	for i := 2; disk.Exists(name); i++ {
		name = c.disk.real + backupMark + now.Format("20060102T150405Z") + "-" + strconv.Itoa(i)
	}
	if err := writeWhole(name, c.disk.text, c.disk.mode, c.disk.info); err != nil {
		return err
	}
	c.Backup = name
	if c.record != nil {
		c.record.Backups = append(slices.Clone(c.record.Backups),
			backup{name, hashText(c.disk.text)})
	}
	return nil
}

func (c *Change) restore() {
	if c.Action == Create {
		os.Remove(c.disk.real)
		return
	}
	// it could be written a moment ago; its copy is there if it cannot any more
	writeWhole(c.disk.real, c.disk.text, c.disk.mode, c.disk.info)
}

// removeLeftovers removes a restored file's copies and, without a manifest, the skill's directory.
func (s *Setup) removeLeftovers(c *Change) {
	old := s.manifest.of(c.disk.real)
	switch {
	case old == nil && c.Action == Remove && filepath.Base(c.disk.real) == "SKILL.md":
		os.Remove(filepath.Dir(c.disk.real)) // fails when something is in it
	case old != nil && c.record == nil && c.exact:
		for _, b := range old.Backups {
			if text, err := disk.Read(b.Path, maxFile); err == nil && hashText(text) == b.Hash {
				os.Remove(b.Path)
			}
		}
	}
	if c.record == nil {
		c.Stay = disk.Glob(c.disk.real, backupMark+"*")
	}
}
