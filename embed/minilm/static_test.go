package minilm

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
	"blackboard/testdata/models"
)

// safetensors is a file of one tensor.
func safetensors(tb testing.TB, name, kind string, shape []int, numbers []float32) []byte {
	tb.Helper()
	header := expect.Value(json.Marshal(map[string]any{
		"__metadata__": map[string]string{"format": "pt"},
		name: map[string]any{
			"dtype": kind, "shape": shape, "data_offsets": []int{0, 4 * len(numbers)},
		},
	}))(tb)
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	data = expect.Value(binary.Append(append(data, header...), binary.LittleEndian, numbers))(tb)
	return data
}

// row is the vector of a token.
func row(id int) embed.Vector {
	return embed.Vector{float32(id%17) - 8, float32(id*37%11) - 5, 1}
}

// staticFiles are those of a published static model.
func staticFiles(tb testing.TB) map[string][]byte {
	tb.Helper()
	var numbers []float32
	for i := range models.Vocab {
		numbers = append(numbers, row(i)...)
	}
	files := models.BERTFiles(models.Tiny, "mean", 48)
	files["config.json"] = []byte(`{"model_type": "model2vec", "hidden_dim": 3, "normalize": true}`)
	files["modules.json"] = []byte(`[
		{"path": ".", "type": "sentence_transformers.models.StaticEmbedding"},
		{"path": "1_Normalize", "type": "sentence_transformers.models.Normalize"}]`)
	delete(files, "1_Pooling/config.json")
	delete(files, "sentence_bert_config.json")
	files[staticWeights] = safetensors(tb, "embeddings", "F32", []int{len(models.Vocab), 3}, numbers)
	return files
}

func writeStatic(tb testing.TB, changes map[string][]byte) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "table")
	files := staticFiles(tb)
	for name, data := range changes {
		files[name] = data
	}
	for name, data := range files {
		write(tb, filepath.Join(dir, filepath.FromSlash(name)), data)
	}
	return dir
}

func TestStaticModel(t *testing.T) {
	dir := writeStatic(t, nil)
	embedtest.TestEmbedder(t, func(t *testing.T) embed.Embedder { return open(t, dir) })
	e := open(t, dir)
	if got := e.Model(); got.Dim != 3 || got.MaxTokens != 512 {
		t.Errorf("%+v", got)
	}
	gate, worker := row(slices.Index(models.Vocab, "gate")), row(slices.Index(models.Vocab, "worker"))
	both := slices.Clone(gate)
	for i := range both {
		both[i] += worker[i]
	}
	for text, want := range map[string]embed.Vector{
		"gate":          gate,
		"Gate ☃ worker": both, // what is unknown has no say

		strings.Repeat("gate ", 600) + "worker": gate,
	} {
		got, err := e.Embed(t.Context(), []string{text})
		if err != nil || embed.Cosine(got[0], want) < 0.999999 {
			t.Errorf("%.20q: %v, %v, want the direction of %v", text, got, err, want)
		}
	}
	if info, err := Inspect(dir); err != nil || info.Dim != 3 || info.MaxTokens != 512 {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestStaticModelIsBroken: what is no table, or not the tokenizer's, is refused.
func TestStaticModelIsBroken(t *testing.T) {
	rows := make([]float32, 3*len(models.Vocab))
	shape := []int{len(models.Vocab), 3}
	sound := safetensors(t, "embeddings", "F32", shape, rows)
	for name, data := range map[string][]byte{
		"empty": {}, "text": []byte("no table at all, but a text"), "cut": sound[:len(sound)-1],
		"other name": safetensors(t, "weights", "F32", shape, rows),
		"other kind": safetensors(t, "embeddings", "I8", shape, rows),
		"too few":    safetensors(t, "embeddings", "F32", []int{2, 3}, rows[:6]),
		"no shape":   safetensors(t, "embeddings", "F32", nil, rows),
		"overflow":   safetensors(t, "embeddings", "F32", []int{1 << 62, 4}, rows),
		"header":     slices.Concat([]byte{255, 255, 255, 255, 255, 255, 255, 255}, sound),
	} {
		changes := map[string][]byte{staticWeights: data}
		e, err := Open(t.Context(), writeStatic(t, changes))
		if !errors.Is(err, fault.BadModel) || e != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPullStatic: of a static model the table is fetched, not its ONNX form; of others
// the ONNX form, and not the same weights again.
func TestPullStatic(t *testing.T) {
	for _, static := range []bool{true, false} {
		files := staticFiles(t)
		files["onnx/model.onnx"] = models.Static(models.Tiny, len(models.Vocab))
		if !static {
			files["config.json"] = []byte(`{"model_type": "bert"}`)
		}
		m := newMirror(t, files)
		dir := filepath.Join(t.TempDir(), "m")
		mustPull(t, m, dir, func(o *PullOptions) { o.Manifest = unpinned() })
		fetched := m.requests()
		if slices.Contains(fetched, staticWeights) != static || slices.Contains(fetched, "onnx/model.onnx") == static {
			t.Errorf("static %v: %q", static, fetched)
		}
		open(t, dir)
	}
}
