package documents

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/cost"
)

func TestReportsThatGrow(t *testing.T) {
	for _, c := range []struct{ name, before, unit string }{
		{"comments.md", "x", "a<!---->"},
		{"comments.md", "", "<!--\n--> "},
		{"open.md", "x", "<!-- "},
		{"tags.html", "<p>", "<b><i>"},
		{"attributes.html", "<p>", `<a x="> `},
		{"open.html", "<p>x", "<!--"},
		{"raw.html", "<p>x", "<script></"},
		{"cells.html", "<table>", "<tr><td>x"},
		{"pre.html", "<pre>", "a\n"},
		{"entities.html", "<p>", "&amp"},
	} {
		cost.Growth(t, c.name+" "+c.unit, 1<<13, func(n int) {
			if _, err := Read(c.name, strings.NewReader(c.before+strings.Repeat(c.unit, n)+
				"\nthe end")); err != nil && !errors.Is(err, fault.Invalid) {
				t.Errorf("%s: %v", c.name, err)
			}
		})
	}
}

// TestCommentsOnALine: what is taken out of a line with several comments, and what is
// not.
func TestCommentsOnALine(t *testing.T) {
	for text, want := range map[string]string{
		"a<!--b-->c<!--d-->e":         "ace",
		"a<!-<!--b-->-->c":            "a<!--->c", // what is left of two is no comment
		"a <!--b--> c <!-- d":         "a  c <!-- d",
		"<!--b--> <!-- d\nhidden-->e": "\ne",
		"<!--a--><!--b":               "",
	} {
		if got := New("x.md", text).Text(); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
}

func paragraph(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }

// lie has every directory entry of a zip file say that its file has so many bytes once
// it is unpacked.
func lie(data []byte, size uint32) []byte {
	data = bytes.Clone(data)
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte("PK\x01\x02"))
		if i < 0 {
			return data
		}
		at += i + 4
		binary.LittleEndian.PutUint32(data[at+20:], size)
	}
}

// TestDocxBombs: a small file that stands for a huge text, for endless elements, or for
// itself, is refused with its reason, and before it has filled the memory.
func TestDocxBombs(t *testing.T) {
	cost.SkipUnlessLong(t)
	if cost.Race {
		t.Skip("takes half a minute with the race detector, and has no goroutines")
	}
	bomb := docx(t, paragraph(strings.Repeat(" ", Max)))
	if len(bomb) > Max/500 {
		t.Fatalf("the bomb has %d bytes, so that it is none", len(bomb))
	}
	var headers []string
	for i := range 5 { // none is too large by itself
		headers = append(headers, fmt.Sprintf("word/header%d.xml", i), "<w:hdr "+wordNS+">"+
			paragraph(strings.Repeat(" ", Max/4))+"</w:hdr>")
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"a huge part", bomb, "more than 64 MiB"},
		{"parts that are huge together", docx(t, paragraph("x"), headers...), "more than 64 MiB"},
		{"a size that is a lie", lie(bomb, 100), "is damaged"},
		{"a zip in a zip", zipFile(t, "word/document.xml", string(bomb)), "is damaged"},
		{"elements without end", docx(t, strings.Repeat("<w:tbl>", 1<<20)), "nested too deeply"},
		{"entities that multiply", zipFile(t, "word/document.xml",
			`<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><d `+wordNS+`>`+paragraph("&b;")+`</d>`), "is damaged"},
		{"a document elsewhere", zipFile(t, "../../word/document.xml", paragraph("x")),
			"without a document"},
	} {
		var err error
		got := cost.Allocated(func() { _, err = Read("r.docx", bytes.NewReader(c.data)) })
		if !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if got > 6*Max {
			t.Errorf("%s: it took %d MiB", c.name, got>>20)
		}
	}
}

// TestDocxOfManyFiles: what a docx has besides is not opened, however much it is;
// nothing of it is written anywhere.
func TestDocxOfManyFiles(t *testing.T) {
	var others []string
	for i := range 5000 {
		others = append(others, fmt.Sprintf("../../x%d", i), "x")
	}
	r, err := Read("r.docx", bytes.NewReader(docx(t, paragraph("the text"), others...)))
	if err != nil || r.Text() != "the text" {
		t.Errorf("%v, %v", r, err)
	}
}
