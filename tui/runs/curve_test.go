package runs

import (
	"io"
	"testing"

	"github.com/charmbracelet/lipgloss"

	"blackboard/tui/cells"
)

// TestBurnShapes: what blocks and what does not are told apart without colours.
func TestBurnShapes(t *testing.T) {
	st := cells.NewStyles(lipgloss.NewRenderer(io.Discard), "")
	for _, c := range []struct {
		blocking, others int64
		want             string // from the bottom
	}{
		{0, 0, "    "}, {8, 0, "████"}, {0, 8, "▒▒▒▒"}, {1, 0, "▄   "}, {0, 1, "▒   "}, {2, 6, "█▒▒▒"}, {3, 0, "█▄  "}, {3, 5, "██▒▒"}, {0, 5, "▒▒▒ "},
	} {
		got := ""
		for row := 1; row <= 4; row++ {
			got += burnRow(st, []burnColumn{{c.blocking, c.others}}, row, 4, 8, -1)
		}
		if got != c.want {
			t.Errorf("%d that block, %d others: %q instead of %q", c.blocking, c.others, got, c.want)
		}
	}
}
