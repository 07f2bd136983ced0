package eval

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/kb"
	"blackboard/testdata/shared"
)

// TestQualitySections: documents whose sections are called Install and Options, and ones with
// long sections, are ingested and asked for. An answer is a section of the right document with
// the words of the answer. doc.go has the figures.
func TestQualitySections(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "recall", "sections")
	emb := shared.Potion(t)
	k, err := kb.Open(t.Context(), t.TempDir(), kb.Options{Embedder: emb})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	in, err := k.Ingest(t.Context(), []string{dir}, kb.IngestOptions{Scope: "universal"})
	if err != nil || len(in.Refused) > 0 {
		t.Fatal(in.Refused, err)
	}
	floors := map[string][2]float64{kb.ModeBM25: {0, 0}, kb.ModeVector: {0, 0}, kb.ModeHybrid: {0, 0}}
	modes := []string{kb.ModeBM25}
	if emb != nil {
		modes = []string{kb.ModeBM25, kb.ModeVector, kb.ModeHybrid}
	}
	for _, mode := range modes {
		var sum, count [2]float64
		err := readJSONL(filepath.Join(dir, "questions.jsonl"), func(b []byte) error {
			var q struct {
				Text, File, Has string
				Long            bool
			}
			if err := json.Unmarshal(b, &q); err != nil {
				return err
			}
			res, err := k.Search(t.Context(), kb.Query{Text: q.Text, Mode: mode, Measuring: true})
			if err != nil {
				return err
			}
			class := 0
			if q.Long {
				class = 1
			}
			count[class]++
			at := slices.IndexFunc(res.Hits, func(h kb.Hit) bool {
				return strings.HasSuffix(h.Ingested.File, filepath.FromSlash("/sections/"+q.File)) && strings.Contains(h.Body, q.Has)
			})
			if at >= 0 {
				sum[class] += 1 / float64(at+1)
			}
			if at != 0 {
				t.Logf("%s: %q is #%d", mode, q.Text, at+1)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%-8s %d sections, MRR@10:", mode, in.Capsules)
		for class, what := range []string{"named by their heading", "in a long section"} {
			mrr := sum[class] / count[class]
			line += fmt.Sprintf(" %.3f %s;", mrr, what)
			if mrr < floors[mode][class] {
				t.Errorf("%s: an MRR@10 of %.3f for what is %s; it had at least %.3f", mode, mrr, what, floors[mode][class])
			}
		}
		t.Log(line)
	}
}
