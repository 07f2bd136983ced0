//go:build linux || darwin

package ort

import (
	"slices"
	"strings"
	"testing"

	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/models"
)

// quantized writes the form of a test model that has weights of 8 bits.
func quantized(t *testing.T, name string, shape models.Shape, vocab int) string {
	t.Helper()
	shape.Int8 = true
	return models.Write(t, name, map[string][]byte{
		"onnx/model.onnx": models.BERT(shape, vocab, shape.Hidden),
	})
}

// TestInt8: both engines compute a model with weights of 8 bits, and it is another model
// than the one with the full weights.
func TestInt8(t *testing.T) {
	theLibrary(t)
	if cost.Race {
		t.Skip("with -race Go checks pointers, and gomlx's matrix product does not pass")
	}
	texts := []string{"The gate stays shut while a critical question is open.", "ok", "", "worked"}
	vectors := func(m embed.Embedder) []embed.Vector {
		got, err := m.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	dir := quantized(t, "tiny-mean", models.Tiny, len(models.Vocab))
	full := vectors(openTest(t, models.Write(t, "tiny-mean", nil)))
	native, reference := vectors(openTest(t, dir)), vectors(opened(t, dir, Off, nil))
	for i, text := range texts {
		near, same := embed.Cosine(native[i], full[i]), embed.Cosine(native[i], reference[i])
		t.Logf("cosine with the full weights %.5f, with hugot's %.5f: %q", near, same, text)
		if near < 0.98 || near > 0.999999 || same < 0.995 {
			t.Errorf("%q: cosine %.7f with the full weights, %.7f with hugot's", text, near, same)
		}
	}
}

// TestSpeedOfInt8 measures a model of MiniLM's size with weights of 8 bits beside the
// same with the full weights, in turns.
func TestSpeedOfInt8(t *testing.T) {
	skipSpeed(t)
	const vocabulary = 30522
	full := openTest(t, miniLM(t))
	small := openTest(t, quantized(t, "minilm-shaped", models.MiniLM, vocabulary))
	for _, tokens := range []int{14, 200} {
		text := []string{strings.Repeat("gate ", tokens-2)}
		var a, b []float64
		for range 15 {
			a = append(a, mean(runOurs(t, full, text, 4)))
			b = append(b, mean(runOurs(t, small, text, 4)))
		}
		t.Logf("one text of %d tokens: full weights %.2f ms, 8 bits %.2f ms: median ratio %.2f",
			tokens, median(a), median(b), ratio(b, a))
	}
	texts := slices.Repeat([]string{strings.Repeat("gate ", 198)}, 8)
	var a, b []float64
	for range 8 {
		a = append(a, runOurs(t, full, texts, 1)[0]/8)
		b = append(b, runOurs(t, small, texts, 1)[0]/8)
	}
	t.Logf("a text of 200 tokens among 8: full weights %.2f ms, 8 bits %.2f ms: median ratio %.2f; "+
		"resident %d MB and %d MB", median(a), median(b), ratio(b, a), full.resident()>>20, small.resident()>>20)
	texts = []string{"gate", "The gate stays shut while a critical question is open.", strings.Repeat("a worker posts evidence ", 40)}
	want, err1 := full.Embed(t.Context(), texts)
	got, err2 := small.Embed(t.Context(), texts)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for i, text := range texts {
		t.Logf("cosine %.5f: %.40q", embed.Cosine(got[i], want[i]), text)
	}
}
