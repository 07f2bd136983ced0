package kb

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"blackboard/board/postgres"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
	"blackboard/testdata/pgtest"
)

// TestSearchRoundTrips: a search that knows the words asks for the generation, and then for the
// hits at once; one that knows nothing asks as often for thousands of capsules as for ten.
func TestSearchRoundTrips(t *testing.T) {
	home := t.TempDir()
	near, err := onServer(home)
	if errors.Is(err, pgtest.ErrNone) {
		t.Skip(err)
	}
	expect.OK(t, err)
	s, err := server()
	expect.OK(t, err)
	if !s.Own() {
		t.Skip("it needs a server of the tests' own")
	}
	proxy, err := pgtest.NewProxy(s)
	expect.OK(t, err)
	defer proxy.Close()
	far, err := postgres.Open(proxy.Through(s.URL(schemaOf(home))))
	expect.OK(t, err)
	defer far.Close()
	var now time.Time
	opt := Options{Embedder: embedtest.NewHash(384), Now: func() time.Time { return now }}
	writer, err := openFile(t.Context(), near, 1, opt)
	expect.OK(t, err)
	defer writer.Close()
	x := twin{KB: writer}
	x.fill(t, 700, &now)
	const five = "alpha beta gamma delta epsilon"
	put(t, writer, Capsule{Kind: "fact", Scope: "universal", Title: five, Body: five + " in one"}, RememberOptions{Force: true})
	for _, c := range []struct {
		mode              string
		cold, warm, moved int
	}{{ModeBM25, 4, 2, 4}, {ModeHybrid, 5, 2, 4}} {
		k, err := openFile(t.Context(), far.String(), 1, opt)
		expect.OK(t, err)
		defer k.Close()
		// The end of the read before is among them, and may be that of the one that is counted.
		search := func(what string, most int) {
			t.Helper()
			before := proxy.Asked()
			if res := ask(t, k, Query{Text: five, Mode: c.mode, Peek: true, Workspace: "/w/1"}); len(res.Hits) == 0 {
				t.Fatal("nothing was found")
			}
			if n := proxy.Asked() - before; n > most+2 {
				t.Errorf("%s, %s: the network is crossed %d times", c.mode, what, n)
			} else {
				t.Logf("%s, %s: %d", c.mode, what, n)
			}
		}
		search("cold", c.cold)
		search("known", 3) // not all vectors are in memory
		expect.OK(t, k.db.ReadIndex(t.Context(), k.index.Warm))
		search("warm", c.warm)
		search("warm again", c.warm)
		put(t, writer, Capsule{Kind: "fact", Scope: "universal", Title: fmt.Sprint("one more for ", c.mode), Body: "alpha"}, RememberOptions{Force: true})
		search("after a change", c.moved)
		search("warm after it", c.warm)
	}
}
