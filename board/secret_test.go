package board

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"blackboard/kb/secret"
	"blackboard/testdata/expect"
)

// TestSecretsAreMasked writes a token with each write that takes a text, and looks for it in all
// that the run keeps.
func TestSecretsAreMasked(t *testing.T) {
	token := "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	text := "see " + token
	for _, keep := range []bool{false, true} {
		var notes []string
		ctx := secret.Writing(t.Context(), keep, func(n []string) { notes = append(notes, n...) })
		out := exportedBytes(t, writeEverywhere(t, ctx, text))
		n, masked := strings.Count(out, token), strings.Count(out, "ghp_****")
		if keep && (n < 20 || masked > 0 || len(notes) > 0) {
			t.Errorf("kept: the token is there %d times, masked %d times: %q", n, masked, notes)
		}
		if !keep && (n > 0 || masked < 20 || len(notes) < 16) {
			t.Errorf("the token is there %d times, masked %d times: %q\n%s", n, masked, notes, out)
		}
		checkImportOf(t, out, token, keep)
	}
}

// writeEverywhere writes a text with all writes of a board.
func writeEverywhere(t *testing.T, ctx context.Context, text string) *Board {
	t.Helper()
	b, err := Create(ctx, t.TempDir(), "test", text, "ann", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	p := Post{Content: text, SourceDoc: text, SourceRef: text, Evidence: text, Tags: []string{text}}
	must(b.Post(ctx, "ann", p))
	must(b.PostBatch(ctx, "ann", []Post{{Content: "one"}, {Content: text, Evidence: text}}))
	for range 2 {
		must(b.Signal(ctx, "ann", Raise{Content: text}))
	}
	_, _, err = b.PostAddressing(ctx, "ann", "s1", Post{Content: text}, nil)
	must(nil, err)
	must(b.Reopen(ctx, "ann", "s1", text))
	must(b.Waive(ctx, "ann", "s2", text))
	must(b.Settle(ctx, "ann", "e1", "e2", text))
	must(b.Post(ctx, "ann", Post{Content: "must", MustSurface: true}))
	must(b.LinkDropping(ctx, "ann", "e2", Links{Supersedes: []string{"e5"}}, text))
	must(b.Expect(ctx, "ann", []string{"bob", "eve"}, false))
	must(b.DoneWithNote(ctx, "ann", text, "bob"))
	must(b.Drop(ctx, "ann", "eve", text))
	must(b.Set(ctx, "ann", "list", []byte(`{"a":["`+text+`"]}`), AnyVersion))
	return b
}

func exportedBytes(t *testing.T, b *Board) string {
	t.Helper()
	var out bytes.Buffer
	expect.OK(t, b.Export(t.Context(), &out))
	return out.String()
}

// checkImportOf imports an export with and without masking. What had no secret, or keeps it,
// exports to the same bytes again.
func checkImportOf(t *testing.T, export, token string, keep bool) {
	t.Helper()
	dir := t.TempDir()
	ctx := secret.Writing(t.Context(), keep, nil)
	expect.Value(Import(ctx, dir, "ann", strings.NewReader(export), ImportOptions{}))(t)
	if again := exportedBytes(t, mustOpen(t, dir, "test")); again != export {
		t.Errorf("it exports to other bytes:\n%s\nwas\n%s", again, export)
	}
	if !keep {
		return
	}
	opt := ImportOptions{Run: "other"}
	expect.Value(Import(t.Context(), dir, "ann", strings.NewReader(export), opt))(t)
	if out := exportedBytes(t, mustOpen(t, dir, "other")); strings.Contains(out, token) {
		t.Errorf("the import kept the token:\n%s", out)
	}
}

// TestSecretValues: a member's name tells that its value is a secret.
func TestSecretValues(t *testing.T) {
	b := newBoard(t)
	for value, want := range map[string]string{
		`{"api_token":"abcd1234efgh5678","n":5}`: `{"api_token":"abcd****","n":5}`,
		`{"key":"abcd1234efgh5678"}`:             `{"key":"abcd1234efgh5678"}`,
		`"a\"b"`:                                 `"a\"b"`,
	} {
		v, err := b.Set(t.Context(), "ann", "k", []byte(value), AnyVersion)
		if err != nil || string(v.Value) != want {
			t.Errorf("%s became %s, %v", value, v.Value, err)
		}
	}
	v, err := b.Set(t.Context(), "ann", "db_password", []byte(`"Tr0ub4dor&3xyz9"`), AnyVersion)
	if err != nil || string(v.Value) != `"Tr0****"` {
		t.Errorf("%s, %v", v.Value, err)
	}
}
