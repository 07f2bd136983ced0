package board

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blackboard/board/claims"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/survival"
	"blackboard/board/verify"
	"blackboard/testdata/expect"
)

// doubtedRun has e1 of ann, whose quote is wrong, s1 of ben, which is open, and e2 of ann, of
// which the board has no verdict.
func doubtedRun(t *testing.T) (*Board, VerifyOptions) {
	t.Helper()
	b := newBoard(t)
	path := filepath.Join(t.TempDir(), "key.md")
	expect.OK(t, os.WriteFile(path, []byte("The key is rotated every 90 days.\n"), 0o644))
	for _, p := range []Post{{Content: "The key is rotated every 80 days", SourceDoc: "key.md",
		Evidence: "rotated every 80 days", MustSurface: true}, {Content: "Nobody knows the key"}} {
		expect.Value(b.Post(t.Context(), "ann", p))(t)
	}
	expect.Value(b.Signal(t.Context(), "ben", Raise{Content: "Who rotates the key?", Priority: "low"}))(t)
	opt := VerifyOptions{Files: []verify.File{{Name: "key.md", Path: path}}}
	expect.Value(b.Verify(t.Context(), "ci", opt))(t)
	return b, opt
}

func doubtOf(t *testing.T, b *Board, id string) *Verification {
	t.Helper()
	d := expect.Value(b.Entry(t.Context(), id))(t)
	return d.Entry.Verified
}

func accepting(t *testing.T, b *Board, worker string, a AcceptRequest, want error) claims.Acceptance {
	t.Helper()
	got, err := b.Accept(t.Context(), worker, a)
	if want == nil && err != nil || want != nil && !errors.Is(err, want) {
		t.Errorf("%s, %+v: %v", worker, a, err)
	}
	return got
}

// TestAccept: another worker accepts a doubt, or a person; nobody their own, twice, or without
// a reason; and a verdict that was not written counts as well.
func TestAccept(t *testing.T) {
	b, opt := doubtedRun(t)
	v := doubtOf(t, b, "e1")
	if !claims.IsDoubt(v.Doubt) || v.Holds() {
		t.Fatalf("%+v", v)
	}
	for worker, a := range map[string]AcceptRequest{"ann": {ID: v.Doubt, Reason: "mine"}} {
		accepting(t, b, worker, a, fault.Conflict)
	}
	accepting(t, b, "ben", AcceptRequest{ID: "e1", Reason: " "}, fault.Invalid)
	accepting(t, b, "ben", AcceptRequest{ID: "e2", Reason: "x"}, fault.NotFound)
	accepting(t, b, "ben", AcceptRequest{ID: "s1", Reason: "x"}, fault.Invalid)
	accepting(t, b, "ben", AcceptRequest{ID: "e1", Reason: "x", Revoke: true}, fault.Conflict)
	a := accepting(t, b, "ann", AcceptRequest{ID: "e1", Reason: "I looked", Person: true}, nil)
	if a.Doubt != v.Doubt || a.ID != "e1" || a.Check != "verify" || !a.Person {
		t.Errorf("%+v", a)
	}
	accepting(t, b, "ben", AcceptRequest{ID: v.Doubt, Reason: "x"}, fault.Conflict)
	if v = doubtOf(t, b, "e1"); !v.Holds() || v.Sound() || v.Mark() != "~ accepted" ||
		!strings.HasSuffix(v.Describe(), "accepted by ann: I looked") {
		t.Errorf("%+v", v)
	}
	opt.NoRecord = true
	r, err := b.Verify(t.Context(), "ci", opt)
	if err != nil || !r.Passed || r.Accepted != 1 || r.Doubted != 0 || r.Checked != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	strict := Policy{RequireVerified: true, Block: []string{}}
	err = b.Moment(t.Context(), func(m *Moment) error {
		for _, unwritten := range [][]*verify.Result{nil, {&r}} {
			if got, err := m.Gate(strict, unwritten...); err != nil || !got.Open {
				t.Errorf("%+v, %v", got.Reasons, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := b.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAcceptMissing: what no report has may be accepted, of entries and of questions, and what a report says
// otherwise. That ends when the nearest passage says something else, not when it is laid out anew.
func TestAcceptMissing(t *testing.T) {
	b, _ := doubtedRun(t)
	check := func(report string) survival.Result {
		s := expect.Value(b.Survival(t.Context(), documents.NewSource("r.md", report)))(t)
		return s
	}
	s := check("Nothing.\n")
	if s.Missing != 2 || s.Items[0].Doubt == "" || s.Items[1].Doubt == "" {
		t.Fatalf("%+v", s.Items)
	}
	accepting(t, b, "ben", AcceptRequest{ID: s.Items[1].Doubt, Reason: "mine"}, fault.Conflict)
	accepting(t, b, "ann", AcceptRequest{ID: s.Items[1].Doubt, Reason: "of no interest"}, nil)
	accepting(t, b, "ben", AcceptRequest{ID: s.Items[0].Doubt, Reason: "in the appendix"}, nil)
	if s = check("Nothing.\n"); s.Missing != 0 || s.Accepted != 2 || !s.Passed || s.Present() != 0 {
		t.Errorf("%+v", s)
	}
	const says = "Who rotates the key? The key is rotated every 70 days."
	if s = check(says); s.Missing != 1 || s.Items[0].Doubt == "" || s.Accepted != 0 {
		t.Errorf("%+v", s.Items)
	}
	accepting(t, b, "ben", AcceptRequest{ID: s.Items[0].Doubt[:6], Reason: "no passage"}, fault.NotFound)
	accepting(t, b, "ben", AcceptRequest{ID: s.Items[0].Doubt, Reason: "it will be 70"}, nil)
	for report, accepted := range map[string]int{says: 1, "# Keys\n\nWho rotates the key?\nThe *key* is  rotated\nevery 70 days\n": 1,
		strings.Replace(says, "70", "60", 1): 0, strings.Replace(says, "is rotated", "is to be rotated", 1): 0} {
		if s = check(report); s.Accepted != accepted || s.Missing != 1-accepted {
			t.Errorf("%q: %+v", report, s.Items[0])
		}
	}
}

// TestAcceptanceEnds: with the finding and with its source; at an earlier moment it was not there
// yet; and an export tells of it, as does one of an older program, which names no doubts.
func TestAcceptanceEnds(t *testing.T) {
	b, opt := doubtedRun(t)
	accepting(t, b, "ben", AcceptRequest{ID: "e1", Reason: "the draft"}, nil)
	was := expect.Value(b.At(t.Context(), doubtOf(t, b, "e1").Seq))(t)
	if d, err := was.Entry(t.Context(), "e1"); err != nil || d.Entry.Verified.Accepted != nil {
		t.Errorf("%+v, %v", d.Entry.Verified, err)
	}
	var export bytes.Buffer
	expect.OK(t, b.Export(t.Context(), &export))
	old := regexp.MustCompile(`,"doubt":"[^"]*","accepted":\{[^}]*\}`).ReplaceAllString(export.String(), "")
	if old == export.String() {
		t.Error("the export says nothing of it")
	}
	for name, text := range map[string]string{"new": export.String(), "old": old} {
		dir := t.TempDir()
		expect.Value(Import(context.Background(), dir, "ci", strings.NewReader(text),
			ImportOptions{Run: name}))(t)
		c := expect.Value(Open(t.Context(), dir, name))(t)
		if !doubtOf(t, c, "e1").Holds() || c.Check(t.Context()) != nil {
			t.Errorf("%s: %+v", name, doubtOf(t, c, "e1"))
		}
		c.Close()
	}
	elsewhere := filepath.Join(t.TempDir(), "key.md") // as on another machine
	expect.OK(t, os.WriteFile(elsewhere, []byte("The key is rotated every 90 days.\n"), 0o644))
	there := VerifyOptions{Files: []verify.File{{Name: "key.md", Path: elsewhere}}}
	if r, err := b.Verify(t.Context(), "ci", there); err != nil || r.Accepted != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	expect.OK(t, os.WriteFile(opt.Files[0].Path, []byte("The key is rotated every 60 days.\n"), 0o644))
	if r, err := b.Verify(t.Context(), "ci", opt); err != nil || r.Passed || r.Accepted != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if v := doubtOf(t, b, "e1"); v.Holds() {
		t.Errorf("%+v", v)
	}
	accepting(t, b, "ben", AcceptRequest{ID: "e1", Reason: "the draft"}, nil)
	expect.Value(b.Correct(t.Context(), "ann", "e1", "", func(_ *Entry, p *Post) error { p.Content += ", by hand"; return nil }))(t)
	if r, err := b.Verify(t.Context(), "ci", opt); err != nil || r.Passed || r.Accepted != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
