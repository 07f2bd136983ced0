package board

import (
	"context"
	"errors"
	"reflect"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/store"
)

// Runs is a list of the runs in a directory that is read again and again: it reads only
// what has changed. Set Dir only. One goroutine at a time may use it.
type Runs struct {
	Dir  string
	by   Policy
	seen map[string]seenRun
}

// seenRun is a run as it was read, with the times of its files.
type seenRun struct {
	info  Info
	times times
}

// List is the function List, limited to what has changed since the last call.
func (r *Runs) List(ctx context.Context, by Policy) ([]Info, error) {
	if err := by.Check(); err != nil {
		return nil, err
	}
	place := placeOf(r.Dir)
	_, told := place.(files) // what has files tells by their times whether it has changed
	names, err := place.Runs(ctx, time.Time{})
	if err != nil {
		return nil, err
	}
	before := r.seen
	if !reflect.DeepEqual(by, r.by) {
		before = nil
	}
	r.by, r.seen = by, make(map[string]seenRun, len(names))
	infos := make([]Info, 0, len(names))
	for _, name := range names {
		var now times
		if told {
			now = timesOf(place.Name(name))
		}
		if was, known := before[name]; told && known && was.times == now && now.quiet() {
			r.seen[name] = was
			infos = append(infos, was.info)
			continue
		}
		info, there, err := inspectRun(ctx, place, r.Dir, name, by)
		if err != nil {
			return nil, err
		}
		if there {
			r.seen[name] = seenRun{info, now}
			infos = append(infos, info)
		}
	}
	return infos, nil
}

// inspectRun reads one run for the list. It returns false if that is no run yet. An error
// in its file is part of the answer.
func inspectRun(ctx context.Context, place store.Place, dir, name string, by Policy) (info Info,
	there bool, err error) {
	info, err = inspect(ctx, dir, name, by)
	switch {
	case errors.Is(err, fault.NotFound):
		// Nothing was written to the file yet: it is being created, or was truncated.
		if !place.Unfinished(name) {
			return Info{}, false, nil
		}
		info = Info{Run: name, Error: "the file holds no event: " +
			"whoever made it died before the first one, or it was cut to nothing"}
	case ctx.Err() != nil:
		return Info{}, false, ctx.Err()
	case err != nil:
		info = Info{Run: name, Error: err.Error()}
	}
	return info, true, nil
}

// RunsChange notifies of writes to any run in dir, by any process, and of new runs. See
// sqlite.Changes. The channel is nil where the system sends no notifications.
func RunsChange(dir string) (changed <-chan struct{}, stop func()) {
	if at, ok := placeOf(dir).(files); ok {
		return sqlite.ChangesIn(string(at))
	}
	return nil, func() {}
}
