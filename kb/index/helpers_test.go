package index

import (
	"slices"

	"blackboard/board/sqlite"
)

// Seal makes a segment of the tail now, however short it is, and merges all segments as far as
// they fit into one.
func (x *Index) Seal(tx *sqlite.Tx) error {
	m, err := x.readMeta(tx)
	if err != nil {
		return err
	}
	if err := x.seal(tx, &m); err != nil {
		return err
	}
	live, err := x.liveCounts(tx)
	if err != nil {
		return err
	}
	var segs []liveCount
	total := 0
	for _, s := range live {
		if total+s.live > MaxSegment {
			if err := x.mergeIfUseful(tx, &m, segs); err != nil {
				return err
			}
			segs, total = nil, 0
		}
		segs, total = append(segs, s), total+s.live
	}
	if err := x.mergeIfUseful(tx, &m, segs); err != nil {
		return err
	}
	return x.writeMeta(tx, &m)
}

// mergeIfUseful merges segments, but not one without dead documents with itself.
func (x *Index) mergeIfUseful(tx *sqlite.Tx, m *meta, segs []liveCount) error {
	if len(segs) == 0 || len(segs) == 1 && segs[0].live == segs[0].n {
		return nil
	}
	return x.merge(tx, m, segs)
}

// seen returns the documents that searches see, sorted.
func (x *Index) seen(tx *sqlite.Tx) ([]int64, error) {
	v, done, err := x.viewOf(tx)
	if err != nil {
		return nil, err
	}
	defer done()
	var all []int64
	for _, s := range v.segs {
		ids, err := s.allIDs(tx)
		if err != nil {
			return nil, err
		}
		for ord, id := range ids {
			if !s.isDead(ord) {
				all = append(all, id)
			}
		}
	}
	slices.Sort(all)
	return all, nil
}
