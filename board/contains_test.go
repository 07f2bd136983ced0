package board

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blackboard/board/sqlite"
	"blackboard/board/store"
	"blackboard/board/text"
	"blackboard/kb/secret"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// lowerASCII folds letter case as LIKE does.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

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
	found := expect.Value(b.Query(t.Context(), q))(t)
	ids := []string{}
	for _, e := range found.Entries {
		ids = append(ids, e.ID)
	}
	return ids
}

// randomContent joins words of a small vocabulary, so that parts of them are shared, with all
// kinds of separators.
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

// TestContainsRandom: on boards that grow by posts and batches, with words in one entry and in several, a query
// finds what a plain look at every entry finds.
func TestContainsRandom(t *testing.T) {
	cost.SkipShort(t)
	t.Parallel()
	seeds, questions := uint64(3), 250
	if !cost.Long() {
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
				c := text.Plain(randomContent(r)) // as a post keeps it
				if strings.TrimSpace(c) == "" {
					c = "x"
				}
				posts, contents = append(posts, Post{Content: c}), append(contents, c)
			}
			expect.Value(b.PostBatch(secret.Writing(t.Context(), true, nil), "w", posts))(t)
		}
		expect.OK(t, b.Check(t.Context()))
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

// TestContainsBounds looks for what is in many words and in many entries, and for what is in very long words.
func TestContainsBounds(t *testing.T) {
	cost.SkipQuick(t)
	b := newBoard(t)
	r := rand.New(rand.NewPCG(5, 5))
	long := make([]byte, 40_000)
	for i := range long {
		long[i] = "abcdefghijklmnop"[r.IntN(16)]
	}
	contents := []string{"begin " + string(long) + " end", "again " + string(long), strings.Repeat("永", 500) + "x", "y" + strings.Repeat("永", 500), "!!!", "— —", "c — d"}
	for i := range 6_000 {
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
		expect.Value(b.PostBatch(t.Context(), "w", part))(t)
	}
	expect.OK(t, b.Check(t.Context()))
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

// TestDropsWordIndex: a board of schema 2 loses its word index, and is searched as before.
func TestDropsWordIndex(t *testing.T) {
	needsFile(t)
	t.Parallel()
	b := newBoard(t)
	expect.Value(b.Post(t.Context(), "w", Post{Content: "the retry token expires"}))(t)
	exec := func(sql string) error {
		return b.db.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.Exec(sql); return err })
	}
	expect.OK(t, exec(sqlite.RunSchema.Migrations[1]+`; DROP TRIGGER entries_fts_insert;
		ALTER TABLE entries DROP COLUMN sources; ALTER TABLE verifications DROP COLUMN parts; ALTER TABLE signals DROP COLUMN addressee; INSERT INTO word_segments VALUES (0, 1, x''); PRAGMA user_version = 2`))
	b.Close()
	b = mustOpen(t, b.dir, "test")
	if got := foundContains(t, b, Query{Contains: "Y TOK"}); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	expect.Value(b.Post(t.Context(), "w", Post{Content: "another token"}))(t)
	if got := foundContains(t, b, Query{Contains: "oke"}); len(got) != 2 {
		t.Errorf("found %v", got)
	}
	if err := exec(`SELECT 1 FROM word_segments`); err == nil {
		t.Error("the word index is still there")
	}
	if err := b.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
