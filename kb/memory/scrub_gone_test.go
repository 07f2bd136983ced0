package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// TestScrubbedTextIsInNoFile looks at the bytes of all files. Each scope has words of its own,
// which were in sealed segments, in pages that are free, in the WAL.
func TestScrubbedTextIsInNoFile(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	ctx, home := t.Context(), t.TempDir()
	s, alice := open(t, home, Options{}), open(t, home, Options{Agent: "alice"})
	conv, _ := expect.Values(alice.StartConversation(ctx, "", ""))(t)
	purged, _ := expect.Values(alice.StartConversation(ctx, "", "qzvkpurgedthread"))(t)
	const n = 650
	scopes := map[string]Scope{"qzvkconv": {Tier: Conversation, Conversation: conv.Ref}, "qzvkpurged": {Tier: Conversation, Conversation: purged.Ref}, "qzvkchannel": {Tier: Channel, Channel: DefaultChannel},
		"qzvkworkspace": {Tier: Workspace}, "qzvkaccount": {Tier: Account}}
	for _, word := range slices.Sorted(maps.Keys(scopes)) {
		for i, it := range stockScope(t, s, scopes[word], n, func(i int) string { return fmt.Sprintf("%s was noted %s%d", word, word, i) }) {
			switch {
			case i%10 == 0:
				expect.Value(s.Update(ctx, it.ID, UpdateOptions{}, func(it *Item) error { it.Title, it.Content = "changed", "quite another text"; return nil }))(t)
			case i%10 == 1:
				expect.Value(s.Forget(ctx, it.ID, "", ""))(t)
			}
		}
	}
	for _, tier := range []string{Workspace, Account} {
		for _, kind := range []string{Journal, Core} {
			for range 50 {
				expect.Value(alice.SaveNote(ctx, kind, tier, strings.Repeat("dear diary qzvk"+tier+" ", 40), false))(t)
			}
		}
		for i := range 3 {
			expect.Value(s.EditNamed(ctx, "LONG", tier, strings.Repeat(fmt.Sprintf("qzvknamed%s %d\n", tier, i), 1000), -1))(t)
		}
	}
	for i := range 3 {
		expect.Value(alice.WriteScratch(ctx, purged.Ref, "k", json.RawMessage(fmt.Sprintf(`"%d %s"`, i, strings.Repeat("qzvkpurged ", 2000))), false))(t)
	}
	f := expect.Value(s.file(ctx, Workspace, true))(t)
	expect.OK(t, f.Read(ctx, func(tx *sqlite.Tx) error {
		st, err := f.Index.Stats(tx)
		if st.Segments == 0 || st.Dead == 0 {
			t.Errorf("the index has no segments with dead documents: %+v", st)
		}
		return err
	}))
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
	if got, err := s.GetNamed(ctx, "LONG", ""); !errors.Is(err, fault.NotFound) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestScrubWhileOthersRead scrubs while an old snapshot is read: nobody waits for that, the scrub
// says that bytes are left, and the next dry run clears them.
func TestScrubWhileOthersRead(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	t.Parallel()
	home, ctx := t.TempDir(), t.Context()
	s, other := open(t, home, Options{}), open(t, home, Options{})
	stockScope(t, s, Scope{Tier: Workspace}, 300, func(i int) string { return fmt.Sprintf("qzvkword %d", i) })
	f := expect.Value(other.file(ctx, Workspace, false))(t)
	q := ScrubQuery{Scope: Scope{Tier: Workspace}}
	expect.OK(t, f.Read(ctx, func(tx *sqlite.Tx) error {
		count := func() (n int) {
			if err := tx.QueryRow(`SELECT count(*) FROM items`).Scan(&n); err != nil {
				t.Error(err)
			}
			return n
		}
		count()
		got, err := s.Scrub(ctx, q, manifestOf(t, s, q).Hash)
		if err != nil || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "other processes are reading") || got.Counts["live"] != 300 {
			t.Errorf("%+v, %v", got, err)
		}
		if n := count(); n != 300 {
			t.Errorf("the snapshot has %d items", n)
		}
		if left := filesWith(t, home, "qzvkword"); len(left) == 0 {
			t.Error("nothing is left that the note could be about")
		}
		return nil
	}))
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
			} else if !errors.Is(err, fault.Conflict) {
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

// TestScrubBesideOthers scrubs the workspace while others put into it, and into a channel, and
// read. Nothing of the channel is lost, and everybody finds what there is.
func TestScrubBesideOthers(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	home, ctx := t.TempDir(), t.Context()
	s := open(t, home, Options{Embedder: bag{}})
	put(t, s, Item{Tier: Workspace, Content: "first"})
	const each = 60
	var wg sync.WaitGroup
	for i := range 3 {
		own := open(t, home, Options{Embedder: bag{}})
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
		m := expect.Value(s.ScrubManifest(ctx, q))(t)
		got, err := s.Scrub(ctx, q, m.Hash)
		if err != nil && !errors.Is(err, fault.Conflict) { // somebody put something meanwhile, or nothing is there
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

// FuzzScrubConfirm feeds what somebody might confirm. Nothing but a manifest's hash, to the byte,
// is taken for one, and only the manifest's own removes something.
func FuzzScrubConfirm(f *testing.F) {
	home := f.TempDir()
	s := expect.Value(Open(home, Options{Workspace: filepath.Join(home, "project"), Author: true}))(f)
	f.Cleanup(func() { s.Close() })
	put(f, s, Item{Tier: Workspace, Content: "stays"})
	q := ScrubQuery{Scope: Scope{Tier: Workspace}}
	hash := manifestOf(f, s, q).Hash
	for _, seed := range []string{"", "yes", hash, hash + "1", " " + hash, strings.Repeat("0f", 16),
		strings.Repeat("a", 31) + "A", strings.Repeat("é", 16)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, confirm string) {
		if err := checkScrubHash(confirm); err != nil {
			var e *fault.Error
			if !errors.Is(err, fault.Invalid) || !errors.As(err, &e) || len(e.Next) == 0 {
				t.Errorf("%q: %v", confirm, err)
			}
		}
		if strings.TrimSpace(confirm) == hash {
			return
		}
		if got, err := s.Scrub(t.Context(), q, confirm); !errors.Is(err, fault.Invalid) && !errors.Is(err, fault.Conflict) {
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
		s := expect.Value(Open(home, Options{Workspace: filepath.Join(home, "project"), Author: true, Embedder: bag{}}))(b)
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
