package board

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/files"
	"blackboard/board/postgres"
	"blackboard/board/similar"
	"blackboard/board/sqlite"
	"blackboard/board/store"
)

// placeOf returns where the runs of a directory are; what UseDatabase returned counts as
// a directory.
var placeOf = func(dir string) store.Place {
	if p := postgres.At(dir); p != nil {
		return p
	}
	return files.Dir{Path: dir, IsRun: func(name string) bool { return CheckRun(name) == nil }}
}

// UseDatabase reads the URL of a PostgreSQL database (postgres://user@host/database). It
// returns a name that can be used wherever a directory of boards is expected. The name
// has no password in it.
func UseDatabase(url string) (dir string, err error) {
	p, err := postgres.Open(url)
	if err != nil {
		return "", err
	}
	return p.String(), nil
}

// OnContact returns a context. While a request with it goes to the database of dir, told
// gets an error as soon as the server seems to be away, and nil when it has answered. It
// is called often, by several goroutines; never for files.
func OnContact(ctx context.Context, dir string, told func(away error)) context.Context {
	return store.OnContact(ctx, func(place string, away error) {
		if place == dir {
			told(away)
		}
	})
}

// DatabaseName is the name of the database that dir stands for, without its user; "" for
// files.
func DatabaseName(dir string) string {
	if p := postgres.At(dir); p != nil {
		return strings.TrimPrefix(p.Name(""), "the ")
	}
	return ""
}

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
	times files.Times
}

// List is the function List, limited to what has changed since the last call.
func (r *Runs) List(ctx context.Context, by Policy) ([]Info, error) {
	if err := by.Check(); err != nil {
		return nil, err
	}
	place := placeOf(r.Dir)
	_, told := place.(files.Dir) // what has files tells by their times whether it has changed
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
		var now files.Times
		if told {
			now = files.TimesOf(place.Name(name))
		}
		if was, known := before[name]; told && known && was.times == now && now.Quiet() {
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
		info = Info{Run: name, Needs: []Need{}, Error: "the file holds no event: " +
			"whoever made it died before the first one, or it was cut to nothing"}
	case ctx.Err() != nil:
		return Info{}, false, ctx.Err()
	case err != nil:
		info = Info{Run: name, Needs: []Need{}, Error: err.Error()}
	}
	return info, true, nil
}

// RunsChange notifies of writes to any run in dir, by any process, and of new runs. See
// sqlite.Changes. The channel is nil where the system sends no notifications.
func RunsChange(dir string) (changed <-chan struct{}, stop func()) {
	if at, ok := placeOf(dir).(files.Dir); ok {
		return sqlite.ChangesIn(at.Path)
	}
	return nil, func() {}
}

// Created says that a run was created, and names similar runs that may have been meant.
func Created(run string, names []string) string {
	return strings.TrimRight("created run "+run+"; "+similar.DidYouMean(run, names), "; ")
}
