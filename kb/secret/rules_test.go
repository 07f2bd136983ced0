package secret

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/zricethezav/gitleaks/v8/config"
)

// TestRules: both files can be read, and everything in them is something that we know. An update of gitleaks may fail here.
func TestRules(t *testing.T) {
	set := rules()
	own := 0
	probes := 0
	for _, r := range set.rules {
		p := r.regex()
		if p.full == nil {
			t.Errorf("%s: cannot be compiled: %s", r.ID, r.Regex)
			continue
		}
		if strings.HasPrefix(r.Regex, lead) != (p.probe != nil) {
			t.Errorf("%s: probe %v", r.ID, p.probe)
		}
		if p.probe != nil {
			probes++
		}
		if r.ours {
			own++
		}
		if r.SecretGroup > p.full.NumSubexp() {
			t.Errorf("%s: no group %d", r.ID, r.SecretGroup)
		}
		if d := r.describe(); d == "" || !r.ours && len(d) > 60 {
			t.Errorf("%s: %q", r.ID, d)
		}
	}
	for _, r := range append(set.rules, &rule{ID: "global", Allowlists: set.global}) {
		for _, a := range r.Allowlists {
			if a.regex != nil && a.regex() == nil {
				t.Errorf("%s: an allowlist cannot be compiled", r.ID)
			}
		}
	}
	if len(set.rules) < 200 || own != 1 || probes < 50 || len(set.global) != 1 || len(set.words.always) > 0 {
		t.Errorf("%d rules, %d ours, %d with a probe, %d global allowlists, %d without keywords", len(set.rules), own, probes, len(set.global), len(set.words.always))
	}
	if i := slices.IndexFunc(set.rules, func(r *rule) bool { return r.ID == "sonar-api-token" }); set.rules[i].SecretGroup != 2 {
		t.Errorf("secretGroup was not read")
	}
	if !slices.ContainsFunc(set.rules, func(r *rule) bool {
		return r.generic() && slices.ContainsFunc(r.Allowlists, func(a *allowlist) bool { return len(a.StopWords) > 1000 && a.RegexTarget == "match" })
	}) {
		t.Error("the generic rule has no stop words")
	}
}

// TestFormat: no part of the format is in use that we ignore.
func TestFormat(t *testing.T) {
	list := []string{"description", "condition", "commits", "paths", "regexTarget", "regexes", "stopwords", "targetRules"}
	known := func(where string, m map[string]any, keys ...string) {
		for k := range maps.Keys(m) {
			if !slices.Contains(keys, k) {
				t.Errorf("%s: unknown %s", where, k)
			}
		}
	}
	for _, text := range []string{config.DefaultConfig, ours} {
		var f struct {
			Allowlist  map[string]any
			Allowlists []map[string]any
			Rules      []map[string]any
		}
		var top map[string]any
		for _, v := range []any{&f, &top} {
			if err := toml.Unmarshal([]byte(text), v); err != nil {
				t.Fatal(err)
			}
		}
		known("file", top, "title", "minVersion", "allowlist", "allowlists", "rules")
		known("allowlist", f.Allowlist, list...)
		for _, a := range f.Allowlists {
			known("allowlists", a, list...)
		}
		for _, r := range f.Rules {
			known("rule", r, "id", "description", "regex", "path", "secretGroup", "entropy", "keywords", "allowlists")
			lists, _ := r["allowlists"].([]any)
			for _, a := range lists {
				known(r["id"].(string), a.(map[string]any), list...)
			}
		}
	}
}

func TestKeywords(t *testing.T) {
	k := index([]*rule{{Keywords: []string{"KEY", "to"}}, {Keywords: []string{"token"}}, {}, {Keywords: []string{"a"}}, {Keywords: []string{"ö!"}}})
	for text, want := range map[string][]int{
		"": {2, 3}, "k": {2, 3}, "ke": {2, 3}, "key": {0, 2, 3}, "a Key": {0, 2, 3}, "tok": {0, 2, 3},
		"xTOKEN": {0, 1, 2, 3}, "kkey to key": {0, 2, 3}, "é": {2, 3}, "\xffö!": {2, 3, 4}, "toke": {0, 2, 3},
	} {
		if got := k.in(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestAllowlists: the format's conditions and targets, one list at a time.
func TestAllowlists(t *testing.T) {
	read := func(lists string) *ruleset {
		set := &ruleset{}
		set.read(`
[[rules]]
id = "r"
regex = '''key=(\w+)'''
keywords = ["key"]
`+lists, true)
		return set
	}
	const text = "first\nmy key=abc123, his key=xyz789 # note\nlast key=abc456"
	for name, test := range map[string]struct{ lists, want string }{
		"none":          {"", "abc123 xyz789 abc456"},
		"secret":        {"[[rules.allowlists]]\nregexes=['^abc']", "xyz789"},
		"several":       {"[[rules.allowlists]]\nregexes=['^a.*3$', 'z7']", "abc456"},
		"two lists":     {"[[rules.allowlists]]\nregexes=['^a.*3$']\n[[rules.allowlists]]\nregexes=['z7']", "abc456"},
		"match":         {"[[rules.allowlists]]\nregexTarget='match'\nregexes=['^key=a']", "xyz789"},
		"not match":     {"[[rules.allowlists]]\nregexes=['^key=a']", "abc123 xyz789 abc456"},
		"line":          {"[[rules.allowlists]]\nregexTarget='line'\nregexes=['# note$']", "abc456"},
		"last line":     {"[[rules.allowlists]]\nregexTarget='line'\nregexes=['^last']", "abc123 xyz789"},
		"stop words":    {"[[rules.allowlists]]\nstopwords=['BC1']", "xyz789 abc456"},
		"any":           {"[[rules.allowlists]]\nregexes=['z7']\nstopwords=['bc1']", "abc456"},
		"all":           {"[[rules.allowlists]]\ncondition='AND'\nregexes=['^abc']\nstopwords=['bc1']", "xyz789 abc456"},
		"all, stop":     {"[[rules.allowlists]]\ncondition='and'\nstopwords=['bc1']", "xyz789 abc456"},
		"all with path": {"[[rules.allowlists]]\ncondition='AND'\nregexes=['^abc']\npaths=['.']", "abc123 xyz789 abc456"},
		"or a path":     {"[[rules.allowlists]]\nregexes=['^abc']\npaths=['.']", "xyz789"},
		"only a path":   {"[[rules.allowlists]]\npaths=['.']", "abc123 xyz789 abc456"},
		"no criterion":  {"[[rules.allowlists]]\ncondition='AND'", "abc123 xyz789 abc456"},
		"global, old":   {"[allowlist]\nregexes=['^abc']", "xyz789"},
		"global":        {"[[allowlists]]\nregexes=['^abc']", "xyz789"},
		"for the rule":  {"[[allowlists]]\ntargetRules=['r']\nregexes=['^abc']", "xyz789"},
		"for another":   {"[[allowlists]]\ntargetRules=['q']\nregexes=['^abc']", "abc123 xyz789 abc456"},
		"no regexp":     {"[[rules.allowlists]]\nregexes=['(']", "abc123 xyz789 abc456"},
	} {
		t.Run(name, func(t *testing.T) {
			set := read(test.lists)
			var got []string
			for _, s := range set.rules[0].find(text, set.global) {
				got = append(got, text[s.start:s.end])
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestRead: what cannot be read or does not apply is left out.
func TestRead(t *testing.T) {
	for name, text := range map[string]string{
		"not TOML":    "[[rules]\n",
		"wrong type":  "[[rules]]\nid=3\nregex='x'",
		"with a path": "[[rules]]\nid='x'\nregex='x'\npath='y'",
		"path only":   "[[rules]]\nid='x'\npath='y'",
	} {
		set := &ruleset{}
		if set.read(text, false); len(set.rules) > 0 {
			t.Errorf("%s: %+v", name, set.rules[0])
		}
	}
	set := &ruleset{}
	set.read("[[rules]]\nid='x'\nregex='('\n[[rules]]\nid='y'\nregex='(a)(b)?'\nsecretGroup=2\n[[rules]]\nid='z'\nregex='a'\nsecretGroup=2", false)
	for _, r := range set.rules {
		if found := r.find("(a)", nil); len(found) > 0 {
			t.Errorf("%s: %+v", r.ID, found)
		}
	}
}

func TestEntropy(t *testing.T) {
	for s, want := range map[string]float64{"": 0, "a": 0, "aaaa": 0, "ab": 1, "abcd": 2, "aabb": 1, "0123456789abcdef": 4} {
		if got := entropy(s); math.Abs(got-want) > 1e-12 {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}
