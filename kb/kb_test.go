package kb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/embed/embedtest"
	"blackboard/kb/index"
)

// TestMain lets the test binary be a writer process of its own (see child).
func TestMain(m *testing.M) {
	for name, run := range map[string]func(string) error{"BOARD_KB_TEST_CHILD": child, "BOARD_KB_TEST_KILLED": killedChild, "BOARD_KB_TEST_INGEST": ingestChild} {
		if arg := os.Getenv(name); arg != "" {
			if err := run(arg); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	code := m.Run()
	for _, dir := range benchDirs {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func openKB(tb testing.TB, home string, opt Options) *KB {
	tb.Helper()
	k, err := Open(context.Background(), home, opt)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { k.Close() })
	return k
}

func newKB(tb testing.TB, emb embed.Embedder) *KB {
	tb.Helper()
	return openKB(tb, tb.TempDir(), Options{Embedder: emb})
}

// put stores a capsule that must be taken.
func put(tb testing.TB, k *KB, c Capsule, opt ...RememberOptions) Capsule {
	tb.Helper()
	if len(opt) == 0 {
		opt = []RememberOptions{{}}
	}
	r, err := k.Remember(context.Background(), c, opt[0])
	if err != nil {
		tb.Fatalf("remember %q: %v", c.Title, err)
	}
	return r.Capsule
}

func ask(tb testing.TB, k *KB, q Query) Result {
	tb.Helper()
	r, err := k.Search(context.Background(), q)
	if err != nil {
		tb.Fatalf("search %.60q: %v", q.Text, err)
	}
	return r
}

func titles(hits []Hit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.Title)
	}
	return out
}

// refused checks an error's kind and that it says what to do next, and returns it.
func refused(tb testing.TB, err error, kind error, words string) *Error {
	tb.Helper()
	var e *Error
	if !errors.Is(err, kind) || !errors.As(err, &e) || e.Try() == "" || !strings.Contains(err.Error(), words) {
		tb.Fatalf("the error is %v, not %v about %q with a next step", err, kind, words)
	}
	return e
}

func execute(tb testing.TB, k *KB, stmt string, args ...any) {
	tb.Helper()
	if err := k.db.Write(context.Background(), func(tx *sqlite.Tx) error {
		_, err := tx.Exec(stmt, args...)
		return err
	}); err != nil {
		tb.Fatal(err)
	}
}

func sound(tb testing.TB, k *KB) {
	tb.Helper()
	if err := k.Check(context.Background()); err != nil {
		tb.Error(err)
	}
}

// flaky fails for texts that contain a word, and counts the texts.
type flaky struct {
	embed.Embedder
	on    string
	texts int
}

func (f *flaky) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	f.texts += len(texts)
	for _, t := range texts {
		if f.on != "" && strings.Contains(t, f.on) {
			return nil, &embed.Error{Kind: embed.ErrBadModel, Msg: "it broke"}
		}
	}
	return f.Embedder.Embed(ctx, texts)
}

// renamed is the same model under another name.
type renamed struct {
	embed.Embedder
	name string
}

func (r renamed) Model() embed.Model {
	m := r.Embedder.Model()
	m.Name = r.name
	return m
}

func TestRememberGivesBackWhatGetFinds(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 8_000_000, time.UTC)
	k := openKB(t, t.TempDir(), Options{Embedder: embedtest.NewHash(64), Now: func() time.Time { return now }})
	sure := 0.75
	full := put(t, k, Capsule{Kind: "recipe", Scope: "project", Title: "  A title ", Body: "Line one\n\n  line two", Tags: []string{"b", "a", "b "}, DomainTags: []string{"d"}, Source: "x.go:1",
		Confidence: &sure, VerifiedBy: "me", Refs: []string{"e12", "z", "a"}, Workspace: "/w", Project: "p",
		// What only the knowledge base decides:
		ID: "k000000000", SupersededBy: "k000000000", DecayScore: 9, Created: now.Add(time.Hour), Retrieved: &now, Model: "m", Dim: 3})
	bare := put(t, k, Capsule{Title: "bare", Body: "b"})
	for _, c := range []Capsule{full, bare} {
		got, err := k.Get(t.Context(), c.ID)
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%+v, %v\nis not what Remember gave back\n%+v", got, err, c)
		}
		if got.Tags == nil || got.DomainTags == nil || got.Supersedes == nil || got.Refs == nil {
			t.Errorf("%s has a list that is null", got.Title)
		}
	}
	if full.ID == "k000000000" || full.SupersededBy != "" || full.DecayScore != 0 || full.Retrieved != nil || full.Model != "hash" || full.Dim != 64 || !full.Created.Equal(now) ||
		full.Title != "A title" || !slices.Equal(full.Tags, []string{"a", "b"}) || !slices.Equal(full.Refs, []string{"e12", "z", "a"}) || full.Body != "Line one\n\n  line two" {
		t.Errorf("%+v", full)
	}
	if bare.Kind != "fact" || bare.Scope != "universal" || bare.Confidence != nil {
		t.Errorf("the defaults are %+v", bare)
	}
	if c := put(t, k, Capsule{Title: "placed", Body: "b", Workspace: "/w"}); c.Scope != "workspace" {
		t.Errorf("with a workspace the scope is %s", c.Scope)
	}
	sound(t, k)
}

func TestWarnings(t *testing.T) {
	k := newKB(t, nil)
	zero := 0.0
	for i, test := range []struct {
		c    Capsule
		want string
	}{
		{Capsule{}, "source|confidence"}, {Capsule{Source: "x"}, "confidence"}, {Capsule{Confidence: &zero}, "source"}, {Capsule{Source: "x", Confidence: &zero}, ""},
	} {
		test.c.Title, test.c.Body = fmt.Sprint(i), "b"
		r, err := k.Remember(t.Context(), test.c, RememberOptions{})
		if err != nil || r.Warnings == nil {
			t.Fatal(r.Warnings, err)
		}
		var words []string
		for _, w := range r.Warnings {
			words = append(words, strings.Fields(w)[3])
		}
		if got := strings.TrimRight(strings.Join(words, "|"), ":"); strings.ReplaceAll(got, ":", "") != test.want {
			t.Errorf("%d: %q, not %q", i, got, test.want)
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	k := newKB(t, nil)
	nan, high, low := math.NaN(), 1.01, -0.01
	good := Capsule{Title: "t", Body: "b", Workspace: "/w"}
	for name, test := range map[string]struct {
		change func(*Capsule)
		words  string
	}{
		"no title":            {func(c *Capsule) { c.Title = " \t" }, "the title is empty"},
		"long title":          {func(c *Capsule) { c.Title = strings.Repeat("x", MaxTitle+1) }, "301 bytes"},
		"two lines":           {func(c *Capsule) { c.Title = "a\nb" }, "more than one line"},
		"escape":              {func(c *Capsule) { c.Title = "a\x1b[0m" }, "control characters"},
		"title is bytes":      {func(c *Capsule) { c.Title = "caf\xe9" }, "not valid UTF-8"},
		"no body":             {func(c *Capsule) { c.Body = "\n \n" }, "the body is empty"},
		"long body":           {func(c *Capsule) { c.Body = strings.Repeat("x", MaxBody+1) }, "65537 bytes"},
		"NUL":                 {func(c *Capsule) { c.Body = "a\x00b" }, "NUL"},
		"kind":                {func(c *Capsule) { c.Kind = "Fact" }, "kind"},
		"scope":               {func(c *Capsule) { c.Scope = "global" }, "scope"},
		"homeless":            {func(c *Capsule) { c.Scope, c.Workspace = "workspace", "" }, "names no workspace"},
		"NaN":                 {func(c *Capsule) { c.Confidence = &nan }, "NaN"},
		"too sure":            {func(c *Capsule) { c.Confidence = &high }, "1.01"},
		"less than a guess":   {func(c *Capsule) { c.Confidence = &low }, "-0.01"},
		"empty tag":           {func(c *Capsule) { c.Tags = []string{"a", " "} }, "a tag is empty"},
		"comma":               {func(c *Capsule) { c.DomainTags = []string{"a,b"} }, "comma"},
		"long tag":            {func(c *Capsule) { c.Tags = []string{strings.Repeat("x", MaxTag+1)} }, "a tag has 101 bytes"},
		"many tags":           {func(c *Capsule) { c.Tags = strings.Fields(strings.Repeat("x ", 1) + numbers(MaxTags)) }, "65 tags"},
		"long source":         {func(c *Capsule) { c.Source = strings.Repeat("x", MaxField+1) }, "the source"},
		"bytes for a project": {func(c *Capsule) { c.Project = "\xff" }, "the project"},
		"empty reference":     {func(c *Capsule) { c.Refs = []string{""} }, "a reference is empty"},
		"bad id":              {func(c *Capsule) { c.Supersedes = []string{"e12"} }, "no capsule id"},
		"shouted id":          {func(c *Capsule) { c.Supersedes = []string{"K3F9X0C2MA"} }, "no capsule id"},
	} {
		c := good
		test.change(&c)
		_, err := k.Remember(t.Context(), c, RememberOptions{Force: true})
		t.Run(name, func(t *testing.T) { refused(t, err, ErrInvalid, test.words) })
		if (c.Check() == nil) != (err == nil) {
			t.Errorf("%s: Check says %v, Remember %v", name, c.Check(), err)
		}
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	if all, _, err := k.List(t.Context(), ListQuery{}); err != nil || len(all) > 0 {
		t.Errorf("%d of them were stored, %v", len(all), err)
	}
	// What just fits.
	edge := Capsule{Title: strings.Repeat("é", MaxTitle/2), Body: strings.Repeat("x", MaxBody), Source: strings.Repeat("x", MaxField), Tags: strings.Fields(numbers(MaxTags)), Scope: "universal",
		// Longer than the index's keywords may be, and cut inside a letter for some lengths.
		Workspace: "/" + strings.Repeat("é", 800), Project: strings.Repeat("日", 500)}
	put(t, k, edge)
	for i := range 3 {
		edge.Title, edge.Project = fmt.Sprint("shift ", i), strings.Repeat("x", i)+strings.Repeat("日", 500)
		id := put(t, k, edge).ID
		if r := ask(t, k, Query{Text: "shift", Projects: []string{edge.Project}, Workspaces: []string{edge.Workspace}}); len(r.Hits) != 1 || r.Hits[0].ID != id {
			t.Errorf("a long project finds %q", titles(r.Hits))
		}
	}
	sound(t, k)
}

func numbers(n int) string {
	return strings.Trim(fmt.Sprint(rand.New(rand.NewPCG(1, 1)).Perm(n)), "[]")
}

func TestOtherErrors(t *testing.T) {
	home := t.TempDir()
	_, err := OpenExisting(t.Context(), home, Options{})
	refused(t, err, ErrNotFound, "there is no knowledge base")
	if files, _ := os.ReadDir(home); len(files) > 0 {
		t.Errorf("looking for one made %v", files)
	}
	k := openKB(t, home, Options{})
	c := put(t, k, Capsule{Title: "t", Body: "b"})
	_, err = k.Get(t.Context(), "k000000000")
	if e := refused(t, err, ErrNotFound, "k000000000"); e.ID != "k000000000" {
		t.Errorf("the error names %q", e.ID)
	}
	for _, id := range []string{"", "k", c.ID + "0", "k00000000l", strings.Repeat("k", 1000)} { // l is not in the alphabet
		_, err = k.Get(t.Context(), id)
		refused(t, err, ErrInvalid, "is no capsule id")
		if len(err.Error()) > 200 {
			t.Errorf("the error repeats %d bytes", len(err.Error()))
		}
	}
	for words, q := range map[string]Query{
		"nothing to search for": {Text: " \n"}, `mode "x"`: {Text: "t", Mode: "x"}, `fusion "x"`: {Text: "t", Fusion: "x"}, "limit of -1": {Text: "t", Limit: -1}, "limit of 1001": {Text: "t", Limit: 1001},
		"floor 2": {Text: "t", Floor: 2}, "floor NaN": {Text: "t", Floor: math.NaN()}, `kind "x"`: {Text: "t", Kinds: []string{"fact", "x"}}, `scope "x"`: {Text: "t", Scopes: []string{"x"}},
	} {
		_, err := k.Search(t.Context(), q)
		refused(t, err, ErrInvalid, words)
	}
	for _, mode := range []string{ModeHybrid, ModeVector} {
		_, err := k.Search(t.Context(), Query{Text: "t", Mode: mode})
		refused(t, err, embed.ErrNoModel, "no embedding model")
	}
	for words, q := range map[string]ListQuery{"limit": {Limit: -1}, `kind "x"`: {Kinds: []string{"x"}}, `scope "x"`: {Scopes: []string{"x"}}, "capsule id": {Before: "x"}} {
		_, _, err := k.List(t.Context(), q)
		refused(t, err, ErrInvalid, words)
	}
	_, _, err = k.List(t.Context(), ListQuery{Before: "k000000000"})
	refused(t, err, ErrNotFound, "k000000000")
	if _, err := k.Reembed(t.Context(), nil); !errors.Is(err, embed.ErrNoModel) {
		t.Errorf("reembed without a model: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.Search(ctx, Query{Text: "t"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search: %v", err)
	}
	if _, err := k.Remember(ctx, Capsule{Title: "u", Body: "b"}, RememberOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled remember: %v", err)
	}
}

func TestTitlesCollide(t *testing.T) {
	k := newKB(t, nil)
	first := put(t, k, Capsule{Title: "Retry Budget", Body: "one"})
	for _, title := range []string{"Retry Budget", "retry budget", " RETRY BUDGET  "} {
		_, err := k.Remember(t.Context(), Capsule{Title: title, Body: "two", Kind: "gotcha"}, RememberOptions{})
		if e := refused(t, err, ErrConflict, first.ID); e.ID != first.ID || !strings.Contains(e.Hint, "--supersedes "+first.ID) {
			t.Errorf("%q: %+v", title, e)
		}
	}
	put(t, k, Capsule{Title: "Retry budgets", Body: "two"})
	second := put(t, k, Capsule{Title: "retry budget", Body: "two"}, RememberOptions{Force: true})
	// Both stand in the way of a third: superseding one is not enough.
	_, err := k.Remember(t.Context(), Capsule{Title: "Retry budget", Body: "three", Supersedes: []string{first.ID}}, RememberOptions{})
	if e := refused(t, err, ErrConflict, second.ID); e.ID != second.ID {
		t.Errorf("%+v", e)
	}
	put(t, k, Capsule{Title: "Retry budget", Body: "three", Supersedes: []string{first.ID, second.ID, first.ID}})
	sound(t, k)
}

func TestMeaningsCollide(t *testing.T) {
	k := newKB(t, embedtest.NewHash(256))
	// The hash embedder knows nothing of order: the same words are the same meaning.
	first := put(t, k, Capsule{Title: "alpha beta", Body: "gamma delta"})
	same := Capsule{Title: "beta alpha", Body: "delta gamma"}
	_, err := k.Remember(t.Context(), same, RememberOptions{})
	if e := refused(t, err, ErrConflict, "says the same already (cosine 1.00)"); e.ID != first.ID {
		t.Errorf("%+v", e)
	}
	// With another kind, by force, or without an embedding it is taken.
	put(t, k, Capsule{Title: "delta alpha", Body: "beta gamma", Kind: "gotcha"})
	put(t, k, Capsule{Title: "delta alpha beta", Body: "gamma"}, RememberOptions{Force: true})
	put(t, k, Capsule{Title: "gamma alpha", Body: "beta delta"}, RememberOptions{NoEmbedding: true})
	put(t, k, Capsule{Title: "alpha beta", Body: "gamma epsilon zeta eta theta", Supersedes: []string{first.ID}})
	// What is superseded is not in the way of anything any more, but the forced one is.
	_, err = k.Remember(t.Context(), same, RememberOptions{})
	if e := refused(t, err, ErrConflict, "says the same"); e.ID == first.ID {
		t.Errorf("%+v", e)
	}
	sound(t, k)
}

func TestSupersedeLinksBothWays(t *testing.T) {
	for _, emb := range []embed.Embedder{nil, embedtest.NewHash(512)} {
		k := newKB(t, emb)
		a, b := put(t, k, Capsule{Title: "needle one", Body: "a"}), put(t, k, Capsule{Title: "needle two", Body: "quite another"})
		c := put(t, k, Capsule{Title: "needle three", Body: "which replaces both", Supersedes: []string{b.ID, a.ID, b.ID}})
		if want := slices.Sorted(slices.Values([]string{a.ID, b.ID})); !slices.Equal(c.Supersedes, want) {
			t.Errorf("it supersedes %v, not %v", c.Supersedes, want)
		}
		for _, old := range []Capsule{a, b} {
			got, err := k.Get(t.Context(), old.ID)
			if err != nil || got.SupersededBy != c.ID || got.Model != old.Model {
				t.Errorf("%+v, %v", got, err)
			}
			_, err = k.Remember(t.Context(), Capsule{Title: "late", Body: "x", Supersedes: []string{old.ID}}, RememberOptions{})
			if e := refused(t, err, ErrConflict, "superseded by "+c.ID); e.ID != c.ID {
				t.Errorf("%+v", e)
			}
		}
		for _, mode := range []string{ModeBM25, ModeAuto, ModeVector} {
			if emb == nil && mode == ModeVector {
				continue
			}
			if got := titles(ask(t, k, Query{Text: "needle", Mode: mode}).Hits); !slices.Equal(got, []string{"needle three"}) {
				t.Errorf("%s finds %q", mode, got)
			}
			got := titles(ask(t, k, Query{Text: "needle", Mode: mode, Superseded: true, NoMMR: true}).Hits)
			if slices.Sort(got); !slices.Equal(got, []string{"needle one", "needle three", "needle two"}) {
				t.Errorf("%s finds %q with the superseded", mode, got)
			}
		}
		// All or nothing: the second id is unknown, so the first is not superseded either.
		d := put(t, k, Capsule{Title: "stands", Body: "y"})
		for _, ids := range [][]string{{d.ID, "k000000000"}, {d.ID, "kzzzzzzzzz"}} {
			_, err := k.Remember(t.Context(), Capsule{Title: "half", Body: "z", Supersedes: ids}, RememberOptions{})
			refused(t, err, ErrNotFound, ids[1])
		}
		if got, _ := k.Get(t.Context(), d.ID); got.SupersededBy != "" {
			t.Errorf("a write that failed left %+v", got)
		}
		if s, err := k.Stats(t.Context()); err != nil || s.Capsules != 4 || s.Superseded != 2 || s.Index.Docs != 4 {
			t.Errorf("%+v, %v", s, err)
		}
		sound(t, k)
	}
}

// TestEmbedderFails: a model that breaks loses no capsule and no answer, and both are told.
func TestEmbedderFails(t *testing.T) {
	emb := &flaky{Embedder: embedtest.NewHash(64), on: "broken"}
	k := newKB(t, emb)
	r, err := k.Remember(t.Context(), Capsule{Title: "a broken text", Body: "b"}, RememberOptions{})
	if err != nil || r.Capsule.Model != "" || !strings.Contains(strings.Join(r.Warnings, "\n"), "it has no embedding: it broke") {
		t.Fatalf("%+v, %v", r, err)
	}
	res := ask(t, k, Query{Text: "broken"})
	if res.Mode != ModeBM25 || len(res.Hits) != 1 || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "could not be embedded (it broke): searched by words only") {
		t.Errorf("%+v", res)
	}
	for _, mode := range []string{ModeHybrid, ModeVector} {
		if _, err := k.Search(t.Context(), Query{Text: "broken", Mode: mode}); !errors.Is(err, embed.ErrBadModel) {
			t.Errorf("%s: %v", mode, err)
		}
	}
	before := emb.texts
	if res := ask(t, k, Query{Text: "text", Mode: ModeBM25}); len(res.Hits) != 1 || len(res.Degraded) != 0 || emb.texts != before {
		t.Errorf("bm25 asked the model, or says %q", res.Degraded)
	}
}

// TestNothingToEmbed: a text in which the model finds nothing has a vector of zeros. It is nobody's neighbour, and does not count as one that lacks its embedding.
func TestNothingToEmbed(t *testing.T) {
	k := newKB(t, embedtest.NewHash(64))
	put(t, k, Capsule{Title: "😀", Body: "🎉"})
	put(t, k, Capsule{Title: "🎉", Body: "😀"}) // not the same as the first for all that is known
	put(t, k, Capsule{Title: "words", Body: "some"})
	if res := ask(t, k, Query{Text: "words"}); len(res.Degraded) != 0 || !slices.Equal(titles(res.Hits), []string{"words"}) {
		t.Errorf("%q, %q", titles(res.Hits), res.Degraded)
	}
	if res := ask(t, k, Query{Text: "😀", Mode: ModeVector}); len(res.Hits) != 0 || len(res.Degraded) != 0 {
		t.Errorf("%q, %q", titles(res.Hits), res.Degraded)
	}
	if r, err := k.Reembed(t.Context(), nil); err != nil || r.Embedded != 0 || r.Skipped != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	sound(t, k)
}

// TestFiltersAgreeWithList: a search that every capsule matches gives exactly the capsules that List gives for the same filters. Enough of them for sealed
// segments and a tail; some superseded.
func TestFiltersAgreeWithList(t *testing.T) {
	k := newKB(t, embedtest.NewHash(32))
	r := rand.New(rand.NewPCG(7, 7))
	some := func(from []string) []string {
		var out []string
		for _, s := range from {
			if r.IntN(4) == 0 {
				out = append(out, s)
			}
		}
		return out
	}
	tags, domains := []string{"a", "b", "c", "with space", "ünï"}, []string{"a", "net", "tmux"}
	workspaces := []string{"", "/one", "/two", "/" + strings.Repeat("long/", 300) + "1", "/" + strings.Repeat("long/", 300) + "2"}
	projects := []string{"", "p", "P", "q"}
	for i := range 400 {
		c := Capsule{Title: fmt.Sprint("common ", i), Body: fmt.Sprint("body ", i), Kind: Kinds[r.IntN(len(Kinds))], Scope: Scopes[1+r.IntN(3)], Tags: some(tags), DomainTags: some(domains),
			Workspace: workspaces[r.IntN(len(workspaces))], Project: projects[r.IntN(len(projects))]}
		if all, _, _ := k.List(t.Context(), ListQuery{Limit: 20}); len(all) == 20 && r.IntN(5) == 0 {
			c.Supersedes = []string{all[r.IntN(20)].ID}
		}
		put(t, k, c, RememberOptions{Force: true, NoEmbedding: r.IntN(3) == 0})
	}
	nonEmpty := 0
	for range 300 {
		pick := func(from []string) []string {
			if r.IntN(3) > 0 {
				return nil
			}
			return append(some(from), from[r.IntN(len(from))])
		}
		l := ListQuery{Kinds: pick(Kinds), Scopes: pick(Scopes), Tags: pick(append([]string{"none"}, tags...)), DomainTags: pick(domains), Superseded: r.IntN(2) == 0}
		// The empty workspace is no value to filter by.
		l.Workspaces, l.Projects = pick(workspaces[1:]), pick(projects[1:])
		all, _, err := k.List(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{}
		for _, c := range all {
			want = append(want, c.ID)
		}
		slices.Sort(want)
		if len(want) > 0 {
			nonEmpty++
		}
		for _, mode := range []string{ModeBM25, ModeHybrid} {
			res := ask(t, k, Query{Text: "common", Mode: mode, Limit: MaxLimit, Kinds: l.Kinds, Scopes: l.Scopes, Tags: l.Tags, DomainTags: l.DomainTags, Workspaces: l.Workspaces,
				Projects: l.Projects, Superseded: l.Superseded, NoMMR: true})
			got := []string{}
			for _, h := range res.Hits {
				got = append(got, h.ID)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%s finds %d, List has %d, for %+v", mode, len(got), len(want), l)
			}
		}
	}
	if nonEmpty < 100 {
		t.Errorf("only %d of 300 filters let anything through: the test shows little", nonEmpty)
	}
	sound(t, k)
}

func TestListPages(t *testing.T) {
	k := newKB(t, nil)
	var ids []string
	for i := range 23 {
		ids = append(ids, put(t, k, Capsule{Title: fmt.Sprint(i), Body: "b", Kind: Kinds[i%2]}).ID)
	}
	slices.Reverse(ids)
	for _, size := range []int{0, 1, 5, 22, 23, 100} {
		var got []string
		for before := ""; ; {
			page, more, err := k.List(t.Context(), ListQuery{Limit: size, Before: before})
			if err != nil || size > 0 && len(page) > size {
				t.Fatal(len(page), err)
			}
			for _, c := range page {
				got = append(got, c.ID)
			}
			if !more || len(got) > len(ids) {
				break
			}
			before = got[len(got)-1]
		}
		if !slices.Equal(got, ids) {
			t.Errorf("pages of %d give %d capsules, not all 23 newest first", size, len(got))
		}
	}
}

// TestDocumentsDoNotRise: sections of a workspace's documents stay where they belong; its other capsules rise past them too.
func TestDocumentsDoNotRise(t *testing.T) {
	k := newKB(t, nil)
	for i, c := range []Capsule{{Kind: "fact", Workspace: ""}, {Kind: "doc", Workspace: "/mine"}, {Kind: "doc", Workspace: "/mine"}, {Kind: "fact", Workspace: "/mine"}} {
		c.Title, c.Body, c.Scope = fmt.Sprint("needle ", i), strings.Repeat(fmt.Sprintf("padding%d ", i), 1+i*i), "universal"
		put(t, k, c)
	}
	for workspace, want := range map[string]string{"": "0 1 2 3", "/mine": "0 3 1 2", "/other": "0 1 2 3"} {
		got := titles(ask(t, k, Query{Text: "needle", NoMMR: true, Workspace: workspace}).Hits)
		if text := strings.ReplaceAll(strings.Join(got, " "), "needle ", ""); text != want {
			t.Errorf("from %q it finds %s, not %s", workspace, text, want)
		}
	}
}

// TestWorkspaceRisesByPlaces: a capsule of the caller's workspace rises two places, whatever its score, never more, and says so; relevance is not drowned.
func TestWorkspaceRisesByPlaces(t *testing.T) {
	for _, emb := range []embed.Embedder{nil, embedtest.NewHash(128)} {
		for at := range 8 {
			k := newKB(t, emb)
			for i := range 8 { // the shorter, the better
				c := Capsule{Title: fmt.Sprint("needle ", i), Body: strings.Repeat(fmt.Sprintf("padding%d ", i), 1+i*i), Scope: "universal"}
				if i == at {
					c.Workspace = "/mine"
				}
				put(t, k, c)
			}
			plain := ask(t, k, Query{Text: "needle", NoMMR: true})
			boosted := ask(t, k, Query{Text: "needle", NoMMR: true, Workspace: "/mine"})
			from := slices.IndexFunc(plain.Hits, func(h Hit) bool { return h.Workspace == "/mine" })
			to := slices.IndexFunc(boosted.Hits, func(h Hit) bool { return h.Workspace == "/mine" })
			if from < 0 || to != max(0, from-2) {
				t.Errorf("from place %d it moved to %d", from, to)
			}
			for i, h := range boosted.Hits {
				want := []string{}
				if i == to && from > to {
					want = []string{fmt.Sprintf("workspace: %d up", from-to)}
				}
				if !slices.Equal(h.Boosts, want) {
					t.Errorf("%s has the boosts %q, not %q", h.Title, h.Boosts, want)
				}
				if i > 0 && h.Score > boosted.Hits[i-1].Score {
					t.Errorf("the scores do not fall: %v after %v", h.Score, boosted.Hits[i-1].Score)
				}
			}
			if got := ask(t, k, Query{Text: "needle", NoMMR: true, Workspace: "/other"}); !slices.Equal(titles(got.Hits), titles(plain.Hits)) {
				t.Error("a workspace that nothing belongs to moves hits")
			}
		}
	}
}

func TestHitsAreDescribed(t *testing.T) {
	k := newKB(t, embedtest.NewHash(128))
	for i := range 30 {
		put(t, k, Capsule{Title: fmt.Sprint("needle ", i), Body: strings.Repeat("needle ", 1+i%3) + strings.Repeat(fmt.Sprintf("straw%d ", i), 3+i)})
	}
	put(t, k, Capsule{Title: "nothing", Body: "of it"})
	for _, mode := range []string{ModeBM25, ModeVector, ModeHybrid, ModeAuto} {
		for _, fusion := range Fusions {
			res := ask(t, k, Query{Text: "needle straw7 zyzzyva", Mode: mode, Fusion: fusion, Explain: true, NoMMR: true, Limit: 20})
			if want := map[string]string{ModeAuto: ModeHybrid}[mode]; want != "" && res.Mode != want || want == "" && res.Mode != mode {
				t.Errorf("%s was done as %s", mode, res.Mode)
			}
			if len(res.Hits) != 20 || res.Hits[0].Title != "needle 7" || res.Hits[0].Score != 1 || res.Total != 31 {
				t.Fatalf("%s %s: %q of %d, the first with %v", mode, fusion, titles(res.Hits), res.Total, res.Hits[0].Score)
			}
			if mode != ModeVector && !slices.Equal(res.Missing, []string{"zyzzyva"}) {
				t.Errorf("%s: missing is %q", mode, res.Missing)
			}
			for i, h := range res.Hits {
				text, vector := mode != ModeVector, mode != ModeBM25
				if h.Score < 0 || h.Score > 1 || i > 0 && h.Score > res.Hits[i-1].Score || (h.BM25Score > 0) != text || (h.BM25Rank > 0) != text || (h.CosineScore != nil) != vector || (h.VectorRank > 0) != vector {
					t.Errorf("%s %s, hit %d: %+v", mode, fusion, i, h)
				}
				want := 0.0
				for _, r := range []int{h.BM25Rank, h.VectorRank} {
					if r > 0 {
						want += 1 / float64(60+r)
					}
				}
				if math.Abs(h.RRFScore-want) > 1e-9 {
					t.Errorf("%s: ranks %d and %d make an rrf of %v, not %v", mode, h.BM25Rank, h.VectorRank, h.RRFScore, want)
				}
				sum := 0.0
				for _, term := range h.Terms {
					sum += term.Score
				}
				if math.Abs(sum-h.BM25Score) > 1e-3 {
					t.Errorf("%s: the words add up to %v, the score is %v", mode, sum, h.BM25Score)
				}
			}
		}
	}
	if h := ask(t, k, Query{Text: "needle", Mode: ModeBM25}).Hits[0]; h.Terms != nil {
		t.Error("terms without Explain")
	}
	if hits := ask(t, k, Query{Text: "needle straw7", Mode: ModeBM25, Floor: 1}).Hits; len(hits) != 1 {
		t.Errorf("a floor of 1 leaves %d", len(hits))
	}
}

// TestSaidTwiceComesLater: of several capsules that say the same the first stays, the others make room for what is different.
func TestSaidTwiceComesLater(t *testing.T) {
	k := newKB(t, embedtest.NewHash(256))
	for i := range 4 {
		put(t, k, Capsule{Title: []string{"rotate keys monthly", "monthly rotate keys", "keys rotate monthly", "monthly keys rotate"}[i], Body: "cron job"}, RememberOptions{Force: true})
	}
	put(t, k, Capsule{Title: "rotate keys by hand", Body: "when the laptop of somebody is lost, from the console"})
	place := func(q Query) int { return slices.Index(titles(ask(t, k, q).Hits), "rotate keys by hand") }
	if with, without := place(Query{Text: "rotate keys"}), place(Query{Text: "rotate keys", NoMMR: true}); with != 1 || without != 4 {
		t.Errorf("the other one comes at %d, and at %d without MMR; want 1 and 4", with, without)
	}
}

func TestSnippets(t *testing.T) {
	k := newKB(t, nil)
	terms := func(q string) map[string]bool {
		m := map[string]bool{}
		for _, w := range k.index.Terms(q) {
			m[w] = true
		}
		return m
	}
	filler := strings.Repeat("lorem ipsum dolor ", 200)
	for _, test := range []struct{ body, question, want string }{
		{"short and whole", "short", "short and whole"},
		{"two\nlines\t here", "lines", "two lines here"},
		{"no word of it", "else", "no word of it"},
		{"", "x", ""},
		{filler + "the needle lies here " + filler, "needle", "needle"},
		{filler + "one needle " + filler + "another needle in the haystack " + filler, "needle haystack", "needle in the haystack"},
		{filler + "it calls capturePane() then " + filler, "capture-pane", "capturePane()"},
		{filler + "es läuft über die Brücke " + filler, "brucke", "Brücke"},
	} {
		if got := k.snippet(test.body, terms(test.question)); !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%q in %.40q gives %q", test.question, test.body, got)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	pieces := []string{"needle", "straw", "日本語のテキスト", "naïve", "a", "x.y/z-1", "\n", "\t", "😀", strings.Repeat("long", 150), "—", "Needles"}
	for range 500 {
		var body strings.Builder
		for range r.IntN(600) {
			body.WriteString(pieces[r.IntN(len(pieces))])
			body.WriteString(" \n"[r.IntN(2):][:1])
		}
		got := k.snippet(body.String(), terms("needle"))
		inner := strings.TrimSuffix(strings.TrimPrefix(got, "… "), " …")
		inner = strings.TrimSuffix(inner, "…") // of a word that was cut
		switch {
		case strings.ContainsAny(got, "\n\t"):
			t.Fatalf("it has several lines: %q", got)
		case utf8.RuneCountInString(got) > 2*snippetRunes+4 || !utf8.ValidString(got):
			t.Fatalf("it has %d letters: %q", utf8.RuneCountInString(got), got)
		case !strings.Contains(strings.Join(strings.Fields(body.String()), " "), inner):
			t.Fatalf("it is no part of the body: %q", got)
		case strings.Contains(strings.ToLower(body.String()[:min(body.Len(), 16<<10)]), "needle ") && !strings.Contains(strings.ToLower(got), "needle"):
			t.Fatalf("it leaves out what was asked for: %q", got)
		}
	}
}

// answers are what a list of questions gets, without what may differ.
func answers(tb testing.TB, k *KB) (all []string) {
	for _, q := range []string{"needle", "straw7 straw8", "needle straw12 nothing", "common body 17"} {
		for _, mode := range []string{ModeBM25, ModeVector, ModeHybrid} {
			for _, h := range ask(tb, k, Query{Text: q, Mode: mode, Limit: 50}).Hits {
				cos := 9.0
				if h.CosineScore != nil {
					cos = *h.CosineScore
				}
				all = append(all, fmt.Sprintf("%s %s: %s %.6f %d %d %.5f %.5f", q, mode, h.ID, h.Score, h.BM25Rank, h.VectorRank, h.BM25Score, cos))
			}
		}
	}
	return all
}

// fill stores capsules as they come in life: some superseded, some without an embedding.
func fill(tb testing.TB, k *KB, n int) {
	r := rand.New(rand.NewPCG(11, 11))
	var last string
	for i := range n {
		c := Capsule{Title: fmt.Sprint("common ", i), Body: fmt.Sprint("body ", i, strings.Repeat(" needle", r.IntN(3)), fmt.Sprintf(" straw%d", r.IntN(30)))}
		if last != "" && r.IntN(6) == 0 {
			c.Supersedes = []string{last}
		}
		last = put(tb, k, c, RememberOptions{Force: true, NoEmbedding: r.IntN(5) == 0}).ID
	}
}

// TestIndexIsDerived: made anew, by a new version, or opened again, the index gives the same answers as the one that grew, embeddings included.
func TestIndexIsDerived(t *testing.T) {
	home := t.TempDir()
	opt := Options{Embedder: embedtest.NewHash(64)}
	k := openKB(t, home, opt)
	fill(t, k, 600)
	want := answers(t, k)
	if len(want) < 200 {
		t.Fatalf("only %d answers", len(want))
	}
	same := func(what string, k *KB) {
		t.Helper()
		got := answers(t, k)
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				t.Fatalf("%s: answer %d is\n%s, not\n%s", what, i, got[min(i, len(got)-1)], want[i])
			}
		}
		sound(t, k)
	}
	if err := k.Reindex(t.Context()); err != nil {
		t.Fatal(err)
	}
	same("made anew", k)
	same("opened again", openKB(t, home, opt))
	same("kept warm", openKB(t, home, Options{Embedder: opt.Embedder, Warm: true}))
	execute(t, k, `UPDATE capsule_index_meta SET stamp = 'of an older version'`)
	k.Close()
	k = openKB(t, home, opt)
	same("of an older version", k)
	execute(t, k, `DROP TABLE capsule_index_meta`)
	k.Close()
	k = openKB(t, home, opt)
	// Nothing says any more whose vectors there are.
	if s, err := k.Stats(t.Context()); err != nil || s.Embedded != 0 || s.Index.Docs != 600 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := k.Reembed(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	sound(t, k)
}

// damage breaks every record that waits in the index's tail.
func damage(tb testing.TB, k *KB) {
	execute(tb, k, `UPDATE capsule_index_tail SET record = x'ffffffff'`)
}

// TestDamagedIndexIsMended: all in the index is derived, so damage in it costs no answer and no capsule, and is told.
func TestDamagedIndexIsMended(t *testing.T) {
	home := t.TempDir()
	k := openKB(t, home, Options{Embedder: embedtest.NewHash(64)})
	fill(t, k, 20)
	want := answers(t, k)
	damage(t, k)
	fresh := openKB(t, home, Options{Embedder: embedtest.NewHash(64)})
	if err := fresh.Check(t.Context()); !errors.Is(err, index.ErrCorrupt) {
		t.Errorf("Check says %v", err)
	}
	res := ask(t, fresh, Query{Text: "needle"})
	if len(res.Hits) == 0 || !slices.Contains(res.Degraded, mendedNote) {
		t.Errorf("%q, %q", titles(res.Hits), res.Degraded)
	}
	if got := answers(t, fresh); !slices.Equal(got, want) {
		t.Error("the answers are others than before the damage")
	}
	sound(t, fresh)

	// A write that seals the tail meets the damage too.
	damage(t, fresh)
	told := false
	for i := range index.SealAt + 1 {
		r, err := fresh.Remember(t.Context(), Capsule{Title: fmt.Sprint("after ", i), Body: fmt.Sprint("x", i)}, RememberOptions{NoEmbedding: true})
		if err != nil {
			t.Fatal(i, err)
		}
		told = told || slices.Contains(r.Warnings, mendedNote)
	}
	if s, err := fresh.Stats(t.Context()); err != nil || s.Capsules != int64(20+index.SealAt+1) {
		t.Errorf("%+v, %v", s, err)
	}
	if !told {
		t.Error("no write told of it")
	}
	sound(t, fresh)
}

func TestReembed(t *testing.T) {
	home := t.TempDir()
	small, large := embedtest.NewHash(64), renamed{embedtest.NewHash(96), "larger"}
	plain := openKB(t, home, Options{})
	for i := range 130 {
		put(t, plain, Capsule{Title: fmt.Sprint("title ", i), Body: fmt.Sprintf("word%d", i)})
	}
	k := openKB(t, home, Options{Embedder: small})
	res := ask(t, k, Query{Text: "word7", Mode: ModeHybrid})
	if !slices.ContainsFunc(res.Degraded, func(d string) bool {
		return strings.HasPrefix(d, "130 of 130 capsules have no embedding")
	}) {
		t.Errorf("it says %q", res.Degraded)
	}
	var steps []int
	r, err := k.Reembed(t.Context(), func(done, of int) {
		if of != 130 {
			t.Errorf("of %d", of)
		}
		steps = append(steps, done)
	})
	if err != nil || r != (Reembedded{Model: "hash", Embedded: 130}) || !slices.Equal(steps, []int{50, 100, 130}) {
		t.Errorf("%+v, %v, %v", r, steps, err)
	}
	if res := ask(t, k, Query{Text: "word7", Mode: ModeVector, Limit: 1}); len(res.Degraded) != 0 || titles(res.Hits)[0] != "title 7" {
		t.Errorf("%q, %q", titles(res.Hits), res.Degraded)
	}
	sound(t, k)

	// Another model: words only, then step by step over to it, going on where it broke off.
	emb := &flaky{Embedder: large, on: "word70"}
	l := openKB(t, home, Options{Embedder: emb})
	res = ask(t, l, Query{Text: "word7", Limit: 1})
	if res.Mode != ModeBM25 || titles(res.Hits)[0] != "title 7" || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "embedded with hash, the model here is larger") {
		t.Errorf("%+v", res)
	}
	_, err = l.Search(t.Context(), Query{Text: "word7", Mode: ModeVector})
	refused(t, err, ErrConflict, "embedded with hash")
	rem, err := l.Remember(t.Context(), Capsule{Title: "between", Body: "models"}, RememberOptions{})
	if err != nil || rem.Capsule.Model != "" || !strings.Contains(strings.Join(rem.Warnings, "\n"), "board kb reembed") {
		t.Errorf("%+v, %v", rem, err)
	}
	r, err = l.Reembed(t.Context(), nil)
	if !errors.Is(err, embed.ErrBadModel) || r.Embedded != 50 {
		t.Errorf("%+v, %v", r, err)
	}
	if s, _ := l.Stats(t.Context()); s.Embedded != 50 || s.Index.Vectors != 50 || s.Index.Model != "larger" {
		t.Errorf("%+v", s)
	}
	emb.on = ""
	r, err = l.Reembed(t.Context(), nil)
	if err != nil || r != (Reembedded{Model: "larger", Embedded: 81, Skipped: 50}) {
		t.Errorf("%+v, %v", r, err)
	}
	// What the first process holds is of the old model now.
	if res := ask(t, k, Query{Text: "word7"}); res.Mode != ModeBM25 || len(res.Degraded) != 1 {
		t.Errorf("%+v", res)
	}
	ctx, cancel := context.WithCancel(t.Context())
	execute(t, l, `UPDATE capsules SET model = '', dim = 0`)
	if r, err = l.Reembed(ctx, func(int, int) { cancel() }); !errors.Is(err, context.Canceled) || r.Embedded != 50 {
		t.Errorf("interrupted: %+v, %v", r, err)
	}
	sound(t, l)
}

func TestCalibrateStoresThresholds(t *testing.T) {
	home := t.TempDir()
	k := openKB(t, home, Options{Embedder: embedtest.NewHash(256)})
	put(t, k, Capsule{Title: "refund keys", Body: "Refunds need an idempotency key."})
	for i := range 60 { // words are rare only among others
		put(t, k, Capsule{Title: fmt.Sprint("filler ", i), Body: fmt.Sprint("nothing of note ", i)}, RememberOptions{Force: true})
	}
	if res := ask(t, k, Query{Text: "refund keys", Gate: true}); len(res.Hits) != 0 || !res.Gated || res.Threshold != 0 || res.Evidence <= 0 || !strings.Contains(strings.Join(res.Degraded, "\n"), "not calibrated") {
		t.Errorf("uncalibrated: %+v", res)
	}
	// By words alone there is a threshold from the beginning: the one that would be measured.
	if res := ask(t, k, Query{Text: "refund keys", Gate: true, Mode: ModeBM25}); len(res.Hits) == 0 || res.Gated || res.Threshold != wordThreshold {
		t.Errorf("by words, uncalibrated: %+v", res)
	}
	all, err := k.Calibrate(t.Context(), nil)
	if err != nil || len(all) != 2 || all[0].Model != "hash" || all[0].Dim != 256 || all[1].Model != "" {
		t.Fatalf("%+v, %v", all, err)
	}
	if d := all[1].Threshold - wordThreshold; math.Abs(d) > 0.005 {
		t.Errorf("by words the threshold is %v, and was %v", all[1].Threshold, wordThreshold)
	}
	again := openKB(t, home, Options{})
	for _, c := range all {
		if c.Threshold <= 0 || c.Rejected < minRejected || c.OnTopic != 100 || c.OffTopic != 120 || c.Kept <= 0.5 {
			t.Errorf("%+v", c)
		}
		got, ok, err := again.Threshold(t.Context(), c.Model)
		c.OnTopic, c.OffTopic = 0, 0 // not stored
		if err != nil || !ok || got != c {
			t.Errorf("stored %+v, measured %+v, %v", got, c, err)
		}
	}
	if _, ok, err := again.Threshold(t.Context(), "another"); ok || err != nil {
		t.Error("a threshold of a model that was never measured", err)
	}
	// The threshold is that of the mode that was done.
	for mode, want := range map[string]float64{ModeHybrid: all[0].Threshold, ModeBM25: all[1].Threshold} {
		res := ask(t, k, Query{Text: "refund keys", Gate: true, Mode: mode})
		if len(res.Hits) == 0 || res.Hits[0].Title != "refund keys" || res.Gated || res.Threshold != want {
			t.Errorf("%s: %q, %+v", mode, titles(res.Hits), res)
		}
		res = ask(t, k, Query{Text: "what is the weather like in the city", Gate: true, Mode: mode})
		if len(res.Hits) != 0 || res.Hits == nil || !res.Gated && res.Evidence > 0 || res.Evidence >= want {
			t.Errorf("%s, off topic: %+v", mode, res)
		}
	}
	for words, set := range map[string]string{
		"line 1": "nonsense", "line 2": `{"capsule":"c","title":"t","body":"b"}` + "\n" + `{"prompt":"p","text":"x","relevant":["d"]}`, "neither a capsule nor a prompt": `{"prompt":"p"}`,
		"has no prompts": `{"capsule":"c","title":"t","body":"b"}` + "\n" + `{"prompt":"p","text":"x","relevant":["c"]}`, "the body is empty": `{"capsule":"c","title":"t"}` + "\n" + `{"prompt":"p","text":"x"}`,
	} {
		_, err := k.Calibrate(t.Context(), strings.NewReader(set))
		refused(t, err, ErrInvalid, words)
	}
	if got, _, _ := k.Threshold(t.Context(), "hash"); got.Threshold != all[0].Threshold {
		t.Error("a bad set changed the threshold")
	}
	if s, err := k.Stats(t.Context()); err != nil || s.Capsules != 61 {
		t.Errorf("the calibration set is among the capsules: %+v, %v", s, err)
	}
}

// TestGoroutinesShareIt: remember, search, list and get at the same time, on one KB and on two of one file.
func TestGoroutinesShareIt(t *testing.T) {
	home := t.TempDir()
	emb := embedtest.NewHash(64)
	both := []*KB{openKB(t, home, Options{Embedder: emb, Warm: true}), openKB(t, home, Options{Embedder: emb})}
	const workers, each = 6, 25
	var wg sync.WaitGroup
	for w := range workers {
		k := both[w%2]
		wg.Go(func() {
			for i := range each {
				r, err := k.Remember(context.Background(), Capsule{Title: fmt.Sprintf("worker%d step%d", w, i), Body: fmt.Sprintf("common unique%dx%d", w, i)}, RememberOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				res, err := both[i%2].Search(context.Background(), Query{Text: fmt.Sprintf("unique%dx%d", w, i), Mode: ModeBM25})
				if err != nil || len(res.Hits) != 1 || res.Hits[0].ID != r.Capsule.ID {
					t.Errorf("what was just stored is not found: %q, %v", titles(res.Hits), err)
				}
				if _, err := both[w%2].Search(context.Background(), Query{Text: "common worker3"}); err != nil {
					t.Error(err)
				}
				if _, _, err := k.List(context.Background(), ListQuery{Limit: 5}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if s, err := both[0].Stats(t.Context()); err != nil || s.Capsules != workers*each || s.Embedded != workers*each {
		t.Errorf("%+v, %v", s, err)
	}
	sound(t, both[0])
}

func TestReadEvalSet(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, [][2]string{
		{"corpus.jsonl", `{"_id":"d1","title":"T","text":"x"}` + "\n\n" + `{"_id":"d2","text":"y"}`},
		{"queries.jsonl", `{"_id":"q1","text":"x"}` + "\n" + `{"_id":"q2","text":"y"}` + "\n" + `{"_id":"q3","text":" "}` + "\n"},
		{"qrels/test.tsv", "query-id\tcorpus-id\tscore\r\nq1\td1\t2\r\nq1\td2\t0\r\nq3\td1\t1\r\nq9\td1\t1\r\n"},
		{"qrels/dev.tsv", "q2\td2\t1"},
	})
	set, err := ReadEvalSet(dir, "")
	if err != nil || set.Split != "test" || set.Name != filepath.Base(dir) || len(set.Docs) != 2 || len(set.Queries) != 1 || !reflect.DeepEqual(set.Queries[0].Relevant, map[string]int{"d1": 2}) {
		t.Errorf("%+v, %v", set, err)
	}
	if set, err = ReadEvalSet(dir, "dev"); err != nil || len(set.Queries) != 1 || set.Queries[0].ID != "q2" {
		t.Errorf("%+v, %v", set, err)
	}
	if _, err = ReadEvalSet(dir, "train"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

// TestPeek sees that a question counts as asking for what it finds, and that a peek does not.
func TestPeek(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	k := openKB(t, t.TempDir(), Options{Now: func() time.Time { return now }})
	c := put(t, k, Capsule{Kind: "fact", Scope: "universal", Title: "Tokens outlive their users", Body: "The parser ignores exp.", Source: "auth.go"})
	now = now.AddDate(0, 1, 0)
	ask(t, k, Query{Text: "tokens", Peek: true})
	if got, err := k.Get(context.Background(), c.ID); err != nil || got.Retrieved != nil {
		t.Errorf("after a peek it counts as retrieved at %v (%v)", got.Retrieved, err)
	}
	ask(t, k, Query{Text: "tokens"})
	if got, err := k.Get(context.Background(), c.ID); err != nil || got.Retrieved == nil || !got.Retrieved.Equal(now) {
		t.Errorf("after a search it counts as retrieved at %v (%v)", got.Retrieved, err)
	}
}
