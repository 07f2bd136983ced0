package home

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/disk"
)

// gitdir is the prefix of a .git file.
const gitdir = "gitdir: "

// Bytes of a file with a path, and of a repository's settings.
const (
	maxGitFile   = 64 << 10
	maxGitConfig = 4 << 20
)

// rootOf returns the root that all working trees of a repository share, for a tree whose
// .git is a file. Anybody can write such a file, so the repository must name the working
// tree too; otherwise the tree is a project of its own.
//
// A worktree's git directory has a file commondir, which names the repository's own
// directory, and a file gitdir, which names the worktree's .git. If the git directory
// lies elsewhere, core.worktree in its config names the first working tree (always for a
// submodule). git init --separate-git-dir writes none; then git's index tells which one
// it is, and the answer is stored in the data home.
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
		return beside // a bare repository in a hidden directory of the project
	case isWorktree:
		return common
	case beside == dir, c["core.bare"] != "false", !isCheckout(data, common, dir, c),
		slices.Contains(strings.Split(common, string(filepath.Separator)), ".git"):
		return dir
	}
	return common // its worktrees know no more
}

// namedIn returns the path that a file of git contains, relative to that file and with
// links resolved; "" if there is none or it is broken.
func namedIn(file, prefix string) string {
	b, err := disk.Read(file, maxGitFile)
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

// readGitConfig returns the settings of a repository as "section.key" in lower case.
func readGitConfig(common string) map[string]string {
	all := map[string]string{}
	for _, name := range []string{"config", "config.worktree"} {
		b, _ := disk.Read(filepath.Join(common, name), maxGitConfig)
		maps.Insert(all, gitConfig(b))
	}
	return all
}

// gitConfig gives the settings of a file in their order, as "section.key" in lower case.
func gitConfig(b []byte) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		section := ""
		for line := range strings.Lines(string(b)) {
			line = strings.TrimSpace(line)
			if name, ok := strings.CutPrefix(line, "["); ok {
				section = strings.ToLower(strings.TrimSuffix(name, "]"))
				continue
			}
			key, value, ok := strings.Cut(line, "=")
			value = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `"`, "").Replace(strings.TrimSpace(value))
			if ok && !yield(section+"."+strings.ToLower(strings.TrimSpace(key)), value) {
				return
			}
		}
	}
}

// mostIndex is how many bytes of an index are read, and mostEntries how many entries.
const (
	mostIndex   = 1 << 20
	mostEntries = 1000
)

// isCheckout reports whether a directory is the checkout of a repository: the stored one
// while it exists, or else any directory that matches the index, which is then stored.
// Without a data home nothing is stored.
func isCheckout(data, common, dir string, config map[string]string) bool {
	sum := sha256.Sum256([]byte(common))
	name := filepath.Join(data, "checkouts", hex.EncodeToString(sum[:16]))
	if data != "" {
		b, err := disk.Read(name, maxGitFile)
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
		_ = disk.Write(name, []byte(dir+"\n"), 0o600) // if it cannot be stored, nothing is lost
	}
	return true
}

// isCheckedOut reports whether a directory matches git's index: one indexed file has the
// size and time it was checked out with. An empty index matches any directory.
func isCheckedOut(common, dir string, config map[string]string) bool {
	f, err := disk.Open(filepath.Join(common, "index"))
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
	for n := min(entries, mostEntries); n > 0 && x.next(); n-- {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(x.name)))
		if err == nil && x.isOf(info) {
			return true
		}
	}
	return false
}

// gitIndex reads the entries of git's index, versions 2 to 4.
type gitIndex struct {
	rest    []byte
	version uint32
	hash    int // bytes of an object name

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
	if x.version >= 4 { // version 4 stores the part of the name that differs from the previous one
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

// isOf reports whether an entry's file is unchanged. Git without fractions of seconds
// stores 0 there, and a size of 0 if the file changed while git looked.
func (x *gitIndex) isOf(info os.FileInfo) bool {
	at := info.ModTime()
	if x.nano == 0 {
		at = at.Truncate(time.Second)
	}
	return at.Equal(time.Unix(int64(x.seconds), int64(x.nano))) &&
		(x.size == 0 || x.size == uint32(info.Size()))
}
