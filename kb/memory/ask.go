package memory

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/words"
)

// This file tells what was asked for from what was shown beside it: several sessions
// that asked for an item make it long-term.

// askedBy is an item that a session asked for.
type askedBy struct {
	n       int64
	session string
}

// mostSessions is how many sessions that asked for an item are kept.
const mostSessions = 16

// ask notes that a session asked what items answer. Like touch it is written later; it
// is followed by a touch of them.
func (f *file) ask(session string, items ...*Item) {
	if f.ReadOnly() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, it := range items {
		f.asked[askedBy{it.n, session}] = true
	}
}

// session names the session that asks: its conversation, else what the caller says, else
// the agent's day.
func (s *Store) session(conversation string, now time.Time) string {
	return cmp.Or(conversation, s.opt.Session, s.opt.Agent+"@"+now.Format(time.DateOnly))
}

// answerShare is what an item has at least of the weight of a question's words if it
// answers it; the rarer a word is in language, the more it weighs.
const answerShare = 0.5

// answers returns those of the hits of a question that answer it: first in their tier by
// words or by meaning, and with half of what the question says. The others are shown
// beside them.
func answers(question string, hits []Hit) (items []*Item) {
	var read words.Analyzer
	weight, total := map[string]float64{}, 0.0
	read.Terms(question, func(term string, _ bool) {
		if _, seen := weight[term]; !seen {
			weight[term] = -math.Log(words.Prior(term))
			total += weight[term]
		}
	})
	for i := range hits {
		h := &hits[i]
		if h.TextRank != 1 && h.VectorRank != 1 {
			continue
		}
		has, seen := 0.0, map[string]bool{}
		read.Terms(embeddingText(&h.Item), func(term string, _ bool) {
			if !seen[term] {
				seen[term] = true
				has += weight[term]
			}
		})
		if has >= answerShare*total {
			items = append(items, &h.Item)
		}
	}
	return items
}

// touchWithin is how long accesses wait to be written by a process that lives, and touchMany how many do.
const (
	touchWithin = 5 * time.Second
	touchMany   = 256
)

// touch notes that items were given to somebody. That is written later, many at a time; never to a file that cannot be written.
func (f *file) touch(ctx context.Context, items ...*Item) {
	if len(items) == 0 || f.ReadOnly() {
		return
	}
	now := f.Now()
	f.mu.Lock()
	if len(f.touched) == 0 {
		f.since = now
	}
	for _, it := range items {
		t := f.touched[it.n]
		f.touched[it.n] = touch{t.times + 1, now}
	}
	due := len(f.touched) >= touchMany || now.Sub(f.since) >= touchWithin
	f.mu.Unlock()
	if due {
		f.flush(ctx)
	}
}

// Flush writes accesses that are not written yet. Those that cannot be, because others are writing all the time, are given up: they only order things.
func (s *Store) Flush(ctx context.Context) {
	s.mu.Lock()
	files := []*file{s.files[false], s.files[true]}
	s.mu.Unlock()
	for _, f := range files {
		if f != nil {
			f.flush(ctx)
		}
	}
}

func (f *file) flush(ctx context.Context) {
	f.mu.Lock()
	touched, asked := f.touched, f.asked
	f.touched, f.asked = map[int64]touch{}, map[askedBy]bool{}
	f.mu.Unlock()
	if len(touched)+len(asked) == 0 || f.ReadOnly() {
		return
	}
	const patience = 100 * time.Millisecond
	err := f.WriteWithin(ctx, patience, func(tx *sqlite.Tx) error {
		for n, t := range touched {
			if _, err := tx.Exec(`UPDATE items SET accesses = accesses + ?, accessed = max(accessed, ?) WHERE n = ? AND forgotten IS NULL`, t.times, t.at.UnixMilli(), n); err != nil {
				return err
			}
		}
		for a := range asked {
			if _, err := tx.Exec(`INSERT OR IGNORE INTO asked SELECT n, ?2 FROM items WHERE n = ?1 AND `+isLive+` AND (SELECT count(*) FROM asked WHERE item = ?1) < ?3`, a.n, a.session, mostSessions); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil || !errors.Is(err, fault.Busy) {
		return
	}
	f.mu.Lock() // next time
	defer f.mu.Unlock()
	maps.Copy(f.asked, asked)
	for n, t := range touched {
		have := f.touched[n]
		have.times += t.times
		if have.at.Before(t.at) {
			have.at = t.at
		}
		f.touched[n] = have
	}
}
