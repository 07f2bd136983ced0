package documents

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/cost"
)

// pdfStreamOf writes a stream, packed if the dictionary says so.
func pdfStreamOf(dict, data string) string {
	if strings.Contains(dict, "/FlateDecode") {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		z.Write([]byte(data))
		z.Close()
		data = b.String()
	}
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data)
}

// pdf builds a PDF without a table of its objects: 1 the catalog, 2 the tree, 3 the
// resources, 4 a font, then a page and its content for each content, and more objects.
func pdf(contents []string, more ...string) []byte {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "",
		"<< /Font << /F1 4 0 R /F2 100 0 R >> /XObject << /X 101 0 R >> >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"}
	kids := ""
	for _, c := range contents {
		n := len(objects) + 1
		kids += fmt.Sprintf("%d 0 R ", n)
		objects = append(objects, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R >>",
			n+1), pdfStreamOf("", c))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d /Resources 3 0 R >>", kids,
		len(contents))
	var b strings.Builder
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	for i, o := range objects {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	for i, o := range more {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", 100+i, o)
	}
	b.WriteString("trailer\n<< /Root 1 0 R >>\n%%EOF\n")
	return []byte(b.String())
}

func TestPDF(t *testing.T) {
	cmap := "/CIDInit begincmap 2 beginbfchar <0001> <0041> <0002> <D83DDE00> endbfchar 2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<00660069> <0394>] endbfrange endcmap"
	type0 := []string{"<< /Subtype /Type0 /Encoding /Identity-H /ToUnicode 102 0 R /DescendantFonts [ << /DW 1000 /W [ 1 [ 600 500 ] 16 18 550 ] >> ] >>", pdfStreamOf("/Type /XObject /Subtype /Form /Matrix [1 0 0 1 0 -50] /Filter /FlateDecode", "BT /F1 10 Tf 10 90 Td (form) Tj ET"), pdfStreamOf("", cmap)}
	for _, c := range []struct {
		name, content, want string
		more                []string
	}{
		{"lines", "BT /F1 12 Tf 72 700 Td (One line) Tj 0 -14 Td (and \\(two\\)\\056) Tj T* (same) Tj ET", "One line\nand (two). same", nil},
		{"a kerned word, a blank by its place",
			"BT /F1 10 Tf 0 0 Td [(Re) 20 (venue) -300 (is) -250 (up)] TJ ET",
			"Revenue is up", nil},
		{"quote operators", "BT /F1 10 Tf 12 TL 0 100 Td (a) Tj (b) ' 1 2 (c) \" ET",
			"a\nb\nc", nil},
		{"cells", "BT /F1 10 Tf 1 0 0 1 0 50 Tm (Name) Tj 1 0 0 1 200 50 Tm (4,711) Tj ET",
			"Name | 4,711", nil},
		{"raised text", "BT /F1 10 Tf 0 0 Td (x) Tj 6 3 Td (2) Tj ET", "x2", nil},
		{"turned text", "BT /F1 10 Tf 0 1 -1 0 50 50 Tm [(up) -300 (right)] TJ ET",
			"up right", nil},
		{"characters", "BT /F1 10 Tf (\x80 \x93caf\\351\x94 \x96) Tj ET", "€ “café” –", nil},
		{"two bytes a code", "BT /F2 10 Tf <000100020010001200200021> Tj ET", "A😀acfiΔ", type0},
		{"a form, and what q keeps", "q 1 0 0 1 0 0 cm BT /F1 10 Tf 10 70 Td (page) Tj ET Q /X Do",
			"page\nform", type0},
		{"an image within", "BI /W 1 ID (x) Tj \xff EI BT /F1 10 Tf (text) Tj ET", "text", nil},
		{"a font of its own", "BT /F2 10 Tf (\x01\x02A.) Tj ET", "fi€A.",
			[]string{"<< /Subtype /Type1 /Encoding << /Differences [1 /fi /uni20AC] >> /FirstChar 65 /Widths [700] >>"}},
		{"numbers that are none", "BT /F1 1e999 Tf 0 -.-5 Td (a) Tj ET", "a", nil},
	} {
		d := read(t, "a.pdf", pdf([]string{c.content}, c.more...))
		if got := strings.TrimSpace(d.Text()); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	text := func(s string) string { return "BT /F1 10 Tf (" + s + ") Tj ET" }
	d := read(t, "a.pdf", pdf([]string{text("one"), text("two"), "", text("four")}))
	for s, where := range map[string]string{"one": "page 1", "two": "page 2", "four": "page 4"} {
		if got := d.Where(strings.Index(d.Text(), s)); got != where {
			t.Errorf("%s is on %s", s, got)
		}
	}
	// Objects in a packed stream with a predictor, and a new version of an object at
	// the end.
	inside := "1 0 2 34 << /Type /Catalog /Pages 2 0 R >> << /Kids [5 0 R] /Resources 3 0 R >>"
	first := strings.Index(inside, "<<")
	inside = strings.Replace(inside, "34",
		fmt.Sprint(strings.LastIndex(inside, "<< /Kids")-first), 1)
	first = strings.Index(inside, "<<")
	row := "\x02" + inside
	packed := "%PDF-1.5\n7 0 obj\n" +
		pdfStreamOf(fmt.Sprintf("/Type /ObjStm /N 2 /First %d /Filter [/FlateDecode] /DecodeParms [<< /Predictor 12 /Columns %d >>]", first, len(inside)), row) +
		"\nendobj 3 0 obj << /Font << /F1 4 0 R >> >> endobj 4 0 obj << /Subtype /TrueType >> endobj 5 0 obj << /Contents [6 0 R] >> endobj\n6 0 obj\n" + pdfStreamOf("", text("old")) +
		"\nendobj\n8 0 obj\n" + pdfStreamOf("/Type /XRef /Root 1 0 R", "") +
		"\nendobj\n6 0 obj\n" + pdfStreamOf("", text("new")) + "\nendobj"
	if got := strings.TrimSpace(read(t, "a.pdf", []byte(packed)).Text()); got != "new" {
		t.Errorf("packed: %q", got)
	}
}

func TestPDFFilters(t *testing.T) {
	f := &pdfFile{left: 1000}
	for _, c := range []struct{ dict, data, want string }{
		{"LZWDecode", "\x80\x0B\x60\x50\x22\x0C\x0C\x85\x01", "-----A---B"},
		{"ASCIIHexDecode", "61 6 2 63>", "abc"},
		{"ASCII85Decode", "<~87cURD_*#TDfTZ)~>", "Hello, world"},
		{"RunLengthDecode", "\x02abc\xfed\x80x", "abcddd"},
		{"DCTDecode", "x", ""},
		{"FlateDecode", "no", ""},
	} {
		got, err := f.unpack(pdfStream{dict: pdfDict{"Filter": pdfName(c.dict)}, data: []byte(c.data)})
		if err != nil || strings.TrimRight(string(got), "!") != c.want {
			t.Errorf("%s: %q, %v", c.dict, got, err)
		}
	}
	rows := "\x00\x01\x02\x03\x01\x01\x01\x01\x02\x01\x01\x01\x03\x01\x01\x01\x04\x01\x01\x01"
	if got := f.unpredict([]byte(rows), pdfDict{"Predictor": 15.0, "Columns": 3.0}); fmt.Sprint(
		got) != "[1 2 3 1 2 3 2 3 4 2 3 4 3 4 5]" {
		t.Errorf("predicted: %v", got)
	}
}

func TestPDFErrors(t *testing.T) {
	cost.SkipUnlessLong(t)
	if cost.Race {
		t.Skip("takes long with the race detector, and has no goroutines")
	}
	drawing := []string{"0 0 100 100 re f"}
	flood := pdfStreamOf("/Subtype /Form /Filter /FlateDecode", strings.Repeat(" ", Max+1))
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"no text", pdf(drawing), "has no text: its 1 pages are images"},
		{"encrypted", bytes.Replace(pdf(drawing), []byte("/Root"), []byte("/Encrypt 9 0 R /Root"),
			1), "needs a password"},
		{"cut", pdf(drawing)[:40], "is damaged"},
		{"nothing", []byte("%PDF-"), "is damaged"},
		{"no pages", []byte("%PDF-\n1 0 obj << /Type /Catalog /Pages 1 0 R >> endobj"),
			"has no text"},
		{"pages in a circle",
			[]byte("%PDF-\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj 2 0 obj << /Kids [2 0 R 2 0 R] >> endobj"), "no pages"},
		{"a form in itself", pdf([]string{"/X Do"}, "null", pdfStreamOf("/Subtype /Form",
			"/X Do")), "nested too deeply"},
		{"a bomb", pdf([]string{"/X Do"}, "null", flood), "more than 64 MiB"},
		{"a bomb in a bomb", pdf([]string{"/X Do"}, "null",
			pdfStreamOf("/Subtype /Form /Filter [/FlateDecode /FlateDecode /Fl /Fl /Fl /Fl /Fl /Fl /Fl]", "")), "too many filters"},
		{"one form many times", pdf([]string{strings.Repeat("/X Do ", 10_000)}, "null",
			pdfStreamOf("/Subtype /Form", strings.Repeat("q Q ", 10_000))), "more than 64 MiB"},
		{"arrays in arrays", pdf([]string{strings.Repeat("[", 1<<20) + " TJ"}), "has no text"},
		{"dictionaries without end", []byte("%PDF-\n" + strings.Repeat("<< /A ", 1<<20)),
			"is damaged"},
	} {
		var err error
		got := cost.Allocated(func() { _, err = Read("a.pdf", bytes.NewReader(c.data)) })
		var e *fault.Error
		if !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "a.pdf") || !errors.As(err, &e) || len(e.Next) == 0 {
			t.Errorf("%s: %v", c.name, err)
		}
		if got > 8*Max {
			t.Errorf("%s: it took %d MiB", c.name, got>>20)
		}
	}
}

func TestPDFGrowth(t *testing.T) {
	for name, build := range map[string]func(n int) []byte{
		"text": func(n int) []byte {
			return pdf([]string{"BT /F1 10 Tf " + strings.Repeat("0 -12 Td (a b) Tj ", n)})
		},
		"pages": func(n int) []byte {
			return pdf(strings.Split(strings.Repeat("BT /F1 10 Tf (x) Tj ET;", n/16), ";"))
		},
		"objects": func(n int) []byte {
			return append(pdf([]string{"BT /F1 9 Tf (x) Tj"}),
				strings.Repeat("999 0 obj [] endobj ", n)...)
		},
		"streams": func(n int) []byte {
			return append(pdf([]string{"BT /F1 9 Tf (x) Tj"}),
				strings.Repeat("9 0 obj << >> stream\n", n)...)
		},
		"literal": func(n int) []byte {
			return pdf([]string{"BT /F1 9 Tf (x" + strings.Repeat("(", n)})
		},
		"images": func(n int) []byte {
			return pdf([]string{"BT /F1 9 Tf (x) Tj" +
				strings.Repeat(" BI ID E", n)})
		},
		"cmap": func(n int) []byte {
			return pdf([]string{"BT /F2 9 Tf (xx) Tj"}, "<< /Subtype /Type0 /ToUnicode 101 0 R >>",
				pdfStreamOf("", strings.Repeat("<0000> <FFFF> <0000> endbfrange ", n/64)))
		},
		"fonts": func(n int) []byte {
			return pdf([]string{strings.Repeat("/F2 9 Tf ", n) + "(x) Tj"},
				"<< /Subtype /Type1 /Encoding << /Differences ["+strings.Repeat("/a ", 300)+
					"] >> >>")
		},
	} {
		cost.Growth(t, name, 1<<11, func(n int) { Read("a.pdf", bytes.NewReader(build(n))) })
	}
}

func FuzzPDF(f *testing.F) {
	f.Add("BT /F1 12 Tf 72 700 Td (One \\(line\\)) Tj [(a) -300 <62>] TJ T* ET q 1 0 0 1 0 0 cm /X Do Q", "<< /Subtype /Type0 /ToUnicode 101 0 R /DescendantFonts [ << /W [ 1 [ 600 ] 16 18 550 ] >> ] >>", "1 beginbfrange <0010> <0012> <0061> endbfrange")
	f.Add("BI ID x EI /F2 1 Tf (a) ' BT (b) \"",
		"<< /Subtype /Type3 /FontMatrix [1 0 0 1 0 0] /Encoding << /Differences [1 /fi /u20AC] >> /Widths [1] >>", "BT (form) Tj")
	f.Fuzz(func(t *testing.T, content, font, stream string) {
		for _, data := range [][]byte{pdf([]string{content}, font, pdfStreamOf("/Subtype /Form",
			stream)), []byte("%PDF-" + content + font + stream)} {
			if d, err := Read("a.pdf", bytes.NewReader(data)); err == nil {
				consistent(t, d)
			}
		}
		f := &pdfFile{left: 1 << 20}
		for _, name := range []pdfName{"LZWDecode", "ASCII85Decode",
			"RunLengthDecode", "FlateDecode"} {
			f.unpack(pdfStream{dict: pdfDict{"Filter": name, "DecodeParms": pdfDict{"Predictor": 15.0,
				"Columns": 5.0, "Colors": 3.0}}, data: []byte(stream)})
		}
	})
}
