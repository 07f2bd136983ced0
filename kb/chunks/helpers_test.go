package chunks

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/testdata/expect"
)

// clock only advances when a test says so.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2025, 6, 1, 14, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// openStore opens a store, and at the end of the test checks and closes it.
func openStore(tb testing.TB, dir string, opt Options) *Store {
	tb.Helper()
	s, _ := expect.Values(Open(context.Background(), dir, opt))(tb)
	tb.Cleanup(func() {
		agrees(tb, s)
		s.Close()
	})
	return s
}

// write stores a chunk with a topic and tags; its content is derived from the topic.
func write(tb testing.TB, s *Store, topic string, tags ...string) Chunk {
	tb.Helper()
	return writeChunk(tb, s, NewChunk{Topic: topic, Content: "About " + topic + ".", Tags: tags})
}

func writeChunk(tb testing.TB, s *Store, n NewChunk) Chunk {
	tb.Helper()
	return expect.Value(s.Write(context.Background(), n))(tb)
}

// found returns the topics of the hits of a search, in order.
func found(tb testing.TB, s *Store, q Query) []string {
	tb.Helper()
	r := expect.Value(s.Search(context.Background(), q))(tb)
	return topicsOf(r)
}

func topicsOf(r Result) []string {
	topics := []string{}
	for _, h := range r.Hits {
		topics = append(topics, h.Topic)
	}
	return topics
}

// fails checks an error: its kind, some words, and that it has a next step.
func fails(tb testing.TB, err, kind error, words string) {
	tb.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), words) || len(fault.Next(err)) == 0 {
		tb.Errorf("%v (%T): it should be %v, with %q and a next step", err, err, kind, words)
	}
}

// agrees checks that rows and index are consistent.
func agrees(tb testing.TB, s *Store) {
	tb.Helper()
	f, err := s.file(context.Background(), false)
	if errors.Is(err, fs.ErrClosed) || err == nil && f == nil {
		return
	}
	expect.OK(tb, err)
	if err := f.Check(context.Background()); err != nil {
		tb.Error(err)
	}
	if err := f.Read(context.Background(), func(tx *sqlite.Tx) error {
		if err := f.Index.Check(tx); err != nil {
			return err
		}
		docs, err := f.Index.Documents(tx)
		if err != nil {
			return err
		}
		all, err := chunksWhere(tx, `1 ORDER BY n`)
		if err != nil {
			return err
		}
		vectors, err := f.Index.Vectors(tx, docs...)
		if err != nil {
			return err
		}
		for i := range all {
			c := &all[i]
			if have, err := sqlite.One[string](tx, `SELECT folded FROM chunks WHERE n = ?`, c.n); err != nil || have != markTags(c.Tags...) {
				tb.Errorf("%q are kept for %q, %v", have, c.Tags, err)
			}
			if _, there := slices.BinarySearch(docs, c.n); !there {
				tb.Errorf("%s is not in the index", c.ID)
			}
			if !slices.Contains(Importances, c.Importance) || c.Topic == "" || c.Agent == "" || c.Tags == nil || c.Updated.Before(c.Created) {
				tb.Errorf("%+v", c.Meta)
			}
			if vectors[c.n] != nil && c.Model == "" {
				tb.Errorf("%s has an embedding that it does not know of", c.ID)
			}
		}
		if len(docs) != len(all) {
			tb.Errorf("there are %d chunks, and %d in the index", len(all), len(docs))
		}
		return nil
	}); err != nil {
		tb.Error(err)
	}
}

// contents returns the names and bytes of the files below a directory, except this
// program's.
func contents(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	all := map[string]string{}
	expect.OK(tb, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || strings.HasPrefix(d.Name(), FileName) {
			return err
		}
		data := []byte("directory")
		if !d.IsDir() {
			if data, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		all[path] = string(data)
		return nil
	}))
	return all
}

// concepts is an embedder that knows some words: words of one line have nearly the same
// meaning.
type concepts struct{ model embed.Model }

var known = [][]string{{"auth", "login", "jwt", "autenticação"}, {"deploy", "staging", "pipeline", "release"}, {"scraper", "listings", "crawl"}, {"limit", "throttle"}}

func newConcepts() *concepts { return &concepts{embed.Model{Name: "concepts", Dim: 8}} }

func (c *concepts) Model() embed.Model { return c.model }

func (c *concepts) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, len(texts))
	for i, t := range texts {
		v := make(embed.Vector, c.model.Dim)
		for w := range strings.FieldsFuncSeq(strings.ToLower(t), func(r rune) bool { return strings.ContainsRune(" .,:;—\n", r) }) {
			for about, words := range known {
				if slices.Contains(words, w) {
					v[about]++
				}
			}
		}
		v.Normalize()
		out[i] = v
	}
	return out, ctx.Err()
}

// broken is an embedder that fails.
type broken struct{ concepts }

func (*broken) Embed(context.Context, []string) ([]embed.Vector, error) {
	return nil, fault.BadModel.New("the model is broken", "")
}

// indexed returns what the index of a store has.
func indexed(t *testing.T, s *Store) (st index.Stats) {
	t.Helper()
	expect.OK(t, s.reading(t.Context(), func(f *file, tx *sqlite.Tx) (err error) {
		st, err = f.Index.Stats(tx)
		return err
	}))
	return st
}
