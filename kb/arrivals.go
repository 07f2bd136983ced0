package kb

import (
	"blackboard/board/sqlite"
	"blackboard/kb/store"
)

// arrivals are the capsules that have come since a long import began, whose items are all compared.
type arrivals struct {
	*store.Words
	ns          []int64 // numbers of the capsules, by their index in Words
	since, last int64   // the last capsule that there was before, and the last in here
}

func arrivalsSince(last int64) *arrivals {
	return &arrivals{Words: store.NewWords(), since: last, last: last}
}

// catchUp adds the capsules that were stored after the last one in here.
func (a *arrivals) catchUp(tx *sqlite.Tx) error {
	caps, err := capsulesWhere(tx, `n > ? AND ingest_file = '' ORDER BY n`, a.last)
	for i := range caps {
		a.arrive(&caps[i], a.Read(caps[i].statement().Words()))
	}
	return err
}

// arrive adds a stored capsule; words are the ids of its words, from Read.
func (a *arrivals) arrive(c *Capsule, words []int32) {
	a.Add(words)
	a.ns, a.last = append(a.ns, c.n), max(a.last, c.n)
}

// propose returns at most 2*maxAlike capsules that may say nearly the same as these words.
func (a *arrivals) propose(words []int32) (ns []int64) {
	for _, at := range a.Near(words, alikeShared, 2*maxAlike) {
		ns = append(ns, a.ns[at])
	}
	return ns
}
