package documents

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"blackboard/board/fault"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

func TestMain(m *testing.M) { os.Exit(cost.Main(m)) }

const (
	wordNS   = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`
	strictNS = `xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"`
)

// zipFile builds a zip archive of parts, given as name and content in turn.
func zipFile(tb testing.TB, parts ...string) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w := expect.Value(z.Create(parts[i]))(tb)
		io.WriteString(w, parts[i+1])
	}
	expect.OK(tb, z.Close())
	return b.Bytes()
}

// docx builds a Word document with that body.
func docx(tb testing.TB, body string, more ...string) []byte {
	tb.Helper()
	return zipFile(tb, append([]string{"[Content_Types].xml", "<Types/>",
		"word/document.xml",
		`<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document ` + wordNS +
			`><w:body>` + body + `</w:body></w:document>`}, more...)...)
}

func read(t *testing.T, name string, data []byte) *Document {
	t.Helper()
	r := expect.Value(Read(name, bytes.NewReader(data)))(t)
	return r
}

func utf16Text(s string, big bool) []byte {
	b := []byte{0xFF, 0xFE}
	if big {
		b = []byte{0xFE, 0xFF}
	}
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

func TestText(t *testing.T) {
	for name, data := range map[string]string{
		"report.md": "# Héading\r\nline 2\rline 3\n", "report.txt": "# Héading\nline 2\nline 3\n",
		"-": "# Héading\nline 2\nline 3\n", "report": "\uFEFF# Héading\nline 2\nline 3\n",
		"16le.txt": string(utf16Text("# Héading\r\nline 2\nline 3\n", false)),
		"16be.txt": string(utf16Text("# Héading\nline 2\nline 3\n", true)),
	} {
		r := read(t, name, []byte(data))
		if r.Text() != "# Héading\nline 2\nline 3\n" || r.Name != name ||
			r.Line(strings.Index(r.Text(), "3")) != 3 || !r.headings[0] || r.headings[1] {
			t.Errorf("%s: %q %+v", name, r.Text(), r)
		}
	}
}

func TestDocx(t *testing.T) {
	p := func(s string) string { return "<w:p><w:r><w:t>" + s + "</w:t></w:r></w:p>" }
	for _, c := range []struct{ name, body, want string }{
		{"paragraphs", p("one") + p("two"), "one\ntwo"},
		{"runs, tab, break, entities",
			`<w:p><w:r><w:t xml:space="preserve">a &amp; </w:t></w:r><w:r><w:t>b</w:t><w:tab/><w:t>c</w:t><w:br/><w:t>d</w:t><w:noBreakHyphen/><w:t>e</w:t></w:r></w:p>`, "a & b\tc\vd-e"},
		{"tab stops are no text",
			`<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs></w:pPr><w:r><w:t>x</w:t></w:r></w:p>`, "x"},
		{"a table", "<w:tbl><w:tr><w:tc>" + p("a") + p("b") + "</w:tc><w:tc>" + p("c") +
			"</w:tc></w:tr><w:tr><w:tc>" + p("d") + "</w:tc><w:tc>" + p("") +
			"</w:tc></w:tr></w:tbl>" + p("e"), "a b | c\nd | \ne"},
		{"a table in a cell", "<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc>" + p("x") + "</w:tc><w:tc>" +
			p("y") + "</w:tc></w:tr></w:tbl>" + p("z") + "</w:tc><w:tc>" + p("q") +
			"</w:tc></w:tr></w:tbl>", "x | y z | q"},
		{"tracked changes", `<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText><w:t>old</w:t></w:r></w:del><w:moveFrom><w:r><w:t>from</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t> to</w:t></w:r></w:moveTo></w:p>`, "new to"},
		{"a fallback", `<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>once</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>once</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>`, "once"},
		{"a text box", `<w:p><w:r><w:t>outer</w:t><w:txbxContent>` + p("inner") +
			`</w:txbxContent><w:t> goes on</w:t></w:r></w:p>`, "inner\nouter goes on"},
		{"hidden text", `<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r></w:p>`, "shown"},
		{"a formula", `<w:p><m:oMath><m:r><m:t>x=4500000</m:t></m:r></m:oMath></w:p>`,
			"x=4500000"},
		{"instructions are no text",
			`<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>7</w:t></w:r></w:p>`, "7"},
	} {
		if got := read(t, "r.docx", docx(t, c.body)).Text(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}

	head := `<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>Findings</w:t></w:r></w:p>`
	note := func(root, s string) string {
		return "<w:" + root + " " + wordNS + ">" +
			p(s) + "</w:" + root + ">"
	}
	data := docx(t, head+p("body"), "word/footnotes.xml", note("footnotes", "foot"),
		"word/endnotes.xml", note("endnotes", "end"),
		"word/header1.xml", note("hdr", "top"), "word/footer1.xml", note("ftr", "bottom"),
		"word/comments.xml", note("comments", "comment"))
	r := read(t, "final.bin", data)
	if got, want := r.Text(), "Findings\nbody\nfoot\nend\ntop\nbottom"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !r.headings[0] || r.headings[1] {
		t.Errorf("headings %v", r.headings)
	}
	if r.Line(strings.Index(r.Text(), "end")) != 4 {
		t.Error("lines do not count paragraphs")
	}

	strict := zipFile(t, "word/document.xml",
		`<w:document `+strictNS+`><w:body>`+p("strict")+`</w:body></w:document>`)
	if got := read(t, "s.docx", strict).Text(); got != "strict" {
		t.Errorf("strict: %q", got)
	}
}

func TestHTML(t *testing.T) {
	page := `<!DOCTYPE html>
<html><head><title>T</title><style>p { color: red }</style>
<script>if (1 < 2) document.write("<p>no</p>")</script></head>
<body><!-- <p>no</p> -->
<h1>Lien &amp; debt</h1><p>The <b>cap</b> is
$4.5&nbsp;million<br>for <a title="a>b" href='x'>all</a>.</p>
<table><tr><th>Name</th><th>Amount</th></tr>
<tr><td><p>Crestline</p></td><td>&#36;25</td></tr></table>
<ul><li>one<li>two</ul><pre>a
  b</pre>3 < 4 &lt; 5</body></html>`
	want := []struct {
		line int
		text string
	}{{5, "Lien & debt"}, {5, "The cap is $4.5 million"}, {6, "for all."}, {7, "Name | Amount"},
		{8, "Crestline | $25"}, {9, "one"}, {9, "two"}, {9, "a"}, {10, "b"}, {10, "3 < 4 < 5"}}
	for _, name := range []string{"r.html", "-", "r.htm"} {
		r := read(t, name, []byte(page))
		lines := strings.Split(r.Text(), "\n")
		if len(lines) != len(want) {
			t.Fatalf("%s: got %q", name, lines)
		}
		for i, w := range want {
			if lines[i] != w.text || r.Line(r.starts[i]) != w.line || r.headings[i] != (i == 0) {
				t.Errorf("%s: line %d is %q (source line %d), want %q (%d)", name, i, lines[i],
					r.Line(r.starts[i]), w.text, w.line)
			}
		}
	}
	for _, broken := range []string{"<p>x<script>y", "<p>x<!-- y", "<p>x", "x<p",
		"<html><p>x<a href='y", "x<", "x</", "x<!"} {
		if got := read(t, "r.html", []byte(broken)).Text(); !strings.HasPrefix(got, "x") {
			t.Errorf("%q gives %q", broken, got)
		}
	}
}

func TestErrors(t *testing.T) {
	cost.SkipUnlessLong(t)
	dir := t.TempDir()
	var bomb bytes.Buffer
	z := zip.NewWriter(&bomb)
	if w, err := z.CreateRaw(&zip.FileHeader{Name: "word/document.xml", Method: zip.Deflate,
		CompressedSize64: 1, UncompressedSize64: Max + 1}); err == nil {
		w.Write([]byte{3})
	}
	z.Close()
	good := docx(t, "<w:p><w:r><w:t>"+strings.Repeat("text ", 1000)+"</w:t></w:r></w:p>")
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 0xFF
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty.md", nil, "has no text"},
		{"blank.txt", []byte(" \n\t\r\n"), "has no text"},
		{"empty.docx", nil, "has no text"},
		{"blank.docx", docx(t, "<w:p/>"), "has no text"},
		{"blank.html", []byte("<p> </p><script>x</script>"), "has no text"},
		{"binary.txt", []byte("abc\x00def"), "binary"},
		{"a.pdf", []byte("%PDF-1.7\n\x00\x01"), "is damaged"},
		{"a.rtf", []byte(`{\rtf1 hello}`), "an RTF file"},
		{"a.doc", []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), "old Office file"},
		{"a.xlsx", zipFile(t, "xl/workbook.xml", "<x/>"), "has no text"},
		{"b.xlsb", zipFile(t, "xl/workbook.bin", ""), "xlsb"},
		{"b.pptx", zipFile(t, "ppt/presentation.xml", "<x/>"), "a presentation (pptx), which cannot be read"},
		{"c.ods", zipFile(t, "mimetype", "", "content.xml", "<x/>"), "OpenDocument"},
		{"d.epub", zipFile(t, "META-INF/container.xml", "<x/>"), "EPUB"},
		{"e.zip", zipFile(t, "readme.txt", "hello"), "zip archive without a document"},
		{"text.docx", []byte("plain text"), "not a docx file"},
		{"cut.docx", good[:len(good)-40], "damaged"},
		{"flipped.docx", flipped, "damaged"},
		{"badxml.docx", zipFile(t, "word/document.xml", "<w:document><w:p>"), "damaged"},
		{"entity.docx", zipFile(t, "word/document.xml",
			`<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]><d>&e;</d>`), "damaged"},
		{"deep.docx", zipFile(t, "word/document.xml", strings.Repeat("<a>", 600)+
			strings.Repeat("</a>", 600)), "nested too deeply"},
		{"bomb.docx", bomb.Bytes(), "more than 64 MiB"},
		{"huge.txt", bytes.Repeat([]byte("a"), Max+1), "more than 64 MiB"},
	} {
		path := filepath.Join(dir, c.name)
		expect.OK(t, os.WriteFile(path, c.data, 0o600))
		_, err := Open(path)
		if !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want one with %q", c.name, err, c.want)
			continue
		}
		var e *fault.Error
		if !errors.As(err, &e) || len(e.Next) == 0 {
			t.Errorf("%s: %v does not say what to do", c.name, err)
		}
	}
	if _, err := Open(filepath.Join(dir, "none.md")); !errors.Is(err, fault.NotFound) ||
		!strings.Contains(err.Error(), "none.md") {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Open(dir); !errors.Is(err, fault.Invalid) ||
		!strings.Contains(err.Error(), "directory") {
		t.Errorf("directory: %v", err)
	}
	if _, err := Read("-", iotest.ErrReader(os.ErrPermission)); !errors.Is(err, os.ErrPermission) {
		t.Errorf("failing reader: %v", err)
	}
}

func TestLimited(t *testing.T) {
	for size, want := range map[int]error{3: nil, 4: nil, 5: errTooLarge, 99: errTooLarge} {
		got, err := io.ReadAll(&limited{r: strings.NewReader(strings.Repeat("x", size)), left: 4})
		if !errors.Is(err, want) || want == nil && len(got) != size {
			t.Errorf("%d bytes: %d, %v", size, len(got), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("r.docx", docx(f,
		"<w:p><w:r><w:t>x</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>"))
	f.Add("r.html", []byte("<h1>a</h1><p title='>'>b<script>c</script><table><tr><td>d<td>e</table><pre>f\ng"))
	f.Add("r.md", []byte("# a\n\nb **c** $4.5M\r\n"))
	f.Add("-", utf16Text("text", false))
	f.Add("x", []byte("%PDF-"))
	// The body of a document, too: a changed zip is hardly ever a zip.
	f.Add("body", []byte("<w:p><w:pPr><w:pStyle w:val='Heading1'/></w:pPr><w:r><w:t>a</w:t><w:br/></w:r><w:del><w:r><w:t>b</w:t></w:r></w:del></w:p></w:tr></w:tc>"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if name == "body" {
			data = docx(t, string(data))
		}
		r, err := Read(name, bytes.NewReader(data))
		if err != nil {
			return
		}
		consistent(t, r)
	})
}

// consistent holds what every document is to hold.
func consistent(t *testing.T, r *Document) {
	t.Helper()
	if strings.TrimSpace(r.Text()) == "" {
		t.Error("a document without text")
	}
	if len(r.starts) != len(r.headings) || r.source != nil && len(r.source) != len(r.starts) ||
		strings.Count(r.Text(), "\n")+1 != len(r.starts) {
		t.Error("the lines are inconsistent")
	}
	for i, p := range r.places {
		if i > 0 && p.at < r.places[i-1].at || p.at > len(r.text)+1 {
			t.Error("the places are inconsistent")
		}
	}
	for _, at := range []int{0, len(r.Text()) / 2, len(r.Text())} {
		if r.Line(at) < 1 || r.Where(at) == "" {
			t.Errorf("line %d, %q", r.Line(at), r.Where(at))
		}
	}
}

// TestReportComments: what no reader sees does not count.
func TestComments(t *testing.T) {
	for text, want := range map[string]string{
		"a <!-- hidden --> b":                      "a  b",
		"a <!-- one --> b <!-- two --> c":          "a  b  c",
		"<!-- all\nof it\nhidden --> shown\nafter": "\n\n shown\nafter",
		"<!-- never closed\nstill":                 "\n",
		"in a line <!-- is text\nand so is this":   "in a line <!-- is text\nand so is this",
		"<!---->x":                                 "x",
		"<!-->x":                                   "",
	} {
		if got := New("r", text).Text(); strings.TrimRight(got,
			"\n") != strings.TrimRight(want, "\n") {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
