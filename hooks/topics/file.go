package topics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"blackboard/board/fault"
	"blackboard/board/replace"
)

// This file keeps files intact: locking, atomic replacement, limited reading.

// Names in a workspace's directory that belong to no topic. A topic's name begins with
// neither _ nor a dot.
const (
	activeFile           = "_active_topic.txt"
	noSessionContextFile = "_no_session_context"
	lockFile             = "_lock"
	unfinished           = ".new-" // prefix of unfinished files
	specExt              = ".txt"
	worklogExt           = ".worklog.jsonl"
	noContextExt         = ".no_context"
)

// errTooLong reports a file above the limit.
var errTooLong = errors.New("the file is too long")

// exists reports whether a file with this name exists.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// openFile opens a regular file. Another file, such as a pipe, could make a hook wait.
func openFile(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		return nil, info, err
	}
	f, err := os.Open(name)
	return f, info, err
}

// readFile reads a regular file of at most limit bytes.
func readFile(name string, limit int64) ([]byte, fs.FileInfo, error) {
	f, info, err := openFile(name)
	if err != nil {
		return nil, info, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, info, fmt.Errorf("%w: more than %d KB", errTooLong, limit>>10)
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
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	temp := filepath.Join(filepath.Dir(name), unfinished+filepath.Base(name))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = replace.Fill(f, func(f *os.File) error { _, err := f.Write(data); return err })
	if err == nil {
		err = replace.Put(temp, name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return replace.SyncDir(filepath.Dir(name))
}

// lockTimeout is how long to wait for the lock, if the context has no earlier deadline.
const lockTimeout = 10 * time.Second

// lock takes the write lock of a directory, which it creates if needed. A timeout is
// fault.Busy.
func lock(ctx context.Context, dir string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, lockError(err, dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	type turn struct {
		file *lockedfile.File
		err  error
	}
	got := make(chan turn, 1)
	go func() { // the wait cannot be cancelled, so a lock that comes too late is released
		file, err := lockedfile.OpenFile(filepath.Join(dir, lockFile),
			os.O_RDWR|os.O_CREATE, 0o600)
		got <- turn{file, err}
	}()
	select {
	case t := <-got:
		if t.err != nil {
			return nil, t.err
		}
		return func() { t.file.Close() }, nil
	case <-ctx.Done():
		go func() {
			if t := <-got; t.err == nil {
				t.file.Close()
			}
		}()
		return nil, lockError(ctx.Err(), dir)
	}
}

func lockError(err error, dir string) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Busy.New("another writer in "+dir+
			" holds the lock; nothing was written", "try again; if this goes on, look "+
			"for a stopped process")
	}
	return err
}
