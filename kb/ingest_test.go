package kb

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
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
	expect.OK(t, k.change(t.Context(), func(ch *change) error {
		old, err := capsulesWhere(ch.tx, `title = 'expire › Options'`)
		if err != nil {
			return err
		}
		now := old[0]
		now.Title = "Options"
		return ch.update(&old[0], &now, nil, VerbIngested, "", "")
	}))
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

// TestIngestDryRun: a dry run counts what the real run then does, and changes nothing.
func TestIngestDryRun(t *testing.T) {
	k := newKB(t, nil)
	dir := t.TempDir()
	for i, step := range []struct {
		text    string
		prune   bool
		force   bool
		written int
		kept    int
		removed int
	}{
		{text: "# A\n\none\n\n# B\n\ntwo\n\n# C\n\nthree\n", written: 3},
		{text: "# A\n\none\n\n# Other\n\ntwo\n\n# C\n\nthree\n", written: 1, kept: 2, removed: 1},
		{text: "# A\n\none\n\n# A\n\none\n\n# C\n\nthree\n", written: 1, kept: 2, removed: 1},
		{text: "# C\n\nthree\n\n# A\n\none\n", kept: 2, removed: 1},
		{text: "# C\n\nthree\n\n# A\n\none\n", force: true}, // unchanged
		{prune: true, removed: 2},
	} {
		if write(t, dir, "a.md", step.text); step.prune {
			os.Remove(filepath.Join(dir, "a.md"))
		}
		before, _ := expect.Values(k.List(t.Context(), ListQuery{}))(t)
		opt := IngestOptions{Scope: "universal", Prune: step.prune, Force: step.force, DryRun: true}
		dry := expect.Value(k.Ingest(t.Context(), []string{dir}, opt))(t)
		after, _, err := k.List(t.Context(), ListQuery{})
		if err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("step %d: the dry run changed something: %v, %v", i, after, err)
		}
		opt.DryRun = false
		real := expect.Value(k.Ingest(t.Context(), []string{dir}, opt))(t)
		if !reflect.DeepEqual(dry, real) || real.Capsules != step.written ||
			real.Kept != step.kept || real.Removed != step.removed {
			t.Errorf("step %d: dry %+v\nreal %+v", i, dry, real)
		}
	}
}

func ingest(tb testing.TB, k *KB, path string) IngestedAll {
	tb.Helper()
	return expect.Value(k.Ingest(tb.Context(), []string{path}, IngestOptions{Scope: "universal"}))(tb)
}

func write(tb testing.TB, dir, name, text string) {
	tb.Helper()
	expect.OK(tb, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
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
	all, _ := expect.Values(k.List(t.Context(), ListQuery{}))(t)
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
