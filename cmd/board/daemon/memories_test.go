package daemon

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"blackboard/embed"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/testdata/cost"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
)

// TestMemoryIsLookedAfter runs the upkeep of two workspaces and the account.
func TestMemoryIsLookedAfter(t *testing.T) {
	dir := home(t)
	r := newServer(Config{Place: placeOf(t, dir), OpenModel: func(context.Context, string) (embed.Embedder, func() error, error) {
		return embedtest.NewHash(64), func() error { return nil }, nil
	}})
	r.warm.cfg.OpenModel = r.cfg.OpenModel
	defer r.end()
	defer r.warm.close()
	then := time.Now().Add(-time.Hour)
	soon := then.Add(time.Minute)
	for _, ws := range []string{"", filepath.Join(dir, "a"), filepath.Join(dir, "b")} {
		m := expect.Value(memory.Open(dir, memory.Options{Workspace: ws, Author: true, Now: func() time.Time { return then }}))(t)
		tier := memory.Workspace
		if ws == "" {
			tier = memory.Account
		}
		for _, it := range []memory.Item{{Tier: tier, Content: "stays"}, {Tier: tier, Content: "is over soon", Expires: &soon}} {
			expect.Value(m.Put(t.Context(), it, memory.PutOptions{}))(t)
		}
		expect.OK(t, m.Close())
	}
	want := map[string]string{"embed memories": "6 embedded", "consolidate memories": "3 scopes consolidated"}
	for _, j := range r.upkeep.jobs {
		if want[j.Name] == "" {
			continue
		}
		if got, err := j.Run(t.Context()); err != nil || got != want[j.Name] {
			t.Errorf("%s: %q, %v", j.Name, got, err)
		}
		if got, err := j.Run(t.Context()); err != nil || got != "" {
			t.Errorf("%s once more: %q, %v", j.Name, got, err)
		}
	}
}

// TestMemoriesAreEmbeddedAtOnce sees that a write to a memory is noticed from outside, and the
// daemon's own is the last.
func TestMemoriesAreEmbeddedAtOnce(t *testing.T) {
	dir := home(t)
	s := newServer(Config{Place: placeOf(t, dir), OpenModel: func(context.Context, string) (embed.Embedder, func() error, error) {
		return embedtest.NewHash(64), func() error { return nil }, nil
	}})
	defer s.end()
	defer s.warm.close()
	var job Job
	for _, job = range s.upkeep.jobs {
		if job.Name == "embed memories" {
			break
		}
	}
	if job.Wake(t.Context()) {
		t.Error("it is wanted where there is no memory")
	}
	for i, ws := range []string{"", filepath.Join(dir, "a"), ""} {
		m := expect.Value(memory.Open(dir, memory.Options{Workspace: ws, Author: true}))(t)
		tier := map[bool]string{true: memory.Account, false: memory.Workspace}[ws == ""]
		expect.Value(m.Put(t.Context(), memory.Item{Tier: tier, Content: fmt.Sprint("item ", i)}, memory.PutOptions{}))(t)
		if !job.Wake(t.Context()) {
			t.Errorf("write %d is not noticed", i)
		}
		if got, err := job.Run(t.Context()); err != nil || got != "1 embedded" {
			t.Errorf("write %d: %q, %v", i, got, err)
		}
		expect.OK(t, m.Close())
		for n := 0; job.Wake(t.Context()); n++ { // its own write, and what was closed
			if got, err := job.Run(t.Context()); err != nil || got != "" || n > 3 {
				t.Fatalf("write %d, once more: %q, %v", i, got, err)
			}
		}
	}
}

// TestClockJumps has the clock of a daemon jump years to and fro, while others write by theirs.
// What was written is found, nothing is forgotten for its age, and the daemon goes on.
func TestClockJumps(t *testing.T) {
	cost.SkipQuick(t)
	dir := home(t)
	remember(t, dir, 20)
	var off atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
	var s *Server
	r := start(t, dir, func(c *Config) {
		c.Now, c.Idle = now, time.Hour
		s = newServer(*c) // its jobs are run by hand
	})
	defer s.end()
	defer s.warm.close()
	c := r.client(t)
	m := expect.Value(memory.Open(dir, memory.Options{Agent: "a"}))(t)
	defer m.Close()
	soon := time.Now().Add(30 * 24 * time.Hour)
	for i := range 5 {
		expect.Value(m.Put(t.Context(), memory.Item{Tier: memory.Account, Content: fmt.Sprint("short-lived ", i), Lifetime: memory.ShortTerm, Importance: .1, Expires: &soon}, memory.PutOptions{}))(t)
	}
	k := expect.Value(kb.Open(t.Context(), dir, kb.Options{}))(t)
	defer k.Close()
	const year = 365 * 24 * time.Hour
	for i, by := range []time.Duration{0, 10 * year, -40 * year, 200 * year, 0} {
		off.Store(int64(by))
		word := fmt.Sprint("zeppelin", i)
		expect.Value(k.Remember(t.Context(), kb.Capsule{Kind: "fact", Scope: "universal", Title: "About " + word, Body: "It is " + word + ".", Source: "test"}, kb.RememberOptions{}))(t)
		for _, j := range s.upkeep.jobs {
			if got, err := j.Run(t.Context()); err != nil && !errors.Is(err, errLater) {
				t.Errorf("by %v, %s: %q, %v", by, j.Name, got, err)
			}
		}
		if res, err := c.Search(t.Context(), kb.Query{Text: word}); err != nil || len(res.Hits) == 0 || !strings.Contains(res.Hits[0].Title, word) {
			t.Errorf("by %v: %d hits, %v", by, len(res.Hits), err)
		}
		if st, err := c.Status(t.Context()); err != nil || st.IdleIn < 30 || st.Failed != 0 {
			t.Errorf("by %v: %+v, %v", by, st, err)
		}
	}
	if st, err := k.Stats(t.Context()); err != nil || st.Capsules != 25 {
		t.Errorf("%+v, %v", st, err)
	}
	if got, _, err := m.List(t.Context(), memory.ListQuery{}); err != nil || len(got) != 5 {
		t.Errorf("%d items are left: %v", len(got), err)
	}
	if err := k.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
