package trace

import (
	"slices"
	"strings"
	"sync"

	"blackboard/board/words"
)

// This file says what counts may be of one thing.

// counts reports whether two counts may be of one thing: they share a noun, or one of
// them counts what anything may be called.
func (a *amount) counts(g *amount) bool {
	for _, n := range a.nouns {
		if n != "" && (slices.Contains(g.nouns[:], n) || anyNouns()[n]) {
			return true
		}
	}
	return slices.ContainsFunc(g.nouns[:], func(n string) bool { return anyNouns()[n] })
}

// anyNouns are the keys of words that people, things and events are called by in place
// of their name.
var anyNouns = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`people persons individuals units items pieces cases
		instances occurrences`) {
		m["w:"+words.Stem(w)] = true
	}
	return m
})

// noNouns are words after a number that are no name of what it counts.
var noNouns = lazySet(`remain remains remained remaining left stay stays stayed short
	went came did made took have had were are was extra further additional apiece`)
