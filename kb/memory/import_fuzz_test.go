package memory

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/testdata/expect"
)

// FuzzImport imports whatever there is. It never panics and never harms the file: the index holds
// what is live, an export of it can be imported, and importing the same again changes nothing.
func FuzzImport(f *testing.F) {
	at := "2026-03-01T12:00:00Z"
	item := `{"id":"m000000001","tier":"workspace","content":"tabs","importance":0.5,"created":"` + at + `"}`
	for _, lists := range []string{
		``, `"items":[` + item + `]`, `"items":[` + item + `,` + item + `]`, `"items":[` + strings.Replace(item, "workspace", "account", 1) + `]`,
		`"items":[{"id":"m000000002","tier":"conversation","conversation":"0123456789A","content":"x","created":"` + at + `","tags":["a","a",""]}],
			"conversations":[{"ref_code":"0123456789A","channel":"research","thread":"t","status":"idle","started":"` + at + `","ended":"` + at + `"}],
			"channels":[{"name":"research","created":"` + at + `"}],"scratch":[{"conversation":"0123456789A","key":"k","value":{"a": [1, "\u2028"]},"created":"` + at + `"}]`,
		`"items":[{"id":"m000000003","tier":"workspace","content":"now","revision":3,"created":"` + at + `","forgotten":"` + at + `","rule":"asked","replaced_by":"m000000001","expires":"2027-01-01T00:00:00+05:00"}]`,
		`"named":[{"name":"Voice","tier":"workspace","body":"plain\r\nwords","created":"` + at + `"}],"revisions":[{"subject":"named:voice"}]`,
		`"notes":[{"id":"j000000001","agent":"alice","memory_type":"core","tier":"account","content":"I am \ud800","created":"` + at + `"}]`,
	} {
		f.Add([]byte(`{"schema_version":1,` + lists + `}`))
	}
	f.Add([]byte(`{"schema_version":2}`))
	f.Add([]byte(`{"schema_version":1,"items":[{"id":"m000000001","tier":"workspace","content":"cut`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		home, c := t.TempDir(), newClock()
		s := expect.Value(Open(home, Options{Workspace: filepath.Join(home, "project"), Author: true, Now: c.now}))(t)
		defer s.Close()
		put(t, s, Item{Tier: Workspace, Content: "was here before"})
		dry, dryErr := s.Import(t.Context(), bytes.NewReader(doc), ImportOptions{DryRun: true})
		first, err := s.Import(t.Context(), bytes.NewReader(doc), ImportOptions{})
		if fmt.Sprint(err) != fmt.Sprint(dryErr) {
			t.Fatalf("the dry run says %v, the import %v", dryErr, err)
		}
		if err != nil {
			if !errors.Is(err, fault.Invalid) {
				t.Fatal(err)
			}
			return
		}
		if a, b := total(dry), total(first); a != b {
			t.Errorf("the dry run says %+v, the import %+v", dry, first)
		}
		indexAgrees(t, s)
		once := exportText(t, s, everything)
		again := expect.Value(s.Import(t.Context(), bytes.NewReader(doc), ImportOptions{}))(t)
		if n := total(again); n.Stored > 0 || n.Refused != total(first).Refused {
			t.Errorf("a second time: %+v, the first time %+v", again, first)
		}
		if twice := exportText(t, s, everything); twice != once {
			t.Errorf("a second import makes\n%s\nof\n%s", twice, once)
		}
		// What was taken can be given on.
		far := t.TempDir()
		other := expect.Value(Open(far, Options{Workspace: filepath.Join(home, "project"), Author: true, Now: c.now}))(t)
		defer other.Close()
		moved, err := other.Import(t.Context(), strings.NewReader(mustExport(t, s)), ImportOptions{Force: true})
		if n := total(moved); err != nil || n.Kept+n.Refused > 0 {
			t.Errorf("its export cannot be imported: %+v, %v", moved, err)
		}
		if there := exportText(t, other, everything); there != once {
			t.Errorf("a copy has\n%s\nof\n%s", there, once)
		}
	})
}

func mustExport(t testing.TB, s *Store) string {
	t.Helper()
	var b strings.Builder
	expect.Value(s.Export(t.Context(), &b, everything))(t)
	return b.String()
}

// BenchmarkExportImport exports and imports 50,000 items of half a page, a tenth of which were
// changed once.
func BenchmarkExportImport(b *testing.B) {
	home := b.TempDir()
	s := expect.Value(Open(home, Options{Workspace: filepath.Join(home, "project"), Author: true}))(b)
	defer s.Close()
	const n = 50_000
	all := stockScope(b, s, Scope{Tier: Workspace}, n, func(i int) string {
		return fmt.Sprintf("Fact %d: %s", i, strings.Repeat(fmt.Sprintf("it depends on w%d and w%d; ", i%997, i%10007), 20))
	})
	f := expect.Value(s.file(b.Context(), Workspace, true))(b)
	expect.OK(b, f.WriteIndex(b.Context(), func(tx *sqlite.Tx) error {
		for i := 0; i < n; i += 10 {
			now := all[i]
			now.Importance = .6
			if err := f.change(tx, &all[i], &now, nil, "", new([]string)); err != nil {
				return err
			}
		}
		return nil
	}))
	path := filepath.Join(home, "export.json")
	b.Run("export", func(b *testing.B) {
		for range b.N {
			w := expect.Value(os.Create(path))(b)
			got, err := s.Export(b.Context(), w, everything)
			if err != nil || got.Counts[listItems] != n {
				b.Fatal(got, err)
			}
			w.Close()
			b.SetBytes(got.Bytes)
		}
	})
	bring := func(b *testing.B, into *Store, opt ImportOptions, stored int) {
		b.Helper()
		r := expect.Value(os.Open(path))(b)
		defer r.Close()
		got, err := into.Import(b.Context(), r, opt)
		if err != nil || got.Counts[listItems].Stored != stored {
			b.Fatal(got.Counts, err)
		}
	}
	b.Run("import", func(b *testing.B) {
		for range b.N {
			b.StopTimer()
			other := expect.Value(Open(b.TempDir(), Options{Workspace: filepath.Join(home, "project"), Author: true}))(b)
			b.StartTimer()
			bring(b, other, ImportOptions{}, n)
			b.StopTimer()
			other.Close()
			b.StartTimer()
		}
	})
	b.Run("again", func(b *testing.B) {
		for range b.N {
			bring(b, s, ImportOptions{}, 0)
		}
	})
}
