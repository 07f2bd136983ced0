package words

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestStatement(t *testing.T) {
	for text, want := range map[string]string{
		"The **queue** is drained, before the workers end!": "queu drain befor worker end",
		"- `the queue` is drained before workers end":       "queu drain befor worker end",
		"It doesn't need a restart":                         "not need restart",
		"It does not need a restart":                        "not need restart",
		"You cannot, can't, won't":                          "you can not can not will not",
		"runner eu-west-1 ha 15% of v1.2.3":                 "runner eu-west-1 ha 15% v1.2.3",
		"Call curl -I, not -i or --Force":                   "call curl -I not -i or --force",
		"load_user(id) calls parseDate in a.yaml:42.":       "load_user id call parsedate in a.yaml:42",
		"parseDates":           "parsedates",
		"ÜBER uns; ﬁle":        "über un fil",
		"--force <= 3 — or -1": "--force <= 3 or -1",
		"🎉 😀":                  "🎉 😀",
		"* * *\n---":           "",
	} {
		if got := strings.Join(Statement(text), " "); got != want {
			t.Errorf("%q says %q, not %q", text, got, want)
		}
	}
}

func FuzzStatement(f *testing.F) {
	for _, s := range []string{"The **queue** is drained", "can't v1.2 eu-west-1",
		"\xff\x00 🎉 ﬁ", "— -- ''s n't"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		said := Statement(text)
		if slices.Contains(said, "") {
			t.Fatalf("%q has an empty word: %q", text, said)
		}
		if again := Statement("  " + strings.ReplaceAll(text, " ", "\n ") +
			"\t"); !slices.Equal(again, said) {
			t.Fatalf("%q says %q, and with other blanks %q", text, said, again)
		}
	})
}

func TestPrior(t *testing.T) {
	shares, rarest := priors()
	if len(shares) < 6000 || rarest <= 0 || rarest > 0.001 {
		t.Fatalf("%d terms, the rarest %g", len(shares), rarest)
	}
	for term, p := range shares {
		if p < rarest || p > 1 || math.IsNaN(p) {
			t.Errorf("%q has the share %g", term, p)
		}
	}
	var the, file, everyday, unheard float64 = Prior("the"), Prior("file"),
		Prior("thank"), Prior("conntrack")
	if the < 0.5 || file < 0.02 || file > the || everyday != everydayShare || unheard != rarest {
		t.Errorf("the %g, file %g, thanks %g, conntrack %g", the, file, everyday, unheard)
	}
}

// everyday are words with which people ask, answer and go on. The comments of sources
// hardly have them, and a question is about none of them.
const everyday = `
	ask answer explain tell say said talk think thought guess idea opinion happy honest nice good
	better best bad worse fine great sure maybe perhaps probably actually really just still
	already again yet ever never often yesterday today tomorrow tonight morning evening night noon
	week month year day hour minute weekend monday tuesday wednesday thursday friday saturday
	sunday please thanks hello hi sorry okay yes no cool help look see watch check find try begin
	finish continue come back take give put keep leave let want need like love hate wish hope know
	understand remember forget mean seem feel happen work fix clean tidy improve refactor review
	write rewrite read change update add remove delete run rerun test commit push pull merge
	branch code file line name thing stuff part piece bit lot few little big small short long
	quick fast faster slow slower new old same other another next previous last first else
	different sense reason way problem issue bug error fail broken wrong right someone somebody
	anyone everyone people colleague friend boss team user machine laptop screen two three four
	five six seven eight nine ten hundred couple half both everything anything nothing something
	instead`

// TestEverydayTerms: the terms that are kept are those of these words and of German's.
func TestEverydayTerms(t *testing.T) {
	var terms []string
	new(Analyzer).Terms(everyday+german, func(term string, _ bool) { terms = append(terms, term) })
	slices.Sort(terms)
	if want := strings.Join(slices.Compact(terms), "\n") + "\n"; everydayTerms != want {
		t.Errorf("everyday.txt must be\n%s", want)
	}
}
