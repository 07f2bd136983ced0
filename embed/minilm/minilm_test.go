package minilm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
	"blackboard/testdata/models"
	"blackboard/testdata/wait"
)

func TestMain(m *testing.M) {
	if cost.Race && os.Getenv("BOARD_TEST_CHECKPTR_OFF") == "" {
		fmt.Println("skipped: with -race Go checks pointers, and gomlx's matrix product does " +
			"not pass; these tests run with BOARD_TEST_CHECKPTR_OFF=1 go test -race " +
			"-gcflags=github.com/gomlx/...=-d=checkptr=0")
		return
	}
	os.Exit(cost.Main(m))
}

func TestConformanceTiny(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	t.Parallel()
	names := []string{"tiny-mean", "tiny-cls", "tiny-max"}
	if cost.Race {
		names = names[:1]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			dir := models.Write(t, name, nil)
			embedtest.TestEmbedder(t, func(t *testing.T) embed.Embedder { return open(t, dir) })
		})
	}
}

func TestConformanceStatic(t *testing.T) {
	dir := models.Write(t, "static", nil)
	embedtest.TestEmbedder(t, func(t *testing.T) embed.Embedder { return open(t, dir) })
}

// withSlots has a model that nobody uses yet compute n texts at the same time.
func withSlots(e *Embedder, n int) *Embedder {
	e.slots = make(chan struct{}, n)
	return e
}

func TestConformanceOneSlot(t *testing.T) {
	cost.SkipQuick(t)
	dir := models.Write(t, "static", nil)
	embedtest.TestEmbedder(t, func(t *testing.T) embed.Embedder { return withSlots(open(t, dir), 1) })
}

func TestConformancePotion(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	dir := potionDir(t)
	embedtest.TestEmbedder(t, func(t *testing.T) embed.Embedder { return open(t, dir) })
}

func TestModel(t *testing.T) {
	e := open(t, models.Write(t, "tiny-cls", nil))
	if got, want := e.Model(), (embed.Model{Name: "model-9d0c679de368", Dim: 16, MaxTokens: 48}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	e = open(t, potionDir(t))
	if got, want := e.Model(), (embed.Model{Name: "model-1ddca2c2c466", Dim: 64, MaxTokens: 512}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestNothingKnown: without special tokens an empty text has no tokens, and the model
// never sees it.
func TestNothingKnown(t *testing.T) {
	e := open(t, potionDir(t))
	got := expect.Value(e.Embed(context.Background(), []string{"", "a word", " \n", "\u200b"}))(t)
	for i, zero := range []bool{true, false, true, true} {
		if c := embed.Cosine(got[i], got[i]); (c == 0) != zero {
			t.Errorf("text %d has the vector %v", i, got[i])
		}
	}
}

// TestCloseWaits has Close wait for a call that waits for its turn.
func TestCloseWaits(t *testing.T) {
	dir := models.Write(t, "static", nil)
	synctest.Test(t, func(t *testing.T) {
		e := withSlots(open(t, dir), 1)
		e.slots <- struct{}{} // somebody computes
		var embedded, closed bool
		go func() {
			if _, err := e.Embed(t.Context(), []string{"gate", "gate"}); err != nil {
				t.Error(err)
			}
			embedded = true
		}()
		synctest.Wait()
		go func() {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			closed = true
		}()
		synctest.Wait()
		if embedded || closed {
			t.Errorf("before its turn: embedded %v, closed %v", embedded, closed)
		}
		<-e.slots
		synctest.Wait()
		if !embedded || !closed {
			t.Errorf("after its turn: embedded %v, closed %v", embedded, closed)
		}
	})
}

// TestCloseWhileCallsRun: they end well, and a call that was cancelled does not leave
// work behind that outlives Close.
func TestCloseWhileCallsRun(t *testing.T) {
	dir := models.Write(t, "static", nil)
	texts := strings.Split(strings.Repeat("the gate is open while evidence of each worker is in the table\n", 400), "\n")
	for range 5 {
		e := open(t, dir)
		ctx, cancel := context.WithCancel(context.Background())
		done, cancelled := make(chan error, 1), make(chan error, 1)
		go func() { _, err := e.Embed(context.Background(), texts); done <- err }()
		go func() { _, err := e.Embed(ctx, texts); cancelled <- err }()
		wait.For(t, func() bool { return len(e.slots) > 0 }, func() string { return "no call has begun" })
		cancel()
		expect.OK(t, e.Close())
		if err := <-done; err != nil && !errors.Is(err, fault.Closed) { // closed before it began
			t.Errorf("the call that ran when Close was called: %v", err)
		}
		if err := <-cancelled; err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, fault.Closed) {
			t.Errorf("the cancelled call: %v", err)
		}
	}
}

// TestNoGoroutinesLeft: what a cancelled call leaves behind ends soon.
func TestNoGoroutinesLeft(t *testing.T) {
	e := open(t, models.Write(t, "static", nil))
	expect.Value(e.Embed(context.Background(), make([]string, 20)))(t)
	before := runtime.NumGoroutine()
	for range 20 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		e.Embed(ctx, make([]string, 10_000)) // the suite looks at what it returns
		cancel()
	}
	wait.For(t, func() bool { return runtime.NumGoroutine() <= before+2 },
		func() string { return fmt.Sprintf("%d goroutines, %d before", runtime.NumGoroutine(), before) })
}

// TestShortCallIsNotStarved: a question asked while a long list is embedded waits for a
// text or two, not for the list: it is answered first.
func TestShortCallIsNotStarved(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	e := withSlots(open(t, models.Write(t, "static", nil)), 1)
	ctx, cancel := context.WithCancel(context.Background())
	long := make(chan error, 1)
	go func() { _, err := e.Embed(ctx, make([]string, 1_000_000)); long <- err }()
	wait.For(t, func() bool { return len(e.slots) > 0 }, func() string { return "the long call has not begun" })
	expect.Value(e.Embed(context.Background(), []string{"gate"}))(t)
	select {
	case err := <-long:
		t.Fatalf("the long call is over: %v", err)
	default:
	}
	cancel()
	if err := <-long; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestQuestionDoesNotWait: a question is answered while all slots are taken by texts.
func TestQuestionDoesNotWait(t *testing.T) {
	e := withSlots(open(t, models.Write(t, "static", nil)), 1)
	e.slots <- struct{}{} // a long text is computed
	if _, err := e.Embed(t.Context(), []string{"gate"}); err != nil {
		t.Error(err)
	}
	<-e.slots
}

func TestOpenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if e, err := Open(ctx, models.Write(t, "static", nil)); !errors.Is(err, context.Canceled) || e != nil {
		t.Errorf("%v, %v", e, err)
	}
}

func TestBuckets(t *testing.T) {
	for limit, want := range map[int][]int{
		1:    {1},
		16:   {16},
		48:   {16, 32, 48},
		100:  {16, 32, 48, 64, 96, 100},
		256:  {16, 32, 48, 64, 96, 128, 192, 256},
		512:  {16, 32, 48, 64, 96, 128, 192, 256, 384, 512},
		3000: {16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 3000},
	} {
		got := buckets(limit)
		if len(got) != len(want) {
			t.Errorf("buckets(%d) = %v, want %v", limit, got, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("buckets(%d) = %v, want %v", limit, got, want)
				break
			}
		}
	}
}

func TestPool(t *testing.T) {
	tokens := [][]float32{{1, -4}, {3, -2}, {2, -6}}
	for how, want := range map[pooling]embed.Vector{poolCLS: {1, -4}, poolMax: {3, -2}, poolMean: {6, -12}} {
		got := how.pool(tokens, 2)
		for i := range want {
			if math.Abs(float64(got[i]-want[i])) > 1e-6 {
				t.Errorf("%s: %v, want %v", how, got, want)
			}
		}
	}
}

func TestDefaultDir(t *testing.T) {
	none := func(string) string { return "" }
	if got, want := DefaultDir("home", none), filepath.Join("home", "models", "all-MiniLM-L6-v2"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	set := func(name string) string { return map[string]string{"BOARD_MODEL_DIR": "elsewhere"}[name] }
	if got := DefaultDir("home", set); got != "elsewhere" {
		t.Errorf("%s, want elsewhere", got)
	}
}

// TestOwnSession: once questions are asked, long calls do not share the workers of hugot with
// them. The vectors are the same, and the second session does not stay.
func TestOwnSession(t *testing.T) {
	e := open(t, models.Write(t, "tiny-mean", nil))
	texts := []string{"gate", "the gate is shut", "rotate the keys"}
	before, err := e.Embed(t.Context(), texts)
	if err != nil || e.many.session != nil {
		t.Fatalf("without a question: %v, %v", e.many.session, err)
	}
	expect.Value(e.Embed(t.Context(), texts[:1]))(t)
	after, err := e.Embed(t.Context(), texts)
	if err != nil || e.many.session == nil || e.many.session == e.session {
		t.Fatalf("after a question: %v, %v", e.many.session, err)
	}
	for i := range texts {
		if c := embed.Cosine(before[i], after[i]); c < 1-1e-6 {
			t.Errorf("%q: cosine %v", texts[i], c)
		}
	}
	if e.many.release(); e.many.session != nil {
		t.Error("a session that nobody uses was not released")
	}
	if _, err := e.Embed(t.Context(), texts); err != nil {
		t.Error(err)
	}
	if e.Close(); e.many.session != nil {
		t.Error("the second session outlives the model")
	}
}
