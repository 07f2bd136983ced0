package board

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/sqlite"
)

// plainContains is what --contains means, without any index.
func plainContains(contents []string, text string) []string {
	ids := []string{}
	for i, c := range contents {
		if strings.Contains(lowerASCII(c), lowerASCII(text)) {
			ids = append(ids, EntryID(int64(i)+1))
		}
	}
	return ids
}

// foundContains asks the board, oldest first.
func foundContains(t testing.TB, b *Board, q Query) []string {
	t.Helper()
	q.Order = Oldest
	found, err := b.Query(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, e := range found.Entries {
		ids = append(ids, e.ID)
	}
	return ids
}

// randomContent joins words of a small vocabulary, so that parts of them are shared, with all kinds of separators.
func randomContent(r *rand.Rand) string {
	words := []string{"token", "Tokens", "tokenise", "expire", "expires", "EXPIRED", "running", "run", "7f3a9c01b2d4", "x", "İi", "ÄÖÜ", "äöü", "naïve", "日本語", "日本", "本", "—", "…",
		"e\u0301", "snake", "case", "a", "100", "10", "straße", "\u2028", "ﬁ", "٣", "😀"}
	separators := []string{" ", "  ", "_", "-", ".", "%", "\n", "\t", ", ", "/", "\\", "'", `"`, "*", "(", ")", "—", "", "\x01", "\x0b", "\x2a", ":", "^"}
	var s strings.Builder
	for range 1 + r.IntN(8) {
		s.WriteString(words[r.IntN(len(words))])
		if r.IntN(6) == 0 {
			fmt.Fprintf(&s, "%06x", r.IntN(1<<24))
		}
		s.WriteString(separators[r.IntN(len(separators))])
	}
	return s.String()
}

// randomPart cuts a part out of a content, at characters, and may change it.
func randomPart(r *rand.Rand, content string) string {
	runes := []rune(content)
	i := r.IntN(len(runes))
	part := string(runes[i : i+1+r.IntN(min(12, len(runes)-i))])
	switch r.IntN(5) {
	case 0:
		return strings.ToUpper(part)
	case 1:
		return part + "q"
	case 2:
		return lowerASCII(part)
	}
	return part
}

// TestContainsRandom: on boards that grow by posts and batches, with words in one entry, in several, and in segments that were merged, a query
// through the index finds what a plain look at every entry finds.
func TestContainsRandom(t *testing.T) {
	t.Parallel()
	seeds, questions := uint64(3), 250
	if raceEnabled || testing.Short() {
		seeds, questions = 1, 60
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 3))
		b := newBoard(t)
		var contents []string
		for range 60 {
			n := 1
			if r.IntN(4) == 0 {
				n = 1 + r.IntN(60)
			}
			var posts []Post
			for range n {
				c := randomContent(r)
				if strings.TrimSpace(c) == "" {
					c = "x"
				}
				posts, contents = append(posts, Post{Content: c}), append(contents, c)
			}
			if _, err := b.PostBatch(t.Context(), "w", posts); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range questions {
			part := randomPart(r, contents[r.IntN(len(contents))])
			want := plainContains(contents, part)
			if got := foundContains(t, b, Query{Contains: part}); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %q: found %v, want %v", seed, part, got, want)
			}
			runs := plainContains(contents, part)
			matching := foundContains(t, b, Query{Match: "running"})
			runs = slices.DeleteFunc(runs, func(id string) bool { return !slices.Contains(matching, id) })
			if got := foundContains(t, b, Query{Contains: part, Match: "running"}); !slices.Equal(got, runs) {
				t.Fatalf("seed %d, %q with a match: found %v, want %v", seed, part, got, runs)
			}
		}
	}
}

// TestContainsBounds looks for what is in more words, or in more entries, than the index narrows down, and for what is in very long words.
func TestContainsBounds(t *testing.T) {
	b := newBoard(t)
	r := rand.New(rand.NewPCG(5, 5))
	long := make([]byte, 40_000)
	for i := range long {
		long[i] = "abcdefghijklmnop"[r.IntN(16)]
	}
	contents := []string{"begin " + string(long) + " end", "again " + string(long), strings.Repeat("永", 500) + "x", "y" + strings.Repeat("永", 500), "!!!", "— —", "c — d"}
	n := 6_000 // more than maxWordHits
	if raceEnabled {
		n = 1_500
	}
	for i := range n {
		c := fmt.Sprintf("common%d id%06dz shared%dq", i%7, i, i%200)
		if i%3 == 0 {
			c += fmt.Sprintf(" id%06dz", i/2)
		}
		contents = append(contents, c)
	}
	var posts []Post
	for _, c := range contents {
		posts = append(posts, Post{Content: c})
	}
	for part := range slices.Chunk(posts, 3_500) {
		if _, err := b.PostBatch(t.Context(), "w", part); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{string(long[100:300]), string(long[39_000:]) + " e", "n " + string(long[:50]), "id", "id0", "id00123", "id001234z", "00123", "shared", "shared1", "shared19", "d19q", "9q", "common3 id",
		"n3 id000003z sh", " common3 ", " id000003z ", " id999999z ", "nowhere", "now here", "永x", "y永", "永永", "—", " — ", "c — d", "!", "%", "_", "z s", "é"} {
		want := plainContains(contents, part)
		if got := foundContains(t, b, Query{Contains: part}); !slices.Equal(got, want) {
			t.Errorf("%q: found %d, want %d", clip(part, 30), len(got), len(want))
		}
		both := []string{}
		for _, id := range want {
			if n, _ := ParseEntryID(id); strings.Contains(contents[n-1], "shared19q") {
				both = append(both, id)
			}
		}
		for _, order := range []string{Oldest, Best} {
			got, err := b.Query(t.Context(), Query{Contains: part, Match: "shared19q", Order: order})
			if err != nil || len(got.Entries) != len(both) {
				t.Errorf("%q with a match, %s first: found %d, want %d, %v", clip(part, 30), order, len(got.Entries), len(both), err)
			}
		}
	}
	for _, part := range []string{"\xff", "\xc3", "a\x00"} { // no content has it
		if got := foundContains(t, b, Query{Contains: part}); len(got) > 0 {
			t.Errorf("%q: found %d", part, len(got))
		}
	}
}

// older makes the file of a board what a program of schema 1 left.
func older(t *testing.T, b *Board) {
	t.Helper()
	err := b.db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`DROP TABLE word_segments; PRAGMA user_version = 1`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
}

// TestContainsOnOlderBoard: a board made before the word index is searched without it, also where it cannot be migrated, until the next post
// covers every entry. So is one that a program without the index posted to meanwhile.
func TestContainsOnOlderBoard(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	dir := filepath.Dir(b.path)
	var posts []Post
	n := 12_000 // more than are covered at once
	if raceEnabled {
		n = 2_000
	}
	for i := range n {
		posts = append(posts, Post{Content: fmt.Sprintf("finding f%dx here", i)})
	}
	for part := range slices.Chunk(posts, MaxBatch) {
		if _, err := b.PostBatch(t.Context(), "w", part); err != nil {
			t.Fatal(err)
		}
	}
	older(t, b)
	look := func(b *Board, covered bool) {
		t.Helper()
		for part, want := range map[string]int{fmt.Sprintf("F%dX", n-1): 1, fmt.Sprint(n - 1): 1, "finding f7x": 1, "g f7x h": 1, "absent": 0, "here": n} {
			if got := foundContains(t, b, Query{Contains: part}); len(got) != want {
				t.Errorf("%q: found %d, want %d", part, len(got), want)
			}
		}
		err := b.read(t.Context(), func(tx *sqlite.Tx) error {
			if got, err := wordsCovered(tx); err != nil || got != covered {
				t.Errorf("covered: %v, %v", got, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}

	// Without its lock file a board cannot be written to.
	lock := b.path + "-lock"
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(lock, 0o700); err != nil {
		t.Fatal(err)
	}
	readOnly := mustOpen(t, dir, "test")
	look(readOnly, false)
	if _, err := readOnly.Post(t.Context(), "w", Post{Content: "x"}); !errors.Is(err, sqlite.ErrReadOnly) {
		t.Errorf("a post says %v", err)
	}
	readOnly.Close()
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}

	b = mustOpen(t, dir, "test")
	look(b, false)
	if _, err := b.Post(t.Context(), "w", Post{Content: "more"}); err != nil {
		t.Fatal(err)
	}
	look(b, true)
	if err := b.db.Write(t.Context(), func(tx *sqlite.Tx) error {
		return (&writer{tx: tx, actor: "old", seq: int64(n) + 2}).insertEntry(&Post{Content: "strange", Type: Gap, Worker: "old", Tags: []string{}}, int64(n)+2, "", nil)
	}); err != nil {
		t.Fatal(err)
	}
	look(b, false)
	if got := foundContains(t, b, Query{Contains: "trang"}); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	if _, err := b.Post(t.Context(), "w", Post{Content: "stranger"}); err != nil {
		t.Fatal(err)
	}
	look(b, true)
	if got := foundContains(t, b, Query{Contains: "trang"}); len(got) != 2 {
		t.Errorf("found %v", got)
	}
}

// TestCheckFindsWrongWords: a word index that is not what the contents say is found, and comes right again when the table is emptied.
func TestCheckFindsWrongWords(t *testing.T) {
	t.Parallel()
	for i, change := range []string{
		`UPDATE word_segments SET text = CAST(replace(CAST(text AS TEXT), 'finding', 'fndng') AS BLOB)`,
		`UPDATE word_segments SET text = CAST(text || char(10) || 'more' AS BLOB) WHERE id = 1`,
		`UPDATE word_segments SET text = substr(text, 2) WHERE id = 1`,
		`UPDATE word_segments SET upto = upto - 1 WHERE id = 1`,
		`UPDATE word_segments SET upto = 1000`,
		`DELETE FROM word_segments WHERE id = 1`,
	} {
		b := newBoard(t)
		post := func(i int) {
			if _, err := b.Post(t.Context(), "w", Post{Content: fmt.Sprintf("finding %d of many: number%d", i, i*i)}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 200 {
			post(i)
		}
		if err := b.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		exec := func(sql string) {
			t.Helper()
			if err := b.db.Write(t.Context(), func(tx *sqlite.Tx) error { _, err := tx.Exec(sql); return err }); err != nil {
				t.Fatal(err)
			}
		}
		exec(change)
		if err := b.Check(t.Context()); !errors.Is(err, sqlite.ErrCorrupt) || !strings.Contains(err.Error(), "word index") {
			t.Errorf("%s: %v", change, err)
		}
		if i%2 == 0 {
			exec(`DELETE FROM word_segments`)
			if err := b.Check(t.Context()); err != nil {
				t.Errorf("%s: emptied: %v", change, err)
			}
		} else {
			exec(`DELETE FROM word_segments WHERE id = 0`) // without the tail nothing is covered
		}
		post(200)
		if err := b.Check(t.Context()); err != nil {
			t.Errorf("%s: made anew: %v", change, err)
		}
	}
}

// TestSegmentsStayFew: the segments of many single posts are merged, so that a search does not read a word again and again.
func TestSegmentsStayFew(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	words, bytes := map[string]bool{}, 0
	n := 3_000
	if raceEnabled {
		n = 500
	}
	for i := range n {
		content := fmt.Sprintf("finding %d: the job%d of host%d failed with code %x", i, i%400, i%60, i*7919)
		for start, end := range wordRuns(content) {
			if w := content[start:end]; !words[w] {
				words[w], bytes = true, bytes+len(w)+5
			}
		}
		if _, err := b.Post(t.Context(), "w", Post{Content: content}); err != nil {
			t.Fatal(err)
		}
	}
	err := b.read(t.Context(), func(tx *sqlite.Tx) error {
		segments, err := wordSegments(tx)
		size := 0
		for _, s := range segments {
			size += s.size
		}
		if len(segments) > 12 || size > 2*bytes+maxTail {
			t.Errorf("%d segments with %d bytes; the words have %d", len(segments), size, bytes)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSurelyToken asks FTS5 whether each of the letters that are taken to make a token does.
func TestSurelyToken(t *testing.T) {
	b := newBoard(t)
	if _, err := b.Post(t.Context(), "w", Post{Content: "x"}); err != nil {
		t.Fatal(err)
	}
	n := 0
	err := b.db.Write(t.Context(), func(tx *sqlite.Tx) error {
		if _, err := tx.Exec(`CREATE VIRTUAL TABLE letters USING fts5(letter, tokenize = 'porter unicode61 remove_diacritics 2')`); err != nil {
			return err
		}
		insert, err := tx.Prepare(`INSERT INTO letters(rowid, letter) VALUES (?, ?)`)
		if err != nil {
			return err
		}
		defer insert.Close()
		for _, r := range surelyToken.R16 {
			for c := r.Lo; c <= r.Hi; c++ {
				n++
				if _, err := insert.Exec(n, string(rune(c))); err != nil {
					return err
				}
			}
		}
		var tokens int
		if _, err := tx.Exec(`CREATE VIRTUAL TABLE vocabulary USING fts5vocab(letters, instance)`); err != nil {
			return err
		}
		if err := tx.QueryRow(`SELECT count(DISTINCT doc) FROM vocabulary`).Scan(&tokens); err != nil {
			return err
		}
		if tokens != n {
			t.Errorf("%d of %d letters make a token", tokens, n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
