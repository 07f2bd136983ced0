package kb

import (
	"testing"

	"blackboard/embed"
	"blackboard/kb/rank"
	"blackboard/testdata/cost"
	"blackboard/testdata/shared/potion"
)

// TestCalibrationHolds: on the sets that come with the program the thresholds that are shipped
// keep unanswered what they must, and answer as much as when they were written down.
func TestCalibrationHolds(t *testing.T) {
	cost.SkipUnlessLong(t)
	cost.SkipTable(t)
	t.Parallel()
	check := func(name string, emb embed.Embedder, kept float64) {
		k, err := Open(t.Context(), t.TempDir(), Options{Embedder: emb})
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		sets, err := ownSets()
		if err != nil {
			t.Fatal(err)
		}
		m := measuring{emb: emb}
		if emb != nil {
			m.model = emb.Model()
		}
		for _, set := range sets {
			if err := m.set(t.Context(), set); err != nil {
				t.Fatal(err)
			}
		}
		m.least = rank.ScaleOf(m.model.Name).Unasked
		c := m.calibration()
		t.Logf("%-16s threshold %.3f: kept %.3f of %d, rejected %.3f of %d", name, c.Threshold, c.Kept, c.OnTopic, c.Rejected, c.OffTopic)
		if c.Kept < kept || c.Rejected < 0.95 {
			t.Errorf("%s keeps %.3f and rejects %.3f; %.2f and 0.95 are asked for", name, c.Kept, c.Rejected, kept)
		}
	}
	check("words alone", nil, 0.60)
	if emb := potion.Open(t); emb != nil {
		check("potion-base-2M", emb, 0.65)
	}
}
