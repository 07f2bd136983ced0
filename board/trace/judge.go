package trace

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"blackboard/board/claims/parse"
)

const nearMask = 1<<nearBits - 1

// better orders the hits of a fact, the best first.
func better(a, b *hit) int {
	return cmp.Or(b.score()-a.score(), int(b.how)-int(a.how), int(a.record-b.record))
}

func (h *hit) score() int {
	n := 3*bits.OnesCount64(h.mask&nearMask) + bits.OnesCount64(h.mask&^uint64(nearMask))
	switch h.how {
	case same, rounded:
		n += 100
	case noUnit, otherNoun:
		n += 50
	}
	if h.swapped {
		n -= 20
	}
	if h.foreign {
		n--
	}
	return n
}

// judge sets the verdict of each fact from its hits. It drops what was only perhaps a name: without a hit, and also
// written in lower case.
func (t *tracer) judge() {
	facts := t.facts[:0]
	for i := range t.facts {
		f := &t.facts[i]
		if f.optional && len(f.hits) == 0 && t.isCommonWord(f) {
			continue
		}
		t.decide(f)
		facts = append(facts, *f)
	}
	t.facts = facts
}

// isCommonWord reports whether a word that may be a name stands somewhere in lower case.
func (t *tracer) isCommonWord(f *fact) bool {
	return t.lower[f.runs[0]] || t.lowerSeen[t.vocabulary[parse.Stem(f.runs[0])]]
}

func (t *tracer) decide(f *fact) {
	v := &f.verdict
	v.Verdict, v.Cause = Unsupported, Absent
	var doubt *hit
	var cause string
	for i := range f.hits {
		h := &f.hits[i]
		why := t.doubt(f, h)
		if why == "" {
			v.Verdict, v.Cause = Supported, ""
			if h.how == rounded && f.kind != KindName {
				v.Cause = Rounded
			}
			v.Entries = append(v.Entries, t.records[h.record])
			f.support = append(f.support, h.record)
			if len(v.Entries) == maxEntries {
				break
			}
		} else if doubt == nil {
			doubt, cause = h, why
		}
	}
	if v.Verdict == Unsupported && doubt != nil && cause != Absent {
		v.Cause = cause
		v.Entries = []string{t.records[doubt.record]}
		switch cause {
		case Elsewhere:
			v.Why = fmt.Sprintf("%s has it of something else", v.Entries[0])
		case OtherUnit:
			v.Why = fmt.Sprintf("%s has the number in another unit", v.Entries[0])
		}
	}
}

// maxEntries is how many entries a fact and a passage name.
const maxEntries = 5

// doubt returns why a matching record does not support a fact, or "".
func (t *tracer) doubt(f *fact, h *hit) string {
	if len(f.runs) > 0 {
		return ""
	}
	near, far := bits.OnesCount64(h.mask&nearMask), bits.OnesCount64(h.mask&^uint64(nearMask))
	switch h.how {
	case otherUnit:
		return OtherUnit
	case otherNoun:
		if f.detail.Q.Word {
			near++
		}
		if near < 3 && (!f.amount.telling() || len(f.hits) > 2) {
			return OtherUnit
		}
	case noUnit:
		if near < 2 && (near < 1 || !f.amount.telling() || len(f.hits) > 1) {
			return OtherUnit
		}
	}
	if 2*near+far < min(2*t.need(f, h), 2*len(f.near)+len(f.far)) &&
		(near == 0 || near < len(f.near)) {
		return Elsewhere
	}
	if t.ofAnother(f, h) {
		return Elsewhere
	}
	return ""
}

// telling reports whether a figure is hardly that of two things: a large one, of several
// digits.
func (a *amount) telling() bool {
	return a.digits > 2 && (a.raw >= 1000 || a.per != "") || a.digits > 1 && a.raw >= 10000
}

// need returns how many words a record must share with the text around a fact. It grows
// with the number of records that have the figure, and for common figures.
func (t *tracer) need(f *fact, h *hit) int {
	hits := 0
	for i := range f.hits {
		if f.hits[i].how > otherUnit {
			hits++
		}
	}
	distinct := f.amount.digits >= 3 || f.amount.dim != "" && f.amount.digits >= 2 ||
		f.kind == KindDate ||
		f.kind == KindTime
	switch {
	case t.units[f.unit].Title && f.kind == KindDate,
		hits == 1 && h.how >= otherNoun && f.isAmount() &&
			f.amount.telling() && f.amount.digits > 2:
		return 0
	case hits <= 2 && !t.counts(f) &&
		(distinct || f.amount.digits >= 2 || f.amount.dim != ""):
		return 0
	case distinct, hits <= 2, h.mask&t.label(f) != 0:
		return 1
	}
	return 2
}

// counts reports whether a figure counts what the board speaks of elsewhere.
func (t *tracer) counts(f *fact) bool {
	return slices.ContainsFunc(f.amount.nouns[:], func(noun string) bool {
		id, ok := t.vocabulary[noun]
		return ok && noun != "" && f.amount.dim == "" && t.df[id] > 0
	})
}

// ofAnother reports whether a record says a figure of another thing: the fact's
// sentence names what the board knows, and the record names something else instead.
func (t *tracer) ofAnother(f *fact, h *hit) bool {
	if h.swapped {
		return true
	}
	if len(f.hits) == 1 && h.how == same && (h.mask&nearMask != 0 || f.amount.per != "") &&
		(f.isAmount() && f.amount.telling() || f.kind == KindDate && f.detail.T.Days() <= 31) {
		return false // no other record has it
	}
	known := uint64(0)
	for i, id := range f.near {
		if b := uint64(1) << i; f.names&b != 0 && t.df[id] > 0 && !t.lowerSeen[id] {
			known |= b
		}
	}
	return known != 0 && known&h.mask == 0 && h.foreign
}

// label is which near words of a fact in a row are of the row's first cell.
func (t *tracer) label(f *fact) (mask uint64) {
	if f.detail == nil || f.detail.Cell == nil {
		return 0
	}
	for _, s := range parse.Stems(f.detail.Cell.Label) {
		if i := slices.Index(f.near, t.vocabulary[s]); i >= 0 {
			mask |= 1 << i
		}
	}
	return mask
}
