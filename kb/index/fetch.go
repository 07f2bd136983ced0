package index

import (
	"maps"
	"slices"

	"blackboard/board/sqlite"
)

// One query reads what a search reads in many: on a server, each costs a round trip.

// want is a term that a block of a segment may have.
type want struct {
	seg  *segment
	term string
}

// unknownBlocks returns the blocks that may have some terms and are not cached, by row id.
func (s *search) unknownBlocks(terms []string) map[int64][]want {
	var wanted map[int64][]want // usually stays empty
	for _, seg := range s.v.segs {
		if seg.mem != nil {
			continue
		}
		for _, term := range terms {
			if _, known := s.x.postings.get(postingKey{seg.seg, term}); known {
				continue
			}
			if block := blockOf(seg.dir, term); block >= 0 {
				id := rowID(seg.seg, int64(block))
				if wanted == nil {
					wanted = map[int64][]want{}
				}
				wanted[id] = append(wanted[id], want{seg, term})
			}
		}
	}
	return wanted
}

// isFew reports whether so little must be read that batching does not pay.
func (s *search) isFew(n int) bool { return n == 0 || n == 1 && !s.tx.IsFar() }

// fetch reads the blocks that may have some terms and are not cached, if there are several.
func (s *search) fetch(terms ...string) error {
	wanted := s.unknownBlocks(terms)
	if s.isFew(len(wanted)) {
		return nil
	}
	var id int64
	var raw rawBytes
	q := s.askBlocks(wanted)
	return s.tx.Each([]any{&id, &raw}, func() error {
		for _, w := range wanted[id] {
			if _, err := w.seg.cacheList(w.term, raw); err != nil {
				return err
			}
		}
		return nil
	}, q.Query, q.Args...)
}

func (s *search) askBlocks(wanted map[int64][]want) sqlite.Question {
	ids := slices.Sorted(maps.Keys(wanted))
	return sqlite.Question{Query: s.x.q(`SELECT id, data FROM @_blocks WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`), Args: []any{sqlite.List(ids)}}
}

// fetchFirst reads the filter's blocks; on a server also the terms' blocks, ids and codes.
func (s *search) fetchFirst(byVector bool) error {
	var terms []string
	for _, group := range s.q.Filter.All {
		for _, k := range group {
			terms = append(terms, keywordTerm(k))
		}
	}
	for _, k := range s.q.Filter.None {
		terms = append(terms, keywordTerm(k))
	}
	if s.q.Aside != "" {
		terms = append(terms, keywordTerm(s.q.Aside))
	}
	if s.q.Text != "" {
		terms = append(terms, stemmed)
		if s.tx.IsFar() {
			own := s.x.Terms(s.q.Text)
			terms = append(terms, own[:min(len(own), maxTerms)]...)
		}
	}
	if s.tx.IsFar() {
		var ahead []sqlite.Question
		if blocks := s.unknownBlocks(terms); len(blocks) > 0 {
			ahead = append(ahead, s.askBlocks(blocks))
		}
		if segs := s.withoutIDs(); len(segs) > 0 {
			ahead = append(ahead, s.askIDs(segs))
		}
		if segs := s.withoutCodes(); byVector && len(segs) > 0 {
			ahead = append(ahead, s.x.askCodes(segs))
		}
		if err := s.tx.Ahead(ahead...); err != nil {
			return err
		}
	}
	return s.fetch(terms...)
}

// withoutIDs returns segments whose ids are to be loaded: on a server all, else matching ones.
func (s *search) withoutIDs() (segs []*segment) {
	for i, seg := range s.v.segs {
		if seg.mem == nil && !seg.hasIDs() && (s.tx.IsFar() || slices.ContainsFunc(s.terms, func(t *qterm) bool {
			return t.lists[i] != nil || t.stemmed != nil && t.stemmed[i] != nil
		})) {
			segs = append(segs, seg)
		}
	}
	return segs
}

func numbers(segs []*segment) (ns []int64) {
	for _, s := range segs {
		ns = append(ns, s.seg)
	}
	return ns
}

func (s *search) askIDs(segs []*segment) sqlite.Question {
	return sqlite.Question{Query: s.x.q(`SELECT seg, ids FROM @_segments WHERE seg IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`), Args: []any{sqlite.List(numbers(segs))}}
}

func (s *search) fetchIDs() error {
	wanted := s.withoutIDs()
	if s.isFew(len(wanted)) {
		return nil
	}
	of := map[int64]*segment{}
	for _, seg := range wanted {
		of[seg.seg] = seg
	}
	var id int64
	var raw []byte
	q := s.askIDs(wanted)
	return s.tx.Each([]any{&id, &raw}, func() error {
		ids, err := decodeIDs(raw, of[id].n)
		if err == nil {
			of[id].setIDs(ids)
		}
		return err
	}, q.Query, q.Args...)
}

func (s *sealed) hasIDs() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids != nil
}

func (s *sealed) setIDs(ids []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids = ids
}
