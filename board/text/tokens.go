package text

import "unicode/utf8"

// Tokens estimates how many tokens a model reads in a text, rather too many than too few.
func Tokens(s string) int { return (TokenQuarters(s) + 3) / 4 }

// ClipTokens returns the longest beginning of a text that has at most most tokens, as Tokens
// counts.
func ClipTokens(s string, most int) string { return clipQuarters(s, 4*most) }

// TokenQuarters is the estimate in quarters of a token. It is additive: the parts of a
// text cost as much as the whole. An ASCII letter or blank is 1, other ASCII and any
// character up to U+07FF is 2, above that 4 (Chinese, say), and beyond the basic plane 8
// (an emoji).
func TokenQuarters(s string) (n int) {
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf: // by a table: every answer to a model is measured
			n += int(asciiQuarters[r])
		case r < 0x800:
			n += 2
		case r < 0x10000:
			n += 4
		default:
			n += 8
		}
	}
	return n
}

// asciiQuarters has the quarters of each ASCII character.
var asciiQuarters = [utf8.RuneSelf]uint8{
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2,
	2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2,
}

// clipQuarters returns the longest beginning of s that costs at most most quarters.
func clipQuarters(s string, most int) string {
	for i, r := range s {
		if most -= TokenQuarters(string(r)); most < 0 {
			return s[:i]
		}
	}
	return s
}
