package cells

import (
	"cmp"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"blackboard/testdata/cost"
)

// plainStyles are the styles without colours; brightStyles those with all of them.
func plainStyles() *Styles { return NewStyles(lipgloss.NewRenderer(io.Discard), "") }

func brightStyles() *Styles {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(0) // all colours
	return NewStyles(r, "")
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"nothing", "", ""},
		{"paragraphs", "one\ntwo\n\nthree", "one two|-|three"},
		{"a paragraph that is long", "aaaa bbbb cccc dddd eeee ffff", "aaaa bbbb cccc dddd|eeee ffff"},
		{"a word that is long", strings.Repeat("x", 25) + " y", strings.Repeat("x", 20) + "|xxxxx y"},
		{"headings", "# One\n\n### Three\n\nTwo\n===", "# One|-|### Three|-|Two|────────────────────"},
		{"emphasis", "a *b* **c** ***d*** `e` f", "a *b* **c** ***d***|`e` f"},
		{"code with backticks", "`` a`b ``", "`` a`b ``"},
		{"hard breaks", "one  \ntwo\\\nthree", "one|two|three"},
		{"escapes", `\*a\* &amp; &lt;b&gt; \&amp; &copy &#65;`, `\*a\* &amp;|&lt;b&gt; \&amp;|&copy &#65;`},
		{"a list", "- a\n- b\n  - c\n- d", "• a|• b|  • c|• d"},
		{"a loose list", "- a\n\n- b\n\n  more", "• a|-|• b|-|  more"},
		{"numbers", "9. a\n1. b\n   wrapped here and there", "9. a|1. b wrapped here|   and there"},
		{"other numbers", "3) a", "3) a"},
		{"an empty item", "-\n- b", "•|• b"},
		{"a quote", "> a\n> b\n>\n> - c", "│ a b|│|│ • c"},
		{"fenced code", "```go\nfunc f() {\n\treturn\n}\n```\nx", "```go|  func f() {|      return|  }|```|x"},
		{"long code", "```\n" + strings.Repeat("ab", 12) + "\n```", "```|  " + strings.Repeat("ab", 9) + "|↳ " + strings.Repeat("ab", 3) + "|```"},
		{"indented code", "    a  b\n\n    c", "    a  b|-|    c"},
		{"no code", "```\n```", "```|```"},
		{"a link", "[a](http://b.c)", "[a](http://b.c)"},
		{"a link with a title", `[a](b "c d")`, `[a](b "c d")`},
		{"a link that says where", "[b.c](b.c) <http://b.c>", "[b.c](b.c)|<http://b.c>"},
		{"an image", "![a b](c.png)", "![a b](c.png)"},
		{"definitions of links", "[a][1]\n\n[1]: b\n[2]: c", "[a][1]|-|[1]: b|[2]: c"},
		{"a rule", "a\n\n---\n\nb", "a|-|" + strings.Repeat("─", 20) + "|-|b"},
		{"HTML", "a <b>c</b>\n\n<div>\nx\n</div>\n\n<!-- y\n-->", "a <b>c</b>|-|<div> x|</div>|-|<!-- y -->"},
		{"a table", "| a | b |\n|---|---|\n| c | d |", "a │ b|──┼──|c │ d"},
		{"a table without bars", "a | b\n--- | :-:\nc | ddd", "a │  b|──┼────|c │ ddd"},
		{"a table with wide characters", "| 名前 | n |\n|---|--:|\n| x | 10 |\n| 日本 👩‍👩‍👧 | 9 |", "名前    │  n|────────┼───|x       │ 10|日本 👩 │  9"},
		{"a table that is too wide", "| id | text |\n|---|---|\n| 1 | one two three four five |", "id │ text|───┼────────────────|1  │ one two three|   │ four five"},
		{"a table with marks", "| a \\| b | `c` |\n|---|---|\n| **d** | e | f |\n| g |", "a \\| b │ `c`|───────┼──────|**d**  │ e | f|g      │"},
		{"a table of too many columns", "|a|b|c|d|e|f|g|h|i|j|k|l|\n|-|-|-|-|-|-|-|-|-|-|-|-|\n|longer|longer|longer|l|l|l|l|l|l|l|l|l|", "|a|b|c|d|e|f|g|h|i|j||k|l|||-|-|-|-|-|-|-|-|-|-||-|-|||longer|longer|longe|r|l|l|l|l|l|l|l|l|l|"},
		{"a line before a table", "see\na | b\n--|--\nc | d", "see|a │ b|──┼──|c │ d"},
		{"no table", "a | b\nc", "a | b c"},
		{"wide characters", "日本語のテキストです 👩‍👩‍👧‍👦 x", "日本語のテキストです|👩 x"},
		{"escape sequences", "a\x1b[31mb\x1b]0;t\x07 &#27;[2J \u202ex", "a�[31mb�]0;t�|&#27;[2J �x"},
		{"looks over lines", "**aaaa bbbb cccc dddd eeee**", "**aaaa bbbb cccc|dddd eeee**"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for how, a := range map[string]*Styles{"plain": plainStyles(), "bright": brightStyles()} {
				lines := Markdown(a, c.src, 20)
				for i := range lines {
					if lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " "); lines[i] == "" && len(lines) > 1 {
						lines[i] = "-"
					}
				}
				if got := strings.Join(lines, "|"); got != c.want {
					t.Errorf("%s:\n%s\ninstead of\n%s", how, got, c.want)
				}
			}
		})
	}
}

// The text of an entry is laid out if it is markdown, with its line breaks and the words of the
// filter highlighted. Else each character of it stays.
func TestProse(t *testing.T) {
	bright := brightStyles()
	for _, c := range []struct{ name, src, want string }{
		{"no markup", "count(*) and sum(*)\n  see_this_one `x`", "count(*) and sum(*)|  see_this_one `x`"},
		{"a shell's comment", "#!/bin/sh #5", "#!/bin/sh #5"},
		{"strong words", "**a** b\nc", "**a** b|c"},
		{"a list", "x:\n- a\n- b", "x:|• a|• b"},
		{"a table", "| a | b |\n|---|---|\n| c | d |", "a │ b|──┼──|c │ d"},
		{"a table without bars", "a | b\n--- | ---\nc | d", "a │ b|──┼──|c │ d"},
		{"a rule of dashes", "a\n-----\nb", "a|-----|b"},
		{"code", "```\na  b\n```", "```|  a  b|```"},
	} {
		x := NewWriter(bright, 40)
		x.Prose(c.src)
		var lines []string
		for _, l := range x.Lines {
			lines = append(lines, cmp.Or(strings.TrimRight(ansi.Strip(l.Text), " "), "-"))
		}
		if got := strings.Join(lines, "|"); got != c.want {
			t.Errorf("%s:\n%s\ninstead of\n%s", c.name, got, c.want)
		}
	}
	x := NewWriter(bright, 40)
	x.Mark = []string{"needle"}
	x.Prose("- plain needle\n- **strong Needle**\n\n```\nneedle\n```")
	found, title := bright.Found.Render("needle"), bright.Found.Render("Needle")
	var all strings.Builder
	for _, l := range x.Lines {
		all.WriteString(l.Text + "\n")
	}
	if strings.Count(all.String(), found) != 2 || strings.Count(all.String(), title) != 1 {
		t.Errorf("not highlighted three times: %q", all.String())
	}
}

// TestMarkdownLooks sees that each line has its looks for itself, and that without colours there
// are none.
func TestMarkdownLooks(t *testing.T) {
	src := "**aaaa bbbb** `code`\n\n- *x*\n\n> [l](d)"
	for _, l := range Markdown(plainStyles(), src, 20) {
		if l != ansi.Strip(l) {
			t.Errorf("without colours: %q", l)
		}
	}
	lines := Markdown(brightStyles(), src, 20)
	if l := lines[0]; !strings.HasPrefix(l, "\x1b[1m") || !strings.HasSuffix(l, "\x1b[0m") {
		t.Errorf("it does not begin and end its looks: %q", l)
	}
	if strings.Join(lines, "") == ansi.Strip(strings.Join(lines, "")) {
		t.Error("with colours there are none")
	}
}

func TestMarkdownBounds(t *testing.T) {
	big := Markdown(plainStyles(), strings.Repeat("a word\n\n", 20000), 40)
	if last := strings.Join(big[len(big)-2:], " "); !strings.Contains(last, "94 464 bytes more") || len(big) > 20000 {
		t.Errorf("%d lines, the last: %q", len(big), last)
	}
	if whole := Markdown(plainStyles(), strings.Repeat("a", maxMarkdown), 40); strings.Contains(whole[len(whole)-1], "more") {
		t.Error("as much as a capsule may have is not shown whole")
	}
	if cut := Markdown(plainStyles(), strings.Repeat("日", maxMarkdown), 40); strings.Contains(strings.Join(cut, ""), "�") {
		t.Error("a character was cut in two")
	}
	if deep := Markdown(plainStyles(), strings.Repeat("> ", 12)+"x", 60); len(deep) != 1 || deep[0] != strings.Repeat("│ ", 12)+"x" {
		t.Errorf("deep quotes: %q", deep)
	}
	if deep := Markdown(plainStyles(), strings.Repeat("- ", 40)+"x", 60); strings.Count(strings.Join(deep, ""), "-") != 40 || !strings.HasSuffix(deep[len(deep)-1], "x") {
		t.Errorf("deep lists: %q", deep)
	}
	if narrow := Markdown(plainStyles(), "- - - - 日本", 3); len(narrow) == 0 {
		t.Error("nothing in 3 cells")
	}
}

// hostile are texts that keep a parser of markdown busy.
func hostile() []string {
	var all []string
	for _, part := range []string{">", "> ", "1. ", "- ", "[", "![", "[a](", "[a](b", "[a]\n", "*a **a ", "_a ", "``a`", "<", "<!--", "- a\n", "[a]: b\n", "`", "&", "\\", "    ", "> - "} {
		all = append(all, strings.Repeat(part, maxMarkdown/len(part)))
	}
	var nested strings.Builder
	for i := range 240 {
		nested.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	many := "a|" + strings.Repeat("-|", 10000) + "\n"
	return append(all, nested.String(), "a|b\n"+strings.Repeat("-|", 10000)+"-\n"+strings.Repeat("a\n", 20000), many+many)
}

// TestMarkdownHostile ends.
func TestMarkdownHostile(t *testing.T) {
	cost.SkipUnlessLong(t)
	for _, src := range hostile() {
		start := time.Now()
		checkMarkdown(t, src, 40)
		t.Logf("%.10q %v", src, time.Since(start))
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"# a\n\n- b\n  1. c\n\n> d `e` **f** [g](h \"i\") ![j](k) <l> <m>n</m>\n\n```o\np\n```\n\n    q\n\n---\n", "| a |\n|--|", "日本 👩‍👩‍👧 e\u0301 \u200d", "\x1b[31m \u202e \x00 \xff", "&#27; &amp; \\*"} {
		f.Add(s, 20)
	}
	f.Add("- - - - - - - - - 日本語", 1)
	f.Fuzz(func(t *testing.T, src string, w int) {
		if w < 1 || w > 300 {
			return
		}
		checkMarkdown(t, src, w)
	})
}

// checkMarkdown sees that no line is wider than it may be, or has anything but characters and
// looks.
func checkMarkdown(t *testing.T, src string, w int) {
	t.Helper()
	for _, a := range []*Styles{plainStyles(), brightStyles()} {
		for _, l := range Markdown(a, src, w) {
			if Width(l) > w {
				t.Fatalf("a line of %d cells instead of %d: %q", Width(l), w, l)
			}
			text := l
			for {
				i := strings.Index(text, "\x1b[")
				if i < 0 {
					break
				}
				n := strings.IndexFunc(text[i+2:], func(r rune) bool { return r != ';' && !unicode.IsDigit(r) })
				if n < 0 || text[i+2+n] != 'm' {
					t.Fatalf("another escape sequence than a look: %q", l)
				}
				text = text[:i] + text[i+2+n+1:]
			}
			if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
				t.Fatalf("control characters: %q", l)
			}
		}
	}
}
