package words

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// This file has synonyms for reports that paraphrase a finding. The list is small on purpose:
// common words that are interchangeable in most sentences. Claims, which must not confuse
// two things, use the narrower lists of side.go.

// senses has a group a line: words of one sense, with their forms that Stem does not join.
//
//go:embed senses.txt
var senses string

type senseTables struct {
	once  sync.Once
	of    map[string][]int // groups by stem
	stems [][]string       // of each group
}

var senseTable senseTables

func readSenses() {
	t := &senseTable
	t.of = map[string][]int{}
	for line := range strings.Lines(senses) {
		g := len(t.stems)
		t.stems = append(t.stems, nil)
		for _, w := range strings.Fields(line) {
			if st := Stem(w); !slices.Contains(t.stems[g], st) {
				t.stems[g] = append(t.stems[g], st)
				t.of[st] = append(t.of[st], g)
			}
		}
	}
}

// derivations are the ends of the stems of words that are made of a verb or an
// adjective: entitlement of entitle, renewal of renew.
var derivations = []string{"ment", "al", "anc", "enc", "ur", "er", "or",
	"itor", "abl", "ness", "en"}

// minRoot is how long what they are made of must be, to tell words apart.
const minRoot = 5

// derived adds the keys of the words that are made of the same as a stem.
func derived(own string, keys []string) []string {
	root := own
	for _, end := range derivations {
		if r, ok := strings.CutSuffix(own, end); ok && len(r) >= minRoot {
			if root = r; end == "ment" {
				root = strings.TrimSuffix(r, "e")
			}
			break
		}
	}
	if len(root) < minRoot {
		return keys
	}
	if root != own {
		keys = append(keys, "w:"+root)
	}
	for _, end := range derivations {
		if root+end != own {
			keys = append(keys, "w:"+root+end)
		}
	}
	if e := root + "ement"; e != own { // entitl(e)
		keys = append(keys, "w:"+e)
	}
	return keys
}

// senses returns the groups of a stem, or of what it is made of: profitable of profit.
func (t *senseTables) senses(own string) []int {
	if s := t.of[own]; s != nil {
		return s
	}
	for _, end := range derivations {
		if root, ok := strings.CutSuffix(own, end); ok && len(root) >= minRoot {
			if s := t.of[root]; s != nil {
				return s
			}
		}
	}
	return nil
}

// Related returns the keys of the words that a report may have in the place of a folded
// word: those of the same sense.
func Related(w string) (same []string) {
	senseTable.once.Do(readSenses)
	t := &senseTable
	own := Stem(w)
	for _, g := range t.senses(own) {
		for _, st := range t.stems[g] {
			if st != own {
				same = append(same, "w:"+st)
			}
		}
	}
	return derived(own, same)
}
