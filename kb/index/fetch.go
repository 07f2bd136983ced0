package index

import (
	"maps"
	"slices"

	"blackboard/board/sqlite"
)

// This file reads at once what a search would read bit by bit: somebody else may have the
// database, and each question to him takes as long as the way to him and back.

// want is a term that a block of a segment may have.
type want struct {
	seg  *segment
	term string
}

// unknownBlocks are the blocks that may have some terms and were not read yet, by row id.
func (s *search) unknownBlocks(terms []string) map[int64][]want {
	var wanted map[int64][]want // mostly nothing is
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

// few reports whether so little is to be read that it is not worth reading at once.
func (s *search) few(n int) bool { return n == 0 || n == 1 && !s.tx.IsFar() }

// fetch reads the blocks that may have some terms and are not known yet, if they are
// several.
func (s *search) fetch(terms ...string) error {
	wanted := s.unknownBlocks(terms)
	if s.few(len(wanted)) {
		return nil
	}
	var id int64
	var raw rawBytes
	q := s.askBlocks(wanted)
	return s.tx.Each([]any{&id, &raw}, func() error {
		for _, w := range wanted[id] {
			if _, err := w.seg.keep(w.term, raw); err != nil {
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

// fetchFirst reads the blocks of the filter, and whether there are stems. Of a database
// that is elsewhere, it reads the blocks of the query's terms on the way, the ids and the
// codes.
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
			ahead = append(ahead, s.askCodes(segs))
		}
		if err := s.tx.Ahead(ahead...); err != nil {
			return err
		}
	}
	return s.fetch(terms...)
}

// withoutIDs are the segments whose ids are not known: all of them, if somebody else has
// the database, else those that have one of the search's terms.
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

// fetchIDs reads the ids of several segments.
func (s *search) fetchIDs() error {
	wanted := s.withoutIDs()
	if s.few(len(wanted)) {
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
