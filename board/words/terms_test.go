package words

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"blackboard/testdata/cost"
	"blackboard/testdata/wait"
)

// analyzed returns the terms of text; extra ones begin with +.
func analyzed(a *Analyzer, text string) []string {
	var terms []string
	a.Terms(text, func(term string, extra bool) {
		if extra {
			term = "+" + term
		}
		terms = append(terms, term)
	})
	return terms
}

// words returns the terms that count for the length of a text.
func words(terms []string) []string {
	return slices.DeleteFunc(slices.Clone(terms),
		func(t string) bool { return strings.HasPrefix(t, "+") })
}

// bare returns the terms, extra or not, without the mark.
func bare(terms []string) []string {
	all := make([]string, len(terms))
	for i, t := range terms {
		all[i] = strings.TrimPrefix(t, "+")
	}
	return all
}

var analyzeTable = []struct{ about, text, want string }{
	{"nothing", "", ""},
	{"nothing", " \t\n... -- !? ( ) _ ' \x00\x7f", ""},
	{"prose", "The models being run, were run.", "the model be run were run"},
	{"stop words are stemmed", "once only others having", "onc onli other have"},
	{"possessives", "model's models' model’s MODEL'S boss's", "model model model model boss"},
	{"contractions", "don't don’t DON'T dont", "dont dont dont dont"},
	{"contractions", "it's o'clock rock'n'roll", "it oclock rocknrol"},
	{"a name", "O'Brien obrien", "o brien +obrien obrien"},
	{"quotes", "'quoted' \"said,\" ‘one’ (two) **three** `four`", "quot said one two three four"},

	{"identifiers", "capturePane", "captur pane +capturepan"},
	{"identifiers", "CapturePane", "captur pane +capturepan"},
	{"identifiers", "capture-pane", "captur pane +capturepan"},
	{"identifiers", "capture_pane", "captur pane +capturepan"},
	{"identifiers", "CAPTURE_PANE", "captur pane +capturepan"},
	{"identifiers", "capturePanes", "captur pane +capturepan"},
	{"identifiers", "capturepane", "capturepan"},
	{"acronyms", "HTTPServer2", "http server 2 +httpserver2"},
	{"acronyms", "parseURLs URLs IPv6", "pars url +parseurl url ipv 6 +ipv6"},
	{"acronyms", "iOS mRNA JavaScript", "i os +io m rna +mrna java script +javascript"},
	{"plurals of acronyms", "LLMs llms LLM's CPUs parseCPUsFast IDs GPUs-only",
		"llms +llm llms llm cpus +cpu pars cpus +cpu fast +parsecpusfast id gpus +gpu onli +gpuson"},
	{"words in words", "fooBar-bazQux", "foo bar baz qux +foobar +bazqux +foobarbazqux"},
	{"underscores", "__init__.py _foo_ foo__bar", "init py +init__.py foo foo bar +foobar"},
	{"prose", "state-of-the-art well-known pre- and post-war",
		"state of the art +stateoftheart well known +wellknown pre and post war +postwar"},
	{"dashes", "word--word word—word 1914–1918 wait…what",
		"word word word word 1914 1918 +19141918 wait what"},

	{"numbers that stand apart", "sha256 UTF8 COVID19 COVID-19",
		"sha 256 +sha256 utf 8 +utf8 covid 19 +covid19 covid 19 +covid19"},
	{"numbers that do not", "p53 k8s 10ms x86 IL6 IL-6", "p53 k8s 10ms x86 il6 il 6 +il6"},
	{"numbers", "3.14 1,000 1,000,000 1,2,3 2024-01-15",
		"3 14 +3.14 1 000 +1000 1 000 000 +1000000 1 2 3 2024 01 15 +20240115"},
	{"versions", "v1.2.3 1.2.3 10.0.0.1", "v1 2 3 +v1.2.3 +1.2.3 1 2 3 +1.2.3 10 0 0 1 +10.0.0.1"},
	{"initials", "U.S. U.S.A. e.g. Ph.D.", "u s +us u s a +usa e g +eg ph d +ph.d"},
	{"hashes", "7f3a9c1 7f3a9c1bcd0e", "7f3a9c1 7f3a9c1bcd0e +7f3a9c1"},
	{"hashes", "7f3a9c1bcd0e4f5a6b7c8d9e0f1a2b3c4d5e6f70",
		"7f3a9c1bcd0e4f5a6b7c8d9e0f1a2b3c4d5e6f70 +7f3a9c1"},
	{"UUIDs", "123e4567-e89b-12d3-a456-426614174000",
		"123e4567 +123e456 e89b 12d3 a456 426614174000 +123e4567e89b12d3a456426614174000"},

	{"files", "foo.py", "foo py +foo.py"},
	{"files", "scripts/foo.py, (scripts/foo.py)",
		"script foo py +foo.py +scripts/foo.py script foo py +foo.py +scripts/foo.py"},
	{"files", "kb/scripts/foo.py:42",
		"kb script foo py 42 +foo.py +kb/scripts/foo.py +scripts/foo.py +kb/scripts/foo.py:42"},
	{"files", "foo.py:42:7", "foo py 42 7 +foo.py +foo.py:42:7"},
	{"names with a dot", ".NET “.NET” foo().bar ….x", "net +.net net +.net foo bar x"},
	{"files", `C:\Users\x ./a/b ../a/b`, "c user x +c:/users/x +users/x a b +a/b a b +a/b"},
	{"files", ".gitignore ~/.config/nvim x().bar ..foo",
		"gitignor +.gitignore config nvim +config/nvim +.config x bar foo"},
	{"flags", "--flag -v --dry-run", "flag v dri run +dryrun"},
	{"languages", "C++ C#, (C++17) F# .NET Node.js",
		"c +c++ c +c# c +c++ 17 f +f# net +.net node js +node.js"},
	{"signs", "a++b C#x i += 1", "a b c x i 1"},
	{"addresses", "user@example.com", "user exampl com +example.com +user@example.com"},
	{"addresses", "https://host.org/a/b?q=1",
		"https host org a b +host.org +host.org/a/b +a/b q 1"},
	{"addresses", "git@github.com:user/repo.git",
		"git github com user repo git +github.com +repo.git +git@github.com:user/repo.git +user/repo.git"},
	{"addresses", "localhost:8080 12:30:45", "localhost 8080 +localhost:8080 12 30 45 +12:30:45"},
	{"code", "pkg.Func() a::b std::vector<int>",
		"pkg func +pkg.func a b +a::b std vector +std::vector int"},
	{"code", "key=value map[string]int f(x,y) \"k\":\"v\"", "key valu map string int f x y k v"},
	{"sigils", "$HOME #123 repo#45 @scope/pkg",
		"home 123 +#123 repo 45 +#45 scope pkg +scope/pkg"},
	{"prose", "and/or AT&T sentence.Next",
		"and or +and/or at t +at&t sentenc next +sentence.next"},
	{"junk", "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ=", "agvsbg8gd29ybgqgagvsbg8gd29ybgq"},

	{"folding", "naïve café CAFE\u0301 Straße STRASSE", "naiv cafe cafe strass strass"},
	{"folding", "Ærø Łódź İstanbul ﬁne ＡＢＣ", "aero lodz istanbul fine abc"},
	{"folding", "ΟΔΟΣ οδός Ёлка Ёлки", "οδοσ οδοσ елк елк"},
	{"Russian", "файл файлы медленный медленные її", "файл файл медлен медлен іі"},
	{"folding", "m² H₂O Ⅷ ５％", "m2 h2o viii 5"},
	{"invisible", "co\u00adoperate foo\u200bbar x\u200dy \ufeffz", "cooper foo bar xy z"},
	{"points", "العَرَبِيَّة العربية שָׁלוֹם", "العربية العربية שלום"},
	{"vowels are no points", "हिन्दी", "हिन्दी"},
	{"no blanks", "我喜欢猫 猫", "我喜 喜欢 欢猫 猫"},
	{"no blanks", "Python入門 2024年 foo-日本", "python 入門 2024 年 foo 日本"},
	{"no blanks", "ガギグ ｶﾞｷﾞｸﾞ コード", "ガギ ギグ ガギ ギグ コー ード"},
	{"no blanks", "한국어를", "한국 국어 어를"},
	{"no blanks", "ภาษาไทย กินข้าว", "ภา าษ ษา าไ ไท ทย กิน นข้ ข้า าว"},
	{"a vowel sign after the s of a plural", "ABs\u093f", "abs\u093f"},
	{"emoji", "👍🏽 ✅ done 😀text → ─ ™", "👍 ✅ done 😀 text tm"},
	{"not UTF-8", "foo\xffbar \xc3 a\ufffdb \xed\xa0\x80", "foo bar a b"},
}

func TestAnalyze(t *testing.T) {
	var a Analyzer
	for _, test := range analyzeTable {
		if got := strings.Join(analyzed(&a, test.text), " "); got != test.want {
			t.Errorf("%s: %q\n got %s\nwant %s", test.about, test.text, got, test.want)
		}
	}
	if TermVersion != 2 {
		t.Error("the version was raised; was it needed?")
	}
}

// TestAnalyzeLong checks that what is longer than a term can be is found nevertheless.
func TestAnalyzeLong(t *testing.T) {
	var a Analyzer
	long := strings.Repeat("abcdefgh", 20)
	if got := analyzed(&a, long+"."); !slices.Equal(got, []string{long[:maxTerm]}) {
		t.Errorf("a long word: %q", got)
	}
	if got := analyzed(&a, strings.Repeat("ä", 31)+"я"+strings.Repeat("日",
		2)); got[0] != strings.Repeat("a", 31)+"я" {
		t.Errorf("a long word: %q", got)
	}
	if got := analyzed(&a, strings.Repeat("я", 40)); got[0] != strings.Repeat("я", 32) {
		t.Errorf("a long word: %q", got)
	}
	if got := analyzed(&a, "x"+strings.Repeat("я", 40)); got[0] != "x"+strings.Repeat("я", 31) {
		t.Errorf("a long word cut in a character: %q", got)
	}
	kebab := strings.TrimSuffix(strings.Repeat("abcdefgh-", 20), "-")
	if got := analyzed(&a, kebab); got[len(got)-1] != "+"+long[:maxTerm] {
		t.Errorf("a long name is not joined as the long word is cut: %q", got)
	}
	path := strings.Repeat("directory/", 20) + "foo.go"
	if got := analyzed(&a, path); !slices.Contains(got, "+directory/foo.go") ||
		!slices.Contains(got, "+foo.go") {
		t.Errorf("a long path: %q", got)
	}
}

// randomWord returns something like a word, an identifier or a path.
func randomWord(r *rand.Rand) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789éßЖд日本한ไก'’_-.,/:@&#+\\~\u00ad\u0301"
	links := []string{"", "", "-", "_", ".", "/", ":", "::", "@", "'", "’", "++", "#", "--", "...",
		"://", ",", "&", "=", "("}
	letters := []rune(alphabet)
	var b strings.Builder
	for n := 1 + r.IntN(5); n > 0; n-- {
		switch r.IntN(6) {
		case 0:
			fmt.Fprint(&b, r.IntN(3000))
		case 1:
			for range 1 + r.IntN(6) {
				b.WriteRune(letters[r.IntN(len(letters))])
			}
		default:
			word := randomPlain(r)
			switch r.IntN(4) {
			case 0:
				word = strings.ToUpper(word[:1]) + word[1:]
			case 1:
				word = strings.ToUpper(word)
			}
			b.WriteString(word)
		}
		if n > 1 {
			b.WriteString(links[r.IntN(len(links))])
		}
	}
	return b.String()
}

func randomPlain(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		b.WriteByte("bcdfghklmnprstvw"[r.IntN(16)])
		b.WriteByte("aeiouy"[r.IntN(6)])
	}
	b.WriteString([]string{"", "s", "ing", "ed", "ation", "ly", "er", "n"}[r.IntN(8)])
	return b.String()
}

func seeded() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// TestAnalyzeFinds checks that a word has the same terms wherever it stands: a query
// for it finds the text.
func TestAnalyzeFinds(t *testing.T) {
	var a Analyzer
	r := seeded()
	left := []string{"", "(", `"`, "'", "[", "`", "**", "“", "¡", "…", "<", "—", "=", "|"}
	right := []string{"", ")", `"`, "'", "]", "`", "**", "”", "!", "…", ">", "—", ".", ",",
		":", ";", "...", "),", ".'"}
	for range 20_000 {
		w := randomWord(r)
		if strings.HasPrefix(w, ".") {
			continue // .net has an extra term that ...net has not
		}
		text := "some text " + left[r.IntN(len(left))] + w + right[r.IntN(len(right))] +
			" and more"
		all := bare(analyzed(&a, text))
		for _, term := range bare(analyzed(&a, w)) {
			if !slices.Contains(all, term) {
				t.Fatalf("%q has the term %q, which %q has not: %q", w, term, text, all)
			}
		}
	}
}

// TestAnalyzeSpellings checks that all spellings of a name meet in one term.
func TestAnalyzeSpellings(t *testing.T) {
	var a Analyzer
	r := seeded()
	for range 5_000 {
		parts := make([]string, 2+r.IntN(4))
		for i := range parts {
			parts[i] = randomPlain(r)
		}
		title := slices.Clone(parts)
		for i, p := range title {
			title[i] = strings.ToUpper(p[:1]) + p[1:]
		}
		one := analyzed(&a, strings.Join(parts, ""))
		if len(one) != 1 {
			t.Fatalf("%q is not one term: %q", parts, one)
		}
		for _, spelling := range []string{
			strings.Join(title, ""), parts[0] + strings.Join(title[1:], ""),
			strings.Join(parts, "-"), strings.Join(parts, "_"),
			strings.ToUpper(strings.Join(parts, "_")), strings.Join(title, "-"),
			strings.ToUpper(strings.Join(parts, "")), "--" + strings.Join(parts, "-"),
		} {
			if len(one[0]) > maxTerm {
				continue
			}
			if got := bare(analyzed(&a, spelling)); !slices.Contains(got, one[0]) {
				t.Fatalf("%q has not the term %q: %q", spelling, one[0], got)
			}
		}
	}
}

// TestAnalyzeJoins checks that the terms of a text are those of its words, one after
// the other, and the same without the short cut for plain words and without memory.
func TestAnalyzeJoins(t *testing.T) {
	var a Analyzer
	r := seeded()
	for range 5_000 {
		fields := make([]string, 1+r.IntN(6))
		for i := range fields {
			if fields[i] = randomWord(r); r.IntN(2) == 0 {
				fields[i] = randomPlain(r) + []string{"", ".", ",", "'", "'s", ")."}[r.IntN(6)]
			}
		}
		checkText(t, &a, strings.Join(fields, " "))
	}
}

// checkText checks what holds for every text. a is warm.
func checkText(t *testing.T, a *Analyzer, text string) {
	t.Helper()
	got := analyzed(a, text)
	if fresh := analyzed(new(Analyzer), text); !slices.Equal(got, fresh) {
		t.Fatalf("%q: with memory %q, without %q", text, got, fresh)
	}
	for _, term := range bare(got) {
		if term == "" || len(term) > maxTerm || !utf8.ValidString(term) ||
			strings.ContainsFunc(term, unicode.IsSpace) ||
			strings.ContainsRune(term, utf8.RuneError) {
			t.Fatalf("%q: the term %q", text, term)
		}
	}
	if len(got) > 12*len(text) { // one character may have the normal form of a sentence
		t.Fatalf("%q: %d terms", text, len(got))
	}
	var apart, slow []string
	for _, field := range strings.FieldsFunc(text, func(r rune) bool {
		return r < utf8.RuneSelf &&
			isBlank(byte(r))
	}) {
		apart = append(apart, analyzed(a, field)...)
		var b Analyzer
		b.emit = func(term string, extra bool) {
			if extra {
				term = "+" + term
			}
			slow = append(slow, term)
		}
		b.chunk(normal(field))
	}
	if !slices.Equal(got, apart) {
		t.Fatalf("%q: together %q, apart %q", text, got, apart)
	}
	if !slices.Equal(got, slow) {
		t.Fatalf("%q: by the short cut %q, without %q", text, got, slow)
	}
	if twice := words(analyzed(a, text+" "+text)); !slices.Equal(twice,
		slices.Concat(words(got), words(got))) {
		t.Fatalf("%q: once %q, twice %q", text, got, twice)
	}
}

// TestAnalyzeForgets checks that a full memory changes nothing.
func TestAnalyzeForgets(t *testing.T) {
	var a Analyzer
	const often = "running models"
	for i := range 3 * memoSize {
		a.Terms(fmt.Sprintf("z%dth", i), func(string, bool) {})
		if i%1000 == 0 {
			if got := analyzed(&a, often); !slices.Equal(got, []string{"run", "model"}) {
				t.Fatal(got)
			}
		}
	}
	if len(a.young) > memoSize || len(a.old) > memoSize {
		t.Errorf("%d and %d words are remembered", len(a.young), len(a.old))
	}
}

// TestAnalyzeJunk checks that no text takes more than linear time.
func TestAnalyzeJunk(t *testing.T) {
	cost.SkipUnlessLong(t)
	const size = 1 << 18
	r := seeded()
	noise := make([]byte, size)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	base64 := make([]byte, size)
	for i := range base64 {
		base64[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[r.IntN(64)]
	}
	distinct := make([]byte, size)
	for i := range distinct {
		if distinct[i] = "abcdefghijklmnopqrstuvwxyz"[r.IntN(26)]; i%7 == 0 {
			distinct[i] = ' '
		}
	}
	texts := map[string]string{"noise": string(noise), "base64": string(base64),
		"distinct words": string(distinct)}
	for _, unit := range []string{"a", "aB", "AAa", "a1", "abc1", "a-", "a.", "a/", "a_", "a'",
		"a's", "a++", "a#", "1,000,", "v1.", "a:1:", "_", "'", "-", "/", "#1", ".a",
		"中", "中\u0301", "中\u3099", "ำ", "ก็", "e\u0301", "\u0301", "\u1d16e\u0323", "ﷺ", "㌀", "ſ",
		"ß", "İ", "\u00ad", "\u200d", "👍🏽", "\xff", "a\xff", "日a",
		"function(a,b){return a.x+b.y};"} {
		texts[fmt.Sprintf("%q", unit)] = strings.Repeat(unit, size/len(unit))
	}
	for name, text := range texts {
		var a Analyzer
		start, count, bytes := wait.CPU(), 0, 0
		a.Terms(text, func(term string, _ bool) {
			count++
			bytes += len(term)
		})
		took := wait.CPU() - start
		t.Logf("%-30s %4d ms, %7d terms, %8d bytes", name, took.Milliseconds(), count, bytes)
		// the longest takes 0.3 s, with the race detector 3 s; in quadratic time all
		// take minutes
		if took > 10*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, test := range analyzeTable {
		f.Add(test.text)
	}
	var a Analyzer
	f.Fuzz(func(t *testing.T, text string) { checkText(t, &a, text) })
}
