package cells

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Terminals differ about the width of a grapheme cluster: joined emoji take two cells in
// some and eight in others, which would shift the rest of the line.

// Parts of clusters about whose width terminals differ, or that have none.
const (
	softHyphen   = '\u00ad'
	zeroBlank    = '\u200b'
	joiner       = '\u200d'
	wordJoiner   = '\u2060'
	keycap       = '\u20e3'
	firstVariant = '\ufe00' // of sixteen variation selectors: as text, as emoji
	lastVariant  = '\ufe0f'
	byteOrder    = '\ufeff'
	firstLetter  = '\U0001f1e6' // the letters of flags
	lastLetter   = '\U0001f1ff'
	firstTone    = '\U0001f3fb' // skin tones
	lastTone     = '\U0001f3ff'
)

// maxMarks is the most runes of a cluster: taller stacks would cover other lines.
const maxMarks = 8

func isUncertain(r rune) bool {
	switch {
	case r < softHyphen:
		return false
	case r == softHyphen, r == zeroBlank, r == joiner, r == wordJoiner, r == keycap, r == byteOrder:
		return true
	}
	return r >= firstVariant && r <= lastVariant || r >= firstLetter && r <= lastLetter ||
		r >= firstTone && r <= lastTone || r >= 0x300 && r <= 0x36f
}

// simplifyClusters makes a text as wide in every terminal: of joined or coloured emoji the first,
// of a flag its letters, no runes without width.
func simplifyClusters(s string) string {
	at := strings.IndexFunc(s, isUncertain)
	if at < 0 {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for rest := s; rest != ""; {
		cluster, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		rest = rest[len(cluster):]
		if len(cluster) == 1 {
			out.WriteByte(cluster[0])
			continue
		}
		simplifyCluster(&out, cluster)
	}
	return out.String()
}

func simplifyCluster(out *strings.Builder, cluster string) {
	letter, n := false, 0
	for _, r := range cluster {
		switch {
		case r >= firstLetter && r <= lastLetter:
			out.WriteRune('A' + r - firstLetter)
			continue
		case r == joiner && letter && n > 0: // as in Indic scripts
		case r == joiner, n > 0 && r >= firstTone && r <= lastTone:
			if n > 0 {
				return
			}
			continue
		case r == softHyphen, r == zeroBlank, r == wordJoiner, r == keycap, r == byteOrder,
			r >= firstVariant && r <= lastVariant:
			continue
		}
		if n++; n > maxMarks {
			return
		}
		if n == 1 {
			letter = unicode.IsLetter(r)
		}
		out.WriteRune(r)
	}
}
