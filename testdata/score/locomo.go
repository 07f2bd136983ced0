package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// locomoKinds are the types of LoCoMo's questions. The fifth has no answer, and so no evidence to
// find.
var locomoKinds = map[int]string{1: "several sessions", 2: "time", 3: "common knowledge", 4: "one session"}

var dialogueID = regexp.MustCompile(`D\d+:\d+`)

// readLocomo reads LoCoMo's own file: a set for each conversation, whose documents are its turns, and
// the type of each question.
func readLocomo(name string) (sets []*Set, kind map[string]int, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	var file []struct {
		ID           string                     `json:"sample_id"`
		Conversation map[string]json.RawMessage `json:"conversation"`
		QA           []struct {
			Question string
			Evidence []string
			Category int
		} `json:"qa"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, nil, fmt.Errorf("%s is not LoCoMo's list of conversations: %w", name, err)
	}
	kind = map[string]int{}
	for n, c := range file {
		set := &Set{Name: fmt.Sprintf("locomo-%d", n+1), Split: "qa"}
		there := map[string]bool{}
		for _, session := range slices.Sorted(maps.Keys(c.Conversation)) {
			var turns []struct {
				Speaker, Text string
				ID            string `json:"dia_id"`
			}
			if json.Unmarshal(c.Conversation[session], &turns) != nil {
				continue // a speaker, or a date
			}
			var at string
			_ = json.Unmarshal(c.Conversation[session+"_date_time"], &at) // without one the turn has none
			for _, t := range turns {
				there[t.ID] = true
				set.Docs = append(set.Docs, Doc{ID: t.ID, Title: strings.TrimSpace(t.Speaker + ", " + at), Text: t.Text})
			}
		}
		for i, q := range c.QA {
			asked := Query{ID: fmt.Sprintf("%d-%d", n, i), Text: q.Question, Relevant: map[string]int{}}
			for _, id := range dialogueID.FindAllString(strings.Join(q.Evidence, " "), -1) {
				if there[id] {
					asked.Relevant[id] = 1
				}
			}
			if len(asked.Relevant) > 0 && locomoKinds[q.Category] != "" {
				set.Queries = append(set.Queries, asked)
				kind[asked.ID] = q.Category
			}
		}
		if len(set.Queries) > 0 {
			sets = append(sets, set)
		}
	}
	if len(sets) == 0 {
		return nil, nil, fmt.Errorf("%s has no question with evidence", name)
	}
	return sets, kind, nil
}
