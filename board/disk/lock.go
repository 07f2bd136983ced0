package disk

import (
	"context"
	"os"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Lock waits until no other process, and no other call, has the lock file, which it creates if
// needed, or until ctx ends. The lock file is never removed: a process waiting on a removed file
// would hold the lock together with one that created it again.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	type turn struct {
		file *lockedfile.File
		err  error
	}
	got := make(chan turn, 1)
	go func() { // the wait cannot be cancelled, so a lock that comes too late is released
		file, err := lockedfile.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
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
		return nil, ctx.Err()
	}
}
