package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"blackboard/embed"
	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/shared"
	"blackboard/testdata/shared/potion"
)

func evalQuery(line []byte, relevant map[string]map[string]int) (q Query, err error) {
	err = json.Unmarshal(line, &q)
	q.Relevant = relevant[q.ID]
	return q, err
}

// measured evaluates a set and logs the table.
func measured(t *testing.T, set *Set, emb embed.Embedder) map[string]Metrics {
	t.Helper()
	r, err := Run(t.Context(), set, emb, Options{})
	if err != nil {
		t.Fatal(err)
	}
	table := fmt.Sprintf("%s (%s): %d documents, %d questions %s\n%-8s %8s %8s %8s %8s %8s", r.Set,
		r.Split, r.Docs, r.Queries, r.Model, "", "nDCG@10", "rec@5", "rec@10", "rec@100", "MRR@10")
	modes := map[string]Metrics{}
	for _, m := range r.Modes {
		modes[m.Mode] = m
		table += fmt.Sprintf("\n%-8s %8.4f %8.4f %8.4f %8.4f %8.4f", m.Mode, m.NDCG10, m.Recall5,
			m.Recall10, m.Recall100, m.MRR10)
	}
	t.Log(table)
	return modes
}

// floor fails if a mode that was measured is worse than it was when the floor was set:
// a little below what it had then.
func floor(t *testing.T, modes map[string]Metrics, mode string, ndcg, recall100 float64) {
	t.Helper()
	if m, ok := modes[mode]; ok && (m.NDCG10 < ndcg || m.Recall100 < recall100) {
		t.Errorf("%s has an nDCG@10 of %.4f and a recall@100 of %.4f; it had at least %.4f and %.4f", mode, m.NDCG10, m.Recall100, ndcg, recall100)
	}
}

// gains fails if meaning beside words finds less than words alone: within 100 it must
// find more, and its first ten must be no worse.
func gains(t *testing.T, modes map[string]Metrics) {
	t.Helper()
	words, both := modes[kb.ModeBM25], modes[kb.ModeHybrid]
	if both.Mode == "" {
		return
	}
	if both.NDCG10 < words.NDCG10 || both.Recall100 <= words.Recall100 {
		t.Errorf("hybrid has %.4f and %.4f, words alone %.4f and %.4f", both.NDCG10,
			both.Recall100, words.NDCG10, words.Recall100)
	}
}

// TestQualitySciFact: scientific claims against abstracts, long and even texts.
func TestQualitySciFact(t *testing.T) {
	t.Parallel()
	dir := shared.File("data", "eval", "scifact", "corpus.jsonl")
	if dir == "" {
		t.Skip("data/eval/scifact is not in the folder of shared files; set BOARD_SHARED to where it lies")
	}
	cost.SkipUnlessLong(t)
	set, err := Read(filepath.Dir(dir), "train")
	if err != nil {
		t.Fatal(err)
	}
	modes := measured(t, set, potion.Open(t))
	floor(t, modes, kb.ModeBM25, 0.695, 0.92)
	floor(t, modes, kb.ModeVector, 0.39, 0.73)
	floor(t, modes, kb.ModeHybrid, 0.705, 0.925)
	gains(t, modes)
}

// TestQualityNotes: one-line notes of people at work, as short and uneven as they are.
func TestQualityNotes(t *testing.T) {
	cost.SkipTable(t)
	set, err := Read(filepath.Join("testdata", "notes"), "")
	if err != nil {
		t.Fatal(err)
	}
	modes := measured(t, set, potion.Open(t))
	floor(t, modes, kb.ModeBM25, 0.725, 0.87)
	floor(t, modes, kb.ModeVector, 0.68, 0.97)
	floor(t, modes, kb.ModeHybrid, 0.755, 0.955)
	gains(t, modes)
}

// TestQualityGodoc: identifiers, keywords and questions against doc comments. The
// floors leave room for what other versions of Go document.
func TestQualityGodoc(t *testing.T) {
	t.Parallel()
	cost.SkipUnlessLong(t)
	modes := measured(t, godocSet(t), potion.Open(t))
	floor(t, modes, kb.ModeBM25, 0.53, 0.78)
	floor(t, modes, kb.ModeHybrid, 0.55, 0.82)
	gains(t, modes)
}
