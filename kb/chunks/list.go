package chunks

import (
	"context"
	"fmt"
	"strings"
	"time"

	"blackboard/board/sqlite"
	"blackboard/kb/index"
)

const (
	// DefaultLimit is the default number of chunks in a list.
	DefaultLimit = 100
	// MaxLimit is the greatest number.
	MaxLimit = 500
)

// ListQuery selects the chunks of a list.
type ListQuery struct {
	Agent  string   // the author; "": any
	Tags   []string // at least one of them; none: any
	Limit  *int     // 1 to MaxLimit; nil: DefaultLimit
	Offset int      // number of chunks to skip
}

// List is one page of chunks, newest first.
type List struct {
	Chunks []Meta `json:"chunks"`
	Total  int    `json:"total"` // all that match, listed or not
	// Empty reports that the store has no chunks at all.
	Empty bool `json:"empty"`
}

// List lists chunks without their contents, by the time of their last change, newest
// first.
func (s *Store) List(ctx context.Context, q ListQuery) (List, error) {
	out := List{Chunks: []Meta{}}
	limit := DefaultLimit
	if q.Limit != nil {
		limit = *q.Limit
	}
	switch {
	case limit < 1 || limit > MaxLimit:
		return out, invalid(fmt.Sprintf("a limit of %d is not between 1 and %d", limit, MaxLimit), "offset skips what was listed before")
	case q.Offset < 0:
		return out, invalid(fmt.Sprintf("an offset of %d is less than 0", q.Offset), "it is how many chunks to skip")
	}
	out.Empty = true
	read := s.reading
	if q.Agent == "" && len(q.Tags) == 0 {
		read = s.readingRows
	}
	err := read(ctx, func(f *file, tx *sqlite.Tx) (err error) {
		w := q.where(tx.Now)
		if out.Total, err = f.count(tx, w); err != nil {
			return err
		}
		if out.Total == 0 {
			all, err := f.countLiving(tx)
			out.Empty = all == 0
			return err
		}
		out.Empty = false
		// With a bare ? after LIMIT, SQLite would compile the statement again for each
		// value.
		from, args := w.from+` WHERE `+w.conditions+` ORDER BY `+w.newest+` LIMIT ? + 0 OFFSET ? + 0`, append(w.args, limit, q.Offset)
		out.Chunks, err = metasOf(tx, from, args...)
		return err
	})
	return out, err
}

// listSQL describes in SQL what is listed.
type listSQL struct {
	from, conditions string
	args             []any
	newest           string // the order
	tag              string // the tag, if it is the only condition
	all              bool   // there is no condition
	now              int64
}

// where returns the SQL of a list's query.
func (q *ListQuery) where(now time.Time) listSQL {
	w := listSQL{from: `chunks c`, newest: `c.updated DESC, c.n DESC`, now: now.UnixMilli()}
	conditions := []string{`(c.expires IS NULL OR c.expires > ?)`}
	w.args = []any{w.now}
	agent, tags := strings.TrimSpace(text(q.Agent)), normaliseTags(q.Tags)
	for i := range tags {
		tags[i] = foldTag(tags[i])
	}
	if agent != "" {
		conditions, w.args = append(conditions, `c.agent = ?`), append(w.args, agent)
	}
	switch {
	// the chunks of one tag are stored in order; CROSS JOIN makes the planner use that
	// order
	case len(tags) == 1:
		w.from, w.newest = `tags t CROSS JOIN chunks c ON c.n = t.n`, `t.updated DESC, t.n DESC`
		conditions, w.args = append(conditions, `t.tag = ?`), append(w.args, tags[0])
		if agent == "" {
			w.tag = tags[0]
		}
	case len(tags) > 1:
		conditions, w.args = append(conditions, `c.n IN (SELECT n FROM tags WHERE tag IN (SELECT value FROM json_each(?)))`), append(w.args, sqlite.List(tags))
	}
	w.conditions, w.all = strings.Join(conditions, ` AND `), agent == "" && len(tags) == 0
	return w
}

// count counts the matching chunks, by the fastest way there is.
func (f *file) count(tx *sqlite.Tx, w listSQL) (n int, err error) {
	switch {
	case w.all:
		return f.countLiving(tx)
	case w.tag != "":
		err = tx.QueryRow(`SELECT (SELECT count(*) FROM tags WHERE tag = ?1) - (SELECT count(*) FROM chunks c WHERE c.expires <= ?2 AND EXISTS (SELECT 1 FROM tags t WHERE t.tag = ?1 AND t.updated = c.updated AND t.n = c.n))`,
			w.tag, w.now).Scan(&n)
	default:
		err = tx.QueryRow(`SELECT count(*) FROM `+w.from+` WHERE `+w.conditions, w.args...).Scan(&n)
	}
	return n, err
}

// countLiving counts the chunks that have not expired. The index knows their number; SQLite
// would have to count rows.
func (f *file) countLiving(tx *sqlite.Tx) (int, error) {
	all, err := f.Index.Search(tx, index.Query{})
	if err != nil {
		return 0, err
	}
	var gone int
	err = tx.QueryRow(`SELECT count(*) FROM chunks WHERE expires <= ?`, tx.Now.UnixMilli()).Scan(&gone)
	return int(all.Docs) - gone, err
}
