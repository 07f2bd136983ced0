package kb

import (
	"context"
	"time"

	"blackboard/board/sqlite"
)

const (
	// DecayShield is how long a capsule that nobody asks for stays as it is.
	DecayShield = 14 * 24 * time.Hour
	// DecayFull is after how long without being asked for a capsule has sunk as far as it does.
	DecayFull = 104 * 24 * time.Hour
	// decaySink is how many places a capsule sinks that has decayed fully.
	decaySink = 5
)

// Decayed is what Decay did.
type Decayed struct {
	Dormant int `json:"dormant"` // capsules that nobody asked for since the shield ended
	Changed int `json:"changed"` // capsules whose score is another now
}

// Decay lets capsules sink that nobody has asked for: not at all for 14 days after they were made, changed or last retrieved, then a little more each day, up to five places after 104.
// Being retrieved clears it. It counts whole days, so a second pass on the same day changes nothing.
func (k *KB) Decay(ctx context.Context, opt CurateOptions) (d Decayed, err error) {
	day := (24 * time.Hour).Milliseconds()
	const score = `round(min(1.0, max(0, (?1 - max(created, updated, coalesce(retrieved, 0)) - ?2) / ?3) * 1.0 / ?4), 4)`
	count := func(tx *sqlite.Tx) error {
		args := []any{tx.Now.UnixMilli(), DecayShield.Milliseconds(), day, (DecayFull - DecayShield).Milliseconds() / day}
		if err := tx.QueryRow(`SELECT coalesce(sum(s > 0), 0), coalesce(sum(s <> decay_score), 0) FROM (SELECT `+score+` AS s, decay_score FROM capsules WHERE superseded_by = '' AND retired IS NULL)`,
			args...).Scan(&d.Dormant, &d.Changed); err != nil || opt.DryRun || d.Changed == 0 {
			return err
		}
		_, err := tx.Exec(`UPDATE capsules SET decay_score = `+score+` WHERE superseded_by = '' AND retired IS NULL AND decay_score <> `+score, args...)
		return err
	}
	if opt.DryRun {
		return d, k.db.Read(ctx, count)
	}
	return d, k.db.Write(ctx, count)
}

// touch notes that capsules were retrieved: once a day at most for each, counting from when it was made or changed, and not at all if others are writing, since whoever
// asked is waiting.
func (k *KB) touch(ctx context.Context, caps ...*Capsule) {
	now := k.db.Now()
	var ns []int64
	for _, c := range caps {
		last := c.Updated
		if c.Retrieved != nil && c.Retrieved.After(last) {
			last = *c.Retrieved
		}
		if c.DecayScore > 0 || now.Sub(last) > 24*time.Hour {
			ns = append(ns, c.n)
		}
	}
	if len(ns) == 0 || k.db.ReadOnly() {
		return
	}
	const patience = 20 * time.Millisecond // for other writers
	k.db.WriteWithin(ctx, patience, func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`UPDATE capsules SET retrieved = ?, decay_score = 0 WHERE n IN (SELECT value FROM json_each(?))`, tx.Now.UnixMilli(), sqlite.List(ns))
		return err
	})
}
