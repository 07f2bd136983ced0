package trace

import (
	"cmp"
	"math"
	"slices"
)

// near reports whether a calculated value equals the figure at its written precision.
func (a *amount) near(v float64) bool {
	half := min(a.step/2, a.value*roundShare) + sameShare*a.value
	if a.bound {
		half = max(half, a.value*aboutShare/2)
	}
	return math.Abs(a.value-v) <= half
}

// equal reports whether two figures have one value, and may be one figure said twice.
func (a *amount) equal(b *amount) bool { return a.dim == b.dim && a.value == b.value }

// calculation says how a figure follows from others, and from which: their sum,
// difference, product, share or change; "" if it does not.
func calculation(a *amount, pool []amount) (how string, from []amount) {
	pool = pool[:min(len(pool), maxOperands)]
	added := func(x *amount) bool { return x.dim == a.dim && (a.dim != "" || alike(a, x)) }
	sum, n := 0.0, 0
	for i := range pool {
		if added(&pool[i]) {
			sum += pool[i].value
			n++
		}
	}
	all := func() []amount { // only where they are wanted: this is tried often
		return slices.DeleteFunc(slices.Clone(pool), func(x amount) bool { return !added(&x) })
	}
	switch {
	case a.value == 0:
		return "", nil
	case !a.operand().said:
	case n > 1 && a.near(sum) && (a.dim != "%" || a.operand().adds):
		return "a sum", all()
	case n > 1 && a.operand().mean && a.near(sum/float64(n)):
		return "an average", all()
	case n > 0 && a.dim == "%" && a.near(100-sum):
		return "the rest of 100 %", all()
	}
	for i := range pool {
		if a.sameRate(&pool[i]) {
			return "the same in another unit", []amount{pool[i]}
		}
		for j := range pool {
			if x, y := &pool[i], &pool[j]; i != j {
				if how := a.of(x, y, false); how != "" {
					return how, []amount{*x, *y}
				}
			}
		}
	}
	return "", nil
}

// fromOperands says how a figure follows from two, of which one at least is an operand
// of a figure beside it.
func fromOperands(a *amount, operands, own []amount) (how string, from []amount) {
	own = own[:min(len(own), maxOperands)]
	for i := range operands {
		x := &operands[i]
		for j := range operands {
			if y := &operands[j]; i != j && !x.equal(y) {
				if how := a.of(x, y, false); how != "" {
					return how, []amount{*x, *y}
				}
			}
		}
		for j := range own {
			if y := &own[j]; !x.equal(y) {
				if how := cmp.Or(a.of(x, y, false), a.of(y, x, false)); how != "" {
					return how, []amount{*x, *y}
				}
			}
		}
	}
	return "", nil
}

// ofRest says that a figure is what a percentage leaves, of 100 % or of another figure.
func (a *amount) ofRest(pool []amount) (how string, from []amount) {
	for i := range pool {
		y := &pool[i]
		switch {
		case y.dim != "%":
			continue
		case a.dim == "%" && a.near(100-y.value):
			return "the rest of 100 %", []amount{*y}
		}
		for k := range pool {
			if x := &pool[k]; k != i && x.dim == a.dim && a.dim != "%" && a.digits > 1 &&
				alike(a, x) && a.near(x.value*(100-y.value)/100) {
				return "the rest of a share", []amount{*x, *y}
			}
		}
	}
	return "", nil
}

var (
	restCues = lazySet(`rest remaining remainder remain remains free other others not without none
	left neither`)
	periodCues = lazySet(`month months monthly year years yearly annual annually week weeks weekly
	day days daily quarter quarterly hour hours hourly minute annum`)
)

var secondCues = lazySet("second seconds s rate speed pace frequency at")

// meanCues are words of sentences that say an average.
var meanCues = lazySet(`average averaged averages mean typical typically each apiece per
	usual usually about`)

// atRate reports whether a count is so many a second, a minute, an hour over a time.
func (a *amount) atRate(x, y *amount) bool {
	return slices.ContainsFunc([]float64{1, 60, 3600, 86400},
		func(per float64) bool { return a.near(x.value * y.value / per) })
}

// ofPeriod says that a time is a percentage of a period that its sentence names, or what
// it leaves of it.
func (a *amount) ofPeriod(periods map[string]bool, pool []amount) string {
	for _, period := range []struct {
		word string
		days float64
	}{{"day", 1}, {"week", 7}, {"month", 365 / 12.0}, {"quarter", 365 / 4.0}, {"year", 365}} {
		for i := range pool {
			all := period.days * 86400
			if x := &pool[i]; a.dim == "time" && x.dim == "%" && periods[period.word] &&
				(a.near(x.value/100*all) || a.near((100-x.value)/100*all)) {
				return "a share of a " + period.word
			}
		}
	}
	return ""
}

// of says how a figure follows from two others. Two that stand in different records
// follow less surely: any percentage is the share of some figure in some other.
func (a *amount) of(x, y *amount, apart bool) string {
	times := y.dim == "×" || y.dim == "" && !apart
	if y.value == 0 {
		return ""
	}
	switch {
	case a.isTimeBetween(x, y):
		return "a time between"
	case a.ofEach(x, y), x.dim == a.dim && a.inEach(x, y):
		return "so much for each"
	case a.inRange(x, y):
		return "the count of a range"
	case !a.operand().said:
		return ""
	case x.dim == a.dim && y.dim == "%" && (!apart || a.digits > 2) && a.near(x.value*y.value/100) &&
		!a.operand().points:
		return "a share"
	case x.dim == a.dim && a.dim != "%" && y.dim == "%" && a.digits > 2 && a.digits >= x.digits &&
		(a.near(x.value*(1+y.value/100)) || a.near(x.value*(1-y.value/100))):
		return "a share more or less"
	case a.dim == "" && x.dim == "" && y.dim == "time" && a.digits > 1 && a.operand().rate &&
		a.atRate(x, y):
		return "a rate over a time"
	case a.dim == "" && !alike(a, x, y):
		return ""
	case a.dim == "%" && x.dim == "%" && y.dim == "%" && !a.operand().adds: // mostly of other things
		return ""
	case x.dim == a.dim && y.dim == a.dim && a.near(x.value+y.value):
		return "a sum"
	case x.dim == a.dim && y.dim == a.dim && x.value > y.value && a.near(x.value-y.value):
		return "a difference"
	case x.dim == a.dim && times && y.value > 1 && a.digits > 1 && a.near(x.value*y.value):
		return "a product"
	case a.dim == "×" && x.dim == y.dim && a.near(x.value/y.value):
		return "a ratio"
	case apart && a.digits < 3:
		return ""
	case a.dim == "%" && x.dim == y.dim && x.dim != "%" && a.near(100*x.value/y.value) &&
		!a.operand().points:
		return "a share"
	case a.dim == "%" && x.dim == y.dim && a.near(100*math.Abs(x.value-y.value)/y.value):
		return "a change"
	case x.dim == a.dim && times && y.value > 1 && (a.digits > 1 || a.operand().mean) &&
		a.near(x.value/y.value):
		return "a quotient"
	}
	return ""
}

// inRange reports whether a count is that of the numbers from one to another: boxes 301
// to 340.
func (a *amount) inRange(x, y *amount) bool {
	return a.dim == "" && x.dim == "" && y.dim == "" && y.value > x.value &&
		x.in != nil && x.in == y.in && y.start > x.end && y.start-x.end <= len(" to ") && a.value == y.value-x.value+1
}

func (a *amount) ofBoth(x, y *amount, apart bool) string {
	return cmp.Or(a.of(x, y, apart), a.of(y, x, apart))
}

// alike reports whether counts may count one thing: no two of them say otherwise.
func alike(all ...*amount) bool {
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.nouns[0] != "" && b.nouns[0] != "" && !a.counts(b) {
				return false
			}
		}
	}
	return true
}
