package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/testdata/expect"
)

// TestGateOfAStream: what keeps the gate of a stream closed is what who follows it says.
func TestGateOfAStream(t *testing.T) {
	dir := t.TempDir()
	s := newServer(Config{Place: placeOf(t, dir), Build: "test"})
	boards := filepath.Join(dir, "boards")
	b := expect.Value(board.Create(t.Context(), boards, "r", "", "w", nil))(t)
	defer b.Close()
	expect.Value(b.Post(t.Context(), "w", board.Post{Content: "there is something"}))(t)
	expect.Value(b.Signal(t.Context(), "w", board.Raise{Content: "Who knows?", Priority: "high"}))(t)
	for query, open := range map[string]bool{"": false, "block=high&block=low": false, "block=critical": true, "block=none": true} {
		q := expect.Value(url.ParseQuery(query))(t)
		_, seq, by, err := streamOf(q)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		out, done := make(chan string), make(chan error, 1)
		go func() { done <- s.followOne(ctx, boards, "r", &seq, by, out) }()
		select {
		case said := <-out:
			var e Event
			_, data, _ := strings.Cut(said, "data: ")
			if err := json.Unmarshal([]byte(data), &e); err != nil || !strings.HasPrefix(said, "event: gate\n") ||
				e.Gate == nil || e.Gate.Open != open {
				t.Errorf("%q: %v, %s", query, err, said)
			}
			cancel()
			<-done
		case err := <-done:
			t.Errorf("%q: %v", query, err)
		}
		cancel()
	}
	if _, _, _, err := streamOf(url.Values{"block": {"urgent"}}); !errors.Is(err, ErrBadRequest) {
		t.Errorf("block=urgent: %v", err)
	}
}
