package chunks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// benchSizes are 1,000 and 10,000 chunks, or what BOARD_BENCH_CHUNKS lists.
func benchSizes(b *testing.B) []int { return cost.Sizes(b, "BOARD_BENCH_CHUNKS", 1_000, 10_000) }

// instant is an embedder that takes no time; the model's time is measured elsewhere.
type instant struct{ r *rand.Rand }

func (e *instant) Model() embed.Model { return embed.Model{Name: "instant", Dim: 384} }

func (e *instant) Embed(_ context.Context, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, len(texts))
	for i := range out {
		out[i] = make(embed.Vector, 384)
		for j := range out[i] {
			out[i][j] = float32(e.r.NormFloat64())
		}
		out[i].Normalize()
	}
	return out, nil
}

// benchWords returns words with a frequency like that of a language: few of them most of
// the time.
func benchWords(z *rand.Zipf, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", z.Uint64())
	}
	return strings.Join(words, " ")
}

// benchStore fills a store with n chunks of 80 words, all embedded.
func benchStore(b *testing.B, n int) (*Store, *rand.Zipf, []string) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, uint64(n)))
	z := rand.NewZipf(r, 1.1, 4, 50_000)
	e := &instant{r}
	s, _ := expect.Values(Open(b.Context(), b.TempDir(), Options{Embedder: e, Warm: true}))(b)
	b.Cleanup(func() { s.Close() })
	f := expect.Value(s.file(b.Context(), true))(b)
	ids := make([]string, 0, n)
	for len(ids) < n {
		expect.OK(b, f.WriteIndex(b.Context(), func(tx *sqlite.Tx) error {
			if err := f.Index.SetModel(tx, e.Model()); err != nil {
				return err
			}
			docs := make([]index.Doc, min(5000, n-len(ids)))
			vs, _ := e.Embed(b.Context(), make([]string, len(docs)))
			for i := range docs {
				at := tx.Now.Add(-time.Duration(len(ids)) * time.Second)
				c := Chunk{Meta: Meta{ID: fmt.Sprintf("%010x", len(ids)), Topic: benchWords(z, 5), Agent: fmt.Sprint("agent", len(ids)%10), Tags: []string{fmt.Sprint("tag", len(ids)%100)}, Importance: Medium,
					Created: at, Updated: at, Model: e.Model().Name}, Content: benchWords(z, 75)}
				if err := insert(tx, &c, false); err != nil {
					return err
				}
				docs[i] = document(&c, vs[i])
				ids = append(ids, c.ID)
			}
			return f.Index.Put(tx, docs...)
		}))
	}
	return s, z, ids
}

// BenchmarkStore measures the operations of a long-lived process: with a warm index, and
// a model that takes no time.
func BenchmarkStore(b *testing.B) {
	for _, n := range benchSizes(b) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ctx := b.Context()
			s, z, ids := benchStore(b, n)
			b.Run("read", func(b *testing.B) {
				cost.Timed(b, func(i int) error { _, err := s.Read(ctx, ids[i*7919%n]); return err })
			})
			for name, q := range map[string]ListQuery{"list": {}, "list_of_agent": {Agent: "agent3"}, "list_of_tag": {Tags: []string{"tag7"}}} {
				b.Run(name, func(b *testing.B) {
					cost.Timed(b, func(int) error { _, err := s.List(ctx, q); return err })
				})
			}
			for _, mode := range Modes {
				b.Run("search_"+mode, func(b *testing.B) {
					cost.Timed(b, func(int) error { _, err := s.Search(ctx, Query{Text: benchWords(z, 5), Mode: mode}); return err })
				})
			}
			b.Run("set_state", func(b *testing.B) {
				cost.Timed(b, func(i int) error {
					_, err := s.SetState(ctx, "phase", strconv.AppendInt(nil, int64(i), 10))
					return err
				})
			})
			b.Run("get_state", func(b *testing.B) {
				cost.Timed(b, func(int) error { _, err := s.State(ctx, "phase"); return err })
			})
			b.Run("write", func(b *testing.B) {
				cost.Timed(b, func(int) error {
					_, err := s.Write(ctx, NewChunk{Topic: benchWords(z, 5), Content: benchWords(z, 75), Tags: []string{"tag1"}})
					return err
				})
			})
		})
	}
}
