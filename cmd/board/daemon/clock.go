package daemon

import (
	"sync"
	"time"
)

const (
	// jump is by how much the clock on the wall may run apart from the time that passes
	// before it counts as set.
	jump = 10 * time.Minute
	// settled is for how long it must have run evenly after that. A machine that wakes
	// from sleep looks the same, and loses as much.
	settled = time.Hour
)

// clock tells whether the clock on the wall was set.
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

// isSteady reports whether the clock has not been set lately. It notices that when it is
// asked, so it is asked now and then.
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
