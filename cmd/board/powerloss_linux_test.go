package main

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// TestPowerLoss replays a loss of power at each moment of a run. strace records what the commands
// write, name and sync. Of each moment two disks are made: one has lost all that was not synced, one
// kept a part of it by chance, in whole sectors. The run must open on both, with every post that
// had been acknowledged, and be sound.
//
// A directory is taken to be there once it was made: file systems in use keep it with the first
// file that is synced in it. What is mapped into memory (-shm) is lost always.
func TestPowerLoss(t *testing.T) {
	cost.SkipUnlessLong(t)
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed: power losses are NOT replayed here")
	}
	t.Parallel()
	home := t.TempDir()
	var lost []change
	var acknowledged []int // how many changes there were when each post had ended
	for i := range 4 {
		text, key := fmt.Sprintf("finding %d of the run, %s", i, strings.Repeat("long ", 900)), fmt.Sprint(i)
		recorded, err := record(t, strace, home, "post", text, "--run", "r", "--worker", "w", "--key", key)
		if err != nil {
			t.Skipf("strace cannot record here: %v: power losses are NOT replayed", err)
		}
		lost = append(lost, recorded...)
		acknowledged = append(acknowledged, len(lost))
	}
	syncs, opened := 0, 0
	d := &drive{now: map[string]int{}, kept: map[string]int{}}
	random := rand.New(rand.NewPCG(1, 2))
	for at, c := range lost {
		d.apply(c)
		if c.kind == "sync" {
			syncs++
		}
		want := 0
		for i, end := range acknowledged {
			if at+1 >= end {
				want = i + 1
			}
		}
		for _, part := range []bool{false, true} {
			opened += opensAfter(t, d.after(part, random), home, want, fmt.Sprintf("after change %d of %d (%s of %s), in part %t", at+1, len(lost), c.kind, filepath.Base(c.path), part))
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d changes, %d syncs, %d disks with the run on them", len(lost), syncs, opened)
	if syncs < 8 || opened < 100 {
		t.Errorf("%d syncs were recorded and %d disks opened: are all calls still found?", syncs, opened)
	}
}

// opensAfter writes the files of a disk and opens the run on it. It returns 1 if there is a run.
func opensAfter(t *testing.T, files map[string][]byte, home string, want int, when string) int {
	t.Helper()
	dir := t.TempDir()
	for path, data := range files {
		rel := expect.Value(filepath.Rel(home, path))(t)
		to := filepath.Join(dir, rel)
		expect.OK(t, os.MkdirAll(filepath.Dir(to), 0o700))
		expect.OK(t, os.WriteFile(to, data, 0o600))
	}
	defer os.RemoveAll(dir)
	boards := filepath.Join(dir, "boards")
	if _, err := os.Stat(filepath.Join(boards, "r.sqlite3")); err != nil {
		if want > 0 {
			t.Errorf("%s the run is gone, with %d acknowledged posts", when, want)
		}
		return 0
	}
	b, err := board.Open(t.Context(), boards, "r")
	if err != nil {
		if want > 0 {
			t.Errorf("%s the run does not open: %v", when, err)
		}
		return 0
	}
	defer b.Close()
	checkRun(t.Context(), t, b, want, when)
	return 1
}

func checkRun(ctx context.Context, t *testing.T, b *board.Board, want int, when string) {
	t.Helper()
	s, err := b.Snapshot(ctx)
	if err != nil || len(s.Entries) < want || len(s.Entries) > want+1 {
		t.Errorf("%s the run has not the %d acknowledged posts, or one more: %v", when, want, err)
		return
	}
	for i, e := range s.Entries {
		if !strings.HasPrefix(e.Content, fmt.Sprintf("finding %d of", i)) || e.Key != fmt.Sprint(i) {
			t.Errorf("%s entry %d is %.40q", when, i, e.Content)
		}
	}
}

// A change is what one call did to a file of the data home, or the end of a sync.
type change struct {
	kind     string // create, write, truncate, rename, unlink, sync
	path, to string
	offset   int
	data     []byte
	time     float64
}

var (
	traceLine = regexp.MustCompile(`^(\d+\.\d+) (\w+)\((.*)\) += (-?\d+)`)
	traceFile = regexp.MustCompile(`^\d+<([^>]*)>`)
	traceText = regexp.MustCompile(`"((?:\\x[0-9a-f]{2})*)"`)
)

// record runs the program under strace, and returns what it changed below home, in order. Each
// thread has a file of its own, so that no call is cut in two.
func record(t *testing.T, strace, home string, args ...string) ([]change, error) {
	t.Helper()
	dir := t.TempDir()
	line := []string{"-ff", "-ttt", "-y", "-xx", "-s", "4000000", "-o", filepath.Join(dir, "t"), "-e",
		"trace=open,creat,openat,write,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,linkat,link,writev,pwritev,pwritev2,copy_file_range,fallocate"}
	cmd := exec.Command(strace, append(append(line, "board"), args...)...)
	cmd.Env = append(orchestratorEnv(home), "BOARD_HOME="+home)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %.300s", err, out)
	}
	files := expect.Value(filepath.Glob(filepath.Join(dir, "t.*")))(t)
	var all []change
	for _, file := range files {
		written := map[string]int{} // how far the file was written, by its name
		for call := range strings.Lines(readFile(t, file)) {
			m := traceLine.FindStringSubmatch(call)
			if m == nil || strings.HasPrefix(m[4], "-") {
				continue
			}
			c, ok := changeOf(t, m[2], m[3], m[4], written)
			if ok && strings.HasPrefix(c.path, home+"/") && !strings.HasSuffix(c.path, "-shm") {
				c.time, _ = strconv.ParseFloat(m[1], 64)
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(a.time, b.time) })
	return all, nil
}

func changeOf(t *testing.T, call, args, result string, written map[string]int) (c change, ok bool) {
	t.Helper()
	var texts []string
	for _, m := range traceText.FindAllStringSubmatch(args, -1) {
		texts = append(texts, unhex(t, m[1]))
	}
	if m := traceFile.FindStringSubmatch(args); m != nil {
		c.path = unhex(t, m[1])
	}
	number := func() int {
		n, err := strconv.Atoi(strings.TrimSpace(args[strings.LastIndexByte(args, ',')+1:]))
		if err != nil {
			t.Fatalf("%s(%.80s): %v", call, args, err)
		}
		return n
	}
	switch call {
	case "open", "openat":
		return change{kind: "create", path: texts[0]}, strings.Contains(args, "O_CREAT")
	case "pwrite64":
		return change{kind: "write", path: c.path, offset: number(), data: []byte(texts[0])}, true
	case "write":
		c = change{kind: "write", path: c.path, offset: written[c.path], data: []byte(texts[0])}
		written[c.path] += len(c.data)
		return c, true
	case "ftruncate":
		return change{kind: "truncate", path: c.path, offset: number()}, true
	case "fsync", "fdatasync":
		c.kind = "sync"
		return c, true
	case "rename", "renameat", "renameat2":
		return change{kind: "rename", path: texts[0], to: texts[1]}, true
	case "unlink", "unlinkat":
		return change{kind: "unlink", path: texts[0]}, true
	}
	t.Fatalf("the program calls %s(%.200s), which this test does not replay", call, args)
	return c, false
}

func unhex(t *testing.T, s string) string {
	t.Helper()
	data := expect.Value(hex.DecodeString(strings.ReplaceAll(s, `\x`, "")))(t)
	return string(data)
}

// A drive has files by number, and two sets of names: those of now, and those that are on the disk.
type drive struct {
	files     []*written
	now, kept map[string]int
}

// written is a file: what is on the disk, and what was written since the last sync.
type written struct {
	synced  []byte
	pending []change
}

func (d *drive) apply(c change) {
	switch c.kind {
	case "create":
		if _, there := d.now[c.path]; !there {
			d.now[c.path] = len(d.files)
			d.files = append(d.files, &written{})
		}
	case "rename":
		d.now[c.to] = d.now[c.path]
		delete(d.now, c.path)
	case "unlink":
		delete(d.now, c.path)
	case "write", "truncate":
		n, there := d.now[c.path]
		if !there {
			panic("nobody made the file " + c.path)
		}
		f := d.files[n]
		f.pending = append(f.pending, c)
	case "sync":
		n, isFile := d.now[c.path]
		if isFile {
			f := d.files[n]
			f.synced, f.pending = f.with(f.pending), nil
			return
		}
		for _, names := range []map[string]int{d.now, d.kept} { // of a directory: its names
			for path := range maps.Clone(names) {
				if filepath.Dir(path) != c.path {
					continue
				}
				if n, there := d.now[path]; there {
					d.kept[path] = n
				} else {
					delete(d.kept, path)
				}
			}
		}
	}
}

// with is the file after some of its pending changes.
func (f *written) with(changes []change) []byte {
	data := slices.Clone(f.synced)
	for _, c := range changes {
		if c.kind == "truncate" {
			data = append(data, make([]byte, max(0, c.offset-len(data)))...)[:c.offset]
			continue
		}
		data = append(data, make([]byte, max(0, c.offset+len(c.data)-len(data)))...)
		copy(data[c.offset:], c.data)
	}
	return data
}

// after is the disk when the power comes back: without all that was not synced, or with a part of
// it: each name and each sector of each write by chance.
func (d *drive) after(part bool, random *rand.Rand) map[string][]byte {
	const sector = 512
	files := map[string][]byte{}
	names := maps.Clone(d.kept)
	if part {
		for _, path := range slices.Sorted(maps.Keys(d.now)) {
			if random.IntN(2) == 0 {
				names[path] = d.now[path]
			}
		}
		for _, path := range slices.Sorted(maps.Keys(d.kept)) {
			if _, there := d.now[path]; !there && random.IntN(2) == 0 {
				delete(names, path)
			}
		}
	}
	for path, n := range names {
		f := d.files[n]
		var kept []change
		for _, c := range f.pending {
			if !part {
				break
			}
			for at := 0; at < max(1, len(c.data)); at += sector {
				if random.IntN(2) == 0 {
					piece := c
					piece.data = c.data[min(at, len(c.data)):min(at+sector, len(c.data))]
					if c.kind == "write" {
						piece.offset += at
					}
					kept = append(kept, piece)
				}
			}
		}
		files[path] = f.with(kept)
	}
	return files
}
