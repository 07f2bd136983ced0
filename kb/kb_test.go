package kb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
)

// TestMain lets the test binary be a writer process of its own (see child).
func TestMain(m *testing.M) {
	useEngine()
	for name, run := range map[string]func(string) error{"BOARD_KB_TEST_CHILD": child, "BOARD_KB_TEST_KILLED": killedChild, "BOARD_KB_TEST_INGEST": ingestChild} {
		if arg := os.Getenv(name); arg != "" {
			if err := run(arg); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	code := cost.Main(m)
	stopServer()
	for _, dir := range benchDirs {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func openKB(tb testing.TB, home string, opt Options) *KB {
	tb.Helper()
	k := expect.Value(Open(context.Background(), home, opt))(tb)
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
func refused(tb testing.TB, err error, kind error, words string) *fault.Error {
	tb.Helper()
	var e *fault.Error
	if !errors.Is(err, kind) || !errors.As(err, &e) || len(e.Next) == 0 || !strings.Contains(err.Error(), words) {
		tb.Fatalf("the error is %v, not %v about %q with a next step", err, kind, words)
	}
	return e
}

func execute(tb testing.TB, k *KB, stmt string, args ...any) {
	tb.Helper()
	expect.OK(tb, k.db.Write(context.Background(), func(tx *sqlite.Tx) error {
		_, err := tx.Exec(stmt, args...)
		return err
	}))
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
			return nil, fault.BadModel.New("it broke", "")
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
			words = append(words, strings.Fields(w)[1])
		}
		if got := strings.Join(words, "|"); strings.ReplaceAll(got, ";", "") != test.want {
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
		"bad id":              {func(c *Capsule) { c.Supersedes = []string{"e12"} }, "not a capsule id"},
		"shouted id":          {func(c *Capsule) { c.Supersedes = []string{"K3F9X0C2MA"} }, "not a capsule id"},
	} {
		c := good
		test.change(&c)
		_, err := k.Remember(t.Context(), c, RememberOptions{Force: true})
		t.Run(name, func(t *testing.T) { refused(t, err, fault.Invalid, test.words) })
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
	refused(t, err, fault.NotFound, "no knowledge base")
	if files, _ := os.ReadDir(home); len(files) > 0 {
		t.Errorf("looking for one made %v", files)
	}
	k := openKB(t, home, Options{})
	c := put(t, k, Capsule{Title: "t", Body: "b"})
	_, err = k.Get(t.Context(), "k000000000")
	if e := refused(t, err, fault.NotFound, "k000000000"); e.ID != "k000000000" {
		t.Errorf("the error names %q", e.ID)
	}
	for _, id := range []string{"", "k", c.ID + "0", "k00000000l", strings.Repeat("k", 1000)} { // l is not in the alphabet
		_, err = k.Get(t.Context(), id)
		refused(t, err, fault.Invalid, "is not a capsule id")
		if len(err.Error()) > 200 {
			t.Errorf("the error repeats %d bytes", len(err.Error()))
		}
	}
	for words, q := range map[string]Query{
		"nothing to search for": {Text: " \n"}, `mode "x"`: {Text: "t", Mode: "x"}, "limit of -1": {Text: "t", Limit: -1}, "limit of 1001": {Text: "t", Limit: 1001},
		"floor 2": {Text: "t", Floor: 2}, "floor NaN": {Text: "t", Floor: math.NaN()}, `kind "x"`: {Text: "t", Kinds: []string{"fact", "x"}}, `scope "x"`: {Text: "t", Scopes: []string{"x"}},
	} {
		_, err := k.Search(t.Context(), q)
		refused(t, err, fault.Invalid, words)
	}
	for _, mode := range []string{ModeHybrid, ModeVector} {
		_, err := k.Search(t.Context(), Query{Text: "t", Mode: mode})
		refused(t, err, fault.NoModel, "no embedding model")
	}
	for words, q := range map[string]ListQuery{"limit": {Limit: -1}, `kind "x"`: {Kinds: []string{"x"}}, `scope "x"`: {Scopes: []string{"x"}}, "capsule id": {Before: "x"}} {
		_, _, err := k.List(t.Context(), q)
		refused(t, err, fault.Invalid, words)
	}
	_, _, err = k.List(t.Context(), ListQuery{Before: "k000000000"})
	refused(t, err, fault.NotFound, "k000000000")
	if _, err := k.Reembed(t.Context(), nil); !errors.Is(err, fault.NoModel) {
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
		if e := refused(t, err, fault.Conflict, first.ID); e.ID != first.ID || !strings.Contains(fmt.Sprint(e.Next), "supersedes:"+first.ID) {
			t.Errorf("%q: %+v", title, e)
		}
	}
	put(t, k, Capsule{Title: "Retry budgets", Body: "two"})
	second := put(t, k, Capsule{Title: "retry budget", Body: "two"}, RememberOptions{Force: true})
	// Both stand in the way of a third: superseding one is not enough.
	_, err := k.Remember(t.Context(), Capsule{Title: "Retry budget", Body: "three", Supersedes: []string{first.ID}}, RememberOptions{})
	if e := refused(t, err, fault.Conflict, second.ID); e.ID != second.ID {
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
	r, err := k.Remember(t.Context(), same, RememberOptions{})
	if err != nil || len(r.Alike) != 1 || r.Alike[0].ID != first.ID || r.Alike[0].Cosine == nil || *r.Alike[0].Cosine < 0.99 { // in another order it may say something else
		t.Errorf("%+v, %v", r, err)
	}
	_, err = k.Remember(t.Context(), Capsule{Title: "Alpha, betas", Body: "the **gamma** delta"}, RememberOptions{})
	if e := refused(t, err, fault.Conflict, "already says the same"); e.ID != first.ID {
		t.Errorf("%+v", e)
	}
	// With another kind, by force, or without an embedding it is taken.
	put(t, k, Capsule{Title: "delta alpha", Body: "beta gamma", Kind: "gotcha"})
	put(t, k, Capsule{Title: "delta alpha beta", Body: "gamma"}, RememberOptions{Force: true})
	put(t, k, Capsule{Title: "gamma alpha", Body: "beta delta"}, RememberOptions{NoEmbedding: true})
	put(t, k, Capsule{Title: "alpha beta", Body: "gamma epsilon zeta eta theta", Supersedes: []string{first.ID}})
	// What is superseded is not in the way of anything any more, but the one that was alike is.
	_, err = k.Remember(t.Context(), Capsule{Title: "Beta, alphas", Body: "delta gamma"}, RememberOptions{})
	if e := refused(t, err, fault.Conflict, "says the same"); e.ID != r.Capsule.ID {
		t.Errorf("%+v", e)
	}
	sound(t, k)
}

// TestProjectsApart: what one project has stored keeps no other from storing it, by title or by
// what it says; where both can be read it is one.
func TestProjectsApart(t *testing.T) {
	k := newKB(t, nil)
	gotcha := Capsule{Title: "go test fails on a fresh clone", Body: "go test fails on a fresh clone until make generate has run", Scope: "project", Workspace: "/a", Project: "a"}
	first := put(t, k, gotcha)
	other := gotcha
	other.Workspace, other.Project = "/b", "b"
	put(t, k, other)
	for _, wider := range []Capsule{{Scope: "universal"}, {Scope: "project", Workspace: "/a", Project: "a"}, {Scope: "workspace", Workspace: "/a", Project: "a"}} {
		wider.Title, wider.Body = "go test until make generate", gotcha.Body
		_, err := k.Remember(t.Context(), wider, RememberOptions{})
		if e := refused(t, err, fault.Conflict, "already says the same"); wider.Scope != "universal" && e.ID != first.ID {
			t.Errorf("%+v: %+v", wider, e)
		}
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
			if e := refused(t, err, fault.Conflict, "superseded by "+c.ID); e.ID != c.ID {
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
			refused(t, err, fault.NotFound, ids[1])
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
		if _, err := k.Search(t.Context(), Query{Text: "broken", Mode: mode}); !errors.Is(err, fault.BadModel) {
			t.Errorf("%s: %v", mode, err)
		}
	}
	before := emb.texts
	if res := ask(t, k, Query{Text: "text", Mode: ModeBM25}); len(res.Hits) != 1 || len(res.Degraded) != 0 || emb.texts != before {
		t.Errorf("bm25 asked the model, or says %q", res.Degraded)
	}
}

// TestNothingToEmbed: a text in which the model finds nothing has a vector of zeros. It is
// nobody's neighbour, and does not count as one that lacks its embedding.
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
