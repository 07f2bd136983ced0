package daemon

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// Job is one thing that the daemon does by itself, now and then.
type Job struct {
	Name  string        // for the log and the status
	First time.Duration // after the start
	Every time.Duration // after the end of the run before, so that runs never pile up
	// Wake, if not nil, is asked every WakeEvery whether there is something to do.
	Wake func(context.Context) bool
	// Run does it, and says what it did; "" if there was nothing to do. It ends soon when
	// ctx ends, and goes on from there when it is run again.
	Run func(context.Context) (string, error)
}

// errLater is of a job that cannot do its work now, through no fault of anybody.
var errLater = errors.New("left for later")

// tryAgain is after how long a job is run again that has not done its work.
const tryAgain = time.Hour

// WakeEvery is how often jobs look whether they are wanted before their time.
const WakeEvery = 5 * time.Second

type JobStatus struct {
	Name    string     `json:"name"`    // of the job
	Running bool       `json:"running"` // it does its work now
	Runs    int        `json:"runs"`    // of this daemon
	Last    *time.Time `json:"last"`    // when the last run began
	// when the last run began that came to its end and did not fail
	Done   *time.Time `json:"last_done"`
	Millis int64      `json:"last_millis"` // how long the last run took, in milliseconds
	Result string     `json:"last_result"` // what it did, or how it failed; of one that runs, how far it is
	Failed bool       `json:"last_failed"` // the last run failed
	Next   *time.Time `json:"next"`        // when it runs again; nil while it runs
}

// upkeep runs jobs, one at a time: they share the processor with those who ask.
type upkeep struct {
	jobs []Job
	log  *slog.Logger
	turn chan struct{}

	mu     sync.Mutex
	status []JobStatus
}

func newUpkeep(jobs []Job, log *slog.Logger) *upkeep {
	u := &upkeep{jobs: jobs, log: log, turn: make(chan struct{}, 1)}
	for _, j := range jobs {
		u.status = append(u.status, JobStatus{Name: j.Name})
	}
	return u
}

func (u *upkeep) run(ctx context.Context) {
	var wg sync.WaitGroup
	for i := range u.jobs {
		wg.Go(func() { u.runJob(ctx, i) })
	}
	wg.Wait()
}

func (u *upkeep) runJob(ctx context.Context, i int) {
	j := &u.jobs[i]
	next, done := time.Now().Add(j.First), true
	for {
		u.note(i, func(s *JobStatus) { at := next.UTC(); s.Next = &at })
		if !u.wait(ctx, j, next, !done) {
			return
		}
		select {
		case u.turn <- struct{}{}:
			done = u.once(ctx, i)
			<-u.turn
		case <-ctx.Done():
			return
		}
		if next = time.Now().Add(j.Every); !done {
			next = time.Now().Add(min(j.Every, tryAgain))
		}
	}
}

// wait waits until a job's time has come, or it is wanted before; false if ctx ends. One
// that has failed is not wanted before its time: it would fail again and again.
func (u *upkeep) wait(ctx context.Context, j *Job, next time.Time, failed bool) bool {
	wake := j.Wake
	if failed {
		wake = nil
	}
	for {
		left := time.Until(next)
		if left <= 0 {
			return ctx.Err() == nil
		}
		if wake != nil {
			left = min(left, WakeEvery)
		}
		if !sleep(ctx, left) {
			return false
		}
		if wake != nil && time.Now().Before(next) && wake(ctx) {
			return ctx.Err() == nil
		}
	}
}

// once runs a job, and reports whether it did what was to be done.
func (u *upkeep) once(ctx context.Context, i int) (done bool) {
	j := &u.jobs[i]
	start := time.Now()
	u.note(i, func(s *JobStatus) { at := start.UTC(); s.Running, s.Last, s.Next, s.Result = true, &at, nil, "" })
	result, err := func() (result string, err error) {
		defer func() {
			if r := recover(); r != nil {
				u.log.Error("upkeep panicked", "job", j.Name, "panic", r, "stack", string(debug.Stack()))
				err = errors.New("it panicked; the log has more")
			}
		}()
		return j.Run(ctx)
	}()
	took := time.Since(start)
	switch done = err == nil; {
	case err != nil && ctx.Err() != nil:
		result, err = "interrupted", nil
	case errors.Is(err, errLater):
		result, err = err.Error(), nil
	case err != nil:
		result = err.Error()
		u.log.Warn("upkeep", "job", j.Name, "error", err, "took", took.Round(time.Millisecond))
	case result != "":
		u.log.Info("upkeep", "job", j.Name, "result", result, "took", took.Round(time.Millisecond))
	default:
		result = "nothing to do"
	}
	u.note(i, func(s *JobStatus) {
		s.Running, s.Millis, s.Result, s.Failed = false, took.Milliseconds(), result, err != nil
		s.Runs++
		if done {
			s.Done = s.Last
		}
	})
	return done
}

func (u *upkeep) note(i int, fn func(*JobStatus)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	fn(&u.status[i])
}

// tell says how far a job is that runs.
func (u *upkeep) tell(name, progress string) {
	for i := range u.jobs {
		if u.jobs[i].Name == name {
			u.note(i, func(s *JobStatus) { s.Result = progress })
		}
	}
}

func (u *upkeep) Status() []JobStatus {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]JobStatus{}, u.status...)
}
