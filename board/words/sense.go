package words

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// This file has synonyms and opposites for reports that paraphrase a finding. The list
// is small on purpose: common words that are interchangeable in most sentences. Claims,
// which must not confuse two things, use the narrower lists of side.go.

// senses has a group a line: words of one sense, with their forms that Stem does not
// join, then after a slash those of the opposite sense.
//
//go:embed senses.txt
var senses string

// A Sense is a group of senses, and the side that a word is on.
type Sense struct {
	group    int
	opposite bool
}

type senseTables struct {
	once  sync.Once
	of    map[string][]Sense // by stem
	stems [][2][]string      // of each group, on each side
}

var senseTable senseTables

func readSenses() {
	t := &senseTable
	t.of = map[string][]Sense{}
	group := func(sides ...string) {
		g := len(t.stems)
		t.stems = append(t.stems, [2][]string{})
		for side, list := range sides {
			for _, w := range strings.Fields(list) {
				st := Stem(w)
				if !slices.Contains(t.stems[g][side], st) {
					t.stems[g][side] = append(t.stems[g][side], st)
					t.of[st] = append(t.of[st], Sense{g, side == 1})
				}
			}
		}
	}
	for line := range strings.Lines(senses) {
		if a, b, _ := strings.Cut(line, "/"); strings.TrimSpace(a) != "" {
			group(a, b)
		}
	}
	for _, pair := range strings.Fields(oppositePairs + contraryPairs) {
		a, b, _ := strings.Cut(pair, "/")
		group(a, b)
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
func (t *senseTables) senses(own string) []Sense {
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
// word: those of the same sense, and those of the opposite one.
func Related(w string) (same, opposite []string) {
	senseTable.once.Do(readSenses)
	t := &senseTable
	own := Stem(w)
	for _, s := range t.senses(own) {
		for side, stems := range t.stems[s.group] {
			for _, st := range stems {
				key := "w:" + st
				switch {
				case st == own:
				case (side == 1) == s.opposite:
					same = append(same, key)
				default:
					opposite = append(opposite, key)
				}
			}
		}
	}
	same = derived(own, same)
	for _, p := range []string{"un", "non"} {
		if rest, ok := strings.CutPrefix(w, p); ok && len(rest) >= minStem {
			opposite = append(opposite, "w:"+Stem(rest))
		} else if len(w) >= minStem {
			opposite = append(opposite, "w:"+Stem(p+w))
		}
	}
	return same, opposite
}
