package mcp

import (
	"context"
	"errors"
	"os"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board"
	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
)

// TestHTTPSubscribe: a client is told over HTTP what has changed, in each era.
func TestHTTPSubscribe(t *testing.T) {
	cost.SkipQuick(t)
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			s, url := network(t, nil)
			b := boardOf(t, s)
			changed := make(chan string, 1000)
			c := clientOver(t, url, era,
				&sdk.ClientOptions{ResourceUpdatedHandler: func(_ context.Context,
					r *sdk.ResourceUpdatedNotificationRequest) {
					changed <- r.Params.URI
				}})
			if err := c.Subscribe(t.Context(),
				&sdk.SubscribeParams{URI: "board://run/r1/state"}); err != nil {
				t.Fatal(err)
			}
			// a client of the new era is subscribed a moment after it has said so
			for told := false; !told; {
				if _, err := b.Post(t.Context(), "w", board.Post{Content: "more"}); err != nil {
					t.Fatal(err)
				}
				select {
				case uri := <-changed:
					if told = true; uri != "board://run/r1/state" {
						t.Error(uri)
					}
				case <-t.Context().Done():
					t.Fatal("nothing is told")
				default:
				}
			}
			c.Close()
			s.watches.wg.Wait() // a client that is gone has nothing followed
		})
	}
}

// TestSubscribersOfARunMadeAgain: who watches a run is told of the one that takes its
// place.
func TestSubscribersOfARunMadeAgain(t *testing.T) {
	s := everything(t, nil)
	b := boardOf(t, s)
	changed := make(chan string, 1000)
	near, far := sdk.NewInMemoryTransports()
	go s.Serve(context.Background(), far)
	c, err := sdk.NewClient(&sdk.Implementation{Name: "scout"},
		&sdk.ClientOptions{ResourceUpdatedHandler: func(_ context.Context,
			r *sdk.ResourceUpdatedNotificationRequest) {
			changed <- r.Params.URI
		}}).Connect(t.Context(), near, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Subscribe(t.Context(),
		&sdk.SubscribeParams{URI: "board://run/r1/state"}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(sqlite.RunPath(s.boards(), "r1") + end); err != nil &&
			!errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	again := boardOf(t, s)
	<-changed // that it is another
	if _, err := again.Post(t.Context(), "w", board.Post{Content: "more"}); err != nil {
		t.Fatal(err)
	}
	<-changed
}
