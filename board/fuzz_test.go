package board

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/sqlite"
	"blackboard/board/text"
	"blackboard/testdata/expect"
)

// FuzzMatch: whatever a person types is a search, or a refusal in words; never a syntax error.
func FuzzMatch(f *testing.F) {
	for _, s := range []string{"rotate keys", `"never expire" -rotation`, "toke*", `AND OR NOT NEAR(`, `"`, `""`, `-`, `-"`, "*", "a:b", "content:x", "{a b}", "^x", "日本", "é", "\x00", "\xff", "e2*\"", "-a", `a"b"c`, "''; DROP TABLE entries"} {
		f.Add(s)
	}
	b := expect.Value(OpenOrCreate(f.Context(), f.TempDir(), "fuzz"))(f)
	f.Cleanup(func() { b.Close() })
	for _, s := range []string{"tokens never expire", "the key-rotation job", "日本語 café"} {
		expect.Value(b.Post(f.Context(), "w", Post{Content: s}))(f)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, q := range []Query{{Match: text}, {Match: text, Order: Best, Types: []string{Gap}}, {Contains: text}} {
			if _, err := b.Query(t.Context(), q); err != nil && !errors.Is(err, fault.Invalid) {
				t.Fatalf("%+v: %v", q, err)
			}
		}
	})
}

// FuzzContains: a query finds what a plain look at every entry finds.
func FuzzContains(f *testing.F) {
	for _, s := range [][3]string{
		{"tokens never expire quickly", "tokens expire", "s never expire q"},
		{"A b C", "a_b%c", "a B c"},
		{"x running y", "x runs y", " running "},
		{"snake_case 100%", "snake-case", "E_c"},
		{"ÄÖÜ äöü", "äÖü", "ä"},
		{"日本語。日本", "日本", "本"},
		{"a — b", "— b", " — "},
		{"word\x0bword\x01", "word\x0c", "d\x0b"},
		{strings.Repeat("long", 1100), strings.Repeat("gnol", 20), "nglon"},
		{"7f3a9c01b2d4", "7f3a9c01b2d5", "c01b2d"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, content, other, part string) {
		content, other = text.Plain(content), text.Plain(other) // as a post keeps them
		if record.CheckText("", content, 8000, true) != nil || record.CheckText("", other, 8000, true) != nil || part == "" || len(part) > 100 {
			return
		}
		if strings.ContainsAny(content+other+part, "\ufffd\ufffe\uffff") {
			return // to LIKE they are one character
		}
		b := newBoard(t)
		contents := []string{content, other, content + " " + other}
		expect.Value(b.PostBatch(t.Context(), "w", []Post{{Content: content}, {Content: other}, {Content: contents[2]}}))(t)
		expect.Value(b.Post(t.Context(), "w", Post{Content: content}))(t)
		contents = append(contents, content)
		want := plainContains(contents, part)
		if got := foundContains(t, b, Query{Contains: part}); !slices.Equal(got, want) {
			t.Fatalf("%q in %q: found %v, want %v", part, contents, got, want)
		}
	})
}

// importMust imports data that may be anything. What is refused makes no run; what is taken is a
// sound board that exports and imports again to the same.
func importMust(t *testing.T, data []byte, opt ImportOptions) {
	dir := t.TempDir()
	opt.Run = "fuzz"
	got, err := Import(t.Context(), dir, "w", bytes.NewReader(data), opt)
	if err != nil {
		if !errors.Is(err, fault.Invalid) && !errors.Is(err, fault.NotFound) {
			t.Fatalf("import failed in its own way: %v", err)
		}
		if _, err := os.Stat(sqlite.RunPath(dir, "fuzz")); err == nil {
			if _, err := Open(t.Context(), dir, "fuzz"); !errors.Is(err, fault.NotFound) {
				t.Fatalf("a refused import made a run: %v", err)
			}
		}
		return
	}
	b := mustOpen(t, dir, "fuzz")
	expect.OK(t, b.Check(t.Context()))
	var first, second bytes.Buffer
	expect.OK(t, b.Export(t.Context(), &first))
	again := filepath.Join(dir, "again")
	back, err := Import(t.Context(), again, "w", bytes.NewReader(first.Bytes()), ImportOptions{})
	if err != nil || back.Entries != got.Entries || back.Links != got.Links {
		t.Fatalf("the export cannot be imported: %v (%+v, %+v)", err, got, back)
	}
	expect.OK(t, mustOpen(t, again, "fuzz").Export(t.Context(), &second))
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatal("the export changed on its way through an import")
	}
}

// FuzzImportJSONL feeds the import with changed exports.
func FuzzImportJSONL(f *testing.F) {
	b := expect.Value(OpenOrCreate(f.Context(), f.TempDir(), "seed"))(f)
	ctx := f.Context()
	try := func(_ any, err error) {
		if err != nil {
			f.Fatal(err)
		}
	}
	try(b.Post(ctx, "w", Post{Content: "one", Tags: []string{"a"}, Key: "k"}))
	try(b.Post(ctx, "w", Post{Content: "two", Type: Contradiction, Contradicts: []string{"e1"}}))
	try(b.Signal(ctx, "w", Raise{Content: "q", Priority: "high", Origin: "e1"}))
	try(b.Claim(ctx, "w", "s1", record.MinLease))
	try(b.Waive(ctx, "w", "s1", "r"))
	try(b.Reopen(ctx, "w", "s1", "n"))
	try(b.Post(ctx, "w", Post{Content: "three", Supersedes: []string{"e2"}, Addresses: []string{"s1"}}))
	try(b.Post(ctx, "w", Post{Content: "four", Supersedes: []string{"e3"}, DropDuty: "no use"}))
	try(b.Expect(ctx, "lead", []string{"w", "x"}, false))
	try(b.Done(ctx, "w"))
	try(b.Drop(ctx, "lead", "x", "late"))
	try(b.Set(ctx, "w", "v", []byte(`{"a":[1]}`), AnyVersion))
	try(b.Delete(ctx, "w", "v", AnyVersion))
	var out bytes.Buffer
	expect.OK(f, b.Export(ctx, &out))
	b.Close()
	f.Add(out.Bytes())
	lines := bytes.SplitAfter(out.Bytes(), []byte("\n"))
	f.Add(bytes.Join(lines[:5], nil))
	var events [][]byte // without the lines that only repeat them, so that a change can pass
	for _, l := range lines {
		if bytes.Contains(l, []byte(`"kind":"event"`)) {
			events = append(events, l)
		}
	}
	f.Add(bytes.Join(events, nil))
	f.Add([]byte(`{"v":1,"kind":"run","run":{"schema":1,"name":"x","created":"2026-01-02T03:04:05Z","seq":1}}` + "\n" +
		`{"v":1,"kind":"event","event":{"seq":1,"at":"2026-01-02T03:04:05Z","actor":"w","verb":"create","id":"x","payload":{"name":"x"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) { importMust(t, data, ImportOptions{}) })
}

// FuzzImportIrys feeds the import with changed Irys boards.
func FuzzImportIrys(f *testing.F) {
	f.Add([]byte(`{"entries":[],"signals":[]}`))
	f.Add([]byte(`{"task_instruction":"t","x":[1, 2],"entries":[{"id":"e1","type":"gap","content":"a","supports":["e2","e1","e9"],"tags":["x"],"status":"disputed"},
		{"id":"e2","type":"analysis","content":"b","supersedes":["e1"],"addresses_signals":["s1","s2"],"source":{"document":"d","section":"s","evidence":"v"},"created_by":{"worker_id":"w"}},
		{"id":"e2","type":"contradiction","content":"c","contradicts":["e1"],"confidence":0.5}],
		"signals":[{"id":"s1","content":"q","origin_entry":"e2","priority":"high","status":"addressed","addressed_by":"e2"},{"id":"s2","content":"r","priority":"low","status":"expired"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) { importMust(t, data, ImportOptions{MustSurface: []string{"high"}}) })
}
