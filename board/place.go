package board

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/postgres"
	"blackboard/board/sqlite"
	"blackboard/board/store"
)

// placeOf returns where the runs of a directory are; what UseDatabase returned counts as
// a directory.
var placeOf = func(dir string) store.Place {
	if p := postgres.At(dir); p != nil {
		return p
	}
	return sqlite.RunDir{Path: dir, IsRun: func(name string) bool { return CheckRun(name) == nil }}
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
	Dir    string
	by     Policy
	seen   map[string]seenRun
	unread int // how many the last call has read
}

// seenRun is a run as it was read, with the times of its files.
type seenRun struct {
	Info  Info
	Times sqlite.FileTimes
}

// worthKeeping is how many runs are worth a file with what was read of them.
const worthKeeping = 32

// keptRuns is that file. It is only good for the program and the policy that made it.
type keptRuns struct {
	By   string
	Runs map[string]seenRun
}

// stamp names the program and the policy.
func stamp(by Policy) string {
	path, err := os.Executable()
	info, err2 := os.Stat(path)
	rules, err3 := json.Marshal(by)
	if errors.Join(err, err2, err3) != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano(), " ", string(rules))
}

// load takes what another process has kept, if it can be used.
func (r *Runs) load(path string, by Policy) {
	var kept keptRuns
	data, err := disk.Read(path, 64<<20)
	if err == nil && json.Unmarshal(data, &kept) == nil && kept.By != "" && kept.By == stamp(by) {
		r.by, r.seen = by, kept.Runs
	}
}

// keep keeps what was read. A run with a claim is left out: that ends without a write, as
// does what keeps a run from being read. Nothing depends on the file.
func (r *Runs) keep(path string) {
	maps.DeleteFunc(r.seen, func(_ string, s seenRun) bool {
		return s.Info.Error != "" || slices.ContainsFunc(s.Info.Needs,
			func(n Need) bool { return n.Claimed != "" })
	})
	if data, err := json.Marshal(keptRuns{stamp(r.by), r.seen}); err == nil {
		disk.WriteUnsynced(path, data, 0o600)
	}
}

// List is the function List, limited to what has changed since the last call.
func (r *Runs) List(ctx context.Context, by Policy) ([]Info, error) {
	if err := by.Check(); err != nil {
		return nil, err
	}
	place := placeOf(r.Dir)
	_, told := place.(sqlite.RunDir) // what has files tells by their times whether it has changed
	names, err := place.Runs(ctx, time.Time{})
	if err != nil {
		return nil, err
	}
	before := r.seen
	if !reflect.DeepEqual(by, r.by) {
		before = nil
	}
	r.by, r.seen = by, make(map[string]seenRun, len(names))
	times, unread := map[string]sqlite.FileTimes{}, []string{}
	for _, name := range names {
		if told {
			times[name] = sqlite.TimesOf(place.Name(name))
		}
		now := times[name]
		if was, known := before[name]; told && known && was.Times == now && now.Quiet() {
			r.seen[name] = was
		} else {
			unread = append(unread, name)
		}
	}
	r.unread = len(unread)
	fresh, there := make([]Info, len(unread)), make([]bool, len(unread))
	if err := parallel(ctx, len(unread), atOnce, func(i int) (err error) {
		fresh[i], there[i], err = inspectRun(ctx, place, r.Dir, unread[i], by)
		return err
	}); err != nil {
		return nil, err
	}
	for i, name := range unread {
		if there[i] {
			r.seen[name] = seenRun{fresh[i], times[name]}
		}
	}
	infos := make([]Info, 0, len(names))
	for _, name := range names {
		if s, there := r.seen[name]; there {
			infos = append(infos, s.Info)
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
	if at, ok := placeOf(dir).(sqlite.RunDir); ok {
		return sqlite.ChangesIn(at.Path)
	}
	return nil, func() {}
}

// Created says that a run was created, and names similar runs that may have been meant.
func Created(run string, names []string) string {
	return strings.TrimRight("created run "+run+"; "+fault.DidYouMean(run, names), "; ")
}
