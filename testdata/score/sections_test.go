package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/shared/potion"
)

// sectionQuestion asks for a section of a document that has certain words.
type sectionQuestion struct {
	Text, File string
	Has        []string
	Long       bool // it stands in a long section
}

// sections returns folders of documents, and the questions. Beside the documents in
// testdata, whose sections are called Install and Options, the notes are paragraphs of
// some, 40 to one.
func sections(t *testing.T) (dirs []string, questions []sectionQuestion) {
	t.Helper()
	dir := filepath.Join("..", "recall", "sections")
	err := readJSONL(filepath.Join(dir, "questions.jsonl"), func(b []byte) error {
		var q struct {
			Text, File, Has string
			Long            bool
		}
		err := json.Unmarshal(b, &q)
		questions = append(questions, sectionQuestion{q.Text, q.File, []string{q.Has}, q.Long})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	notes, err := Read(filepath.Join("testdata", "notes"), "")
	if err != nil {
		t.Fatal(err)
	}
	const inOne = 40
	long, text, docs := t.TempDir(), map[string]string{}, map[string]string{}
	for i, d := range notes.Docs {
		text[d.ID] = strings.TrimLeft(strings.Join(strings.Fields(d.Title+" "+d.Text), " "),
			"#-*`~|> ")
		docs[fmt.Sprintf("notes%d.md", i/inOne)] += text[d.ID] + "\n\n"
	}
	for name, doc := range docs {
		if err := os.WriteFile(filepath.Join(long, name), []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range notes.Queries {
		s := sectionQuestion{Text: q.Text, Long: true}
		for id := range q.Relevant {
			s.Has = append(s.Has, text[id])
		}
		questions = append(questions, s)
	}
	return []string{dir, long}, questions
}

// TestQualitySections: sections are ingested and asked for. Those that are named by
// their heading are ranked; of what stands in a long section it counts whether it is
// among the first 4,000 bytes that somebody who reads the hits gets to see. doc.go has
// the figures.
func TestQualitySections(t *testing.T) {
	cost.SkipUnlessLong(t)
	const read = 4000
	dirs, questions := sections(t)
	emb := potion.Open(t)
	k, err := kb.Open(t.Context(), t.TempDir(), kb.Options{Embedder: emb})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	in, err := k.Ingest(t.Context(), dirs, kb.IngestOptions{Scope: "universal"})
	if err != nil || len(in.Refused) > 0 {
		t.Fatal(in.Refused, err)
	}
	floors := map[string][2]float64{kb.ModeBM25: {.99, .80}, kb.ModeVector: {.64, .52},
		kb.ModeHybrid: {.95, .81}}
	modes := []string{kb.ModeBM25}
	if emb != nil {
		modes = []string{kb.ModeBM25, kb.ModeVector, kb.ModeHybrid}
	}
	for _, mode := range modes {
		named, long, count := 0.0, 0.0, [2]float64{}
		for _, q := range questions {
			res, err := k.Search(t.Context(), kb.Query{Text: q.Text, Mode: mode, Measuring: true})
			if err != nil {
				t.Fatal(err)
			}
			rank, at := found(&q, res.Hits)
			if q.Long {
				count[1]++
				if rank > 0 && at < read {
					long++
				}
				continue
			}
			count[0]++
			if rank > 0 {
				named += 1 / float64(rank)
			}
		}
		named, long = named/count[0], long/count[1]
		t.Logf("%-6s of %d sections: named by the heading, MRR@10 %.3f; in a long section, within %d bytes %.3f", mode, in.Capsules, named, read, long)
		if least := floors[mode]; named < least[0] || long < least[1] {
			t.Errorf("%s had at least %.3f and %.3f", mode, least[0], least[1])
		}
	}
}

// found returns the rank of the first hit with the answer, 0 if there is none, and how
// many bytes are read before it.
func found(q *sectionQuestion, hits []kb.Hit) (rank, at int) {
	for i, h := range hits {
		if strings.HasSuffix(h.Ingested.File, filepath.FromSlash(q.File)) {
			for _, has := range q.Has {
				if in := strings.Index(h.Body, has); in >= 0 {
					return i + 1, at + in
				}
			}
		}
		at += len(h.Body)
	}
	return 0, at
}
