// Package wait lets tests wait for what other goroutines and processes do. A test waits as
// long as it may run at all (go test -timeout), so that a busy machine makes it slow and not
// wrong.
package wait

import (
	"testing"
	"time"
)

// Limit is how long a test may wait for something: nearly until its own deadline, so that
// it can still say what it waited for.
func Limit(t testing.TB) time.Duration {
	if own, ok := t.(interface{ Deadline() (time.Time, bool) }); ok { // a benchmark has none
		if end, ok := own.Deadline(); ok {
			return time.Until(end) * 9 / 10
		}
	}
	return time.Hour
}

// For waits until something is so. Where that never comes, the test fails with what said returns.
func For(t testing.TB, so func() bool, said func() string) {
	t.Helper()
	for end := time.Now().Add(Limit(t)); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", said())
		}
	}
}
