package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/testdata/cost"
)

// TestFigures: the bounds lie around the mean, draw near with more questions, and are the same each
// time.
func TestFigures(t *testing.T) {
	values := func(n int) (all []float64) {
		for i := range n {
			all = append(all, float64(i%2))
		}
		return all
	}
	few, many := mean(values(20)), mean(values(2000))
	if few.Value != .5 || few.Low >= .5 || few.High <= .5 || few != mean(values(20)) {
		t.Errorf("of few: %v", few)
	}
	// Of 2,000 tosses the standard error is .0112.
	if many.Low < .475 || many.Low > .481 || many.High < .519 || many.High > .525 {
		t.Errorf("of many: %v", many)
	}
	all := []judged{{true, true, true}, {true, true, false}, {true, true, true}, {false, true, false}, {false, false, false}}
	if f := balanced(all, func(j judged) bool { return j.ours }); f.Value != .75 {
		t.Errorf("balanced: %v", f)
	}
}

func TestBaselines(t *testing.T) {
	for claim, want := range map[string]bool{"Tokens expire after 30 days": true, "Tokens expire after 31 days": false, "Anna said so": false, "so it was": true} {
		if got := holds(claim, "The tokens of Bert expire after 30 days."); got != want {
			t.Errorf("holds(%q) = %t", claim, got)
		}
	}
	set := &Set{Docs: []Doc{{ID: "a", Text: "keys rotate"}, {ID: "b", Text: "keys keys keys and tokens"}, {ID: "c", Text: "nothing of it"}}, Queries: []Query{{ID: "q", Text: "Rotate keys"}}}
	if got := strings.Join(plainBM25(set)["q"], " "); got != "a b" {
		t.Errorf("plain BM25 ranks %s", got)
	}
}

const conversation = `[{"sample_id": "x", "conversation": {
 "speaker_a": "Ann", "session_1_date_time": "1:00 pm on 8 May, 2023",
 "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a beagle called Momo"}, {"speaker": "Bob", "dia_id": "D1:2", "text": "The weather is nice"}],
 "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "I moved to Oslo"}]},
 "qa": [
  {"question": "What is the name of the beagle?", "answer": "Momo", "evidence": ["D1:1"], "category": 4},
  {"question": "Who has a beagle, and who moved to Oslo?", "evidence": ["D1:1; D2:1"], "category": 1},
  {"question": "Never said", "evidence": ["D9:9"], "category": 4},
  {"question": "Adversarial", "evidence": ["D1:1"], "category": 5}]}]`

// TestLocomo reads a made file of LoCoMo's form, which is not here, and scores it.
func TestLocomo(t *testing.T) {
	name := filepath.Join(t.TempDir(), "locomo.json")
	if err := os.WriteFile(name, []byte(conversation), 0o600); err != nil {
		t.Fatal(err)
	}
	sets, kind, err := readLocomo(name)
	if err != nil || len(sets) != 1 || len(sets[0].Docs) != 3 || len(sets[0].Queries) != 2 {
		t.Fatalf("%+v, %v", sets, err)
	}
	if two := sets[0].Queries[1]; len(two.Relevant) != 2 || kind[two.ID] != 1 || sets[0].Docs[0].Title != "Ann, 1:00 pm on 8 May, 2023" {
		t.Errorf("%+v of kind %d, %+v", two, kind[two.ID], sets[0].Docs[0])
	}
	rows, err := scoreSet(t.Context(), "locomo", name, nil, Options{}, 0)
	if err != nil || len(rows) != 4 {
		t.Fatalf("%v, %v", rows, err)
	}
	for _, r := range rows {
		if r.Ours.Value != 1 || r.Base.Value != 1 || r.N != 1 {
			t.Errorf("%s", r)
		}
	}
	for _, wrong := range []string{`{}`, `[]`, `[{"conversation": {}, "qa": []}]`} {
		if err := os.WriteFile(name, []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readLocomo(name); err == nil {
			t.Errorf("%s is read as LoCoMo's file", wrong)
		}
	}
}

// TestScoresFile: a set's rows replace those of its last run, and the others stay; what is in no row
// is named.
func TestScoresFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "SCORES.md")
	first := row{Set: "notes", What: "search, 440 documents", Measure: "nDCG@10", How: "words", N: 80, Ours: figure{.7, .6, .8}, Beside: "plain BM25", Base: figure{.65, .5, .7}}
	other := first
	other.Set, other.Ours.Value = "scifact", .4
	better := first
	better.Ours = figure{1, .9, 1}
	for _, rows := range [][]row{{first, other}, {better}} {
		if err := writeScores(name, rows); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| notes | search, 440 documents | nDCG@10 | 80 | words | 1.000 [.900, 1.000] | plain BM25 | .650 [.500, .700] |\n",
		"| scifact | search, 440 documents | nDCG@10 | 80 | words | .400 [", "\n- locomo: ", "\n- trust: ",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), ".700 [.600") || strings.Contains(string(text), "- notes: ") {
		t.Errorf("an old row, or a set that was run, stays:\n%s", text)
	}
}

// TestScoreTrust: the reviews' labels are read, and the checks are better than the rule.
func TestScoreTrust(t *testing.T) {
	cost.SkipTable(t) // it builds the program, without the race detector
	review := t.TempDir()
	for file, text := range map[string]string{
		"r/findings.jsonl":     `{"key":"a","content":"Tokens expire after 30 days","source_doc":"a.txt","evidence":"expire after 30 days","must_surface":true}` + "\n" + `{"key":"b","content":"Keys last 80 days","source_doc":"a.txt","evidence":"Keys last 80 days","must_surface":true}` + "\n",
		"r/labels_quotes.json": `{"a":"true","b":"altered: 90"}`,
		"r/labels.json":        `{"invented":[["wrong number","That costs 77 euros.","77"]],"survival":{"a":"present","b":"missing"}}`,
		"r/report.md":          "Tokens expire after 30 days.\nThat costs 77 euros.\n",
		"r/clean.md":           "Tokens expire after 30 days.\n",
		"r/sources/a.txt":      "Tokens expire after 30 days. Keys last 90 days.\n",
	} {
		path := filepath.Join(review, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir("../..")
	rows, err := scoreTrust(t.Context(), review)
	if err != nil || len(rows) != 3 {
		t.Fatalf("%v, %v", rows, err)
	}
	for _, r := range rows {
		if r.N != 2 || r.Ours.Value != 1 {
			t.Errorf("%s", r)
		}
	}
}
