package documents

import (
	"bytes"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// TestWhole: what a reader of a report does not see is read in a source.
func TestWhole(t *testing.T) {
	book := xlsx(t, `<cols><col min="2" max="2" hidden="1"/></cols><sheetData>`+
		`<row r="1"><c r="A1" t="inlineStr"><is><t>seen</t></is></c><c r="B1"><v>41</v></c></row>`+
		`<row r="2" hidden="1"><c r="A2"><v>42</v></c></row></sheetData>`,
		"xl/worksheets/_rels/sheet1.xml.rels", `<Relationships><Relationship Id="c" Type="x/comments" Target="../comments1.xml"/><Relationship Id="t" Type="x/threadedComment" Target="/xl/t.xml"/></Relationships>`,
		"xl/comments1.xml", `<comments><commentList><comment ref="A1"><text><r><t>checked 43</t></r></text></comment></commentList></comments>`,
		"xl/t.xml", `<ThreadedComments><threadedComment ref="B1"><text>agreed 44</text></threadedComment></ThreadedComments>`)
	word := docx(t, `<w:p><w:r><w:t>seen </w:t></w:r><w:del><w:r><w:delText>41 </w:delText></w:r></w:del><w:r><w:rPr><w:vanish/></w:rPr><w:t>42 </w:t></w:r><w:r><w:rPr><w:strike/></w:rPr><w:t>43</w:t></w:r></w:p>`,
		"word/comments.xml", `<w:comments `+wordNS+`><w:comment><w:p><w:r><w:t>44</w:t></w:r></w:p></w:comment></w:comments>`)
	for _, c := range []struct{ name, data, seen, whole string }{
		{"a.md", "seen <!-- 41 --> ~~42~~ <s>43</s>\n<div hidden>44</div>", "seen", "41 42 43 44"},
		{"a.html", `<title>41</title><p>seen<p hidden>42</p><!-- 43 --><del>44</del><img alt="45"><script>46</script>`,
			"seen", "41 42 43 44 45 46"},
		{"a.ipynb", `{"cells":[{"cell_type":"code","source":"seen"},{"cell_type":"code","metadata":{"jupyter":{"source_hidden":true,"outputs_hidden":true}},"source":"41","outputs":[{"text":"42"}]}]}`,
			"seen", "41 42"},
		{"a.xlsx", string(book), "seen", "41 42 43 44"},
		{"a.docx", string(word), "seen", "41 42 43 44"},
	} {
		report := read(t, c.name, []byte(c.data)).Text()
		d := expect.Value(readAs(c.name, bytes.NewReader([]byte(c.data)), true))(t)
		for _, s := range strings.Fields(c.whole) {
			if strings.Contains(report, s) || !strings.Contains(d.Text(), s) {
				t.Errorf("%s, %s: the report is %q, the source %q", c.name, s, report, d.Text())
			}
		}
		if !strings.Contains(report, c.seen) || !strings.Contains(d.Text(), c.seen) {
			t.Errorf("%s: the report is %q, the source %q", c.name, report, d.Text())
		}
		consistent(t, d)
	}
	d, _ := readAs("a.xlsx", bytes.NewReader(book), true)
	for text, want := range map[string]string{"checked": "A1", "agreed": "B1", "41": "B1"} {
		if got := d.Where(strings.Index(d.Text(), text)); !strings.HasSuffix(got, "!"+want) {
			t.Errorf("%s is at %s", text, got)
		}
	}
	d, _ = readAs("a.html", strings.NewReader("<p>a\n<!-- b\nc -->\n<p>d"), true)
	if got := d.Where(strings.Index(d.Text(), "c")); got != "line 3" {
		t.Errorf("the comment is at %s", got)
	}
}
