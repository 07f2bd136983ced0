package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"blackboard/board/postgres"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/histories"
	"blackboard/testdata/pgtest"
)

// TestHistoriesDatabase is TestHistories where the boards are in a database, which is killed, cut
// off, replaced by its standby, or reached through a pooler; the last two only where tests need
// not be quick. It is short; $BOARD_HISTORIES_DATABASE is how many outages of each kind there are
// otherwise.
func TestHistoriesDatabase(t *testing.T) {
	cost.SkipShort(t)
	breaks, err := strconv.Atoi(os.Getenv("BOARD_HISTORIES_DATABASE"))
	if v := os.Getenv("BOARD_HISTORIES_DATABASE"); v != "" && err != nil {
		t.Fatalf("BOARD_HISTORIES_DATABASE=%s is no number", v)
	}
	if breaks == 0 {
		breaks = 1
		if cost.Long() {
			breaks = 2
		}
	}
	boards := histories.Config{Servers: 2, Overlap: 4, Commands: 2, Stores: []string{"board"}, Breaks: breaks}
	t.Run("killed", func(t *testing.T) {
		s := startServer(t)
		c := boards
		c.Faults, c.Kills = []string{"kill", "reopen", "around"}, time.Second
		c.Database, c.Outages = prepare(t, s.URL("")), []histories.Outage{killServer(s)}
		c.Watchers = 1
		judgeHistory(t, c, 1, time.Hour)
	})
	t.Run("cut", func(t *testing.T) {
		s := startServer(t)
		p := expect.Value(pgtest.NewProxy(s))(t)
		defer p.Close()
		c := boards
		c.Database = p.Through(prepare(t, s.URL("")))
		c.Outages = []histories.Outage{{Name: "database cut", Do: func(int) error {
			p.Cut()
			p.Heal()
			return nil
		}}}
		judgeHistory(t, c, 2, time.Hour)
	})
	if cost.Quick() {
		return
	}
	t.Run("networks", func(t *testing.T) {
		const n = 3
		nets, err := pgtest.NewNet(n)
		if err != nil {
			t.Skip("networks of their own cannot be made here:", err)
		}
		defer nets.Remove()
		s := startServer(t, "listen_addresses = '"+nets.Hosts()+"'")
		prepare(t, s.URL(""))
		c := boards
		c.Database = s.At(s.URL(""), nets.Hosts()) // one of them leads there, in each network
		c.Within = func(i int) []string { return nets.Within(i % n) }
		kill := killServer(s)
		c.Outages = []histories.Outage{{Name: "database cut", Do: func(i int) error {
			if err := nets.Cut(i % n); err != nil {
				return err
			}
			return nets.Heal(i % n)
		}}, kill}
		judgeHistory(t, c, 3, time.Hour)
	})
	t.Run("pooler", func(t *testing.T) {
		ended := errors.New("")
		for seed := uint64(4); ended != nil; seed += 100 {
			if seed > 400 {
				t.Fatal(ended)
			}
			s := startServer(t)
			p, err := pgtest.NewPooler(s)
			if errors.Is(err, pgtest.ErrNone) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer p.Stop()
			c := boards
			c.Database, c.Outages, c.Watchers = p.Through(prepare(t, s.URL(""))), []histories.Outage{killServer(s)}, 1
			c.Void = p.Ended
			judgeHistory(t, c, seed, time.Hour)
			ended = p.Ended()
		}
	})
	t.Run("promoted", func(t *testing.T) {
		for i := range min(breaks, 5) {
			s := startServer(t)
			u := prepare(t, s.URL(""))
			standby := expect.Value(s.Standby())(t)
			defer standby.Stop()
			c := boards
			c.Breaks, c.Database = 1, pgtest.Either(u, s, standby)
			c.Outages = []histories.Outage{{Name: "database promoted", Do: func(int) error {
				return errors.Join(s.Crash(), standby.Promote())
			}}}
			judgeHistory(t, c, uint64(5+i), time.Hour)
		}
	})
}

func killServer(s *pgtest.Server) histories.Outage {
	return histories.Outage{Name: "database killed", Do: func(int) error { return errors.Join(s.Crash(), s.Again()) }}
}

// startServer starts a server of the test's own, that waits for the disk.
func startServer(t *testing.T, settings ...string) *pgtest.Server {
	t.Helper()
	s, err := pgtest.Start(settings...)
	if errors.Is(err, pgtest.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	if !s.Own() {
		t.Skip("it needs a server of the tests' own")
	}
	return s
}

// prepare has a database ready for boards, and returns its URL.
func prepare(t *testing.T, url string) string {
	t.Helper()
	p, err := postgres.Open(url)
	if err == nil {
		_, err = p.Init(context.Background())
		p.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return url
}
