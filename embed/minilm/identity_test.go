package minilm

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/testdata/expect"
	"blackboard/testdata/models"
)

func identify(t *testing.T, dir string) string {
	t.Helper()
	name := expect.Value(Identify(dir))(t)
	if e := open(t, dir); e.Model().Name != name {
		t.Errorf("the embedder says %s, the files %s", e.Model().Name, name)
	}
	return name
}

// TestIdentity: a model is its content. Where it lies does not count, and what its vectors
// depend on does.
func TestIdentity(t *testing.T) {
	was := identify(t, models.Write(t, "static", nil))
	moved := filepath.Join(t.TempDir(), "moved")
	expect.OK(t, os.Rename(models.Write(t, "static", map[string][]byte{"README.md": []byte("new")}), moved))
	if now := identify(t, moved); now != was || !strings.HasPrefix(was, "model-") {
		t.Errorf("%s, elsewhere %s", was, now)
	}
	files := models.All["static"]()
	for name, change := range map[string]map[string][]byte{
		"weights":   {weightsName: models.Static(models.Tiny, len(models.Vocab)+1)},
		"tokenizer": {"tokenizer.json": append(bytes.Clone(files["tokenizer.json"]), ' ')},
		"limit":     {"sentence_bert_config.json": []byte(`{"max_seq_length":20}`)},
		"pooling":   {"1_Pooling/config.json": []byte(`{"pooling_mode":"max"}`)},
	} {
		if now := identify(t, models.Write(t, "static", change)); now == was {
			t.Errorf("another %s, and still %s", name, now)
		}
	}
}

// TestKnownModel: weights are known whoever has exported them, but with their own tokenizer
// and limit alone.
func TestKnownModel(t *testing.T) {
	files := models.All["static"]()
	knowing(t, manifestOf(files), 48, "another exporter's", sum(files[weightsName]))
	top := map[string][]byte{"model.onnx": files[weightsName], weightsName: nil}
	if name := identify(t, models.Write(t, "static", top)); name != "m" {
		t.Errorf("known weights are %s", name)
	}
	top["sentence_bert_config.json"] = []byte(`{"max_seq_length":20}`)
	if name := identify(t, models.Write(t, "static", top)); name == "m" {
		t.Error("another limit, and still m")
	}
}

// TestIdentityInstalled: what was installed is not read again to be known, unless it was
// changed since.
func TestIdentityInstalled(t *testing.T) {
	m := newMirror(t, models.All["static"]())
	dir := filepath.Join(t.TempDir(), "m")
	mustPull(t, m, dir, nil)
	was := identify(t, dir)
	write(t, filepath.Join(dir, weightsName), models.Static(models.Tiny, len(models.Vocab)+1))
	if now := identify(t, dir); now == was {
		t.Error("other weights, and still the same model")
	}
}
