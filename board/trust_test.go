package board

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// Inputs that somebody made to do harm: each must be refused or read, at a cost that grows as the
// input does.

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

// TestIrysOfManyLinks: links are bounded for each entry, and those that lead nowhere cost as much
// as there are of them.
func TestIrysOfManyLinks(t *testing.T) {
	_, err := Import(t.Context(), t.TempDir(), "w", strings.NewReader(irys([]string{irysText("A", `,"supports":[`+quotedIDs(MaxLinks+1)+`]`)}, nil)), ImportOptions{Run: "r"})
	if !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "1025 links; at most 1024") {
		t.Errorf("%v", err)
	}
	cost.Growth(t, "links that lead nowhere", MaxLinks/2, func(n int) {
		in := irys([]string{irysText("A", `,"supports":[`+quotedIDs(n)+`]`)}, nil)
		got, err := Import(t.Context(), t.TempDir(), "w", strings.NewReader(in), ImportOptions{Run: "r"})
		if err != nil || len(got.Notes) != n || got.Links != 0 {
			t.Errorf("%+v, %v", got.Links, err)
		}
	})
}

// TestIrysOfOneID: a reference means the nearest entry before it, else the first after it, also
// where all have one id.
func TestIrysOfOneID(t *testing.T) {
	var entries []string
	for range 3 {
		entries = append(entries, irysText("A", `,"supports":["A"]`))
	}
	dir := t.TempDir()
	expect.Value(Import(t.Context(), dir, "w", strings.NewReader(irys(entries, nil)), ImportOptions{Run: "r"}))(t)
	b := expect.Value(Open(t.Context(), dir, "r"))(t)
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
