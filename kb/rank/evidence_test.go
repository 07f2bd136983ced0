package rank

import "testing"

// TestReads: a question that is not in a model's language is judged by words.
func TestReads(t *testing.T) {
	const german = "Wo finde ich die Frist, bis zu der ein Widerspruch eingelegt werden muss?"
	for _, c := range []struct {
		model, question string
		want            bool
	}{
		{"all-MiniLM-L6-v2", "how long do I have to lodge an objection", true},
		{"all-MiniLM-L6-v2", "kafka rebalance PROJ-77", true},
		{"all-MiniLM-L6-v2", german, false},
		{"model-1ddca2c2c466", german, true},
		{"of whom nothing is known", "how long do I have", false},
	} {
		if got := ScaleOf(c.model).Reads(c.question); got != c.want {
			t.Errorf("%s reads %q: %t", c.model, c.question, got)
		}
	}
	if s := ScaleOf("of whom nothing is known").Calibrated(0.4); !s.Reads(german) {
		t.Error("a model that was calibrated is not believed")
	}
}
