package board

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestNeeds: a run says what it waits for: its workers, the longest silent first, its questions,
// other reasons, or its report.
func TestNeeds(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	wants := func(by Policy, want ...string) {
		t.Helper()
		st, err := b.State(ctx)
		check(err)
		v, err := b.Gate(ctx, by)
		check(err)
		var got []string
		for _, n := range needs(&st, &v) {
			got = append(got, fmt.Sprint(n.Kind, " ", n.Worker, " ", n.ID, n.Priority, n.Claimed))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q instead of %q", got, want)
		}
	}
	_, err := b.Expect(ctx, "lead", []string{"w", "x"}, false)
	check(err)
	wants(Policy{}, "worker w ", "worker x ") // that nothing was posted yet asks nobody for anything
	_, err = b.Post(ctx, "w", Post{Content: "Tokens never expire"})
	check(err)
	wants(Policy{}, "worker x ", "worker w ")
	_, err = b.Signal(ctx, "w", Raise{Content: "Who rotates the keys?", Priority: "high"})
	check(err)
	_, err = b.Claim(ctx, "x", "s1", time.Minute)
	check(err)
	_, err = b.Done(ctx, "w", "w")
	check(err)
	wants(Policy{MinEntries: 9, RequireSource: true}, "worker x ", "question w s1highx")
	_, err = b.Post(ctx, "w", Post{Content: "Keys rotate", MustSurface: true})
	check(err)
	wants(Policy{RequireSource: true}, "worker x ", "question w s1highx", "gate w e2")
	_, err = b.Waive(ctx, "lead", "s1", "the vendor answers in May")
	check(err)
	_, err = b.Done(ctx, "x", "x")
	check(err)
	wants(Policy{}, "report  ")
	check(b.RecordCheck(ctx, "ci", failing(1, "report.md")))
	wants(Policy{}, "failed ci ", "report  ")
	check(b.RecordCheck(ctx, "ci", failing(0, "report.md")))
	wants(Policy{}, "report  ")
	for i := range 2 * maxNeeds {
		_, err = b.Signal(ctx, "w", Raise{Content: fmt.Sprint("Question number ", i), Priority: "high"})
		check(err)
	}
	st, err := b.State(ctx)
	check(err)
	v, err := b.Gate(ctx, Policy{})
	check(err)
	if n := len(needs(&st, &v)); n != maxNeeds {
		t.Errorf("%d needs are kept", n)
	}
	// Many workers leave room for what else there is.
	var many []string
	for i := range 2 * maxNeeds {
		many = append(many, fmt.Sprint("w", i))
	}
	_, err = b.Expect(ctx, "lead", many, false)
	check(err)
	check(b.RecordCheck(ctx, "ci", failing(1, "report.md")))
	wants(Policy{}, "worker w0 ", "worker w1 ", "worker w2 ", "worker w3 ", "failed ci ", "question w s2high",
		"question w s3high", "question w s4high")
}
