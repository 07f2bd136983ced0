package kb

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"blackboard/embed"
	"blackboard/testdata/expect"
)

// like is an embedder that gives texts with the same first word the same vector, but for a little
// that hangs on the rest.
type like struct{}

func (like) Model() embed.Model { return embed.Model{Name: "like", Dim: 64} }

func (like) Embed(_ context.Context, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, len(texts))
	for i, text := range texts {
		first, _, _ := strings.Cut(text, " ")
		out[i] = make(embed.Vector, 64)
		base, rest := hash(first), hash(text)
		for j := range out[i] {
			out[i][j] = float32(base[j%32]) - 128 + (float32(rest[(j+7)%32])-128)*0.15
		}
		out[i].Normalize()
	}
	return out, nil
}

// TestDedupe: of those that say the same the most certain stays, then the newer, then the longer;
// a second pass changes nothing; what is restored stays restored.
func TestDedupe(t *testing.T) {
	now := time.Now()
	k := openKB(t, t.TempDir(), Options{Embedder: like{}, Now: func() time.Time { now = now.Add(time.Second); return now }})
	conf := func(f float64) *float64 { return &f }
	force := RememberOptions{Force: true}
	sure := put(t, k, Capsule{Title: "The queue", Body: "the queue is drained before the workers end", Confidence: conf(0.9)}, force)
	old := put(t, k, Capsule{Title: "Workers end", Body: "The **queue** is drained before the worker ends!", Confidence: conf(0.5)}, force)
	newer := put(t, k, Capsule{Title: "Before the workers end", Body: "the queue  is drained before the workers end"}, force)
	kind := put(t, k, Capsule{Title: "of another kind", Body: "the queue is drained before the workers end", Kind: "recipe"}, force)
	other := put(t, k, Capsule{Title: "other", Body: "z"}, force)
	// One body under titles of other subjects is two capsules.
	for _, title := range []string{"prod", "staging", "the worker pool"} {
		put(t, k, Capsule{Title: title, Body: "the cluster has 12 nodes in total"})
	}
	dry, err := k.Dedupe(t.Context(), CurateOptions{DryRun: true})
	if err != nil || len(dry.Duplicates) != 2 {
		t.Fatalf("%+v, %v", dry, err)
	}
	d, err := k.Dedupe(t.Context(), CurateOptions{})
	if err != nil || len(d.Duplicates) != 2 || d.Compared != 8 {
		t.Fatalf("%+v, %v", d, err)
	}
	for id, by := range map[string]string{sure.ID: "", old.ID: sure.ID, newer.ID: sure.ID, kind.ID: "", other.ID: ""} {
		if c, err := k.Get(t.Context(), id); err != nil || c.SupersededBy != by {
			t.Errorf("%s is superseded by %q, not %q; %v", c.Title, c.SupersededBy, by, err)
		}
	}
	if again, err := k.Dedupe(t.Context(), CurateOptions{}); err != nil || len(again.Duplicates) != 0 {
		t.Errorf("%+v, %v", again, err)
	}
	expect.Value(k.Restore(t.Context(), old.ID, 1, "it is not"))(t)
	if again, err := k.Dedupe(t.Context(), CurateOptions{}); err != nil || len(again.Duplicates) != 0 {
		t.Errorf("what was restored was superseded again: %+v, %v", again, err)
	}
	settled(t, k)
	sound(t, k)
}

// TestDecay: nothing for two weeks, then further down each day, until it is found again.
func TestDecay(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	k := openKB(t, t.TempDir(), Options{Now: func() time.Time { return now }})
	a := put(t, k, Capsule{Title: "gizmo one", Body: "gizmo gizmo gizmo"})
	put(t, k, Capsule{Title: "gizmo two", Body: "gizmo and the rest of it"})
	score := func() float64 {
		t.Helper()
		c := expect.Value(k.Get(t.Context(), a.ID))(t)
		return c.DecayScore
	}
	decay := func(days, changed int, want float64) {
		t.Helper()
		now = time.Date(2026, 1, 1+days, 12, 0, 0, 0, time.UTC)
		d, err := k.Decay(t.Context(), CurateOptions{})
		if err != nil || d.Changed != changed || score() < want-0.001 || score() > want+0.001 {
			t.Errorf("after %d days: %+v, a score of %v, %v", days, d, score(), err)
		}
	}
	decay(13, 0, 0)
	decay(14, 0, 0)
	decay(15, 2, 1.0/90)
	decay(15, 0, 1.0/90)
	decay(59, 2, 0.5)
	decay(200, 2, 1)
	decay(300, 0, 1)
	execute(t, k, `UPDATE capsules SET decay_score = 0 WHERE id <> ?`, a.ID)
	if hits := ask(t, k, Query{Text: "gizmo"}).Hits; len(hits) != 2 || hits[0].ID == a.ID || !strings.Contains(strings.Join(hits[1].Boosts, ""), "decay: 1 down") {
		t.Errorf("what has decayed is not further down: %v", titles(hits))
	}
	if score() != 0 {
		t.Error("it was found, and has decayed still")
	}
	if hits := ask(t, k, Query{Text: "gizmo"}).Hits; hits[0].ID != a.ID {
		t.Error("it does not stand where it stood")
	}
}

// TestContradictions: pairs about the same thing that differ in a number or a negation are listed
// until somebody decides.
func TestContradictions(t *testing.T) {
	for name, emb := range map[string]embed.Embedder{"by meaning": like{}, "by words": nil} {
		t.Run(name, func(t *testing.T) {
			k := newKB(t, emb)
			force := RememberOptions{Force: true}
			a := put(t, k, Capsule{Title: "Gateway timeout is 30 s", Body: "The gateway waits 30 s for the service."}, force)
			b := put(t, k, Capsule{Title: "Gateway timeout is 60 s", Body: "The gateway waits 60 s for the service.", Kind: "gotcha"}, force)
			put(t, k, Capsule{Title: "Gateway timeout is 90 s", Body: "The gateway waits 90 s for the service.", Kind: "doc"}, force)
			put(t, k, Capsule{Title: "Cats sleep 16 hours", Body: "A cat sleeps 16 hours a day."}, force)
			found, looked, err := k.Contradictions(t.Context(), CurateOptions{})
			if err != nil || looked != 3 || len(found) != 1 || found[0].A.ID != a.ID || found[0].B.ID != b.ID || len(found[0].Why) == 0 {
				t.Fatalf("%d: %+v, %v", looked, found, err)
			}
			expect.OK(t, k.Resolve(t.Context(), a.ID, b.ID, ResolveStand, "two gateways"))
			if found, _, err := k.Contradictions(t.Context(), CurateOptions{}); err != nil || len(found) != 0 {
				t.Errorf("%+v, %v", found, err)
			}
			events, err := k.History(t.Context(), b.ID)
			if err != nil || events[len(events)-1].Verb != VerbDecided || events[len(events)-1].Other != a.ID {
				t.Errorf("%+v, %v", events, err)
			}
			settled(t, k)
		})
	}
}

// BenchmarkCurate curates a knowledge base of 50,000 capsules (BOARD_BENCH_CURATE says how many)
// of which 1 % say what others say: how long a pass takes, and how much memory.
func BenchmarkCurate(b *testing.B) {
	n := 50_000
	if s := os.Getenv("BOARD_BENCH_CURATE"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	emb := &doubles{newInstant(2), nil, 0}
	k := openKB(b, benchHome(b, n, emb), Options{Warm: true})
	peak, stop := uint64(0), make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse)
			}
		}
	}()
	for first := true; b.Loop(); first = false { // it changes what it measures, so only the first pass counts
		if !first {
			continue
		}
		pass := func(what string, fn func() (int, error)) int {
			start := time.Now()
			found := expect.Value(fn())(b)
			b.ReportMetric(time.Since(start).Seconds(), what+"-s")
			return found
		}
		dedupe := func() (int, error) {
			d, err := k.Dedupe(b.Context(), CurateOptions{})
			return len(d.Duplicates), err
		}
		once, second := pass("dedupe", dedupe), pass("again", dedupe)
		clashes := pass("contradictions", func() (int, error) {
			c, _, err := k.Contradictions(b.Context(), CurateOptions{})
			return len(c), err
		})
		b.Logf("%d superseded, then %d; %d contradictions", once, second, clashes)
		if second != 0 {
			b.Fatalf("a second pass superseded %d", second)
		}
	}
	close(stop)
	b.ReportMetric(float64(peak)/1e6, "MB")
}

// doubles gives one text in 100 all but the vector of an earlier one.
type doubles struct {
	*instant
	last embed.Vector
	n    int
}

func (d *doubles) Model() embed.Model { return embed.Model{Name: "doubles", Dim: benchDim} }

func (d *doubles) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	out, err := d.instant.Embed(ctx, texts)
	for i := range out {
		if d.n++; d.n%100 == 0 && d.last != nil {
			out[i] = d.near(d.last, 0.005)
		} else if d.n%100 == 50 {
			d.last = out[i]
		}
	}
	return out, err
}
