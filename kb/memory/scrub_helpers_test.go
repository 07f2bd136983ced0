package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/sqlite"
	"blackboard/kb/store"
	"blackboard/testdata/expect"
)

// stockScope puts n items into a scope, a hundred in a transaction, so that the index has segments
// that were merged.
func stockScope(t testing.TB, s *Store, sc Scope, n int, text func(i int) string) []Item {
	t.Helper()
	f := expect.Value(s.file(t.Context(), sc.Tier, true))(t)
	all := make([]Item, n)
	for i := range all {
		all[i] = Item{Tier: sc.Tier, Channel: sc.Channel, Conversation: sc.Conversation, Content: text(i), Importance: .5, Curator: CuratorAgent, Tags: []string{fmt.Sprint("tag", i%7)}}
		expect.OK(t, all[i].normalise())
	}
	for some := range slices.Chunk(all, 100) {
		expect.OK(t, f.WriteIndex(t.Context(), func(tx *sqlite.Tx) error {
			for i := range some {
				v, err := store.Vector(t.Context(), s.opt.Embedder, embeddingText(&some[i]), new([]string))
				if err != nil {
					return err
				}
				if err := f.add(tx, &some[i], v, new([]string), VerbPut, ""); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	return all
}

// filesWith lists the files of a memory whose bytes hold a text, whoever may read them.
func filesWith(t testing.TB, home, text string) (found []string) {
	t.Helper()
	if err := filepath.WalkDir(Dir(home), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // a -wal that was just folded in
			return nil
		}
		if bytes.Contains(bytes.ToLower(b), []byte(text)) {
			found = append(found, filepath.Base(path))
		}
		return err
	}); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return found
}

// indexAgrees fails unless the index of each file is sound and holds exactly the live items, and
// no row belongs to something that is gone.
func indexAgrees(t testing.TB, s *Store) {
	t.Helper()
	for _, account := range []bool{false, true} {
		f, err := s.open(t.Context(), account, false)
		if errors.Is(err, errNoFile) {
			continue
		}
		expect.OK(t, err)
		if err := f.Read(t.Context(), func(tx *sqlite.Tx) error {
			if err := f.Index.Check(tx); err != nil {
				return err
			}
			docs, err := f.Index.Documents(tx)
			if err != nil {
				return err
			}
			items, err := itemsWhere(tx, `forgotten IS NULL ORDER BY n`)
			if err != nil {
				return err
			}
			var live []int64
			for i := range items {
				live = append(live, items[i].n)
			}
			if !slices.Equal(docs, live) {
				return fmt.Errorf("the index holds %d documents, there are %d live items", len(docs), len(live))
			}
			var strays int
			if err := tx.QueryRow(`SELECT (SELECT count(*) FROM revisions WHERE subject NOT LIKE 'named:%' AND subject NOT IN (SELECT id FROM items)) +
				(SELECT count(*) FROM scratch WHERE conversation NOT IN (SELECT ref FROM conversations))`).Scan(&strays); err != nil {
				return err
			}
			if strays > 0 {
				return fmt.Errorf("%d rows belong to nothing", strays)
			}
			return nil
		}); err != nil {
			t.Errorf("%s: %v", f.Path(), err)
		}
		if err := f.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func manifestOf(t testing.TB, s *Store, q ScrubQuery) Manifest {
	t.Helper()
	m, err := s.ScrubManifest(t.Context(), q)
	if err != nil {
		t.Fatalf("manifest of %+v: %v", q, err)
	}
	return m
}

// mustScrub executes what a dry run shows.
func mustScrub(t testing.TB, s *Store, q ScrubQuery) Scrubbed {
	t.Helper()
	got, err := s.Scrub(t.Context(), q, manifestOf(t, s, q).Hash)
	if err != nil {
		t.Fatalf("scrub %+v: %v", q, err)
	}
	if len(got.Notes) > 0 {
		t.Errorf("scrub %+v: %q", q, got.Notes)
	}
	return got
}

// nonzero leaves out the counts that are 0.
func nonzero(counts map[string]int) map[string]int {
	out := maps.Clone(counts)
	maps.DeleteFunc(out, func(_ string, n int) bool { return n == 0 })
	return out
}

// furnished is a home with something of everything.
type furnished struct {
	home                string
	person, alice, bob  *Store
	conv, other         string // conversations
	kept, gone, private Item
}

func furnish(t testing.TB) *furnished {
	t.Helper()
	ctx, home, c := t.Context(), t.TempDir(), newClock()
	m := &furnished{home: home}
	for _, who := range []struct {
		into  **Store
		agent string
	}{{&m.person, ""}, {&m.alice, "alice"}, {&m.bob, "bob"}} {
		*who.into = open(t, home, Options{Agent: who.agent, Now: c.now, Embedder: bag{}})
	}
	expect.Value(m.person.CreateChannel(ctx, "research", "what was found out"))(t)
	for i, ref := range []*string{&m.conv, &m.other} {
		conv, _ := expect.Values(m.alice.StartConversation(ctx, "research", fmt.Sprint("thread-", i)))(t)
		*ref = conv.Ref
		expect.Value(m.alice.Invite(ctx, conv.Ref, "bob"))(t)
	}
	for _, s := range []*Store{m.alice, m.bob, m.person} {
		for i, sc := range []Scope{{Tier: Conversation, Conversation: m.conv}, {Tier: Conversation, Conversation: m.other}, {Tier: Channel, Channel: "research"}, {Tier: Channel, Channel: DefaultChannel},
			{Tier: Workspace}, {Tier: Account}} {
			it := Item{Tier: sc.Tier, Channel: sc.Channel, Conversation: sc.Conversation, Tags: []string{"a", "b"}, Source: "researcher", DerivedFrom: "board:RUN/e1"}
			it.Content = fmt.Sprintf("%s says <%d> in %s & “elsewhere”\nsecond line", s.opt.Agent, i, sc)
			put(t, s, it)
			if s.opt.Agent != "" {
				it.Content += " privately"
				m.private = put(t, s, it, PutOptions{Private: true})
			}
			it.Content += " for now"
			it.Title = "Passing"
			gone := put(t, s, it)
			expect.Value(s.Update(ctx, gone.ID, UpdateOptions{Why: "more is known"}, func(it *Item) error { it.Content += " changed"; return nil }))(t)
			kept := put(t, s, Item{Tier: sc.Tier, Channel: sc.Channel, Conversation: sc.Conversation, Content: it.Content + " better"})
			expect.Value(s.Forget(ctx, gone.ID, "", kept.ID))(t)
			m.kept, m.gone = kept, gone
		}
		c.pass(1)
		if s.opt.Agent == "" {
			continue
		}
		for _, tier := range []string{Workspace, Account} {
			for _, kind := range []string{Journal, Core} {
				expect.Value(s.SaveNote(ctx, kind, tier, s.opt.Agent+" notes "+kind, false))(t)
			}
		}
		n := expect.Value(s.SaveNote(ctx, Core, Workspace, s.opt.Agent+" no longer notes", false))(t)
		expect.Value(s.Forget(ctx, n.ID, "", ""))(t)
		for _, ref := range []string{m.conv, m.other} {
			expect.Value(s.WriteScratch(ctx, ref, "todo", json.RawMessage(`{"left": ["<a>", 2]}`), false))(t)
		}
	}
	for _, name := range []string{Voice, Soul, "STYLE"} {
		for i := range 2 {
			expect.Value(m.person.EditNamed(ctx, name, "", fmt.Sprintf("%s, version %d", name, i), -1))(t)
		}
	}
	expect.Value(m.person.EditNamed(ctx, "PASSING", "", "not for long", -1))(t)
	expect.Value(m.person.RemoveNamed(ctx, "PASSING", ""))(t)
	expect.Value(m.alice.IdleConversation(ctx, m.other))(t)
	expect.Value(m.alice.ArchiveConversation(ctx, m.other, false))(t)
	return m
}

// exportText returns the whole memory as text, without the lines that differ each time.
func exportText(t testing.TB, s *Store, opt ExportOptions) string {
	t.Helper()
	var b strings.Builder
	expect.Value(s.Export(t.Context(), &b, opt))(t)
	var lines []string
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, `"exported_at"`) && !strings.HasPrefix(line, `"workspace"`) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

var everything = ExportOptions{Forgotten: true, Everything: true}

// without leaves out of an export the lines about what is gone.
func without(export string, gone func(line string) bool) string {
	var lines []string
	for line := range strings.Lines(export) {
		line = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(line), ","), "]") // a list that has become empty is one line
		if line != "" && !gone(line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
