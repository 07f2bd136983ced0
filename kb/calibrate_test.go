package kb

import (
	"math"
	"testing"

	"blackboard/embed"
	"blackboard/kb/rank"
	"blackboard/testdata/cost"
	"blackboard/testdata/shared/potion"
)

// TestCalibrationHolds: with the sets that come with the program a threshold keeps what it must
// unanswered and answers as much as when it was written down; by words it is wordThreshold.
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
		all, err := k.Calibrate(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		c := all[0]
		t.Logf("%-16s threshold %.3f: kept %.3f of %d, rejected %.3f of %d", name, c.Threshold, c.Kept, c.OnTopic, c.Rejected, c.OffTopic)
		if c.Kept < kept || c.Rejected < 0.95 {
			t.Errorf("%s keeps %.3f and rejects %.3f; %.2f and 0.95 are asked for", name, c.Kept, c.Rejected, kept)
		}
		if c.Model == "" && math.Abs(c.Threshold-rank.ScaleOf("").Unasked) > 0.005 {
			t.Errorf("by words the threshold is %.3f, and was %.3f", c.Threshold, rank.ScaleOf("").Unasked)
		}
	}
	check("words alone", nil, 0.60)
	if emb := potion.Open(t); emb != nil {
		check("potion-base-2M", emb, 0.65)
	}
}
