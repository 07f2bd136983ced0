package tui

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Terminals differ about how many cells a cluster of characters takes: one that joins
// emoji is two cells to some and eight to others, and what follows it on the line is then
// out of place.

// Parts of clusters that terminals differ about, and those that show nothing.
const (
	softHyphen   = '\u00ad'
	zeroBlank    = '\u200b'
	joiner       = '\u200d'
	wordJoiner   = '\u2060'
	keycap       = '\u20e3'
	firstVariant = '\ufe00' // of sixteen selectors: as text, as emoji
	lastVariant  = '\ufe0f'
	byteOrder    = '\ufeff'
	firstLetter  = '\U0001f1e6' // the letters that flags are made of
	lastLetter   = '\U0001f1ff'
	firstTone    = '\U0001f3fb' // of skin
	lastTone     = '\U0001f3ff'
)

// maxMarks is how many runes of one cluster are kept: what is stacked higher lies over
// other lines.
const maxMarks = 8

// unsure reports whether terminals may differ about a text with r in it.
func unsure(r rune) bool {
	switch {
	case r < softHyphen:
		return false
	case r == softHyphen, r == zeroBlank, r == joiner, r == wordJoiner, r == keycap, r == byteOrder:
		return true
	}
	return r >= firstVariant && r <= lastVariant || r >= firstLetter && r <= lastLetter ||
		r >= firstTone && r <= lastTone || r >= 0x300 && r <= 0x36f
}

// certain makes a text of which every terminal takes as many cells as we do: of emoji
// that are joined or coloured the first is left, a flag becomes its letters, and what
// takes no cell goes.
func certain(s string) string {
	at := strings.IndexFunc(s, unsure)
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
		certainCluster(&out, cluster)
	}
	return out.String()
}

func certainCluster(out *strings.Builder, cluster string) {
	letter, n := false, 0
	for _, r := range cluster {
		switch {
		case r >= firstLetter && r <= lastLetter:
			out.WriteRune('A' + r - firstLetter)
			continue
		case r == joiner && letter && n > 0: // as scripts of India have it
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
