package kb

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/kb/index"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/shared"
	"blackboard/testdata/shared/potion"
)

// benchSizes are 1K and 100K capsules, or what BOARD_BENCH_DOCS lists.
func benchSizes(b *testing.B) []int { return cost.Sizes(b, "BOARD_BENCH_DOCS", 1_000, 100_000) }

// zipf picks words with the frequencies of a natural language: the ten commonest are in most
// texts.
var zipf = func() func(*rand.Rand) string {
	sum, total := make([]float64, 60_000), 0.0
	for i := range sum {
		total += 1 / math.Pow(float64(i+2), 1.05)
		sum[i] = total
	}
	const letters = "bcdfghjklmnpqrtvwxz"
	return func(r *rand.Rand) string {
		n, _ := slices.BinarySearch(sum, r.Float64()*total)
		w := []byte{}
		for n += 20; n > 0; n /= len(letters) {
			w = append(w, letters[n%len(letters)], 'o')
		}
		return string(w)
	}
}()

func vocabulary(r *rand.Rand, n int) string {
	w := make([]string, n)
	for i := range w {
		w[i] = zipf(r)
	}
	return strings.Join(w, " ")
}

// instant is an embedder that takes no time: vectors around some thousand topics, as texts have
// them, whatever the text.
type instant struct {
	r      *rand.Rand
	topics []embed.Vector
}

const benchDim = 384

func newInstant(seed uint64) *instant {
	e := &instant{r: rand.New(rand.NewPCG(1, 1))}
	for range 2000 {
		e.topics = append(e.topics, e.near(make(embed.Vector, benchDim), 1))
	}
	e.r = rand.New(rand.NewPCG(seed, seed))
	return e
}

func (e *instant) near(v embed.Vector, by float64) embed.Vector {
	v = slices.Clone(v)
	for i := range v {
		v[i] += float32(e.r.NormFloat64() * by)
	}
	v.Normalize()
	return v
}

func (e *instant) Model() embed.Model { return embed.Model{Name: "instant", Dim: benchDim} }

func (e *instant) Embed(_ context.Context, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, len(texts))
	for i := range out {
		out[i] = e.near(e.topics[e.r.IntN(len(e.topics))], 0.05)
	}
	return out, nil
}

// benchCapsule is 80 words, with a tag that half of all have, one that 1 % have, and one that one
// in 10,000 has.
func benchCapsule(r *rand.Rand, i int) Capsule {
	c := Capsule{Kind: Kinds[r.IntN(len(Kinds))], Scope: "universal", Title: fmt.Sprint(vocabulary(r, 5), " ", i), Body: vocabulary(r, 75), Tags: []string{}, Source: "bench.go:1", Confidence: new(float64)}
	for tag, of := range map[string]int{"half": 2, "hundredth": 100, "rare": 10_000} {
		if i%of == 0 {
			c.Tags = append(c.Tags, tag)
		}
	}
	return c
}

var (
	benchDirs  []string
	built      = map[string]string{}
	remembered int // so that no two titles are alike
)

// benchHome returns the data home of a knowledge base of n capsules, embedded with emb, which is
// made once a run.
func benchHome(b *testing.B, n int, emb embed.Embedder) string {
	b.Helper()
	ctx := context.Background()
	key := fmt.Sprint(n, emb.Model())
	if dir := built[key]; dir != "" {
		return dir
	}
	dir := expect.Value(os.MkdirTemp("", "board-bench-*"))(b)
	benchDirs = append(benchDirs, dir)
	k := expect.Value(Open(ctx, dir, Options{Embedder: emb}))(b)
	defer k.Close()
	r := rand.New(rand.NewPCG(1, 1))
	for i := 0; i < n; {
		var caps []Capsule
		var texts []string
		for ; len(caps) < 5000 && i < n; i++ {
			caps = append(caps, benchCapsule(r, i))
			texts = append(texts, embeddingText(&caps[len(caps)-1]))
		}
		vs := expect.Value(emb.Embed(ctx, texts))(b)
		expect.OK(b, k.change(ctx, func(ch *change) error {
			tx := ch.tx
			if err := k.index.SetModel(tx, emb.Model()); err != nil {
				return err
			}
			docs := make([]index.Doc, len(caps))
			for j := range caps {
				c := &caps[j]
				c.ID, c.Created, c.Updated, c.Model, c.Dim, c.Revision = newID(), tx.Now, tx.Now, emb.Model().Name, emb.Model().Dim, 1
				if err := ch.writeSidecar(c); err != nil {
					return err
				}
				if err := insertRow(tx, c); err != nil {
					return err
				}
				docs[j] = document(c, vs[j])
			}
			return k.index.Put(tx, docs...)
		}))
	}
	built[key] = dir
	return dir
}

// benchKB opens a knowledge base of n capsules and returns the ids of some of them.
func benchKB(b *testing.B, n int, opt Options) (*KB, []string) {
	b.Helper()
	k := openKB(b, benchHome(b, n, newInstant(2)), opt)
	all, _ := expect.Values(k.List(b.Context(), ListQuery{Limit: min(n, 5000), Superseded: true}))(b)
	var ids []string
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return k, ids
}

func BenchmarkGet(b *testing.B) {
	for _, n := range benchSizes(b) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			k, ids := benchKB(b, n, Options{})
			cost.Timed(b, func(i int) error {
				_, err := k.Get(b.Context(), ids[i*7919%len(ids)])
				return err
			})
		})
	}
}

// benchList lists the newest 50.
func benchList(b *testing.B, queries map[string]ListQuery) {
	for _, n := range benchSizes(b) {
		for _, name := range slices.Sorted(maps.Keys(queries)) {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				k, _ := benchKB(b, n, Options{})
				q := queries[name]
				q.Limit = 50
				cost.Timed(b, func(int) error {
					_, _, err := k.List(b.Context(), q)
					return err
				})
			})
		}
	}
}

func BenchmarkList(b *testing.B) {
	benchList(b, map[string]ListQuery{"all": {}, "kind": {Kinds: []string{"gotcha"}}, "scope": {Scopes: []string{"universal"}}, "workspace": {Workspaces: []string{"/none"}}, "project": {Projects: []string{"none"}}})
}

func BenchmarkListByTag(b *testing.B) {
	benchList(b, map[string]ListQuery{"half": {Tags: []string{"half"}}, "hundredth": {Tags: []string{"hundredth"}}, "rare": {Tags: []string{"rare"}}, "none": {Tags: []string{"none"}}, "domain": {DomainTags: []string{"none"}},
		"tag and kind": {Tags: []string{"hundredth"}, Kinds: []string{"gotcha"}}})
}

// BenchmarkRemember stores capsules one by one, each in a transaction of its own: with words
// alone, and with a vector, which is compared with all others first. The time to embed is not in
// it. It comes last, since what it stores stays.
func BenchmarkRemember(b *testing.B) {
	for _, n := range benchSizes(b) {
		for _, with := range []string{"words", "vector"} {
			b.Run(fmt.Sprintf("%d/%s", n, with), func(b *testing.B) {
				opt := Options{}
				if with == "vector" {
					opt = Options{Embedder: newInstant(uint64(3 + remembered)), Warm: true}
				}
				k, _ := benchKB(b, n, opt)
				r := rand.New(rand.NewPCG(3, 3))
				pool := make([]Capsule, 256)
				for i := range pool {
					pool[i] = benchCapsule(r, i)
				}
				cost.Timed(b, func(i int) error {
					c := pool[i%len(pool)]
					remembered++
					c.Title = fmt.Sprint(c.Title, " again ", remembered)
					_, err := k.Remember(b.Context(), c, RememberOptions{})
					return err
				})
			})
		}
	}
}

// BenchmarkProcess asks by the built program, a whole process for each call. The hybrid search has
// potion-base-2M for its model, which is read each time; "model" is what that takes alone,
// "daemon" is the same search where a daemon has it all warm. "true" is the yardstick: what
// starting any process costs here.
func BenchmarkProcess(b *testing.B) {
	exe := filepath.Join(b.TempDir(), "board")
	build := exec.Command("go", "build", "-trimpath", "-o", exe, "../cmd/board")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, n := range benchSizes(b) {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			model := potion.Open(b)
			if model == nil {
				b.Skip("needs potion-base-2M")
			}
			dir := shared.File("models", "potion-base-2M")
			home := benchHome(b, n, model)
			k := openKB(b, home, Options{})
			some, _ := expect.Values(k.List(b.Context(), ListQuery{Limit: min(n, 500)}))(b)
			run := expect.Value(os.MkdirTemp("", "bd"))(b)
			defer os.RemoveAll(run)
			daemon := "off"
			call := func(name string, args ...string) error {
				cmd := exec.Command(name, args...)
				cmd.Env = append(os.Environ(), "BOARD_HOME="+home, "BOARD_MODEL_DIR="+dir, "BOARD_WORKSPACE=", "XDG_RUNTIME_DIR="+run, "BOARD_DAEMON="+daemon)
				if out, err := cmd.CombinedOutput(); err != nil {
					return fmt.Errorf("%v: %v\n%s", args, err, out)
				}
				return nil
			}
			r := rand.New(rand.NewPCG(5, 5))
			for _, c := range []struct {
				name string
				args func(i int) []string
			}{
				{"true", func(int) []string { return []string{"true"} }},
				{"get", func(i int) []string { return []string{exe, "kb", "get", some[i%len(some)].ID} }},
				{"bm25", func(int) []string { return []string{exe, "kb", "search", "--mode", "bm25", vocabulary(r, 3+r.IntN(6))} }},
				{"hybrid", func(int) []string {
					return []string{exe, "kb", "search", "--mode", "hybrid", vocabulary(r, 3+r.IntN(6))}
				}},
			} {
				b.Run(c.name, func(b *testing.B) {
					cost.Timed(b, func(i int) error {
						args := c.args(i)
						return call(args[0], args[1:]...)
					})
				})
			}
			b.Run("daemon", func(b *testing.B) {
				daemon = "require"
				defer func() { daemon = "off" }()
				expect.OK(b, call(exe, "daemon", "start"))
				defer call(exe, "daemon", "stop")
				expect.OK(b, call(exe, "kb", "search", "warm", "it"))
				cost.Timed(b, func(i int) error { return call(exe, "kb", "search", "--mode", "hybrid", vocabulary(r, 3+r.IntN(6))) })
			})
			b.Run("model", func(b *testing.B) {
				cost.Timed(b, func(i int) error {
					m, err := minilm.Open(b.Context(), dir)
					if err != nil {
						return err
					}
					defer m.Close()
					_, err = m.Embed(b.Context(), []string{vocabulary(r, 5)})
					return err
				})
			})
		})
	}
}
