package postgres_test

import (
	"errors"
	"testing"

	"blackboard/board"
	"blackboard/board/postgres"
	"blackboard/testdata/expect"
	"blackboard/testdata/pgtest"
)

// TestPooler: behind PgBouncer in transaction mode, which swallows what LISTEN would hear, who
// watches and who waits for a gate hear of what others write: they ask.
func TestPooler(t *testing.T) {
	if !postgres.Server().Own() {
		t.Skip("it needs a server of the tests' own")
	}
	pooler, err := pgtest.NewPooler(postgres.Server())
	if errors.Is(err, pgtest.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer pooler.Stop()
	u := schemaOf(t, "pooler")
	direct := expect.Value(board.UseDatabase(u))(t)
	behind := expect.Value(board.UseDatabase(pooler.Through(u)))(t)
	defer postgres.At(behind).Close()
	writer := expect.Value(board.Create(t.Context(), direct, "r", "", "w", nil))(t)
	asked := expect.Value(writer.Signal(t.Context(), "w", board.Raise{Content: "Who rotates the keys?", Priority: "high"}))(t)
	r := expect.Value(board.Open(t.Context(), behind, "r"))(t)
	waited := make(chan error, 1)
	go func() {
		v, err := r.WaitGate(t.Context(), board.Policy{})
		if err == nil && !v.Open {
			err = errors.New("the gate is closed")
		}
		waited <- err
	}()
	var answer board.Posted
	for e, err := range r.Watch(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq == 2 { // the question: it watches, and must hear of what comes now
			if postgres.At(behind).Hears() {
				t.Error("the pooler passes notifications on: this test says nothing")
			}
			answer = expect.Value(writer.Post(t.Context(), "w", board.Post{Content: "Nobody does", SourceDoc: "auth.go"}))(t)
		}
		if e.Seq > 2 {
			break
		}
	}
	expect.Value(writer.Address(t.Context(), "w", asked.Signal.ID, answer.Entry.ID))(t)
	if err := <-waited; err != nil {
		t.Fatal(err)
	}
}
