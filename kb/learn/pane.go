package learn

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/text"
)

// The text of a terminal has frames, words of users and tools, and wrapped lines.

type pane struct {
	widths [border]width // by the frame of the line
	codex  bool          // plain output of Codex: above each part a line says whose it is
	blank  bool
	muted  bool // the part, or the frame, is not the agent's
	below  int  // what is indented deeper is not the agent's; -1 if nothing is
	tool   bool // it is a tool's, and blank lines do not end it
}

// Frames of a line.
const (
	bare = iota
	bar  // on the left
	box  // on both sides
	border
)

// A width is how wide lines are that were broken.
type width struct {
	columns int
	wrapped bool // at words
	cut     bool // anywhere
}

var (
	ansi       = text.NewRegexp(`\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\))`)
	codexAgent = text.NewRegexp(`^(codex|assistant|tokens used)$`)
	codexOther = text.NewRegexp(`^(user|thinking|(exec|tool|apply_patch|file update|mcp)\b.*)$`)
	otherFrame = text.NewRegexp(`(?i)^\W*(you|user|human|prompt|system|tool|shell|bash|output)\b`)
)

// newPane sees how wide the terminal was: several lines as full as can be are evidence.
func newPane(head []byte) *pane {
	p := &pane{below: -1, codex: bytes.HasPrefix(bytes.TrimSpace(head), []byte("OpenAI Codex"))}
	head = head[:min(len(head), 1<<20)]
	each := func(do func(w *width, line, next string)) {
		last, was := "", border
		for line := range strings.Lines(string(head)) {
			next, frame := unframe(strings.TrimRightFunc(line, unicode.IsSpace))
			if frame == was && frame != border {
				do(&p.widths[frame], last, next)
			}
			last, was = next, frame
		}
		if was != border {
			do(&p.widths[was], last, "")
		}
	}
	each(func(w *width, line, _ string) { w.columns = max(w.columns, columns(line)) })
	var exact, less [border]int
	each(func(w *width, line, next string) {
		i := bare
		for w != &p.widths[i] {
			i++
		}
		switch n := columns(line); {
		case next == "" || endsSentence(line) || !w.isFull(line, next):
		case n == w.columns:
			exact[i]++
		case n < w.columns-1: // one less is a space at the end
			less[i]++
		}
	})
	for i := range p.widths {
		w := &p.widths[i]
		if w.columns >= 40 && w.columns <= 400 {
			w.cut = exact[i] > 1 && less[i] == 0
			w.wrapped = !w.cut && exact[i]+less[i] > 2
		}
	}
	return p
}

// isFull says whether the first word of the next line had no place on this one.
func (w *width) isFull(line, next string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(next, " "), " ")
	return columns(line)+1+columns(word) > w.columns
}

// broken says whether a line goes on in the next, and what stood between the two.
func (p *pane) broken(frame int, line, next string) (glue string, broken bool) {
	if p == nil || frame == border {
		return " ", false
	}
	w := &p.widths[frame]
	switch n := columns(line); {
	case w.cut && n == w.columns:
		return "", true
	case w.cut && n == w.columns-1:
		return " ", !endsSentence(line)
	}
	return " ", w.wrapped && w.isFull(line, next)
}

// take gives a line without its frame, its frame, and whether it may be the agent's.
func (p *pane) take(line string) (text string, frame int, agent bool) {
	blank := p.blank
	text, frame = unframe(line)
	p.blank = text == "" || frame == border
	switch {
	case frame == border:
		p.muted, p.below = otherFrame.MatchString(text), -1
		return "", border, true
	case p.codex && codexAgent.MatchString(text):
		p.muted = false
		return "", border, true
	case p.codex && blank && codexOther.MatchString(text):
		p.muted = true
	}
	indent := indentOf(text)
	switch {
	case p.below < 0:
	case text == "" && p.tool, indent > p.below:
		return text, frame, text == ""
	default:
		p.below = -1
	}
	for _, mark := range []string{"⎿", ">", "❯"} {
		if strings.HasPrefix(text[indent:], mark) {
			p.below, p.tool = indent, mark == "⎿"
			return text, frame, false
		}
	}
	return text, frame, !p.muted || text == ""
}

// unframe takes the frame from a line. Of a border it returns the title.
func unframe(line string) (text string, frame int) {
	const sides, lines = "│┃▌▏", "─━═╭╮╰╯┌┐└┘├┤┏┓┗┛╔╗╚╝"
	rest := strings.TrimLeft(line, " \t")
	first, n := utf8.DecodeRuneInString(rest)
	if first < '─' { // most lines
		return line, bare
	}
	last, m := utf8.DecodeLastRuneInString(rest)
	switch {
	case strings.ContainsRune(sides, first) && len(rest) > n && strings.ContainsRune(sides, last):
		return strings.TrimRight(strings.TrimPrefix(rest[n:len(rest)-m], " "), " \t"), box
	case strings.ContainsRune(sides, first):
		return strings.TrimPrefix(rest[n:], " "), bar
	case strings.ContainsRune(lines, first) && strings.ContainsRune(lines, last):
		return strings.Trim(rest, lines+" "), border
	}
	return line, bare
}

// columns is how wide a terminal shows a text.
func columns(s string) (n int) {
	for _, r := range s {
		n++
		if r > 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana,
			unicode.Katakana, unicode.Hangul) {
			n++
		}
	}
	return n
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
