package report

import (
	"errors"
	"io"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// TestFromBoard: the digest and the page have what a board says beside its entries and signals.
func TestFromBoard(t *testing.T) {
	ctx := t.Context()
	b := expect.Value(board.OpenOrCreate(ctx, t.TempDir(), "run"))(t)
	defer b.Close()
	if err := WriteHTML(ctx, io.Discard, b, board.Policy{}, nil); !errors.Is(err, fault.NotFound) {
		t.Errorf("of no run: %v", err)
	}
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(b.PostBatch(ctx, "w", []board.Post{{Content: "<b>bold</b> finding"}, {Content: "12 rooms"},
		{Content: "14 rooms"}, {Content: "d", MustSurface: true}}))
	must(b.Post(ctx, "w", board.Post{Content: "no use", Supersedes: []string{"e4"}, DropDuty: "the test was wrong"}))
	must(b.Settle(ctx, "lead", "e2", "e3", "one is of the old version"))
	must(b.Expect(ctx, "lead", []string{"a", "b"}, false))
	must(b.Signal(ctx, "w", board.Raise{Content: "q"}))
	s := expect.Value(b.Snapshot(ctx))(t)
	var page strings.Builder
	expect.OK(t, WriteHTML(ctx, &page, b, board.Policy{}, nil))
	for want, in := range map[string]string{
		"settled with e3 by lead (one is of the old version)":                 digestOf(t, s, 0, nil).Text,
		"e4: d [dropped by w with e5: the test was wrong]":                    digestOf(t, s, 0, inOps).Text,
		"Need not surface any more, dropped by w with e5: the test was wrong": page.String(),
		"settled with":                       page.String(),
		"Expected workers <small>2</small>":  page.String(),
		"&lt;b&gt;bold&lt;/b&gt; finding":    page.String(),
		"Most questions open at once: 1, at": page.String(),
	} {
		if !strings.Contains(in, want) {
			t.Errorf("without %q", want)
		}
	}
}
