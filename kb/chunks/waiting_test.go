package chunks

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"blackboard/board/sqlite"
	"blackboard/testdata/expect"
)

// TestFirstUseHoldsNobody: while one call waits for another process's first use, which
// may be a long import, a call with a cancelled context returns.
func TestFirstUseHoldsNobody(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	db := expect.Value(sqlite.Open(t.Context(), s.Path(), schema, sqlite.Create))(t)
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 2)
	go func() {
		done <- db.Write(context.Background(), func(*sqlite.Tx) error { close(held); <-release; return nil })
	}()
	<-held
	go func() {
		_, err := s.Write(context.Background(), NewChunk{Topic: "first", Content: "It begins the store."})
		done <- err
	}()
	for len(s.turn) == 0 {
		runtime.Gosched()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Read(ctx, "0123456789"); !errors.Is(err, context.Canceled) {
		t.Errorf("a call behind another's first use, called off: %v", err)
	}
	close(release)
	if err := errors.Join(<-done, <-done, db.Close()); err != nil {
		t.Error(err)
	}
	if l, err := s.List(t.Context(), ListQuery{}); err != nil || l.Total != 1 {
		t.Errorf("there are %d chunks, not 1: %v", l.Total, err)
	}
}
