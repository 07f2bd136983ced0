package minilm

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"blackboard/testdata/cost"
	"blackboard/testdata/models"
	"blackboard/testdata/wait"
)

// unlimited reads the tokenizer in dir and lifts its limit.
func unlimited(tb testing.TB, dir string) *tokenizer {
	tb.Helper()
	c, err := readConfig(dir)
	if err != nil {
		tb.Fatal(err)
	}
	t, err := c.readTokenizer()
	if err != nil {
		tb.Fatal(err)
	}
	t.limit = 1 << 30
	return t
}

// TestTokensAgree compares with the token ids of another implementation (see
// testdata/embed/README.md).
func TestTokensAgree(t *testing.T) {
	miniLM, potion := miniLMReference(t), potionDir(t)
	var lines []struct {
		Text                                    string
		MiniLM, Potion, Cased, Accents, Unclean []uint32
	}
	loadJSON(t, filepath.Join(testdata, "tokens.json"), &lines)
	if len(lines) < 300 {
		t.Fatalf("only %d lines are recorded", len(lines))
	}
	cased, accents, unclean := unlimited(t, miniLM), unlimited(t, miniLM), unlimited(t, miniLM)
	cased.lower, cased.accents, cased.cjk = false, false, false
	accents.accents = false
	unclean.clean, unclean.lower = false, false
	settings := []*tokenizer{unlimited(t, miniLM), unlimited(t, potion), cased, accents, unclean}
	for _, line := range lines {
		for i, want := range [][]uint32{line.MiniLM, line.Potion, line.Cased, line.Accents, line.Unclean} {
			if want == nil {
				continue // tokens.mjs says why
			}
			if got := settings[i].encode(line.Text); !slices.Equal(got, want) {
				t.Errorf("setting %d: %.80q\n got %v\nwant %v", i, line.Text, got, want)
			}
		}
	}
}

// TestVocabTxt reads the same vocabulary from vocab.txt.
func TestVocabTxt(t *testing.T) {
	dir := miniLMReference(t)
	c, err := readConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := c.readVocab(filepath.Join(dir, "vocab.txt"))
	if err != nil {
		t.Fatal(err)
	}
	full, err := c.readTokenizer()
	if err != nil {
		t.Fatal(err)
	}
	plain.limit = full.limit
	var lines []struct{ Text string }
	loadJSON(t, filepath.Join(testdata, "tokens.json"), &lines)
	for _, line := range lines {
		if strings.Contains(line.Text, "[") {
			continue // added tokens are marked when the directory is read
		}
		if got, want := plain.encode(line.Text), full.encode(line.Text); !slices.Equal(got, want) {
			t.Errorf("%.80q\n from vocab.txt      %v\n from tokenizer.json %v", line.Text, got, want)
		}
	}
}

// TestTokenizer goes through what the settings do, on the small vocabulary of the tests.
func TestTokenizer(t *testing.T) {
	for _, test := range []struct {
		name, text string
		set        func(*tokenizer)
		want       string
	}{
		{"pieces", "Workers worked", nil, "[CLS] worker ##s worked [SEP]"},
		{"letters", "zq", nil, "[CLS] z ##q [SEP]"},
		{"unknown", "gate ☃ gate", nil, "[CLS] gate [UNK] gate [SEP]"},
		{"unknown at the end of a word", "gate☃", nil, "[CLS] [UNK] [SEP]"},
		{"punctuation", "gate,gate!", nil, "[CLS] gate , gate ! [SEP]"},
		{"accents", "GÄTE", nil, "[CLS] gate [SEP]"},
		{"accents kept", "gäte", func(t *tokenizer) { t.accents = false }, "[CLS] [UNK] [SEP]"},
		{"case kept", "Gate", func(t *tokenizer) { t.lower = false }, "[CLS] [UNK] [SEP]"},
		{"control characters", "ga\u200bt\x00e\x07", nil, "[CLS] gate [SEP]"},
		{"control characters kept", "ga\u200bte", func(t *tokenizer) { t.clean = false }, "[CLS] [UNK] [SEP]"},
		{"invalid UTF-8", "ga\xffte \xc3", nil, "[CLS] gate [SEP]"},
		{"ideographs", "gate中文gate", nil, "[CLS] gate 中 文 gate [SEP]"},
		{"ideographs kept together", "gate中文gate", func(t *tokenizer) { t.cjk = false }, "[CLS] gate ##中 ##文 ##g ##a ##t ##e [SEP]"},
		{"special tokens in a text", "a[SEP]gate", nil, "[CLS] a [SEP] gate [SEP]"},
		{"not quite special", "[sep]", nil, "[CLS] [UNK] s ##e ##p [UNK] [SEP]"},
		{"too long", strings.Repeat("a", 101) + " gate", nil, "[CLS] [UNK] gate [SEP]"},
		{"nothing", " \t\n", nil, "[CLS] [SEP]"},
		{"nothing, no special tokens", "", func(t *tokenizer) { t.prefix, t.suffix = nil, nil }, ""},
		{"cut", "gate gate gate", func(t *tokenizer) { t.limit = 4 }, "[CLS] gate gate [SEP]"},
		{"cut in a word", "zqzqzq", func(t *tokenizer) { t.limit = 4 }, "[CLS] z ##q [SEP]"},
		{"capital sigma", "ΟΔΟΣ", nil, "[CLS] ο ##δ ##ο ##σ [SEP]"},
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
// none.
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
		if took := wait.CPU() - start; took > 10*time.Second {
			t.Errorf("%s: 10 MB took %v", name, took)
		} else {
			t.Logf("%s: %v", name, took.Round(time.Microsecond))
		}
	}
}

// TestAccents compares the stripping of accents with the library's decomposition,
// character by character.
func TestAccents(t *testing.T) {
	tok := tinyTokenizer(t)
	tok.lower, tok.vocab.maxChars = false, 1000
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		var want []byte
		for _, part := range norm.NFD.String(string(r)) {
			if !unicode.Is(unicode.Mn, part) && !isPunct(part) {
				want = utf8.AppendRune(want, part)
			}
		}
		s := scan{tokenizer: tok}
		s.normal(r)
		if len(s.ids) == 0 && string(s.word) != string(want) {
			t.Errorf("%U: %q, want %q", r, s.word, want)
		}
	}
}

func FuzzTokenize(f *testing.F) {
	for _, seed := range []string{"", "The gate stays shut.", "[CLS]x[SEP", "中文 gäte", "\xff\xfe", strings.Repeat("a", 300), "İ\u0301ẞ\u200d", "##s"} {
		f.Add(seed, uint8(16), uint8(0xff))
	}
	shared := tinyTokenizer(f)
	f.Fuzz(func(t *testing.T, text string, limit, set uint8) {
		tok := *shared
		tok.limit = 3 + int(limit)
		tok.clean, tok.cjk, tok.accents, tok.lower = set&1 != 0, set&2 != 0, set&4 != 0, set&8 != 0
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
	tok := unlimited(b, miniLMReference(b))
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
