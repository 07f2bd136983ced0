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

// priorStep is how many levels of the table make one unit of natural logarithm.
const priorStep = 4

// everyday are words with which people ask, answer and go on. The comments of sources
// hardly have them, and a question is about none of them.
const everyday = `
	ask answer explain tell say said talk think thought guess idea opinion happy honest nice good
	better best bad worse fine great sure maybe perhaps probably actually really just still
	already again yet ever never often yesterday today tomorrow tonight morning evening night noon
	week month year day hour minute weekend monday tuesday wednesday thursday friday saturday
	sunday please thanks hello hi sorry okay yes no cool help look see watch check find try begin
	finish continue come back take give put keep leave let want need like love hate wish hope know
	understand remember forget mean seem feel happen work fix clean tidy improve refactor review
	write rewrite read change update add remove delete run rerun test commit push pull merge
	branch code file line name thing stuff part piece bit lot few little big small short long
	quick fast faster slow slower new old same other another next previous last first else
	different sense reason way problem issue bug error fail broken wrong right someone somebody
	anyone everyone people colleague friend boss team user machine laptop screen two three four
	five six seven eight nine ten hundred couple half both everything anything nothing something
	instead`

// everydayShare is the share of texts that is assumed to have an everyday word, or one of
// German's function words.
const everydayShare = 0.05

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
	new(Analyzer).Terms(everyday+german,
		func(term string, _ bool) { shares[term] = max(shares[term], everydayShare) })
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
