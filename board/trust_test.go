package board

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"blackboard/board/fault"
)

// Inputs that somebody made to do harm: each must be refused or read, at a cost that grows as the input does.

// allocated is how many bytes fn allocates. It does not depend on how busy the machine is, and what copies its input again and again shows in it.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// checkGrowth fails if twice the input costs more than three times as much: what grows with the square costs four times as much. Of three measurements the least counts, as others may allocate
// meanwhile; with the race detector, which throws pooled memory away at random, none does.
func checkGrowth(t *testing.T, what string, n int, fn func(n int)) {
	t.Helper()
	once, twice := ^uint64(0), ^uint64(0)
	for range 3 {
		once, twice = min(once, allocated(func() { fn(n) })), min(twice, allocated(func() { fn(2 * n) }))
	}
	if twice > 3*once && !raceEnabled {
		t.Errorf("%s: %d of them allocate %d bytes, and twice as many %d", what, n, once, twice)
	}
}

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
		checkGrowth(t, c.name+" "+c.unit, 1<<13, func(n int) {
			if _, err := ReadReport(c.name, strings.NewReader(c.before+strings.Repeat(c.unit, n)+"\nthe end")); err != nil && !errors.Is(err, fault.Invalid) {
				t.Errorf("%s: %v", c.name, err)
			}
		})
	}
}

// TestCommentsOnALine: what is taken out of a line with several comments, and what is not.
func TestCommentsOnALine(t *testing.T) {
	for text, want := range map[string]string{
		"a<!--b-->c<!--d-->e":         "ace",
		"a<!-<!--b-->-->c":            "a<!--->c", // what is left of two is no comment
		"a <!--b--> c <!-- d":         "a  c <!-- d",
		"<!--b--> <!-- d\nhidden-->e": "\ne",
		"<!--a--><!--b":               "",
	} {
		if got := NewReport("x.md", text).Text(); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
}

func paragraph(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }

// lie has every directory entry of a zip file say that its file has so many bytes once it is unpacked.
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

// TestDocxBombs: a small file that stands for a huge text, for endless elements, or for itself, is refused with its reason, and before it has filled the memory.
func TestDocxBombs(t *testing.T) {
	if raceEnabled {
		t.Skip("takes half a minute with the race detector, and has no goroutines")
	}
	bomb := docx(t, paragraph(strings.Repeat(" ", MaxReport)))
	if len(bomb) > MaxReport/500 {
		t.Fatalf("the bomb has %d bytes, so that it is none", len(bomb))
	}
	var headers []string
	for i := range 5 { // none is too large by itself
		headers = append(headers, fmt.Sprintf("word/header%d.xml", i), "<w:hdr "+wordNS+">"+paragraph(strings.Repeat(" ", MaxReport/4))+"</w:hdr>")
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
		{"entities that multiply", zipFile(t, "word/document.xml", `<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><d `+wordNS+`>`+paragraph("&b;")+`</d>`), "is damaged"},
		{"a document elsewhere", zipFile(t, "../../word/document.xml", paragraph("x")), "without a Word document"},
	} {
		var err error
		got := allocated(func() { _, err = ReadReport("r.docx", bytes.NewReader(c.data)) })
		if !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if got > 6*MaxReport {
			t.Errorf("%s: it took %d MiB", c.name, got>>20)
		}
	}
}

// TestDocxOfManyFiles: what a docx has besides is not opened, however much it is; nothing of it is written anywhere.
func TestDocxOfManyFiles(t *testing.T) {
	var others []string
	for i := range 5000 {
		others = append(others, fmt.Sprintf("../../x%d", i), "x")
	}
	r, err := ReadReport("r.docx", bytes.NewReader(docx(t, paragraph("the text"), others...)))
	if err != nil || r.Text() != "the text" {
		t.Errorf("%v, %v", r, err)
	}
}

// irys is an Irys board of these entries and signals, in JSON.
func irys(entries, signals []string) string {
	return `{"task_instruction":"t","entries":[` + strings.Join(entries, ",") + `],"signals":[` + strings.Join(signals, ",") + `]}`
}

func irysText(id, more string) string {
	return fmt.Sprintf(`{"id":%q,"type":"observation","content":"c","created_by":{"worker_id":"w"}%s}`, id, more)
}

func quotedIDs(n int) string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%q", fmt.Sprintf("X%d", i))
	}
	return strings.Join(ids, ",")
}

// TestIrysOfManyLinks: links are bounded for each entry, and those that lead nowhere cost as much as there are of them.
func TestIrysOfManyLinks(t *testing.T) {
	_, err := Import(t.Context(), t.TempDir(), "w", strings.NewReader(irys([]string{irysText("A", `,"supports":[`+quotedIDs(MaxLinks+1)+`]`)}, nil)), ImportOptions{Run: "r"})
	if !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "1025 links; at most 1024") {
		t.Errorf("%v", err)
	}
	checkGrowth(t, "links that lead nowhere", MaxLinks/2, func(n int) {
		in := irys([]string{irysText("A", `,"supports":[`+quotedIDs(n)+`]`)}, nil)
		got, err := Import(t.Context(), t.TempDir(), "w", strings.NewReader(in), ImportOptions{Run: "r"})
		if err != nil || len(got.Notes) != n || got.Links != 0 {
			t.Errorf("%+v, %v", got.Links, err)
		}
	})
}

// TestIrysOfOneID: a reference means the nearest entry before it, else the first after it, also where all have one id.
func TestIrysOfOneID(t *testing.T) {
	var entries []string
	for range 3 {
		entries = append(entries, irysText("A", `,"supports":["A"]`))
	}
	dir := t.TempDir()
	if _, err := Import(t.Context(), dir, "w", strings.NewReader(irys(entries, nil)), ImportOptions{Run: "r"}); err != nil {
		t.Fatal(err)
	}
	b, err := Open(t.Context(), dir, "r")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for id, want := range map[string]string{"e1": "e2", "e2": "e1", "e3": "e2"} {
		e, err := b.Entry(t.Context(), id)
		if err != nil || fmt.Sprint(e.Entry.Supports) != "["+want+"]" {
			t.Errorf("%s supports %v, not %s: %v", id, e.Entry.Supports, want, err)
		}
	}
}

// TestDeepJSON: values without end are an error of the line, not the end of the program.
func TestDeepJSON(t *testing.T) {
	deep := strings.Repeat("[", 1<<20)
	for _, in := range []string{deep, `{"v":1,"kind":"run","run":` + deep, irys([]string{irysText("A", `,"x":`+deep)}, nil)} {
		if _, err := Import(t.Context(), t.TempDir(), "w", strings.NewReader(in), ImportOptions{Run: "r"}); !errors.Is(err, fault.Invalid) {
			t.Errorf("%.40s: %v", in, err)
		}
	}
}

// TestRunsStayInTheirDirectory: no name of a run leads out of the directory of boards.
func TestRunsStayInTheirDirectory(t *testing.T) {
	for _, name := range []string{"", ".", "..", "../x", "a/b", `a\b`, "/etc/passwd", "a\x00b", "a\nb", " a", "-a", ".a", "a:b", "C:x", "ａ", "r\u0443n", "a\u200b", strings.Repeat("a", 101)} {
		if err := CheckRun(name); !errors.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", name, err)
		}
		if b, err := OpenOrCreate(t.Context(), t.TempDir(), name); err == nil {
			b.Close()
			t.Errorf("%q was made", name)
		}
	}
}
