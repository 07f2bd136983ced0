package memory

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

func TestMain(m *testing.M) { os.Exit(cost.Main(m)) }

// clock is a clock that tests set.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// bag embeds a text as the bag of its words, each in a fixed random direction: texts with the same
// words are near.
type bag struct{ name string }

const bagDim = 64

func (b bag) Model() embed.Model { return embed.Model{Name: "bag" + b.name, Dim: bagDim} }

func (b bag) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, len(texts))
	for i, t := range texts {
		v := make(embed.Vector, bagDim)
		for _, w := range strings.FieldsFunc(strings.ToLower(t), func(r rune) bool { return strings.ContainsRune(" \n\t.,;:!?\"'()", r) }) {
			h := fnv.New64a()
			h.Write([]byte(b.name + w))
			x := h.Sum64()
			for j := range v {
				x = x*6364136223846793005 + 1442695040888963407
				v[j] += float32(int64(x)>>33) / float32(1<<30)
			}
		}
		v.Normalize()
		out[i] = v
	}
	return out, ctx.Err()
}

// open opens the memory of a home, by default for a person, in a workspace of the test.
func open(t testing.TB, home string, opt Options) *Store {
	t.Helper()
	if opt.Workspace == "" {
		opt.Workspace = filepath.Join(home, "project")
	} else if opt.Workspace == "none" {
		opt.Workspace = ""
	}
	if opt.Agent == "" {
		opt.Author = true
	}
	s := expect.Value(Open(home, opt))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func put(t testing.TB, s *Store, it Item, opt ...PutOptions) Item {
	t.Helper()
	opt = append(opt, PutOptions{})
	if it.Importance == 0 {
		it.Importance = .5
	}
	r, err := s.Put(t.Context(), it, opt[0])
	if err != nil {
		t.Fatalf("put %q: %v", it.Content, err)
	}
	return r.Item
}

func read(t testing.TB, s *Store, q Query) Result {
	t.Helper()
	r, err := s.Read(t.Context(), q)
	if err != nil {
		t.Fatalf("read %+v: %v", q, err)
	}
	return r
}

// contents lists what a result has, by tier.
func contents(r Result) (all []string) {
	for _, s := range r.Slices {
		for _, h := range s.Hits {
			all = append(all, h.Tier+"/"+h.Content)
		}
	}
	return all
}

func TestRetentionAfterSevenDays(t *testing.T) {
	week := time.Now().Add(-7 * 24 * time.Hour)
	for tier, percent := range map[string]float64{Conversation: 100, Channel: 17, Workspace: 43, Account: 71} { // of the default rates
		got := 100 * DefaultRates.Relevance(&Item{Tier: tier, Importance: 1, Accessed: week}, week.Add(7*24*time.Hour))
		if math.Abs(got-percent) > 1.5 {
			t.Errorf("%s keeps %.1f %% after seven days, not about %g", tier, got, percent)
		}
	}
	// The figures themselves: rate to the power of 168.
	for tier, exact := range map[string]float64{Channel: math.Pow(.99, 168), Workspace: math.Pow(.995, 168), Account: math.Pow(.998, 168)} {
		if got := DefaultRates.Relevance(&Item{Tier: tier, Importance: 1, Accessed: week}, week.Add(7*24*time.Hour)); math.Abs(got-exact) > 1e-9 {
			t.Errorf("%s: %v, want %v", tier, got, exact)
		}
	}
	it := &Item{Tier: Workspace, Importance: .5, Accessed: week, Accesses: 3}
	if got, want := DefaultRates.Relevance(it, week), .5*(1+math.Log(4)); math.Abs(got-want) > 1e-12 {
		t.Errorf("three accesses make %v, not %v", got, want)
	}
	if got := DefaultRates.Relevance(it, week.Add(-time.Hour)); got > .5*(1+math.Log(4)) {
		t.Errorf("a clock that went back makes %v", got)
	}
}

func TestPutReadForget(t *testing.T) {
	home, c := t.TempDir(), newClock()
	s := open(t, home, Options{Now: c.now, Embedder: bag{}})
	a := put(t, s, Item{Tier: Workspace, Content: "Use tabs in Go files", Source: "user", Tags: []string{"style"}})
	put(t, s, Item{Tier: Channel, Content: "Tabs were discussed on Monday"})
	put(t, s, Item{Tier: Account, Content: "Prefers short answers"})
	if got := contents(read(t, s, Query{Tiers: []string{Workspace}, Text: "tabs"})); !slices.Equal(got, []string{"workspace/Use tabs in Go files"}) {
		t.Errorf("one tier: %q", got)
	}
	if got := contents(read(t, s, Query{Tiers: []string{Account, Channel, Workspace}, Text: "tabs"})); len(got) != 3 || !strings.HasPrefix(got[0], "channel/") {
		t.Errorf("three tiers: %q", got)
	}
	if _, err := s.Read(t.Context(), Query{Text: "tabs"}); !errors.Is(err, fault.Invalid) {
		t.Errorf("no tier is given: %v", err)
	}
	r, err := s.Put(t.Context(), Item{Tier: Workspace, Content: "use  TABS in go files", Importance: .9}, PutOptions{})
	if err != nil || !r.Confirmed || r.Item.ID != a.ID || r.Item.Importance != .9 {
		t.Errorf("the same words again: %+v, %v", r, err)
	}
	u, err := s.Update(t.Context(), a.ID, UpdateOptions{}, func(it *Item) error { it.Content = "Use tabs in Go and Make files"; it.Agent = "thief"; return nil })
	if err != nil || u.Item.Revision != 2 || u.Item.Agent != "" {
		t.Errorf("update: %+v, %v", u, err)
	}
	if _, err := s.Update(t.Context(), a.ID, UpdateOptions{Revision: new(1)}, func(it *Item) error { return nil }); !errors.Is(err, fault.Conflict) {
		t.Errorf("an update of an old revision: %v", err)
	}
	if was, err := s.Revisions(t.Context(), a.ID); err != nil || len(was) != 1 || was[0].Content != "Use tabs in Go files" || was[0].Importance != .9 {
		t.Errorf("revisions: %+v, %v", was, err)
	}
	f, err := s.Forget(t.Context(), a.ID, "no longer true", "")
	if err != nil || f.Rule != RuleAsked {
		t.Errorf("forget: %+v, %v", f, err)
	}
	if _, err := s.Forget(t.Context(), a.ID, "", ""); !errors.Is(err, fault.Conflict) {
		t.Errorf("forget twice: %v", err)
	}
	if got := contents(read(t, s, Query{Tiers: []string{Workspace}, Text: "tabs"})); len(got) != 0 {
		t.Errorf("forgotten: %q", got)
	}
	if got, err := s.Get(t.Context(), a.ID); err != nil || got.Forgotten == nil {
		t.Errorf("get what is forgotten: %+v, %v", got, err)
	}
	evs, err := s.Events(t.Context(), Workspace, a.ID, 0)
	if err != nil || len(evs) != 4 {
		t.Errorf("events: %+v, %v", evs, err)
	}
}

func TestContentIsCountedInCharacters(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	put(t, s, Item{Tier: Workspace, Content: strings.Repeat("é", 10_000)})
	if _, err := s.Put(t.Context(), Item{Tier: Workspace, Content: strings.Repeat("é", 10_001), Importance: .5}, PutOptions{}); !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "10001 characters") {
		t.Errorf("10,001 characters: %v", err)
	}
	a := open(t, t.TempDir(), Options{Agent: "a"})
	if _, err := a.SaveNote(t.Context(), Core, "", strings.Repeat("界", 10_000), false); err != nil {
		t.Error(err)
	}
	if _, err := a.SaveNote(t.Context(), Core, "", strings.Repeat("界", 10_001), false); !errors.Is(err, fault.Invalid) {
		t.Errorf("10,001 characters: %v", err)
	}
	for _, blank := range []string{"", "  \n "} {
		if _, err := a.SaveNote(t.Context(), Journal, "", blank, false); !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "blank") {
			t.Errorf("blank: %v", err)
		}
	}
}

func TestJournalCountsForAWeek(t *testing.T) {
	home, c := t.TempDir(), newClock()
	s := open(t, home, Options{Agent: "scout", Now: c.now})
	expect.Value(s.SaveNote(t.Context(), Journal, "", "Met a user", false))(t)
	day := c.now().Format(time.DateOnly)
	with := "# Your Private Memory\n\n## Recent Journal Entries\n- [" + day + "] Met a user"
	for _, step := range []struct {
		pass    time.Duration
		want    string
		expired bool
	}{{JournalWindow - time.Second, with, false}, {time.Second, with, false}, {time.Second, "", true}} {
		c.pass(step.pass)
		got, _, err := s.AgentContext(t.Context(), 0)
		if err != nil || got != step.want {
			t.Errorf("at %v: %q, %v; want %q", c.now(), got, err, step.want)
		}
		notes, err := s.Notes(t.Context(), Journal, 0)
		if err != nil || len(notes) != 1 || notes[0].Expired != step.expired {
			t.Errorf("at %v: %+v, %v", c.now(), notes, err)
		}
	}
	expect.Value(s.SaveNote(t.Context(), Core, "", "I am helpful", false))(t)
	c.pass(time.Hour)
	expect.Value(s.SaveNote(t.Context(), Core, Account, "I check before I act", false))(t)
	expect.Value(s.SaveNote(t.Context(), Journal, "", "Learned something", false))(t)
	want := "# Your Private Memory\n\n## Core Memories (permanent)\n- I am helpful\n- I check before I act\n\n## Recent Journal Entries\n- [" + c.now().Format(time.DateOnly) + "] Learned something"
	if got, _, err := s.AgentContext(t.Context(), 0); err != nil || got != want {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
	if got, _, err := open(t, home, Options{Agent: "other", Now: c.now}).AgentContext(t.Context(), 0); err != nil || got != "" {
		t.Errorf("another agent reads %q, %v", got, err)
	}
}

func TestConversationTransitions(t *testing.T) {
	s := open(t, t.TempDir(), Options{Agent: "a"})
	ctx := t.Context()
	start := func() string {
		c, _, err := s.StartConversation(ctx, "", "")
		if err != nil || c.Status != StatusActive || len(c.Ref) != RefLen || c.Ended != nil {
			t.Fatalf("start: %+v, %v", c, err)
		}
		return c.Ref
	}
	var ref string
	refused := func(what string, err error, from, to string) {
		t.Helper()
		says := fmt.Sprintf("invalid status transition: the conversation %s is %s and cannot become %s", ref, from, to)
		if from == to {
			says = fmt.Sprintf("the conversation %s is already %s", ref, from)
		}
		if !errors.Is(err, fault.Conflict) || err.Error() != says || len(fault.Next(err)) == 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
	ref = start()
	expect.Value(s.WriteScratch(ctx, ref, "todo", []byte(`{"left": [1, 2]}`), false))(t)
	_, err := s.ArchiveConversation(ctx, ref, false)
	refused("archive while active", err, StatusActive, StatusArchived)
	c, err := s.IdleConversation(ctx, ref)
	if err != nil || c.Status != StatusIdle || c.Ended == nil {
		t.Errorf("idle: %+v, %v", c, err)
	}
	_, err = s.IdleConversation(ctx, ref)
	refused("idle twice", err, StatusIdle, StatusIdle)
	c, err = s.ArchiveConversation(ctx, ref, false)
	if err != nil || c.Status != StatusArchived || c.Scratch != 1 {
		t.Errorf("archive: %+v, %v", c, err)
	}
	_, err = s.ArchiveConversation(ctx, ref, true)
	refused("archive twice", err, StatusArchived, StatusArchived)
	_, err = s.IdleConversation(ctx, ref)
	refused("idle after archive", err, StatusArchived, StatusIdle)
	if n, err := s.ReadScratch(ctx, ref, "todo"); err != nil || string(n.Value) != `{"left":[1,2]}` {
		t.Errorf("scratch after archive: %+v, %v", n, err)
	}
	if _, err := s.WriteScratch(ctx, ref, "todo", []byte(`1`), false); !errors.Is(err, fault.Conflict) {
		t.Errorf("scratch written after archive: %v", err)
	}
	if _, err := s.Put(ctx, Item{Tier: Conversation, Conversation: ref, Content: "late", Importance: .5}, PutOptions{}); !errors.Is(err, fault.Conflict) {
		t.Errorf("put after archive: %v", err)
	}
	ref = start()
	if c, err := s.ArchiveConversation(ctx, ref, true); err != nil || c.Ended == nil || c.Archived == nil {
		t.Errorf("force: %+v, %v", c, err)
	}
	if _, err := s.IdleConversation(ctx, newRef()); !errors.Is(err, fault.NotFound) {
		t.Errorf("unknown: %v", err)
	}
	a, again, err := s.StartConversation(ctx, "", "session-1")
	if err != nil || again {
		t.Errorf("thread: %v %v", again, err)
	}
	if b, again, err := s.StartConversation(ctx, "", "session-1"); err != nil || !again || b.Ref != a.Ref {
		t.Errorf("the same thread: %+v %v %v", b, again, err)
	}
}

// TestIsolation tries to read what is another's.
func TestIsolation(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	one, other := filepath.Join(home, "one"), filepath.Join(home, "other")
	alice := open(t, home, Options{Workspace: one, Agent: "alice", Embedder: bag{}})
	bob := open(t, home, Options{Workspace: one, Agent: "bob", Embedder: bag{}})
	far := open(t, home, Options{Workspace: other, Agent: "alice", Embedder: bag{}})
	narrow := open(t, home, Options{Workspace: one, Agent: "alice", Embedder: bag{}, Tiers: []string{Workspace, Channel}})
	secretly := put(t, alice, Item{Tier: Workspace, Content: "the plan is red"}, PutOptions{Private: true})
	openly := put(t, alice, Item{Tier: Workspace, Content: "the sky is red"})
	everywhere := put(t, alice, Item{Tier: Account, Content: "likes red"})
	mine := put(t, alice, Item{Tier: Account, Content: "hides red"}, PutOptions{Private: true})
	conv, _ := expect.Values(alice.StartConversation(ctx, "", "t"))(t)
	expect.Value(alice.WriteScratch(ctx, conv.Ref, "k", []byte(`"red"`), false))(t)
	note := expect.Value(alice.SaveNote(ctx, Journal, "", "red day", false))(t)
	all := []string{Workspace, Account}
	if got := contents(read(t, bob, Query{Tiers: all, Text: "red plan hides"})); len(got) != 2 || slices.Contains(got, "workspace/the plan is red") || slices.Contains(got, "account/hides red") {
		t.Errorf("bob reads %q", got)
	}
	if got := contents(read(t, bob, Query{Tiers: all})); len(got) != 2 {
		t.Errorf("bob reads %q without a text", got)
	}
	for who, s := range map[string]*Store{"bob": bob, "alice elsewhere": far} {
		for what, id := range map[string]string{"a private item": secretly.ID, "a note": note.ID} {
			if _, err := s.Get(ctx, id); !errors.Is(err, fault.NotFound) {
				t.Errorf("%s gets %s: %v", who, what, err)
			}
			if _, err := s.Forget(ctx, id, "", ""); !errors.Is(err, fault.NotFound) {
				t.Errorf("%s forgets %s: %v", who, what, err)
			}
			if _, err := s.Update(ctx, id, UpdateOptions{}, func(it *Item) error { t.Errorf("%s is shown %q", who, it.Content); return nil }); !errors.Is(err, fault.NotFound) {
				t.Errorf("%s updates %s: %v", who, what, err)
			}
			if _, err := s.Revisions(ctx, id); !errors.Is(err, fault.NotFound) {
				t.Errorf("%s sees revisions of %s: %v", who, what, err)
			}
		}
		if got, _, err := s.AgentContext(ctx, 0); err != nil || got != "" {
			t.Errorf("%s has the context %q, %v", who, got, err)
		}
	}
	if _, err := bob.Get(ctx, mine.ID); !errors.Is(err, fault.NotFound) {
		t.Errorf("bob gets a private item of the account: %v", err)
	}
	if _, err := far.Get(ctx, openly.ID); !errors.Is(err, fault.NotFound) {
		t.Errorf("another workspace gets an item: %v", err)
	}
	if got := contents(read(t, far, Query{Tiers: []string{Workspace, Channel, Account}, Text: "red"})); !slices.Equal(sorted(got), []string{"account/hides red", "account/likes red"}) {
		t.Errorf("another workspace reads %q", got)
	}
	if _, err := far.Conversation(ctx, conv.Ref); !errors.Is(err, fault.NotFound) {
		t.Errorf("another workspace sees a conversation: %v", err)
	}
	if _, err := bob.ReadScratch(ctx, conv.Ref, "k"); !errors.Is(err, fault.Denied) {
		t.Errorf("bob looks into a conversation: %v", err)
	}
	expect.Value(alice.Invite(ctx, conv.Ref, "bob"))(t)
	if _, err := bob.ReadScratch(ctx, conv.Ref, "k"); !errors.Is(err, fault.NotFound) {
		t.Errorf("bob reads a working note: %v", err)
	}
	if n, err := bob.ClearScratch(ctx, conv.Ref, ""); err != nil || n != 0 {
		t.Errorf("bob clears %d working notes: %v", n, err)
	}
	// What is not granted is not there, by whatever way.
	if _, err := narrow.Read(ctx, Query{Tiers: []string{Account}}); !errors.Is(err, fault.Denied) {
		t.Errorf("the account without a grant: %v", err)
	}
	if _, err := narrow.Get(ctx, everywhere.ID); !errors.Is(err, fault.NotFound) {
		t.Errorf("an item of the account without a grant: %v", err)
	}
	if o, err := narrow.Orient(ctx, OrientQuery{Text: "red"}); err != nil || strings.Contains(o.Markdown, "likes") {
		t.Errorf("an orientation without a grant: %v\n%s", err, o.Markdown)
	}
	if _, err := narrow.Named(ctx, Account); !errors.Is(err, fault.Denied) {
		t.Errorf("named entries of the account without a grant: %v", err)
	}
	if l, _, err := narrow.List(ctx, ListQuery{}); err != nil || slices.ContainsFunc(l, func(it Item) bool { return it.Tier == Account }) {
		t.Errorf("a list without a grant: %+v, %v", l, err)
	}
	if got, err := narrow.Notes(ctx, "", 0); err != nil || len(got) != 1 {
		t.Errorf("notes: %+v, %v", got, err)
	}
	if _, err := alice.EditNamed(ctx, Voice, "", "obey", -1); !errors.Is(err, fault.Denied) {
		t.Errorf("an agent writes VOICE: %v", err)
	}
	// Names are no paths.
	for _, name := range []string{"../one", "a/b", "..", "", "a\x00b", "-x", strings.Repeat("a", 65)} {
		if _, err := bob.CreateChannel(ctx, name, ""); !errors.Is(err, fault.Invalid) {
			t.Errorf("a channel named %q: %v", name, err)
		}
		if _, err := bob.GetNamed(ctx, name, ""); !errors.Is(err, fault.Invalid) {
			t.Errorf("a named entry named %q: %v", name, err)
		}
	}
	// A file that was put in the place of another workspace's is not read.
	expect.OK(t, bob.Close())
	alice.Close()
	narrow.Close()
	third := filepath.Join(home, "third")
	b := expect.Value(os.ReadFile(WorkspacePath(home, one)))(t)
	expect.OK(t, os.WriteFile(WorkspacePath(home, third), b, 0o600))
	if _, _, err := open(t, home, Options{Workspace: third, Agent: "alice"}).List(ctx, ListQuery{}); err == nil || !strings.Contains(err.Error(), "holds the memory of the workspace") {
		t.Errorf("another workspace's file: %v", err)
	}
}

func sorted(l []string) []string { slices.Sort(l); return l }
