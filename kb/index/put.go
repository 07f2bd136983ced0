package index

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"blackboard/board/sqlite"
	"blackboard/embed"
)

// Put adds or replaces documents in the transaction, which may seal or merge segments too.
func (x *Index) Put(tx *sqlite.Tx, docs ...Doc) error {
	if len(docs) == 0 {
		return nil
	}
	m, err := x.readMeta(tx)
	if err != nil {
		return err
	}
	records, failed := make([]record, len(docs)), make([]error, len(docs))
	ids := make([]int64, len(docs))
	Spread(len(docs), func(i int) {
		records[i], failed[i] = x.analyse(&docs[i])
		ids[i] = docs[i].ID
	})
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if slices.Sort(ids); len(slices.Compact(ids)) < len(docs) {
		return errors.New("two documents of one batch have the same id")
	}
	if err := x.remove(tx, &m, ids); err != nil {
		return err
	}
	for i := range docs {
		if err := x.putVector(tx, &m, &docs[i]); err != nil {
			return err
		}
		m.docs++
		m.length += int64(lengths[records[i].length])
	}
	if len(docs) >= min(x.cfg.Seal, sealBatch) {
		// Large batches need not go through the tail.
		slices.SortFunc(records, func(a, b record) int { return cmp.Compare(a.doc, b.doc) })
		for part := range slices.Chunk(records, MaxSegment) {
			if err := x.build(tx, &m, part); err != nil {
				return err
			}
		}
	} else {
		// Numbers of the tail are never reused, so a reader may cache records by number.
		for i := range records {
			if err := x.exec(tx, `INSERT INTO @_tail VALUES (?, ?, ?)`, m.generation<<17|int64(i), records[i].doc, records[i].encode()); err != nil {
				return err
			}
		}
	}
	return x.finish(tx, &m)
}

// finish ends a change: it seals and merges what is due, and stores the totals.
func (x *Index) finish(tx *sqlite.Tx, m *meta) error {
	if err := x.tidy(tx, m); err != nil {
		return err
	}
	return x.writeMeta(tx, m)
}

// putVector stores vectors scaled to length 1; none without the first: zeros have no direction.
func (x *Index) putVector(tx *sqlite.Tx, m *meta, d *Doc) error {
	if len(d.Vector) == 0 {
		return nil
	}
	if m.dim == 0 || len(d.Vector)%m.dim != 0 {
		return fmt.Errorf("%w: document %d has a vector of %d numbers; the index is of %q with %d", ErrOtherModel, d.ID, len(d.Vector), m.model, m.dim)
	}
	var all embed.Vector
	for part := range slices.Chunk(d.Vector, m.dim) {
		v, ok := unit(part)
		if !ok && all == nil {
			return nil
		}
		if ok {
			all = append(all, v...)
		}
	}
	m.vectors++
	return x.exec(tx, `INSERT INTO @_vectors VALUES (?, ?)`, d.ID, encodeVector(all))
}

// unit returns v scaled to length 1, and false if it has no direction: all zero, or not finite.
func unit(v embed.Vector) (embed.Vector, bool) {
	u := slices.Clone(v)
	u.Normalize()
	sum := square(u)
	return u, !math.IsNaN(sum) && !math.IsInf(sum, 0) && sum > 0.5
}

func square(v embed.Vector) (sum float64) {
	for _, f := range v {
		sum += float64(f) * float64(f)
	}
	return sum
}

func encodeVector(v embed.Vector) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, []float32(v)) // cannot fail for numbers
	return b
}

// aboveOne is 1.0078125: above any number of a vector of length 1, and below infinity and NaN.
const aboveOne = 0x3f810000

// decodeVector decodes one or more vectors of dim numbers into v.
func decodeVector(v embed.Vector, b []byte, dim int) (embed.Vector, error) {
	if len(b) == 0 || len(b)%(4*dim) != 0 {
		return nil, corrupt("a vector has %d bytes, not %d or a multiple", len(b), 4*dim)
	}
	v = v[:0]
	for i := range len(b) / 4 {
		f := binary.LittleEndian.Uint32(b[4*i:])
		if f&^(1<<31) > aboveOne {
			return nil, corrupt("a vector holds numbers that no vector of length 1 has")
		}
		v = append(v, math.Float32frombits(f))
	}
	return v, nil
}

// Delete removes documents. Unknown ids are ignored.
func (x *Index) Delete(tx *sqlite.Tx, ids ...int64) error {
	m, err := x.readMeta(tx)
	if err != nil {
		return err
	}
	if err := x.remove(tx, &m, slices.Compact(sorted(ids))); err != nil {
		return err
	}
	return x.finish(tx, &m)
}

func sorted(ids []int64) []int64 { return slices.Sorted(slices.Values(ids)) }

// remove deletes documents from the tail and the segments; ids are sorted.
func (x *Index) remove(tx *sqlite.Tx, m *meta, ids []int64) error {
	if len(ids) == 0 || m.docs == 0 {
		return nil
	}
	var sealed []int64 // those that are not in the tail
	for _, id := range ids {
		var rec []byte
		switch err := tx.QueryRow(x.q(`DELETE FROM @_tail WHERE doc = ? RETURNING record`), id).Scan(&rec); {
		case sqlite.IsNoRows(err):
			sealed = append(sealed, id)
		case err != nil:
			return err
		case len(rec) == 0:
			return corrupt("the record of document %d is empty", id)
		default:
			m.docs--
			m.length -= int64(lengths[rec[0]])
		}
		if m.vectors > 0 {
			res, err := tx.Exec(x.q(`DELETE FROM @_vectors WHERE doc = ?`), id)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return err
			}
			m.vectors -= n
		}
	}
	if len(sealed) == 0 {
		return nil
	}
	return x.kill(tx, m, sealed)
}

// kill marks documents of segments as dead; ids are sorted.
func (x *Index) kill(tx *sqlite.Tx, m *meta, ids []int64) error {
	segs, err := sqlite.Column[int64](tx, x.q(`SELECT seg FROM @_segments WHERE lo <= ? AND hi >= ?`), ids[len(ids)-1], ids[0])
	if err != nil {
		return err
	}
	for _, seg := range segs {
		s, err := x.loadSegment(tx, seg)
		if err != nil {
			return err
		}
		all, err := s.allIDs(tx)
		if err != nil {
			return err
		}
		killed := 0
		dead := slices.Clone(s.dead)
		for _, id := range ids {
			ord, found := slices.BinarySearch(all, id)
			if !found || s.isDead(ord) {
				continue
			}
			if dead == nil {
				dead = newBitset(s.n)
			}
			dead.set(ord)
			killed++
			m.stirred = true
			m.docs--
			m.length -= int64(lengths[s.lens[ord]])
		}
		if killed == 0 {
			continue
		}
		if err := x.exec(tx, `UPDATE @_live SET rev = ?, dead_n = dead_n + ?, dead = ? WHERE seg = ?`,
			m.generation+1, killed, dead.bytes(), seg); err != nil {
			return err
		}
	}
	return nil
}

// Vectors returns the documents' vectors by id, scaled to length 1; nil without a model.
func (x *Index) Vectors(tx *sqlite.Tx, ids ...int64) (map[int64]embed.Vector, error) {
	_, dim, err := x.Model(tx)
	if err != nil || dim == 0 {
		return nil, err
	}
	ids = sorted(ids)
	out := make(map[int64]embed.Vector, len(ids))
	err = x.eachVector(tx, dim, ids, func(i int, v embed.Vector) { out[ids[i]] = slices.Clone(v) })
	return out, err
}
