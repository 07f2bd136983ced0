package survival

import (
	"math/bits"
	"slices"
)

// hits says for each unit of a report which wants of a pattern it answers to: a bit for
// each want, in as many words as that takes. The memory is used again for the next
// pattern.
type hits struct {
	bits   []uint64
	stride int
	acc    []uint64 // of the units that were gathered
}

// fill notes where the wants of a pattern are.
func (h *hits) fill(p *pattern, x *index) {
	h.stride = (len(p.wants) + 63) / 64
	n := len(x.units) * h.stride
	h.bits = slices.Grow(h.bits[:0], n)[:n]
	h.acc = slices.Grow(h.acc[:0], h.stride)[:h.stride]
	clear(h.bits)
	for w := range p.wants {
		for _, key := range p.wants[w].keys {
			for _, u := range x.post[key] {
				h.bits[int(u)*h.stride+w/64] |= 1 << (w % 64)
			}
		}
	}
}

// gather returns the wants that some units answer to, those from first to last and those of the headings above, until
// the next call.
func (h *hits) gather(first, last int32, under span) []uint64 {
	clear(h.acc)
	h.or(first, last+1)
	h.or(under.from, under.to)
	return h.acc
}

func (h *hits) or(from, to int32) {
	if h.stride == 1 {
		for _, b := range h.bits[from:to] {
			h.acc[0] |= b
		}
		return
	}
	for i, b := range h.bits[int(from)*h.stride : int(to)*h.stride] {
		h.acc[i%h.stride] |= b
	}
}

// weigh returns the weight of the words, or the count of the numbers, among the wants
// in a set of bits.
func (p *pattern) weigh(set []uint64, numbers bool) int {
	total := 0
	for i, b := range set {
		for ; b != 0; b &= b - 1 {
			switch w := &p.wants[i*64+bits.TrailingZeros64(b)]; {
			case w.number != numbers:
			case numbers:
				total++
			default:
				total += w.weight
			}
		}
	}
	return total
}
