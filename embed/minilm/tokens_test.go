package minilm

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/models"
	"blackboard/testdata/wait"
)

// readTokens loads the tokenizer in dir, without weights, and sets its limit.
func readTokens(tb testing.TB, dir string, limit int) *tokenizer {
	tb.Helper()
	c, err := readConfig(dir)
	if err == nil {
		err = c.readTokenizer()
	}
	expect.OK(tb, err)
	c.limit = limit
	m := expect.Value(loadTokenizer(c.dir))(tb)
	return expect.Value(c.newTokenizer(m))(tb)
}

// tinyTokenizer reads the tokenizer of the tiny model, which may give 64 tokens.
func tinyTokenizer(tb testing.TB) *tokenizer {
	tb.Helper()
	dir := tb.TempDir()
	for name, data := range models.BERTFiles(models.Tiny, "mean", 64) {
		write(tb, filepath.Join(dir, filepath.FromSlash(name)), data)
	}
	return readTokens(tb, dir, 64)
}

// TestTokensAgree compares with the token ids of another implementation (see
// testdata/embed/README.md).
func TestTokensAgree(t *testing.T) {
	miniLM, potion := readTokens(t, miniLMReference(t), 1<<30), readTokens(t, potionDir(t), 1<<30)
	var lines []struct {
		Text           string
		MiniLM, Potion []uint32
	}
	loadJSON(t, filepath.Join(testdata, "tokens.json"), &lines)
	if len(lines) < 300 {
		t.Fatalf("only %d lines are recorded", len(lines))
	}
	for _, line := range lines {
		for tok, want := range map[*tokenizer][]uint32{miniLM: line.MiniLM, potion: line.Potion} {
			if want == nil {
				continue // tokens.mjs says why
			}
			if got := tok.encode(line.Text); !slices.Equal(got, want) {
				t.Errorf("%.80q\n got %v\nwant %v", line.Text, got, want)
			}
		}
	}
}

// TestTokenizer has what hugot's tokenizer does and what it gets, on the small vocabulary of
// the tests.
func TestTokenizer(t *testing.T) {
	for _, test := range []struct {
		name, text string
		set        func(*tokenizer)
		want       string
	}{
		{"pieces", "Workers worked", nil, "[CLS] worker ##s worked [SEP]"},
		{"letters", "zq", nil, "[CLS] z ##q [SEP]"},
		{"unknown", "gate ☃ gate", nil, "[CLS] gate [UNK] gate [SEP]"},
		{"unknown left out", "gate ☃ gate", func(t *tokenizer) { t.unknown = slices.Index(models.Vocab, "[UNK]") }, "[CLS] gate gate [SEP]"},
		{"unknown at the end of a word", "gate☃", nil, "[CLS] [UNK] [SEP]"},
		{"punctuation", "gate,gate!", nil, "[CLS] gate , gate ! [SEP]"},
		{"accents", "GÄTE", nil, "[CLS] gate [SEP]"},
		{"control characters", "ga\u200bt\x00e\x07", nil, "[CLS] gate [SEP]"},
		{"white space", "gate\u2028gate\u00a0gate", nil, "[CLS] gate gate gate [SEP]"},
		{"invalid UTF-8", "ga\xffte \xc3", nil, "[CLS] gate [SEP]"},
		{"ideographs", "gate中文gate", nil, "[CLS] gate 中 文 gate [SEP]"},
		{"special tokens in a text", "a[SEP]gate", nil, "[CLS] a [SEP] gate [SEP]"},
		{"too long", strings.Repeat("a", 101) + " gate", nil, "[CLS] [UNK] gate [SEP]"},
		{"nothing", " \t\n", nil, "[CLS] [SEP]"},
		{"nothing, no special tokens", "", func(t *tokenizer) { t.prefix, t.suffix = nil, nil }, ""},
		{"cut", "gate gate gate", func(t *tokenizer) { t.limit = 4 }, "[CLS] gate gate [SEP]"},
		{"cut in a word", "zqzqzq", func(t *tokenizer) { t.limit = 4 }, "[CLS] z ##q [SEP]"},
		{"capital sigma", "ΟΔΟΣ", nil, "[CLS] ο ##δ ##ο ##σ [SEP]"},
		{"a word across two pieces", strings.Repeat(" ", pieceBytes-2) + "gate gate", nil, "[CLS] gate gate [SEP]"},
		{"an ideograph across two pieces", "a" + strings.Repeat("中", maxPiece/3+1), nil, "[CLS] a" + strings.Repeat(" 中", 61) + " [SEP]"},
	} {
		tok := tinyTokenizer(t)
		if test.set != nil {
			test.set(tok)
		}
		var got []string
		for _, id := range tok.encode(test.text) {
			got = append(got, models.Vocab[id])
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %q gives %s, want %s", test.name, test.text, s, test.want)
		}
	}
}

// TestTokenizerTime reads texts of 10 MB, of which the model sees a few hundred tokens or
// none: hugot's tokenizer alone would take hours.
func TestTokenizerTime(t *testing.T) {
	cost.SkipUnlessLong(t)
	tok := tinyTokenizer(t)
	for name, unit := range map[string]string{
		"words": "gate ", "one word": "gate", "spaces": " ", "accents": "é", "marks": "\u0301", "garbage": "\xf0", "almost special": "[SEP", "control": "\x00",
	} {
		text := strings.Repeat(unit, 10<<20/len(unit))
		start := wait.CPU()
		if n := len(tok.encode(text)); n > tok.limit {
			t.Errorf("%s: %d tokens, limit %d", name, n, tok.limit)
		}
		if took := wait.CPU() - start; took > 30*time.Second {
			t.Errorf("%s: 10 MB took %v", name, took)
		} else {
			t.Logf("%s: %v", name, took.Round(time.Microsecond))
		}
	}
}

func FuzzTokenize(f *testing.F) {
	for _, seed := range []string{"", "The gate stays shut.", "[CLS]x[SEP", "中文 gäte", "\xff\xfe", strings.Repeat("a", 300), "İ\u0301ẞ\u200d", "##s"} {
		f.Add(seed, uint8(16))
	}
	shared := tinyTokenizer(f)
	f.Fuzz(func(t *testing.T, text string, limit uint8) {
		tok := *shared
		tok.limit = 3 + int(limit)
		ids := tok.encode(text)
		if len(ids) > tok.limit || len(ids) < 2 || ids[0] != tok.prefix[0] || ids[len(ids)-1] != tok.suffix[0] {
			t.Fatalf("%d tokens with limit %d: %v", len(ids), tok.limit, ids)
		}
		for _, id := range ids {
			if int(id) >= len(models.Vocab) {
				t.Fatalf("token %d of %d", id, len(models.Vocab))
			}
		}
		if !slices.Equal(ids, tok.encode(text)) {
			t.Fatal("a second time differs")
		}
		// A cut text begins like the whole one.
		whole := tok
		whole.limit = 1 << 20
		all := whole.encode(text)
		if n := len(ids) - 1; !slices.Equal(ids[:n], all[:n]) {
			t.Fatalf("cut at %d: %v is no beginning of %v", tok.limit, ids, all)
		}
		// No character gives more than three tokens (hangul decomposes into three), and no
		// special token is shorter than five.
		if most := 2 + 3*utf8.RuneCountInString(text); len(all) > most {
			t.Fatalf("%d tokens from %d characters", len(all), utf8.RuneCountInString(text))
		}
	})
}

func BenchmarkTokenize(b *testing.B) {
	tok := readTokens(b, miniLMReference(b), 1<<30)
	for name, text := range map[string]string{
		"english": strings.Repeat("The quick brown fox jumps over the lazy dog, again; unbelievably (it) never tires! ", 200),
		"code":    strings.Repeat("func (s *Store) capturePane(ctx context.Context, id string) error { return s.run(ctx, \"-p\", id) }\n", 200),
		"german":  strings.Repeat("Der Nachtlauf stößt gegen 02:30 Uhr an und überträgt die Größe aller Dateien. ", 200),
		"chinese": strings.Repeat("知识库保存每次运行的证据和结论。", 400),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				tok.encode(text)
			}
		})
	}
}
