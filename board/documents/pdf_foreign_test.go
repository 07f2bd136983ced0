package documents

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
	"blackboard/testdata/shared"
)

// pdfSections writes a PDF of several versions, each with its table. A dictionary of a
// table goes behind each version's objects.
type pdfSections struct {
	b      bytes.Buffer
	tables []int
}

func (s *pdfSections) version(objects map[int]string, extra string) {
	if s.b.Len() == 0 {
		s.b.WriteString("%PDF-1.5\n")
	}
	table := ""
	for n, o := range objects {
		table += fmt.Sprintf("%d 1\n%010d 00000 n \n", n, s.b.Len())
		fmt.Fprintf(&s.b, "%d 0 obj\n%s\nendobj\n", n, o)
	}
	if len(s.tables) > 0 {
		extra += fmt.Sprintf(" /Prev %d", s.tables[len(s.tables)-1])
	}
	s.tables = append(s.tables, s.b.Len())
	fmt.Fprintf(&s.b, "xref\n%strailer\n<< /Size 20 /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n",
		table, extra, s.tables[len(s.tables)-1])
}

// packed writes a version whose objects lie in a stream, and whose table is one.
func (s *pdfSections) packed(stream int, objects map[int]string) {
	var head, body, entries string
	for n, o := range objects {
		head += fmt.Sprintf("%d %d ", n, len(body))
		body += o + " "
		entries += fmt.Sprintf("%d 1 ", n)
	}
	at := s.b.Len()
	fmt.Fprintf(&s.b, "%d 0 obj\n%s\nendobj\n", stream, pdfStreamOf(fmt.Sprintf(
		"/Type /ObjStm /N %d /First %d /Filter /FlateDecode", len(objects), len(head)), head+body))
	table := strings.Repeat(string([]byte{2, 0, byte(stream), 0}), len(objects)) +
		string([]byte{1, byte(at >> 8), byte(at), 0})
	before := s.tables[len(s.tables)-1]
	s.tables = append(s.tables, s.b.Len())
	fmt.Fprintf(&s.b, "%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n", stream+1, pdfStreamOf(
		fmt.Sprintf("/Type /XRef /Size 20 /W [1 2 1] /Index [%s %d 1] /Root 1 0 R /Prev %d", entries,
			stream, before), table), s.tables[len(s.tables)-1])
}

func TestPDFVersions(t *testing.T) {
	text := func(s string) string { return pdfStreamOf("", "BT /F1 10 Tf ("+s+") Tj ET") }
	page := func(contents int) string {
		return fmt.Sprintf("<< /Type /Page /Contents %d 0 R >>", contents)
	}
	base := map[int]string{1: "<< /Type /Catalog /Pages 2 0 R >>",
		2: "<< /Kids [3 0 R] /Resources << /Font << /F1 4 0 R >> >> >>", 3: page(5),
		4: "<< /Subtype /Type1 /BaseFont /Helvetica >>", 5: text("The budget is 4100 euros.")}
	for name, build := range map[string]func(*pdfSections){
		"an object again": func(s *pdfSections) { s.version(map[int]string{5: text("It is 9900.")}, "") },
		"another object":  func(s *pdfSections) { s.version(map[int]string{3: page(6), 6: text("It is 9900.")}, "") },
		"in a stream": func(s *pdfSections) {
			s.version(map[int]string{6: text("It is 9900.")}, "")
			s.packed(7, map[int]string{3: page(6)})
		},
		"a stream, then none": func(s *pdfSections) {
			s.packed(7, map[int]string{3: page(6)})
			s.version(map[int]string{6: text("It is 9900."), 3: page(6)}, "")
		},
		"what no table names": func(s *pdfSections) {
			s.version(map[int]string{5: text("It is 9900.")}, "")
			fmt.Fprintf(&s.b, "5 0 obj\n%s\nendobj\n", text("It is 7700."))
		},
	} {
		var s pdfSections
		s.version(base, "")
		build(&s)
		got := strings.TrimSpace(read(t, "a.pdf", s.b.Bytes()).Text())
		if got != "It is 9900." {
			t.Errorf("%s: %q", name, got)
		}
		if name == "what no table names" {
			continue
		}
		// A table that leads nowhere: the file is searched, and what comes last counts.
		broken := bytes.ReplaceAll(s.b.Bytes(), []byte("startxref\n"), []byte("startxref\n9"))
		if got := strings.TrimSpace(read(t, "a.pdf", broken).Text()); got != "It is 9900." {
			t.Errorf("%s, searched: %q", name, got)
		}
		if got := strings.TrimSpace(read(t, "a.pdf", append([]byte("\ufeff\r\n"),
			s.b.Bytes()...)).Text()); got != "It is 9900." {
			t.Errorf("%s, behind a mark: %q", name, got)
		}
	}
}

// TestPDFEncrypted: files that open without a password are read. They were written by
// qpdf, from a file of one line and one note.
func TestPDFEncrypted(t *testing.T) {
	for _, name := range []string{"rc4-40", "rc4-128", "aes-128", "aes-256"} {
		d, err := Open(filepath.Join("testdata", name+".pdf"))
		if err != nil || d.Text() != "The valve opens at 52.5 bar.\nchecked in May\n" {
			t.Errorf("%s: %q, %v", name, d.Text(), err)
		}
		data := expect.Value(os.ReadFile(filepath.Join("testdata", name+".pdf")))(t)
		if broken := bytes.Replace(data, []byte("startxref\n"), []byte("startxref\n9"), 1); name != "aes-256" {
			if d := read(t, "a.pdf", broken); !strings.HasPrefix(d.Text(), "The valve opens at 52.5 bar.") {
				t.Errorf("%s, searched: %q", name, d.Text())
			}
		}
	}
	if _, err := Open("testdata/password.pdf"); !errors.Is(err, fault.Invalid) ||
		!strings.Contains(err.Error(), "needs a password") {
		t.Errorf("with a password: %v", err)
	}
}

func TestPDFAnnotations(t *testing.T) {
	look := pdfStreamOf("/BBox [0 0 200 25] /Resources 3 0 R", "/Tx BMC BT /F1 12 Tf 2 8 Td (9900 euros) Tj ET EMC")
	for _, c := range []struct{ name, annotation, report, source string }{
		{"a field, drawn", "/Subtype /Widget /FT /Tx /V (9900 euros) /Rect [200 690 400 715] /AP << /N 101 0 R >>",
			"Amount: | 9900 euros", "Amount: | 9900 euros"},
		{"a field, not drawn", "/Subtype /Widget /Parent << /V <FEFF00390039> >> /Rect [200 690 400 715]",
			"Amount: | 99", "Amount: | 99"},
		{"a field elsewhere", "/Subtype /Widget /V (x) /Rect [200 90 400 115]", "Amount:\nx", "Amount:\nx"},
		{"choices", "/Subtype /Widget /V [(a) (b)]", "Amount:\na, b", "Amount:\na, b"},
		{"a text over the page", "/Subtype /FreeText /Contents (40 bar) /Rect [200 690 400 715]",
			"Amount:\n40 bar", "Amount:\n40 bar"},
		{"a note", "/Subtype /Text /Contents (40 bar)", "Amount:", "Amount:\n40 bar"},
		{"hidden", "/Subtype /FreeText /F 2 /Contents (40 bar)", "Amount:", "Amount:\n40 bar"},
		{"a ticked box", "/Subtype /Widget /AS /On /AP << /N << /On 101 0 R /Off null >> >>",
			"Amount:\n9900 euros", "Amount:\n9900 euros"},
	} {
		data := bytes.Replace(pdf([]string{"BT /F1 12 Tf 72 700 Td (Amount:) Tj ET"},
			"<< "+c.annotation+" >>", look), []byte("/Parent 2 0 R"), []byte("/Annots [100 0 R]"), 1)
		for whole, want := range map[bool]string{false: c.report, true: c.source} {
			d, err := readAs("a.pdf", bytes.NewReader(data), whole)
			if err != nil || strings.TrimSpace(d.Text()) != want {
				t.Errorf("%s, whole: %v: got %q, want %q; %v", c.name, whole, d.Text(), want, err)
			}
		}
	}
}

// TestPDFGaps: words are apart by what Tc and Tw add, as groff and Ghostscript write them.
func TestPDFGaps(t *testing.T) {
	font := "<< /Subtype /Type1 /BaseFont /Times-Roman >>"
	for content, want := range map[string]string{
		"(The pressure i) Tj 2.5 Tc 56.65 0 Td (sn) Tj 0 Tc 11.4 0 Td (ot 40 bar) Tj":        "The pressure is not 40 bar",
		"2.5 Tc [(yo) 250 (ft)] TJ 0 Tc 21.1 0 Td (he) Tj":                                   "y of the",
		"0 Tw (item: A) Tj -1.35 Tc 28.93 0 Td -.7 Tw (VA W) Tj 0 Tc 0 Tw 20.43 0 Td (A) Tj": "item: AVAWA",
		"3 Tc (TOTAL COST) Tj":           "TOTAL COST",
		"2.5 Tc (|&;\\(\\)<>) Tj":        "| & ; ( ) < >",
		"12 Tw (wide blanks here) Tj":    "wide blanks here",
		"25 Tw (North 800) Tj":           "North | 800",
		"200 Tz (ab) Tj 13 0 Td (cd) Tj": "abcd",
	} {
		data := pdf([]string{"BT /F2 10 Tf 72 700 Td " + content + " ET"}, font)
		if got := strings.TrimSpace(read(t, "a.pdf", data).Text()); got != want {
			t.Errorf("%s: got %q, want %q", content, got, want)
		}
	}
}

func TestPDFFonts(t *testing.T) {
	oneByte := "/CIDInit begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 begincidrange <00> <FF> 0 endcidrange endcmap"
	unicode := "/CIDInit begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <20> <7E> <0020> endbfrange endcmap"
	for name, c := range map[string]struct {
		font, want string
		text       string
		undecoded  int
	}{
		"composite, one byte":            {"<< /Subtype /Type0 /Encoding 101 0 R /ToUnicode 102 0 R /DescendantFonts [<< /DW 500 >>] >>", "It is 1.5", "It is 1.5", 0},
		"Type 3":                         {"<< /Subtype /Type3 /FontBBox [0 0 60 60] /FontMatrix [1 0 0 1 0 0] /FirstChar 32 /Widths [20 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50] /Encoding << /Differences [46 /. 49 /1 53 /five] >> >>", "1.5 5", "1.5 5", 0},
		"Identity, and text of one byte": {"<< /Subtype /Type0 /Encoding /Identity-H /ToUnicode 102 0 R >>", "A B", "\x00A\x00 \x00B", 0},
		"an old encoding":                {"<< /Subtype /Type0 /Encoding /90ms-RKSJ-H >>", "日本40", "\x93\xfa\x96{40", 0},
		"Unicode":                        {"<< /Subtype /Type0 /Encoding /UniGB-UCS2-H >>", "日4", "\x65\xe5\x00\x34", 0},
		"unknown glyphs":                 {"<< /Subtype /Type1 /Encoding << /Differences [49 /g49 /g50] >> >>", "at �� bar", "at 12 bar", 1},
		"codes without text":             {"<< /Subtype /Type0 /Encoding /Identity-H >>", "", "\x00\x01\x00\x02", 1},
	} {
		page := "BT /F2 10 Tf 0 0 Td (" + c.text + ") Tj ET"
		d, err := Read("a.pdf", bytes.NewReader(pdf([]string{page}, c.font, pdfStreamOf("", oneByte),
			pdfStreamOf("", unicode))))
		if c.want == "" {
			if !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "does not tell which characters") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || strings.TrimSpace(d.Text()) != c.want || d.Undecoded != c.undecoded {
			t.Errorf("%s: got %q, %d undecoded, %v", name, d.Text(), d.Undecoded, err)
		}
	}
	dir := tree(t, map[string]string{"a.pdf": string(pdf([]string{"BT /F2 10 Tf (at 12 bar) Tj ET"},
		"<< /Subtype /Type1 /Encoding << /Differences [49 /g49 /g50] >> >>"))})
	all, skipped, err := OpenAll([]string{dir})
	if len(all) != 1 || len(skipped) != 1 || !strings.HasPrefix(skipped[0].Reason, "1 word of") || err != nil {
		t.Errorf("of a report: %v, %v, %v", all, skipped, err)
	}
}

// TestSharedPDFs reads what others have made.
func TestSharedPDFs(t *testing.T) {
	dir := shared.File("data", "foreign")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the folder of real inputs is absent (set BOARD_SHARED)")
	}
	for name, want := range map[string]string{"bom": "4100 litres", "enc": "4100 litres", "enc256": "4100 litres",
		"form": "9900 euros", "freetext": "40 bar", "junk": "4100 litres", "mixed": "4100 litres",
		"onebyte": "4100 litres", "tc": "It is pressurised", "tc2": "The tank is", "tc3": "The pressure in essence stays at 40 bar.",
		"type3": "1.5 see", "v1": "4100 euros for 2024", "v2": "9900 euros for 2025"} {
		d, err := Open(filepath.Join(dir, name+".pdf"))
		if err != nil || !strings.Contains(d.Text(), want) || name == "v2" && strings.Contains(d.Text(), "4100") {
			t.Errorf("%s: %q, %v", name, d.Text(), err)
		}
	}
}
