package kb

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
)

// TestFiltersAgreeWithList: a search that every capsule matches gives exactly the capsules that
// List gives for the same filters. Enough of them for sealed segments and a tail; some superseded.
func TestFiltersAgreeWithList(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
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
	capsules, filters := 400, 300
	if cost.Quick() {
		capsules, filters = 150, 90
	}
	for i := range capsules {
		c := Capsule{Title: fmt.Sprint("common ", i), Body: fmt.Sprint("body ", i), Kind: Kinds[r.IntN(len(Kinds))], Scope: Scopes[1+r.IntN(3)], Tags: some(tags), DomainTags: some(domains),
			Workspace: workspaces[r.IntN(len(workspaces))], Project: projects[r.IntN(len(projects))]}
		if all, _, _ := k.List(t.Context(), ListQuery{Limit: 20}); len(all) == 20 && r.IntN(5) == 0 {
			c.Supersedes = []string{all[r.IntN(20)].ID}
		}
		put(t, k, c, RememberOptions{Force: true, NoEmbedding: r.IntN(3) == 0})
	}
	nonEmpty := 0
	for range filters {
		pick := func(from []string) []string {
			if r.IntN(3) > 0 {
				return nil
			}
			return append(some(from), from[r.IntN(len(from))])
		}
		l := ListQuery{Kinds: pick(Kinds), Scopes: pick(Scopes), Tags: pick(append([]string{"none"}, tags...)), DomainTags: pick(domains), Superseded: r.IntN(2) == 0}
		// The empty workspace is no value to filter by.
		l.Workspaces, l.Projects = pick(workspaces[1:]), pick(projects[1:])
		all, _ := expect.Values(k.List(t.Context(), l))(t)
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
	if nonEmpty < filters/3 {
		t.Errorf("only %d of %d filters let anything through: the test shows little", nonEmpty, filters)
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

// TestDocumentsDoNotRise: sections of a workspace's documents stay where they belong; its other
// capsules rise past them too.
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

// TestWorkspaceRisesByPlaces: a capsule of the caller's workspace rises two places, never more,
// and says so, if it has half of the best score; relevance is not drowned.
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
			rise := 2
			if from >= 0 && plain.Hits[from].Score < boostFrom {
				rise = 0
			}
			if from < 0 || to != max(0, from-rise) {
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
		res := ask(t, k, Query{Text: "needle straw7 zyzzyva", Mode: mode, Explain: true, NoMMR: true, Limit: 20})
		if want := map[string]string{ModeAuto: ModeHybrid}[mode]; want != "" && res.Mode != want || want == "" && res.Mode != mode {
			t.Errorf("%s was done as %s", mode, res.Mode)
		}
		if len(res.Hits) != 20 || res.Hits[0].Title != "needle 7" || res.Hits[0].Score != 1 || res.Total != 31 {
			t.Fatalf("%s: %q of %d, the first with %v", mode, titles(res.Hits), res.Total, res.Hits[0].Score)
		}
		if mode != ModeVector && !slices.Equal(res.Missing, []string{"zyzzyva"}) {
			t.Errorf("%s: missing is %q", mode, res.Missing)
		}
		for i, h := range res.Hits {
			text, vector := mode != ModeVector, mode != ModeBM25
			if h.Score < 0 || h.Score > 1 || i > 0 && h.Score > res.Hits[i-1].Score || (h.BM25Score > 0) != text || (h.BM25Rank > 0) != text || (h.CosineScore != nil) != vector || (h.VectorRank > 0) != vector {
				t.Errorf("%s, hit %d: %+v", mode, i, h)
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
	if h := ask(t, k, Query{Text: "needle", Mode: ModeBM25}).Hits[0]; h.Terms != nil {
		t.Error("terms without Explain")
	}
	if hits := ask(t, k, Query{Text: "needle straw7", Mode: ModeBM25, Floor: 1}).Hits; len(hits) != 1 {
		t.Errorf("a floor of 1 leaves %d", len(hits))
	}
}

// TestSaidTwiceComesLater: of several capsules that say the same the first stays, the others make
// room for what is different.
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
		if got := k.snippet(test.body, terms(test.question), 0); !strings.Contains(got, test.want) || test.want == "" && got != "" {
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
		got := k.snippet(body.String(), terms("needle"), 0)
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

// TestAnswersAreRetrieved: what is sure counts as retrieved, and so does what is first and has the
// words of the question, although it is weak; what is shown beside it does not.
func TestAnswersAreRetrieved(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	k := openKB(t, t.TempDir(), Options{Now: func() time.Time { return now }})
	first := put(t, k, Capsule{Title: "Rollbacks go by the script back.sh", Body: "Never by hand."})
	beside := put(t, k, Capsule{Title: "The clinic in Leeds", Body: "Its script closes at four on Fridays."})
	sure := put(t, k, Capsule{Title: "Tokens outlive their users", Body: "The parser ignores exp."})
	for i := range 40 {
		put(t, k, Capsule{Title: fmt.Sprint("Matter ", i), Body: "It is planned, at noon."})
	}
	now = now.AddDate(0, 1, 0)
	if r := ask(t, k, Query{Text: "who does a rollback by hand"}); !r.Hits[0].Weak || r.Hits[0].ID != first.ID {
		t.Fatalf("%v", r.Hits[0].Evidence)
	}
	ask(t, k, Query{Text: "does the parser ignore exp, so that tokens outlive their users"})
	for _, test := range []struct {
		c    Capsule
		want bool
	}{{first, true}, {beside, false}, {sure, true}} {
		if got, err := k.Get(t.Context(), test.c.ID); err != nil || (got.Retrieved != nil) != test.want {
			t.Errorf("%q was retrieved at %v, %v", got.Title, got.Retrieved, err)
		}
	}
}

// TestRetrievalOnASlowDisk: what is retrieved is noted however long the writing takes; only for
// other writers is there no wait.
func TestRetrievalOnASlowDisk(t *testing.T) {
	now, writing := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Duration(0)
	k := openKB(t, t.TempDir(), Options{Now: func() time.Time {
		time.Sleep(writing) // a transaction asks for the time once it has begun
		return now
	}})
	c := put(t, k, Capsule{Title: "a", Body: "text"})
	now, writing = now.Add(48*time.Hour), 50*time.Millisecond
	expect.Value(k.Search(t.Context(), Query{Text: "text"}))(t)
	if got, err := k.Get(t.Context(), c.ID); err != nil || got.Retrieved == nil {
		t.Errorf("it does not count as retrieved (%v)", err)
	}
}

// TestBoostNeedsAMatch: a capsule of the caller's workspace rises among those that answer, and
// does not become an answer.
func TestBoostNeedsAMatch(t *testing.T) {
	k := newKB(t, nil)
	for i, title := range []string{"rotate the signing keys", "signing keys: rotate them at night", "when to rotate signing keys"} {
		put(t, k, Capsule{Title: title, Body: fmt.Sprint("rotate the signing keys of service ", i)})
	}
	weak := put(t, k, Capsule{Title: "keys of the piano", Body: "they are tuned in spring", Workspace: "/w"})
	near := put(t, k, Capsule{Title: "the signing keys", Body: "who may rotate them", Workspace: "/w"})
	res := ask(t, k, Query{Text: "rotate the signing keys", Workspace: "/w"})
	if len(res.Hits) != 5 || res.Hits[4].ID != weak.ID || len(res.Hits[4].Boosts) > 0 || res.Hits[4].Score > 0.5 {
		t.Errorf("%q: the last is %+v", titles(res.Hits), res.Hits[len(res.Hits)-1])
	}
	if res.Hits[0].ID != near.ID && res.Hits[1].ID != near.ID && res.Hits[2].ID != near.ID {
		t.Errorf("%q: what answers did not rise", titles(res.Hits))
	}
	if res := ask(t, k, Query{Text: "rotate the signing keys", Workspace: "/w", Floor: 0.5}); len(res.Hits) != 4 {
		t.Errorf("above the floor are %q", titles(res.Hits))
	}
}

// TestSearchLanguages: a capsule in another language than English is found, surely, and shown, by
// other forms of its words.
func TestSearchLanguages(t *testing.T) {
	k := newKB(t, nil)
	sv := put(t, k, Capsule{Title: "Fakturan skickas två gånger", Body: "Det andra försöket kontrollerar inte om banken tog emot den. " + strings.Repeat("Det är så på alla servrar. ", 20) + "Anslutningen stängs."})
	ru := put(t, k, Capsule{Title: "Резервная копия не восстанавливается", Body: "Копия была сделана без журнала."})
	put(t, k, Capsule{Title: "The server refuses connections", Body: "The firewall closes them at night."})
	for text, want := range map[string]Capsule{"skicka fakturor": sv, "anslutningar som stängdes": sv, "восстановление резервных копий": ru} {
		r := ask(t, k, Query{Text: text})
		if len(r.Hits) == 0 || r.Hits[0].ID != want.ID {
			t.Errorf("%q: %v", text, titles(r.Hits))
			continue
		}
		if strings.Contains(text, "som") && !strings.Contains(r.Hits[0].Snippet, "Anslutningen") {
			t.Errorf("%q shows %q", text, r.Hits[0].Snippet)
		}
		if !strings.Contains(text, "som") && r.Hits[0].Weak {
			t.Errorf("%q is weakly about it: %g", text, r.Hits[0].Evidence)
		}
	}
}

// TestOnlyFunctionWords: a capsule that has nothing of a question but "to" is no hit,
// unless the question has nothing else.
func TestOnlyFunctionWords(t *testing.T) {
	k := newKB(t, nil)
	put(t, k, Capsule{Kind: "fact", Scope: "universal", Title: "Deploys go to staging first",
		Body: "A deploy goes to staging, and then to production. Connections are drained."})
	put(t, k, Capsule{Kind: "fact", Scope: "universal", Title: "At most 50 items in a cart",
		Body: "More fail to load.", Tags: []string{"yeast"}})
	for question, want := range map[string]bool{
		"how to bake bread":      false,
		"how to":                 true, // it has no other words
		"how to bake yeast":      true, // a tag
		"how to bake conections": true, // a word in place of a missing one
		"how to deploy":          true,
	} {
		if r := ask(t, k, Query{Text: question}); (len(r.Hits) > 0) != want {
			t.Errorf("%s: %d hits, want some: %v", question, len(r.Hits), want)
		}
	}
}

// TestAmountsAreNoEvidence: how much, how many and more are in every question about an amount, and
// say nothing of what it is about.
func TestAmountsAreNoEvidence(t *testing.T) {
	k := newKB(t, nil)
	for _, c := range []Capsule{{Title: "Too much was charged for gaskets, sensors and radio modules"},
		{Title: "Each of many runs takes more memory"}, {Title: "The fee may rise by 3 % a year"}} {
		c.Kind, c.Scope, c.Body = "fact", "universal", c.Title+"."
		put(t, k, c)
	}
	for _, question := range []string{"How much more may the supplier charge each year?",
		"how many more boats does each harbour have"} {
		for _, h := range ask(t, k, Query{Text: question}).Hits {
			if !h.Weak {
				t.Errorf("%s: %s is sure: %.2f", question, h.Title, h.Evidence)
			}
		}
	}
}

// TestWeakIsNotRetrieved: a weak hit is shown beside, so it fades as if nobody had asked.
func TestWeakIsNotRetrieved(t *testing.T) {
	k := openKB(t, t.TempDir(), Options{})
	c := put(t, k, Capsule{Kind: "fact", Scope: "universal", Title: "The Kafka broker of the warehouse",
		Body: "It runs on host k1."})
	for _, title := range []string{"Roses want sun", "Brecht wrote plays", "Denmark has islands", "Svendborg is a town"} {
		put(t, k, Capsule{Kind: "fact", Scope: "universal", Title: title, Body: "So it is said."})
	}
	res := ask(t, k, Query{Text: "which books did Brecht write about the warehouse in Svendborg during his exile in Denmark"})
	if i := slices.IndexFunc(res.Hits, func(h Hit) bool { return h.ID == c.ID }); i < 0 || !res.Hits[i].Weak {
		t.Fatalf("%+v", res.Hits)
	}
	if got, err := k.Get(t.Context(), c.ID); err != nil || got.Retrieved != nil {
		t.Errorf("it counts as retrieved at %v (%v)", got.Retrieved, err)
	}
}
