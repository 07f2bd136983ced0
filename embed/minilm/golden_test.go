package minilm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
	"blackboard/testdata/models"
)

// golden is a file of testdata/embed: vectors that ONNX Runtime computed (see the README
// there).
type golden struct {
	Model   string
	SHA256  string // of the weights, so that a changed generator is not taken for a changed result
	Vectors []struct {
		Text   string
		Vector embed.Vector
	}
}

func open(tb testing.TB, dir string) *Embedder {
	tb.Helper()
	e := expect.Value(Open(context.Background(), dir))(tb)
	tb.Cleanup(func() { e.Close() })
	return e
}

// checkGolden compares every number with the recorded one.
func checkGolden(t *testing.T, e *Embedder, file string) {
	t.Helper()
	var want golden
	loadJSON(t, filepath.Join(testdata, file), &want)
	weights := expect.Value(os.ReadFile(e.session.weights))(t)
	if sum := sha256.Sum256(weights); hex.EncodeToString(sum[:]) != want.SHA256 {
		t.Fatalf("the weights are not those of the golden vectors; record them again as testdata/embed/README.md says")
	}
	var texts []string
	for _, v := range want.Vectors {
		texts = append(texts, v.Text)
	}
	got := expect.Value(e.Embed(context.Background(), texts))(t)
	worst := 0.0
	for i, v := range want.Vectors {
		if len(got[i]) != len(v.Vector) || len(v.Vector) == 0 {
			t.Fatalf("%d numbers, want %d", len(got[i]), len(v.Vector))
		}
		for k := range v.Vector {
			d := math.Abs(float64(got[i][k] - v.Vector[k]))
			worst = max(worst, d)
			if !(d <= 1e-4) {
				t.Errorf("number %d differs by %v: %.60q", k, d, v.Text)
				break
			}
		}
	}
	t.Logf("%d vectors, largest difference %.1e", len(texts), worst)
}

func TestGoldenTiny(t *testing.T) {
	for _, name := range []string{"tiny-mean", "tiny-cls", "tiny-max"} {
		t.Run(name, func(t *testing.T) {
			checkGolden(t, open(t, models.Write(t, name, nil)), "golden-"+name+".json")
		})
	}
}

func TestGoldenStatic(t *testing.T) {
	checkGolden(t, open(t, models.Write(t, "static", nil)), "golden-static.json")
}

func TestGoldenMiniLMShaped(t *testing.T) {
	t.Parallel()
	cost.SkipUnlessLong(t)
	checkGolden(t, open(t, models.Write(t, "minilm-shaped", nil)), "golden-minilm-shaped.json")
}

func TestGoldenPotion(t *testing.T) {
	checkGolden(t, open(t, potionDir(t)), "golden-potion-base-2M.json")
}

// miniLMDir is the directory of the real weights.
func miniLMDir(tb testing.TB) string {
	return filepath.Dir(shared(tb, "models", "all-MiniLM-L6-v2", "model.onnx"))
}

// TestReferenceVectors compares the real model with the vectors published for it: the
// shortest texts, since a plain test is built without SIMD, and all of them in a long one.
func TestReferenceVectors(t *testing.T) {
	type text struct {
		Text      string
		Embedding embed.Vector
	}
	var want []text
	loadJSON(t, filepath.Join(miniLMReference(t), "reference_vectors_100.json"), &want)
	slices.SortFunc(want, func(a, b text) int { return len(a.Text) - len(b.Text) })
	if cost.Quick() {
		want = want[:20]
	}
	e := open(t, miniLMDir(t))
	if got, want := e.Model(), (embed.Model{Name: DefaultModel, Dim: 384, MaxTokens: 256}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	worst := 1.0
	for _, w := range want {
		got := expect.Value(e.Embed(t.Context(), []string{w.Text}))(t)
		c := embed.Cosine(got[0], w.Embedding)
		if worst = min(worst, c); c < 0.9999 {
			t.Errorf("cosine %.5f: %.60q", c, w.Text)
		}
	}
	t.Logf("%d texts, the least cosine is %.7f", len(want), worst)
}

// TestConformanceMiniLM runs the suite over the real weights.
func TestConformanceMiniLM(t *testing.T) {
	cost.SkipUnlessLong(t)
	dir := miniLMDir(t)
	embedtest.TestEmbedder(t, func(t *testing.T) embed.Embedder { return open(t, dir) })
}

// TestWriteModels writes the test models for ONNX Runtime to read; it is part of
// recording golden vectors.
func TestWriteModels(t *testing.T) {
	dir := os.Getenv("BOARD_WRITE_TEST_MODELS")
	if dir == "" {
		t.Skip("BOARD_WRITE_TEST_MODELS does not name a directory to write the test models to")
	}
	for name := range models.All {
		for file, data := range models.All[name]() {
			write(t, filepath.Join(dir, name, filepath.FromSlash(file)), data)
		}
	}
}
