package kb

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/replace"
	"blackboard/board/sqlite"
)

// gitdir begins a .git that is a file.
const gitdir = "gitdir: "

// rootOf returns the root that all working trees of a repository share, for one whose
// .git is a file that names the git directory. Anybody can write such a file: a working
// tree counts only where the repository says so itself, and is a project of its own
// elsewhere.
//
// A worktree's git directory has a file commondir, which names the repository's own, and
// a file gitdir there names the worktree's .git. The first working tree of a repository
// whose git directory lies elsewhere is named by core.worktree in its config (a
// submodule's always is); git init --separate-git-dir writes none, so which one it is is
// told by git's index, and then kept in the data home.
func rootOf(git, dir, data string) string {
	common := namedIn(filepath.Join(git, "commondir"), "")
	_, err := os.Lstat(filepath.Join(git, "commondir"))
	isWorktree := err == nil
	if !isWorktree {
		common = git
	} else if filepath.Dir(git) != filepath.Join(common, "worktrees") ||
		namedIn(filepath.Join(git, "gitdir"), "") != filepath.Join(dir, ".git") {
		return dir
	}
	c := readGitConfig(common)
	if first := c["core.worktree"]; first != "" {
		if !filepath.IsAbs(first) {
			first = filepath.Join(common, first)
		}
		switch first, _ = filepath.EvalSymlinks(first); {
		case !isWorktree && first != dir:
			return dir
		case first != "" && namedIn(filepath.Join(first, ".git"), gitdir) == common:
			return first
		}
		return common
	}
	beside := filepath.Dir(common)
	switch {
	case isWorktree && filepath.Base(common) == ".git":
		return beside
	case isWorktree && namedIn(filepath.Join(beside, ".git"), gitdir) == common:
		return beside // a bare repository hidden in the directory where people work
	case isWorktree:
		return common
	case beside == dir, c["core.bare"] != "false", !isCheckout(data, common, dir, c),
		slices.Contains(strings.Split(common, string(filepath.Separator)), ".git"):
		return dir
	}
	return common // which is all that its worktrees know too
}

// namedIn returns the path that a file of git names, from where the file is, with its
// links resolved; "" if there is none, or it leads nowhere.
func namedIn(file, prefix string) string {
	b, err := sqlite.ReadFile(file)
	path, ok := strings.CutPrefix(strings.TrimSpace(string(b)), prefix)
	if err != nil || !ok || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	path, _ = filepath.EvalSymlinks(path)
	return path
}

// readGitConfig reads the plain settings of a repository, as "section.key" in lower case.
func readGitConfig(common string) map[string]string {
	all := map[string]string{}
	for _, name := range []string{"config", "config.worktree"} {
		b, _ := sqlite.ReadFile(filepath.Join(common, name))
		section := ""
		for line := range strings.Lines(string(b)) {
			line = strings.TrimSpace(line)
			if name, ok := strings.CutPrefix(line, "["); ok {
				section = strings.ToLower(strings.TrimSuffix(name, "]"))
				continue
			}
			if key, value, ok := strings.Cut(line, "="); ok {
				value = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `"`, "").Replace(strings.TrimSpace(value))
				all[section+"."+strings.ToLower(strings.TrimSpace(key))] = value
			}
		}
	}
	return all
}

// mostIndex is how much of an index is looked at, and mostEntries how many of its files.
const (
	mostIndex   = 1 << 20
	mostEntries = 1000
)

// isCheckout reports whether a directory is what a repository is checked out into: the one
// that is kept as such, as long as it is there. Where none is, a directory that can be is kept.
// Without a data home nothing is.
func isCheckout(data, common, dir string, config map[string]string) bool {
	sum := sha256.Sum256([]byte(common))
	name := filepath.Join(data, "checkouts", hex.EncodeToString(sum[:16]))
	if data != "" {
		b, err := sqlite.ReadFile(name)
		kept := strings.TrimSuffix(string(b), "\n")
		switch {
		case err != nil || kept == "":
		case kept == dir:
			return true
		case namedIn(filepath.Join(kept, ".git"), gitdir) == common:
			return false
		}
	}
	if !isCheckedOut(common, dir, config) {
		return false
	}
	if data != "" {
		_ = keep(name, dir+"\n") // a place that cannot be written to has nothing to lose either
	}
	return true
}

// keep writes a file, and the directory that it is in.
func keep(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := replace.Fill(f, func(f *os.File) error { _, err := f.WriteString(text); return err }); err != nil {
		return err
	}
	return replace.Put(f.Name(), name)
}

// isCheckedOut reports whether a directory can be what a repository was checked out into:
// a file that git's index knows is there as git has left it, by its size and the time of
// its last change. Where nothing was added yet, nothing speaks against it.
func isCheckedOut(common, dir string, config map[string]string) bool {
	f, err := sqlite.OpenFile(filepath.Join(common, "index"))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostIndex))
	const header = 12
	if err != nil || len(b) < header || string(b[:4]) != "DIRC" {
		return false
	}
	version, entries := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	if entries == 0 {
		return true
	}
	x := gitIndex{rest: b[header:], version: version, hash: 20}
	if config["extensions.objectformat"] == "sha256" {
		x.hash = 32
	}
	for range min(entries, mostEntries) {
		if !x.next() {
			break
		}
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(x.name)))
		if err == nil && x.isOf(info) {
			return true
		}
	}
	return false
}

// gitIndex reads the entries of git's index, of the versions 2 to 4.
type gitIndex struct {
	rest    []byte
	version uint32
	hash    int // the length of an object's name

	name          string
	seconds, nano uint32 // of the last change
	size          uint32
}

// next reads an entry.
func (x *gitIndex) next() bool {
	fixed := 40 + x.hash + 2
	if len(x.rest) < fixed+4 {
		return false
	}
	x.seconds, x.nano = binary.BigEndian.Uint32(x.rest[8:]), binary.BigEndian.Uint32(x.rest[12:])
	x.size = binary.BigEndian.Uint32(x.rest[36:])
	if flags := binary.BigEndian.Uint16(x.rest[fixed-2:]); x.version >= 3 && flags&0x4000 != 0 {
		fixed += 2
	}
	start, kept := fixed, ""
	if x.version >= 4 { // the name without what it has in common with the one before
		drop := int(x.rest[start] & 0x7f)
		for x.rest[start]&0x80 != 0 && start+1 < len(x.rest) {
			start++
			drop = (drop+1)<<7 | int(x.rest[start]&0x7f)
		}
		start++
		if drop > len(x.name) {
			return false
		}
		kept = x.name[:len(x.name)-drop]
	}
	n := bytes.IndexByte(x.rest[start:], 0)
	if n < 0 {
		return false
	}
	x.name = kept + string(x.rest[start:start+n])
	end := start + n + 1
	if x.version < 4 {
		end = (start + n + 8) &^ 7 // one to eight NULs, up to a multiple of eight
	}
	x.rest = x.rest[min(end, len(x.rest)):]
	return true
}

// isOf reports whether the entry is of a file that has not changed since. A git that
// keeps no fractions of seconds has 0 there, and one that saw a file change as it looked
// has a size of 0.
func (x *gitIndex) isOf(info os.FileInfo) bool {
	at := info.ModTime()
	if x.nano == 0 {
		at = at.Truncate(time.Second)
	}
	return at.Equal(time.Unix(int64(x.seconds), int64(x.nano))) &&
		(x.size == 0 || x.size == uint32(info.Size()))
}
