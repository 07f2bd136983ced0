package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/postgres"
	"blackboard/kb"
	"blackboard/testdata/expect"
	"blackboard/testdata/pgtest"
)

// TestSilence: where the link drops what is sent and tells nobody, whoever asks is told that the
// server does not answer, and a watcher goes on once it does.
func TestSilence(t *testing.T) {
	if !postgres.Server().Own() {
		t.Skip("it needs a server of the tests' own")
	}
	proxy := expect.Value(pgtest.NewProxy(postgres.Server()))(t)
	defer proxy.Close()
	dir := expect.Value(board.UseDatabase(proxy.Through(schemaOf(t, "silence")) + "&connect_timeout=1"))(t)
	defer postgres.At(dir).Close()
	r := expect.Value(board.Create(t.Context(), dir, "r", "", "w", nil))(t)
	k := expect.Value(kb.Open(t.Context(), dir, kb.Options{}))(t)
	defer k.Close()
	told := make(chan error, 1000)
	watch := func() (stop func()) {
		ctx, cancel := context.WithCancel(board.OnContact(t.Context(), dir, func(away error) {
			select {
			case told <- away:
			default: // nobody reads any more
			}
		}))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for range r.Watch(ctx, 0) {
			}
		}()
		return func() { cancel(); <-ended }
	}
	until := func(away bool) {
		t.Helper()
		for err := range told {
			if (err != nil) == away {
				return
			}
		}
	}
	stop := watch()
	until(false)
	stop() // the limits are not changed under it
	proxy.Mute()
	defer postgres.Impatient()()
	for what, do := range map[string]func() error{
		"post": func() error {
			_, err := r.Post(t.Context(), "w", board.Post{Content: "Tokens never expire"})
			return err
		},
		"gate":   func() error { _, err := r.Gate(t.Context(), board.Policy{}); return err },
		"open":   func() error { _, err := board.Open(t.Context(), dir, "r"); return err },
		"search": func() error { _, err := k.Search(t.Context(), kb.Query{Text: "tokens"}); return err },
	} {
		if err := do(); !errors.Is(err, fault.Away) || !strings.Contains(err.Error(), "the database server does not answer") {
			t.Errorf("%s: %v", what, err)
		}
	}
	defer watch()()
	until(true)
	proxy.Heal()
	until(false)
}
