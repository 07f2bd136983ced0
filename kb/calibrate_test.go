package kb

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/embed"
	"blackboard/kb/rank"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/shared/potion"
)

// recallLine is a line of a set: a capsule, or a prompt with the capsules that answer it.
type recallLine struct {
	Capsule, Kind, Title, Body string
	Text                       string
	Relevant                   []string
}

// TestCalibrationHolds: on the sets that the constants were chosen on the thresholds that are
// shipped keep unanswered what they must, and answer as much as when they were written down.
func TestCalibrationHolds(t *testing.T) {
	cost.SkipUnlessLong(t)
	cost.SkipTable(t)
	t.Parallel()
	check := func(name string, emb embed.Embedder, least float64) {
		model := ""
		if emb != nil {
			model = emb.Model().Name
		}
		one := rank.ScaleOf(model).Unasked
		on, off, kept, rejected := 0, 0, 0, 0
		for _, set := range []string{"infra", "shop", "tools"} {
			caps, prompts := readRecall(t, set)
			k := expect.Value(Open(t.Context(), t.TempDir(), Options{Embedder: emb}))(t)
			defer k.Close()
			made := make([]Capsule, len(caps))
			for i, l := range caps {
				made[i] = Capsule{Kind: l.Kind, Scope: "universal", Title: l.Title, Body: l.Body}
				expect.OK(t, made[i].Normalise())
			}
			expect.OK(t, k.Fill(t.Context(), made))
			names := map[string]string{}
			for i := range made {
				names[made[i].ID] = caps[i].Capsule
			}
			for _, p := range prompts {
				hits, evidence, err := k.measureEvidence(t.Context(), p.Text, model)
				expect.OK(t, err)
				switch {
				case len(p.Relevant) == 0:
					if off++; evidence < one {
						rejected++
					}
				default:
					if on++; evidence >= one && slices.ContainsFunc(hits, func(h Hit) bool { return slices.Contains(p.Relevant, names[h.ID]) }) {
						kept++
					}
				}
			}
		}
		share, left := float64(kept)/float64(on), float64(rejected)/float64(off)
		t.Logf("%-16s threshold %.3f: kept %.3f of %d, rejected %.3f of %d", name, one, share, on, left, off)
		if share < least || left < 0.95 {
			t.Errorf("%s keeps %.3f and rejects %.3f; %.2f and 0.95 are asked for", name, share, left, least)
		}
	}
	check("words alone", nil, 0.60)
	if emb := potion.Open(t); emb != nil {
		check("potion-base-2M", emb, 0.65)
	}
}

func readRecall(t *testing.T, set string) (caps, prompts []recallLine) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "recall", set+".jsonl"))
	expect.OK(t, err)
	for line := range strings.Lines(string(data)) {
		var l recallLine
		if strings.TrimSpace(line) == "" {
			continue
		}
		expect.OK(t, json.Unmarshal([]byte(line), &l))
		if l.Capsule != "" {
			caps = append(caps, l)
		} else {
			prompts = append(prompts, l)
		}
	}
	return caps, prompts
}
