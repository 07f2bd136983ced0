package board

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/verify"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// verifiedBoard returns a directory with the run r: two sources, of which one has its
// text on the board, and two entries with verdicts.
func verifiedBoard(t *testing.T) (dir, docs string) {
	t.Helper()
	dir, docs = t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"a.md": "Tokens never expire.\n", "b.md": "Keys last 90 days.\n"} {
		expect.OK(t, os.WriteFile(filepath.Join(docs, name), []byte(text), 0o644))
	}
	b := expect.Value(OpenOrCreate(t.Context(), dir, "r"))(t)
	defer b.Close()
	for _, p := range []Post{
		{Content: "no expiry", SourceDoc: "a.md", Evidence: "Tokens never expire", MustSurface: true},
		{Content: "80 days", SourceDoc: "b.md", Evidence: "Keys last 80 days"},
		{Content: "nothing to verify"},
	} {
		expect.Value(b.Post(t.Context(), "w", p))(t)
	}
	for name, text := range map[string]bool{"a.md": true, "b.md": false} {
		file := verify.File{Name: name, Path: filepath.Join(docs, name)}
		expect.Value(b.AddSources(t.Context(), "w", []verify.File{file}, text))(t)
	}
	r, err := b.Verify(t.Context(), "checker", VerifyOptions{})
	if err != nil || r.Doubted != 1 || r.Recorded != 2 || r.Passed {
		t.Fatalf("%+v, %v", r, err)
	}
	return dir, docs
}

// sameVerified fails unless the run has the sources and verdicts of verifiedBoard.
func sameVerified(t *testing.T, b *Board) {
	t.Helper()
	all, err := b.Sources(t.Context())
	if err != nil || len(all) != 2 || all[0].Name != "a.md" || all[1].Name != "b.md" {
		t.Errorf("sources: %+v, %v", all, err)
	}
	for id, want := range map[string]string{"e1": verify.Found, "e2": verify.Nearly} {
		d, err := b.Entry(t.Context(), id)
		if err != nil || d.Entry.Verified == nil || d.Entry.Verified.Verdict != want ||
			d.Entry.Verified.Stale {
			t.Errorf("%s: %+v, %v", id, d.Entry.Verified, err)
		}
	}
}

// TestVerifyRebuilds: the log alone has sources and verdicts, at each of its events.
func TestVerifyRebuilds(t *testing.T) {
	needsFile(t)
	dir, _ := verifiedBoard(t)
	b := checked(t, dir, "r")
	past, err := b.Replay(t.Context(), 4)
	if err != nil || len(past.Sources) > 0 || past.Entries[0].Verified != nil {
		t.Errorf("before them: %+v, %v", past, err)
	}
	b.Close()
	damage(t, dir, `DELETE FROM sources; UPDATE verifications SET verdict = 'found'`)
	b = expect.Value(Open(t.Context(), dir, "r"))(t)
	if err := b.Check(t.Context()); !errors.Is(err, fault.Corrupt) {
		t.Errorf("the tables do not agree with the log, and the check says %v", err)
	}
	b.Close()
	expect.Values(Rebuild(t.Context(), dir, "r"))(t)
	sameVerified(t, checked(t, dir, "r"))
}

// TestVerifySalvaged: what only the tables have goes into the new run.
func TestVerifySalvaged(t *testing.T) {
	needsFile(t)
	dir, _ := verifiedBoard(t)
	damage(t, dir, `DELETE FROM events WHERE verb IN ('source', 'verify')`)
	expect.Value(SalvageTo(t.Context(), dir, "r", "r2", "w"))(t)
	sameVerified(t, checked(t, dir, "r2"))
}

// TestVerifyNoSource: in a run with registered sources an observation without one is told, and
// what was concluded needs none.
func TestVerifyNoSource(t *testing.T) {
	dir, _ := verifiedBoard(t)
	b := checked(t, dir, "r")
	expect.Value(b.Post(t.Context(), "w", Post{Content: "so it is safe", Type: Analysis}))(t)
	r, err := b.Verify(t.Context(), "w", VerifyOptions{NoRecord: true})
	if err != nil || r.Unsourced != 1 {
		t.Fatalf("%d need no source, %v", r.Unsourced, err)
	}
	var ids []string
	for i := range r.Items {
		if r.Items[i].Verdict == verify.NoSource {
			ids = append(ids, r.Items[i].ID)
		}
	}
	if !slices.Equal(ids, []string{"e3"}) {
		t.Errorf("without a source: %v", ids)
	}
}

// TestVerifyStale: a verdict belongs to the file that it was made on.
func TestVerifyStale(t *testing.T) {
	dir, docs := verifiedBoard(t)
	b := checked(t, dir, "r")
	policy := Policy{Block: []string{}, RequireVerified: true}
	gate := func(want bool) {
		t.Helper()
		v, err := b.Gate(t.Context(), policy)
		if err != nil || v.Open != want {
			t.Errorf("%+v, %v", v, err)
		}
		s := expect.Value(b.Snapshot(t.Context()))(t)
		if past, err := GateOf(t.Context(), s, policy); err != nil || past.Open != want {
			t.Errorf("by the snapshot: %+v, %v", past, err)
		}
	}
	gate(true)
	path := filepath.Join(docs, "a.md")
	expect.OK(t, os.WriteFile(path, []byte("Tokens never expire, they say.\n"), 0o644))
	file := []verify.File{{Name: "a.md", Path: path}}
	if got, err := b.AddSources(t.Context(), "w", file, true); err != nil ||
		got[0].Change != SourceChanged {
		t.Errorf("%+v, %v", got, err)
	}
	gate(false)
	if err := os.Remove(path); err != nil { // the text on the board is read
		t.Fatal(err)
	}
	if r, err := b.Verify(t.Context(), "w", VerifyOptions{IDs: []string{"e1"}}); err != nil ||
		!r.Passed {
		t.Errorf("%+v, %v", r, err)
	}
	gate(true)
	// Without files, it is read though there is a file again.
	expect.OK(t, os.WriteFile(path, []byte("Nothing of it.\n"), 0o644))
	only := VerifyOptions{IDs: []string{"e1"}, BoardOnly: true, NoRecord: true}
	if r, err := b.Verify(t.Context(), "w", only); err != nil || !r.Passed {
		t.Errorf("by the board alone: %+v, %v", r, err)
	}
	if err := b.RemoveSources(t.Context(), "w", "a.md", "nosuch"); !errors.Is(
		err,
		fault.NotFound,
	) {
		t.Errorf("%v", err)
	}
	if err := b.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestVerifyImport: an export with sources is read back, and events that are none are
// refused.
func TestVerifyImport(t *testing.T) {
	dir, _ := verifiedBoard(t)
	b := checked(t, dir, "r")
	var out bytes.Buffer
	expect.OK(t, b.Export(t.Context(), &out))
	expect.Value(Import(t.Context(), dir, "w", strings.NewReader(out.String()), ImportOptions{Run: "copy"}))(t)
	sameVerified(t, checked(t, dir, "copy"))
	for i, change := range [][2]string{
		{`"payload":{"verdict":"nearly"`, `"payload":{"verdict":"true"`},
		{`"verb":"verify","id":"e1"`, `"verb":"verify","id":"e9"`},
		{`"verdict":"found","source":"a.md","sha256":"`, `"verdict":"found","source":"a.md","sha256":"x`},
		{`"payload":{"path":"`, `"payload":{"removed":true},"was":{"path":"`},
		{`"kind":"source","source":{"name":"a.md"`, `"kind":"source","source":{"name":"c.md"`},
	} {
		text := strings.Replace(out.String(), change[0], change[1], 1)
		if text == out.String() {
			t.Fatalf("%q is not in the export", change[0])
		}
		if _, err := Import(t.Context(), dir, "w", strings.NewReader(text), ImportOptions{Run: "bad"}); !errors.Is(
			err,
			fault.Invalid,
		) {
			t.Errorf("change %d: %v", i, err)
		}
	}
}

// TestVerifyInParts: of thousands of entries with one source and with one each, all are
// checked once, in their order, and written once.
func TestVerifyInParts(t *testing.T) {
	cost.SkipQuick(t)
	const many = verify.AtOnce + 500
	dir := t.TempDir()
	write := func(name, text string) {
		expect.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	var posts []Post
	for i := range many {
		source := "all.md"
		if i%10 == 0 {
			source = fmt.Sprintf("own%d.md", i)
			write(source, fmt.Sprintf("Service %d keeps %d logs.", i, i+1))
		}
		said := fmt.Sprintf("Service %d keeps %d logs.", i, i+1)
		posts = append(posts, Post{Content: said, Evidence: said, SourceDoc: source})
	}
	var all strings.Builder
	for i := range posts {
		if i%100 != 1 {
			all.WriteString(posts[i].Content + "\n")
		}
	}
	write("all.md", all.String())
	b := expect.Value(OpenOrCreate(t.Context(), t.TempDir(), "r"))(t)
	defer b.Close()
	expect.Value(b.PostBatch(t.Context(), "w", posts))(t)
	files := expect.Value(verify.FindFiles(dir))(t)
	const doubted, some = many / 100, 7
	for _, limit := range []int{0, some, many} {
		r, err := b.Verify(t.Context(), "w", VerifyOptions{Files: files, FirstDoubted: limit})
		if err != nil || r.Checked != many || r.Doubted != doubted || r.Unchecked != 0 {
			t.Fatalf("%d checked, %d doubted, %d not, %v", r.Checked, r.Doubted, r.Unchecked, err)
		}
		if want := map[int]int{0: many}[limit]; r.Recorded != want {
			t.Errorf("%d recorded, want %d", r.Recorded, want)
		}
		if want := map[int]int{0: many, some: some, many: doubted}[limit]; len(r.Items) != want {
			t.Errorf("%d items, want %d", len(r.Items), want)
		}
		for i, item := range r.Items {
			want := i + 1
			if limit > 0 {
				want = 100*i + 2
			}
			if item.ID != EntryID(int64(want)) {
				t.Fatalf("item %d is %s, want e%d", i, item.ID, want)
			}
		}
		if len(r.Sources) != many/10+1 || r.Sources[0].Findings != many-many/10 {
			t.Errorf("%d sources, the first of %d", len(r.Sources), r.Sources[0].Findings)
		}
	}
}
