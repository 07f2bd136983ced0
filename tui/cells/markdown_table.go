package cells

import (
	"strings"

	"blackboard/board/text"
)

// tableRule is the line below the head of a table, which may begin without a bar.
var tableRule = text.NewRegexp(`^\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?\s*$`)

const minColumn = 4

// isTable reports whether a table begins with the first line.
func isTable(lines []string) bool {
	return len(lines) > 1 && strings.Contains(lines[0], "|") && strings.Contains(lines[1], "|") &&
		tableRule.MatchString(strings.TrimSpace(lines[1]))
}

// table lays out the table from a line on, and returns the line after it. Cells that are
// too wide continue below; a table with too many columns stays as written.
func (m *layout) table(lines []string, from int) int {
	m.end()
	to := from + 2
	for to < len(lines) && strings.Contains(lines[to], "|") {
		to++
	}
	sides := rowOf(lines[from+1], 0)
	rows, sizes := [][]string{rowOf(lines[from], len(sides))}, make([]int, len(sides))
	fits := 4*len(sides)-3 <= m.w
	for i := from + 2; i < to && fits; i++ {
		rows = append(rows, rowOf(lines[i], len(sides)))
	}
	for _, row := range rows {
		for i := range sizes {
			sizes[i] = max(sizes[i], Width(row[i]), 1)
		}
	}
	if !fits || !shrink(sizes, m.w-3*(len(sides)-1)) {
		for _, l := range lines[from:to] {
			m.write(l, m.st.Plain)
		}
		return to
	}
	for i, row := range rows {
		m.row(row, sizes, sides, i == 0)
		if i == 0 {
			line := make([]string, len(sizes))
			for j, n := range sizes {
				line[j] = strings.Repeat("─", n)
			}
			m.out = append(m.out, m.st.Faint.Render(strings.Join(line, "─┼─")))
		}
	}
	return to
}

func (m *layout) row(row []string, sizes []int, sides []string, head bool) {
	set, high, look := make([][]string, len(row)), 1, m.st.Plain
	if head {
		look = look.Bold(true)
	}
	for i, cell := range row {
		set[i] = m.wrap(cell, sizes[i])
		high = max(high, len(set[i]))
	}
	for i := range high {
		parts := make([]string, len(row))
		for j := range parts {
			text := ""
			if i < len(set[j]) {
				text = m.inline(set[j][i], look)
			}
			parts[j] = alignCell(text, sizes[j], sides[j])
		}
		m.out = append(m.out, strings.TrimRight(strings.Join(parts, m.st.Faint.Render(" │ ")), " "))
	}
}

// alignCell aligns a cell by the rule below the head: --: right, :-: centred.
func alignCell(text string, w int, side string) string {
	switch room := w - Width(text); {
	case strings.HasSuffix(side, ":") && strings.HasPrefix(side, ":"):
		return Fit(strings.Repeat(" ", max(room/2, 0))+text, w)
	case strings.HasSuffix(side, ":"):
		return Right(text, w)
	}
	return Fit(text, w)
}

// shrink narrows the widest columns until all fit into w cells, and reports whether they do.
func shrink(sizes []int, w int) bool {
	total := 0
	for _, n := range sizes {
		total += n
	}
	for ; total > w; total-- {
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
	}
	return true
}

// rowOf returns the cells of a row, between bars without a backslash before them. With a
// number of columns it has as many: further cells belong to the last.
func rowOf(line string, columns int) []string {
	var row []string
	line = strings.TrimPrefix(strings.TrimSpace(line), "|")
	from := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			row, from = append(row, strings.TrimSpace(line[from:i])), i+1
		}
	}
	if rest := strings.TrimSpace(line[from:]); rest != "" {
		row = append(row, rest)
	}
	if columns > 0 && len(row) > columns {
		row = append(row[:columns-1], strings.Join(row[columns-1:], " | "))
	}
	for len(row) < columns {
		row = append(row, "")
	}
	return row
}
