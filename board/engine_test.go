package board

import (
	"context"
	"crypto/md5"
	"fmt"
	"os"
	"sync"
	"testing"

	"blackboard/board/postgres"
	"blackboard/board/store"
	"blackboard/testdata/pgtest"
)

// onFiles reports whether the boards of the tests are files. With BOARD_TEST_ENGINE=postgres they
// are in a PostgreSQL of their own, each directory a schema.
var onFiles = os.Getenv("BOARD_TEST_ENGINE") != "postgres"

// needsFile skips a test that is about files.
func needsFile(t testing.TB) {
	t.Helper()
	if !onFiles {
		t.Skip("it is about files")
	}
}

// useEngine has the tests use the engine that is asked for, and returns what ends that.
func useEngine() (stop func()) {
	if onFiles {
		return func() {}
	}
	server, err := pgtest.Start("fsync = off")
	if err != nil {
		fmt.Fprintln(os.Stderr, "BOARD_TEST_ENGINE=postgres:", err)
		os.Exit(1)
	}
	os.Setenv("BOARD_TEST_DATABASE_URL", server.URL("")) // for processes of their own
	var mu sync.Mutex
	places := map[string]*postgres.Place{}
	placeOf = func(dir string) store.Place {
		mu.Lock()
		defer mu.Unlock()
		if places[dir] == nil {
			p, err := postgres.Open(server.URL(fmt.Sprintf("t%x", md5.Sum([]byte(dir)))))
			if err == nil {
				_, err = p.Init(context.Background())
			}
			if err != nil {
				panic(err)
			}
			places[dir] = p
		}
		return places[dir]
	}
	return func() {
		for _, p := range places {
			p.Close()
		}
		server.Stop()
	}
}
