package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/disk"
)

// manifestName is the file in the data home that records the setup. Everything can be
// removed without it; with it, files are restored byte for byte.
const manifestName = "setup.json"

type manifest struct {
	V     int       `json:"v"`
	Files []*record `json:"files"`
	Dirs  []string  `json:"dirs"` // directories that setup created
}

type record struct {
	Path      string   `json:"path"`      // with links resolved
	Harnesses []string `json:"harnesses"` // that need it
	Version   string   `json:"version"`   // of the program that wrote it last
	Created   bool     `json:"created"`   // the file is new
	After     string   `json:"after"`     // the hash of what was written
	// Undo has the edits that make it what it was, step by step; null if something else
	// changed too. One step is written, versions before this one wrote one for each part.
	Undo    [][]undo   `json:"undo"`
	Made    [][]string `json:"made"` // paths of containers that were not there before
	Backups []backup   `json:"backups"`
}

// undo is an edit with the text as bytes, because it may end within a character.
type undo struct {
	At  int    `json:"at"`
	Cut int    `json:"cut"`
	Put []byte `json:"put"`
}

type backup struct {
	Path string `json:"path"`
	Hash string `json:"hash"`
}

func hashText(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// undoing returns the edit that makes a text what it was.
func undoing(now, was []byte) [][]undo {
	at, most := 0, min(len(now), len(was))
	for at < most && now[at] == was[at] {
		at++
	}
	end := 0
	for end < most-at && now[len(now)-1-end] == was[len(was)-1-end] {
		end++
	}
	return [][]undo{{{at, len(now) - at - end, was[at : len(was)-end]}}}
}

// before is a file's text from before setup, if the file is as setup wrote it.
func (r *record) before(b []byte) ([]byte, bool) {
	if r == nil || r.Undo == nil || hashText(b) != r.After {
		return nil, false
	}
	for _, step := range r.Undo {
		edits, end := make([]edit, 0, len(step)), 0
		for _, u := range step {
			// somebody has written into the manifest
			if u.At < end || u.Cut < 0 || u.At+u.Cut > len(b) {
				return nil, false
			}
			end = u.At + u.Cut
			edits = append(edits, edit{u.At, u.Cut, string(u.Put)})
		}
		b = apply(b, edits...)
	}
	return b, true
}

func (m *manifest) of(path string) *record {
	for _, r := range m.Files {
		if r.Path == path {
			return r
		}
	}
	return nil
}

func (m *manifest) drop(path string) {
	m.Files = slices.DeleteFunc(m.Files, func(r *record) bool { return r.Path == path })
}

func (m *manifest) put(r *record) {
	if i := slices.IndexFunc(m.Files,
		func(old *record) bool { return old.Path == r.Path }); i >= 0 {
		m.Files[i] = r
		return
	}
	m.Files = append(m.Files, r)
}

// readManifest reads the manifest. An invalid one counts as missing: setup works without it.
func readManifest(dataHome string) (*manifest, error) {
	m := &manifest{V: 1}
	b, err := disk.Read(filepath.Join(dataHome, manifestName), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, fileError(fmt.Sprintf("cannot read the record of what was set up: %v", err),
			"check its permissions, then try again")
	}
	if json.Unmarshal(b, m) != nil || m.V != 1 {
		return &manifest{V: 1}, nil
	}
	m.Files = slices.DeleteFunc(m.Files, func(r *record) bool { return r == nil || r.Path == "" })
	return m, nil
}

// sweep removes directories that setup created and that are empty again.
func (m *manifest) sweep() {
	slices.Sort(m.Dirs)
	for _, dir := range slices.Backward(slices.Clone(m.Dirs)) { // the inner ones first
		if err := os.Remove(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			m.Dirs = slices.DeleteFunc(m.Dirs, func(d string) bool { return d == dir })
		}
	}
}

// write replaces the manifest; if nothing is set up, it removes it, and an empty data home.
func (m *manifest) write(dataHome string) error {
	path := filepath.Join(dataHome, manifestName)
	if len(m.Files) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		os.Remove(dataHome) // fails when something is in it
		return nil
	}
	slices.SortFunc(m.Files, func(a, b *record) int { return strings.Compare(a.Path, b.Path) })
	if err := os.MkdirAll(dataHome, 0o700); err != nil {
		return err
	}
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(path, append(b, '\n'), 0o600, nil)
}
