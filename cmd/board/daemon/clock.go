package daemon

import (
	"sync"
	"time"
)

const (
	// jump is how far the wall clock may run from the time that passes before it counts as set.
	jump = 10 * time.Minute
	// settled is for how long it must have run evenly after that. A machine that wakes
	// from sleep looks the same, and loses as much.
	settled = time.Hour
)

type clock struct {
	wall    func() time.Time
	started time.Time // by both clocks

	mu     sync.Mutex
	apart  time.Duration // of the clocks, when it was last set
	setAt  time.Duration // after the start; long before it if it never was
	origin time.Time     // of the clock on the wall
}

func newClock(wall func() time.Time) *clock {
	if wall == nil {
		wall = time.Now
	}
	return &clock{wall: wall, started: time.Now(), origin: wall().Round(0), setAt: -settled}
}

// isSteady reports that the clock was not set lately; it notices that only when asked.
func (c *clock) isSteady() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	passed := time.Since(c.started)
	apart := c.wall().Round(0).Sub(c.origin) - passed // Round(0): by the clock on the wall alone
	if d := apart - c.apart; d > jump || d < -jump {
		c.apart, c.setAt = apart, passed
	}
	return passed-c.setAt >= settled
}
