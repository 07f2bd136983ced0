package chunks

import (
	"context"
	"fmt"
	"strings"

	"blackboard/board/sqlite"
)

const (
	DefaultLimit = 100
	MaxLimit     = 500
)

type ListQuery struct {
	Agent  string   // the author; "": any
	Tags   []string // at least one of them; none: any
	Limit  *int     // 1 to MaxLimit; nil: DefaultLimit
	Offset int      // number of chunks to skip
}

type List struct {
	Chunks []Meta `json:"chunks"`
	Total  int    `json:"total"` // all that match, listed or not
	Empty  bool   `json:"empty"`
}

// List lists chunks without their contents, by the time of their last change, newest first.
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
	err := s.reading(ctx, func(_ *file, tx *sqlite.Tx) (err error) {
		where, args := `(expires IS NULL OR expires > ?)`, []any{tx.Now.UnixMilli()}
		all, err := sqlite.One[int](tx, `SELECT count(*) FROM chunks WHERE `+where, args...)
		if out.Empty = all == 0; err != nil {
			return err
		}
		if agent := strings.TrimSpace(text(q.Agent)); agent != "" {
			where, args = where+` AND agent = ?`, append(args, agent)
		}
		if tags := foldTags(q.Tags); len(tags) > 0 {
			where += ` AND folded <> '' AND (FALSE` + strings.Repeat(` OR instr(folded, ?)`, len(tags)) + `)`
			for _, t := range tags {
				args = append(args, markTags(t))
			}
		}
		if out.Total, err = sqlite.One[int](tx, `SELECT count(*) FROM chunks WHERE `+where, args...); err != nil {
			return err
		}
		// With a bare ? after LIMIT, SQLite would compile the statement again for each value.
		out.Chunks, err = metasOf(tx, `chunks c WHERE `+where+` ORDER BY c.updated DESC, c.n DESC LIMIT ? + 0 OFFSET ? + 0`,
			append(args, limit, q.Offset)...)
		return err
	})
	return out, err
}
