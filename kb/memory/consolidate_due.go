package memory

import (
	"context"
	"encoding/json"

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
			FROM items WHERE forgotten IS NULL GROUP BY tier, channel, conv ORDER BY tier, channel, conv`, tx.Now.UnixMilli(), shieldFrom, tx.Now.Add(-shieldFor).UnixMilli())
		return err
	})
	return all, err
}

// watermark says how far consolidation has come in a scope.
type watermark struct {
	there bool
	at    int64 // when the pass looked
	upto  int64 // the number of the newest item that it saw
	passed
}

// passed is what a pass leaves for the next one besides.
type passed struct {
	// Model is the one whose vectors were compared.
	Model string `json:"model"`
	// Without are the numbers of items that had no vector then. If there were too many to list them, Model is "", and the next pass with a model looks at all.
	Without []int64 `json:"without"`
}

// manyWithout is how many items without a vector are listed.
const manyWithout = 1000

// passedKey is where passed is kept, in meta.
func passedKey(sc Scope) string { return "consolidated " + sc.String() }

func readWatermark(tx *sqlite.Tx, sc Scope) (w watermark, err error) {
	err = tx.QueryRow(`SELECT at, upto FROM consolidated WHERE scope = ?`, sc.String()).Scan(&w.at, &w.upto)
	if sqlite.IsNoRows(err) {
		return watermark{}, nil
	}
	if err != nil {
		return w, err
	}
	w.there = true
	var raw string
	err = tx.QueryRow(`SELECT value FROM meta WHERE key = ?`, passedKey(sc)).Scan(&raw)
	if err != nil && !sqlite.IsNoRows(err) {
		return w, err
	}
	if json.Unmarshal([]byte(raw), &w.passed) != nil {
		w.passed = passed{} // then everything is compared again
	}
	return w, nil
}

func (w *watermark) write(tx *sqlite.Tx, sc Scope) error {
	if _, err := tx.Exec(`INSERT OR REPLACE INTO consolidated VALUES (?, ?, ?)`, sc.String(), w.at, w.upto); err != nil {
		return err
	}
	b, err := json.Marshal(w.passed)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT OR REPLACE INTO meta VALUES (?, ?)`, passedKey(sc), string(b))
	return err
}

// Due returns the scopes that call for a pass: with DueItems or more items that are new or changed since the last one, with more live items than Cap, with expired items, and archived
// conversations whose items were to live as long. It goes by what happened, not by the clock: a pass that was missed is one pass, however late.
func (s *Store) Due(ctx context.Context) ([]Scope, error) {
	due := []Scope{}
	for f, err := range s.reached(ctx) {
		if err != nil {
			return nil, err
		}
		held, err := f.held(ctx)
		if err != nil {
			return nil, err
		}
		if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
			ended, err := endedConversations(tx)
			if err != nil {
				return err
			}
			for _, h := range held {
				if !s.Reaches(h.Tier) {
					continue
				}
				// If all that a scope holds is too important to go, there is nothing that a pass could do about their number.
				is := h.expired > 0 || h.live > s.most() && h.loose > 0 || h.Tier == Conversation && ended[h.Conversation]
				if !is && h.live >= DueItems {
					if is, err = grown(tx, h.Scope); err != nil {
						return err
					}
				}
				if is {
					due = append(due, h.Scope)
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
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

// endedConversations are the archived ones that hold items which were to live as long as they.
func endedConversations(tx *sqlite.Tx) (map[string]bool, error) {
	refs, err := sqlite.Column[string](tx, `SELECT DISTINCT i.conversation FROM items i JOIN conversations c ON c.ref = i.conversation
		WHERE i.tier = 'conversation' AND i.channel = '' AND i.forgotten IS NULL AND i.lifetime = 'conversation' AND c.status = 'archived'`)
	ended := map[string]bool{}
	for _, ref := range refs {
		ended[ref] = true
	}
	return ended, err
}

// grown reports whether a scope has DueItems or more items that are new or were changed since the last pass.
func grown(tx *sqlite.Tx, sc Scope) (bool, error) {
	last, err := readWatermark(tx, sc)
	if err != nil {
		return false, err
	}
	where, args := sc.where()
	n, err := sqlite.One[int](tx, `SELECT count(*) FROM items WHERE `+where+` AND (n > ? OR updated > ?)`, append(args, last.upto, last.at)...)
	return n >= DueItems, err
}
