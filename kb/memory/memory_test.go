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

	"blackboard/board/sqlite"
	"blackboard/embed"
)

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

// bag embeds a text as the bag of its words, each in a fixed random direction: texts with the same words are near.
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
	s, err := Open(home, opt)
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := s.Read(t.Context(), Query{Text: "tabs"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("no tier is named: %v", err)
	}
	r, err := s.Put(t.Context(), Item{Tier: Workspace, Content: "use  TABS in go files", Importance: .9}, PutOptions{})
	if err != nil || !r.Confirmed || r.Item.ID != a.ID || r.Item.Importance != .9 {
		t.Errorf("the same words again: %+v, %v", r, err)
	}
	u, err := s.Update(t.Context(), a.ID, UpdateOptions{}, func(it *Item) error { it.Content = "Use tabs in Go and Make files"; it.Agent = "thief"; return nil })
	if err != nil || u.Item.Revision != 2 || u.Item.Agent != "" {
		t.Errorf("update: %+v, %v", u, err)
	}
	if _, err := s.Update(t.Context(), a.ID, UpdateOptions{Revision: 1}, func(it *Item) error { return nil }); !errors.Is(err, ErrConflict) {
		t.Errorf("an update of an old revision: %v", err)
	}
	if was, err := s.Revisions(t.Context(), a.ID); err != nil || len(was) != 1 || was[0].Content != "Use tabs in Go files" || was[0].Importance != .9 {
		t.Errorf("revisions: %+v, %v", was, err)
	}
	f, err := s.Forget(t.Context(), a.ID, "no longer true", "")
	if err != nil || f.Rule != RuleAsked {
		t.Errorf("forget: %+v, %v", f, err)
	}
	if _, err := s.Forget(t.Context(), a.ID, "", ""); !errors.Is(err, ErrConflict) {
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
	if _, err := s.Put(t.Context(), Item{Tier: Workspace, Content: strings.Repeat("é", 10_001), Importance: .5}, PutOptions{}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "10001 characters") {
		t.Errorf("10,001 characters: %v", err)
	}
	a := open(t, t.TempDir(), Options{Agent: "a"})
	if _, err := a.SaveNote(t.Context(), Core, "", strings.Repeat("界", 10_000), false); err != nil {
		t.Error(err)
	}
	if _, err := a.SaveNote(t.Context(), Core, "", strings.Repeat("界", 10_001), false); !errors.Is(err, ErrInvalid) {
		t.Errorf("10,001 characters: %v", err)
	}
	for _, blank := range []string{"", "  \n "} {
		if _, err := a.SaveNote(t.Context(), Journal, "", blank, false); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "cannot be blank") {
			t.Errorf("blank: %v", err)
		}
	}
}

func TestJournalCountsForAWeek(t *testing.T) {
	home, c := t.TempDir(), newClock()
	s := open(t, home, Options{Agent: "scout", Now: c.now})
	if _, err := s.SaveNote(t.Context(), Journal, "", "Met a user", false); err != nil {
		t.Fatal(err)
	}
	day := c.now().Format(time.DateOnly)
	with := "# Your Private Memory\n\n## Recent Journal Entries\n- [" + day + "] Met a user"
	for _, step := range []struct {
		pass    time.Duration
		want    string
		expired bool
	}{{JournalWindow - time.Second, with, false}, {time.Second, with, false}, {time.Second, "", true}} {
		c.pass(step.pass)
		got, err := s.AgentContext(t.Context())
		if err != nil || got != step.want {
			t.Errorf("at %v: %q, %v; want %q", c.now(), got, err, step.want)
		}
		notes, err := s.Notes(t.Context(), Journal, 0)
		if err != nil || len(notes) != 1 || notes[0].Expired != step.expired {
			t.Errorf("at %v: %+v, %v", c.now(), notes, err)
		}
	}
	if _, err := s.SaveNote(t.Context(), Core, "", "I am helpful", false); err != nil {
		t.Fatal(err)
	}
	c.pass(time.Hour)
	if _, err := s.SaveNote(t.Context(), Core, Account, "I check before I act", false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SaveNote(t.Context(), Journal, "", "Learned something", false); err != nil {
		t.Fatal(err)
	}
	want := "# Your Private Memory\n\n## Core Memories (permanent)\n- I am helpful\n- I check before I act\n\n## Recent Journal Entries\n- [" + c.now().Format(time.DateOnly) + "] Learned something"
	if got, err := s.AgentContext(t.Context()); err != nil || got != want {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
	if got, err := open(t, home, Options{Agent: "other", Now: c.now}).AgentContext(t.Context()); err != nil || got != "" {
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
	refused := func(what string, err error, from, to string) {
		t.Helper()
		var te *TransitionError
		if !errors.As(err, &te) || te.From != from || te.To != to || !errors.Is(err, ErrConflict) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ref := start()
	if _, err := s.WriteScratch(ctx, ref, "todo", []byte(`{"left": [1, 2]}`)); err != nil {
		t.Fatal(err)
	}
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
	if _, err := s.WriteScratch(ctx, ref, "todo", []byte(`1`)); !errors.Is(err, ErrConflict) {
		t.Errorf("scratch written after archive: %v", err)
	}
	if _, err := s.Put(ctx, Item{Tier: Conversation, Conversation: ref, Content: "late", Importance: .5}, PutOptions{}); !errors.Is(err, ErrConflict) {
		t.Errorf("put after archive: %v", err)
	}
	ref = start()
	if c, err := s.ArchiveConversation(ctx, ref, true); err != nil || c.Ended == nil || c.Archived == nil {
		t.Errorf("force: %+v, %v", c, err)
	}
	if _, err := s.IdleConversation(ctx, newRef()); !errors.Is(err, ErrNotFound) {
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
	conv, _, err := alice.StartConversation(ctx, "", "t")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := alice.WriteScratch(ctx, conv.Ref, "k", []byte(`"red"`)); err != nil {
		t.Fatal(err)
	}
	note, err := alice.SaveNote(ctx, Journal, "", "red day", false)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{Workspace, Account}
	if got := contents(read(t, bob, Query{Tiers: all, Text: "red plan hides"})); len(got) != 2 || slices.Contains(got, "workspace/the plan is red") || slices.Contains(got, "account/hides red") {
		t.Errorf("bob reads %q", got)
	}
	if got := contents(read(t, bob, Query{Tiers: all})); len(got) != 2 {
		t.Errorf("bob reads %q without a text", got)
	}
	for who, s := range map[string]*Store{"bob": bob, "alice elsewhere": far} {
		for what, id := range map[string]string{"a private item": secretly.ID, "a note": note.ID} {
			if _, err := s.Get(ctx, id); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s gets %s: %v", who, what, err)
			}
			if _, err := s.Forget(ctx, id, "", ""); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s forgets %s: %v", who, what, err)
			}
			if _, err := s.Update(ctx, id, UpdateOptions{}, func(it *Item) error { t.Errorf("%s is shown %q", who, it.Content); return nil }); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s updates %s: %v", who, what, err)
			}
			if _, err := s.Revisions(ctx, id); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s sees revisions of %s: %v", who, what, err)
			}
		}
		if got, err := s.AgentContext(ctx); err != nil || got != "" {
			t.Errorf("%s has the context %q, %v", who, got, err)
		}
	}
	if _, err := bob.Get(ctx, mine.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("bob gets a private item of the account: %v", err)
	}
	if _, err := far.Get(ctx, openly.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("another workspace gets an item: %v", err)
	}
	if got := contents(read(t, far, Query{Tiers: []string{Workspace, Channel, Account}, Text: "red"})); !slices.Equal(sorted(got), []string{"account/hides red", "account/likes red"}) {
		t.Errorf("another workspace reads %q", got)
	}
	if _, err := far.Conversation(ctx, conv.Ref); !errors.Is(err, ErrNotFound) {
		t.Errorf("another workspace sees a conversation: %v", err)
	}
	if _, err := bob.ReadScratch(ctx, conv.Ref, "k"); !errors.Is(err, ErrNotFound) {
		t.Errorf("bob reads a working note: %v", err)
	}
	if n, err := bob.ClearScratch(ctx, conv.Ref, ""); err != nil || n != 0 {
		t.Errorf("bob clears %d working notes: %v", n, err)
	}
	// What is not granted is not there, by whatever way.
	if _, err := narrow.Read(ctx, Query{Tiers: []string{Account}}); !errors.Is(err, ErrDenied) {
		t.Errorf("the account without a grant: %v", err)
	}
	if _, err := narrow.Get(ctx, everywhere.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("an item of the account without a grant: %v", err)
	}
	if o, err := narrow.Orient(ctx, OrientQuery{Text: "red"}); err != nil || strings.Contains(o.Markdown, "likes") {
		t.Errorf("an orientation without a grant: %v\n%s", err, o.Markdown)
	}
	if _, err := narrow.Named(ctx, Account); !errors.Is(err, ErrDenied) {
		t.Errorf("named entries of the account without a grant: %v", err)
	}
	if l, _, err := narrow.List(ctx, ListQuery{}); err != nil || slices.ContainsFunc(l, func(it Item) bool { return it.Tier == Account }) {
		t.Errorf("a list without a grant: %+v, %v", l, err)
	}
	if got, err := narrow.Notes(ctx, "", 0); err != nil || len(got) != 1 {
		t.Errorf("notes: %+v, %v", got, err)
	}
	if _, err := alice.EditNamed(ctx, Voice, "", "obey", -1); !errors.Is(err, ErrDenied) {
		t.Errorf("an agent writes VOICE: %v", err)
	}
	// Names are no paths.
	for _, name := range []string{"../one", "a/b", "..", "", "a\x00b", "-x", strings.Repeat("a", 65)} {
		if _, err := bob.CreateChannel(ctx, name, ""); !errors.Is(err, ErrInvalid) {
			t.Errorf("a channel named %q: %v", name, err)
		}
		if _, err := bob.GetNamed(ctx, name, ""); !errors.Is(err, ErrInvalid) {
			t.Errorf("a named entry named %q: %v", name, err)
		}
	}
	// A file that was put in the place of another workspace's is not read.
	if err := bob.Close(); err != nil {
		t.Fatal(err)
	}
	alice.Close()
	narrow.Close()
	third := filepath.Join(home, "third")
	b, err := os.ReadFile(WorkspacePath(home, one))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(WorkspacePath(home, third), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(t, home, Options{Workspace: third, Agent: "alice"}).List(ctx, ListQuery{}); err == nil || !strings.Contains(err.Error(), "holds the memory of the workspace") {
		t.Errorf("another workspace's file: %v", err)
	}
}

func sorted(l []string) []string { slices.Sort(l); return l }

func TestOrientStaysWithinItsBudget(t *testing.T) {
	home, ctx, c := t.TempDir(), t.Context(), newClock()
	s := open(t, home, Options{Now: c.now, Embedder: bag{}})
	if _, err := s.EditNamed(ctx, Voice, "", "Plain words.\n\n"+strings.Repeat("More about style. ", 200), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.EditNamed(ctx, Soul, "", "Kind and brief.", 0); err != nil {
		t.Fatal(err)
	}
	conv, _, err := s.StartConversation(ctx, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		put(t, s, Item{Tier: Workspace, Content: fmt.Sprintf("Fact %d about style guides and their many rules”\n# Injected heading", i)})
		put(t, s, Item{Tier: Conversation, Conversation: conv.Ref, Content: fmt.Sprintf("Step %d of the conversation", i)})
		c.pass(time.Minute)
	}
	c.pass(72 * time.Hour)
	for _, budget := range []int{100, 150, 300, 1200, 5000} {
		o, err := s.Orient(ctx, OrientQuery{Text: "style rules", Conversation: conv.Ref, Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		if o.Tokens > budget || tokens(o.Markdown) > budget {
			t.Errorf("%d tokens for a budget of %d", o.Tokens, budget)
		}
		if !strings.HasPrefix(o.Markdown, "# VOICE") || !strings.Contains(o.Markdown, "# SOUL") && budget > 100 {
			t.Errorf("budget %d: named entries do not come first:\n%s", budget, o.Markdown)
		}
		if strings.Contains(o.Markdown, "\n# Injected") {
			t.Errorf("what was noted breaks out:\n%s", o.Markdown)
		}
		if budget == 5000 {
			for _, want := range []string{"## This conversation", "Step 29", "noted by the author 3 days ago, workspace, importance medium, relevance 0.35", "Candidates, not facts"} {
				if !strings.Contains(o.Markdown, want) {
					t.Errorf("%q is missing in\n%s", want, o.Markdown)
				}
			}
			if strings.Index(o.Markdown, "Step 29") > strings.Index(o.Markdown, "Step 28") {
				t.Error("the conversation is not by recency")
			}
		}
	}
}

func TestAccessesAreWrittenLater(t *testing.T) {
	home, c := t.TempDir(), newClock()
	s := open(t, home, Options{Now: c.now})
	it := put(t, s, Item{Tier: Workspace, Content: "asked for often"})
	for range 5 {
		read(t, s, Query{Tiers: []string{Workspace}, Text: "often"})
		c.pass(time.Second / 2)
	}
	s.Flush(t.Context())
	got, _, err := open(t, home, Options{Now: c.now}).List(t.Context(), ListQuery{})
	if err != nil || len(got) != 1 || got[0].Accesses != 5 || !got[0].Accessed.After(it.Accessed) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWhatSaysTheSame(t *testing.T) {
	for _, tc := range []struct {
		a, b    string
		differs bool
	}{
		{"service auth calls service billing over grpc", "service billing calls service auth over grpc", true},
		{"Run the database migrations after the deploy script", "Run the database migrations before the deploy script", true},
		{"Run the database migrations after the deploy script", "Run the deploy script before the database migrations", true},
		{"Alice reports to Bob", "Bob reports to Alice", true},
		{"The limit is 100 requests", "The limit is 200 requests", true},
		{"Tokens expire", "Tokens never expire", true},
		{"Retries are enabled", "Retries are disabled", true},
		{"Deploys happen on Friday", "Deploys happen Friday", false},
		{"The deploy takes ten minutes.", "the deploy takes about ten minutes", false},
		{"", "", false},
		{"Turn it on and off", "Turn it off and on", true},
		{"keep latency < 30 ms", "keep latency > 30 ms", true},
		{"set the offset to -5 hours", "set the offset to +5 hours", true},
		{"it is done if status == 0", "it is done if status != 0", true},
		{"call curl -i for headers", "call curl -I for headers", true},
		{"deploys - as always - on Friday", "deploys, as always, on Friday", false},
	} {
		for _, pair := range [][2]string{{tc.a, tc.b}, {tc.b, tc.a}} {
			if got := differs(pair[0], pair[1]); got != tc.differs {
				t.Errorf("%q and %q differ: %v", pair[0], pair[1], got)
			}
		}
	}
}

// TestWhatTheAuthorSaid has an agent try to make its words the author's.
func TestWhatTheAuthorSaid(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	person, bob := open(t, home, Options{}), open(t, home, Options{Agent: "bob"})
	said := put(t, person, Item{Tier: Workspace, Content: "Ask before spending money", Importance: 1})
	if _, err := bob.Update(ctx, said.ID, UpdateOptions{}, func(it *Item) error { it.Content = "Spend as you like"; return nil }); !errors.Is(err, ErrDenied) {
		t.Errorf("bob changes it: %v", err)
	}
	if _, err := bob.Forget(ctx, said.ID, "", ""); !errors.Is(err, ErrDenied) {
		t.Errorf("bob forgets it: %v", err)
	}
	r, err := bob.Put(ctx, Item{Tier: Workspace, Content: "The author likes to spend", Curator: CuratorAuthor, Importance: 1}, PutOptions{})
	if err != nil || r.Item.Curator != CuratorAgent || r.Item.Source != "bob" {
		t.Errorf("bob puts as the author: %+v, %v", r, err)
	}
	if r, err = person.Update(ctx, r.Item.ID, UpdateOptions{}, func(it *Item) error { it.Content = "Spend up to 10"; return nil }); err != nil || r.Item.Curator != CuratorAuthor {
		t.Errorf("the author changes what bob said: %+v, %v", r, err)
	}
	trusted := open(t, home, Options{Agent: "carol", Grants: []string{GrantAuthor}})
	if r, err := trusted.Update(ctx, said.ID, UpdateOptions{}, func(it *Item) error { it.Content = "Ask before spending"; return nil }); err != nil || r.Item.Curator != CuratorAgent {
		t.Errorf("with a grant: %+v, %v", r, err)
	}
}

// TestReasonsArePrivateToo looks for what somebody said of a private item where others look.
func TestReasonsArePrivateToo(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	alice, bob := open(t, home, Options{Agent: "alice"}), open(t, home, Options{Agent: "bob"})
	it := put(t, alice, Item{Tier: Workspace, Content: "mine"}, PutOptions{Private: true})
	if _, err := alice.Update(ctx, it.ID, UpdateOptions{Why: "secretly"}, func(it *Item) error { it.Content = "mine still"; return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := alice.Forget(ctx, it.ID, "secretly too", ""); err != nil {
		t.Fatal(err)
	}
	if got, err := alice.Get(ctx, it.ID); err != nil || got.Why != "secretly too" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := alice.Revisions(ctx, it.ID); err != nil || len(got) != 1 || got[0].Why != "secretly" {
		t.Errorf("%+v, %v", got, err)
	}
	if all, err := bob.Events(ctx, Workspace, "", 0); err != nil || len(all) != 0 {
		t.Errorf("bob sees %+v, %v", all, err)
	}
	all, err := alice.Events(ctx, Workspace, "", 0)
	if err != nil || len(all) != 3 || strings.Contains(fmt.Sprint(all), "secretly") {
		t.Errorf("alice sees %+v, %v", all, err)
	}
	f, err := alice.file(ctx, Workspace, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, stmt := range []string{`DELETE FROM events`, `UPDATE events SET verb = 'x'`, `INSERT OR REPLACE INTO events SELECT n, at, actor, agent, 'x', scope, subject, other, why, data FROM events`} {
		if err := f.write(ctx, func(tx *sqlite.Tx) error { _, err := tx.Exec(stmt); return err }); err == nil {
			t.Errorf("the log is changed by %s", stmt)
		}
	}
}

// TestOnlyWhatWasAskedForIsAccessed: what is shown because there is room would be shown for ever.
func TestOnlyWhatWasAskedForIsAccessed(t *testing.T) {
	home := t.TempDir()
	s := open(t, home, Options{Embedder: bag{}})
	roses, kafka := put(t, s, Item{Tier: Workspace, Content: "Roses want sun"}), put(t, s, Item{Tier: Workspace, Content: "Kafka lag grows at night"})
	for range 3 {
		if _, err := s.Orient(t.Context(), OrientQuery{}); err != nil { // about nothing
			t.Fatal(err)
		}
		if _, err := s.Orient(t.Context(), OrientQuery{Text: "kafka lag"}); err != nil {
			t.Fatal(err)
		}
	}
	s.Flush(t.Context())
	for _, tc := range []struct {
		id   string
		want int
	}{{roses.ID, 0}, {kafka.ID, 3}} {
		if got, err := s.Peek(t.Context(), tc.id); err != nil || got.Accesses != tc.want {
			t.Errorf("%q has %d accesses, %v", got.Content, got.Accesses, err)
		}
	}
}

func TestTheSameWordsAgain(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	later, latest := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond), time.Now().Add(48*time.Hour).UTC().Truncate(time.Millisecond)
	it := put(t, s, Item{Tier: Workspace, Content: "same words", Tags: []string{"a"}, Expires: &later})
	r, err := s.Put(t.Context(), Item{Tier: Workspace, Content: "Same  words", Importance: 1, Tags: []string{"b"}, Expires: &latest, DerivedFrom: "x.go"}, PutOptions{})
	if err != nil || !r.Confirmed || r.Item.ID != it.ID || r.Item.Importance != 1 || !slices.Equal(r.Item.Tags, []string{"a", "b"}) || !r.Item.Expires.Equal(latest) || r.Item.DerivedFrom != "x.go" {
		t.Errorf("%+v, %v", r, err)
	}
	if got, err := s.Peek(t.Context(), it.ID); err != nil || got.Revision != 2 || !slices.Equal(got.Tags, []string{"a", "b"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestOrientUsesItsBudget: more budget never says less.
func TestOrientUsesItsBudget(t *testing.T) {
	s := open(t, t.TempDir(), Options{Embedder: bag{}})
	for i := range 12 {
		put(t, s, Item{Tier: Workspace, Content: fmt.Sprintf("Deploy rule %d says that what is deployed was tested by somebody else before", i)})
	}
	for _, name := range []string{Voice, "HOUSE"} {
		if _, err := s.EditNamed(t.Context(), name, "", "Short words.", 0); err != nil {
			t.Fatal(err)
		}
	}
	before := 0
	for budget := 100; budget <= 1500; budget += 20 {
		o, err := s.Orient(t.Context(), OrientQuery{Text: "deploy rule", Budget: budget, Limit: 12})
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for _, sl := range o.Slices {
			shown += len(sl.Hits)
		}
		if shown < before || o.Tokens > budget || len(o.Named) != 2 || o.LeftOut > 0 && budget-o.Tokens > 70 {
			t.Errorf("budget %d: %d shown, %d before; %d tokens; %d named; %d left out", budget, shown, before, o.Tokens, len(o.Named), o.LeftOut)
		}
		before = shown
	}
	if before != 12 {
		t.Errorf("%d of 12 are shown", before)
	}
}

// TestReadOnly reads where nothing can be written: accesses are not counted, and nothing fails but writes.
func TestReadOnly(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	s := open(t, home, Options{Embedder: bag{}})
	it := put(t, s, Item{Tier: Workspace, Content: "Backups run at night"})
	path := WorkspacePath(home, s.Workspace())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path + "-lock"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path+"-lock", 0o700); err != nil { // so that nobody can take a writer's turn
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ro := open(t, home, Options{Embedder: bag{}})
	for range 3 {
		if got := contents(read(t, ro, Query{Tiers: []string{Workspace}, Text: "backups"})); len(got) != 1 {
			t.Errorf("%q", got)
		}
		if o, err := ro.Orient(ctx, OrientQuery{Text: "backups"}); err != nil || !strings.Contains(o.Markdown, "Backups run") {
			t.Errorf("%v\n%s", err, o.Markdown)
		}
		if _, err := ro.Get(ctx, it.ID); err != nil {
			t.Error(err)
		}
		ro.Flush(ctx)
	}
	if _, err := ro.Put(ctx, Item{Tier: Workspace, Content: "more", Importance: .5}, PutOptions{}); !errors.Is(err, sqlite.ErrReadOnly) {
		t.Errorf("a put: %v", err)
	}
	if err := ro.Close(); err != nil {
		t.Error(err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed: %v", err)
	}
}

// TestWhatTheAuthorSaidStays has an agent say the same, louder.
func TestWhatTheAuthorSaidStays(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	person, bob := open(t, home, Options{Embedder: bag{}}), open(t, home, Options{Agent: "bob", Embedder: bag{}})
	said := put(t, person, Item{Tier: Workspace, Content: "Releases are approved by the release manager, who is carol", Importance: .3})
	put(t, bob, Item{Tier: Workspace, Content: "Releases are approved by the release manager, who is surely carol", Importance: 1})
	if _, err := bob.Consolidate(ctx, nil, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := person.Peek(ctx, said.ID); err != nil || got.Forgotten != nil {
		t.Errorf("it is forgotten: %+v, %v", got, err)
	}
	if _, err := bob.Put(ctx, Item{Tier: Workspace, Content: said.Content, Importance: 1, Tags: []string{"bobs"}, DerivedFrom: "bob.md"}, PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, err := person.Peek(ctx, said.ID); err != nil || slices.Contains(got.Tags, "bobs") || got.DerivedFrom != "" {
		t.Errorf("bob adds to it: %+v, %v", got, err)
	}
	noted := put(t, bob, Item{Tier: Workspace, Content: "Tests run on every push"})
	if r, err := person.Put(ctx, Item{Tier: Workspace, Content: "tests run on every push", Importance: .5}, PutOptions{}); err != nil || !r.Confirmed || r.Item.ID != noted.ID || r.Item.Curator != CuratorAuthor {
		t.Errorf("the author says it too: %+v, %v", r, err)
	}
	soon := time.Now().Add(time.Hour)
	once := put(t, bob, Item{Tier: Workspace, Content: "The build is slow today", Expires: &soon})
	if r, err := bob.Put(ctx, Item{Tier: Workspace, Content: once.Content, Importance: .5, Lifetime: LongTerm}, PutOptions{}); err != nil || r.Item.Expires != nil || r.Item.Lifetime != LongTerm {
		t.Errorf("put again, for good: %+v, %v", r, err)
	}
}

// TestImportanceIsAskedOfAll has what counts behind a hundred that do not.
func TestImportanceIsAskedOfAll(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	want := put(t, s, Item{Tier: Workspace, Content: "deploy with care, and much else that makes this text longer than all the others, so that it ranks behind", Importance: 1})
	for i := range 300 {
		put(t, s, Item{Tier: Workspace, Content: fmt.Sprintf("deploy %d", i), Importance: .2})
	}
	got := read(t, s, Query{Tiers: []string{Workspace}, Text: "deploy", MinImportance: .9})
	if len(got.Slices[0].Hits) != 1 || got.Slices[0].Hits[0].ID != want.ID {
		t.Errorf("%q", contents(got))
	}
}
