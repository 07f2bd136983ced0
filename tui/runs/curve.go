package runs

import (
	"strings"

	"github.com/charmbracelet/lipgloss"

	"blackboard/board"
	"blackboard/tui/cells"
)

// burnColumn is the height of one column, in open signals.
type burnColumn struct{ blocking, others int64 }

// burnColumns distributes the points over n columns of a log with this many events. Each
// column has the maximum of its stretch.
func burnColumns(points []board.BurnPoint, n int, last int64) []burnColumn {
	cols := make([]burnColumn, max(n, 0))
	var now burnColumn
	next := 0
	for i := range cols {
		end := int64(i+1) * last / int64(n)
		cols[i] = now
		for ; next < len(points) && points[next].Seq <= end; next++ {
			p := &points[next]
			now = burnColumn{p.Open[0] + p.Open[1], p.Open[2] + p.Open[3]}
			if now.blocking+now.others > cols[i].blocking+cols[i].others {
				cols[i] = now
			}
		}
		if next == len(points) && i == len(cols)-1 {
			cols[i] = now // the last column shows the current value
		}
	}
	return cols
}

// The kinds of cells of the curve.
const (
	burnNothing = iota
	burnLater
	burnBlocking
	burnOther
)

// burnCell returns one cell of the curve; rows count from 1 at the bottom. The top of
// blocking signals is drawn in eighths, that of others in two shades, so that they differ
// without colours.
func burnCell(c burnColumn, row, h int, peak int64, later bool) (cell string, kind int) {
	// in eighths of a cell; at least one if there is anything
	unit := func(n int64) int { return int((n*int64(h)*8 + peak - 1) / peak) }
	total, blocking := unit(c.blocking+c.others), unit(c.blocking)
	base := (row - 1) * 8
	switch {
	case total <= base:
		return " ", burnNothing
	case later:
		return "·", burnLater
	case blocking >= base+4 && total >= base+8:
		return "█", burnBlocking
	case blocking > base && (c.others == 0 || blocking >= base+4):
		return eighths(blocking - base), burnBlocking
	case total >= base+4:
		return "▒", burnOther
	default:
		return "░", burnOther
	}
}

// burnRow returns a row of the curve. Columns after at are dotted; -1: none.
func burnRow(st *cells.Styles, cols []burnColumn, row, h int, peak int64, at int) string {
	looks := []lipgloss.Style{burnNothing: {}, burnLater: st.Faint, burnBlocking: st.Bad,
		burnOther: st.Info}
	return joinCells(looks, len(cols), func(i int) (string, int) {
		return burnCell(cols[i], row, h, peak, at >= 0 && i > at)
	})
}

// joinCells joins n cells with their styles; the first style is none. Cells with the same
// style become one text: each change of style costs more bytes than a cell, and the whole
// screen is compared for each frame.
func joinCells(looks []lipgloss.Style, n int, cell func(i int) (text string, look int)) string {
	var line, run strings.Builder
	last := 0
	end := func() {
		if last == 0 {
			line.WriteString(run.String())
		} else {
			line.WriteString(looks[last].Render(run.String()))
		}
		run.Reset()
	}
	for i := range n {
		text, look := cell(i)
		if look != last {
			end()
			last = look
		}
		run.WriteString(text)
	}
	end()
	return line.String()
}

// eighths returns a block of this many eighths of a cell; eight and more are full.
func eighths(n int) string { return string([]rune("▁▂▃▄▅▆▇█")[min(max(n, 1), 8)-1]) }
