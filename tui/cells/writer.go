package cells

// Line is a line of a document; escape sequences allowed, cut at the width.
type Line struct {
	Text string
	To   string // the target: an id, or another value that the page defines; "": no link
}

// Writer builds the lines of a document.
type Writer struct {
	Styles *Styles
	Width  int      // of the text
	Names  int      // width of the names of fields
	Mark   []string // words to highlight in texts
	Lines  []Line
}

// Measure is the greatest width of a text: longer lines are hard to read.
const Measure = 100

func NewWriter(st *Styles, w int) *Writer {
	return &Writer{Styles: st, Width: max(w-2, 1), Names: 14}
}

func (x *Writer) Line(texts ...string) {
	for _, text := range texts {
		x.Lines = append(x.Lines, Line{Text: text})
	}
}

func (x *Writer) Link(text, to string) { x.Lines = append(x.Lines, Line{text, to}) }

func (x *Writer) Heading(text string) { x.Line("", x.Styles.Title.Render(text)) }

// Text writes an agent's text, wrapped, each line after a mark of its own.
func (x *Writer) Text(s, mark string) {
	for _, l := range Wrap(Clean(s), min(x.Width-Width(mark), Measure)) {
		x.Line(x.Styles.Faint.Render(mark) + Highlight(x.Styles, l, x.Mark))
	}
}

// Field writes a name and its value, on several lines if need be; an empty one not.
func (x *Writer) Field(name, value string) { x.FieldTo(name, value, "") }

// FieldTo is Field with a link.
func (x *Writer) FieldTo(name, value, to string) {
	if value == "" {
		return
	}
	for i, l := range Wrap(Clean(value), min(x.Width-x.Names, Measure)) {
		if i > 0 {
			name, to = "", ""
		}
		x.Link(x.Styles.Faint.Render(Fit(name, x.Names))+l, to)
	}
}

// Beside writes two texts of agents beside each other.
func (x *Writer) Beside(left, right string) {
	w := (x.Width - 3) / 2
	columns := [2][]string{Wrap(Clean(left), w), Wrap(Clean(right), w)}
	for i := range max(len(columns[0]), len(columns[1])) {
		var parts [2]string
		for j, lines := range columns {
			if i < len(lines) {
				parts[j] = Highlight(x.Styles, lines[i], x.Mark)
			}
		}
		x.Line(Fit(parts[0], w) + x.Styles.Faint.Render(" │ ") + parts[1])
	}
}
