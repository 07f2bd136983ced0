package words

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"
)

// priorTable has the commonest terms of general and technical English, a line for each
// level of rarity: the level, then its terms. Its numbers are made by testdata/prior.
//
//go:embed prior.txt
var priorTable string

// everydayTerms are the terms of the words with which people ask, answer and go on, and of
// German's function words. The comments of sources hardly have them, and a question is about
// none of them. The test says from which words they are; to analyse those at each start took
// a thirtieth of a search.
//
//go:embed everyday.txt
var everydayTerms string

// priorStep is how many levels of the table make one unit of natural logarithm.
const priorStep = 4

// everydayShare is the share of texts that is assumed to have an everyday word, or one of
// German's function words. amountShare is that of the terms of amountTerms, which are about nothing: so common that
// none is evidence.
const (
	everydayShare = 0.05
	amountShare   = 0.25
	amountTerms   = `much more mani`
)

var priors = sync.OnceValues(func() (shares map[string]float64, rarest float64) {
	shares = make(map[string]float64, strings.Count(priorTable, " "))
	for line := range strings.Lines(priorTable) {
		level, terms, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(level)
		if err != nil {
			panic("words: prior.txt: " + err.Error())
		}
		rarest = math.Exp(-float64(n) / priorStep)
		for term := range strings.SplitSeq(terms, " ") {
			shares[term] = rarest
		}
	}
	for share, terms := range map[float64]string{everydayShare: everydayTerms, amountShare: amountTerms} {
		for term := range strings.FieldsSeq(terms) {
			shares[term] = max(shares[term], share)
		}
	}
	return shares, rarest
})

// Prior returns the share of texts in general that have a term of the Analyzer, between
// 0 and 1, counted in English about software and optics. A term that the table does not
// have is as rare as its rarest.
func Prior(term string) float64 {
	shares, rarest := priors()
	if p, ok := shares[term]; ok {
		return p
	}
	return rarest
}

// IsKnown reports whether the table of Prior has a term: it is a word, and no misspelling of another.
func IsKnown(term string) bool {
	shares, _ := priors()
	_, known := shares[term]
	return known
}
