package minilm

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/embed"

	"blackboard/testdata/expect"
	"blackboard/testdata/models"
)

// TestBrokenDirectories: whatever is wrong with a model, the error names the file and
// says what to do.
func TestBrokenDirectories(t *testing.T) {
	weights := models.All["tiny-cls"]()["model.onnx"]
	tokenizer := string(models.All["tiny-cls"]()["tokenizer.json"])
	replace := func(old, new string) []byte {
		if !strings.Contains(tokenizer, old) {
			t.Fatalf("tokenizer.json has no %s", old)
		}
		return []byte(strings.ReplaceAll(tokenizer, old, new))
	}
	bad, none := fault.BadModel, fault.NoModel
	for _, test := range []struct {
		name    string
		changes map[string][]byte
		kind    error
		want    string // in the message
	}{
		{"no weights", map[string][]byte{"model.onnx": nil}, none, "model.onnx"},
		{"empty weights", map[string][]byte{"model.onnx": {}}, bad, "model.onnx is cut short"},
		{"truncated weights", map[string][]byte{"model.onnx": weights[:len(weights)/2]}, bad, "model.onnx"},
		{"damaged weights", map[string][]byte{"model.onnx": bytes.Repeat([]byte{0xff}, 1000)}, bad, "model.onnx"},
		{"a page for weights", map[string][]byte{"model.onnx": []byte("<!doctype html><title>404</title>")}, bad, "error page"},
		{"a pointer for weights", map[string][]byte{"model.onnx": []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\n")}, bad, "Git LFS"},
		{"a directory for weights", map[string][]byte{"model.onnx": nil, "model.onnx/x": []byte("x")}, bad, "is a directory"},
		{"no vocabulary", map[string][]byte{"tokenizer.json": nil}, none, "no tokenizer.json"},
		{"damaged tokenizer", map[string][]byte{"tokenizer.json": []byte(tokenizer[:100])}, bad, "tokenizer.json"},
		{"empty tokenizer", map[string][]byte{"tokenizer.json": {}}, bad, "tokenizer.json"},
		{"another tokenizer", map[string][]byte{"tokenizer.json": replace(`"type": "WordPiece",
  "unk`, `"type": "Unigram",
  "unk`)}, bad, `"Unigram"`},
		{"another kind of tokenizer", map[string][]byte{"tokenizer.json": []byte(`{"model":{"type":"BPE","vocab":{"a":1}}}`)}, bad, `"BPE"`},
		{"another normalizer", map[string][]byte{"tokenizer.json": replace("BertNormalizer", "NFKC")}, bad, `"NFKC"`},
		{"another pre-tokenizer", map[string][]byte{"tokenizer.json": replace("BertPreTokenizer", "Metaspace")}, bad, `"Metaspace"`},
		{"another post-processor", map[string][]byte{"tokenizer.json": replace("TemplateProcessing", "ByteLevel")}, bad, "post-processor"},
		{"a template without text", map[string][]byte{"tokenizer.json": replace(`"Sequence"`, `"Other"`)}, bad, "post-processor"},
		{"no unknown token", map[string][]byte{"tokenizer.json": replace(`"unk_token": "[UNK]"`, `"unk_token": "<unk>"`)}, bad, "<unk>"},
		{"no vocabulary inside", map[string][]byte{"tokenizer.json": replace(`"vocab"`, `"vocabulary"`)}, bad, "no vocabulary"},
		{"a tokenizer of another model", map[string][]byte{"tokenizer.json": replace(`"gate": `, `"gate": 3000`)}, bad, "token id 3000"},
		{"damaged configuration", map[string][]byte{"config.json": []byte("{")}, bad, "config.json"},
		{"damaged limits", map[string][]byte{"sentence_bert_config.json": []byte(`{"max_seq_length":"many"}`)}, bad, "sentence_bert_config.json"},
		{"no room", map[string][]byte{"sentence_bert_config.json": []byte(`{"max_seq_length":2}`)}, bad, "2 tokens"},
		{"damaged steps", map[string][]byte{"modules.json": []byte("[")}, bad, "modules.json"},
		{"an unknown step", map[string][]byte{"modules.json": []byte(`[{"path":"2_Dense","type":"sentence_transformers.models.Dense"}]`)}, bad, `"Dense"`},
		{"a step elsewhere", map[string][]byte{"modules.json": []byte(`[{"path":"../../x","type":"sentence_transformers.models.Pooling"}]`)}, bad, "modules.json"},
		{"no pooling", map[string][]byte{"1_Pooling/config.json": nil}, none, filepath.Join("1_Pooling", "config.json")},
		{"two kinds of pooling", map[string][]byte{"1_Pooling/config.json": []byte(`{"pooling_mode_cls_token":true,"pooling_mode_max_tokens":true}`)}, bad, "pooling"},
		{"unknown pooling", map[string][]byte{"1_Pooling/config.json": []byte(`{"pooling_mode":"lasttoken"}`)}, bad, "pooling"},
		{"pooling of another size", map[string][]byte{"1_Pooling/config.json": []byte(`{"pooling_mode":"mean","word_embedding_dimension":99}`)}, bad, "99"},
		{"no size anywhere", map[string][]byte{"config.json": nil}, bad, "config.json"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := Open(context.Background(), models.Write(t, "tiny-cls", test.changes))
			if e != nil || !errors.Is(err, test.kind) || len(fault.Next(err)) == 0 {
				t.Fatalf("%v, %v, want %v and a hint", e, err, test.kind)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v does not mention %s", err, test.want)
			}
		})
	}
}

func TestNoDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, []byte("x"))
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "absent"), file} {
		if _, err := Open(context.Background(), dir); !errors.Is(err, fault.NoModel) {
			t.Errorf("%q: %v", dir, err)
		}
	}
}

// TestUnusableWeights are sound files that are no embedding models.
func TestUnusableWeights(t *testing.T) {
	ids, mask := models.Value("input_ids", 7, -1, -1), models.Value("attention_mask", 7, -1, -1)
	table := func(o *models.ONNX) string {
		return o.Node("Gather", []string{o.Random(0, 1, len(models.Vocab), 16), "input_ids"})
	}
	for _, test := range []struct {
		name  string
		build func(o *models.ONNX) []byte
		want  string
	}{
		{"other input", func(o *models.ONNX) []byte {
			return o.File([][]byte{models.Value("pixels", 1, -1, -1)}, [][]byte{models.Value("x", 1, -1, -1, 16)})
		}, "pixels"},
		{"positions wanted", func(o *models.ONNX) []byte {
			return o.File([][]byte{ids, models.Value("position_ids", 7, -1, -1)}, [][]byte{models.Value(table(o), 1, -1, -1, 16)})
		}, "position_ids"},
		{"other output", func(o *models.ONNX) []byte {
			return o.File([][]byte{ids, mask}, [][]byte{models.Value(table(o), 1, 1)})
		}, "no output"},
		{"no output", func(o *models.ONNX) []byte { return o.File([][]byte{ids}, nil) }, "no model outputs"},
	} {
		_, err := Open(context.Background(), models.Write(t, "tiny-cls", map[string][]byte{"model.onnx": test.build(&models.ONNX{})}))
		if !errors.Is(err, fault.BadModel) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	for _, test := range []struct {
		name  string
		build func(o *models.ONNX) []byte
	}{ // found out when the model runs
		{"unknown operation", func(o *models.ONNX) []byte {
			return o.File([][]byte{ids}, [][]byte{models.Value(o.Node("Frobnicate", []string{table(o)}), 1, -1, -1, 16)})
		}},
		{"no numbers", func(o *models.ONNX) []byte {
			return o.File([][]byte{ids}, [][]byte{models.Value(o.Node("Div", []string{table(o), o.Scalar(0)}), 1, -1, -1, 16)})
		}},
	} {
		changes := map[string][]byte{"model.onnx": test.build(&models.ONNX{}), "1_Pooling/config.json": []byte(`{"pooling_mode":"mean"}`)}
		e, err := Open(context.Background(), models.Write(t, "tiny-cls", changes))
		if err == nil {
			_, err = e.Embed(context.Background(), []string{"gate"})
			e.Close()
		}
		if !errors.Is(err, fault.BadModel) || !strings.Contains(err.Error(), "model.onnx") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestLayouts are other ways in which the same model is published: all give the same
// vectors.
func TestLayouts(t *testing.T) {
	text := "The gate (Gäte) is shut [SEP] 中文!"
	embedOne := func(dir string) embed.Vector {
		t.Helper()
		got := expect.Value(open(t, dir).Embed(context.Background(), []string{text}))(t)
		return got[0]
	}
	files := models.All["static"]()
	want := embedOne(models.Write(t, "static", nil))
	same := func(name, dir string) {
		t.Helper()
		if c := embed.Cosine(want, embedOne(dir)); c < 0.999999 {
			t.Errorf("%s: cosine %v", name, c)
		}
	}
	same("bare", models.Write(t, "static", map[string][]byte{"modules.json": nil, "1_Pooling/config.json": nil, "sentence_bert_config.json": nil, "tokenizer_config.json": nil}))
	same("weights at the top", models.Write(t, "static", map[string][]byte{"model.onnx": files["onnx/model.onnx"], "onnx/model.onnx": nil}))
	same("other weights beside", models.Write(t, "static", map[string][]byte{"onnx/model_qint8.onnx": []byte("never read"), "onnx/a/model.onnx": []byte("never read")}))
	same("BertProcessing", models.Write(t, "static", map[string][]byte{"tokenizer.json": []byte(strings.Replace(string(files["tokenizer.json"]),
		`"post_processor": {`, `"post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}, "unused": {`, 1))}))

	moved := map[string][]byte{"modules.json": bytes.Replace(files["modules.json"], []byte(`"path": ""`), []byte(`"path": "0_Transformer"`), 1)}
	for _, name := range []string{"config.json", "sentence_bert_config.json", "tokenizer.json", "tokenizer_config.json", weightsName} {
		moved["0_Transformer/"+name], moved[name] = files[name], nil
	}
	same("transformer in its own directory", models.Write(t, "static", moved))

	odd := filepath.Join(t.TempDir(), "a b#c%20é?x")
	if err := os.Rename(models.Write(t, "static", nil), odd); err != nil {
		t.Skipf("this file system does not take the name: %v", err)
	}
	same("odd characters in the path", odd)

	// As the Hugging Face cache lays it out: links to files that are named after their
	// contents.
	linked, blobs := t.TempDir(), t.TempDir()
	for name, data := range files {
		blob := filepath.Join(blobs, strings.ReplaceAll(name, "/", "-")+"-blob")
		write(t, blob, data)
		link := filepath.Join(linked, filepath.FromSlash(name))
		expect.OK(t, os.MkdirAll(filepath.Dir(link), 0o755))
		if err := os.Symlink(blob, link); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	same("links", linked)
	whole := filepath.Join(t.TempDir(), "link")
	expect.OK(t, os.Symlink(linked, whole))
	same("a link to the directory", whole)
	t.Chdir(filepath.Dir(linked))
	same("a relative path", filepath.Base(linked))
}
