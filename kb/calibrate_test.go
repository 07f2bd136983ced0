package kb

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"blackboard/embed"
	"blackboard/embed/minilm"
)

// shared returns the path of a file in the folder of shared files, which is no part of the project, or "" where it is absent.
func shared(elem ...string) string {
	dir := os.Getenv("BOARD_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// potion opens a real, small model: a weak one, which a good fusion must not lose by. It is nil where the folder of shared files is absent.
func potion(t testing.TB) embed.Embedder {
	t.Helper()
	file := shared("models", "potion-base-2M", "model.onnx")
	if file == "" {
		t.Log("without models/potion-base-2M in the folder of shared files (BOARD_SHARED) only words are measured")
		return nil
	}
	m, err := minilm.Open(t.Context(), filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// TestCalibrationHolds: of the prompts that a capsule helps with nine in ten get it unasked, of the others nineteen in twenty get nothing. Each half of the
// prompts alone leads to about the same threshold, so it is no accident of the set.
func TestCalibrationHolds(t *testing.T) {
	t.Parallel()
	capsules, prompts, err := readCalibration(bytes.NewReader(calibrationSet))
	if err != nil {
		t.Fatal(err)
	}
	var halves [2][]calibrationLine
	for i, p := range prompts {
		halves[i%2] = append(halves[i%2], p)
	}
	check := func(name string, emb embed.Embedder, kept float64) {
		all, err := calibrate(t.Context(), emb, capsules, prompts)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-16s threshold %.3f: kept %.3f of %d, rejected %.3f of %d", name, all.Threshold, all.Kept, all.OnTopic, all.Rejected, all.OffTopic)
		if all.Kept < kept || all.Rejected < 0.95 {
			t.Errorf("%s keeps %.3f and rejects %.3f; %.2f and 0.95 are asked for", name, all.Kept, all.Rejected, kept)
		}
		for i, half := range halves {
			c, err := calibrate(t.Context(), emb, capsules, half)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%-16s threshold %.3f: kept %.3f of %d, rejected %.3f of %d", fmt.Sprintf("  half %d", i+1), c.Threshold, c.Kept, c.OnTopic, c.Rejected, c.OffTopic)
			if math.Abs(c.Threshold-all.Threshold) > 0.1 {
				t.Errorf("%s: half %d gives the threshold %.3f, all %.3f", name, i+1, c.Threshold, all.Threshold)
			}
		}
	}
	check("words alone", nil, 0.80)
	if emb := potion(t); emb != nil {
		check("potion-base-2M", emb, 0.90)
	}
}
