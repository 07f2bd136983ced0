package index

import (
	"strings"
	"sync"
)

// functionWeight is what a function word weighs at most, as a share of what a word of a single document does. Over a few dozen documents it is chance which ones
// have "do" or "i", and a question in whole words would find those. The value is measured on the three sets of package kb's tests: from a sixth to a sixteenth all
// are much the same, better than without on two and within .002 of it on the third; 0, as if there were stop words, is worse than without on two.
const functionWeight = 0.1

const functionWords = `a an the this that these those it its they them their we us our you your he she i me my is am are was were be been being has have had do does did will
	would shall should can could may might must of in on at to for from by with as and or if then than when where which who what how why there here`

// functions has the function words and what the analyzer makes of them. It takes 50 µs, which a process that searches nothing does not spend.
var functions = sync.OnceValue(func() (f struct{ words, terms map[string]bool }) {
	f.words, f.terms = map[string]bool{}, map[string]bool{}
	var an analyzer
	for _, w := range strings.Fields(functionWords) {
		f.words[w] = true
		an.terms(w, func(term string, _ bool) { f.terms[term] = true })
	}
	return f
})

// IsFunctionWord says whether a word in lower case is one of those of English that hold a sentence together and say nothing of what it is about.
func IsFunctionWord(word string) bool { return functions().words[word] }
