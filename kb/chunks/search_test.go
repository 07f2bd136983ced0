package chunks

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/store"
	"blackboard/testdata/expect"
)

// searchable returns a store of five embedded chunks.
func searchable(t *testing.T, opt Options) *Store {
	t.Helper()
	s := openStore(t, t.TempDir(), opt)
	for _, c := range []NewChunk{
		{Topic: "Auth service — JWT decision", Content: "Chose stateless JWT. No shared session store needed.", Agent: "pm-agent", Tags: []string{"auth", "decision"}},
		{Topic: "How to sign in", Content: "The login page asks for a code.", Tags: []string{"Auth", "output"}},
		{Topic: "Staging pipeline", Content: "A deploy takes ten minutes.", Agent: "ops-agent", Tags: []string{"infra"}},
		{Topic: "Scraper run 042", Content: "87 listings in data/raw.json, see scraper.py:42.", Agent: "scraper-agent", Tags: []string{"scraper", "output"}},
		{Topic: "Rate limit", Content: "One request per second, or throttle.", Tags: []string{"scraper", "config"}},
	} {
		writeChunk(t, s, c)
	}
	if s.opt.Embedder != nil {
		if e, err := s.Backfill(t.Context(), 0); err != nil || e.Embedded != 5 || e.Left != 0 {
			t.Fatalf("%+v, %v", e, err)
		}
	}
	return s
}

func TestSearchModes(t *testing.T) {
	s := searchable(t, Options{Embedder: newConcepts()})
	const jwt, sign, staging, scraper, limit = "Auth service — JWT decision", "How to sign in", "Staging pipeline", "Scraper run 042", "Rate limit"
	for _, c := range []struct {
		q    Query
		want []string
	}{
		// Found by meaning without a common word, and the reverse.
		{Query{Text: "autenticação", Mode: ModeSemantic}, []string{sign, jwt}},
		{Query{Text: "autenticação", Mode: ModeBM25}, nil},
		{Query{Text: "autenticação"}, []string{sign, jwt}},
		{Query{Text: "session store", Mode: ModeSemantic}, nil},
		{Query{Text: "session store", Mode: ModeBM25}, []string{jwt}},
		{Query{Text: "session store"}, []string{jwt}},
		// One of many words is enough; tags and agents count as words.
		{Query{Text: "wholly unknown pipeline words", Mode: ModeBM25}, []string{staging}},
		{Query{Text: "config", Mode: ModeBM25}, []string{limit}},
		{Query{Text: "ops-agent", Mode: ModeBM25, TopK: new(1)}, []string{staging}},
		{Query{Text: "global", Mode: ModeBM25}, nil},
		// Filters.
		{Query{Text: "login", Agent: "pm-agent"}, []string{jwt}},
		{Query{Text: "login", Agent: "PM-agent"}, nil},
		{Query{Text: "login", Agent: " pm-agent "}, []string{jwt}},
		{Query{Text: "login", Tags: []string{"decision", "infra"}}, []string{jwt}},
		{Query{Text: "login", Tags: []string{"AUTH"}}, []string{sign, jwt}},
		{Query{Text: "login", Tags: []string{"auth"}, Agent: "nobody"}, nil},
		{Query{Text: "login", Tags: []string{"aut"}}, nil},
		{Query{Text: "login", Tags: []string{" ", ""}}, []string{sign, jwt}},
		{Query{Text: "login", TopK: new(1)}, []string{sign}},
		// Operators of FTS5 have no effect, and single characters are ignored.
		{Query{Text: `"JWT"* (auth) AND NOT ^{x}: [y] -z`, Mode: ModeBM25, TopK: new(1)}, []string{jwt}},
		{Query{Text: "it's a b c *", Mode: ModeBM25}, nil},
		{Query{Text: "a 4", Mode: ModeBM25}, nil},
		{Query{Text: "scraper.py:42", Mode: ModeBM25, TopK: new(1)}, []string{scraper}},
		{Query{Text: "foo-bar"}, nil},
		{Query{Text: ""}, nil},
		{Query{Text: " \x00\xff "}, nil},
	} {
		if got := found(t, s, c.q); !reflect.DeepEqual(got, append([]string{}, c.want...)) {
			t.Errorf("%+v finds %q, want %q", c.q, got, c.want)
		}
	}
}

// TestScores: order and scores follow the formula.
func TestScores(t *testing.T) {
	s := searchable(t, Options{Embedder: newConcepts()})
	rrf := func(text, vector int) (sum float64) {
		if text > 0 {
			sum += 0.4 / float64(60+text)
		}
		if vector > 0 {
			sum += 0.6 / float64(60+vector)
		}
		return sum
	}
	r, err := s.Search(t.Context(), Query{Text: "jwt session or scraper listings login", MinScore: new(0.0)})
	if err != nil || r.Mode != ModeHybrid || len(r.Degraded) != 0 || len(r.Hits) != 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	texts, vectors := []int{}, []int{}
	for i, h := range r.Hits {
		if want := rrf(h.BM25Rank, h.VectorRank); math.Abs(h.RRFScore-want) > 1e-12 || math.Abs(h.Score-want*61) > 1e-9 {
			t.Errorf("%s has the ranks %d and %d and the scores %g and %g, want %g", h.Topic, h.BM25Rank, h.VectorRank, h.RRFScore, h.Score, want)
		}
		if i > 0 && h.Score > r.Hits[i-1].Score {
			t.Errorf("%s stands behind what is worse", h.Topic)
		}
		texts, vectors = append(texts, h.BM25Rank), append(vectors, h.VectorRank)
	}
	slices.Sort(texts)
	slices.Sort(vectors)
	if !reflect.DeepEqual(texts, []int{1, 2, 3, 4}) || !reflect.DeepEqual(vectors, []int{1, 2, 3, 4}) {
		t.Errorf("the ranks are %v and %v", texts, vectors)
	}
	// First in both lists is 1; first in one list is the weight of that list.
	for text, want := range map[string]float64{"deploy pipeline": 1, "session store": 0.4, "autenticação": 0.6} {
		r, err := s.Search(t.Context(), Query{Text: text})
		if err != nil || len(r.Hits) == 0 || math.Abs(r.Hits[0].Score-want) > 1e-9 {
			t.Errorf("%s: %+v, want %g, %v", text, r.Hits, want, err)
		}
	}
	words, err := s.Search(t.Context(), Query{Text: "jwt session listings", Mode: ModeBM25})
	if err != nil || len(words.Hits) != 2 || words.Hits[0].Score != 1 || math.Abs(words.Hits[1].Score-words.Hits[1].BM25Score/words.Hits[0].BM25Score) > 1e-9 || words.Hits[0].Cosine != nil {
		t.Errorf("%+v, %v", words, err)
	}
	meaning, err := s.Search(t.Context(), Query{Text: "jwt deploy", Mode: ModeSemantic})
	if err != nil || len(meaning.Hits) != 3 {
		t.Fatalf("%+v, %v", meaning, err)
	}
	for _, h := range meaning.Hits {
		if math.Abs(h.Score-math.Sqrt2/2) > 1e-6 || h.Score != *h.Cosine {
			t.Errorf("%s has the score %g", h.Topic, h.Score)
		}
	}
	// A hit with exactly the least score is shown.
	for least, want := range map[float64]int{0: 3, 0.70: 3, 0.71: 0, 7: 0} {
		if got := found(t, s, Query{Text: "jwt deploy", Mode: ModeSemantic, MinScore: &least}); len(got) != want {
			t.Errorf("with at least %g it finds %v, want %d", least, got, want)
		}
	}
}

// TestDegraded: without a model, or with another one, a search uses words alone and says
// so.
func TestDegraded(t *testing.T) {
	says := func(s *Store, mode string, words ...string) Result {
		t.Helper()
		r, err := s.Search(t.Context(), Query{Text: "jwt", Mode: mode})
		if err != nil || len(r.Degraded) != len(words) {
			t.Fatalf("%s: %+v, %v", mode, r, err)
		}
		for i, w := range words {
			if !strings.Contains(r.Degraded[i], w) {
				t.Errorf("%s: %q does not say %q", mode, r.Degraded[i], w)
			}
		}
		return r
	}
	byWords := func(r Result) {
		t.Helper()
		if r.Mode != ModeBM25 || len(r.Hits) == 0 || r.Hits[0].Score != 1 {
			t.Errorf("%+v", r)
		}
	}
	none := searchable(t, Options{})
	for _, mode := range []string{ModeHybrid, ModeSemantic} {
		byWords(says(none, mode, "no embedding model is installed: searched by words only"))
		byWords(says(searchableWith(t, &broken{*newConcepts()}, none.dir), mode, "the question could not be embedded (the model is broken)"))
		byWords(says(searchableWith(t, newConcepts(), none.dir), mode, "no chunk has an embedding yet: searched by words only"))
	}
	says(none, ModeBM25)
	// A chunk that is not embedded yet is found by its words, among embedded ones.
	s := searchable(t, Options{Embedder: newConcepts()})
	late := write(t, s, "jwt")
	if r := says(s, ModeHybrid, "1 of 6 chunks have no embedding yet"); r.Mode != ModeHybrid || !slices.ContainsFunc(r.Hits, func(h Hit) bool { return h.ID == late.ID && h.VectorRank == 0 && h.Cosine == nil }) {
		t.Errorf("%+v", r)
	}
	if e, err := s.Embed(t.Context(), late.ID, "0000000000"); err != nil || e != (Embedded{Model: "concepts", Embedded: 1}) {
		t.Errorf("%+v, %v", e, err)
	}
	says(s, ModeHybrid)
	// Another model is refused until Reembed switches to it.
	other := searchableWith(t, &concepts{embed.Model{Name: "other", Dim: 16}}, s.dir)
	byWords(says(other, ModeSemantic, "embedded with concepts, the model here is other"))
	write(t, other, "jwt")
	_, err := other.Backfill(t.Context(), 0)
	fails(t, err, fault.Conflict, "the store is embedded with concepts (8 numbers), the model here is other (16)")
	steps := 0
	if e, err := other.Reembed(t.Context(), func(done, of int) { steps++ }); err != nil || e != (Embedded{Model: "other", Embedded: 7}) || steps != 1 {
		t.Errorf("%+v in %d steps, %v", e, steps, err)
	}
	says(other, ModeSemantic)
	if c, err := s.Read(t.Context(), late.ID); err != nil || c.Model != "other" {
		t.Errorf("%+v, %v", c.Meta, err)
	}
}

// searchableWith opens the store of a directory with a model.
func searchableWith(t *testing.T, e embed.Embedder, dir string) *Store {
	t.Helper()
	return openStore(t, dir, Options{Embedder: e})
}

// TestEmbedding: topic, tags and the beginning of the content are embedded, once, in
// batches that are saved.
func TestEmbedding(t *testing.T) {
	c := Chunk{Meta: Meta{Topic: "T", Tags: []string{"a", "b"}}, Content: strings.Repeat("é", 801)}
	if got := embeddingText(&c); got != "T a b "+strings.Repeat("é", 800) {
		t.Errorf("embedded is %q", got)
	}
	c.Content = ""
	if got := embeddingText(&c); got != "T a b" {
		t.Errorf("embedded is %q", got)
	}
	s := openStore(t, t.TempDir(), Options{Embedder: newConcepts()})
	for i := range 2*store.EmbedBatch + 1 {
		write(t, s, fmt.Sprint("auth ", i))
	}
	// Who has no time embeds a few, and the next one goes on.
	for i, want := range []Embedded{{Embedded: 4, Left: 2*store.EmbedBatch - 3}, {Embedded: 4, Left: 2*store.EmbedBatch - 7}} {
		want.Model = "concepts"
		if e, err := s.Backfill(t.Context(), 1); err != nil || e != want {
			t.Errorf("step %d: %+v, want %+v, %v", i, e, want, err)
		}
	}
	if e, err := s.Backfill(t.Context(), time.Hour); err != nil || e.Embedded != 2*store.EmbedBatch-7 || e.Left != 0 {
		t.Errorf("%+v, %v", e, err)
	}
	// A text without a known word counts as embedded.
	write(t, s, "nothing known")
	if e, err := s.Backfill(t.Context(), 0); err != nil || e.Embedded != 1 {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err := s.Reembed(t.Context(), nil); err != nil || e.Embedded != 0 || e.Left != 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestEmbeddingRaces: a chunk that is deleted while it is embedded stays deleted.
func TestEmbeddingRaces(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	gone, stays := write(t, s, "auth"), write(t, s, "login")
	e := &meanwhile{concepts: *newConcepts(), do: func() {
		if err := s.Delete(t.Context(), gone.ID); err != nil {
			t.Error(err)
		}
	}}
	if got, err := searchableWith(t, e, s.dir).Backfill(t.Context(), 0); err != nil || got.Embedded != 1 || got.Left != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if c, err := s.Read(t.Context(), stays.ID); err != nil || c.Model != "concepts" {
		t.Errorf("%+v, %v", c, err)
	}
}

// meanwhile is an embedder that calls a function before it answers.
type meanwhile struct {
	concepts
	do func()
}

func (m *meanwhile) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	m.do()
	return m.concepts.Embed(ctx, texts)
}

// TestSearchIndexOnly: a chunk that only the index has is not a hit, and the index is
// rebuilt.
func TestSearchIndexOnly(t *testing.T) {
	s := searchable(t, Options{Embedder: newConcepts()})
	f := expect.Value(s.file(t.Context(), false))(t)
	expect.OK(t, f.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`DELETE FROM chunks WHERE topic = 'Rate limit'`)
		return err
	}))
	if got := found(t, s, Query{Text: "throttle pipeline"}); !reflect.DeepEqual(got, []string{"Staging pipeline"}) {
		t.Errorf("found %v", got)
	}
}
