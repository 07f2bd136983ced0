package trace

import (
	"cmp"
	"math"
)

// near reports whether a calculated value is the figure, as exactly as it is written.
func (a *amount) near(v float64) bool {
	half := min(a.step/2, a.value*roundShare) + sameShare*a.value
	if a.bound != 0 {
		half = max(half, a.value*aboutShare/2)
	}
	return math.Abs(a.value-v) <= half
}

// equal reports whether two figures have one value, and may be one figure said twice.
func (a *amount) equal(b *amount) bool { return a.dim == b.dim && a.value == b.value }

// calculation says how a figure follows from others: their sum, difference, product,
// share, change; "" if it does not.
func calculation(a *amount, pool []amount) string {
	pool = pool[:min(len(pool), maxOperands)]
	sum, n := 0.0, 0
	for i := range pool {
		if pool[i].dim == a.dim {
			sum += pool[i].value
			n++
		}
	}
	switch {
	case a.value == 0:
		return ""
	case n > 1 && a.near(sum):
		return "a sum"
	case n > 1 && a.near(sum/float64(n)):
		return "an average"
	case n > 0 && a.dim == "%" && a.near(100-sum):
		return "the rest of 100 %"
	}
	for i := range pool {
		if a.sameRate(&pool[i]) {
			return "the same in another unit"
		}
		for j := range pool {
			if x, y := &pool[i], &pool[j]; i != j {
				if how := a.of(x, y, false); how != "" {
					return how
				}
			}
		}
	}
	return ""
}

// runs says that a figure is the sum of figures that follow one another.
func runs(a *amount, pool []amount) string {
	for i := range pool {
		sum, n := 0.0, 0
		for k := i; k < min(len(pool), i+maxOperands); k++ {
			if pool[k].dim != a.dim || !alike(a, &pool[k]) {
				continue
			}
			sum, n = sum+pool[k].value, n+1
			if n > 2 && a.near(sum) {
				return "a sum"
			}
		}
	}
	return ""
}

var (
	restCues   = lazySet("rest remaining remainder other others not without none left neither")
	periodCues = lazySet(`month months monthly year years yearly annual annually week weeks weekly day days
	daily quarter quarterly hour hours hourly minute annum`)
)

// atRate reports whether a count is so many a second, a minute, an hour over a time.
func (a *amount) atRate(x, y *amount) bool {
	for _, per := range []float64{1, 60, 3600, 86400} {
		if a.near(x.value * y.value / per) {
			return true
		}
	}
	return false
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
	case a.dim == "time" && x.dim == y.dim && isMoment(x.dim) && x.value != y.value && a.near(math.Abs(x.value-y.value)):
		return "a time between"
	case x.dim == a.dim && y.dim == "%" && (!apart || a.digits > 2) && a.near(x.value*y.value/100):
		return "a share"
	case a.dim == "" && x.dim == "" && y.dim == "time" && a.digits > 1 && a.atRate(x, y):
		return "a rate over a time"
	case x.dim == a.dim && a.ofEach(x, y):
		return "so much for each"
	case a.dim == "" && !alike(a, x, y):
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
	case a.dim == "%" && x.dim == y.dim && x.dim != "%" && a.near(100*x.value/y.value):
		return "a share"
	case a.dim == "%" && x.dim == y.dim && a.near(100*math.Abs(x.value-y.value)/y.value):
		return "a change"
	case x.dim == a.dim && times && y.value > 1 && a.digits > 1 && a.near(x.value/y.value):
		return "a quotient"
	}
	return ""
}

func (a *amount) ofBoth(x, y *amount) string { return cmp.Or(a.of(x, y, true), a.of(y, x, true)) }

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
