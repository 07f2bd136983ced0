package kb

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/fault"
)

// pendingName is the list of the sidecars that an ingest is about to write or remove: those of them that have no row when it is found belong to no document.
const pendingName = ".pending"

// pending writes the list, for this change. One that an ingest has left that died is dealt with first.
func (ch *change) pending(ids []string) error {
	if ch.k.sidecars == "" || ch.dry {
		return nil
	}
	if err := ch.finishPending(); err != nil || len(ids) == 0 {
		return err
	}
	path := filepath.Join(ch.k.sidecars, pendingName)
	if err := writeFile(path, []byte(strings.Join(ids, "\n"))); err != nil {
		return err
	}
	ch.undo = append(ch.undo, func() { os.Remove(path) })
	return nil
}

// pendingDone removes the list once all is committed, after the files that go.
func (ch *change) pendingDone() {
	ch.after = append(ch.after, func() { os.Remove(filepath.Join(ch.k.sidecars, pendingName)) })
}

// finishPending does what an interrupted ingest had to do.
func (ch *change) finishPending() error {
	path := filepath.Join(ch.k.sidecars, pendingName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, id := range strings.Fields(string(data)) {
		if CheckID(id) != nil {
			continue
		}
		if _, err := ch.row(id); errors.Is(err, fault.NotFound) {
			os.Remove(ch.k.sidecarPath(id))
		} else if err != nil {
			return err
		}
	}
	ch.after = append(ch.after, func() { os.Remove(path) })
	return nil
}
