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
	"sync"
	"testing"

	"blackboard/board/sqlite"
)

// stockScope puts n items into a scope, a hundred in a transaction, so that the index has segments that were merged.
func stockScope(t testing.TB, s *Store, sc Scope, n int, text func(i int) string) []Item {
	t.Helper()
	f, err := s.file(t.Context(), sc.Tier, true)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]Item, n)
	for i := range all {
		all[i] = Item{Tier: sc.Tier, Channel: sc.Channel, Conversation: sc.Conversation, Content: text(i), Importance: .5, Curator: CuratorAgent, Tags: []string{fmt.Sprint("tag", i%7)}}
		if err := all[i].normalise(); err != nil {
			t.Fatal(err)
		}
	}
	for some := range slices.Chunk(all, 100) {
		if err := f.write(t.Context(), func(tx *sqlite.Tx) error {
			for i := range some {
				v, err := s.embedOne(t.Context(), &some[i], new([]string))
				if err != nil {
					return err
				}
				if err := f.add(tx, &some[i], v, new([]string), VerbPut, ""); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
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

// indexAgrees fails unless the index of each file is sound and holds exactly the live items, and no row belongs to something that is gone.
func indexAgrees(t testing.TB, s *Store) {
	t.Helper()
	for _, account := range []bool{false, true} {
		f, err := s.open(t.Context(), account, false)
		if errors.Is(err, errNoFile) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := f.db.Read(t.Context(), func(tx *sqlite.Tx) error {
			if err := f.index.Check(tx); err != nil {
				return err
			}
			docs, err := f.index.Documents(tx)
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
			t.Errorf("%s: %v", f.db.Path(), err)
		}
		if err := f.db.Check(t.Context()); err != nil {
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
	if _, err := m.person.CreateChannel(ctx, "research", "what was found out"); err != nil {
		t.Fatal(err)
	}
	for i, ref := range []*string{&m.conv, &m.other} {
		conv, _, err := m.alice.StartConversation(ctx, "research", fmt.Sprint("thread-", i))
		if err != nil {
			t.Fatal(err)
		}
		*ref = conv.Ref
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
			if _, err := s.Update(ctx, gone.ID, UpdateOptions{Why: "more is known"}, func(it *Item) error { it.Content += " changed"; return nil }); err != nil {
				t.Fatal(err)
			}
			kept := put(t, s, Item{Tier: sc.Tier, Channel: sc.Channel, Conversation: sc.Conversation, Content: it.Content + " better"})
			if _, err := s.Forget(ctx, gone.ID, "", kept.ID); err != nil {
				t.Fatal(err)
			}
			m.kept, m.gone = kept, gone
		}
		c.pass(1)
		if s.opt.Agent == "" {
			continue
		}
		for _, tier := range []string{Workspace, Account} {
			for _, kind := range []string{Journal, Core} {
				if _, err := s.SaveNote(ctx, kind, tier, s.opt.Agent+" notes "+kind, false); err != nil {
					t.Fatal(err)
				}
			}
		}
		n, err := s.SaveNote(ctx, Core, Workspace, s.opt.Agent+" no longer notes", false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Forget(ctx, n.ID, "", ""); err != nil {
			t.Fatal(err)
		}
		for _, ref := range []string{m.conv, m.other} {
			if _, err := s.WriteScratch(ctx, ref, "todo", json.RawMessage(`{"left": ["<a>", 2]}`)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{Voice, Soul, "STYLE"} {
		for i := range 2 {
			if _, err := m.person.EditNamed(ctx, name, "", fmt.Sprintf("%s, version %d", name, i), -1); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := m.person.EditNamed(ctx, "PASSING", "", "not for long", -1); err != nil {
		t.Fatal(err)
	}
	if _, err := m.person.RemoveNamed(ctx, "PASSING", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := m.alice.IdleConversation(ctx, m.other); err != nil {
		t.Fatal(err)
	}
	if _, err := m.alice.ArchiveConversation(ctx, m.other, false); err != nil {
		t.Fatal(err)
	}
	return m
}

// exportText returns the whole memory as text, without the lines that differ each time.
func exportText(t testing.TB, s *Store, opt ExportOptions) string {
	t.Helper()
	var b strings.Builder
	if _, err := s.Export(t.Context(), &b, opt); err != nil {
		t.Fatal(err)
	}
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

func TestScrubRemovesWhatTheManifestSays(t *testing.T) {
	m := furnish(t)
	ids := map[string]string{} // scope by id
	var doc struct {
		Items []struct{ ID, Tier, Channel, Conversation string }
	}
	if err := json.Unmarshal([]byte(exportText(t, m.person, everything)), &doc); err != nil {
		t.Fatal(err)
	}
	for _, it := range doc.Items {
		ids[it.ID] = Scope{it.Tier, it.Channel, it.Conversation}.String()
	}
	inScope := func(sc Scope) func(line string) bool {
		return func(line string) bool {
			for id, of := range ids {
				if of == sc.String() && (strings.Contains(line, `{"id":"`+id+`"`) || strings.Contains(line, `{"subject":"`+id+`"`)) {
					return true
				}
			}
			return false
		}
	}
	also := func(a func(string) bool, texts ...string) func(string) bool {
		return func(line string) bool {
			return a(line) || slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(line, t) })
		}
	}
	conv, other := Scope{Tier: Conversation, Conversation: m.conv}, Scope{Tier: Conversation, Conversation: m.other}
	ws, account := Scope{Tier: Workspace}, Scope{Tier: Account}
	for _, step := range []struct {
		q    ScrubQuery
		want map[string]int
		verb string
		gone func(line string) bool
	}{
		{ScrubQuery{Scope: conv}, map[string]int{"live": 8, "forgotten": 3, "private": 2, "revisions": 3}, VerbScrubbed, inScope(conv)},
		{ScrubQuery{Scope: other, Purge: true, Mode: ScrubFull}, map[string]int{"live": 8, "forgotten": 3, "private": 2, "revisions": 3, "scratch": 2, "conversations": 1}, VerbPurged,
			also(inScope(other), `{"ref_code":"`+m.other, `{"conversation":"`+m.other)},
		{ScrubQuery{Scope: Scope{Tier: Channel, Channel: "research"}}, map[string]int{"live": 8, "forgotten": 3, "private": 2, "revisions": 3}, VerbScrubbed, inScope(Scope{Tier: Channel, Channel: "research"})},
		{ScrubQuery{Scope: ws, Mode: ScrubKeepNamed}, map[string]int{"live": 8, "forgotten": 3, "private": 2, "revisions": 3, "journal": 2, "core": 4}, VerbScrubbed,
			also(inScope(ws), `"tier":"workspace","content":"alice n`, `"tier":"workspace","content":"bob n`)},
		{ScrubQuery{Scope: ws, Mode: ScrubFull}, map[string]int{"named": 2, "revisions": 3}, VerbScrubbed,
			also(inScope(ws), `{"name":"VOICE"`, `{"name":"STYLE"`, `"subject":"named:VOICE"`, `"subject":"named:STYLE"`, `"subject":"named:PASSING"`)},
		{ScrubQuery{Scope: account, Mode: ScrubFull}, map[string]int{"live": 8, "forgotten": 3, "private": 2, "revisions": 4, "journal": 2, "core": 2, "named": 1}, VerbScrubbed,
			func(line string) bool { return strings.Contains(line, `"tier":"account"`) }},
	} {
		before, events := exportText(t, m.person, everything), eventsOf(t, m.person, step.q.Scope.Tier)
		dry := manifestOf(t, m.person, step.q)
		if !maps.Equal(nonzero(dry.Counts), step.want) || len(dry.Counts) != len(scrubKinds) {
			t.Fatalf("%s: the manifest counts %v, want %v", step.q.Scope, dry.Counts, step.want)
		}
		if len(dry.Sample) == 0 || len(dry.Sample) > SampleSize || !slices.IsSorted(dry.Sample) {
			t.Errorf("%s: the sample is %q", step.q.Scope, dry.Sample)
		}
		if got := exportText(t, m.person, everything); got != before {
			t.Errorf("%s: a dry run changes something", step.q.Scope)
		}
		got, err := m.person.Scrub(t.Context(), step.q, dry.Hash)
		if err != nil || len(got.Notes) > 0 || got.Hash != dry.Hash || !maps.Equal(got.Counts, dry.Counts) || got.Event.Verb != step.verb || got.Event.Scope != step.q.Scope.String() {
			t.Fatalf("%s: %+v, %v", step.q.Scope, got, err)
		}
		indexAgrees(t, m.person)
		if got, want := without(exportText(t, m.person, everything), func(string) bool { return false }), without(before, step.gone); got != want {
			t.Errorf("%s: there is\n%s\nwant\n%s", step.q.Scope, got, want)
		}
		// The log has one entry more, with the figures and nothing of what was said.
		now := eventsOf(t, m.person, step.q.Scope.Tier)
		if len(now) != len(events)+1 || !slices.EqualFunc(now[:len(events)], events, func(a, b Event) bool { return a.At.Equal(b.At) && a.Verb == b.Verb && a.Subject == b.Subject }) {
			t.Errorf("%s: the log had %d entries and has %d", step.q.Scope, len(events), len(now))
		}
		last := now[len(now)-1]
		var said Manifest
		if err := json.Unmarshal(last.Data, &said); err != nil || said.Hash != dry.Hash || !maps.Equal(said.Counts, dry.Counts) || said.Mode == "" || len(said.Sample) != 0 {
			t.Errorf("%s: the log says %s, %v", step.q.Scope, last.Data, err)
		}
		if s := string(last.Data); strings.Contains(s, "says") || strings.Contains(s, "notes") || strings.Contains(s, "version") {
			t.Errorf("%s: the log repeats what is scrubbed: %s", step.q.Scope, s)
		}
	}
	// The agents find the same, by words and by meaning.
	for _, s := range []*Store{m.alice, m.bob} {
		got := contents(read(t, s, Query{Tiers: []string{Channel, Workspace, Account}, Text: "says elsewhere privately"}))
		if len(got) == 0 || slices.ContainsFunc(got, func(c string) bool {
			return !strings.HasPrefix(c, "channel/") || !strings.Contains(c, "channel:general")
		}) {
			t.Errorf("%s finds %q", s.Agent(), got)
		}
	}
	if _, err := m.alice.Conversation(t.Context(), m.conv); err != nil {
		t.Errorf("a scrub without purge removes the conversation: %v", err)
	}
	if _, err := m.alice.Conversation(t.Context(), m.other); !errors.Is(err, ErrNotFound) {
		t.Errorf("a purge leaves the conversation: %v", err)
	}
}

func eventsOf(t testing.TB, s *Store, tier string) []Event {
	t.Helper()
	all, err := s.Events(t.Context(), tier, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestScrubIsConfirmed(t *testing.T) {
	ctx, m := t.Context(), furnish(t)
	q := ScrubQuery{Scope: Scope{Tier: Workspace}}
	before := exportText(t, m.person, everything)
	refused := func(what string, s *Store, q ScrubQuery, confirm string, kind error, says string) {
		t.Helper()
		got, err := s.Scrub(ctx, q, confirm)
		var e *Error
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), says) || errors.As(err, &e) && e.Hint == "" {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	hash := manifestOf(t, m.person, q).Hash
	if again := manifestOf(t, m.person, q); again.Hash != hash {
		t.Errorf("two dry runs say %s and %s", hash, again.Hash)
	}
	for what, confirm := range map[string]string{"nothing": "", "half": hash[:20], "a word": "yes", "more": hash + ".0", "less": hash[:len(hash)-2], "capitals": strings.ToUpper(hash),
		"signs": strings.Replace(hash, "-", "-+", 1), "leading zeros": strings.Replace(hash, "-", "-0", 1), "a sha256": strings.Repeat("0f", 32)} {
		refused(what, m.person, q, confirm, ErrInvalid, "")
	}
	other := strings.Repeat("0f", 16) + hash[32:]
	refused("another hash with the same counts", m.person, q, other, ErrConflict, "the counts are the same")
	for what, q := range map[string]ScrubQuery{"another mode": {Scope: q.Scope, Mode: ScrubFull}, "another tier": {Scope: Scope{Tier: Account}}, "another scope": {Scope: Scope{Tier: Channel, Channel: "research"}}} {
		refused("the hash of "+what, m.person, q, hash, ErrConflict, "no longer what was confirmed")
	}
	conv := ScrubQuery{Scope: Scope{Tier: Conversation, Conversation: m.conv}}
	purge := conv
	purge.Purge = true
	refused("a purge with a scrub's hash", m.person, purge, manifestOf(t, m.person, conv).Hash, ErrConflict, "")
	// Who may not, may not look either.
	granted := open(t, m.home, Options{Agent: "carol", Grants: []string{GrantScrub}, Tiers: []string{Workspace}})
	far := open(t, m.home, Options{Workspace: filepath.Join(m.home, "far")})
	none := open(t, m.home, Options{Workspace: "none"})
	for _, c := range []struct {
		what string
		s    *Store
		q    ScrubQuery
		kind error
	}{
		{"an agent", m.alice, q, ErrDenied},
		{"a grant for another tier", granted, ScrubQuery{Scope: Scope{Tier: Account}}, ErrDenied},
		{"a grant for another tier, its conversation", granted, conv, ErrDenied},
		{"no workspace", none, q, ErrInvalid},
		{"an unknown mode", m.person, ScrubQuery{Scope: q.Scope, Mode: "keep_canonical"}, ErrInvalid},
		{"an unknown tier", m.person, ScrubQuery{Scope: Scope{Tier: "everything"}}, ErrInvalid},
		{"no scope", m.person, ScrubQuery{}, ErrInvalid},
		{"no channel's name", m.person, ScrubQuery{Scope: Scope{Tier: Channel, Channel: "../x"}}, ErrInvalid},
		{"no conversation's ref", m.person, ScrubQuery{Scope: Scope{Tier: Conversation}}, ErrInvalid},
		{"a purge of a channel", m.person, ScrubQuery{Scope: Scope{Tier: Channel, Channel: "research"}, Purge: true}, ErrInvalid},
		{"a purge of the workspace", m.person, ScrubQuery{Scope: q.Scope, Purge: true}, ErrInvalid},
		{"an unknown channel", m.person, ScrubQuery{Scope: Scope{Tier: Channel, Channel: "nowhere"}}, ErrNotFound},
		{"an unknown conversation", m.person, ScrubQuery{Scope: Scope{Tier: Conversation, Conversation: newRef()}}, ErrNotFound},
		{"another workspace's conversation", far, conv, ErrNotFound},
	} {
		if got, err := c.s.ScrubManifest(ctx, c.q); !errors.Is(err, c.kind) || got.Hash != "" && c.kind != ErrNotFound {
			t.Errorf("%s: the manifest %+v, %v", c.what, got, err)
		}
		refused(c.what, c.s, c.q, hash, c.kind, "")
	}
	refused("another workspace", far, q, hash, ErrConflict, "nothing to remove")
	if got := exportText(t, m.person, everything); got != before {
		t.Error("something was removed though nothing was confirmed")
	}
	// What has changed since is told.
	it := put(t, m.alice, Item{Tier: Workspace, Content: "one more"}, PutOptions{Private: true})
	refused("one more item", m.person, q, hash, ErrConflict, "live 8, now 9; private 2, now 3")
	hash = manifestOf(t, m.person, q).Hash
	if _, err := m.alice.Update(ctx, it.ID, UpdateOptions{}, func(it *Item) error { it.Importance = .9; return nil }); err != nil {
		t.Fatal(err)
	}
	refused("a changed item", m.person, q, hash, ErrConflict, "revisions 3, now 4")
	hash = manifestOf(t, m.person, q).Hash
	if _, err := m.alice.Forget(ctx, it.ID, "", ""); err != nil {
		t.Fatal(err)
	}
	refused("a forgotten item", m.person, q, hash, ErrConflict, "live 9, now 8; forgotten 3, now 4")
	hash = manifestOf(t, m.person, q).Hash
	read(t, m.bob, Query{Tiers: []string{Workspace}}) // is no change
	m.bob.Flush(ctx)
	for what, change := range map[string]func() error{
		"another channel": func() error { put(t, m.bob, Item{Tier: Channel, Channel: "research", Content: "nearby"}); return nil },
		"a named entry, which is kept": func() error {
			_, err := m.person.EditNamed(ctx, Voice, "", "louder", -1)
			return err
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if got := manifestOf(t, m.person, q).Hash; got != hash {
			t.Errorf("%s: it is none of the scope's, but its hash changes", what)
		}
	}
	// Granted, by an agent; with blanks around it, as it is pasted.
	got, err := granted.Scrub(ctx, q, " "+hash+"\n")
	if err != nil || got.Event.Actor != "carol" {
		t.Fatalf("%+v, %v", got, err)
	}
	refused("a second time", m.person, q, hash, ErrConflict, "was executed already at 2")
	empty := manifestOf(t, m.person, q)
	if !empty.Empty() || len(empty.Sample) != 0 || empty.Sample == nil {
		t.Errorf("what is left: %+v", empty)
	}
	refused("nothing", m.person, q, empty.Hash, ErrConflict, "nothing to remove")
	purged := mustScrub(t, m.person, purge)
	refused("a purge a second time", m.person, purge, purged.Hash, ErrConflict, "was executed already")
	if _, err := m.person.ScrubManifest(ctx, purge); !errors.Is(err, ErrNotFound) {
		t.Errorf("the manifest of what was purged: %v", err)
	}
	nobody := open(t, t.TempDir(), Options{})
	if m, err := nobody.ScrubManifest(ctx, q); err != nil || !m.Empty() {
		t.Errorf("where nothing was ever written: %+v, %v", m, err)
	}
	refused("where nothing was ever written", nobody, q, hash, ErrConflict, "nothing to remove")
}

// TestScrubHashDoesNotComeBack brings back by an import what was scrubbed: with the same ids and revisions it is another manifest, and can be scrubbed again.
func TestScrubHashDoesNotComeBack(t *testing.T) {
	m := furnish(t)
	var b bytes.Buffer
	if _, err := m.person.Export(t.Context(), &b, everything); err != nil {
		t.Fatal(err)
	}
	hashes := map[string]bool{}
	for range 3 {
		for _, q := range []ScrubQuery{{Scope: Scope{Tier: Conversation, Conversation: m.conv}, Purge: true}, {Scope: Scope{Tier: Workspace}, Mode: ScrubFull}, {Scope: Scope{Tier: Account}, Mode: ScrubFull}} {
			got := mustScrub(t, m.person, q)
			if hashes[got.Hash] {
				t.Errorf("the hash %s came again", got.Hash)
			}
			hashes[got.Hash] = true
		}
		if _, err := m.person.Import(t.Context(), bytes.NewReader(b.Bytes()), ImportOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	indexAgrees(t, m.person)
}

func TestScrubKeepsTheLog(t *testing.T) {
	m := furnish(t)
	mustScrub(t, m.person, ScrubQuery{Scope: Scope{Tier: Workspace}, Mode: ScrubFull})
	f, err := m.person.file(t.Context(), Workspace, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, stmt := range []string{`DELETE FROM events`, `DELETE FROM events WHERE verb = 'scrubbed'`, `UPDATE events SET actor = 'nobody'`, `UPDATE events SET data = '' WHERE verb = 'scrubbed'`} {
		err := f.db.Write(t.Context(), func(tx *sqlite.Tx) error { _, err := tx.Exec(stmt); return err })
		if err == nil {
			t.Errorf("%s is done", stmt)
		}
	}
	if evs := eventsOf(t, m.person, Workspace); evs[len(evs)-1].Verb != VerbScrubbed || evs[len(evs)-1].Actor != m.person.opt.Actor {
		t.Errorf("the last entry is %+v", evs[len(evs)-1])
	}
}

// TestScrubLeavesLinks scrubs what other items were replaced by, and derived from. They say where it was.
func TestScrubLeavesLinks(t *testing.T) {
	ctx := t.Context()
	s := open(t, t.TempDir(), Options{Embedder: bag{}})
	better := put(t, s, Item{Tier: Channel, Content: "tabs, four wide"})
	worse := put(t, s, Item{Tier: Workspace, Content: "tabs"})
	derived := put(t, s, Item{Tier: Workspace, Content: "what the tabs are for", DerivedFrom: "memory:" + better.ID})
	if _, err := s.Forget(ctx, worse.ID, "", better.ID); err != nil {
		t.Fatal(err)
	}
	read(t, s, Query{Tiers: []string{Channel}}) // an access that is not written yet
	mustScrub(t, s, ScrubQuery{Scope: Scope{Tier: Channel, Channel: DefaultChannel}})
	s.Flush(ctx)
	if it, err := s.Get(ctx, worse.ID); err != nil || it.ReplacedBy != better.ID {
		t.Errorf("%+v, %v", it, err)
	}
	if _, err := s.Forget(ctx, worse.ID, "", ""); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "replaced by "+better.ID) {
		t.Errorf("forgetting it again: %v", err)
	}
	if _, err := s.Update(ctx, worse.ID, UpdateOptions{}, func(*Item) error { return nil }); !errors.Is(err, ErrConflict) {
		t.Errorf("changing it: %v", err)
	}
	for _, id := range []string{better.ID} {
		if _, err := s.Get(ctx, id); !errors.Is(err, ErrNotFound) {
			t.Errorf("what was scrubbed: %v", err)
		}
		if _, err := s.Revisions(ctx, id); !errors.Is(err, ErrNotFound) {
			t.Errorf("its revisions: %v", err)
		}
		if _, err := s.Forget(ctx, derived.ID, "", id); !errors.Is(err, ErrNotFound) {
			t.Errorf("replacing something by it: %v", err)
		}
		if _, _, err := s.List(ctx, ListQuery{Before: id}); !errors.Is(err, ErrNotFound) {
			t.Errorf("paging from it: %v", err)
		}
	}
	if got := contents(read(t, s, Query{Tiers: []string{Workspace, Channel}, Text: "tabs"})); !slices.Equal(got, []string{"workspace/" + derived.Content}) {
		t.Errorf("read: %q", got)
	}
	if o, err := s.Orient(ctx, OrientQuery{Text: "tabs"}); err != nil || !strings.Contains(o.Markdown, "derived from “memory:"+better.ID) {
		t.Errorf("%v\n%s", err, o.Markdown)
	}
	indexAgrees(t, s)
}

// TestScrubbedTextIsInNoFile looks at the bytes of all files. Each scope has words of its own, which were in sealed segments, in pages that are free, in the WAL.
func TestScrubbedTextIsInNoFile(t *testing.T) {
	ctx, home := t.Context(), t.TempDir()
	s, alice := open(t, home, Options{}), open(t, home, Options{Agent: "alice"})
	conv, _, err := alice.StartConversation(ctx, "", "")
	if err != nil {
		t.Fatal(err)
	}
	purged, _, err := alice.StartConversation(ctx, "", "qzvkpurgedthread")
	if err != nil {
		t.Fatal(err)
	}
	n := 650
	if raceEnabled {
		n = 300
	}
	scopes := map[string]Scope{"qzvkconv": {Tier: Conversation, Conversation: conv.Ref}, "qzvkpurged": {Tier: Conversation, Conversation: purged.Ref}, "qzvkchannel": {Tier: Channel, Channel: DefaultChannel},
		"qzvkworkspace": {Tier: Workspace}, "qzvkaccount": {Tier: Account}}
	for _, word := range slices.Sorted(maps.Keys(scopes)) {
		for i, it := range stockScope(t, s, scopes[word], n, func(i int) string { return fmt.Sprintf("%s was noted %s%d", word, word, i) }) {
			switch {
			case i%10 == 0:
				if _, err := s.Update(ctx, it.ID, UpdateOptions{}, func(it *Item) error { it.Title, it.Content = "changed", "quite another text"; return nil }); err != nil {
					t.Fatal(err)
				}
			case i%10 == 1:
				if _, err := s.Forget(ctx, it.ID, "", ""); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, tier := range []string{Workspace, Account} {
		for _, kind := range []string{Journal, Core} {
			for range 50 {
				if _, err := alice.SaveNote(ctx, kind, tier, strings.Repeat("dear diary qzvk"+tier+" ", 40), false); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i := range 3 {
			if _, err := s.EditNamed(ctx, "LONG", tier, strings.Repeat(fmt.Sprintf("qzvknamed%s %d\n", tier, i), 1000), -1); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 3 {
		if _, err := alice.WriteScratch(ctx, purged.Ref, "k", json.RawMessage(fmt.Sprintf(`"%d %s"`, i, strings.Repeat("qzvkpurged ", 2000)))); err != nil {
			t.Fatal(err)
		}
	}
	f, err := s.file(ctx, Workspace, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.db.Read(ctx, func(tx *sqlite.Tx) error {
		st, err := f.index.Stats(tx)
		if st.Segments == 0 || st.Dead == 0 {
			t.Errorf("the index has no segments with dead documents: %+v", st)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	all := []string{"qzvkconv", "qzvkpurged", "qzvkchannel", "qzvkworkspace", "qzvknamedworkspace", "qzvkaccount", "qzvknamedaccount"}
	gone := map[string]bool{}
	for _, step := range []struct {
		q     ScrubQuery
		words []string
	}{
		{ScrubQuery{Scope: scopes["qzvkconv"]}, all[:1]},
		{ScrubQuery{Scope: scopes["qzvkpurged"], Purge: true}, all[1:2]},
		{ScrubQuery{Scope: scopes["qzvkchannel"]}, all[2:3]},
		{ScrubQuery{Scope: scopes["qzvkworkspace"]}, all[3:4]},
		{ScrubQuery{Scope: scopes["qzvkworkspace"], Mode: ScrubFull}, all[4:5]},
		{ScrubQuery{Scope: scopes["qzvkaccount"]}, all[5:6]},
		{ScrubQuery{Scope: scopes["qzvkaccount"], Mode: ScrubFull}, all[6:7]},
	} {
		for _, w := range step.words {
			if len(filesWith(t, home, w)) == 0 {
				t.Errorf("%s is in no file before it is scrubbed: the test sees nothing", w)
			}
			gone[w] = true
		}
		mustScrub(t, s, step.q)
		for _, w := range all {
			if found := filesWith(t, home, w); (len(found) == 0) != gone[w] {
				t.Errorf("after the scrub of %s %s, %s is in %q", step.q.Scope, step.q.Mode, w, found)
			}
		}
		indexAgrees(t, s)
	}
	if got, err := s.GetNamed(ctx, "LONG", ""); !errors.Is(err, ErrNotFound) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestScrubWhileOthersRead scrubs while an old snapshot is read: nobody waits for that, the scrub says that bytes are left, and the next dry run clears them.
func TestScrubWhileOthersRead(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	s, other := open(t, home, Options{}), open(t, home, Options{})
	stockScope(t, s, Scope{Tier: Workspace}, 300, func(i int) string { return fmt.Sprintf("qzvkword %d", i) })
	f, err := other.file(ctx, Workspace, false)
	if err != nil {
		t.Fatal(err)
	}
	q := ScrubQuery{Scope: Scope{Tier: Workspace}}
	if err := f.db.Read(ctx, func(tx *sqlite.Tx) error {
		count := func() (n int) {
			if err := tx.QueryRow(`SELECT count(*) FROM items`).Scan(&n); err != nil {
				t.Error(err)
			}
			return n
		}
		count()
		got, err := s.Scrub(ctx, q, manifestOf(t, s, q).Hash)
		if err != nil || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "others are reading") || got.Counts["live"] != 300 {
			t.Errorf("%+v, %v", got, err)
		}
		if n := count(); n != 300 {
			t.Errorf("the snapshot has %d items", n)
		}
		if left := filesWith(t, home, "qzvkword"); len(left) == 0 {
			t.Error("nothing is left that the note could be about")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if m := manifestOf(t, s, q); !m.Empty() {
		t.Errorf("left: %+v", m)
	}
	if left := filesWith(t, home, "qzvkword"); len(left) > 0 {
		t.Errorf("after a dry run it is still in %q", left)
	}
	indexAgrees(t, s)
}

// TestScrubAtOnce executes one manifest many times at once: it is done once.
func TestScrubAtOnce(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	s := open(t, home, Options{})
	stockScope(t, s, Scope{Tier: Account}, 300, func(i int) string { return fmt.Sprint("fact ", i) })
	q := ScrubQuery{Scope: Scope{Tier: Account}}
	hash := manifestOf(t, s, q).Hash
	var mu sync.Mutex
	var wg sync.WaitGroup
	done := 0
	for range 6 {
		own := open(t, home, Options{})
		wg.Go(func() {
			_, err := own.Scrub(ctx, q, hash)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				done++
			} else if !errors.Is(err, ErrConflict) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if done != 1 {
		t.Errorf("it was executed %d times", done)
	}
	indexAgrees(t, s)
}

// TestScrubBesideOthers scrubs the workspace while others put into it, and into a channel, and read. Nothing of the channel is lost, and everybody finds what there is.
func TestScrubBesideOthers(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	s := open(t, home, Options{Embedder: bag{}})
	put(t, s, Item{Tier: Workspace, Content: "first"})
	const each = 60
	var wg sync.WaitGroup
	for i := range 3 {
		own := open(t, home, Options{Embedder: bag{}, Warm: i == 0})
		wg.Go(func() {
			for j := range each {
				for _, tier := range []string{Workspace, Channel} {
					if _, err := own.Put(ctx, Item{Tier: tier, Content: fmt.Sprintf("word%dx%d of many", i, j), Importance: .5}, PutOptions{}); err != nil {
						t.Error(err)
						return
					}
				}
				got, err := own.Read(ctx, Query{Tiers: []string{Channel}, Text: fmt.Sprintf("word%dx%d", i, j)})
				if err != nil || len(got.Slices[0].Hits) == 0 || !strings.HasPrefix(got.Slices[0].Hits[0].Content, fmt.Sprintf("word%dx%d ", i, j)) {
					t.Errorf("%+v, %v", got, err)
					return
				}
			}
		})
	}
	others := make(chan struct{})
	go func() { wg.Wait(); close(others) }()
	scrubbed, q := 0, ScrubQuery{Scope: Scope{Tier: Workspace}}
	for running := true; running; {
		select {
		case <-others:
			running = false
		default:
		}
		m, err := s.ScrubManifest(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Scrub(ctx, q, m.Hash)
		if err != nil && !errors.Is(err, ErrConflict) { // somebody put something meanwhile, or nothing is there
			t.Fatal(err)
		}
		scrubbed += got.Counts["live"]
	}
	if m := manifestOf(t, s, q); !m.Empty() || scrubbed != 3*each+1 {
		t.Errorf("%d items were scrubbed, %v are left", scrubbed, m.Counts)
	}
	if all, _, err := s.List(ctx, ListQuery{Tiers: []string{Channel}}); err != nil || len(all) != 3*each {
		t.Errorf("%d items are in the channel: %v", len(all), err)
	}
	indexAgrees(t, s)
}

// FuzzScrubConfirm feeds what somebody might confirm. Nothing but a manifest's hash, to the byte, is taken for one, and only the manifest's own removes something.
func FuzzScrubConfirm(f *testing.F) {
	home := f.TempDir()
	s, err := Open(home, Options{Workspace: filepath.Join(home, "project"), Author: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	put(f, s, Item{Tier: Workspace, Content: "stays"})
	q := ScrubQuery{Scope: Scope{Tier: Workspace}}
	hash := manifestOf(f, s, q).Hash
	for _, seed := range []string{"", "yes", hash, hash + ".1", " " + hash, strings.Repeat("0f", 16) + hash[32:], strings.Repeat("a", 32) + "-1.2.3.4.5.6.7.8.9", strings.Repeat("a", 32) + "-01.2.3.4.5.6.7.8.9",
		strings.Repeat("a", 32) + "-1.2.3.4.5.6.7.8.99999999999999999999", "-........", strings.Repeat("é", 16) + "-1.2.3.4.5.6.7.8.9"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, confirm string) {
		counts, err := parseScrubHash(confirm)
		if err != nil {
			var e *Error
			if !errors.Is(err, ErrInvalid) || !errors.As(err, &e) || e.Hint == "" {
				t.Errorf("%q: %v", confirm, err)
			}
		} else if digest := make([]byte, 32); scrubHash(digest, counts)[scrubDigits:] != confirm[scrubDigits:] {
			t.Errorf("%q has the counts %v", confirm, counts)
		}
		if strings.TrimSpace(confirm) == hash {
			return
		}
		if got, err := s.Scrub(t.Context(), q, confirm); !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrConflict) {
			t.Errorf("%q: %+v, %v", confirm, got, err)
		}
		if got := manifestOf(t, s, q); got.Hash != hash {
			t.Errorf("after %q there is %+v", confirm, got)
		}
	})
}

// BenchmarkScrub scrubs a workspace's 10,000 items beside 2,000 of a channel, with embeddings.
func BenchmarkScrub(b *testing.B) {
	for range b.N {
		b.StopTimer()
		home := b.TempDir()
		s, err := Open(home, Options{Workspace: filepath.Join(home, "project"), Author: true, Embedder: bag{}})
		if err != nil {
			b.Fatal(err)
		}
		text := func(i int) string {
			return fmt.Sprintf("fact %d about %d and %d, which was noted for later", i, i%97, i%1009)
		}
		stockScope(b, s, Scope{Tier: Workspace}, 10_000, text)
		stockScope(b, s, Scope{Tier: Channel, Channel: DefaultChannel}, 2000, text)
		q := ScrubQuery{Scope: Scope{Tier: Workspace}}
		b.StartTimer()
		m := manifestOf(b, s, q)
		b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/manifests")
		if got, err := s.Scrub(b.Context(), q, m.Hash); err != nil || len(got.Notes) > 0 {
			b.Fatal(got.Notes, err)
		}
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
}
