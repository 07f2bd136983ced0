package secret

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// keep is how many characters of a secret stay, at most, so that people can tell which one it was.
const keep = 4

// Mask returns text with the secrets that [Find] finds replaced by their first 4 characters, or
// fewer if that were more than a quarter of the secret, and "****". A secret is replaced wherever
// else it stands, too: in "token=… (the … from above)" only the first is found.
func Mask(text string) string {
	return replace(text, func(h hidden) string { return text[h.start:h.start+prefix(text[h.start:], h.keep)] + stars })
}

// Masked is what [Mask] shows of a secret.
func Masked(secret string) string { return secret[:prefix(secret, quarter(secret))] + stars }

// Masking is a place where [MaskLines] masked a secret.
type Masking struct {
	Rule string // the id of the rule that found it
	Line int    // where it begins, from 1
}

// MaskLines is [Mask] that keeps the number of lines, and tells what it masked.
func MaskLines(text string) (masked string, all []Masking) {
	line, at := 1, 0
	masked = replace(text, func(h hidden) string {
		line += strings.Count(text[at:h.start], "\n")
		at = h.start
		all = append(all, Masking{h.rule, line})
		return text[h.start:h.start+prefix(text[h.start:], h.keep)] + stars + strings.Repeat("\n", strings.Count(text[h.start:h.end], "\n"))
	})
	return masked, all
}

// Redact is the stricter [Mask] of logs: «secret: github-pat», also for a name's mere value.
func Redact(text string) string {
	return maskPlaces(replace(text, func(h hidden) string { return "«secret: " + h.rule + "»" }))
}

func replace(text string, by func(hidden) string) string {
	found := Find(text)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, h := range hide(text, found) {
		b.WriteString(text[at:h.start])
		b.WriteString(by(h))
		at = h.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// hidden is a place to mask.
type hidden struct {
	start, end, keep int
	rule             string
}

// hide returns every occurrence of what was found, by start. Of those that overlap it
// makes one, which keeps as few characters as the one that keeps fewest: so what stays is
// shorter than any secret that it could be the start of.
func hide(text string, found []Finding) []hidden {
	var all []hidden
	shortest := len(text)
	for _, f := range found {
		all = append(all, hidden{f.Start, f.End, quarter(text[f.Start:f.End]), f.Rule})
		shortest = min(shortest, f.End-f.Start, 16)
	}
	// By their first bytes, so that many secrets cost not much more than one.
	secrets := map[string][]string{}
	rules := map[string]string{}
	for _, f := range found {
		s := text[f.Start:f.End]
		if rules[s] == "" {
			rules[s] = f.Rule
			secrets[s[:shortest]] = append(secrets[s[:shortest]], s)
		}
	}
	for i := 0; i+shortest <= len(text); i++ {
		for _, s := range secrets[text[i:i+shortest]] {
			if strings.HasPrefix(text[i:], s) {
				all = append(all, hidden{i, i + len(s), quarter(s), rules[s]})
			}
		}
	}
	slices.SortFunc(all, func(a, b hidden) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	out := all[:0]
	for _, h := range all {
		if n := len(out); n > 0 && h.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, h.end)
			out[n-1].keep = min(out[n-1].keep, h.keep)
			continue
		}
		out = append(out, h)
	}
	return out
}

func quarter(s string) int { return min(keep, utf8.RuneCountInString(s)/4) }

// prefix returns how many bytes the first n characters of s have.
func prefix(s string, n int) (size int) {
	for range n {
		_, w := utf8.DecodeRuneInString(s[size:])
		size += w
	}
	return size
}
