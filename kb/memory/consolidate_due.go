package memory

import (
	"context"
	"time"

	"blackboard/board/sqlite"
)

// holding is what a look at the index of live items tells of a scope.
type holding struct {
	Scope
	live    int
	expired int
	loose   int // how many could be given up if there were too many
}

// held lists the scopes that hold live items.
func (f *file) held(ctx context.Context) (all []holding, err error) {
	err = f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		all, err = sqlite.All(tx, func(h *holding) []any {
			return []any{&h.Tier, &h.Channel, &h.Conversation, &h.live, &h.expired, &h.loose}
		}, `SELECT tier, channel, CASE tier WHEN 'conversation' THEN conversation ELSE '' END AS conv, count(*), coalesce(sum(expires <= ?1), 0), sum(importance < ?2 OR accessed < ?3)
			FROM items WHERE `+isLive+` GROUP BY tier, channel, conv ORDER BY tier, channel, conv`, tx.Now.UnixMilli(), shieldFrom, tx.Now.Add(-shieldFor).UnixMilli())
		return err
	})
	return all, err
}

// watermark says how far consolidation has come in a scope.
type watermark struct {
	there bool
	at    int64 // when the pass looked
	upto  int64 // the number of the newest item that it saw
}

func readWatermark(tx *sqlite.Tx, sc Scope) (w watermark, err error) {
	err = tx.QueryRow(`SELECT at, upto FROM consolidated WHERE scope = ?`, sc.String()).Scan(&w.at, &w.upto)
	if sqlite.IsNoRows(err) {
		return watermark{}, nil
	}
	w.there = err == nil
	return w, err
}

func (w *watermark) write(tx *sqlite.Tx, sc Scope) error {
	_, err := tx.Exec(`INSERT OR REPLACE INTO consolidated VALUES (?, ?, ?)`, sc.String(), w.at, w.upto)
	return err
}

// Due returns the scopes that call for a pass: with DueItems or more items that are new or changed since the last one, with more live items than Cap, with expired items, and archived
// conversations whose items were to live as long. It goes by what happened, not by the clock: a pass that was missed is one pass, however late.
func (s *Store) Due(ctx context.Context) ([]Scope, error) {
	return s.dueBy(ctx, func(tx *sqlite.Tx, h *holding) (bool, error) {
		// If all that a scope holds is too important to go, there is nothing that a pass could do about their number.
		if h.expired > 0 || h.live > s.most() && h.loose > 0 {
			return true, nil
		}
		if ended, err := hasEnded(tx, h.Scope); err != nil || ended {
			return ended, err
		}
		return grown(tx, h, DueItems)
	})
}

// DueAfterSession returns the scopes that call for a pass at the end of a session: with DueSession or more items that are new or changed since the last one, which is a day ago at least.
func (s *Store) DueAfterSession(ctx context.Context) ([]Scope, error) {
	return s.dueBy(ctx, func(tx *sqlite.Tx, h *holding) (bool, error) {
		last, err := readWatermark(tx, h.Scope)
		if err != nil || last.there && tx.Now.Sub(time.UnixMilli(last.at)) < 24*time.Hour {
			return false, err
		}
		return grown(tx, h, DueSession)
	})
}

// dueBy returns the scopes that the caller reaches and that something is true of.
func (s *Store) dueBy(ctx context.Context, is func(*sqlite.Tx, *holding) (bool, error)) ([]Scope, error) {
	due := []Scope{}
	for f, err := range s.reached(ctx) {
		if err != nil {
			return nil, err
		}
		held, err := f.held(ctx)
		if err != nil {
			return nil, err
		}
		var found []Scope
		if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
			found = nil
			for i := range held {
				if !s.Reaches(held[i].Tier) {
					continue
				}
				yes, err := is(tx, &held[i])
				if err != nil {
					return err
				}
				if yes {
					found = append(found, held[i].Scope)
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
		due = append(due, found...)
	}
	return due, nil
}

// most is how many live items a scope holds at most.
func (s *Store) most() int {
	if s.cap > 0 {
		return s.cap
	}
	return Cap
}

// hasEnded reports whether a scope is an archived conversation that holds items which were to live as long as it.
func hasEnded(tx *sqlite.Tx, sc Scope) (bool, error) {
	if sc.Tier != Conversation {
		return false, nil
	}
	archived, err := conversationArchived(tx, sc.Conversation)
	if err != nil || !archived {
		return false, err
	}
	where, args := sc.where()
	return sqlite.One[bool](tx, `SELECT count(*) FROM items WHERE `+where+` AND lifetime = 'conversation'`, args...)
}

// grown reports whether a scope has so many items that are new or were changed since the last pass.
func grown(tx *sqlite.Tx, h *holding, many int) (bool, error) {
	if h.live < many {
		return false, nil
	}
	last, err := readWatermark(tx, h.Scope)
	if err != nil {
		return false, err
	}
	where, args := h.where()
	n, err := sqlite.One[int](tx, `SELECT count(*) FROM items WHERE `+where+` AND (n > ? OR updated > ?)`, append(args, last.upto, last.at)...)
	return n >= many, err
}
