package home

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"path"
	"strings"
)

// Bounds of what is read of a repository.
const (
	maxCommit  = 1 << 20   // bytes of one commit
	maxIndex   = 256 << 20 // bytes of a pack's index
	maxDeltas  = 100       // of one commit: twice what git makes by itself
	maxCommits = 200_000   // of the way to the first one
	idBytes    = 20        // of a commit's name: repositories with SHA-256 are not read
)

// repo reads commits of a git directory. It does not run git, whose settings can name programs, and
// does not follow links out of the directory: a planted .git gives access to nothing outside of it.
type repo struct {
	dir   *os.Root
	packs []*pack
}

// pack is a file of many objects; its index is read once.
type pack struct {
	file  *os.File
	index []byte
}

// openRepo opens a workspace's own git directory, none that a .git file names; nil if none.
func openRepo(workspace string) *repo {
	for _, dir := range []string{workspace + string(os.PathSeparator) + ".git", workspace} {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			continue
		}
		r := &repo{dir: root}
		if r.read("HEAD", maxGitFile) != nil {
			return r
		}
		root.Close()
	}
	return nil
}

func (r *repo) close() {
	for _, p := range r.packs {
		if p.file != nil {
			p.file.Close()
		}
	}
	r.dir.Close()
}

// open opens a regular file of the git directory; nil if there is none, or a longer one.
func (r *repo) open(name string, most int64) *os.File {
	info, err := r.dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil
	}
	f, err := r.dir.Open(name)
	if err != nil {
		return nil
	}
	return f
}

func (r *repo) read(name string, most int64) []byte {
	f := r.open(name, most)
	if f == nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil
	}
	return b
}

// root returns the first commit by first parents; "" if none is here, as in a shallow clone.
func (r *repo) root(ctx context.Context) string {
	at := r.head()
	for range maxCommits {
		commit := r.commit(at)
		if commit == nil || ctx.Err() != nil {
			return ""
		}
		parent := parentOf(commit)
		if parent == "" {
			return at
		}
		at = parent
	}
	return ""
}

// hasRoot reports whether a commit is here and has no parent.
func (r *repo) hasRoot(id string) bool {
	commit := r.commit(id)
	return commit != nil && parentOf(commit) == ""
}

func (r *repo) head() string {
	at := strings.TrimSpace(string(r.read("HEAD", maxGitFile)))
	name, isRef := strings.CutPrefix(at, "ref: ")
	if !isRef {
		return at
	}
	if id := strings.TrimSpace(string(r.read(path.Clean(name), maxGitFile))); id != "" {
		return id
	}
	for line := range strings.Lines(string(r.read("packed-refs", maxGitConfig))) {
		if id, ref, _ := strings.Cut(strings.TrimSpace(line), " "); ref == name {
			return id
		}
	}
	return ""
}

func parentOf(commit []byte) string {
	for line := range bytes.Lines(commit) {
		if id, ok := bytes.CutPrefix(line, []byte("parent ")); ok {
			return strings.TrimSpace(string(id))
		}
		if len(line) == 1 { // the message begins
			break
		}
	}
	return ""
}

func (r *repo) commit(id string) []byte {
	name, err := hex.DecodeString(id)
	if err != nil || len(name) != idBytes {
		return nil
	}
	if f := r.open("objects/"+id[:2]+"/"+id[2:], maxCommit); f != nil {
		defer f.Close()
		head, text, _ := bytes.Cut(inflate(f), []byte{0})
		if bytes.HasPrefix(head, []byte("commit ")) {
			return text
		}
		return nil
	}
	if r.packs == nil {
		r.openPacks()
	}
	for _, p := range r.packs {
		if at := p.find(name); at > 0 {
			return p.object(at, maxDeltas)
		}
	}
	return nil
}

func (r *repo) openPacks() {
	r.packs = []*pack{}
	dir, err := r.dir.Open("objects/pack")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(1000)
	for _, n := range names {
		base, ok := strings.CutSuffix(n, ".idx")
		if !ok {
			continue
		}
		p := &pack{index: r.read("objects/pack/"+n, maxIndex)}
		p.file = r.open("objects/pack/"+base+".pack", 1<<40)
		if p.file != nil {
			r.packs = append(r.packs, p)
		}
	}
}

// find returns the offset of an object in the pack, 0 if it is not there. The index has a header,
// the number of names up to each first byte, the names in order, their check sums, and their
// offsets: 31 bits, or the index of one with 64.
func (p *pack) find(name []byte) int64 {
	const fan, names = 8, 8 + 256*4
	x := p.index
	if len(x) < names || !bytes.HasPrefix(x, []byte("\xfftOc\x00\x00\x00\x02")) {
		return 0
	}
	count := func(b int) int { return int(binary.BigEndian.Uint32(x[fan+4*b:])) }
	all := count(255)
	if len(x) < names+all*(idBytes+8) {
		return 0
	}
	low, high := 0, count(int(name[0]))
	if name[0] > 0 {
		low = count(int(name[0]) - 1)
	}
	for low < high && high <= all {
		mid := (low + high) / 2
		at := names + mid*idBytes
		switch bytes.Compare(name, x[at:at+idBytes]) {
		case -1:
			high = mid
		case 1:
			low = mid + 1
		default:
			places := names + all*(idBytes+4)
			place := int64(binary.BigEndian.Uint32(x[places+4*mid:]))
			if place < 1<<31 {
				return place
			}
			if far := places + 4*all + 8*int(place-1<<31); far+8 <= len(x) {
				return int64(binary.BigEndian.Uint64(x[far:]))
			}
			return 0
		}
	}
	return 0
}

// object returns a commit in the pack, whole or the difference from another.
func (p *pack) object(at int64, deltas int) []byte {
	const whole, byPlace, byName = 1, 6, 7
	in := bufio.NewReaderSize(io.NewSectionReader(p.file, at, maxCommit), 512)
	head, err := in.ReadByte()
	for more := head; err == nil && more >= 0x80; {
		more, err = in.ReadByte() // the length, which the stream knows too
	}
	var from int64
	switch kind := head >> 4 & 7; {
	case err != nil || deltas == 0:
		return nil
	case kind == whole:
		return inflate(in)
	case kind == byPlace:
		back, err := int64(-1), error(nil)
		for more := byte(0x80); err == nil && more >= 0x80 && back < 1<<40; {
			more, err = in.ReadByte()
			back = (back+1)<<7 | int64(more&0x7f)
		}
		from = at - back
	case kind == byName:
		name := make([]byte, idBytes)
		if _, err := io.ReadFull(in, name); err == nil {
			from = p.find(name)
		}
	}
	if from <= 0 || from >= at && head>>4&7 == byPlace {
		return nil
	}
	base := p.object(from, deltas-1)
	if base == nil {
		return nil
	}
	return patch(base, inflate(in))
}

// inflate decompresses an object; nil if it is damaged or too long.
func inflate(in io.Reader) []byte {
	z, err := zlib.NewReader(in)
	if err != nil {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(z, maxCommit+1))
	if err != nil || len(b) > maxCommit {
		return nil
	}
	return b
}

// patch applies a difference: two lengths, then steps to copy or add; nil if it does not fit.
func patch(base, delta []byte) []byte {
	for range 2 {
		n, size := binary.Uvarint(delta)
		if size <= 0 || n > maxCommit {
			return nil
		}
		delta = delta[size:]
	}
	var out []byte
	for len(delta) > 0 && len(out) <= maxCommit {
		step := delta[0]
		delta = delta[1:]
		if step < 0x80 {
			if step == 0 || int(step) > len(delta) {
				return nil
			}
			out, delta = append(out, delta[:step]...), delta[step:]
			continue
		}
		var given [7]int // four bytes of the place, three of the length
		for i := range given {
			if step>>i&1 == 0 {
				continue
			}
			if len(delta) == 0 {
				return nil
			}
			given[i], delta = int(delta[0]), delta[1:]
		}
		at := given[0] | given[1]<<8 | given[2]<<16 | given[3]<<24
		n := cmp.Or(given[4]|given[5]<<8|given[6]<<16, 1<<16)
		if at > len(base) || n > len(base)-at {
			return nil
		}
		out = append(out, base[at:at+n]...)
	}
	return out
}
