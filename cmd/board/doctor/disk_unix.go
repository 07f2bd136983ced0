//go:build linux || darwin

package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// freeSpace returns how many bytes this user may still write to the disk of a path, and
// whether that is known.
func freeSpace(path string) (int64, bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}

// ownFile reports whether a file belongs to who runs this. To root every file is as good
// as its own.
func ownFile(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(st.Uid) == os.Geteuid() || os.Geteuid() == 0
}

// takeTurn holds a lock file as those do who write beside it, so that nobody writes
// meanwhile. It waits for others for some seconds.
func takeTurn(ctx context.Context, path string) (done func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	const patience, again = 5 * time.Second, 10 * time.Millisecond
	for begin := time.Now(); ; {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) || time.Since(begin) > patience {
			f.Close()
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		}
	}
}
