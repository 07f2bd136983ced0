package store

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"blackboard/embed"
)

const (
	// partBytes is what a model reads of a text, 256 tokens; at most maxParts are made.
	partBytes = 1000
	maxParts  = 16
	// longTitle is a first line that is not repeated before each part.
	longTitle = 200
)

// Vectors embeds texts; a long one has several vectors, the beginning's first.
func Vectors(ctx context.Context, e embed.Embedder, texts []string) ([]embed.Vector, error) {
	var all []string
	counts := make([]int, len(texts))
	for i, t := range texts {
		some := parts(t)
		all, counts[i] = append(all, some...), len(some)
	}
	vs, err := e.Embed(ctx, all)
	if err != nil {
		return nil, err
	}
	out := make([]embed.Vector, len(texts))
	for i, n := range counts {
		out[i] = slices.Concat(vs[:n]...)
		vs = vs[n:]
	}
	return out, nil
}

func inParts(text string) bool { return len(text) > partBytes }

// parts returns a text, of which a model reads the beginning, and parts of about the same
// length with the rest, each below the text's first line: the title.
func parts(text string) []string {
	all := []string{text}
	if !inParts(text) {
		return all
	}
	title, _, _ := strings.Cut(text, "\n")
	if len(title) > longTitle {
		title = ""
	}
	rest := text[min(cutBefore(text, partBytes), cutBefore(text, len(text)-partBytes/2)):]
	for len(all) < maxParts && strings.TrimSpace(rest) != "" {
		n := (len(rest) + partBytes - 1) / partBytes
		end := cutBefore(rest, (len(rest)+n-1)/n)
		all = append(all, strings.TrimSpace(title+"\n"+rest[:end]))
		rest = rest[end:]
	}
	return all
}

// cutBefore is where to cut a text so that at most `most` bytes are before it: after a paragraph, a
// line or a sentence if one ends in the last third, else between words, else between characters.
func cutBefore(text string, most int) int {
	if len(text) <= most {
		return len(text)
	}
	for _, end := range []string{"\n\n", "\n", ". ", "; ", " "} {
		if i := strings.LastIndex(text[:most], end); i > most*2/3 {
			return i + len(end)
		}
	}
	for most > 1 && !utf8.RuneStart(text[most]) {
		most--
	}
	return most
}
