package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/words"
)

// This file scores hits, and separates what was asked for from what was shown beside it.
// Items that several sessions asked for become long-term.

type askedBy struct {
	n       int64
	session string
}

const mostSessions = 16

// ask records that a session asked for items; like touch, which follows, it is written later.
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

// session returns the asking session: the conversation, the caller's session, or the agent's day.
func (s *Store) session(conversation string, now time.Time) string {
	return cmp.Or(conversation, s.opt.Session, s.opt.Agent+"@"+now.Format(time.DateOnly))
}

// answers returns the hits that answer a question: the first of their tier by words or
// meaning, with enough of its words. That they are weak only says that nobody
// should be given them unasked. The other hits are only shown.
func answers(question string, hits []Hit) (items []*Item) {
	share := words.ShareOf(question)
	for i := range hits {
		h := &hits[i]
		if (h.TextRank == 1 || h.VectorRank == 1 || i == 0 && len(h.Replaces) > 0) &&
			share(embeddingText(&h.Item)) >= words.AnswerShare {
			items = append(items, &h.Item)
		}
	}
	return items
}

// touchWithin is how long a long-running process delays writing accesses, and touchMany how many.
const (
	touchWithin = 5 * time.Second
	touchMany   = 256
)

// touch records accesses. They are written later, in batches; never to a read-only file.
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

// Flush writes pending accesses. It gives up if others write: they only influence order.
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
			if _, err := tx.Exec(`UPDATE items
				SET accesses = accesses + ?, accessed = max(accessed, ?) WHERE n = ?
				AND forgotten IS NULL`, t.times, t.at.UnixMilli(), n); err != nil {
				return err
			}
		}
		for a := range asked {
			if _, err := tx.Exec(`INSERT OR IGNORE INTO asked SELECT n, ?2 FROM items WHERE n = ?1
				AND `+isLive+` AND (SELECT count(*) FROM asked WHERE item = ?1) < ?3`, a.n, a.session, mostSessions); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil || !errors.Is(err, fault.Busy) {
		return
	}
	f.mu.Lock() // try again next time
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

// Rates are the shares of relevance that stay each hour without an access.
type Rates struct {
	Channel, Workspace, Account float64
}

// DefaultRates leave 18, 43 and 71 % after seven days.
var DefaultRates = Rates{Channel: 0.990, Workspace: 0.995, Account: 0.998}

// ParseRates parses rates such as "channel=0.99,workspace=0.995"; the others are the defaults.
func ParseRates(s string) (Rates, error) {
	r := DefaultRates
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		tier, value, _ := strings.Cut(part, "=")
		f, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(f > 0 && f <= 1) {
			return r, invalid(fmt.Sprintf("%q is not a rate of decay", clip(part, 40)),
				"write channel=0.99,workspace=0.995,account=0.998: the share kept after an hour, above 0 and at most 1")
		}
		rate := r.rate(strings.TrimSpace(tier))
		if rate == nil {
			return r, unknown("tier with a rate of decay", tier,
				[]string{Channel, Workspace, Account})
		}
		*rate = f
	}
	return r, nil
}

// rate is that of a tier; nil if its items do not fade.
func (r *Rates) rate(tier string) *float64 {
	switch tier {
	case Channel:
		return &r.Channel
	case Workspace:
		return &r.Workspace
	case Account:
		return &r.Account
	}
	return nil
}

func (r Rates) of(tier string) float64 {
	if rate := r.rate(tier); rate != nil {
		return *rate
	}
	return 1
}

// Relevance is importance × rate^hours × (1 + ln(1 + accesses)), since the last access.
func (r Rates) Relevance(it *Item, now time.Time) float64 {
	hours := max(0, now.Sub(it.Accessed).Hours())
	return it.Importance * math.Pow(r.of(it.Tier), hours) * (1 + math.Log1p(float64(max(0, it.Accesses))))
}

// Thresholds for counting a hit as asked for: among the best by words, or near in meaning. Other
// hits are only shown; counting them would make them appear again and again.
const (
	askedRank   = 10
	askedCosine = 0.45
)

// asked returns the hits that answer the text, and those that are not weak.
func asked(question string, hits []Hit) (items []*Item) {
	items = answers(question, hits)
	for i := range hits {
		h := &hits[i]
		if h.Weak || slices.Contains(items, &h.Item) {
			continue
		}
		if h.TextRank > 0 && h.TextRank <= askedRank ||
			h.Cosine != nil && *h.Cosine >= askedCosine {
			items = append(items, &h.Item)
		}
	}
	return items
}

// tieShare, of the best score, is the most relevance adds: it only breaks ties.
const tieShare = 0.01

// score adds relevance to scores, scales them to the best, and sorts each tier.
func score(slicesOf []Slice) {
	best, top := 0.0, 0.0
	for _, sl := range slicesOf {
		for i := range sl.Hits {
			best = max(best, sl.Hits[i].Score)
		}
	}
	for _, sl := range slicesOf {
		if sl.Tier == Conversation { // items of a conversation do not fade: newer ones count more
			slices.SortFunc(sl.Hits, func(a, b Hit) int { return b.Created.Compare(a.Created) })
		}
		for i := range sl.Hits {
			h := &sl.Hits[i]
			share := h.Relevance / (1 + h.Relevance)
			if sl.Tier == Conversation {
				share = 1 - float64(i)/float64(len(sl.Hits))
			}
			if h.TextRank == 1 && (h.VectorRank == 1 || h.Cosine == nil) {
				share = 1 // nothing may come before an exact match
			}
			h.Score = max(0, h.Score) + tieShare*best*share
			top = max(top, h.Score)
		}
	}
	for _, sl := range slicesOf {
		for i := range sl.Hits {
			if top > 0 { // otherwise no hit matches the question
				sl.Hits[i].Score /= top
			}
		}
		slices.SortStableFunc(sl.Hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
		weigh(sl.Hits)
	}
}

// Of hits that answer nearly as well, within nearlyEqual, one that is a level more important goes first.
const (
	nearlyEqual = 0.9
	levelApart  = 0.2
)

// weigh puts important hits before those that answer nearly as well. Scores stay with the places.
func weigh(hits []Hit) {
	scores := make([]float64, len(hits))
	for i := range hits {
		scores[i] = hits[i].Score
	}
	for i := range hits {
		for j := i; j > 0; j-- {
			h, first := &hits[j], &hits[j-1]
			if h.Importance < first.Importance+levelApart || h.Score < nearlyEqual*first.Score ||
				h.Evidence < nearlyEqual*first.Evidence {
				break
			}
			*h, *first = *first, *h
		}
	}
	for i := range hits {
		hits[i].Score = scores[i]
	}
}
