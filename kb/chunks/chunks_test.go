package chunks

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/secret"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

func TestMain(m *testing.M) { os.Exit(cost.Main(m)) }

func TestWriteAndRead(t *testing.T) {
	c := newClock()
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir, Options{Now: c.now})
	got := writeChunk(t, s, NewChunk{Topic: " Auth — JWT ", Content: "Stateless.\n", Agent: "pm-agent", Tags: []string{"auth", " decision ", "auth", ""}, Importance: Critical})
	if !regexp.MustCompile(`^[0-9a-f]{10}$`).MatchString(got.ID) {
		t.Errorf("the id is %q", got.ID)
	}
	want := Chunk{Meta: Meta{ID: got.ID, Topic: "Auth — JWT", Agent: "pm-agent", Tags: []string{"auth", "decision"}, Importance: Critical, Created: c.now(), Updated: c.now(), n: 1}, Content: "Stateless.\n"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("written: %+v, want %+v", got, want)
	}
	if read, err := s.Read(t.Context(), got.ID); err != nil || !reflect.DeepEqual(read, want) {
		t.Errorf("read: %+v, %v", read, err)
	}
	// Missing fields get their defaults, and invalid UTF-8 is corrected.
	plain := writeChunk(t, s, NewChunk{Topic: "a\xffb\x00c", Content: "x\xfe"})
	if plain.Agent != DefaultAgent || plain.Importance != Medium || len(plain.Tags) != 0 || plain.Topic != "a\ufffdb\ufffdc" || plain.Content != "x\ufffd" || plain.Expires != nil {
		t.Errorf("%+v", plain)
	}
	// Writing the same again makes another chunk.
	if again := writeChunk(t, s, NewChunk{Topic: "a\xffb\x00c", Content: "x\xfe"}); again.ID == plain.ID {
		t.Error("two chunks have one id")
	}
	if runtime.GOOS != "windows" {
		for path, mode := range map[string]fs.FileMode{dir: 0o700, s.Path(): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s has the mode %v: %v", path, info.Mode(), err)
			}
		}
	}
	_, err := s.Read(t.Context(), "0000000000")
	fails(t, err, fault.NotFound, "No chunk found with id `0000000000`.")
}

func TestRefusals(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir, Options{})
	long := func(n int) string { return strings.Repeat("é", n) }
	ok := NewChunk{Topic: "t", Content: "c"}
	for words, change := range map[string]func(*NewChunk){
		"the topic is blank":                        func(c *NewChunk) { c.Topic = " \n" },
		"the content is blank":                      func(c *NewChunk) { c.Content = "\t" },
		"the topic has 501 characters":              func(c *NewChunk) { c.Topic = long(501) },
		"the content has 262145 bytes":              func(c *NewChunk) { c.Content = strings.Repeat("x", MaxContent+1) },
		"the agent's name has 201 characters":       func(c *NewChunk) { c.Agent = long(201) },
		`the importance "urgent" is unknown`:        func(c *NewChunk) { c.Importance = "urgent" },
		"a tag has 101 characters":                  func(c *NewChunk) { c.Tags = []string{long(101)} },
		"51 tags are given":                         func(c *NewChunk) { c.Tags = manyTags(51) },
		"ttl_days is 0; it must be greater than 0":  func(c *NewChunk) { c.TTLDays = new(0.0) },
		"ttl_days is -1; it must be greater than 0": func(c *NewChunk) { c.TTLDays = new(-1.0) },
		"ttl_days is NaN":                           func(c *NewChunk) { c.TTLDays = new(math.NaN()) },
		"ttl_days is +Inf":                          func(c *NewChunk) { c.TTLDays = new(math.Inf(1)) },
		"ttl_days is 36501":                         func(c *NewChunk) { c.TTLDays = new(36501.0) },
	} {
		c := ok
		change(&c)
		_, err := s.Write(t.Context(), c)
		fails(t, err, fault.Invalid, words)
	}
	for words, q := range map[string]Query{
		"a top_k of 0 is not between 1 and 20":  {Text: "x", TopK: new(0)},
		"a top_k of 21 is not between 1 and 20": {Text: "x", TopK: new(21)},
		"a min_score of -0.1 is not 0 or more":  {Text: "x", MinScore: new(-0.1)},
		"a min_score of NaN is not 0 or more":   {Text: "x", MinScore: new(math.NaN())},
		`the search mode "vector" is unknown`:   {Text: "x", Mode: "vector"},
		"the query has 65537 bytes":             {Text: strings.Repeat("x", MaxQuery+1)},
	} {
		_, err := s.Search(t.Context(), q)
		fails(t, err, fault.Invalid, words)
	}
	for words, q := range map[string]ListQuery{
		"a limit of 0 is not between 1 and 500":   {Limit: new(0)},
		"a limit of 501 is not between 1 and 500": {Limit: new(501)},
		"an offset of -1 is less than 0":          {Offset: -1},
	} {
		_, err := s.List(t.Context(), q)
		fails(t, err, fault.Invalid, words)
	}
	for words, v := range map[string]struct{ key, value string }{
		"the key is blank":            {" ", "1"},
		"the key has 501 characters":  {long(501), "1"},
		"the value has 1048577 bytes": {"k", strings.Repeat("1", MaxValue+1)},
		"the value is not JSON":       {"k", "{"},
		"exceeded max depth":          {"k", strings.Repeat("[", 20_000)},
	} {
		_, err := s.SetState(t.Context(), v.key, json.RawMessage(v.value))
		fails(t, err, fault.Invalid, words)
	}
	// Texts of the greatest length are accepted. No file was created before.
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("refusals have made the directory: %v", err)
	}
	writeChunk(t, s, NewChunk{Topic: long(MaxTopic), Content: strings.Repeat("x", MaxContent), Agent: long(MaxAgent), Tags: append(manyTags(MaxTags-1), long(MaxTag)), TTLDays: new(36_500.0)})
}

func manyTags(n int) []string {
	tags := make([]string, n)
	for i := range tags {
		tags[i] = fmt.Sprint("tag", i)
	}
	return tags
}

// TestNothingThere: an unused store is empty, and reading creates no file.
func TestNothingThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir, Options{Import: true, Embedder: newConcepts()})
	if r, err := s.Search(t.Context(), Query{Text: "auth"}); err != nil || len(r.Hits) != 0 || r.Mode != ModeHybrid {
		t.Errorf("%+v, %v", r, err)
	}
	if l, err := s.List(t.Context(), ListQuery{}); err != nil || !l.Empty || l.Chunks == nil {
		t.Errorf("%+v, %v", l, err)
	}
	_, err := s.Read(t.Context(), "0000000000")
	fails(t, err, fault.NotFound, "No chunk")
	fails(t, s.Delete(t.Context(), "0000000000"), fault.NotFound, "No chunk")
	_, err = s.State(t.Context(), "k")
	fails(t, err, fault.NotFound, `State key "k" not found.`)
	_, err = s.Import(t.Context())
	fails(t, err, fault.NotFound, "there is nothing to import")
	if e, err := s.Backfill(t.Context(), 0); err != nil || e.Embedded != 0 {
		t.Errorf("%+v, %v", e, err)
	}
	if st, err := s.Status(t.Context()); err != nil || st != (Status{}) {
		t.Errorf("%+v, %v", st, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("asking has made the directory: %v", err)
	}
	// Another process writes; this one sees it.
	write(t, openStore(t, dir, Options{}), "auth")
	if got := found(t, s, Query{Text: "auth"}); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	file := filepath.Join(t.TempDir(), "file")
	expect.OK(t, os.WriteFile(file, nil, 0o600))
	_, _, err = Open(t.Context(), file, Options{})
	fails(t, err, fault.Invalid, "is not a directory")
}

func TestList(t *testing.T) {
	c := newClock()
	s := openStore(t, t.TempDir(), Options{Now: c.now})
	for i := range 7 {
		n := NewChunk{Topic: fmt.Sprint("topic ", i), Content: "x", Agent: []string{"a", "b"}[i%2]}
		if i < 3 {
			n.Tags = []string{"Low", fmt.Sprint("t", i)}
		}
		writeChunk(t, s, n)
		if i != 4 { // for equal times, the one written later comes first
			c.pass(time.Minute)
		}
	}
	for name, q := range map[string]ListQuery{
		"6 5 4 3 2 1 0": {}, "6 5": {Limit: new(2)}, "4 3": {Limit: new(2), Offset: 2}, "0": {Offset: 6}, "": {Offset: 7},
		"5 3 1": {Agent: "b"}, "1": {Agent: " b ", Tags: []string{"low"}}, "2 1 0": {Tags: []string{"LOW"}}, "2 0": {Tags: []string{"t2", "t0", "none"}},
	} {
		l, err := s.List(t.Context(), q)
		var got []string
		for _, m := range l.Chunks {
			got = append(got, strings.TrimPrefix(m.Topic, "topic "))
		}
		if strings.Join(got, " ") != name || err != nil || l.Empty {
			t.Errorf("%+v lists %v of %d, want %s: %v", q, got, l.Total, name, err)
		}
	}
	if l, err := s.List(t.Context(), ListQuery{Tags: []string{"low"}, Limit: new(1)}); err != nil || l.Total != 3 || len(l.Chunks) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	if l, err := s.List(t.Context(), ListQuery{Tags: []string{"none"}}); err != nil || l.Total != 0 || l.Empty {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestDelete(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	one, two := write(t, s, "auth one", "tag"), write(t, s, "auth two", "tag")
	expect.OK(t, s.Delete(t.Context(), one.ID))
	fails(t, s.Delete(t.Context(), one.ID), fault.NotFound, one.ID)
	if got := found(t, s, Query{Text: "auth"}); !reflect.DeepEqual(got, []string{two.Topic}) {
		t.Errorf("found %v", got)
	}
	if l, err := s.List(t.Context(), ListQuery{Tags: []string{"tag"}}); err != nil || l.Total != 1 {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestExpiry: no answer has an expired chunk, and the next write or opening deletes it.
func TestExpiry(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	s := openStore(t, dir, Options{Now: c.now, Embedder: newConcepts()})
	stays := writeChunk(t, s, NewChunk{Topic: "one of many words", Content: "How a login ends by auth.", Tags: []string{"t"}})
	short := writeChunk(t, s, NewChunk{Topic: "auth for a day and a half", Content: "auth jwt auth", Tags: []string{"t"}, TTLDays: new(1.5)})
	if want := c.now().Add(36 * time.Hour); !short.Expires.Equal(want) {
		t.Errorf("it expires %v, want %v", short.Expires, want)
	}
	if e, err := s.Backfill(t.Context(), 0); err != nil || e.Embedded != 2 {
		t.Fatalf("%+v, %v", e, err)
	}
	if got := found(t, s, Query{Text: "auth"}); len(got) != 2 || got[0] != short.Topic {
		t.Errorf("before: %v", got)
	}
	c.pass(36*time.Hour - time.Millisecond)
	if _, err := s.Read(t.Context(), short.ID); err != nil {
		t.Error(err)
	}
	c.pass(time.Millisecond)
	for _, mode := range Modes {
		r, err := s.Search(t.Context(), Query{Text: "auth", Mode: mode, TopK: new(1)})
		if err != nil || len(r.Hits) != 1 || r.Hits[0].ID != stays.ID || r.Hits[0].BM25Rank+r.Hits[0].VectorRank == 0 || r.Hits[0].BM25Rank > 1 || r.Hits[0].VectorRank > 1 || r.Hits[0].Score < 0.9 {
			t.Errorf("%s: %+v, %v", mode, r, err)
		}
	}
	if l, err := s.List(t.Context(), ListQuery{Tags: []string{"t"}}); err != nil || l.Total != 1 || len(l.Chunks) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	if st, err := s.Status(t.Context()); err != nil || st.Chunks != 1 || indexed(t, s).Docs != 2 {
		t.Errorf("%+v, %v", st, err)
	}
	_, err := s.Read(t.Context(), short.ID)
	fails(t, err, fault.NotFound, short.ID)
	fails(t, s.Delete(t.Context(), short.ID), fault.NotFound, short.ID)
	if n := indexed(t, openStore(t, dir, Options{Now: c.now})).Docs; n != 1 {
		t.Errorf("after it was opened again: %d documents in the index", n)
	}
	writeChunk(t, s, NewChunk{Topic: "least", Content: "x", TTLDays: new(1e-12)})
	c.pass(time.Millisecond)
	write(t, s, "another")
	if n := indexed(t, s).Docs; n != 2 {
		t.Errorf("after a write: %d documents in the index", n)
	}
	if l, err := s.List(t.Context(), ListQuery{}); err != nil || l.Empty || l.Total != 2 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestState(t *testing.T) {
	c := newClock()
	s := openStore(t, t.TempDir(), Options{Now: c.now})
	for in, want := range map[string]string{
		`"scraping"`: `"scraping"`, ` {"b" : [1, 2.50, true, null], "a":{}} `: `{"b":[1,2.50,true,null],"a":{}}`, `null`: `null`, `12345678901234567890`: `12345678901234567890`,
		`"\u00e9\/\u003c\ud83d\ude00\n"`: `"é/<😀\n"`, `{"\u0041\\\"":"\u0000\ud800"}`: `{"A\\\"":"\u0000` + "\ufffd" + `"}`, "\"\xff\"": "\"\ufffd\"", `""`: `""`,
	} {
		set, err := s.SetState(t.Context(), "k", json.RawMessage(in))
		if err != nil || string(set.Value) != want {
			t.Errorf("%s is set as %s, want %s: %v", in, set.Value, want, err)
		}
		if got, err := s.State(t.Context(), "k"); err != nil || !reflect.DeepEqual(got, set) || !got.Updated.Equal(c.now()) {
			t.Errorf("%+v is read as %+v: %v", set, got, err)
		}
		c.pass(time.Second)
	}
	_, err := s.State(t.Context(), "K")
	fails(t, err, fault.NotFound, `State key "K" not found.`)
}

// TestSecretsAreMasked: a chunk and a value are stored without what looks like a secret, unless the
// writer keeps it.
func TestSecretsAreMasked(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	token := "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	for keep, want := range map[bool]string{false: "ghp_****", true: token} {
		var notes []string
		ctx := secret.Writing(t.Context(), keep, func(n []string) { notes = append(notes, n...) })
		c, err := s.Write(ctx, NewChunk{Topic: "key", Content: "the key is " + token})
		expect.OK(t, err)
		if c, err = s.Read(t.Context(), c.ID); err != nil || c.Content != "the key is "+want {
			t.Errorf("%v: %q, %v", keep, c.Content, err)
		}
		v, err := s.SetState(ctx, "k", json.RawMessage(`{"a":["`+token+`"]}`))
		if err != nil || string(v.Value) != `{"a":["`+want+`"]}` {
			t.Errorf("%v: %s, %v", keep, v.Value, err)
		}
		if keep != (len(notes) == 0) || !keep && !strings.Contains(notes[0], "the content held") {
			t.Errorf("%v: %q", keep, notes)
		}
	}
}

// TestRemovedWhileOpen: a process continues after its store was removed.
func TestRemovedWhileOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := openStore(t, dir, Options{})
	c := write(t, s, "auth")
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed there")
	}
	expect.OK(t, os.RemoveAll(dir))
	if l, err := s.List(t.Context(), ListQuery{}); err != nil || !l.Empty {
		t.Errorf("%+v, %v", l, err)
	}
	_, err := s.Read(t.Context(), c.ID)
	fails(t, err, fault.NotFound, c.ID)
	write(t, s, "auth again")
	if got := found(t, s, Query{Text: "auth"}); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

// TestDamage: a damaged index is rebuilt; a damaged file is refused with the next step
// for a store.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{Embedder: newConcepts()})
	write(t, s, "auth")
	expect.Value(s.Backfill(t.Context(), 0))(t)
	for _, damage := range []string{`UPDATE chunk_index_tail SET record = x'00'`, `DELETE FROM chunk_index_meta`, `DROP TABLE chunk_index_meta`} {
		f := expect.Value(s.file(t.Context(), false))(t)
		expect.OK(t, f.Write(t.Context(), func(tx *sqlite.Tx) error { _, err := tx.Exec(damage); return err }))
		s = openStore(t, dir, Options{Embedder: newConcepts()})
		if got := found(t, s, Query{Text: "login", Mode: ModeSemantic}); len(got) != 1 {
			// Without the totals the model of the embeddings is unknown, so they are
			// computed again.
			if e, err := s.Backfill(t.Context(), 0); err != nil || e.Embedded != 1 {
				t.Errorf("%s: found %v, %+v, %v", damage, got, e, err)
			}
		}
	}
	bad := t.TempDir()
	expect.OK(t, os.WriteFile(filepath.Join(bad, FileName), []byte(strings.Repeat("no database ", 1000)), 0o600))
	_, _, err := Open(t.Context(), bad, Options{})
	fails(t, err, fault.Corrupt, FileName)
	if !strings.Contains(fmt.Sprint(err.(*fault.Error).Next), "the next use creates a new store") {
		t.Error(err.(*fault.Error).Next)
	}
}
