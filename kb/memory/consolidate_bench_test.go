package memory

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
	"blackboard/testdata/expect"
)

// fixed is a model whose vectors the test gives to items by itself.
type fixed struct{ dim int }

func (m fixed) Model() embed.Model { return embed.Model{Name: "fixed", Dim: m.dim} }

func (m fixed) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, len(texts))
	for i := range out {
		out[i] = randomUnit(rand.New(rand.NewPCG(uint64(len(texts[i])), 9)), m.dim)
	}
	return out, ctx.Err()
}

func randomUnit(r *rand.Rand, dim int) embed.Vector {
	v := make(embed.Vector, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	v.Normalize()
	return v
}

// beside returns a vector whose cosine with a given one is a given number.
func beside(r *rand.Rand, v embed.Vector, cos float64) embed.Vector {
	o := randomUnit(r, len(v))
	var along float64
	for i := range v {
		along += float64(o[i]) * float64(v[i])
	}
	var length float64
	for i := range o {
		o[i] -= float32(along) * v[i]
		length += float64(o[i]) * float64(o[i])
	}
	length = math.Sqrt(length)
	for i := range o {
		o[i] = float32(cos)*v[i] + float32(math.Sqrt(1-cos*cos)/length)*o[i]
	}
	return o
}

// stock stores items as they are, with their times, accesses and vectors, some hundreds in a
// transaction. Each access was a question of another session.
func stock(tb testing.TB, s *Store, items []Item, vectors []embed.Vector) {
	tb.Helper()
	for lo := 0; lo < len(items); {
		f := expect.Value(s.file(context.Background(), items[lo].Tier, true))(tb)
		hi := lo
		for hi < len(items) && hi < lo+500 && (items[hi].Tier == Account) == (items[lo].Tier == Account) {
			hi++
		}
		expect.OK(tb, f.WriteIndex(context.Background(), func(tx *sqlite.Tx) error {
			var model embed.Model
			if s.opt.Embedder != nil && vectors != nil {
				model = s.opt.Embedder.Model()
				if err := f.Index.SetModel(tx, model); err != nil {
					return err
				}
			}
			var docs []index.Doc
			for i := lo; i < hi; i++ {
				it := &items[i]
				if it.Curator == "" {
					it.Curator = CuratorAgent
				}
				if err := it.normalise(); err != nil {
					return err
				}
				if it.ID == "" {
					it.ID = store.NewID('m')
				}
				if it.Created.IsZero() {
					it.Created = tx.Now
				}
				if it.Updated.IsZero() {
					it.Updated = it.Created
				}
				if it.Accessed.IsZero() {
					it.Accessed = it.Created
				}
				it.Revision = max(1, it.Revision)
				var v embed.Vector
				if vectors != nil && vectors[i] != nil {
					v, it.Model, it.Dim = vectors[i], model.Name, model.Dim
				}
				if err := insertRow(tx, it); err != nil {
					return err
				}
				for k := range min(it.Accesses, mostSessions) { // each in a session of its own
					if _, err := tx.Exec(`INSERT INTO asked VALUES (?, ?)`, it.n, fmt.Sprint("s", k)); err != nil {
						return err
					}
				}
				if err := f.event(tx, Event{Verb: VerbPut, Scope: it.Scope().String(), Subject: it.ID}); err != nil {
					return err
				}
				docs = append(docs, document(it, v))
			}
			return f.Index.Put(tx, docs...)
		}))
		lo = hi
	}
}

// manyItems makes items on some topics. In a hundred of them are ten that say what another says,
// five that have expired, ten that nobody asked for in a year, five that are asked for often; the
// contents are of the size of notes.
func manyItems(r *rand.Rand, n, dim int, now time.Time, sc Scope) ([]Item, []embed.Vector) {
	topics := make([]embed.Vector, max(1, n/50))
	for i := range topics {
		topics[i] = randomUnit(r, dim)
	}
	items, vectors := make([]Item, n), make([]embed.Vector, n)
	for i := range items {
		it := &items[i]
		*it = Item{Tier: sc.Tier, Channel: sc.Channel, Conversation: sc.Conversation, Importance: math.Round(100*r.Float64()) / 100, Source: "researcher"}
		it.Created = now.Add(-time.Duration(r.IntN(30*24)) * time.Hour)
		for range 40 {
			it.Content += fmt.Sprintf("word%c%c ", 'a'+r.IntN(26), 'a'+r.IntN(26))
		}
		vectors[i] = beside(r, topics[r.IntN(len(topics))], .4+.4*r.Float64())
		switch k := r.IntN(100); {
		case k < 10 && i > 0:
			said := r.IntN(i)
			vectors[i], it.Content = beside(r, vectors[said], .955+.04*r.Float64()), strings.ToUpper(items[said].Content)+"."
		case k < 15:
			t := now.Add(-time.Hour)
			it.Expires = &t
		case k < 25:
			it.Created = now.Add(-365 * 24 * time.Hour)
		case k < 30:
			it.Accesses = 4 + r.IntN(10)
		}
	}
	return items, vectors
}

// BenchmarkConsolidate10K makes the first pass over 10,000 items that have vectors of 384 numbers,
// and one over the same scope when nothing has happened since.
func BenchmarkConsolidate10K(b *testing.B) {
	const n = 10_000
	c := newClock()
	home := b.TempDir()
	opt := Options{Workspace: filepath.Join(home, "project"), Author: true, Now: c.now, Embedder: fixed{384}}
	s := expect.Value(Open(home, opt))(b)
	items, vectors := manyItems(rand.New(rand.NewPCG(3, 3)), n, 384, c.now(), Scope{Tier: Workspace})
	stock(b, s, items, vectors)
	expect.OK(b, s.Close())
	run := func(b *testing.B, prepare func(*Store), each func(*Store) (Consolidated, error)) {
		for range b.N {
			b.StopTimer()
			again := filepath.Join(b.TempDir(), "home")
			expect.OK(b, os.CopyFS(again, os.DirFS(home)))
			s := expect.Value(Open(again, opt))(b)
			prepare(s)
			b.StartTimer()
			got, err := each(s)
			b.StopTimer()
			expect.OK(b, err)
			b.ReportMetric(float64(got.Expired+got.Promoted+got.Archived+got.Merged+got.Capped), "steps")
			s.Close()
			b.StartTimer()
		}
	}
	pass := func(s *Store) (Consolidated, error) {
		all, err := s.Consolidate(b.Context(), nil)
		if err != nil || len(all) != 1 {
			return Consolidated{}, fmt.Errorf("%d scopes, %w", len(all), err)
		}
		return all[0], nil
	}
	b.Run("first", func(b *testing.B) { run(b, func(*Store) {}, pass) })
	b.Run("plan", func(b *testing.B) {
		run(b, func(*Store) {}, func(s *Store) (Consolidated, error) {
			_, err := s.PlanConsolidation(b.Context(), nil)
			return Consolidated{}, err
		})
	})
	b.Run("again", func(b *testing.B) {
		run(b, func(s *Store) {
			c.pass(time.Second)
			expect.Value(pass(s))(b)
		}, pass)
	})
	b.Run("groups", func(b *testing.B) {
		run(b, func(*Store) {}, func(s *Store) (Consolidated, error) {
			_, _, err := s.Groups(b.Context(), nil, 10)
			return Consolidated{}, err
		})
	})
	b.Run("due", func(b *testing.B) {
		run(b, func(s *Store) {}, func(s *Store) (Consolidated, error) {
			_, err := s.Due(b.Context())
			return Consolidated{}, err
		})
	})
}
