package kb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// isolate moves a sidecar that cannot be read to the quarantine: a copy first, and the file itself once all is committed. If there is a row, the capsule stays as it was
// and gets its sidecar back. data is nil for what is no regular file.
func (ch *change) isolate(id string, row *Capsule, data []byte, why string, s *Synced) error {
	name, path := id+sidecarExt, ch.k.sidecarPath(id)
	var to string
	var err error
	if data == nil || len(data) > MaxSidecar {
		to, err = ch.k.toQuarantine(name)
		ch.undo = append(ch.undo, func() { os.Rename(to, path) })
	} else if to, err = ch.copyToQuarantine(id, data); err == nil && row == nil {
		ch.removeLater(id)
	}
	if err != nil {
		return err
	}
	note := fmt.Sprintf("%s is not a capsule's: %s; it is moved to %s", name, why, to)
	c := &Capsule{ID: id}
	if row != nil {
		if err := ch.put(row); err != nil {
			return err
		}
		c = row
		note += ", and the capsule stays as it was"
	}
	s.Quarantined = append(s.Quarantined, note)
	return ch.event(VerbQuarantined, c, nil, "", why)
}

// isolateUnknown moves files that are no capsule's out of the way, so that nobody takes them for one. It is called
// in the writers' turn: two who move one name at the same time could write over each other's.
func (k *KB) isolateUnknown(names []string, s *Synced) (notes []string) {
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(k.sidecars, name)); err != nil || time.Since(info.ModTime()) < settling {
			continue
		}
		to, err := k.toQuarantine(name)
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s is not a capsule's and cannot be moved: %v", name, err))
			continue
		}
		s.Quarantined = append(s.Quarantined, fmt.Sprintf("%s is not a capsule's: its name is no id; it is moved to %s (an import takes files of any name)", name, to))
	}
	return notes
}

// toQuarantine moves a file out of the sidecars and returns where it is.
func (k *KB) toQuarantine(name string) (string, error) {
	to, err := k.quarantineName(name)
	if err == nil {
		err = os.Rename(filepath.Join(k.sidecars, name), to)
	}
	return to, err
}

// quarantineName is a free name in the quarantine.
func (k *KB) quarantineName(name string) (string, error) {
	if err := os.MkdirAll(k.quarantine, 0o700); err != nil {
		return "", err
	}
	to := filepath.Join(k.quarantine, name)
	for i := 2; ; i++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to, nil
		} else if err != nil {
			return "", err
		}
		to = filepath.Join(k.quarantine, fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, sidecarExt), i, sidecarExt))
	}
}
