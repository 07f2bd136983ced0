package kb

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
)

// TestIngestNamesFile: what only a file's name says finds its sections, and is not shown.
func TestIngestNamesFile(t *testing.T) {
	k := newKB(t, nil)
	dir := t.TempDir()
	write(t, dir, "ferry.md", "# Command reference\n\n## Options\n\nHow many at once.\n")
	write(t, dir, "kelp.md", "# Command reference\n\n## Options\n\nHow many at once.\n")
	ingest(t, k, dir)
	r := ask(t, k, Query{Text: "ferry options"})
	if len(r.Hits) < 2 || r.Hits[0].Title != "Command reference › Options" || !strings.HasSuffix(r.Hits[0].Ingested.File, "ferry.md") || r.Hits[0].Evidence <= r.Hits[1].Evidence {
		t.Errorf("%+v", r.Hits)
	}
}

// TestIngestCutAnew: what was ingested by an older way to cut is found until it is ingested
// again, which leaves nothing of it.
func TestIngestCutAnew(t *testing.T) {
	k := newKB(t, nil)
	dir := t.TempDir()
	write(t, dir, "expire.md", "Removes files.\n\n## Options\n\nHow old they may be.\n")
	ingest(t, k, dir)
	execute(t, k, `UPDATE ingested SET sha256 = substr(sha256, CAST(instr(sha256, ':') + 1 AS INTEGER))`)
	if r := ingest(t, k, dir); r.Unchanged != 1 || r.Capsules+r.Removed != 0 {
		t.Errorf("nothing is cut otherwise: %+v", r)
	}
	execute(t, k, `UPDATE ingested SET sha256 = substr(sha256, CAST(instr(sha256, ':') + 1 AS INTEGER))`)
	if err := k.change(t.Context(), func(ch *change) error {
		old, err := capsulesWhere(ch.tx, `title = 'expire › Options'`)
		if err != nil {
			return err
		}
		now := old[0]
		now.Title = "Options"
		return ch.update(&old[0], &now, nil, VerbIngested, "", "")
	}); err != nil {
		t.Fatal(err)
	}
	if r := ask(t, k, Query{Text: "options"}); len(r.Hits) != 1 {
		t.Errorf("before: %+v", r.Hits)
	}
	if r := ingest(t, k, dir); len(r.Changed) != 1 || r.Capsules != 1 || r.Removed != 1 || r.Kept != 1 {
		t.Errorf("cut anew: %+v", r)
	}
	if r := ingest(t, k, dir); r.Unchanged != 1 || r.Capsules != 0 {
		t.Errorf("again: %+v", r)
	}
	all, _, err := k.List(t.Context(), ListQuery{})
	if err != nil || len(all) != 2 || !slices.ContainsFunc(all, func(c Capsule) bool { return c.Title == "expire › Options" }) {
		t.Errorf("%+v, %v", all, err)
	}
	mirrored(t, k)
}

func ingest(tb testing.TB, k *KB, path string) IngestedAll {
	tb.Helper()
	r, err := k.Ingest(tb.Context(), []string{path}, IngestOptions{Scope: "universal"})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func write(tb testing.TB, dir, name, text string) {
	tb.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// TestIngestMasks: a document with what looks like secrets is taken in with these masked, also
// one that is longer than a part of a section, and told of: where, by which rule, how often.
func TestIngestMasks(t *testing.T) {
	k := newKB(t, nil)
	dir := t.TempDir()
	token := func(c string) string { return "ghp_" + c + "1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ" }
	line := "MIIEpAIBAAKCAQEA3xZ0q1bV7Jt5dWm9Rk2sLcYfHn8uPoQeXwTzAgBhCiDjEkFl\n"
	key := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat(line, 120) + "-----END RSA " + "PRIVATE KEY-----\n"
	write(t, dir, "keys.md", "# Keys\n\nText.\n\n## Tokens\n\n"+token("a")+" or "+token("b")+"\n\n## Pairs\n\n```\n"+key+"```\n\n## After\n\nThe end.\n")
	r := ingest(t, k, dir)
	if len(r.Refused) != 0 || r.Capsules != 4 || len(r.Masked) != 2 ||
		!strings.HasSuffix(r.Masked[0].From, "keys.md:5") || r.Masked[0].Title != "Keys › Tokens" || r.Masked[0].Rule != "github-pat" || r.Masked[0].Count != 2 ||
		r.Masked[1].Title != "Keys › Pairs" || r.Masked[1].Count != 1 {
		t.Errorf("%+v", r)
	}
	all, _, err := k.List(t.Context(), ListQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if strings.Contains(c.Body, "1B2c3D4e") || strings.Contains(c.Body, "MIIEpAIB") {
			t.Errorf("%s has a secret: %q", c.Title, c.Body)
		}
		if c.Title == "Keys › After" && !strings.HasSuffix(c.Source, ":136") {
			t.Errorf("lines are counted otherwise: %s", c.Source)
		}
	}
	if _, err := k.Remember(t.Context(), Capsule{Title: "key", Body: token("a")}, RememberOptions{}); !errors.Is(err, fault.Conflict) {
		t.Errorf("a capsule with a secret: %v", err)
	}
	if r := ingest(t, k, dir); r.Unchanged != 1 || len(r.Masked) != 0 {
		t.Errorf("again: %+v", r)
	}
}
