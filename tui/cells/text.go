// Package cells makes texts safe for a terminal, exactly as wide as they have to be, and
// gives them their styles.
//
//	text.go       cleaning, cutting, wrapping and aligning; numbers, times and nouns as text
//	graphemes.go  replaces clusters whose width differs between terminals
//	styles.go     all styles; headings, panes and boxes; highlight.go marks words
//	themes.go     the colours of the themes, and what a terminal can show
//	writer.go     texts as lines with names and values, headings and links
//	markdown*.go  markdown, as a person reads it
package cells

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"blackboard/board"
	"blackboard/board/text"
)

// Clean makes a text safe for a terminal: it replaces control and direction characters,
// tabs by blanks, and clusters of uncertain width by simple ones. Line breaks stay.
func Clean(s string) string { return simplifyClusters(Visible(s)) }

// Visible is Clean for a text to edit: it replaces only tabs, invalid UTF-8 and characters that a
// terminal would obey, and CRLF becomes LF.
func Visible(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\t", "    ")
	return text.Visible(strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}

// OneLine is a text's start on one line, cleaned, at most n runes; fast for long texts.
func OneLine(s string, n int) string {
	// more than n runes of any size; a cut rune becomes a replacement character behind the result
	if room := 8*n + 64; len(s) > room {
		s = s[:room]
	}
	return Clean(board.Line(s, n))
}

func Width(s string) int { return ansi.StringWidth(s) }

// Fit makes a text, escape sequences included, exactly w cells wide: cut (…) or filled.
func Fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	n := Width(s)
	if n > w {
		s = ansi.Truncate(s, w, "…")
		n = Width(s) // cutting a wide character leaves a cell
	}
	if n < w {
		s += strings.Repeat(" ", w-n)
	}
	return s
}

// FitLeft is Fit for texts whose end matters, such as paths: it cuts the start.
func FitLeft(s string, w int) string {
	if n := Width(s); n > w && w > 0 {
		s = ansi.TruncateLeft(s, n-w+1, "…")
	}
	return Fit(s, w)
}

// ShortName shortens a name to w cells in its middle: names often differ at the end.
func ShortName(name string, w int) string {
	name = OneLine(name, 300)
	n := Width(name)
	if n <= w || w < 4 {
		return Fit(name, min(n, w))
	}
	tail := (w - 1) / 2
	return ansi.Truncate(name, w-1-tail, "") + "…" + ansi.TruncateLeft(name, n-tail, "")
}

// FitName is ShortName, filled with blanks.
func FitName(name string, w int) string { return Fit(ShortName(name, w), w) }

func Right(s string, w int) string {
	if n := Width(s); n < w {
		return strings.Repeat(" ", w-n) + s
	}
	return Fit(s, w)
}

// Spread aligns one text left and one right in w cells; the left one is shortened. Without room for
// both the right one is left out.
func Spread(left, right string, w int) string {
	n := Width(right)
	if n == 0 || n+4 > w {
		return Fit(left, w)
	}
	return Fit(left, w-n-1) + " " + right
}

// option is a word that begins with a hyphen: --workspace.
var option = text.NewRegexp(`(^|[\s(\[\x60'"|=])-[^\s]+`)

// unbroken is a hyphen at which no line breaks, for private use: texts do not have it.
const unbroken = "\uf8fe"

// Wrap breaks a clean text into lines of w cells: at blanks, or after hyphens not of an option.
func Wrap(s string, w int) []string {
	if w < 1 {
		w = 1
	}
	var lines []string
	for _, l := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		if Width(l) <= w {
			lines = append(lines, l)
			continue
		}
		l = option.ReplaceAllStringFunc(l, func(f string) string {
			return strings.ReplaceAll(f, "-", unbroken)
		})
		l = strings.ReplaceAll(ansi.Wrap(l, w, ""), unbroken, "-")
		lines = append(lines, strings.Split(l, "\n")...)
	}
	return lines
}

// Indented puts a blank before each line.
func Indented(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = " " + l
	}
	return out
}

// Fill returns exactly h lines of w cells.
func Fill(lines []string, w, h int) []string {
	out := make([]string, h)
	for i := range out {
		if i < len(lines) {
			out[i] = Fit(lines[i], w)
		} else {
			out[i] = strings.Repeat(" ", max(w, 0))
		}
	}
	return out
}

// Beside puts columns of equal height beside each other, with a rule between.
func Beside(rule string, columns ...[]string) []string {
	out := make([]string, len(columns[0]))
	for i := range out {
		parts := make([]string, len(columns))
		for j := range columns {
			parts[j] = columns[j][i]
		}
		out[i] = strings.Join(parts, rule)
	}
	return out
}

// Over draws a box over a screen, with its first cell at column x of line y.
func Over(screen, box []string, x, y int) []string {
	out := append([]string(nil), screen...)
	for i, l := range box {
		if y+i < 0 || y+i >= len(out) {
			continue
		}
		under, w := out[y+i], Width(l)
		left := Fit(ansi.Truncate(under, x, ""), x) // half of a wide character may remain
		rest := ansi.TruncateLeft(under, x+w, "")
		if gap := Width(under) - x - w - Width(rest); gap > 0 {
			rest = strings.Repeat(" ", gap) + rest
		}
		out[y+i] = left + "\x1b[0m" + l + "\x1b[0m" + rest
	}
	return out
}

// Clock formats a time to the second, in the zone of the reader's machine and with its
// distance from UTC: "2026-01-31 13:00:00+01:00". Z is UTC.
func Clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05Z07:00") }

// Minute is [Clock] without the seconds.
func Minute(t time.Time) string { return t.Local().Format("2006-01-02 15:04Z07:00") }

// Ago formats the time between a moment and now, in a few cells.
func Ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return "–"
	case d < 5*time.Second:
		return "now"
	case d < time.Minute:
		return span(d, time.Second, "s")
	case d < time.Hour:
		return span(d, time.Minute, "m")
	case d < 48*time.Hour:
		return span(d, time.Hour, "h")
	default:
		return span(d, 24*time.Hour, "d")
	}
}

// Since is Ago for a sentence: 5m ago, just now.
func Since(t, now time.Time) string {
	if a := Ago(t, now); a != "now" && a != "–" {
		return a + " ago"
	}
	return "just now"
}

func span(d, unit time.Duration, name string) string { return Count(int64(d/unit)) + name }

// Count formats a number with blanks between its thousands.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// HasWords reports whether every word of one text is in another, ignoring case.
func HasWords(text, words string) bool {
	text = strings.ToLower(text)
	lacks := func(word string) bool { return !strings.Contains(text, word) }
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(words)), lacks)
}

// Plural formats a number with its noun: 1 signal, 2 signals.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if noun, ok := strings.CutSuffix(noun, "y"); ok {
		return Count(n) + " " + noun + "ies"
	}
	return Count(n) + " " + noun + "s"
}
