// Package models makes embedding models for tests: small ones, and one of MiniLM's size, with
// weights that mean nothing.
package models

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Shape is the size of a model.
type Shape struct {
	Layers, Hidden, Heads, Inner, Positions int
	Int8                                    bool    // weights of 8 bits
	spread                                  float32 // of the weights
}

// Sizes of models.
var (
	Tiny   = Shape{Layers: 2, Hidden: 16, Heads: 2, Inner: 32, Positions: 64, spread: 0.5}
	MiniLM = Shape{Layers: 6, Hidden: 384, Heads: 12, Inner: 1536, Positions: 512, spread: 0.08} // all-MiniLM-L6-v2's, but for the vocabulary
)

// BERT builds a model as PyTorch exports BERT: with the primitive operations of opset 13. hidden
// names the last dimension of the output as it is declared; -1 leaves it open, as some exporters
// do.
func BERT(s Shape, vocab, hidden int) []byte {
	o := &ONNX{state: 1}
	op := func(name string, in ...string) string { return o.Node(name, in) }
	dense := func(x string, from, to int) string {
		var product string
		if s.Int8 {
			integers, scale := o.Random8(s.spread, from, to)
			product = o.Product8(x, integers, scale)
		} else {
			product = op("MatMul", x, o.Random(0, s.spread, from, to))
		}
		return op("Add", product, o.Random(0, 0.1, to))
	}
	tokens := func() string {
		if s.Int8 {
			integers, scale := o.Random8(1, vocab, s.Hidden)
			return op("DequantizeLinear", op("Gather", integers, "input_ids"), scale, o.Zero8())
		}
		return op("Gather", o.Random(0, 1, vocab, s.Hidden), "input_ids")
	}
	last := Attr("axes", []int{-1})
	layerNorm := func(x string) string {
		d := op("Sub", x, o.Node("ReduceMean", []string{x}, last))
		variance := o.Node("ReduceMean", []string{op("Pow", d, o.Scalar(2))}, last)
		y := op("Div", d, op("Sqrt", op("Add", variance, o.Scalar(1e-12))))
		return op("Add", op("Mul", y, o.Random(1, 0.2, s.Hidden)), o.Random(0, 0.1, s.Hidden))
	}
	gelu := func(x string) string {
		y := op("Add", op("Erf", op("Div", x, o.Scalar(float32(math.Sqrt2)))), o.Scalar(1))
		return op("Mul", op("Mul", x, y), o.Scalar(0.5))
	}

	var positions []int
	for i := range s.Positions {
		positions = append(positions, i)
	}
	length := op("Gather", op("Shape", "input_ids"), o.Ints(1))
	position := op("Slice", o.Ints(positions...), o.Ints(0), length, o.Ints(0))
	x := tokens()
	x = op("Add", x, op("Gather", o.Random(0, 1, 2, s.Hidden), "token_type_ids"))
	x = layerNorm(op("Add", x, op("Gather", o.Random(0, 1, s.Positions, s.Hidden), position)))
	mask := o.Node("Cast", []string{op("Unsqueeze", "attention_mask", o.Ints(1, 2))}, Attr("to", 1))
	mask = op("Mul", op("Sub", o.Scalar(1), mask), o.Scalar(-10000))

	for range s.Layers {
		size := s.Hidden / s.Heads
		head := func(perm ...int) string {
			split := op("Reshape", dense(x, s.Hidden, s.Hidden), o.Ints(0, 0, s.Heads, size))
			return o.Node("Transpose", []string{split}, Attr("perm", perm))
		}
		scores := op("Div", op("MatMul", head(0, 2, 1, 3), head(0, 2, 3, 1)), o.Scalar(float32(math.Sqrt(float64(size)))))
		weights := o.Node("Softmax", []string{op("Add", scores, mask)}, Attr("axis", -1))
		mixed := o.Node("Transpose", []string{op("MatMul", weights, head(0, 2, 1, 3))}, Attr("perm", []int{0, 2, 1, 3}))
		x = layerNorm(op("Add", x, dense(op("Reshape", mixed, o.Ints(0, 0, s.Hidden)), s.Hidden, s.Hidden)))
		x = layerNorm(op("Add", x, dense(gelu(dense(x, s.Hidden, s.Inner)), s.Inner, s.Hidden)))
	}
	o.NodeAs("last_hidden_state", "Identity", []string{x})
	inputs := [][]byte{Value("input_ids", 7, -1, -1), Value("attention_mask", 7, -1, -1), Value("token_type_ids", 7, -1, -1)}
	return o.File(inputs, [][]byte{Value("last_hidden_state", 1, -1, -1, hidden)})
}

// Vocab is the vocabulary of the test models.
var Vocab = func() []string {
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

// BERTFiles are the files of a model's directory, without the weights.
func BERTFiles(s Shape, mode string, limit int) map[string][]byte {
	ids := map[string]int{}
	var added []any
	for i, token := range Vocab {
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
		"config.json":               map[string]any{"model_type": "bert", "hidden_size": s.Hidden, "vocab_size": len(Vocab), "max_position_embeddings": s.Positions},
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

// Static builds a model without context, like potion: a table of tokens, and a scaling of each
// row. It has no matrix product.
func Static(s Shape, vocab int) []byte {
	o := &ONNX{state: 2}
	rows := o.Node("Gather", []string{o.Random(0, 1, vocab, s.Hidden), "input_ids"})
	rows = o.Node("Mul", []string{rows, o.Random(1, 0.5, s.Hidden)})
	o.NodeAs("last_hidden_state", "Identity", []string{rows})
	return o.File([][]byte{Value("input_ids", 7, -1, -1), Value("attention_mask", 7, -1, -1)}, [][]byte{Value("last_hidden_state", 1, -1, -1, s.Hidden)})
}

// All are the models that golden vectors are recorded for, as files.
var All = map[string]func() map[string][]byte{
	"tiny-mean": func() map[string][]byte {
		return WithWeights(BERTFiles(Tiny, "mean", 48), "onnx/model.onnx", Tiny, 16)
	},
	"tiny-cls": func() map[string][]byte {
		return WithWeights(BERTFiles(Tiny, "cls", 48), "model.onnx", Tiny, -1)
	},
	"tiny-max": func() map[string][]byte {
		return WithWeights(BERTFiles(Tiny, "max", 48), "model.onnx", Tiny, 16)
	},
	"static": func() map[string][]byte {
		files := BERTFiles(Tiny, "mean", 48)
		files["onnx/model.onnx"] = Static(Tiny, len(Vocab))
		return files
	},
	"minilm-shaped": func() map[string][]byte {
		return WithWeights(BERTFiles(MiniLM, "mean", 256), "onnx/model.onnx", MiniLM, 384)
	},
}

// WithWeights adds the weights of a model, as a file of that name.
func WithWeights(files map[string][]byte, name string, s Shape, hidden int) map[string][]byte {
	files[name] = BERT(s, len(Vocab), hidden)
	return files
}

// Write writes a test model into a new directory of that name, with changes: nil deletes a file.
func Write(tb testing.TB, name string, changes map[string][]byte) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), name)
	files := All[name]()
	maps.Copy(files, changes)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if files[file] != nil {
			path := filepath.Join(dir, filepath.FromSlash(file))
			err := os.MkdirAll(filepath.Dir(path), 0o755)
			if err == nil {
				err = os.WriteFile(path, files[file], 0o644)
			}
			if err != nil {
				tb.Fatal(err)
			}
		}
	}
	return dir
}

// WriteUnigram writes a model without context that has the tokenizer in a file, which has
// at most 512 tokens.
func WriteUnigram(tb testing.TB, tokenizer string) string {
	tb.Helper()
	data, err := os.ReadFile(tokenizer)
	if err != nil {
		tb.Fatal(err)
	}
	return Write(tb, "static", map[string][]byte{
		"tokenizer.json": data, "config.json": []byte(`{"hidden_size": 16, "vocab_size": 512}`),
		"onnx/model.onnx": Static(Tiny, 512),
	})
}
