//go:build race

package cost

// Race is whether the race detector is on.
const Race = true
