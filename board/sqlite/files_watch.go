package sqlite

import (
	"context"
	"errors"
	"os"
	"runtime"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/store"
)

// PollInterval is how often a changing board is polled, where the system does not notify.
const PollInterval = 10 * time.Millisecond

const (
	// idleInterval is how often the files' times are read after no change for the time settled.
	idleInterval = 3 * PollInterval
	// settled is how long files must be unchanged before their times can be trusted to
	// show the next change: some file systems count whole seconds.
	settled = 2 * time.Second
	// lookInterval is how often a watcher reads the board even if the times have not
	// changed, and checks that its file is still there.
	lookInterval = time.Second
	// toldInterval is the same where the system sends notifications (Changes).
	toldInterval = 5 * time.Second
)

// FileTimes are a board's files' times and sizes, which show whether somebody has written.
type FileTimes struct {
	At, Size [2]int64 // Unix nanoseconds, bytes
	Node     [2]uint64
}

// TimesOf reads the times of a file and its WAL. They are zero for one that does not exist or is
// empty: a reader may leave an empty WAL behind, which says nothing.
func TimesOf(path string) (t FileTimes) {
	for i, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil && info.Size() > 0 {
			t.At[i], t.Size[i] = info.ModTime().UnixNano(), info.Size()
			t.Node[i] = disk.Node(info)
		}
	}
	return t
}

// Quiet reports whether a later change would show in the times. Windows updates those of
// an open file only when it is closed.
func (t *FileTimes) Quiet() bool {
	return runtime.GOOS != "windows" &&
		time.Since(time.Unix(0, max(t.At[0], t.At[1]))) > settled
}

// Watch calls changed at once and whenever there is a later event, until that or a read fails, or
// ctx ends. It waits for a notification, or polls the times of the files.
func (f *RunFile) Watch(ctx context.Context, changed func() error) error {
	if f.ReadOnly() {
		return store.Fault(fault.ReadOnly, f.path,
			"cannot be watched: on read-only storage the changes of others are not seen", nil)
	}
	notices, stop := Changes(f.path) // before the first look, so that nothing falls between
	defer stop()
	looked, look := time.Time{}, lookInterval
	if notices != nil {
		look = toldInterval
	}
	told, seen := true, int64(-1) // of the first look
	var before FileTimes
	for {
		now, wait := TimesOf(f.path), idleInterval
		due := told || time.Since(looked) >= look
		if due {
			if err := f.CheckFile(); err != nil {
				return err
			}
			looked = time.Now()
		}
		if notices != nil {
			wait = look
		}
		if due || now != before || !now.Quiet() {
			before = now
			// a write is committed and visible some time after the notification
			if !now.Quiet() {
				wait = PollInterval
			}
			var last int64
			err := f.Read(ctx, func(tx *store.Tx) (err error) {
				last, err = tx.LastSeq()
				return err
			})
			if err == nil && last != seen {
				seen = last
				err = changed()
			}
			if err != nil && (ctx.Err() == nil || errors.Is(err, store.ErrStop)) {
				return err
			}
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-notices:
			timer.Stop()
			told = true
		case <-timer.C:
			told = false
		}
	}
}
