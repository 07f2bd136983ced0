package kb

import (
	"strings"

	"blackboard/board/words"
	"blackboard/kb/index"
)

// spellExpanded puts words in the place of the expansions' terms: those of the question and of
// the hits. Terms that no hit has are left out: nothing came of them.
func (k *KB) spellExpanded(q *Query, res *Result) {
	expanded := res.Expanded
	res.Expanded = []index.Expansion{}
	if len(expanded) == 0 || q.Measuring {
		return
	}
	asked, found := map[string]string{}, map[string]string{}
	for _, e := range expanded {
		asked[e.Missing] = ""
		for _, t := range e.Terms {
			found[t] = ""
		}
	}
	k.spell(asked, q.Text)
	for left, i := len(found), 0; left > 0 && i < len(res.Hits); i++ {
		left -= k.spell(found, res.Hits[i].Title) + k.spell(found, res.Hits[i].Body)
	}
	for _, e := range expanded {
		spelt := index.Expansion{Missing: asked[e.Missing]}
		for _, t := range e.Terms {
			if found[t] != "" {
				spelt.Terms = append(spelt.Terms, found[t])
			}
		}
		if spelt.Terms != nil {
			res.Expanded = append(res.Expanded, spelt)
		}
	}
}

// spell fills in the text's first word for each term that has none yet, and returns how many.
// A word that stands beside others, with a hyphen or a dot, comes second to its parts.
func (k *KB) spell(terms map[string]string, text string) (n int) {
	for _, w := range append(strings.FieldsFunc(text, words.Between), strings.Fields(text)...) {
		for _, t := range k.index.Terms(w) {
			if spelt, wanted := terms[t]; wanted && spelt == "" {
				terms[t] = strings.TrimFunc(w, words.Between)
				n++
			}
		}
	}
	return n
}
