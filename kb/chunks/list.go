package chunks

import (
	"context"
	"fmt"
	"strings"

	"blackboard/board/sqlite"
	"blackboard/kb/index"
)

const (
	// DefaultLimit is how many chunks a list has unless it is told otherwise.
	DefaultLimit = 100
	// MaxLimit is the most.
	MaxLimit = 500
)

// ListQuery says what to list.
type ListQuery struct {
	Agent  string   // who has written it; "": anybody
	Tags   []string // one of them is enough; none: whatever it has
	Limit  *int     // 1 to MaxLimit; nil: DefaultLimit
	Offset int      // how many to skip
}

// List is a part of what there is, the newest first.
type List struct {
	Chunks []Meta `json:"chunks"`
	Total  int    `json:"total"` // how many match, listed here or not
	// Empty says that nothing is listed because there is nothing at all.
	Empty bool `json:"empty"`
}

// List lists chunks without their contents, by the time of their last change, the newest first.
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
	f, err := s.file(ctx, false)
	if err != nil {
		return out, err
	}
	if f == nil {
		out.Empty = true
		return out, nil
	}
	err = f.read(ctx, func(tx *sqlite.Tx) (err error) {
		where, args := []string{`(expires IS NULL OR expires > ?)`}, []any{tx.Now.UnixMilli()}
		if agent := strings.TrimSpace(text(q.Agent)); agent != "" {
			where, args = append(where, `agent = ?`), append(args, agent)
		}
		if tags := tagList(q.Tags); len(tags) > 0 {
			for i := range tags {
				tags[i] = folded(tags[i])
			}
			where, args = append(where, `n IN (SELECT n FROM tags WHERE tag IN (SELECT value FROM json_each(?)))`), append(args, jsonList(tags))
		}
		conditions := strings.Join(where, ` AND `)
		if len(where) == 1 {
			out.Total, err = f.living(tx)
		} else {
			err = tx.QueryRow(`SELECT count(*) FROM chunks WHERE `+conditions, args...).Scan(&out.Total)
		}
		if err != nil {
			return err
		}
		if out.Total == 0 {
			all, err := f.living(tx)
			out.Empty = all == 0
			return err
		}
		out.Chunks, err = metasWhere(tx, conditions+` ORDER BY updated DESC, n DESC LIMIT ? OFFSET ?`, append(args, limit, q.Offset)...)
		return err
	})
	return out, err
}

// living counts the chunks that have not expired. The index knows how many there are; SQLite would count them one by one.
func (f *file) living(tx *sqlite.Tx) (int, error) {
	all, err := f.index.Search(tx, index.Query{})
	if err != nil {
		return 0, err
	}
	var gone int
	err = tx.QueryRow(`SELECT count(*) FROM chunks WHERE expires <= ?`, tx.Now.UnixMilli()).Scan(&gone)
	return int(all.Docs) - gone, err
}
