package documents

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/cost"
)

const relationsNS = `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`

// relationsOf is a part that names others, given as id, type and target in turn.
func relationsOf(list ...string) string {
	s := "<Relationships>"
	for i := 0; i < len(list); i += 3 {
		s += fmt.Sprintf(`<Relationship Id=%q Type="http://x/relationships/%s" Target=%q/>`,
			list[i], list[i+1], list[i+2])
	}
	return s + "</Relationships>"
}

// xlsx builds a workbook of one sheet, with the shared texts "one", "two" of which a
// part is struck, and styles: 0 plain, 1 percent, 2 a date, 3 dollars, 4 struck, 5
// hidden, 6 two decimals, 7 thousands, 8 a time.
func xlsx(tb testing.TB, sheet string, more ...string) []byte {
	tb.Helper()
	return zipFile(tb, append([]string{
		"xl/workbook.xml", `<workbook ` + relationsNS +
			`><sheets><sheet name="Totals" r:id="r1"/><sheet name="Secret" state="hidden" r:id="r2"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relationsOf("r1", "worksheet", "worksheets/sheet1.xml", "r2",
			"worksheet", "worksheets/sheet2.xml", "r3", "sharedStrings", "/xl/sharedStrings.xml",
			"r4", "styles", "styles.xml"),
		"xl/sharedStrings.xml",
		`<sst><si><t>one</t><rPh><t>reading</t></rPh></si><si><r><t>two </t></r><r><rPr><strike/></rPr><t>struck </t></r><r><rPr><strike val="0"/></rPr><t>left</t></r></si></sst>`,
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.0\ %"/><numFmt numFmtId="165" formatCode="dd\.mm\.yyyy"/><numFmt numFmtId="166" formatCode="[$$-409]#,##0;[RED]\-[$$-409]#,##0"/><numFmt numFmtId="167" formatCode=";;;"/><numFmt numFmtId="168" formatCode="#,##0.0,&quot;k&quot;"/></numFmts>
			<fonts><font/><font><strike/></font></fonts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>
			<cellXfs><xf/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf fontId="1"/><xf numFmtId="167"/><xf numFmtId="2"/><xf numFmtId="168"/><xf numFmtId="18"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml", `<worksheet>` + sheet + `</worksheet>`,
		"xl/worksheets/sheet2.xml",
		`<worksheet><sheetData><row><c><v>666</v></c></row></sheetData></worksheet>`,
	}, more...)...)
}

func TestXLSX(t *testing.T) {
	d := read(t, "book.xlsx", xlsx(t, `<cols><col min="4" max="5" hidden="1"/></cols><sheetData>
		<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1"><v>4</v></c><c r="F1" s="4"><v>6</v></c></row>
		<row r="3" hidden="1"><c r="A3"><v>33</v></c></row>
		<row r="7"><c r="A7" s="1"><v>0.119</v></c><c r="B7" s="1"><v>0.11944</v></c><c r="C7" s="2"><v>45356</v></c><c r="AA7" s="3"><v>-4500000</v></c></row>
		<row><c s="5"><v>5</v></c><c s="6"><v>1.005</v></c><c s="6"><f>A1</f><v>2.5</v></c></row>
		<row r="9"><c r="A9" t="inlineStr"><is><t>in
		line</t></is></c><c t="b"><v>1</v></c><c t="str"><f>"x"</f><v>formula</v></c><c r="F9" s="7"><v>1234567</v></c><c r="G9" s="8"><v>0.75</v></c><c r="H9"><v>0.30000000000000004</v></c></row>
		<row r="10"><c r="A10" t="str"><v>merged</v></c><c r="B10" t="str"><v>covered</v></c><c r="C10" t="str"><v>beside</v></c></row><row r="11"><c r="A11"><v>11</v></c></row></sheetData><mergeCells><mergeCell ref="A10:B11"/></mergeCells>`))
	want := []string{"Totals", "one | two left",
		"11.9 % (0.119) | 11.9 % (0.11944) | 05.03.2024 (2024-03-05) | -$4,500,000",
		"1.01 (1.005) | 2.50",
		"in line | TRUE | formula | 1,234.6k (1234567) | 6:00 PM (18:00) | 0.3", "merged | beside"}
	if got := strings.Split(d.Text(), "\n"); !equal(got, want) {
		t.Errorf("got %q", got)
	}
	for text, where := range map[string]string{"Totals": "Totals", "one": "Totals!A1",
		"left": "Totals!B1", "0.119": "Totals!A7", "2024-03-05": "Totals!C7",
		"500,000": "Totals!AA7", "2.50": "Totals!C8", "beside": "Totals!C10"} {
		if got := d.Where(strings.Index(d.Text(), text)); got != where {
			t.Errorf("%s is at %s, not %s", text, got, where)
		}
	}
	if !d.Heading(0) || d.Heading(len(d.Text())) {
		t.Error("the name of the sheet is its heading")
	}
}

func equal(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }

func TestNumberFormats(t *testing.T) {
	for _, c := range []struct {
		code string
		v    float64
		want string
	}{
		{"", 1e6, "1000000"}, {"General", -12.5, "-12.5"}, {"0", 0.5, "1 (0.5)"}, {"0", 3, "3"},
		{"#,##0.00", 1234.5, "1,234.50"}, {"0.00", 0.125, "0.13 (0.125)"},
		{"0%", 0.5, "50% (0.5)"}, {`0.0"%"`, 12.34, "12.3% (12.34)"}, {"#,##0;(#,##0)", -1234,
			"(1,234) (-1234)"}, {"#,##0;-#,##0", -1234, "-1,234"},
		{`_("$"* #,##0.00_)`, 12, "$ 12.00"},
		{`#,##0.00\ [$€-407]`, 1e6, "1,000,000.00 €"}, {"0.00E+00", 1234567, "1.23E+06 (1234567)"},
		{"#.##", 2.5, "2.5"}, {"#.##", 2, "2"}, {`0.0,,"M"`, 4.5e6, "4.5M (4500000)"},
		{"d.m.yyyy", 1, "1.1.1900 (1900-01-01)"}, {"yyyy-mm-dd", 45356, "2024-03-05"},
		{"dddd, mmmm d", 45356, "Tuesday, March 5 (2024-03-05)"},
		{"mmm-yy", 45356, "Mar-24 (2024-03)"},
		{"m/d/yyyy h:mm AM/PM", 45356.7534722, "3/5/2024 6:05 PM (2024-03-05 18:05)"},
		{"mm:ss", 0.5, "00:00 (12:00:00)"}, {"[h]:mm", 1.5, "36:00"}, {"yyyy", -1, "-1"},
		{"yyyy", 1e9, "1000000000"},
		{"@", 7, "7"}, {`"none"`, 7, "none"}, {`0;0;"zero"`, 0, "zero"}, {"0.00;[Red]-0.00", -1.5,
			"-1.50"}, {"\\", 1, ""}, {"[", 1, ""}, {"_", 1, ""}, {`0"`, 1, "1"},
		{".", 5, "."}, {"0.0E+0;E", -1, "E"},
	} {
		if got := parseFormat(c.code).show(c.v, false); got != c.want {
			t.Errorf("%v as %s is %q, not %q", c.v, c.code, got, c.want)
		}
	}
	if got := parseFormat("yyyy-mm-dd").show(1, true); got != "1904-01-02" {
		t.Errorf("from 1904: %s", got)
	}
}

// TestOfficeBombs: what a small file makes large is bounded by what comes of it.
func TestOfficeBombs(t *testing.T) {
	cost.SkipUnlessLong(t)
	if cost.Race {
		t.Skip("takes long with the race detector, and has no goroutines")
	}
	long := strings.Repeat("long ", 200_000)
	names := "<sst><si><t>" + long + "</t></si></sst>"
	one := "<sheetData><row>" + strings.Repeat(`<c t="s"><v>0</v></c>`,
		2000) + "</row></sheetData>"
	// the last of two parts of a name counts
	shared := bytes.Clone(xlsx(t, one, "xl/sharedStrings.xml", names))
	merged := `<sheetData>` + strings.Repeat(`<row><c><v>1</v></c><c><v>1</v></c></row>`, 5000) +
		`</sheetData><mergeCells>` + strings.Repeat(`<mergeCell ref="A1:XFD1048576"/>`,
		10_000) + `</mergeCells>`
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"one text in many cells", shared, "more than 64 MiB"},
		{"many cells", xlsx(t, "<sheetData>"+strings.Repeat("<row>"+
			strings.Repeat("<c><v>1</v></c>", 10_000)+"</row>", 250)+"</sheetData>"),
			"more than 64 MiB"},
		{"many merged cells", xlsx(t, merged), "too many merged cells"},
		{"many columns", xlsx(t, "<sheetData><row>"+strings.Repeat("<c/>", maxColumn+1)+
			"</row></sheetData>"), "too many columns"},
		{"a row far down", xlsx(t, `<sheetData><row r="9999999"/></sheetData>`), "too many rows"},
		{"many styles", xlsx(t, "<sheetData/>", "xl/styles.xml", "<styleSheet><cellXfs>"+
			strings.Repeat("<xf/>", maxStyles+1)+"</cellXfs></styleSheet>"), "too many styles"},
		{"a text that is not there",
			xlsx(t, `<sheetData><row><c t="s"><v>7</v></c></row></sheetData>`),
			"refers to a missing text"},
		{"deep", xlsx(t, strings.Repeat("<a>", 600)+strings.Repeat("</a>", 600)),
			"nested too deeply"},
	} {
		if cost.Quick() && c.want == "more than 64 MiB" {
			continue // as TestDocxBombs holds
		}
		var err error
		got := cost.Allocated(func() { _, err = Read("the.file", bytes.NewReader(c.data)) })
		if !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "the.file") {
			t.Errorf("%s: %v", c.name, err)
		}
		if got > 24*Max {
			t.Errorf("%s: it took %d MiB", c.name, got>>20)
		}
	}
}

func TestOfficeGrowth(t *testing.T) {
	cost.SkipUnlessLong(t)
	for name, build := range map[string]func(n int) []byte{
		"cells": func(n int) []byte {
			return xlsx(t, "<sheetData>"+strings.Repeat("<row><c s='1'><v>1.5</v></c></row>", n)+
				"</sheetData>")
		},
		"texts": func(n int) []byte {
			return xlsx(t, "<sheetData><row><c><v>1</v></c></row></sheetData>",
				"xl/sharedStrings.xml", "<sst>"+strings.Repeat("<si><t>x</t></si>", n)+"</sst>")
		},
		"columns": func(n int) []byte {
			return xlsx(t, "<cols>"+strings.Repeat(`<col hidden="1" min="1" max="16384"/>`, n)+
				"</cols><sheetData><row><c r='XFE1' t='str'><v>1</v></c></row></sheetData>")
		},
	} {
		cost.Growth(t, name, 1<<12, func(n int) { Read("a", bytes.NewReader(build(n))) })
	}
}

func FuzzOffice(f *testing.F) {
	f.Add("xlsx", `<cols><col min="4" max="5" hidden="1"/></cols><sheetData><row r="2"><c r="B2" s="2" t="s"><v>0</v></c></row></sheetData><mergeCells><mergeCell ref="A1:B2"/></mergeCells>`)
	f.Add("format", `[$-409]#,##0.00_);(0.0%);"x";@ yyyy-mm h:mm AM/PM [h]`)
	f.Fuzz(func(t *testing.T, kind, inside string) {
		var data []byte
		switch kind {
		case "xlsx":
			data = xlsx(t, inside)
		default:
			for _, v := range []float64{0, -1.5, 45356.75, 1e300} {
				parseFormat(inside).show(v, false)
			}
			return
		}
		if d, err := Read("a."+kind, bytes.NewReader(data)); err == nil {
			consistent(t, d)
		}
	})
}
