package minilm

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/testdata/cost"
)

// bertShape is the size of a model.
type bertShape struct {
	Layers, Hidden, Heads, Inner, Positions int
	spread                                  float32 // of the weights
}

var (
	tinyShape   = bertShape{Layers: 2, Hidden: 16, Heads: 2, Inner: 32, Positions: 64, spread: 0.5}
	miniLMShape = bertShape{Layers: 6, Hidden: 384, Heads: 12, Inner: 1536, Positions: 512, spread: 0.08} // all-MiniLM-L6-v2's, but for the vocabulary
)

// bert builds a model as PyTorch exports BERT: with the primitive operations of opset 13. hidden names the last dimension of the output
// as it is declared; -1 leaves it open, as some exporters do.
func bert(s bertShape, vocab, hidden int) []byte {
	o := &onnx{state: 1}
	op := func(name string, in ...string) string { return o.node(name, in) }
	dense := func(x string, from, to int) string {
		return op("Add", op("MatMul", x, o.random(0, s.spread, from, to)), o.random(0, 0.1, to))
	}
	last := attr("axes", []int{-1})
	layerNorm := func(x string) string {
		d := op("Sub", x, o.node("ReduceMean", []string{x}, last))
		variance := o.node("ReduceMean", []string{op("Pow", d, o.scalar(2))}, last)
		y := op("Div", d, op("Sqrt", op("Add", variance, o.scalar(1e-12))))
		return op("Add", op("Mul", y, o.random(1, 0.2, s.Hidden)), o.random(0, 0.1, s.Hidden))
	}
	gelu := func(x string) string {
		y := op("Add", op("Erf", op("Div", x, o.scalar(float32(math.Sqrt2)))), o.scalar(1))
		return op("Mul", op("Mul", x, y), o.scalar(0.5))
	}

	var positions []int
	for i := range s.Positions {
		positions = append(positions, i)
	}
	length := op("Gather", op("Shape", "input_ids"), o.ints(1))
	position := op("Slice", o.ints(positions...), o.ints(0), length, o.ints(0))
	x := op("Gather", o.random(0, 1, vocab, s.Hidden), "input_ids")
	x = op("Add", x, op("Gather", o.random(0, 1, 2, s.Hidden), "token_type_ids"))
	x = layerNorm(op("Add", x, op("Gather", o.random(0, 1, s.Positions, s.Hidden), position)))
	mask := o.node("Cast", []string{op("Unsqueeze", "attention_mask", o.ints(1, 2))}, attr("to", 1))
	mask = op("Mul", op("Sub", o.scalar(1), mask), o.scalar(-10000))

	for range s.Layers {
		size := s.Hidden / s.Heads
		head := func(perm ...int) string {
			split := op("Reshape", dense(x, s.Hidden, s.Hidden), o.ints(0, 0, s.Heads, size))
			return o.node("Transpose", []string{split}, attr("perm", perm))
		}
		scores := op("Div", op("MatMul", head(0, 2, 1, 3), head(0, 2, 3, 1)), o.scalar(float32(math.Sqrt(float64(size)))))
		weights := o.node("Softmax", []string{op("Add", scores, mask)}, attr("axis", -1))
		mixed := o.node("Transpose", []string{op("MatMul", weights, head(0, 2, 1, 3))}, attr("perm", []int{0, 2, 1, 3}))
		x = layerNorm(op("Add", x, dense(op("Reshape", mixed, o.ints(0, 0, s.Hidden)), s.Hidden, s.Hidden)))
		x = layerNorm(op("Add", x, dense(gelu(dense(x, s.Hidden, s.Inner)), s.Inner, s.Hidden)))
	}
	o.nodeAs("last_hidden_state", "Identity", []string{x})
	inputs := [][]byte{value("input_ids", 7, -1, -1), value("attention_mask", 7, -1, -1), value("token_type_ids", 7, -1, -1)}
	return o.file(inputs, [][]byte{value("last_hidden_state", 1, -1, -1, hidden)})
}

// tinyVocab is the vocabulary of the test models.
var tinyVocab = func() []string {
	vocab := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for _, group := range []string{"abcdefghijklmnopqrstuvwxyz0123456789", "οδσ", "中文語"} {
		for _, r := range group {
			vocab = append(vocab, string(r), "##"+string(r))
		}
	}
	for r := range "!\"'(),-./:;?_" {
		vocab = append(vocab, string("!\"'(),-./:;?_"[r]))
	}
	return append(vocab, strings.Fields("the is of gate question open worker worked evidence batch retry key table ##s ##ed ##ing shut critical while each night")...)
}()

// bertFiles are the files of a model's directory, without the weights.
func bertFiles(s bertShape, mode string, limit int) map[string][]byte {
	ids := map[string]int{}
	var added []any
	for i, token := range tinyVocab {
		if ids[token] = i; i < 5 {
			added = append(added, map[string]any{"id": i, "content": token, "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false})
		}
	}
	special := func(name string) any { return map[string]any{"SpecialToken": map[string]any{"id": name, "type_id": 0}} }
	one := func(name string) any {
		return map[string]any{"id": name, "ids": []int{ids[name]}, "tokens": []string{name}}
	}
	files := map[string]any{
		"tokenizer.json": map[string]any{
			"version": "1.0", "truncation": map[string]any{"max_length": 8, "strategy": "LongestFirst", "stride": 0}, "padding": nil, "added_tokens": added,
			"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
			"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
			"post_processor": map[string]any{
				"type":           "TemplateProcessing",
				"single":         []any{special("[CLS]"), map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}}, special("[SEP]")},
				"pair":           []any{},
				"special_tokens": map[string]any{"[CLS]": one("[CLS]"), "[SEP]": one("[SEP]")},
			},
			"decoder": map[string]any{"type": "WordPiece", "prefix": "##", "cleanup": true},
			"model":   map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": ids},
		},
		"tokenizer_config.json":     map[string]any{"tokenizer_class": "BertTokenizer", "do_lower_case": true, "model_max_length": 512},
		"config.json":               map[string]any{"model_type": "bert", "hidden_size": s.Hidden, "vocab_size": len(tinyVocab), "max_position_embeddings": s.Positions},
		"sentence_bert_config.json": map[string]any{"max_seq_length": limit, "do_lower_case": false},
		"modules.json": []any{
			map[string]any{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
			map[string]any{"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
			map[string]any{"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
		},
		"1_Pooling/config.json": map[string]any{
			"word_embedding_dimension": s.Hidden, "pooling_mode_cls_token": mode == "cls", "pooling_mode_mean_tokens": mode == "mean",
			"pooling_mode_max_tokens": mode == "max", "pooling_mode_mean_sqrt_len_tokens": false,
		},
	}
	out := map[string][]byte{}
	for name, content := range files {
		data, err := json.MarshalIndent(content, "", " ")
		if err != nil {
			panic(err)
		}
		out[name] = data
	}
	return out
}

// static builds a model without context, like potion: a table of tokens, and a scaling of each row. It has no matrix product.
func static(s bertShape, vocab int) []byte {
	o := &onnx{state: 2}
	rows := o.node("Gather", []string{o.random(0, 1, vocab, s.Hidden), "input_ids"})
	rows = o.node("Mul", []string{rows, o.random(1, 0.5, s.Hidden)})
	o.nodeAs("last_hidden_state", "Identity", []string{rows})
	return o.file([][]byte{value("input_ids", 7, -1, -1), value("attention_mask", 7, -1, -1)}, [][]byte{value("last_hidden_state", 1, -1, -1, s.Hidden)})
}

// needsProduct skips a test of a model with matrix products where it would end the whole process.
func needsProduct(tb testing.TB) {
	tb.Helper()
	if cost.Race && os.Getenv("BOARD_TEST_CHECKPTR_OFF") == "" {
		tb.Skip("with -race Go checks pointers, and gomlx's matrix product does not pass; " +
			"this test runs with BOARD_TEST_CHECKPTR_OFF=1 go test -race -gcflags=all=-d=checkptr=0")
	}
}

// testModels are the models that golden vectors are recorded for, as files.
var testModels = map[string]func() map[string][]byte{
	"tiny-mean": func() map[string][]byte {
		return withWeights(bertFiles(tinyShape, "mean", 48), "onnx/model.onnx", tinyShape, 16)
	},
	"tiny-cls": func() map[string][]byte {
		return withWeights(bertFiles(tinyShape, "cls", 48), "model.onnx", tinyShape, -1)
	},
	"tiny-max": func() map[string][]byte {
		return withWeights(bertFiles(tinyShape, "max", 48), "model.onnx", tinyShape, 16)
	},
	"static": func() map[string][]byte {
		files := bertFiles(tinyShape, "mean", 48)
		files["onnx/model.onnx"] = static(tinyShape, len(tinyVocab))
		return files
	},
	"minilm-shaped": func() map[string][]byte {
		return withWeights(bertFiles(miniLMShape, "mean", 256), "onnx/model.onnx", miniLMShape, 384)
	},
}

func withWeights(files map[string][]byte, name string, s bertShape, hidden int) map[string][]byte {
	files[name] = bert(s, len(tinyVocab), hidden)
	return files
}

// writeModel writes a test model into a new directory of that name, with changes: nil deletes a file.
func writeModel(tb testing.TB, name string, changes map[string][]byte) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), name)
	files := testModels[name]()
	maps.Copy(files, changes)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if files[file] != nil {
			write(tb, filepath.Join(dir, filepath.FromSlash(file)), files[file])
		}
	}
	return dir
}

// tinyTokenizer reads the tokenizer of the tiny model, which may give 64 tokens.
func tinyTokenizer(tb testing.TB) *tokenizer {
	tb.Helper()
	dir := tb.TempDir()
	for name, data := range bertFiles(tinyShape, "mean", 64) {
		write(tb, filepath.Join(dir, filepath.FromSlash(name)), data)
	}
	c, err := readConfig(dir)
	if err != nil {
		tb.Fatal(err)
	}
	t, err := c.readTokenizer()
	if err != nil {
		tb.Fatal(err)
	}
	return t
}
