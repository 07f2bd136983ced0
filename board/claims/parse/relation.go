package parse

import (
	"math"
	"slices"
	"strings"
)

// A Relation says how a detail of a claim stands to one of the evidence.
type Relation uint8

const (
	Incomparable  Relation = iota
	Same                   // equal as written
	Rounded                // equal within what is written
	Bare                   // equal, but one of the two has no unit
	Coarser                // the evidence is less exact, and does not contradict
	OtherValue             // the first that differs
	OtherUnit              // the same digits with another unit
	OtherCurrency          //
	OtherRate              // a month, a year
	OtherBound             // at least, at most
	OtherSign
	OtherName
)

func (r Relation) String() string {
	return [...]string{"", "the same", "rounded", "the same number without a unit", "less exact",
		"another value", "another unit", "another currency", "another rate", "another bound",
		"another sign", "another name"}[r]
}

// Agrees reports whether the evidence has what the claim says.
func (r Relation) Agrees() bool { return r == Same || r == Rounded || r == Bare }

// MinLikeness returns how much two details must be of one thing so that they contradict. The
// same digits with another unit are hardly of another thing.
func (r Relation) MinLikeness() float64 {
	if r == OtherValue || r == OtherName {
		return .45
	}
	return .15
}

// against compares a quantity of a claim with one of the evidence.
func (q *Quantity) against(e *Quantity) Relation {
	if q.Dim != e.Dim && (q.Dim == "money" || e.Dim == "money") {
		q, e = q.asMoney(e), e.asMoney(q)
	}
	equal, rounded := q.equals(e)
	sameDigits := q.Number == e.Number || q.Number == -e.Number
	switch {
	case q.Dim == "money" && e.Dim == "money" && q.Unit != e.Unit:
		if equal || rounded || sameDigits {
			return OtherCurrency
		}
		return Incomparable
	case q.Dim == e.Dim:
	case ConvertibleDimensions[q.Dim+" "+e.Dim]:
		equal, rounded = q.equalsConverted(e)
		if !equal && !rounded && (q.Dim == "ratio" || e.Dim == "ratio") {
			return Incomparable // two thirds, 2:1
		}
	case q.Dim == "" || e.Dim == "":
		return q.againstBare(e, equal, rounded)
	case sameDigits && !(q.Word && e.Word):
		return OtherUnit
	default:
		return Incomparable
	}
	return q.againstSameKind(e, equal, rounded, sameDigits)
}

// asMoney returns pence, and cents of any currency, as money of the currency of another quantity.
func (q *Quantity) asMoney(o *Quantity) *Quantity {
	if o.Dim != "money" || !(q.Dim == "pence" && o.Unit == "GBP" || q.Dim == "cents") {
		return q
	}
	m := *q
	m.Dim, m.Unit = o.Dim, o.Unit
	return &m
}

// againstBare compares where one has no unit: 5 in a cell, "5 days" in prose.
func (q *Quantity) againstBare(e *Quantity, equal, rounded bool) Relation {
	typed, bare := q, e
	if q.Dim == "" {
		typed, bare = e, q
	}
	if bare.Minutes && typed.Dim == "time" && typed.Bound == 0 {
		minutes := *bare
		minutes.take(units()["min"], true)
		minutes.Bound = 0
		return typed.against(&minutes)
	}
	counts := len(bare.Noun) > 0 && (typed.Dim == "percent" || typed.Dim != "money" && bare.Word)
	if (typed.Number == bare.Number || equal) && !counts || typed.Dim == "money" && rounded {
		return Bare
	}
	return Incomparable
}

func (q *Quantity) againstSameKind(e *Quantity, equal, rounded, sameDigits bool) Relation {
	agrees := equal || rounded
	switch {
	case q.asOften(e):
		return Rounded
	case q.Ref != e.Ref && q.Dim == "", q.Ref && e.Ref && q.Noun[0] != e.Noun[0]: // row 7 is no 7 rows
		if equal && (q.Ref != e.Ref) {
			return Bare
		}
		return Incomparable
	case agrees && q.period() != e.period() && q.period() != "" && e.period() != "",
		agrees && q.Per != e.Per && (float(q.Per)*float(e.Per) > 0 ||
			perUnit(q).dim != "" && perUnit(q).dim == perUnit(e).dim && perUnit(q).factor != perUnit(e).factor):
		return OtherRate // one per container and day may name either
	case agrees && q.Bound*e.Bound < 0:
		return OtherBound
	case equal:
		return Same
	case rounded, q.limits(e):
		return Rounded
	case q.Half < e.Half && math.Abs(q.Value-e.Value) <= e.Half*1.0001 && q.Value != 0 &&
		(!e.Whole || math.Abs(e.Number) >= 10):
		return Coarser
	case q.Bound == 0 && float64(e.Bound)*(q.Value-e.Value) > 0 && math.Abs(q.Value-e.Value) <= .1*math.Abs(e.Value):
		return Coarser // more than nine hours, of 9 hours and 6 minutes
	case (q.Down || e.Down) && q.Value*e.Value < 0: // fell by 6 %, -6 %
		a, b := q.positive(), e.positive()
		return a.against(&b)
	case q.Value == -e.Value && q.Value != 0:
		return OtherSign
	case q.Dim != "" && sameDigits && q.Unit != e.Unit:
		return OtherUnit
	case max(q.seconds(), e.seconds()) > farApart*min(q.seconds(), e.seconds()):
		return Incomparable // what takes an hour and a half, and what holds for three years
	}
	return OtherValue
}

// seconds is how long a time is, 0 of what is no time.
func (q *Quantity) seconds() float64 {
	switch q.Dim {
	case "time":
		return math.Abs(q.Value)
	case "months":
		return math.Abs(q.Value) * month
	}
	return 0
}

// IsApart reports whether two days are as far apart as a time is long, as exactly as it is said.
func (in *Instant) IsApart(o *Instant, by *Quantity) bool {
	apart := in.From.Sub(o.From).Abs().Seconds()
	return math.Abs(apart-by.seconds()) <= 2*24*3600+.03*by.seconds()
}

// farApart is how many times longer a time is that is hardly said in the place of another one.
const farApart = 1000

// perUnit returns the unit that a rate is for.
func perUnit(q *Quantity) unit { return units()[strings.ToLower(q.Per)] }

// asOften reports whether two rates are equal for another unit: 72 km/h, 20 metres a second.
func (q *Quantity) asOften(e *Quantity) bool {
	if q.Per == e.Per {
		return false
	}
	mine, theirs := perUnit(q), perUnit(e)
	if mine.dim == "" || theirs.dim != mine.dim {
		return false
	}
	a := *q
	a.scale(theirs.factor / mine.factor)
	equal, rounded := a.equals(e)
	return equal || rounded
}

func (q *Quantity) positive() Quantity {
	p := *q
	p.Value, p.Number = math.Abs(p.Value), math.Abs(p.Number)
	return p
}

// periods are what a rate is of that can be mistaken: a month, a year. Other rates have too
// many names.
// period is the span of time that a rate is for, "" if it is for none.
func (q *Quantity) period() string {
	if q.Period == "" && RatePeriods.Has(q.Per) {
		return q.Per
	}
	return q.Period
}

var RatePeriods = NewSet("second minute hour day week month quarter year")

// limits reports whether a round limit holds for a value near it: more than 9,000 of 9,400.
func (q *Quantity) limits(e *Quantity) bool {
	if q.Bound == 0 || e.Bound != 0 || e.Word || q.zeros() == 0 {
		return false
	}
	switch q.Bound {
	case 1:
		return e.Value >= q.Value && e.Value <= 1.1*q.Value
	case -1:
		return e.Value <= q.Value && e.Value >= .9*q.Value
	}
	return false
}

// IsNear reports whether two numbers are equal but for what computing them loses.
func IsNear(a, b float64) bool {
	return a == b || a != 0 && b != 0 && math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
}

// equals compares values in one unit: are they equal, by one way to read them, or if not, are they within what is
// written.
func (q *Quantity) equals(e *Quantity) (equal, rounded bool) {
	other := q.Unit == e.Unit // 1,500 seconds are no 1500 ms by another reading of the comma
	if IsNear(q.Value, e.Value) || other && q.Other != 0 && (IsNear(q.Other, e.Value) ||
		IsNear(q.Other, e.Other)) || other && e.Other != 0 && IsNear(q.Value, e.Other) {
		return true, false
	}
	lo, hi := q.span()
	elo, ehi := e.span()
	if q.Unit != e.Unit && !q.About && !e.About {
		from, to := units()[q.Unit], units()[e.Unit]
		if from.factor*to.factor > 0 && from.dim != "time" { // 8 km of 5 miles, but not 4.2 kg of 4,151 g
			scale := math.Log10(from.factor / to.factor)
			half := q.Half * math.Pow10(q.zeros())
			if math.Abs(scale-math.Round(scale)) > 1e-6 && math.Abs(q.Value-e.Value) <= min(half, .1*q.Value) {
				return false, true
			}
		}
	}
	if q.Whole && !q.About && !q.Word && (!e.Whole || q.Unit != e.Unit || q.zeros() >= 2 && q.Digits() >= 2) {
		half := q.Half * math.Pow10(q.zeros()) // 96 % of 96.1 %, 240,000 of 240,518
		lo, hi = q.Value-half, q.Value+half
	}
	switch {
	case e.Value >= lo && e.Value <= hi && e.Half <= q.Half*1.0001+1e-12:
		return false, true
	case q.About && e.About:
		return false, lo <= ehi && elo <= hi
	case e.About: // the claim may leave "about" out
		return false, q.Value >= elo && q.Value <= ehi && q.zeros() >= e.zeros()
	}
	return false, false
}

// month is how many seconds a month has on average.
const month = 30.44 * 86400

// ConvertibleDimensions are dimensions that measure one thing.
var ConvertibleDimensions = map[string]bool{"time months": true, "months time": true, "percent ratio": true,
	"ratio percent": true, "percent points": true, "points percent": true, "bytes bits": true,
	"bits bytes": true}

func (q *Quantity) equalsConverted(e *Quantity) (equal, rounded bool) {
	a, b := *q, *e
	for _, x := range []*Quantity{&a, &b} {
		switch x.Dim {
		case "months": // a month has 30 or 31 days
			x.scale(month)
		case "ratio":
			x.scale(100)
		case "bytes":
			if q.Dim != e.Dim {
				x.scale(8)
			}
		}
	}
	if q.Dim == "months" || e.Dim == "months" {
		return false, math.Abs(a.Value-b.Value) < .03*b.Value && math.Abs(q.Number) > 1
	}
	return a.equals(&b)
}

// OnCompare is called for each two figures, names or clauses that are compared, if a test counts them.
var OnCompare func()

// CountComparison tells a test that two things are compared.
func CountComparison() {
	if OnCompare != nil {
		OnCompare()
	}
}

// Relate returns how a detail of a claim relates to one of the evidence. A name or an identifier agrees if the
// evidence has all of its words.
func (d *Detail) Relate(e *Detail) Relation {
	CountComparison()
	switch {
	case d.Kind != e.Kind:
		return Incomparable
	case d.Kind == Number:
		rel := d.Q.against(e.Q)
		if rel.Agrees() && d.Q.Dim != e.Q.Dim && d.Topic.Closeness(ByMark) > 0 && e.Topic.Closeness(ByMark) > 0 &&
			(d.Q.Dim == "points" || e.Q.Dim == "points") {
			return OtherUnit // rose by 6 percent, by 6 percentage points
		}
		return rel
	case d.Kind == Date:
		return d.T.Compare(e.T)
	}
	for _, w := range d.Words {
		if !slices.Contains(e.Words, w) {
			return OtherName
		}
	}
	return Same
}

// Is reports whether two figures are equal as far as they are written. A number that counts nothing may have any unit, as
// in the cell of a table, unless bare is false.
func (d *Detail) Is(x *Detail, bare bool) bool {
	rel := d.Relate(x)
	if rel == Bare && d.Q.Dim != "" {
		return bare && len(x.Q.Noun) == 0 && !x.Q.Ref && (x.Q.Value == x.Q.Number || IsNear(x.Q.Value, d.Q.Value)) &&
			(d.Q.Dim != "percent" || x.Cell != nil)
	}
	return rel.Agrees()
}
