package minilm

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/embed/embedtest"
	"blackboard/testdata/models"
)

var unigramFile = filepath.Join(testdata, "unigram-tokenizer.json")

func unigramTokenizer(tb testing.TB) *tokenizer {
	tb.Helper()
	return unlimited(tb, models.WriteUnigram(tb, unigramFile))
}

// TestUnigramAgrees compares with the token ids of SentencePiece.
func TestUnigramAgrees(t *testing.T) {
	tok := unigramTokenizer(t)
	var lines []struct {
		Text string
		IDs  []uint32
	}
	loadJSON(t, filepath.Join(testdata, "unigram-tokens.json"), &lines)
	if len(lines) < 30 {
		t.Fatalf("only %d lines are recorded", len(lines))
	}
	for _, line := range lines {
		if got := tok.encode(line.Text); !slices.Equal(got, line.IDs) {
			t.Errorf("%.80q\n got %v\nwant %v", line.Text, got, line.IDs)
		}
	}
}

func TestConformanceUnigram(t *testing.T) {
	dir := models.WriteUnigram(t, unigramFile)
	embedtest.TestEmbedder(t, func(t *testing.T) embed.Embedder { return open(t, dir) })
}

// TestUnigram goes through what other settings do, and what SentencePiece does not know.
func TestUnigram(t *testing.T) {
	var file struct{ Model struct{ Vocab []scoredPiece } }
	loadJSON(t, unigramFile, &file)
	for _, test := range []struct {
		name, text string
		set        func(*tokenizer)
		want       string
	}{
		{"words", "open  gate ", nil, "<s> ▁o p en ▁g ate </s>"},
		{"spaces are kept", "open  gate ", func(t *tokenizer) { t.unigram.words = false }, "<s> ▁o p en ▁ ▁g ate ▁ </s>"},
		{"spaces are collapsed", "open  gate ", func(t *tokenizer) { t.unigram.words, t.unigram.collapse = false, true }, "<s> ▁o p en ▁g ate ▁ </s>"},
		{"the character that stands for a space", "▁gate", nil, "<s> ▁g ate </s>"},
		{"special tokens in a text", "gate</s> <mask>gate", nil, "<s> ▁g ate </s> <mask> ▁g ate </s>"},
		{"unknown characters", "☃☃", nil, "<s> ▁ <unk> </s>"},
		{"invalid UTF-8", "\xff", nil, "<s> ▁ <unk> </s>"},
		{"nothing", " \t\n", nil, "<s> </s>"},
		{"cut", "gate gate gate", func(t *tokenizer) { t.limit = 5 }, "<s> ▁g ate ▁g </s>"},
		{"cut in a long word", strings.Repeat("q", 1<<20), func(t *tokenizer) { t.limit = 5 }, "<s> ▁ q q </s>"},
	} {
		tok := unigramTokenizer(t)
		if test.set != nil {
			test.set(tok)
		}
		var got []string
		for _, id := range tok.encode(test.text) {
			got = append(got, file.Model.Vocab[id].text)
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %.40q gives %s, want %s", test.name, test.text, s, test.want)
		}
	}
}

// TestUnigramOfOtherKinds: a tokenizer that is not understood to the end is refused.
func TestUnigramOfOtherKinds(t *testing.T) {
	data, err := os.ReadFile(unigramFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, new, want string }{
		{`"unk_id": 3`, `"unk_id": 3, "byte_fallback": true`, `the setting "byte_fallback"`},
		{`"unk_id": 3`, `"unk_id": 999`, "unk_id is not one of its"},
		{`"unk_id": 3`, `"other": 3`, "unk_id is not one of its"},
		{`"type": "Precompiled"`, `"type": "Lowercase"`, `the normalizer "Lowercase"`},
		{`charsmap": "AAgA`, `charsmap": "////`, "its table of characters is broken"},
		{`"type": "WhitespaceSplit"`, `"type": "ByteLevel"`, `the pre-tokenizer "ByteLevel"`},
		{`"add_prefix_space": true`, `"prepend_scheme": "never"`, `the pre-tokenizer "Metaspace"`},
		{`["<pad>", 0.0]`, `"<pad>"`, "has no Unigram vocabulary"},
		{`"type": "Unigram"`, `"type": "BPE"`, `the tokenizer "BPE"`},
	} {
		changed := strings.Replace(string(data), test.old, test.new, 1)
		path := filepath.Join(t.TempDir(), "tokenizer.json")
		write(t, path, []byte(changed))
		_, err := Read(t.Context(), models.WriteUnigram(t, path))
		if !errors.Is(err, fault.BadModel) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.new, err)
		}
	}
}

// TestUnigramInOtherForms: what newer and older files say in another way.
func TestUnigramInOtherForms(t *testing.T) {
	data, err := os.ReadFile(unigramFile)
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	delete(file["model"].(map[string]any), "type")
	file["normalizer"] = map[string]any{"type": "Sequence", "normalizers": []any{
		file["normalizer"], map[string]any{
			"type": "Replace", "pattern": map[string]any{"Regex": " {2,}"}, "content": " ",
		},
	}}
	file["pre_tokenizer"] = map[string]any{
		"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true,
	}
	changed, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	write(t, path, changed)
	other, same := unlimited(t, models.WriteUnigram(t, path)), unigramTokenizer(t)
	const text = "open   gate,\u3000worker"
	if got, want := other.encode(text), same.encode(text); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func FuzzUnigram(f *testing.F) {
	for _, seed := range []string{"", "The gate stays shut.", "<s>x</s", "知識 gäte", "\xff\xfe", strings.Repeat("a", 300), "e\u0301\u200b"} {
		f.Add(seed, uint8(16))
	}
	shared := unigramTokenizer(f)
	f.Fuzz(func(t *testing.T, text string, limit uint8) {
		tok := *shared
		tok.limit = 3 + int(limit)
		ids := tok.encode(text)
		if len(ids) > tok.limit || len(ids) < 2 || ids[0] != 0 || ids[len(ids)-1] != 2 {
			t.Fatalf("%d tokens with limit %d: %v", len(ids), tok.limit, ids)
		}
		if !slices.Equal(ids, tok.encode(text)) {
			t.Fatal("a second time differs")
		}
	})
}

func FuzzCharsmap(f *testing.F) {
	f.Add([]byte("\x04\x00\x00\x00\x00\x00\x00\x00a\x00"), "text")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		c, err := readCharsmap(data)
		if err != nil {
			return
		}
		if _, n, ok := c.replace(text); ok && (n < 1 || n > len(text)) {
			t.Fatalf("%d bytes of %d", n, len(text))
		}
	})
}
