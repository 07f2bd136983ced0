// Package text makes content that others wrote fit for a screen, a line, or a limit.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible replaces what a terminal would obey or a reader would not see: control characters but for line ends and tabs, marks that
// turn the direction of writing, and tags (U+E0000 to U+E007F), which models read.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && Hidden(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Hidden reports whether r is a control character, one that turns the direction of writing, or a tag.
func Hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r >= 0xe0000 && r <= 0xe007f
}

// Count writes "1 entry" and "3 entries".
func Count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Megabytes writes a number of bytes as "1.5 MB".
func Megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// OneLine makes one line of a text.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }), " ")
}

// UTF8 makes a text printable as JSON: names of files, say, need not be UTF-8.
func UTF8(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// ClipBytes cuts a text to n bytes, at a rune.
func ClipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const dots = "…"
	n -= len(dots)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + dots
}
