package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// The benchmarks' corpora. zipf: 80 words a document from a vocabulary of 60,000 with the
// frequencies of a natural language, so that the ten commonest words are in most documents. few:
// 48 words in all, so that almost every document matches every question.
type corpus struct {
	name string
	pick func(r *rand.Rand) string
}

var zipfWords = func() func(*rand.Rand) string {
	const n = 60_000
	sum := make([]float64, n)
	total := 0.0
	for i := range sum {
		total += 1 / math.Pow(float64(i+2), 1.05)
		sum[i] = total
	}
	return func(r *rand.Rand) string {
		i, _ := slices.BinarySearch(sum, r.Float64()*total)
		return word(i)
	}
}()

// word spells a number in letters that no stemmer touches.
func word(i int) string {
	const letters = "bcdfghjklmnpqrtvwxz"
	b := []byte{}
	for i += 20; i > 0; i /= len(letters) {
		b = append(b, letters[i%len(letters)], 'o')
	}
	return string(b)
}

var corpora = []corpus{
	{"zipf", zipfWords},
	{"few", func(r *rand.Rand) string { return word(r.IntN(48)) }},
}

func (c corpus) text(r *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = c.pick(r)
	}
	return strings.Join(words, " ")
}

// questions mixes frequent and rare words as people do: half of them from documents as they come,
// half anything.
func (c corpus) questions(n int) []string {
	r := rand.New(rand.NewPCG(5, 5))
	qs := make([]string, n)
	for i := range qs {
		qs[i] = c.text(r, 3+r.IntN(6))
	}
	return qs
}

// mistyped swaps two letters of each question's longest word: no document has that.
func mistyped(questions []string) []string {
	out := make([]string, len(questions))
	for i, q := range questions {
		words := strings.Fields(q)
		w := slices.MaxFunc(words, func(a, b string) int { return len(a) - len(b) })
		out[i] = strings.Replace(q, w, w[:1]+w[2:3]+w[1:2]+w[3:], 1)
	}
	return out
}

// benchSizes are 1K and 100K, or what BOARD_BENCH_DOCS lists.
func benchSizes(b *testing.B) []int { return cost.Sizes(b, "BOARD_BENCH_DOCS", 1_000, 100_000) }

const benchDim = 384

// clustered makes vectors as texts have them: around some thousand topics, not all over the
// sphere.
func clustered(r *rand.Rand, topics []embed.Vector) embed.Vector {
	v := slices.Clone(topics[r.IntN(len(topics))])
	for i := range v {
		v[i] += float32(r.NormFloat64()) * 0.05
	}
	v.Normalize()
	return v
}

// heap returns how many bytes live on the heap.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

var built = map[string]string{}

// bench opens an index of n documents, which is made once a run.
func benchIndex(b *testing.B, c corpus, n int) (*sqlite.DB, *Index, []embed.Vector) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	topics := make([]embed.Vector, 2000)
	for i := range topics {
		topics[i] = randomVector(r, benchDim)
	}
	cfg := Config{Name: "ix", Weights: []float64{2, 1}, K1: 0.9, B: 0.4}
	key := fmt.Sprint(c.name, n)
	path := built[key]
	if path == "" {
		dir := expect.Value(os.MkdirTemp("", "board-bench-*"))(b)
		benchDirs = append(benchDirs, dir)
		path = filepath.Join(dir, "index.sqlite3")
		db := openFile(b, path)
		x := newIndex(b, db, cfg)
		write(b, db, func(tx *sqlite.Tx) error { return x.SetModel(tx, embed.Model{Name: "bench", Dim: benchDim}) })
		start := time.Now()
		// A large part as a rebuild makes it, the rest as it comes in daily life.
		bulk := n * 3 / 4
		doc := func(i int) Doc {
			return Doc{ID: int64(i + 1), Text: []string{c.text(r, 5), c.text(r, 75)}, Keywords: []string{fmt.Sprint("kind:", i%7)}, Vector: clustered(r, topics)}
		}
		for i := 0; i < n; {
			size := 500
			if i < bulk {
				size = min(bulk-i, 20_000)
			}
			write(b, db, func(tx *sqlite.Tx) error {
				var batch []Doc
				for ; len(batch) < size && i < n; i++ {
					batch = append(batch, doc(i))
				}
				return x.Put(tx, batch...)
			})
		}
		took := time.Since(start)
		var st Stats
		read(b, db, func(tx *sqlite.Tx) (err error) {
			st, err = x.Stats(tx)
			return err
		})
		b.Logf("%s %d: built in %v, %v a document; %d segments, %d in the tail, %.0f bytes a document with its vector", c.name, n, took.Round(time.Millisecond),
			(took / time.Duration(n)).Round(time.Microsecond), st.Segments, st.Tail, float64(st.Bytes)/float64(n))
		built[key] = path
	}
	return openFile(b, path), New(cfg), topics
}

var benchDirs []string

func TestMain(m *testing.M) {
	code := cost.Main(m)
	for _, d := range benchDirs {
		os.RemoveAll(d)
	}
	os.Exit(code)
}

// BenchmarkSearch asks a warm index in this process, each time in a transaction of its own.
func BenchmarkSearch(b *testing.B) {
	for _, c := range corpora {
		for _, n := range benchSizes(b) {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				db, x, topics := benchIndex(b, c, n)
				before := heap()
				read(b, db, x.Warm)
				b.Logf("%s %d: %.0f MB in memory when warm", c.name, n, float64(heap()-before)/1e6)
				qs := c.questions(500)
				r := rand.New(rand.NewPCG(9, 9))
				vs := make([]embed.Vector, len(qs))
				for i := range vs {
					vs[i] = clustered(r, topics)
				}
				run := func(name string, depth int, text, vector bool, qs []string) {
					b.Run(name, func(b *testing.B) {
						var times []time.Duration
						for i := 0; b.Loop(); i++ {
							q := Query{Depth: depth, Expand: true}
							if text {
								q.Text = qs[i%len(qs)]
							}
							if vector {
								q.Vector, q.Model = vs[i%len(vs)], "bench"
							}
							start := time.Now()
							ask(b, db, x, q)
							times = append(times, time.Since(start))
						}
						cost.Percentiles(b, times)
					})
				}
				run("bm25", 20, true, false, qs)
				run("mistyped", 20, true, false, mistyped(qs))
				run("vector", 20, false, true, qs)
				run("hybrid", 100, true, true, qs)
			})
		}
	}
}

// BenchmarkPut adds one document, the way a writer does who has the file open.
func BenchmarkPut(b *testing.B) {
	for _, n := range benchSizes(b) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := corpora[0]
			db, x, topics := benchIndex(b, c, n)
			r := rand.New(rand.NewPCG(3, 3))
			id := int64(1 << 30)
			var times []time.Duration
			for b.Loop() {
				id++
				d := Doc{ID: id, Text: []string{c.text(r, 5), c.text(r, 75)}, Keywords: []string{"kind:1"}, Vector: clustered(r, topics)}
				start := time.Now()
				write(b, db, func(tx *sqlite.Tx) error { return x.Put(tx, d) })
				times = append(times, time.Since(start))
			}
			cost.Percentiles(b, times)
			b.ReportMetric(float64(times[len(times)-1].Nanoseconds())/1e3, "µs/max")
			delete(built, fmt.Sprint(c.name, n))
		})
	}
}

// BenchmarkCold opens the file, asks once and closes it.
func BenchmarkCold(b *testing.B) {
	for _, n := range benchSizes(b) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := corpora[0]
			_, _, topics := benchIndex(b, c, n)
			qs := c.questions(100)
			v := clustered(rand.New(rand.NewPCG(9, 9)), topics)
			typos := mistyped(qs)
			for _, name := range []string{"bm25", "mistyped", "hybrid"} {
				b.Run(name, func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						db := expect.Value(sqlite.Open(b.Context(), built[fmt.Sprint(c.name, n)], sqlite.Schema{Name: "test", ApplicationID: 7, Migrations: []string{""}}, sqlite.ReadWrite))(b)
						q := Query{Text: qs[i%len(qs)], Depth: 20, Expand: true}
						if name == "mistyped" {
							q.Text = typos[i%len(typos)]
						}
						if name == "hybrid" {
							q.Vector, q.Model, q.Depth = v, "bench", 100
						}
						ask(b, db, New(Config{Name: "ix", Weights: []float64{2, 1}, K1: 0.9, B: 0.4}), q)
						db.Close()
					}
				})
			}
		})
	}
}
