package survival

// bias and weights are those of a logistic regression on the likeliest doubt of each
// item of the labelled sets that were read, short pairs, and real runs. TestFit -fit
// makes them anew, and says how they do on sets that are left out. Change no weight by
// hand.
var (
	bias    = -1.09
	weights = traits{
		isNegated:   1.16,
		isHalf:      -4.19,
		isOpposed:   1.90,
		isExchanged: 3.17,
		isReordered: 2.83,
		isEnded:     2.14,
		isSided:     2.14,
		isForbidden: 2.81,
		isRefuted:   3.92,
		isUnproven:  2.14,
		apart:       -2.34,
		ofOther:     -2.07,
		inMood:      -3.14,
		inOther:     -1.19,
		inCompound:  -3.22,
		hedged:      -0.93,
		ofVerb:      0.70,
		carried:     2.69,
		near:        1.65,
		lesser:      -1.70,
		nameless:    -1.65,
		verbless:    -1.10,
		mutual:      2.27,
	}
)
