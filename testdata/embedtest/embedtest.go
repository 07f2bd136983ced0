// Package embedtest has the test suite for implementations of embed.Embedder, and an
// embedder for tests.
package embedtest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/embed"
)

// TestEmbedder checks an embedder against the contract of embed.Embedder. open opens one
// and registers its cleanup with t.Cleanup; it is called for each part of the suite. An
// embedder with a Close method is closed twice at the end of one part.
func TestEmbedder(t *testing.T, open func(t *testing.T) embed.Embedder) {
	for _, part := range []struct {
		name string
		test func(*testing.T, embed.Embedder)
	}{
		{"model", testModel},
		{"order", testOrder},
		{"alone and in company", testBatch},
		{"empty list", testEmptyList},
		{"odd texts", testOdd},
		{"long texts", testLong},
		{"texts are left alone", testTextsKept},
		{"concurrent", testConcurrent},
		{"cancelled before", testCancelledBefore},
		{"cancelled meanwhile", testCancelledMeanwhile},
		{"closed", testClosed},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, open(t)) })
	}
}

// texts are ordinary texts of several lengths.
var texts = []string{
	"The gate stays shut while a critical question is open.",
	"how do I rotate the signing keys?",
	"Refunds need an idempotency key; three of seven call sites send none.",
	"capturePane(), scripts/build.sh:42 and --dry-run",
	"Der Nachtlauf stößt gegen 02:30 Uhr an und endet, bevor jemand wach ist.",
	"ok",
	strings.Repeat("A table lists every worker with its lease, its last sign of life and what it waits for. ", 6),
	"The nightly batch retries.",
}

// odd are unusual texts.
var odd = []string{
	"", " ", "\t\r\n  \u00a0\u3000", "😀😃🎉", "\xff\xfe\xfd", "abc\xc3", "\x00\x00\x00", "日本語の文章", "مرحبا بالعالم", "e\u0301\u0301\u0301",
	"[CLS] [SEP] [UNK] [PAD] [MASK]", "\u200b\u200d\ufeff", strings.Repeat("\u0301", 500), strings.Repeat("x", 1000), "!?.,;:-_(){}[]<>/\\|@#$%^&*+=~`'\"",
	"\U0010ffff\U000e0001\ue000", "#", "##", "##ing",
}

func testModel(t *testing.T, e embed.Embedder) {
	m := e.Model()
	if m.Name == "" || m.Dim <= 0 || m.MaxTokens < 0 {
		t.Errorf("the model is described as %+v", m)
	}
	if again := e.Model(); again != m {
		t.Errorf("the description changed from %+v to %+v", m, again)
	}
}

func testOrder(t *testing.T, e embed.Embedder) {
	forward := get(t, e, texts)
	reversed := make([]string, len(texts))
	for i, text := range texts {
		reversed[len(texts)-1-i] = text
	}
	backward := get(t, e, reversed)
	for i := range texts {
		if norm(forward[i]) == 0 {
			t.Errorf("an ordinary text has a vector of zeros: %q", texts[i])
		}
		same(t, texts[i], forward[i], backward[len(texts)-1-i])
	}
	if embed.Cosine(forward[0], forward[1]) > 0.9999 {
		t.Error("two texts that have nothing in common have the same vector")
	}
}

func testBatch(t *testing.T, e embed.Embedder) {
	all := append(append([]string{}, texts...), odd...)
	all = append(all, texts[0], texts[0]) // the same text several times
	together := get(t, e, all)
	for i, text := range all {
		same(t, text, get(t, e, []string{text})[0], together[i])
	}
}

func testEmptyList(t *testing.T, e embed.Embedder) {
	for _, none := range [][]string{nil, {}} {
		got, err := e.Embed(context.Background(), none)
		if err != nil || len(got) != 0 {
			t.Errorf("no texts gave %d vectors and the error %v", len(got), err)
		}
	}
}

func testOdd(t *testing.T, e embed.Embedder) {
	for _, text := range odd {
		get(t, e, []string{text})
	}
}

// testLong has very long texts. An embedder with quadratic cost would time out.
func testLong(t *testing.T, e embed.Embedder) {
	long := map[string]string{
		"words":    strings.Repeat("the quick brown fox jumps over the lazy dog ", 2400),
		"one word": strings.Repeat("a", 100_000),
		"accents":  strings.Repeat("é\u0301", 25_000),
		"spaces":   strings.Repeat(" ", 100_000) + "end",
		"emoji":    strings.Repeat("😀", 25_000),
		"signs":    strings.Repeat("[", 100_000),
		"garbage":  strings.Repeat("\xf0\x9f", 50_000),
		"kanji":    strings.Repeat("語", 33_000),
	}
	for name, text := range long {
		t.Log(name)
		get(t, e, []string{text})
	}
	if m := e.Model(); m.MaxTokens > 0 { // a word has at least one token, so the words beyond MaxTokens are never read
		head := strings.Repeat("word ", m.MaxTokens)
		v := get(t, e, []string{head + "first", head + "another end entirely"})
		same(t, "text beyond the limit", v[0], v[1])
	}
}

func testTextsKept(t *testing.T, e embed.Embedder) {
	mine := append([]string{}, texts...)
	first := get(t, e, mine)
	for i := range mine {
		if mine[i] != texts[i] {
			t.Fatalf("text %d was changed", i)
		}
		mine[i] = "overwritten"
	}
	for i := range first[0] {
		first[0][i] = 9 // the vectors are the caller's: writing to them must not show in later answers
	}
	for _, v := range get(t, e, texts) {
		if len(v) > 0 && v[0] == 9 {
			t.Fatal("a vector that the caller changed was returned again")
		}
	}
}

func testConcurrent(t *testing.T, e embed.Embedder) {
	want := get(t, e, texts)
	var wg sync.WaitGroup
	for worker := range 6 {
		wg.Go(func() {
			for round := range 3 {
				k := (worker + round) % len(texts)
				mine := append(append([]string{}, texts[k:]...), texts[:k]...)
				got, err := e.Embed(context.Background(), mine)
				if err != nil || len(got) != len(mine) {
					t.Errorf("%d vectors, error %v", len(got), err)
					return
				}
				for i := range got {
					same(t, mine[i], want[(k+i)%len(texts)], got[i])
				}
				e.Model()
			}
		})
	}
	wg.Wait()
}

func testCancelledBefore(t *testing.T, e embed.Embedder) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	refused(t, ctx, e, texts)
	ctx, cancel = context.WithDeadline(context.Background(), time.Now().Add(-time.Hour))
	defer cancel()
	refused(t, ctx, e, texts)
	get(t, e, texts[:1]) // the embedder still works
}

// testCancelledMeanwhile embeds more and more texts until a call is cancelled before its
// end. A call that ends before must return all vectors.
func testCancelledMeanwhile(t *testing.T, e embed.Embedder) {
	const soon = 20 * time.Millisecond
	for want, begin := range map[error]func() (context.Context, context.CancelFunc){
		context.Canceled: func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(soon, cancel)
			return ctx, cancel
		},
		context.DeadlineExceeded: func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), soon)
		},
	} {
		for many := texts; ; many = slices.Repeat(many, 2) {
			if len(many) > 1<<18 {
				t.Skip("this embedder is too fast to be interrupted")
			}
			ctx, cancel := begin()
			got, err := e.Embed(ctx, many)
			cancel()
			if err == nil && len(got) == len(many) {
				continue
			}
			if !errors.Is(err, want) || got != nil {
				t.Errorf("%d vectors, error %v, want none and %v", len(got), err, want)
			}
			break
		}
	}
	get(t, e, texts[:1])
}

func testClosed(t *testing.T, e embed.Embedder) {
	closer, ok := e.(interface{ Close() error })
	if !ok {
		t.Skip("this embedder has no Close method")
	}
	get(t, e, texts[:1])
	want := e.Model()
	var wg sync.WaitGroup
	begun := make(chan bool, 4*20)
	for range 4 { // concurrent calls succeed, or fail with fault.Closed
		wg.Go(func() {
			for range 20 {
				begun <- true
				got, err := e.Embed(context.Background(), texts)
				if err != nil && !errors.Is(err, fault.Closed) || err == nil && len(got) != len(texts) {
					t.Errorf("%d vectors, error %v", len(got), err)
				}
			}
		})
	}
	for range 8 { // some have ended before Close
		<-begun
	}
	for range 2 {
		if err := closer.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	wg.Wait()
	if got, err := e.Embed(context.Background(), texts); !errors.Is(err, fault.Closed) || got != nil {
		t.Errorf("after Close: %d vectors, error %v", len(got), err)
	}
	if e.Model() != want {
		t.Errorf("after Close the model is %+v", e.Model())
	}
}

// refused checks that a call with a done ctx fails.
func refused(t *testing.T, ctx context.Context, e embed.Embedder, texts []string) {
	t.Helper()
	got, err := e.Embed(ctx, texts)
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) || got != nil {
		t.Errorf("%d vectors, error %v, want none and %v", len(got), err, ctx.Err())
	}
}

// get embeds texts and checks the form of the result.
func get(t *testing.T, e embed.Embedder, texts []string) []embed.Vector {
	t.Helper()
	got, err := e.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(texts) {
		t.Fatalf("%d texts gave %d vectors", len(texts), len(got))
	}
	for i, v := range got {
		if len(v) != e.Model().Dim {
			t.Fatalf("a vector has %d numbers, the model says %d: %.60q", len(v), e.Model().Dim, texts[i])
		}
		if n := norm(v); n != 0 && !(math.Abs(n-1) < 1e-3) { // negated, so that NaN fails
			t.Fatalf("a vector has length %v: %.60q", n, texts[i])
		}
	}
	return got
}

func same(t *testing.T, text string, want, got embed.Vector) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(want[i] - got[i])); !(d <= 1e-5) {
			t.Errorf("two answers differ by %v: %.60q", d, text)
			return
		}
	}
}

func norm(v embed.Vector) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}
