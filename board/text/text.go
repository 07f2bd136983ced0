// Package text makes content by others safe for a screen, a line, or a limit.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible replaces characters that a terminal would obey or a reader would not see:
// control characters except line ends and tabs, marks of writing direction, and tags
// (U+E0000 to U+E007F), which models read.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && Hidden(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Hidden reports whether r is a control character, one that turns the direction of
// writing, or a tag.
func Hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) ||
		r >= 0xe0000 && r <= 0xe007f
}

// Count returns "1 entry" or "3 entries".
func Count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Few joins names with commas, of more than most only the first: "a, b and 3 more".
func Few(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Megabytes returns a number of bytes as "1.5 MB".
func Megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// OneLine returns a text on one line: each run of white space and control characters is one blank.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) ||
			unicode.IsSpace(r)
	}), " ")
}

// UTF8 makes a text valid UTF-8 for JSON; file names, for example, may not be.
func UTF8(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// ClipBytes cuts a text to at most n bytes, with the "…" that a cut text ends in; "" if n has no room for that. It
// splits no rune.
func ClipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const dots = "…"
	if n -= len(dots); n < 0 {
		return ""
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + dots
}

// ClipWords is ClipBytes at the end of a word, unless that costs half of the text.
func ClipWords(s string, n int) string {
	cut := ClipBytes(s, n)
	if cut == s || cut == "" {
		return cut
	}
	cut = strings.TrimSuffix(cut, "…")
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
