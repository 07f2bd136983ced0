package kb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
)

// mirrored fails unless every row is what its sidecar says, every sidecar has a row, and both ends
// of each link say the same.
func mirrored(tb testing.TB, k *KB) {
	tb.Helper()
	if !onFiles {
		return
	}
	expect.OK(tb, k.db.Read(context.Background(), func(tx *sqlite.Tx) error {
		f, err := k.compareFilesIn(tx)
		if err != nil {
			return err
		}
		f.temp = nil // a sync leaves what is younger than a minute, and it may be older by now
		if !f.isEmpty() {
			tb.Errorf("a sync has left things to do: %+v", f)
		}
		all, err := capsulesWhere(tx, `1 ORDER BY n`)
		if err != nil {
			return err
		}
		byID := map[string]*Capsule{}
		for i := range all {
			byID[all[i].ID] = &all[i]
		}
		files := 0
		for i := range all {
			c := &all[i]
			data, err := readSidecar(k.sidecarPath(c.ID))
			if errors.Is(err, fs.ErrNotExist) && c.Retired != nil {
				continue
			}
			if err != nil {
				tb.Errorf("%s: %v", c.ID, err)
				continue
			}
			files++
			said, _, err := DecodeSidecar(c.ID, data)
			if err != nil || !sameContent(&said, c) {
				tb.Errorf("the row of %s is %+v, its sidecar says %+v (%v)", c.ID, *c, said, err)
			}
			for _, id := range c.Supersedes {
				if o := byID[id]; o != nil && o.SupersededBy != c.ID {
					tb.Errorf("%s supersedes %s, which is already superseded by %q", c.ID, id, o.SupersededBy)
				}
			}
			if by := c.SupersededBy; by != "" && (byID[by] == nil || !slices.Contains(byID[by].Supersedes, c.ID)) {
				tb.Errorf("%s is already superseded by %s, which does not say so", c.ID, by)
			}
		}
		if f.files != files {
			tb.Errorf("there are %d sidecars, but %d rows", f.files, files)
		}
		return nil
	}))
}

// killedChild remembers, supersedes, edits, retires and restores without end, and says what it has
// done after each.
func killedChild(arg string) error {
	home, seed, _ := strings.Cut(arg, "\n")
	n, err := strconv.Atoi(seed)
	if err != nil {
		return err
	}
	ctx := context.Background()
	k, err := Open(ctx, home, Options{Embedder: embedtest.NewHash(32)})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	r := rand.New(rand.NewPCG(uint64(n), 1))
	var mine []string
	for i := 0; ; i++ {
		text := fmt.Sprintf("%d x%d %x", n, i, hash(fmt.Sprint(n, i)))
		c := Capsule{Title: "title " + text, Body: "body " + text, Kind: Kinds[r.IntN(3)]}
		what := r.IntN(6)
		if len(mine) == 0 {
			what = 0
		}
		pick := r.IntN(max(1, len(mine)))
		switch what {
		case 0, 1:
			got, err := k.Remember(ctx, c, RememberOptions{Force: true})
			if err != nil {
				return err
			}
			mine = append(mine, got.Capsule.ID)
			fmt.Println("has", got.Capsule.ID, got.Capsule.Body)
		case 2:
			c.Supersedes = []string{mine[pick]}
			got, err := k.Remember(ctx, c, RememberOptions{Force: true})
			if err != nil {
				return err
			}
			fmt.Println("has", got.Capsule.ID, got.Capsule.Body)
			fmt.Println("superseded", mine[pick], got.Capsule.ID)
			mine[pick] = got.Capsule.ID
		case 3, 4:
			if _, err := k.Edit(ctx, mine[pick], func(e *Capsule) error { e.Body = c.Body; return nil }, EditOptions{Force: true}); err != nil {
				return err
			}
			fmt.Println("has", mine[pick], c.Body)
		case 5:
			if _, err := k.Retire(ctx, mine[pick], "test"); err != nil {
				return err
			}
			fmt.Println("retired", mine[pick])
			mine = slices.Delete(mine, pick, pick+1)
		}
	}
}

// kill starts a child, lets it work for a moment after it is ready, kills it with SIGKILL, and
// returns the lines that it has said whole.
func kill(t *testing.T, name, arg string, wait time.Duration) []string {
	t.Helper()
	cmd, in, stderr := cost.Child(t, "", name+"="+arg)
	var lines []string
	first, err := in.ReadString('\n')
	if err != nil || first != "ready\n" {
		cmd.Wait()
		t.Fatalf("the child says %q, %v: %s", first, err, stderr)
	}
	time.AfterFunc(wait, func() { cmd.Process.Kill() })
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	if cmd.Wait(); stderr.Len() > 0 {
		t.Fatalf("the child failed by itself: %s", stderr)
	}
	return lines
}

// TestKilledBetweenSidecarAndRow kills writers with SIGKILL at random moments. After reopening,
// the mirror and the sidecars agree, and everything acknowledged is there. $BOARD_KILL_ROUNDS sets
// how often.
func TestKilledBetweenSidecarAndRow(t *testing.T) {
	cost.SkipQuick(t)
	needsFile(t)
	t.Parallel()
	rounds := cost.Rounds(100, 30, 8)
	home := t.TempDir()
	r := rand.New(rand.NewPCG(4, 4))
	acked, finished := 0, 0
	text, gone, over := map[string]string{}, map[string]bool{}, map[string]string{}
	pace := 30 * time.Millisecond
	for round := 0; round < rounds || finished == 0; round++ { // until one was killed between a sidecar and its row, which is what this is about
		lines := kill(t, "BOARD_KB_TEST_KILLED", fmt.Sprintf("%s\n%d", home, round), time.Duration(r.Int64N(int64(pace))))
		if len(lines) == 0 { // as slow as the machine is
			pace = pace * 6 / 5
		} else {
			pace = max(pace*9/10, 30*time.Millisecond)
		}
		for _, line := range lines {
			acked++
			verb, rest, _ := strings.Cut(line, " ")
			id, more, _ := strings.Cut(rest, " ")
			switch verb {
			case "has":
				text[id] = more
			case "retired":
				gone[id] = true
			case "superseded":
				over[id] = more
			}
		}
		k := expect.Value(Open(t.Context(), home, Options{Sync: SyncNever}))(t)
		f := expect.Value(k.compareFiles(t.Context()))(t)
		if !f.isEmpty() {
			finished++
		}
		expect.Value(k.Sync(t.Context()))(t)
		if round%10 == 9 || round >= rounds-1 {
			mirrored(t, k)
			sound(t, k)
			for id, body := range text {
				c, err := k.Get(t.Context(), id)
				// The last change of a child may be there though it was not acknowledged.
				if err != nil || c.Body != body && !laterThan(c.Body, body) {
					t.Errorf("round %d: %s was acknowledged as %q and is %q, %v", round, id, body, c.Body, err)
				}
				if gone[id] && c.Retired == nil {
					t.Errorf("round %d: %s was retired", round, id)
				}
				if by := over[id]; by != "" && c.SupersededBy != by {
					t.Errorf("round %d: %s was superseded by %s, not %q", round, id, by, c.SupersededBy)
				}
			}
		}
		k.Close()
		if t.Failed() {
			return
		}
	}
	t.Logf("%d rounds: %d acknowledged changes, all there; %d rounds ended between a sidecar and its row", rounds, acked, finished)
}

// laterThan says whether a body was written by the same child after another.
func laterThan(got, acked string) bool {
	var a, b, x, y int
	if n, _ := fmt.Sscanf(got, "body %d x%d", &a, &x); n != 2 {
		return false
	}
	n, _ := fmt.Sscanf(acked, "body %d x%d", &b, &y)
	return n == 2 && a == b && x > y
}

// ingestChild ingests a folder.
func ingestChild(arg string) error {
	home, dir, _ := strings.Cut(arg, "\n")
	k, err := Open(context.Background(), home, Options{})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	_, err = k.Ingest(context.Background(), []string{dir}, IngestOptions{})
	return err
}

// TestKilledIngest kills an ingest of changed documents with SIGKILL. Of each document either the
// old or the new sections are there, never some of both, and the next ingest makes it whole.
func TestKilledIngest(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	rounds := 40
	if !cost.Long() {
		rounds = 8
	}
	if cost.Quick() {
		rounds = 3
	}
	home, dir := t.TempDir(), t.TempDir()
	const docs, sections = 6, 12
	write := func(version int) {
		for d := range docs {
			var b strings.Builder
			for s := range sections + (version+d)%3 {
				fmt.Fprintf(&b, "## Section %d\n\nversion %d of document %d, section %d\n\n", s, version, d, s)
			}
			expect.OK(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("doc%d.md", d)), []byte(b.String()), 0o600))
		}
	}
	r := rand.New(rand.NewPCG(8, 8))
	half := 0
	for round := range rounds {
		write(round)
		kill(t, "BOARD_KB_TEST_INGEST", home+"\n"+dir, time.Duration(r.IntN(60_000))*time.Microsecond)
		k := expect.Value(Open(t.Context(), home, Options{}))(t)
		k.TakeNotes()
		all, _ := expect.Values(k.List(t.Context(), ListQuery{Kinds: []string{"doc"}}))(t)
		versions, count := map[int]int{}, map[int]int{}
		for _, c := range all {
			var v, d, s int
			if n, err := fmt.Sscanf(c.Body[strings.Index(c.Body, "version"):], "version %d of document %d, section %d", &v, &d, &s); n != 3 {
				t.Fatalf("%q: %v", c.Body, err)
			}
			if old, ok := versions[d]; ok && old != v {
				t.Fatalf("round %d: document %d has sections of the versions %d and %d", round, d, old, v)
			}
			versions[d] = v
			count[d]++
		}
		for d, v := range versions {
			if want := sections + (v+d)%3; count[d] != want {
				t.Fatalf("round %d: document %d, version %d has %d sections, not %d", round, d, v, count[d], want)
			}
			if v != round {
				half++
			}
		}
		mirrored(t, k)
		k.Close()
	}
	k := openKB(t, home, Options{})
	expect.Value(k.Ingest(t.Context(), []string{dir}, IngestOptions{}))(t)
	if again, err := k.Ingest(t.Context(), []string{dir}, IngestOptions{}); err != nil || again.Unchanged != docs {
		t.Fatalf("%+v, %v", again, err)
	}
	mirrored(t, k)
	sound(t, k)
	t.Logf("%d rounds; %d documents were left as they had been before", rounds, half)
}
