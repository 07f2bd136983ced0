package topics

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

var (
	invalid = fault.Invalid.New
	clip    = fault.Clip
)

// Steps that several errors suggest.
var (
	otherPlace = fault.Give("workspace", "", "or name one with {}")
	nameWork   = fault.Do("topic.use", "name the work: {}", "name", "auth-refactor")
)

// This file keeps files intact: locking, atomic replacement, limited reading.

// Names in a workspace's directory that are no topic's: those begin with neither _ nor a dot.
const (
	activeFile           = "_active_topic.txt"
	noSessionContextFile = "_no_session_context"
	lockFile             = "_lock"
	unfinished           = disk.TempPrefix
	specExt              = ".txt"
	worklogExt           = ".worklog.jsonl"
	noContextExt         = ".no_context"
)

// errTooLong reports a file above the limit.
var errTooLong = errors.New("the file is too long")

// readFile reads a regular file of at most limit bytes: a pipe could make a hook wait.
func readFile(name string, limit int64) ([]byte, fs.FileInfo, error) {
	f, err := disk.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	data, err := f.ReadAll(limit)
	if errors.Is(err, disk.ErrTooLarge) {
		err = fmt.Errorf("%w: more than %d KB", errTooLong, limit>>10)
	}
	return data, info, err
}

// readSmall reads a file that should have only a line or two.
func readSmall(name string) (string, error) {
	data, _, err := readFile(name, maxSmall)
	return string(data), err
}

// writeFile replaces a file atomically and follows a link. The caller holds the lock.
func writeFile(name string, data []byte) error {
	if err := disk.Write(name, data, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return disk.SyncDir(filepath.Dir(name))
}

// lockTimeout is how long to wait for the lock, if the context has no earlier deadline.
const lockTimeout = 10 * time.Second

// lock takes a directory's write lock, creating it if needed. A timeout is fault.Busy.
func lock(ctx context.Context, dir string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	err = ctx.Err()
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		unlock, err = disk.Lock(ctx, filepath.Join(dir, lockFile))
	}
	return unlock, lockError(err, dir)
}

func lockError(err error, dir string) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Busy.New("another writer in "+dir+
			" holds the lock; nothing was written", "try again; if this goes on, look "+
			"for a stopped process")
	}
	return err
}
