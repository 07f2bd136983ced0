package prose

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"blackboard/tui/cells"
)

// cellEnd separates the cells of a row during layout; clean removes it from texts.
const cellEnd = "\x1f"

// minColumn is the least width of a column.
const minColumn = 4

// tableRuleAt returns the line of a paragraph that makes it a table, which is the one
// below the head; 0: none.
func tableRuleAt(n ast.Node, src []byte) int {
	for i := 1; i < n.Lines().Len(); i++ {
		rule, head := n.Lines().At(i), n.Lines().At(i-1)
		line := strings.TrimSpace(string(rule.Value(src)))
		bars := strings.Contains(line, "|") && strings.Contains(string(head.Value(src)), "|")
		if bars && tableRule.MatchString(line) {
			return i
		}
	}
	return 0
}

// table lays out a paragraph as a table; line at is the rule below the head. Cells that
// are too wide continue below, and a table with too many columns stays as written, so
// that nothing is lost.
func (m *layout) table(n ast.Node, at, w int) []string {
	m.inTable = true
	pieces := m.inline(nil, n, 0, true)
	m.inTable = false
	rows := rowsOf(pieces)
	asWritten := func() []string { return m.wrap(m.inline(nil, n, 0, true), w) }
	if at >= len(rows) {
		return asWritten()
	}
	columns := len(rows[at])
	if 4*columns-3 > w {
		return asWritten()
	}
	sides := make([]string, columns)
	for i, cell := range rows[at] {
		sides[i] = textOf(cell)
	}
	lines := rows[at-1:]
	lines = append(lines[:1:1], lines[2:]...)
	sizes := make([]int, columns)
	for i := range lines {
		for len(lines[i]) < columns {
			lines[i] = append(lines[i], nil)
		}
		for j := columns; j < len(lines[i]); j++ { // extra cells belong to the last
			lines[i][columns-1] = append(append(lines[i][columns-1], piece{text: " | "}), lines[i][j]...)
		}
		for j := range columns {
			sizes[j] = max(sizes[j], cells.Width(textOf(lines[i][j])), 1)
		}
	}
	if !shrink(sizes, w-3*(columns-1)) {
		return asWritten()
	}
	var out []string
	for _, before := range rows[:at-1] {
		out = append(out, m.wrap(joined(before), w)...)
	}
	for i, cells := range lines {
		if i == 0 {
			for j := range columns {
				for k := range cells[j] {
					cells[j][k].look |= lookBold
				}
			}
		}
		out = append(out, m.tableRow(cells[:columns], sizes, sides)...)
		if i == 0 {
			out = append(out, m.paint(lookFaint, tableLine(sizes)))
		}
	}
	return out
}

// tableRow renders one row of a table, with as many lines as its longest cell needs.
func (m *layout) tableRow(cells [][]piece, sizes []int, sides []string) []string {
	set := make([][]string, len(cells))
	high := 1
	for i, cell := range cells {
		set[i] = m.wrap(cell, sizes[i])
		high = max(high, len(set[i]))
	}
	rule := m.paint(lookFaint, " │ ")
	out := make([]string, high)
	for i := range out {
		parts := make([]string, len(cells))
		for j := range parts {
			text := ""
			if i < len(set[j]) {
				text = set[j][i]
			}
			parts[j] = aligned(text, sizes[j], sides[j])
		}
		out[i] = strings.TrimRight(strings.Join(parts, rule), " ")
	}
	return out
}

// aligned aligns a cell by the rule below the head: --: right, :-: centred.
func aligned(text string, w int, side string) string {
	switch room := w - cells.Width(text); {
	case strings.HasSuffix(side, ":") && strings.HasPrefix(side, ":"):
		return cells.Fit(strings.Repeat(" ", max(room/2, 0))+text, w)
	case strings.HasSuffix(side, ":"):
		return cells.Right(text, w)
	}
	return cells.Fit(text, w)
}

func tableLine(sizes []int) string {
	parts := make([]string, len(sizes))
	for i, n := range sizes {
		parts[i] = strings.Repeat("─", n)
	}
	return strings.Join(parts, "─┼─")
}

// shrink narrows the widest columns until all of them fit into w cells, and reports
// whether they do.
func shrink(sizes []int, w int) bool {
	total := 0
	for _, n := range sizes {
		total += n
	}
	for total > w {
		widest := 0
		for i, n := range sizes {
			if n > sizes[widest] {
				widest = i
			}
		}
		if sizes[widest] <= minColumn {
			return false
		}
		sizes[widest]--
		total--
	}
	return true
}

// rowsOf returns the cells of a table by row.
func rowsOf(pieces []piece) [][][]piece {
	var rows [][][]piece
	row := [][]piece{nil}
	endRow := func() {
		if len(row) > 1 && blankCell(row[0]) {
			row = row[1:]
		}
		if len(row) > 1 && blankCell(row[len(row)-1]) {
			row = row[:len(row)-1]
		}
		for i := range row {
			row[i] = trimmed(row[i])
		}
		rows, row = append(rows, row), [][]piece{nil}
	}
	for _, p := range pieces {
		switch p.text {
		case "\n":
			endRow()
		case cellEnd:
			row = append(row, nil)
		case "":
		default:
			row[len(row)-1] = append(row[len(row)-1], p)
		}
	}
	endRow()
	return rows
}

func textOf(pieces []piece) string {
	var s strings.Builder
	for _, p := range pieces {
		s.WriteString(p.text)
	}
	return s.String()
}

func blankCell(pieces []piece) bool { return strings.TrimSpace(textOf(pieces)) == "" }

// trimmed returns a cell without surrounding blanks.
func trimmed(cell []piece) []piece {
	if len(cell) > 0 {
		cell[0].text = strings.TrimLeft(cell[0].text, " ")
		last := &cell[len(cell)-1]
		last.text = strings.TrimRight(last.text, " ")
	}
	return cell
}

// joined returns a row as text, if it is not a table's.
func joined(row [][]piece) []piece {
	var out []piece
	for i, cell := range row {
		if i > 0 {
			out = append(out, piece{text: " | "})
		}
		out = append(out, cell...)
	}
	return out
}

// splitCells splits the source of a text at unescaped bars.
func splitCells(s string) []string {
	var out []string
	from := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '|':
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}
