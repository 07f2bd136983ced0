package postgres_test

import (
	"fmt"
	"testing"

	"blackboard/board"
	"blackboard/board/postgres"
	"blackboard/testdata/expect"
	"blackboard/testdata/pgtest"
)

// TestRoundTrips: how often the network is crossed does not grow with what is asked for.
func TestRoundTrips(t *testing.T) {
	if !postgres.Server().Own() {
		t.Skip("it needs a server of the tests' own")
	}
	proxy := expect.Value(pgtest.NewProxy(postgres.Server()))(t)
	defer proxy.Close()
	u := proxy.Through(schemaOf(t, "trips"))
	dir := expect.Value(board.UseDatabase(u))(t)
	defer postgres.At(dir).Close()
	r := expect.Value(board.Create(t.Context(), dir, "r", "", "w", nil))(t)
	post := func(links ...string) func() error {
		return func() error {
			_, err := r.Post(t.Context(), "w", board.Post{Content: "Tokens never expire", SourceDoc: "auth.go", SourceRef: "42", Supports: links})
			return err
		}
	}
	for range 40 {
		expect.OK(t, post()())
	}
	other := expect.Value(board.UseDatabase(schemaOf(t, "trips_copy")))(t)
	to := expect.Value(board.UseDatabase(proxy.Through(schemaOf(t, "trips_to"))))(t)
	defer postgres.At(to).Close()
	var batch []board.Post
	for i := range 1000 {
		batch = append(batch, board.Post{Content: fmt.Sprint("Finding ", i), Tags: []string{"t"}})
	}
	many, err := board.Create(t.Context(), other, "many", "", "w", nil)
	if err == nil {
		_, err = many.PostBatch(t.Context(), "w", batch)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		most int
		do   func() error
	}{
		// The end of the read before is among them, and may be that of the one that is counted.
		{"a post: its turn, the next id, the event, the entry, the commit", 5 + 1, post()},
		{"a post with two links", 12 + 1, post("e1", "e2")},
		{"a query of 40 entries", 4 + 2, func() error { _, err := r.Query(t.Context(), board.Query{Limit: 40}); return err }},
		{"a gate", 8 + 2, func() error { _, err := r.Gate(t.Context(), board.Policy{}); return err }},
		{"the copy of a run of 1,000 entries", 50, func() error { _, err := board.Copy(t.Context(), other, to, "many"); return err }},
	} {
		if _, err := r.State(t.Context()); err != nil { // which has a connection ready
			t.Fatal(err)
		}
		before := proxy.Asked()
		if err := c.do(); err != nil {
			t.Fatal(c.what, err)
		}
		if n := proxy.Asked() - before; n > c.most {
			t.Errorf("%s: the network is crossed %d times", c.what, n)
		} else {
			t.Logf("%s: %d", c.what, n)
		}
	}
}
