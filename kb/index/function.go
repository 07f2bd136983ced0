package index

import (
	"sync"

	"blackboard/board/words"
)

// functionWeight is what a function word weighs at most, as a share of what a word of a single document does. Over a few dozen documents it is chance which ones
// have "do" or "i", and a question in whole words would find those. The value is measured on the three sets of package kb's tests: from a sixth to a sixteenth all
// are much the same, better than without on two and within .002 of it on the third; 0, as if there were stop words, is worse than without on two.
const functionWeight = 0.1

// functionTerms is what the analyzer makes of the function words. It takes 50 µs, which a process that searches nothing does not spend.
var functionTerms = sync.OnceValue(func() map[string]bool {
	terms := map[string]bool{}
	new(words.Analyzer).Terms(words.FunctionWords, func(term string, _ bool) { terms[term] = true })
	return terms
})
