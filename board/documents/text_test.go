package documents

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// TestStruck: what a reader sees struck, or not at all, does not count.
func TestStruck(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.md", "a ~~b~~ c", "a  c"},
		{"a.md", "a ~~b\nb2~~ c\n\n~~d\n\ne~~", "a \n c\n\n~~d\n\ne~~"}, // not over paragraphs
		{"a.md", "~~a\n- b~~", "~~a\n- b~~"},                            // nor into the next item
		{"a.md", "~~a ~~ b ~~ c", "~~a ~~ b ~~ c"},
		{"a.md", "~5 and ~6 ~~~x~~~ ~~y", "~5 and ~6 ~~~x~~~ ~~y"},
		{"a.md", "`~~` a ~~ `~~`", "`~~` a ~~ `~~`"},
		{"a.md", "\\~~a~~", "\\~~a~~"},
		{"a.md", "```\n~~a~~\n# b\n```\n~~c~~", "```\n~~a~~\n# b\n```\n"},
		{"a.md", "~~~\n~~a~~\n~~~\n", "~~~\n~~a~~\n~~~\n"},
		{"a.md", "# x ~~y~~\n| ~~a~~ | b |", "# x \n|  | b |"},
		{"a.md", "a <s>b</s> <DEL>c</del> <strike>d</strike> e", "a    e"},
		{"a.md", "the <s> tag", "the <s> tag"},
		{"a.md", "<span hidden>a</span><span style='display: none'>b</span><b title='hidden'>c</b>", "<b title='hidden'>c</b>"},
		{"a.md", "a\n<div hidden>\n\nb\n\n</div>c", "a\n\n\n\n\nc"},
		{"a.md", "a\n<div hidden>\n\nb\n\nc", "a\n\n\n\n\n"},
		{"a.md", "a\n<div hidden>\n> b\n\n- c</div>d", "a\n\n\n\nd"},
		{"a.md", "a\n<div hidden>\n# b\n```\nc\n```\n</div>\nd", "a\n\n\n\n\n\n\nd"},
		{"a.html", "<p>a <s>b</s><strike>c</strike><del>d<b>e</b></del> f", "a f"},
		{"a.html", "<p>a<div hidden><div>b</div>c</div>d", "a\nd"},
		{"a.html", "<p hidden>a<p>b<ul><li style='DISPLAY : none'>c<ul><li>d</ul><li>e</ul>",
			"b\ne"},
		{"a.html", "<p>a<span style=visibility:hidden>b</span><span aria-hidden=true>c</span><i hidden=until-found>d</i><input hidden>e", "ace"},
		{"a.html", "<table><tr hidden><td>a<tr><td>b<td hidden>c<td>d</table>", "b | d"},
		{"a.html", "<dialog>a</dialog><dialog open>b</dialog><details>c</details></s></div>d",
			"b\nc\nd"},
		{"a.html", "<p title='<s hidden' data-x = \"hidden\">a", "a"},
		{"a.html", "<p = hidden>a<p>b", "b"},
		{"a.go", "x := 1 // ~~a~~ <!-- b --> <s>c</s>\n# d",
			"x := 1 // ~~a~~ <!-- b --> <s>c</s>\n# d"},
	} {
		d := read(t, c.name, []byte(c.text))
		if d.Text() != c.want {
			t.Errorf("%s %q became %q, not %q", c.name, c.text, d.Text(), c.want)
		}
		if c.name == "a.md" && strings.Count(d.Text(), "\n") != strings.Count(c.text, "\n") {
			t.Errorf("%q: its lines do not count any more", c.text)
		}
	}
	run := func(properties string) string {
		return "<w:r><w:rPr>" + properties +
			"</w:rPr><w:t>x</w:t></w:r>"
	}
	for properties, shown := range map[string]bool{"<w:strike/>": false,
		`<w:dstrike w:val="true"/>`: false, `<w:vanish/><w:strike w:val="0"/>`: false,
		`<w:strike w:val="false"/>`:                             true,
		"<w:rPrChange><w:rPr><w:strike/></w:rPr></w:rPrChange>": true} {
		if got := read(t, "a.docx", docx(t, "<w:p>"+run(properties)+
			"<w:r><w:t>end</w:t></w:r></w:p>")).Text(); strings.Contains(got, "x") != shown {
			t.Errorf("%s: %q", properties, got)
		}
	}
}

// TestAppending: a paragraph that is appended leaves what was there as it is.
func TestAppending(t *testing.T) {
	starts := []string{"~~a", "a ~~b~~ ~~", "<s>a", "<div hidden>a", "`a", "```\na", "<!-- a",
		"a <!-- b", "- ~~a\n- b", "~~", "<", "<s", "\\", "a\n~~~ x"}
	for _, name := range []string{"a.md", "a.html"} {
		for _, start := range starts {
			for _, more := range append(starts, "~~", "</s>", "</div>", "-->", "`", "~~ b ~~") {
				before := expect.Value(parse(name, []byte(start), false))(t)
				after := expect.Value(parse(name, []byte(start+map[bool]string{true: "\n\n",
					false: "<p>"}[name == "a.md"]+more), false))(t)
				if name == "a.html" && strings.Contains(start, "<!--") || name == "a.html" &&
					strings.HasSuffix(start, "<s") || name == "a.html" &&
					strings.Contains(start, "<") && !strings.Contains(start, ">") {
					continue // what is appended ends the tag, so it is not a paragraph
				}
				if !strings.HasPrefix(after.Text(), strings.TrimRight(before.Text(), "\n")) {
					t.Errorf("%s: %q with %q: %q became %q", name, start, more,
						before.Text(), after.Text())
				}
			}
		}
	}
}

func TestData(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		places           map[string]string // of a text
	}{
		{"a.csv", "Name,Amount\r\n\"Acme, Inc\",\"4,500\"\n\n\"two\nlines\",5\nx,6\n",
			"Name | Amount\nAcme, Inc | 4,500\ntwo lines | 5\nx | 6",
			map[string]string{"Acme": "line 2", "two": "line 4", "x |": "line 6"}},
		{"a.csv", "# made by hand; 2 rows\na,b\n1,x\n", "# made by hand; 2 rows\na | b\n1 | x", nil},
		{"a.csv", "a,b\n1,x\n#2,y\n# in all: 2 rows, 1 open\n", "a | b\n1 | x\n#2 | y\n- in all: 2 rows, 1 open",
			map[string]string{"in all": "line 4"}},
		{"a.csv", "a;b,c;d\ne;\"f\"", "a | b,c | d\ne | f", nil},
		{"a.csv", "a,b\n1,x\"y", "a | b\n1 | x\"y", nil},
		{"a.tsv", "a\tb;c\n1\t2", "a | b;c\n1 | 2", nil},
		{"a.json", "{\n  \"a\\u00e9\": \"x\\ny\",\n  \"n\": [1,234]\n}",
			"{\n  aé:  x y,\n  n:  [1, 234]\n}", map[string]string{"n:": "line 3"}},
		{"a.json", `[{"a":"say \"x\"","b":1},{"a":2}]`, "[{a: say \"x\", b: 1},\n{a: 2}]",
			map[string]string{"{a: 2": "line 1"}},
		{"a.jsonl", "{\"a\":1}\n\n{\"b\":\"c\"}\n", "{a: 1}\n\n{b: c}\n",
			map[string]string{"b": "line 3"}},
		{"a.json", "{\n // of a test\n \"a\": 300,\n}", "{\n // of a test\n \"a\": 300,\n}", nil},
		{"a.json", "{\"a\":1}\n{\"b\":\"c\"}", "{a: 1}\n{b: c}", map[string]string{"b": "line 2"}},
		{"a.jsonl", "{}\n{\n", "{}\n{\n", nil},
		{"a.ipynb", "{", "{", nil},
		{"a.ipynb", `{"cells":[{"source":[1]}]}`, "{cells: [{source: [1]}]}", nil},
		{"a.json", `{"log":"\u001b[31mFAIL\u001b[0m 3"}`, "{log: FAIL 3}", nil},
		{"a.csv", "a\xf6;b;4,20 \x80\n", "aö | b | 4,20 €", nil},
		{"a.log", "\x1b[32mok\x1b[0m 40 of \x1b]0;t\x0740\n", "ok 40 of 40\n", nil},
		{"a.md", "The \x1b[1mpool\x1b[0m", "The pool", nil},
		{"a.html", "<meta charset=iso-8859-1><p>caf\xe9", "café", nil},
		{"a.yaml", "# note\na: <!-- b -->", "# note\na: <!-- b -->", nil},
		{"a.ipynb", `{"cells":[{"cell_type":"markdown","source":["# Head\n","a ~~b~~"]},{"cell_type":"code","source":"x = 4.5 # ~~c~~","outputs":[{"text":["out\n","put"]},{"data":{"text/plain":["p"],"image/png":"QUJD","application/json":{"a":1}}},{"ename":"E","evalue":"v"},{"data":{"text/html":"<b>h</b>","text/plain":"no"}}]},
			{"cell_type":"code","metadata":{"jupyter":{"source_hidden":true,"outputs_hidden":true}},"source":"hidden","outputs":[{"text":"hidden"}]},{"cell_type":"raw","source":"last"}]}`,
			"# Head\na \n\nx = 4.5 # ~~c~~\nout\nput\np\nE: v\nh\n\nlast\n",
			map[string]string{"Head": "cell 1", "4.5": "cell 2",
				"out": "cell 2", "last": "cell 4"}},
		{"a.ipynb", `{"worksheets":[{"cells":[{"cell_type":"code","input":["old"]}]}]}`,
			"old\n", nil},
	} {
		d := read(t, c.name, []byte(c.text))
		if d.Text() != c.want {
			t.Errorf("%s %q became %q, not %q", c.name, c.text, d.Text(), c.want)
		}
		for text, where := range c.places {
			if got := d.Where(strings.Index(d.Text(), text)); got != where {
				t.Errorf("%s: %q is at %s, not %s", c.name, text, got, where)
			}
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"a.ipynb", `{}`, "has no text"},
		{"a.xlsx", "text", "not a xlsx file"},
	} {
		if _, err := Read(c.name, strings.NewReader(c.text)); !errors.Is(err, fault.Invalid) ||
			!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s %q: %v", c.name, c.text, err)
		}
	}
}

func TestTextsThatGrow(t *testing.T) {
	cost.SkipUnlessLong(t)
	for _, c := range []struct{ name, before, unit, after string }{
		{"tildes.md", "", "~~a ", ""}, {"struck.md", "", "~~a~~ ", ""}, {"many.md", "x", "~~", ""},
		{"spaces.md", "", "~~a ~~ ", ""}, {"ticks.md", "", "`a``", ""},
		{"tags.md", "", "<s>", ""}, {"open.md", "", "<s ", ""}, {"div.md", "", "<div hidden>a",
			""}, {"until.md", "<div hidden>\n\n", "a</div", ""}, {"lines.md", "", "~~a\n", ""},
		{"hidden.html", "", "<div hidden>", ""}, {"stray.html", "<i>", "<b></u>", ""},
		{"items.html", "<ul>", "<li>a<b>", ""}, {"style.html", "<p style='", "display ",
			"'>x"}, {"attributes.html", "<p ", "a=b = ", ">x"},
		{"a.csv", "", "a,\"b\n", ""}, {"b.csv", "", "a,b\n", ""}, {"a.json", "[", "1,", "1]"},
		{"b.json", "[", "{\"a\":\"b\"},", "1]"}, {"a.jsonl", "", "{}\n", ""},
		{"a.ipynb", `{"cells":[{"source":"x"}`, `,{"source":["a","b"]}`, "]}"},
		{"a.go", "", "// a\n", ""},
	} {
		cost.Growth(t, c.name+" "+c.unit, 1<<12, func(n int) {
			if _, err := Read(c.name, strings.NewReader(c.before+strings.Repeat(c.unit, n)+
				c.after)); err != nil && !errors.Is(err, fault.Invalid) {
				t.Errorf("%s: %v", c.name, err)
			}
		})
	}
}

func FuzzText(f *testing.F) {
	f.Add("a.md", "a ~~b~~ `c` <s>d</s>\n\n<div hidden>\n\n</div>\n```\n~~~\n", "~~")
	f.Add("a.md", "b\n\n<div hidden>\n></div>\n```\n~~~\n", "~~")
	f.Add("a.html", "<p hidden>a<p>b<ul><li style='display:none'>c</ul><dialog open>", "<p>")
	f.Add("a.csv", "a;b\n\"c\nd\";e", "")
	f.Add("a.json", `[{"a":"b\n"},1,{}]`, "")
	f.Add("a.jsonl", "{}\n[]", "")
	f.Add("a.ipynb", `{"cells":[{"cell_type":"markdown","source":["# a"],"outputs":[{"text":"b","data":{"text/html":"<p>c"}}]}]}`, "")
	f.Fuzz(func(t *testing.T, name, text, more string) {
		d, err := Read(name, strings.NewReader(text))
		if err != nil {
			return
		}
		consistent(t, d)
		// NUL and what is no UTF-8 tell of another encoding, of the whole text
		if strings.HasSuffix(name, ".md") && !strings.HasPrefix(text, "PK") &&
			!strings.HasPrefix(text, "%PDF") && utf8.ValidString(more) &&
			!strings.Contains(text+more, "\x00") {
			after, err := Read(name, strings.NewReader(text+"\n\n"+more))
			if err == nil && !strings.HasPrefix(after.Text(), strings.TrimRight(d.Text(), "\n")) {
				t.Errorf("%q with %q: %q became %q", text, more, d.Text(), after.Text())
			}
		}
	})
}
