package board

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/store"
	"blackboard/testdata/expect"
)

// refused checks an error's kind, that its words are in it, and that it says what to do next.
func refused(t *testing.T, err, kind error, words string) {
	t.Helper()
	var e *fault.Error
	if !errors.Is(err, kind) || !errors.As(err, &e) || !strings.Contains(e.Msg, words) || len(e.Next) == 0 {
		t.Errorf("the error is %v, not %v about %q with a next step", err, kind, words)
	}
}

// TestSignalLife: a question is raised once, answered or waived with a reason, and opened again;
// each step says what it did, and refuses what makes no sense.
func TestSignalLife(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	_, err := b.Signal(ctx, "lead", Raise{Content: "why?", Origin: "e1"})
	refused(t, err, fault.NotFound, "has no entries yet")
	_, _, err = b.PostAddressing(ctx, "w", "s1", Post{Content: "because"}, nil)
	refused(t, err, fault.NotFound, "there is no run")
	if b.Created() {
		t.Fatal("a question that was refused has made the run")
	}
	expect.Value(b.Post(ctx, "w", Post{Content: "it stops"}))(t)
	raise := Raise{Content: "why does it stop?", Priority: "HIGH", Origin: "e1", Key: "k1"}
	r, err := b.Signal(ctx, "lead", raise)
	if err != nil || r.Existing || r.Signal.Priority != "high" || r.Signal.Origin != "e1" {
		t.Fatalf("%+v, %v", r, err)
	}
	if again, err := b.Signal(ctx, "lead", raise); err != nil || !again.Existing || again.Signal.ID != r.Signal.ID {
		t.Errorf("a retry: %+v, %v", again, err)
	}
	for words, other := range map[string]Raise{"with another content": {Content: "what?", Priority: "high", Key: "k1"}, "with the priority high": {Content: raise.Content, Key: "k1"},
		"with another origin": {Content: raise.Content, Priority: "high", Origin: "e2", Key: "k1"}} {
		_, err := b.Signal(ctx, "lead", other)
		refused(t, err, fault.Conflict, words)
	}
	_, err = b.Signal(ctx, "lead", Raise{Content: "?", Origin: "e9"})
	refused(t, err, fault.NotFound, "origin: there is no entry e9")
	_, err = b.Signal(ctx, "lead", Raise{Content: "?", Origin: "s1"})
	refused(t, err, fault.Invalid, "origin: s1 is a question")
	_, err = b.Signal(ctx, "lead", Raise{Content: "?", Priority: "urgent"})
	refused(t, err, fault.Invalid, `unknown priority "urgent"`)

	_, err = b.Release(ctx, "w", "s1", false)
	refused(t, err, fault.Conflict, "is not claimed")
	_, err = b.Claim(ctx, "w", "s1", 0)
	refused(t, err, fault.Invalid, "a lease of 0s")
	_, err = b.ClaimNext(ctx, "w", "urgent", nil, DefaultLease)
	refused(t, err, fault.Invalid, "unknown priority")
	expect.Value(b.Claim(ctx, "w", "s1", DefaultLease))(t)
	if s, err := b.Release(ctx, "boss", "s1", true); err != nil || s.ClaimedBy != "" {
		t.Errorf("taken away: %+v, %v", s, err)
	}

	answer := Post{Content: "the disk is full", Key: "a1"}
	p, s, err := b.PostAddressing(ctx, "w", "s1", answer, nil)
	if err != nil || p.Entry.ID != "e2" || p.Entry.Type != Analysis || s.Status != Addressed || s.AddressedBy != "e2" || s.ClosedBy != "w" {
		t.Fatalf("%+v, %+v, %v", p, s, err)
	}
	if again, s, err := b.PostAddressing(ctx, "w", "s1", answer, nil); err != nil || !again.Existing || s.AddressedBy != "e2" {
		t.Errorf("a retry: %+v, %v", again, err)
	}
	_, _, err = b.PostAddressing(ctx, "w", "s1", Post{Content: "another answer"}, nil)
	refused(t, err, fault.Conflict, "s1 is answered already, by e2")
	_, err = b.Address(ctx, "w", "s1", "e1")
	refused(t, err, fault.Conflict, "s1 is answered already")
	if s, err := b.Reopen(ctx, "lead", "s1", "the disk is empty"); err != nil || s.Status != SignalOpen || s.AddressedBy != "" || s.Closed != nil {
		t.Fatalf("%+v, %v", s, err)
	}
	_, err = b.Reopen(ctx, "lead", "s1", "")
	refused(t, err, fault.Conflict, "is open already")
	_, _, err = b.PostAddressing(ctx, "w", "s1", answer, nil)
	refused(t, err, fault.Conflict, `the key "a1" is that of e2, which answered s1 before it was reopened`)
	if s, err := b.Address(ctx, "w", "s1", "e2"); err != nil || s.AddressedBy != "e2" { // its link is there already
		t.Errorf("%+v, %v", s, err)
	}
	_, err = b.Address(ctx, "w", "s1", "e1x")
	refused(t, err, fault.Invalid, "is not the id of an entry")
	_, err = b.Address(ctx, "w", "s7", "e1")
	refused(t, err, fault.NotFound, "there is no question s7")

	expect.Value(b.Signal(ctx, "lead", Raise{Content: "is it worth it?"}))(t)
	_, err = b.Waive(ctx, "lead", "s2", " ")
	refused(t, err, fault.Invalid, "needs a reason")
	if s, err := b.Waive(ctx, "lead", "s2", "out of scope"); err != nil || s.Status != Waived || s.Reason != "out of scope" {
		t.Fatalf("%+v, %v", s, err)
	}
	_, err = b.Claim(ctx, "w", "s2", DefaultLease)
	refused(t, err, fault.Conflict, "s2 was waived by lead: out of scope")
	_, err = b.ClaimNext(ctx, "w", "", nil, DefaultLease)
	refused(t, err, fault.Conflict, "no open question is free")
	if err := b.Check(ctx); err != nil {
		t.Error(err)
	}
}

// TestSignalsFound: the filters of a list of signals, and its order: open ones first, the most
// urgent first.
func TestSignalsFound(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b.SetNow(func() time.Time { return now })
	for i, p := range []string{"low", "critical", "high", "critical"} {
		expect.Value(b.Signal(ctx, []string{"lead", "other"}[i%2], Raise{Content: []string{"q, @w?", "q", "q", "q"}[i], Priority: p}))(t)
	}
	expect.Value(b.Claim(ctx, "w", "s3", time.Minute))(t)
	expect.Value(b.Waive(ctx, "lead", "s2", "no"))(t)
	for _, test := range []struct {
		q    SignalQuery
		want []string
		more bool
	}{
		{SignalQuery{}, []string{"s4", "s3", "s1", "s2"}, false},
		{SignalQuery{Statuses: []string{SignalOpen}}, []string{"s4", "s3", "s1"}, false},
		{SignalQuery{Priorities: []string{"critical", "low"}}, []string{"s4", "s1", "s2"}, false},
		{SignalQuery{Worker: "lead"}, []string{"s3", "s1"}, false},
		{SignalQuery{ClaimedBy: "w"}, []string{"s3"}, false},
		{SignalQuery{Free: true}, []string{"s4", "s1"}, false},
		{SignalQuery{For: "w"}, []string{"s3", "s1"}, false},
		{SignalQuery{For: "w", Limit: 1}, []string{"s3"}, true},
		{SignalQuery{Limit: 2}, []string{"s4", "s3"}, true},
	} {
		found, err := b.Signals(ctx, test.q)
		ids := []string{}
		for _, s := range found.Signals {
			ids = append(ids, s.ID)
		}
		if err != nil || !slices.Equal(ids, test.want) || found.More != test.more {
			t.Errorf("%+v: %v, more %t, %v", test.q, ids, found.More, err)
		}
	}
	now = now.Add(time.Minute) // the lease has run out
	if found, err := b.Signals(ctx, SignalQuery{ClaimedBy: "w"}); err != nil || len(found.Signals) != 0 || found.Signals == nil {
		t.Errorf("%+v, %v", found, err)
	}
	_, err := b.Signals(ctx, SignalQuery{Statuses: []string{"lost"}})
	refused(t, err, fault.Invalid, `unknown status "lost"`)
	_, err = b.Signals(ctx, SignalQuery{Priorities: []string{"urgent"}})
	refused(t, err, fault.Invalid, `unknown priority "urgent"`)
}

// TestDetails: an entry and a signal are shown with what points at them and what happened to them,
// each event in a few words.
func TestDetails(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	if _, err := Create(ctx, t.TempDir(), "r", "", "", nil); !errors.Is(err, fault.Invalid) {
		t.Errorf("nobody made a run: %v", err)
	}
	for _, p := range []Post{{Content: "it stops"}, {Content: "it does not", Contradicts: []string{"e1"}}, {Content: "it stops at night", Supersedes: []string{"e2"}}} {
		expect.Value(b.Post(ctx, "w", p))(t)
	}
	expect.Value(b.Signal(ctx, "lead", Raise{Content: "which night?", Origin: "e1"}))(t)
	expect.Value(b.Claim(ctx, "w", "s1", time.Hour))(t)
	expect.Value(b.Link(ctx, "w", "e3", Links{Supports: []string{"e1"}, Addresses: []string{"s1"}}))(t)
	expect.Value(b.Reopen(ctx, "lead", "s1", "that is no night"))(t)
	expect.Value(b.Waive(ctx, "lead", "s1", "any night"))(t)
	e := expect.Value(b.Entry(ctx, "e1"))(t)
	if !slices.Equal(e.Linked, []Backlink{{Contradicts, "e2", "it does not"}, {Supports, "e3", "it stops at night"}}) || len(e.Raised) != 1 || e.Raised[0].ID != "s1" {
		t.Errorf("%+v", e)
	}
	s, err := b.SignalByID(ctx, "s1")
	if err != nil || !slices.Equal(s.Linked, []Backlink{{Addresses, "e3", "it stops at night"}}) || s.Signal.Status != Waived {
		t.Errorf("%+v, %v", s, err)
	}
	said := func(events []Event) (all []string) {
		for i := range events {
			all = append(all, events[i].Verb+": "+events[i].Describe())
		}
		return all
	}
	if got := said(e.History); !slices.Equal(got, []string{"post: observation, it stops", "dispute: by e2", "settle: by e3"}) {
		t.Errorf("%q", got)
	}
	if got := said(s.History); len(got) != 5 || got[0] != "signal: medium, which night?" || !strings.HasPrefix(got[1], "claim: until 2026-01-02T04:") || got[2] != "address: by e3" ||
		got[3] != "reopen: that is no night" || got[4] != "waive: any night" {
		t.Errorf("%q", got)
	}
	if events, err := b.History(ctx, "e3"); err != nil || !slices.Equal(said(events), []string{"post: observation, it stops at night", "link: supports e1", "link: addresses s1"}) {
		t.Errorf("%q, %v", said(events), err)
	}
	snap, err := b.Snapshot(ctx)
	if err != nil || !slices.Equal(backlinksOf(snap, "e1"), e.Linked) {
		t.Errorf("the snapshot has other links: %v", err)
	}
	_, err = b.Entry(ctx, "e9")
	refused(t, err, fault.NotFound, "there is no entry e9")
	_, err = b.Entry(ctx, "s1")
	refused(t, err, fault.Invalid, "s1 is a question; here the id of an entry is needed")
	_, err = b.Entry(ctx, "e99999999999999999999")
	refused(t, err, fault.NotFound, "the number is too large")
	_, err = b.SignalByID(ctx, "s9")
	refused(t, err, fault.NotFound, "there is no question s9")
	_, err = b.Link(ctx, "w", "e3", Links{Supports: []string{"e1"}})
	refused(t, err, fault.Conflict, "e3 supports e1 already")
	_, err = b.Link(ctx, "w", "e3", Links{})
	refused(t, err, fault.Invalid, "no link is given")
	_, err = b.Link(ctx, "w", "e2", Links{Supports: []string{"e1"}})
	refused(t, err, fault.Conflict, "e2 is superseded")
	_, err = b.Replay(ctx, 0)
	refused(t, err, fault.Invalid, "there is no event 0")
	_, err = b.Replay(ctx, 99)
	refused(t, err, fault.NotFound, "there is no event 99 yet")
}

// TestSameKey: a post under a key that was used is answered with the entry of that time only if it
// says nothing else.
func TestSameKey(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	half, sure := .5, 1.0
	first := Post{Content: "c", SourceDoc: "d", Evidence: "q", Confidence: &half, Tags: []string{"t"}, Key: "k"}
	for range 2 {
		if p, err := b.Post(ctx, "w", first); err != nil || p.Entry.ID != "e1" {
			t.Fatalf("%+v, %v", p, err)
		}
	}
	for words, change := range map[string]func(*Post){
		"with another content":          func(p *Post) { p.Content = "x" },
		"with the type observation":     func(p *Post) { p.Type = Gap },
		"with another source":           func(p *Post) { p.SourceRef = "7" },
		"with other evidence":           func(p *Post) { p.Evidence = "" },
		"with no must-surface":          func(p *Post) { p.MustSurface = true },
		"with another confidence":       func(p *Post) { p.Confidence = &sure },
		"with other tags":               func(p *Post) { p.Tags = nil },
		"with no link that supports e2": func(p *Post) { p.Supports = []string{"e2"} },
	} {
		p := first
		change(&p)
		if strings.Contains(words, "e2") {
			expect.Value(b.Post(ctx, "w", Post{Content: "another", Key: "other"}))(t)
		}
		_, err := b.Post(ctx, "w", p)
		refused(t, err, fault.Conflict, words)
	}
	for words, batch := range map[string][]Post{
		"posts 1 and 2 of the batch have the same key":         {{Content: "a", Key: "x"}, {Content: "b", Key: "x"}},
		"post 2 of the batch: no post of this run has the key": {{Content: "a"}, {Content: "b", Supports: []string{"@y"}}},
		"only questions can be answered":                       {{Content: "a", Key: "x"}, {Content: "b", Addresses: []string{"@x"}}},
		"@x links to itself":                                   {{Content: "a", Key: "x", Supports: []string{"@x"}}},
		"supersede each other in a cycle: @x → @y → @x":        {{Content: "a", Key: "x", Supersedes: []string{"@y"}}, {Content: "b", Key: "y", Supersedes: []string{"@x"}}},
		"the batch is empty":                                   {},
		"confidence 2 is not between":                          {{Content: "a", Confidence: new(2.0)}},
		"the content is empty":                                 {{Content: " "}},
		"the key has 5000 bytes":                               {{Content: "a", Key: strings.Repeat("k", 5000)}},
		"the entry has 65 tags":                                {{Content: "a", Tags: strings.Fields(manyWords(65))}},
		"supports: s1 is a question":                           {{Content: "a", Supports: []string{"s1"}}},
		`unknown type "rumour"`:                                {{Content: "a", Type: "rumour"}},
	} {
		_, err := b.PostBatch(ctx, "w", batch)
		var e *fault.Error
		if !errors.As(err, &e) || !strings.Contains(e.Msg, words) || len(e.Next) == 0 {
			t.Errorf("%v, want %q with a next step", err, words)
		}
	}
}

// TestCorrectAgain: a correction that is made again under its key is answered with the entry
// of the first time, also when that one was corrected since.
func TestCorrectAgain(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	correct := func(id, content, key string) (Posted, error) {
		return b.Correct(ctx, "w", id, "", func(_ *Entry, p *Post) error { p.Content, p.Key = content, key; return nil })
	}
	expect.Value(b.Post(ctx, "w", Post{Content: "a", Key: "k0", MustSurface: true}))(t)
	for i := range 3 {
		p, err := correct("e1", "b", "k")
		if err != nil || p.Entry.ID != "e2" || p.Existing != (i > 0) {
			t.Fatalf("%+v, %v", p, err)
		}
		if i == 1 {
			expect.Value(correct("e2", "c", ""))(t)
		}
	}
	_, err := correct("e1", "c", "k")
	refused(t, err, fault.Conflict, `the key "k" was used for e2, with another content`)
	for _, key := range []string{"", "other"} {
		_, err = correct("e1", "b", key)
		refused(t, err, fault.Conflict, "e1 is superseded already, by e2")
	}
}

func manyWords(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = "t" + EntryID(int64(i))
	}
	return strings.Join(words, " ")
}

// TestClaimSessions: of two sessions that use one worker's name, neither extends nor releases the
// other's claim while its lease runs. A caller without a session goes by the name alone, and
// leaves the claim with its session.
func TestClaimSessions(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b.SetNow(func() time.Time { return now })
	expect.Value(b.Signal(ctx, "lead", Raise{Content: "why?"}))(t)
	as := func(session string) *Board { b.SetSession(session); return b }
	claimed := func(session string, since *time.Time) {
		t.Helper()
		c, err := as(session).Claim(ctx, "w", "s1", time.Minute)
		if err != nil || (since == nil) != (c.Since == nil) || since != nil && !since.Equal(*c.Since) {
			t.Errorf("claimed by %q: since %v instead of %v, %v", session, c.Since, since, err)
		}
	}
	first := now
	claimed("one", nil)
	now = now.Add(time.Second)
	_, err := as("two").Claim(ctx, "w", "s1", time.Minute)
	refused(t, err, fault.Conflict, "s1 is claimed by w until 2026-01-02T03:05:05Z, in another session that uses this name")
	_, err = as("two").Release(ctx, "w", "s1", false)
	refused(t, err, fault.Conflict, "in another session that uses this name")
	claimed("one", &first)
	claimed("", &now)
	_, err = as("two").Claim(ctx, "w", "s1", time.Minute)
	refused(t, err, fault.Conflict, "in another session")
	if _, err := as("").Release(ctx, "w", "s1", false); err != nil {
		t.Error(err)
	}
	claimed("", nil)
	claimed("two", &now)
	_, err = as("one").Release(ctx, "w", "s1", false)
	refused(t, err, fault.Conflict, "in another session")
	if _, err := as("one").Release(ctx, "w", "s1", true); err != nil {
		t.Error(err)
	}
	if s, err := as("one").ClaimNext(ctx, "w", "", nil, time.Minute); err != nil || s.ID != "s1" {
		t.Errorf("%+v, %v", s, err)
	}
	_, err = as("two").Claim(ctx, "w", "s1", time.Minute)
	refused(t, err, fault.Conflict, "in another session")
	now = now.Add(time.Minute) // the lease has run out
	claimed("two", nil)
	if err := b.Check(ctx); err != nil {
		t.Error(err)
	}
}

// History returns the events of one entry or signal, oldest first.
func (b *Board) History(ctx context.Context, id string) ([]Event, error) {
	return readValue(ctx, b, func(tx *store.Tx) ([]Event, error) { return history(tx, id) })
}
