package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/testdata/expect"
)

func TestScrubRemovesWhatTheManifestSays(t *testing.T) {
	m := furnish(t)
	ids := map[string]string{} // scope by id
	var doc struct {
		Items []struct{ ID, Tier, Channel, Conversation string }
	}
	expect.OK(t, json.Unmarshal([]byte(exportText(t, m.person, everything)), &doc))
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
	if _, err := m.alice.Conversation(t.Context(), m.other); !errors.Is(err, fault.NotFound) {
		t.Errorf("a purge leaves the conversation: %v", err)
	}
}

func eventsOf(t testing.TB, s *Store, tier string) []Event {
	t.Helper()
	return expect.Value(s.Events(t.Context(), tier, "", 0))(t)
}

func TestScrubIsConfirmed(t *testing.T) {
	ctx, m := t.Context(), furnish(t)
	q := ScrubQuery{Scope: Scope{Tier: Workspace}}
	before := exportText(t, m.person, everything)
	refused := func(what string, s *Store, q ScrubQuery, confirm string, kind error, says string) {
		t.Helper()
		got, err := s.Scrub(ctx, q, confirm)
		var e *fault.Error
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), says) || errors.As(err, &e) && len(e.Next) == 0 {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	hash := manifestOf(t, m.person, q).Hash
	if again := manifestOf(t, m.person, q); again.Hash != hash {
		t.Errorf("two dry runs say %s and %s", hash, again.Hash)
	}
	for what, confirm := range map[string]string{"nothing": "", "half": hash[:20], "a word": "yes",
		"more": hash + "0", "less": hash[:len(hash)-2], "capitals": strings.Repeat("0F", 16),
		"a sha256": strings.Repeat("0f", 32)} {
		refused(what, m.person, q, confirm, fault.Invalid, "")
	}
	refused("another hash", m.person, q, strings.Repeat("0f", 16), fault.Conflict, "since the confirmed dry run")
	for what, q := range map[string]ScrubQuery{"another mode": {Scope: q.Scope, Mode: ScrubFull}, "another tier": {Scope: Scope{Tier: Account}}, "another scope": {Scope: Scope{Tier: Channel, Channel: "research"}}} {
		refused("the hash of "+what, m.person, q, hash, fault.Conflict, "since the confirmed dry run")
	}
	conv := ScrubQuery{Scope: Scope{Tier: Conversation, Conversation: m.conv}}
	purge := conv
	purge.Purge = true
	refused("a purge with a scrub's hash", m.person, purge, manifestOf(t, m.person, conv).Hash, fault.Conflict, "")
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
		{"an agent", m.alice, q, fault.Denied},
		{"a grant for another tier", granted, ScrubQuery{Scope: Scope{Tier: Account}}, fault.Denied},
		{"a grant for another tier, its conversation", granted, conv, fault.Denied},
		{"no workspace", none, q, fault.Invalid},
		{"an unknown mode", m.person, ScrubQuery{Scope: q.Scope, Mode: "keep_canonical"}, fault.Invalid},
		{"an unknown tier", m.person, ScrubQuery{Scope: Scope{Tier: "everything"}}, fault.Invalid},
		{"no scope", m.person, ScrubQuery{}, fault.Invalid},
		{"no channel's name", m.person, ScrubQuery{Scope: Scope{Tier: Channel, Channel: "../x"}}, fault.Invalid},
		{"no conversation's ref", m.person, ScrubQuery{Scope: Scope{Tier: Conversation}}, fault.Invalid},
		{"a purge of a channel", m.person, ScrubQuery{Scope: Scope{Tier: Channel, Channel: "research"}, Purge: true}, fault.Invalid},
		{"a purge of the workspace", m.person, ScrubQuery{Scope: q.Scope, Purge: true}, fault.Invalid},
		{"an unknown channel", m.person, ScrubQuery{Scope: Scope{Tier: Channel, Channel: "nowhere"}}, fault.NotFound},
		{"an unknown conversation", m.person, ScrubQuery{Scope: Scope{Tier: Conversation, Conversation: newRef()}}, fault.NotFound},
		{"another workspace's conversation", far, conv, fault.NotFound},
	} {
		if got, err := c.s.ScrubManifest(ctx, c.q); !errors.Is(err, c.kind) || got.Hash != "" && c.kind != fault.NotFound {
			t.Errorf("%s: the manifest %+v, %v", c.what, got, err)
		}
		refused(c.what, c.s, c.q, hash, c.kind, "")
	}
	refused("another workspace", far, q, hash, fault.Conflict, "nothing to delete")
	if got := exportText(t, m.person, everything); got != before {
		t.Error("something was removed though nothing was confirmed")
	}
	// Nothing may have changed since.
	it := put(t, m.alice, Item{Tier: Workspace, Content: "one more"}, PutOptions{Private: true})
	refused("one more item", m.person, q, hash, fault.Conflict, "since the confirmed dry run")
	hash = manifestOf(t, m.person, q).Hash
	expect.Value(m.alice.Update(ctx, it.ID, UpdateOptions{}, func(it *Item) error { it.Importance = .9; return nil }))(t)
	refused("a changed item", m.person, q, hash, fault.Conflict, "since the confirmed dry run")
	hash = manifestOf(t, m.person, q).Hash
	expect.Value(m.alice.Forget(ctx, it.ID, "", ""))(t)
	refused("a forgotten item", m.person, q, hash, fault.Conflict, "since the confirmed dry run")
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
		expect.OK(t, change())
		if got := manifestOf(t, m.person, q).Hash; got != hash {
			t.Errorf("%s: it is none of the scope's, but its hash changes", what)
		}
	}
	// Granted, by an agent; with blanks around it, as it is pasted.
	got, err := granted.Scrub(ctx, q, " "+hash+"\n")
	if err != nil || got.Event.Actor != "carol" {
		t.Fatalf("%+v, %v", got, err)
	}
	refused("a second time", m.person, q, hash, fault.Conflict, "was already executed at 2")
	empty := manifestOf(t, m.person, q)
	if !empty.Empty() || len(empty.Sample) != 0 || empty.Sample == nil {
		t.Errorf("what is left: %+v", empty)
	}
	refused("nothing", m.person, q, empty.Hash, fault.Conflict, "nothing to delete")
	purged := mustScrub(t, m.person, purge)
	refused("a purge a second time", m.person, purge, purged.Hash, fault.Conflict, "was already executed")
	if _, err := m.person.ScrubManifest(ctx, purge); !errors.Is(err, fault.NotFound) {
		t.Errorf("the manifest of what was purged: %v", err)
	}
	nobody := open(t, t.TempDir(), Options{})
	if m, err := nobody.ScrubManifest(ctx, q); err != nil || !m.Empty() {
		t.Errorf("where nothing was ever written: %+v, %v", m, err)
	}
	refused("where nothing was ever written", nobody, q, hash, fault.Conflict, "nothing to delete")
}

// TestScrubHashDoesNotComeBack brings back by an import what was scrubbed: with the same ids and
// revisions it is another manifest, and can be scrubbed again.
func TestScrubHashDoesNotComeBack(t *testing.T) {
	m := furnish(t)
	var b bytes.Buffer
	expect.Value(m.person.Export(t.Context(), &b, everything))(t)
	hashes := map[string]bool{}
	for range 3 {
		for _, q := range []ScrubQuery{{Scope: Scope{Tier: Conversation, Conversation: m.conv}, Purge: true}, {Scope: Scope{Tier: Workspace}, Mode: ScrubFull}, {Scope: Scope{Tier: Account}, Mode: ScrubFull}} {
			got := mustScrub(t, m.person, q)
			if hashes[got.Hash] {
				t.Errorf("the hash %s came again", got.Hash)
			}
			hashes[got.Hash] = true
		}
		expect.Value(m.person.Import(t.Context(), bytes.NewReader(b.Bytes()), ImportOptions{}))(t)
	}
	indexAgrees(t, m.person)
}

func TestScrubKeepsTheLog(t *testing.T) {
	m := furnish(t)
	mustScrub(t, m.person, ScrubQuery{Scope: Scope{Tier: Workspace}, Mode: ScrubFull})
	f := expect.Value(m.person.file(t.Context(), Workspace, true))(t)
	for _, stmt := range []string{`DELETE FROM events`, `DELETE FROM events WHERE verb = 'scrubbed'`, `UPDATE events SET actor = 'nobody'`, `UPDATE events SET data = '' WHERE verb = 'scrubbed'`} {
		err := f.Write(t.Context(), func(tx *sqlite.Tx) error { _, err := tx.Exec(stmt); return err })
		if err == nil {
			t.Errorf("%s is done", stmt)
		}
	}
	if evs := eventsOf(t, m.person, Workspace); evs[len(evs)-1].Verb != VerbScrubbed || evs[len(evs)-1].Actor != m.person.opt.Actor {
		t.Errorf("the last entry is %+v", evs[len(evs)-1])
	}
}

// TestScrubLeavesLinks scrubs what other items were replaced by, and derived from. They say where
// it was.
func TestScrubLeavesLinks(t *testing.T) {
	ctx := t.Context()
	s := open(t, t.TempDir(), Options{Embedder: bag{}})
	better := put(t, s, Item{Tier: Channel, Content: "tabs, four wide"})
	worse := put(t, s, Item{Tier: Workspace, Content: "tabs"})
	derived := put(t, s, Item{Tier: Workspace, Content: "what the tabs are for", DerivedFrom: "memory:" + better.ID})
	expect.Value(s.Forget(ctx, worse.ID, "", better.ID))(t)
	read(t, s, Query{Tiers: []string{Channel}}) // an access that is not written yet
	mustScrub(t, s, ScrubQuery{Scope: Scope{Tier: Channel, Channel: DefaultChannel}})
	s.Flush(ctx)
	if it, err := s.Get(ctx, worse.ID); err != nil || it.ReplacedBy != better.ID {
		t.Errorf("%+v, %v", it, err)
	}
	if _, err := s.Forget(ctx, worse.ID, "", ""); !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "replaced by "+better.ID) {
		t.Errorf("forgetting it again: %v", err)
	}
	if _, err := s.Update(ctx, worse.ID, UpdateOptions{}, func(*Item) error { return nil }); !errors.Is(err, fault.Conflict) {
		t.Errorf("changing it: %v", err)
	}
	for _, id := range []string{better.ID} {
		if _, err := s.Get(ctx, id); !errors.Is(err, fault.NotFound) {
			t.Errorf("what was scrubbed: %v", err)
		}
		if _, err := s.Revisions(ctx, id); !errors.Is(err, fault.NotFound) {
			t.Errorf("its revisions: %v", err)
		}
		if _, err := s.Forget(ctx, derived.ID, "", id); !errors.Is(err, fault.NotFound) {
			t.Errorf("replacing something by it: %v", err)
		}
		if _, _, err := s.List(ctx, ListQuery{Before: id}); !errors.Is(err, fault.NotFound) {
			t.Errorf("paging from it: %v", err)
		}
	}
	if got := contents(read(t, s, Query{Tiers: []string{Workspace, Channel}, Text: "tabs"})); !slices.Equal(got, []string{"workspace/" + derived.Content}) {
		t.Errorf("read: %q", got)
	}
	if o, err := s.Orient(ctx, OrientQuery{Text: "tabs"}); err != nil || !strings.Contains(o.Markdown, "(from “memory:"+better.ID) {
		t.Errorf("%v\n%s", err, o.Markdown)
	}
	indexAgrees(t, s)
}

// TestScrubOfAgent: what is one agent's goes for good, what it has written for others, and
// what is other agents', stays.
func TestScrubOfAgent(t *testing.T) {
	home := t.TempDir()
	author := open(t, home, Options{})
	own := map[string]string{}
	for _, agent := range []string{"claude", "codex"} {
		s := open(t, home, Options{Agent: agent})
		for _, kind := range []string{Journal, Core} {
			n := expect.Value(s.SaveNote(t.Context(), kind, Workspace, kind+" of "+agent, false))(t)
			own[agent] = n.ID
		}
		put(t, s, Item{Tier: Workspace, Content: "private of " + agent}, PutOptions{Private: true})
		put(t, s, Item{Tier: Workspace, Content: "for all, by " + agent})
	}
	q := ScrubQuery{Scope: Scope{Tier: Workspace}, Of: "claude"}
	m, err := author.ScrubManifest(t.Context(), q)
	if err != nil || m.Counts["live"] != 1 || m.Counts["journal"] != 1 || m.Counts["core"] != 1 ||
		m.Of != "claude" {
		t.Fatalf("%+v, %v", m, err)
	}
	if all, err := author.ScrubManifest(t.Context(), ScrubQuery{Scope: q.Scope}); err != nil ||
		all.Hash == m.Hash {
		t.Errorf("the hash confirms another scrub: %v", err)
	}
	expect.Value(author.Scrub(t.Context(), q, m.Hash))(t)
	for agent, want := range map[string]int{"claude": 0, "codex": 2} {
		s := open(t, home, Options{Agent: agent})
		if notes, err := s.Notes(t.Context(), "", 0); err != nil || len(notes) != want {
			t.Errorf("%s has %d notes, not %d: %v", agent, len(notes), want, err)
		}
		if got := len(contents(read(t, s, Query{Tiers: []string{Workspace}}))); got != 2+want/2 {
			t.Errorf("%s sees %d items", agent, got)
		}
	}
	for _, bad := range []ScrubQuery{{Scope: Scope{Tier: Channel, Channel: DefaultChannel}, Of: "x"},
		{Scope: Scope{Tier: Workspace}, Mode: ScrubFull, Of: "x"}} {
		if _, err := author.ScrubManifest(t.Context(), bad); !errors.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
