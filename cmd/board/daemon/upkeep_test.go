package daemon

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestJobsRunAtTheirTimes plays a day of upkeep.
func TestJobsRunAtTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		ran := map[string][]time.Duration{}
		wanted := false
		job := func(name string, first, every, takes time.Duration, err error) Job {
			return Job{Name: name, First: first, Every: every, Run: func(ctx context.Context) (string, error) {
				mu.Lock()
				ran[name] = append(ran[name], time.Since(start))
				mu.Unlock()
				select {
				case <-time.After(takes):
				case <-ctx.Done():
					return "", ctx.Err()
				}
				return name, err
			}}
		}
		embed := job("embed", time.Minute, 30*time.Minute, time.Second, nil)
		embed.Wake = func(context.Context) bool {
			mu.Lock()
			defer mu.Unlock()
			w := wanted
			wanted = false
			return w
		}
		bad := job("bad", time.Hour, time.Hour, 0, nil)
		bad.Run = func(context.Context) (string, error) { panic("oh") }
		u := newUpkeep([]Job{embed, job("slow", 2*time.Hour, time.Minute, 3*time.Hour, nil), job("failing", 5*time.Minute, 10*time.Hour, 0, errors.New("no luck")), bad}, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { u.run(ctx); close(done) }()
		time.Sleep(10 * time.Minute)
		mu.Lock()
		wanted = true
		mu.Unlock()
		time.Sleep(50 * time.Minute)
		mu.Lock()
		got := slices.Clone(ran["embed"])
		mu.Unlock()
		// A minute after the start, within five seconds of being wanted, and half an hour after
		// that.
		if len(got) != 3 || got[0] != time.Minute || got[1] <= 10*time.Minute || got[1] > 10*time.Minute+WakeEvery+time.Second || got[2]-got[1] != 30*time.Minute+time.Second {
			t.Errorf("embed ran at %v", got)
		}
		time.Sleep(7 * time.Hour)
		st := u.Status()
		if s := st[2]; s.Runs < 2 || !s.Failed || s.Done != nil || s.Result != "no luck" || s.Next == nil {
			t.Errorf("failing: %+v", s)
		}
		if s := st[3]; s.Runs == 0 || !s.Failed || !strings.Contains(s.Result, "panicked") {
			t.Errorf("bad: %+v", s)
		}
		mu.Lock()
		slow := slices.Clone(ran["slow"])
		mu.Unlock()
		for i := 1; i < len(slow); i++ {
			if slow[i]-slow[i-1] < 3*time.Hour+time.Minute {
				t.Errorf("runs pile up: %v", slow)
			}
		}
		cancel()
		synctest.Wait()
		<-done
	})
}

// TestFailuresAreNotHammered plays a job that is wanted all the time, and fails.
func TestFailuresAreNotHammered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		job := Job{Name: "x", First: time.Minute, Every: 30 * time.Minute, Wake: func(context.Context) bool { return true }, Run: func(context.Context) (string, error) {
			runs++
			return "", errors.New("no luck")
		}}
		u := newUpkeep([]Job{job}, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { u.run(ctx); close(done) }()
		time.Sleep(2 * time.Hour)
		cancel()
		<-done
		if runs < 3 || runs > 5 {
			t.Errorf("in two hours it ran %d times", runs)
		}
		// One that is interrupted is not done.
		u = newUpkeep([]Job{{Name: "x", Every: 24 * time.Hour, Run: func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }}}, slog.New(slog.DiscardHandler))
		ctx, cancel = context.WithCancel(t.Context())
		done = make(chan struct{})
		go func() { u.run(ctx); close(done) }()
		time.Sleep(time.Minute)
		cancel()
		<-done
		if st := u.Status()[0]; st.Done != nil || st.Failed || st.Result != "interrupted" {
			t.Errorf("%+v", st)
		}
	})
}

// TestEndsWhenIdle plays the timer that ends a daemon.
func TestEndsWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(Config{Idle: 30 * time.Minute})
		start := time.Now()
		ended := make(chan time.Duration, 1)
		go func() { s.untilIdle(t.Context()); ended <- time.Since(start) }()
		time.Sleep(20 * time.Minute)
		s.used()
		s.active.Add(1) // a stream
		time.Sleep(40 * time.Minute)
		select {
		case <-s.stopping:
			t.Error("it ends while somebody watches")
		default:
		}
		s.used()
		s.active.Add(-1)
		if took := <-ended; took < 90*time.Minute || took > 90*time.Minute+6*time.Second {
			t.Errorf("it ends after %v", took)
		}
		// Asked to end when idle, with nothing going on.
		s = newServer(Config{Idle: -1})
		go s.untilIdle(t.Context())
		time.Sleep(100 * time.Hour)
		s.whenIdle.Store(true)
		time.Sleep(6 * time.Second)
		select {
		case <-s.stopping:
		default:
			t.Error("it does not end though it was asked to, and is idle")
		}
		s.end()
	})
}
