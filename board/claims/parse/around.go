package parse

import "strings"

// This file reads what stands around a figure or a name: what it is about, and the unit that it has from others.

// FromMark, ToMark and ByMark are marks in a topic of a change: from 74 to 91, by 17.
const FromMark, ToMark, ByMark = "@from", "@to", "@by"

// reach is how many tokens before and after a detail say what it is about.
const reach = 14

// around collects what a detail is about: the words beside it, the closer the more. A word
// behind the end of a clause counts for less, and one that belongs to another figure: in
// "17 % of sales at a 46 % margin" sales belong to 17 %.
func (r *reading) around(d *Detail, cell *Cell) {
	t := r.t
	begin, end := r.extent(d)
	var before [reach]float64 // how close the words before it are
	n, parted := 0, 0
	for k := begin - 1; k >= max(0, begin-reach); k-- {
		if r.clause[k] != r.clause[k+1] && t[k].Text != "(" && t[k+1].Text != "(" {
			parted++
		}
		if before[begin-1-k] = closeness(n+1, parted); !r.used[k] {
			n++
		} else if r.figure[k] != r.figure[max(0, k-1)] {
			parted++
		}
	}
	topic := r.topic[:0]
	n, parted = 0, 0
	for k := max(0, begin-reach); k < min(len(t), end+reach); k++ {
		x := &t[k]
		if k >= end {
			if r.clause[k-1] != r.clause[k] {
				parted++
			}
			if !r.used[k] {
				n++
			} else if r.figure[k] != r.figure[k-1] {
				parted++
			}
		}
		if k >= begin && k < end || r.used[k] || x.Kind != WordToken && x.Kind != NameToken {
			continue
		}
		side, by := uint8(Trailing), 0.0
		if k < begin {
			side, by = Leading, before[begin-1-k]
		} else {
			by = closeness(n, parted)
		}
		if o := r.owner[k]; o != 0 && o != begin+1 && d.IsFigure() {
			by *= .5
		}
		switch {
		case x.Kind == NameToken:
			for _, p := range SplitName(x.Text) {
				if len(p) > 2 && !Stopwords.Has(p) {
					topic.add(Stem(p), by)
				}
			}
		case x.has(isTopic):
			topic.add(x.lexeme().stem, by).side |= side
		}
	}
	if r.topic = topic; len(topic) > 0 {
		d.Topic = append(make(Topic, 0, len(topic)+1), topic...) // with room for a mark
	}
	r.mark(d, begin)
	if cell == nil {
		return
	}
	for _, w := range Stems(cell.Label) {
		d.Topic.add(w, 1)
	}
	for _, w := range Stems(cell.Header) {
		d.Topic.add(w, .8)
	}
}

// extent returns the tokens of a detail, with a currency before it.
func (r *reading) extent(d *Detail) (begin, end int) {
	begin, end = d.FirstToken, d.FirstToken+1
	if !d.IsFigure() {
		return begin, begin + max(1, len(d.Words))
	}
	for end < len(r.t) && r.used[end] && r.figure[end] == r.figure[begin] {
		end++
	}
	for begin > 0 && r.used[begin-1] && r.figure[begin-1] == r.figure[begin] {
		begin--
	}
	return begin, end
}

// mark says whether a figure is the beginning, the end or the amount of a change.
func (r *reading) mark(d *Detail, begin int) {
	b := begin - 1
	for fillsBound.Has(r.t.At(b).Low) || abouts.Has(r.t.At(b).Low) {
		b--
	}
	switch r.t.At(b).Low {
	case "from":
		d.Topic.add(FromMark, 1)
	case "by":
		d.Topic.add(ByMark, 1)
	case "to", "until", "till":
		d.Topic.add(ToMark, 1)
	}
}

// closeness is 1 for a word beside a detail, and less for each of n tokens up to it, and for each end
// of a clause and other figure between them.
func closeness(n, parted int) float64 {
	by := 1 / (1 + .25*float64(max(0, n-1)))
	for range min(parted, 3) {
		by *= .55
	}
	return by
}

var beforeOwned = NewSet("of on in for with")

// own marks the words that belong to a figure: 17 % of sales, 46 % gross margin, a gross
// margin of 46 %.
func (r *reading) own(begin, end int) {
	k := end
	if beforeOwned.Has(r.t.At(k).Low) {
		k++
	}
	for n := 0; n < 3 && k < len(r.t) && r.t[k].Kind == WordToken && !r.used[k] &&
		r.clause[k] == r.clause[end-1] && !Prepositions.Has(r.t[k].Low) && r.t[k].Low != "against"; k++ {
		if r.owner[k] = begin + 1; !r.t[k].has(isEmpty) {
			n++
		}
	}
	if r.t.At(begin-1).Low != "of" {
		return
	}
	k = begin - 2
	for n := 0; n < 2 && k >= 0 && r.t[k].Kind == WordToken && !r.used[k] && !r.t[k].has(isEmpty); k-- {
		r.owner[k] = begin + 1
		n++
	}
}

// lendUnits gives units to numbers that have none beside them: that of their column, of
// their subject (inventory days rose to 91), of their name (timeout_ms = 5000), or of the
// last figure of a list or range (from 74 to 91 weeks).
func (r *reading) lendUnits(details []Detail, cell *Cell) {
	for k := range details {
		q := details[k].Q
		if q == nil || q.Dim != "" || len(q.Noun) > 0 {
			continue
		}
		if u := cell.unit(); u.dim != "" {
			q.take(u, u.dim != "money" && u.dim != "percent")
			continue
		}
		r.unitBefore(q, details[k].FirstToken)
	}
	for k := len(details) - 2; k >= 0; k-- {
		r.unitOfNext(&details[k], &details[k+1])
	}
}

// unitBefore takes a unit from a name or a subject before a number.
func (r *reading) unitBefore(q *Quantity, i int) {
	for j := i - 1; j >= max(0, i-9) && q.Dim == ""; j-- {
		x := &r.t[j]
		if r.scope[j] != r.scope[i] && !(x.Kind == NameToken && j == i-2) { // timeout_ms: 1500
			if j == i-1 {
				continue
			}
			break
		}
		if x.Kind == NameToken && j >= i-3 {
			q.take(unitOfName(x.Text), true)
			q.Minutes = q.Minutes || q.Dim == "" && strings.HasSuffix(x.Low, "_min")
		}
		b := r.t.At(j - 1)
		u := units()[x.Low]
		if j == i-1 && (u.dim == "length" || u.dim == "time" && u.factor >= 3600 && len(x.Low) > 2) &&
			b.Kind == WordToken && x.Kind == WordToken && !strings.HasSuffix(x.Low, "s") { // at km 41.3, on day 42
			q.take(u, false)
		}
		if (u.dim == "time" || u.dim == "bytes") && !r.used[j] &&
			x.Kind == WordToken && len(x.Low) > 3 && strings.HasSuffix(x.Low, "s") &&
			b.Kind == WordToken && !b.has(isEmpty) {
			q.take(u, true)
		}
	}
}

// unitOfName returns the unit at the end of a name: timeout_ms, ttl_s. In swabs_min it may be a minimum: no unit.
func unitOfName(name string) unit {
	p := SplitName(name)
	if len(p) < 2 {
		return unit{}
	}
	last := p[len(p)-1]
	if keyBounds[last] != 0 || len(last) == 1 && !strings.Contains(loneUnits, last) {
		return unit{}
	}
	return units()[last]
}

var inLists = NewSet(", and or to – - /")

// unitOfNext gives a figure the unit or the zone of the next one in a list or range.
func (r *reading) unitOfNext(x, y *Detail) {
	if x.T != nil && y.T != nil && x.T.Clock >= 0 && x.T.Zone == nil && y.FirstToken-x.FirstToken <= 3 {
		x.T.Zone = y.T.Zone // from 10:02 to 10:41 UTC
	}
	a, b := x.Q, y.Q
	if y.Level || a == nil || b == nil || a.Dim != "" && !a.Soft || b.Dim == "" || b.Soft ||
		len(a.Noun) > 0 || a.Value == 0 || b.Number == 0 || y.FirstToken-x.FirstToken > 4 {
		return
	}
	for _, w := range r.t[x.FirstToken+1 : y.FirstToken] {
		if !inLists.Has(w.Low) && currencies()[w.Low] == "" {
			return
		}
	}
	a.scale(a.Number / a.Value)
	a.take(unit{b.Dim, b.Unit, b.Value / b.Number, b.Per}, false)
}
