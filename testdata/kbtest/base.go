package kbtest

import (
	"context"
	"testing"

	"blackboard/kb"
)

// New opens an empty knowledge base until the test ends.
func New(tb testing.TB) *kb.KB {
	tb.Helper()
	k, err := kb.Open(context.Background(), tb.TempDir(), kb.Options{Actor: "tester"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { k.Close() })
	return k
}

// Put stores a capsule.
func Put(tb testing.TB, k *kb.KB, c kb.Capsule) kb.Capsule {
	tb.Helper()
	r, err := k.Remember(context.Background(), c, kb.RememberOptions{})
	if err != nil {
		tb.Fatalf("remember %q: %v", c.Title, err)
	}
	return r.Capsule
}
