package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/shared/potion"
)

// kinds reads documents in several languages with questions of several types: mistyped
// words, words that are only begun, identifiers and more. of says each question's type
// and language.
func kinds(t *testing.T) (set *Set, of map[string][2]string) {
	t.Helper()
	set, of = &Set{Name: "kinds"}, map[string][2]string{}
	readKinds(t, "queries.jsonl", set, of)
	return set, of
}

// readKinds adds the documents and questions of a file.
func readKinds(t *testing.T, name string, set *Set, of map[string][2]string) {
	t.Helper()
	err := readJSONL(filepath.Join("..", "recall", name), func(b []byte) error {
		var l struct {
			Doc, Query, Type, Lang, Title, Body, Text string
			Relevant                                  []string
		}
		if err := json.Unmarshal(b, &l); err != nil {
			return err
		}
		if l.Doc != "" {
			set.Docs = append(set.Docs, Doc{ID: l.Doc, Title: l.Title, Text: l.Body})
			return nil
		}
		q := Query{ID: l.Query, Text: l.Text, Relevant: map[string]int{}}
		for _, id := range l.Relevant {
			q.Relevant[id] = 1
		}
		set.Queries = append(set.Queries, q)
		of[q.ID] = [2]string{l.Type, l.Lang}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestQualityKinds: a few words each, by type of question and by language. doc.go has
// the table.
func TestQualityKinds(t *testing.T) {
	cost.SkipUnlessLong(t)
	set, of := kinds(t)
	measureKinds(t, set, of, map[string]map[string]float64{
		kb.ModeBM25: {"typo": .97, "prefix": .97, "inflected": .97, "identifier": .99,
			"question": .97, "exact": .99, "cjk": .99, "synonym": .04},
		kb.ModeHybrid: {"typo": .97, "prefix": .97, "inflected": .97, "identifier": .96,
			"question": .97, "exact": .99, "cjk": .99, "synonym": .14},
	})
}

// TestQualityStems: questions in other forms of the words than their document has,
// among others that have one of the words as it was asked, in one knowledge base with
// all the kinds.
func TestQualityStems(t *testing.T) {
	cost.SkipUnlessLong(t)
	set, of := kinds(t)
	set.Name, set.Queries = "stems", nil
	readKinds(t, "stems.jsonl", set, of)
	measureKinds(t, set, of, map[string]map[string]float64{kb.ModeBM25: {"stem": .90},
		kb.ModeHybrid: {"stem": .91}})
}

// measureKinds asks, and logs a table by type of question and language.
func measureKinds(t *testing.T, set *Set, of map[string][2]string,
	floors map[string]map[string]float64) {
	t.Helper()
	relevant := map[string]map[string]int{}
	for _, q := range set.Queries {
		relevant[q.ID] = q.Relevant
	}
	r, err := Run(t.Context(), set, potion.Open(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	langs := []string{"", "en", "de", "fr", "es", "ru", "sv", "no", "zh", "ja"}
	for _, m := range r.Modes {
		sum, count := map[[2]string]float64{}, map[[2]string]float64{}
		for _, q := range m.PerQuery {
			for _, cell := range [][2]string{of[q.ID], {of[q.ID][0], ""}} {
				sum[cell] += mrr(q.Top, relevant[q.ID], 10)
				count[cell]++
			}
		}
		table := fmt.Sprintf("%s: MRR@10\n%-10s %s", m.Mode, "",
			strings.Join(append([]string{"all "}, langs[1:]...), "    "))
		var types []string
		for cell := range count {
			if cell[1] == "" {
				types = append(types, cell[0])
			}
		}
		slices.Sort(types)
		for _, typ := range types {
			table += fmt.Sprintf("\n%-10s", typ)
			for _, lang := range langs {
				n := count[[2]string{typ, lang}]
				if n == 0 {
					table += "     -"
					continue
				}
				table += fmt.Sprintf(" %.3f", sum[[2]string{typ, lang}]/n)
			}
			all := sum[[2]string{typ, ""}] / count[[2]string{typ, ""}]
			if least := floors[m.Mode][typ]; all < least {
				t.Errorf("%s by %s: an MRR@10 of %.3f; it had at least %.3f",
					typ, m.Mode, all, least)
			}
		}
		t.Log(table)
	}
}
