package secret

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/zricethezav/gitleaks/v8/config"
)

//go:embed ours.toml
var ours string

// file is what we use of gitleaks' configuration format.
type file struct {
	Allowlist  *allowlist   // the older form of a single global one
	Allowlists []*allowlist // global, or for TargetRules
	Rules      []*rule
}

type rule struct {
	ID          string
	Description string // only of our own rules: we derive the others' from their ids
	Regex       string
	Path        string
	SecretGroup int // the group that is the secret; 0 is the first group that is not empty
	Entropy     float64
	Keywords    []string
	Allowlists  []*allowlist

	order int // in the files
	ours  bool
	regex func() patterns
}

// allowlist describes what is no secret although a rule matches it.
type allowlist struct {
	Condition      string // "AND" for all of the criteria, otherwise any of them
	Commits, Paths []string
	RegexTarget    string // "match" or "line"; otherwise the secret
	Regexes        []string
	StopWords      []string // in the secret
	TargetRules    []string

	regex func() *regexp.Regexp // all the Regexes; nil if there are none
}

// ruleset is what was read.
type ruleset struct {
	rules  []*rule
	global []*allowlist
	words  *keywords
}

// rules reads the rules once, at the first use. A file that cannot be read has no rules, as a Find that fails would keep its callers from
// writing anything; the tests see to it that both files can be read.
var rules = sync.OnceValue(func() *ruleset {
	var set ruleset
	set.readAll()
	return &set
})

func (set *ruleset) readAll() {
	set.read(config.DefaultConfig, false)
	set.read(ours, true)
	set.words = index(set.rules)
}

func (set *ruleset) read(text string, ours bool) {
	var f file
	if err := toml.Unmarshal([]byte(text), &f); err != nil {
		return
	}
	for _, r := range f.Rules {
		if r.Path != "" || r.Regex == "" {
			continue
		}
		r.order, r.ours = len(set.rules), ours
		r.regex = sync.OnceValue(func() patterns { return compile(r.Regex) })
		r.Allowlists = prepare(r.Allowlists)
		set.rules = append(set.rules, r)
	}
	if f.Allowlist != nil {
		f.Allowlists = append(f.Allowlists, f.Allowlist)
	}
	for _, a := range prepare(f.Allowlists) {
		if len(a.TargetRules) == 0 {
			set.global = append(set.global, a)
		}
		for _, r := range set.rules {
			if slices.Contains(a.TargetRules, r.ID) {
				r.Allowlists = append(r.Allowlists, a)
			}
		}
	}
}

// prepare drops what asks for a path or a commit too, since no text here has one.
func prepare(lists []*allowlist) []*allowlist {
	lists = slices.DeleteFunc(lists, func(a *allowlist) bool { return a.all() && len(a.Paths)+len(a.Commits) > 0 })
	for _, a := range lists {
		for i, w := range a.StopWords {
			a.StopWords[i] = strings.ToLower(w)
		}
		if len(a.Regexes) > 0 {
			// Joined as gitleaks joins them, where a (?i) reaches into the ones that follow.
			a.regex = sync.OnceValue(func() *regexp.Regexp { return try("(?:" + strings.Join(a.Regexes, "|") + ")") })
		}
	}
	return lists
}

func (a *allowlist) all() bool { return strings.EqualFold(a.Condition, "and") || a.Condition == "&&" }

// try compiles, or returns nil for what is no regexp.
func try(expr string) *regexp.Regexp {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil
	}
	return re
}

// describe says what kind of secret the rule is about.
func (r *rule) describe() string {
	if r.ours {
		return r.Description
	}
	words := strings.Split(r.ID, "-")
	for i, w := range words {
		switch w {
		case "api", "aws", "gcp", "npm", "jwt", "url", "ai", "pat":
			words[i] = strings.ToUpper(w)
		}
	}
	return strings.Join(words, " ")
}
