// Package tuitest has what the tests of the screen's packages share.
package tuitest

import (
	"context"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/page"
)

// Now is when every test happens.
var Now = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// The screens of tests are those of a machine in UTC, wherever they run.
func init() { time.Local = time.UTC }

// Do carries out a command, and what follows from it. Messages other than answers go to
// others; nil: the test fails.
func Do(tb testing.TB, cmd tea.Cmd, others func(tea.Msg) tea.Cmd) {
	tb.Helper()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			Do(tb, c, others)
		}
	case page.Answer:
		Do(tb, msg.Take(), others)
	default:
		if others == nil {
			tb.Fatalf("a message that nobody receives: %+v", msg)
		}
		Do(tb, others(msg), others)
	}
}

// FillAudit writes a run of six entries and four signals, in 17 events that end before
// Now.
func FillAudit(tb testing.TB, b *board.Board) {
	tb.Helper()
	ctx := context.Background()
	check := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	at := Now.Add(-40 * time.Minute)
	b.SetNow(func() time.Time { at = at.Add(time.Minute); return at })
	post := func(worker string, p board.Post) string {
		tb.Helper()
		posted, err := b.Post(ctx, worker, p)
		check(err)
		return posted.Entry.ID
	}
	ask := func(worker string, r board.Raise) string {
		tb.Helper()
		raised, err := b.Signal(ctx, worker, r)
		check(err)
		return raised.Signal.ID
	}
	half := 0.5
	_, err := b.Set(ctx, "ada", "phase", []byte(`"reading"`), board.AnyVersion)
	check(err)
	e1 := post("reader-1", board.Post{Content: "Access tokens never expire: the parser ignores exp",
		SourceDoc: "auth.go", SourceRef: "L42", Evidence: "if claims.Exp != 0 { /* TODO */ }",
		MustSurface: true, Tags: []string{"auth"}})
	e2 := post("reader-2", board.Post{Type: board.Calculation,
		Content:  "At 4,500 tokens a day some 1.6 million tokens are valid after a year",
		Supports: []string{e1}, Confidence: &half})
	s1 := ask("reader-1", board.Raise{Content: "Who rotates the signing keys, and how often?",
		Priority: "critical", Origin: e1})
	ask("reader-2", board.Raise{Content: "Is the refresh endpoint rate limited?",
		Priority: "high"})
	s3 := ask("reader-3",
		board.Raise{Content: "Does staging share the production key?", Priority: "high"})
	s4 := ask("reader-3", board.Raise{Content: "Are there logs of failed logins?",
		Priority: "low"})
	post("reader-3", board.Post{Type: board.Contradiction,
		Content:     "Tokens do expire: the gateway rejects them after 15 minutes",
		Contradicts: []string{e1}, SourceDoc: "gateway.yaml"})
	post("reader-2", board.Post{Type: board.Analysis,
		Content:   "Key rotation is a manual runbook step, last done in March",
		Addresses: []string{s1}})
	post("reader-1", board.Post{Type: board.Gap,
		Content: "令牌的撤销列表没有文档 🙂 no revocation list is documented anywhere",
		Tags:    []string{"auth", "docs"}})
	post("reader-2", board.Post{Type: board.Strategy,
		Content: "Put the expiry check into the parser and delete the gateway's\n\n" +
			"second line \x1b[31mred\x1b[0m", Supersedes: []string{e2}})
	_, err = b.Waive(ctx, "lead", s4, "out of scope for this audit")
	check(err)
	_, err = b.Claim(ctx, "reader-3", s3, time.Hour)
	check(err)
}
