//go:build linux || darwin

package ort

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"blackboard/embed"
	"blackboard/embed/embedtest"
	"blackboard/embed/minilm"
	"blackboard/testdata/cost"
	"blackboard/testdata/models"
)

// TestMain makes the test program a host where a host is the program itself.
func TestMain(m *testing.M) {
	Serve()
	if dir := os.Getenv("BOARD_TEST_COLD"); dir != "" {
		cold(dir)
	}
	os.Exit(m.Run())
}

func theLibrary(tb testing.TB) string {
	tb.Helper()
	found, _, _ := candidates(func(string) string { return "" })
	return models.ONNXRuntime(tb, found...)
}

func openWith(tb testing.TB, dir string, threads int) *Embedder {
	tb.Helper()
	f, err := minilm.Read(tb.Context(), dir)
	if err != nil {
		tb.Fatal(err)
	}
	e, err := open(f, theLibrary(tb), threads)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { e.Close() })
	return e
}

func openTest(tb testing.TB, dir string) *Embedder {
	tb.Helper()
	return openWith(tb, dir, threads())
}

func TestConformance(t *testing.T) {
	theLibrary(t)
	for _, name := range []string{"tiny-mean", "tiny-cls", "tiny-max", "static"} {
		t.Run(name, func(t *testing.T) {
			dir := models.Write(t, name, nil)
			embedtest.TestEmbedder(t, func(t *testing.T) embed.Embedder { return openTest(t, dir) })
		})
	}
}

// TestConformanceOpen holds what Open returns to the contract, whatever the engine.
func TestConformanceOpen(t *testing.T) {
	path := theLibrary(t)
	dir := models.Write(t, "static", nil)
	for _, named := range []string{path, Off} {
		embedtest.TestEmbedder(t, func(t *testing.T) embed.Embedder { return opened(t, dir, named, nil) })
	}
}

// opened is what Open gives with the library that is named; problems takes what is
// said.
func opened(tb testing.TB, dir, named string, problems *[]string) Model {
	tb.Helper()
	m, err := Open(tb.Context(), dir, env(named), func(problem string) {
		if problems == nil {
			tb.Error(problem)
			return
		}
		*problems = append(*problems, problem)
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { m.Close() })
	return m
}

func env(named string) func(string) string {
	return func(name string) string { return map[string]string{Variable: named}[name] }
}

// TestGolden compares with vectors that onnxruntime-node recorded.
func TestGolden(t *testing.T) {
	theLibrary(t)
	for _, name := range []string{"tiny-mean", "tiny-cls", "tiny-max", "static", "minilm-shaped"} {
		t.Run(name, func(t *testing.T) {
			var golden struct {
				Vectors []struct {
					Text   string
					Vector embed.Vector
				}
			}
			data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "embed", "golden-"+name+".json"))
			if err == nil {
				err = json.Unmarshal(data, &golden)
			}
			if err != nil || len(golden.Vectors) == 0 {
				t.Fatalf("%d vectors, %v", len(golden.Vectors), err)
			}
			var texts []string
			for _, v := range golden.Vectors {
				texts = append(texts, v.Text)
			}
			got, err := openTest(t, models.Write(t, name, nil)).Embed(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range golden.Vectors {
				for k := range v.Vector {
					if d := math.Abs(float64(got[i][k] - v.Vector[k])); !(d <= 1e-4) {
						t.Errorf("number %d differs by %v: %.60q", k, d, v.Text)
						break
					}
				}
			}
		})
	}
}

// TestSameAsHugot: an index cannot tell which engine made a vector.
func TestSameAsHugot(t *testing.T) {
	theLibrary(t)
	cost.SkipUnlessLong(t)
	dir := models.Write(t, "minilm-shaped", nil)
	native, reference := openTest(t, dir), opened(t, dir, Off, nil)
	if native.Model() != reference.Model() {
		t.Errorf("%+v and %+v", native.Model(), reference.Model())
	}
	texts := []string{
		"The gate stays shut while a critical question is open.", "ok", "", "Der Nachtlauf stößt gegen 02:30 Uhr an.", "日本語の文章", "\xff\xfe",
		strings.Repeat("worker evidence batch ", 40), strings.Repeat("a text beyond the limit ", 300), "[CLS] [SEP] capturePane(), scripts/build.sh:42",
	}
	got, err := native.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	want, err := reference.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range texts {
		if c := embed.Cosine(got[i], want[i]); c < 0.99999 {
			t.Errorf("cosine %.7f: %.60q", c, texts[i])
		}
	}
}

// TestQuestionsGoFirst: a question interrupts what is computed for a list, and the list
// is complete all the same.
func TestQuestionsGoFirst(t *testing.T) {
	e := openTest(t, models.Write(t, "tiny-mean", nil))
	texts := make([]string, 3000)
	for i := range texts {
		texts[i] = strings.Repeat("gate worker ", 1+i%20)
	}
	list := make(chan error, 1)
	var vectors []embed.Vector
	go func() {
		var err error
		vectors, err = e.Embed(context.Background(), texts)
		list <- err
	}()
	asked := 0
	for over := false; !over; asked++ {
		if _, err := e.Embed(t.Context(), []string{"open question"}); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-list:
			if err != nil {
				t.Fatal(err)
			}
			over = true
		default:
		}
	}
	for i, v := range vectors {
		if len(v) != e.Model().Dim {
			t.Fatalf("text %d has no vector", i)
		}
	}
	t.Logf("%d questions meanwhile", asked)
}

// TestNextIsAQuestion: whatever came first, a question is next, and lists take turns.
func TestNextIsAQuestion(t *testing.T) {
	list, other, question := &call{}, &call{}, &call{}
	e := &Embedder{lists: []*call{list, other}, questions: []*call{question}}
	for i, want := range []*call{question, list, other} {
		if got, urgent := e.next(); got != want || urgent != (i == 0) {
			t.Errorf("turn %d: not whose turn it is, urgent %v", i, urgent)
		}
	}
}

// TestInterrupted: an interrupted run says so, and the next one is whole.
func TestInterrupted(t *testing.T) {
	e := openTest(t, models.Write(t, "tiny-mean", nil))
	ids := [][]uint32{e.files.Encode("gate open"), e.files.Encode("worker")}
	s := e.session
	if err := s.do(fnSetTerminate, s.options); err != nil { // as if it came in the middle
		t.Fatal(err)
	}
	want, err := s.run(ids, true)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.running, s.stopped = true, true
	s.mu.Unlock()
	if err := s.finished(errors.New("terminated")); !errors.Is(err, errInterrupted) {
		t.Fatalf("%v", err)
	}
	got, err := s.run(ids, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if embed.Cosine(want[i], got[i]) < 0.99999 {
			t.Errorf("vector %d differs after an interruption", i)
		}
	}
}

func TestBatches(t *testing.T) {
	ids := func(lengths ...int) *call {
		c := &call{}
		for i, n := range lengths {
			c.ids, c.order = append(c.ids, make([]uint32, n)), append(c.order, i)
		}
		return c
	}
	for _, test := range []struct {
		c    *call
		mask bool
		want int
	}{
		{ids(300, 1, 1), true, 1}, {ids(50, 50, 50), true, 2}, {ids(50, 49, 1), true, 2}, {ids(50, 49, 1), false, 1}, {ids(25, 25, 25, 25, 25), false, 4}, {ids(3), true, 1},
	} {
		e := &Embedder{batch: 100, session: &session{mask: test.mask}}
		if got := e.batchOf(test.c); got != test.want {
			t.Errorf("%d texts together, want %d", got, test.want)
		}
	}
}

// TestCloseLeavesNoCallBehind: a call that began before Close may come to the queue
// after it.
func TestCloseLeavesNoCallBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &Embedder{ended: make(chan struct{}), release: func() {}}
		e.wake = sync.NewCond(&e.mu)
		e.running.Add(1)
		took := make(chan *call, 1)
		go func() {
			defer close(e.ended)
			c, _ := e.next()
			took <- c
			e.running.Done()
			e.next()
		}()
		go e.Close()
		synctest.Wait()
		late := &call{}
		e.mu.Lock()
		e.questions = append(e.questions, late)
		e.wake.Signal()
		e.mu.Unlock()
		if got := <-took; got != late {
			t.Error("the worker has ended before the call")
		}
	})
}
