//go:build unix && !solaris && !aix

package disk

import (
	"context"
	"syscall"
	"time"

	"blackboard/board/fault"
)

// LockNames locks a directory: alone, to remove files from it, or shared, to open several that
// belong together. It waits for 30 s, then the error is fault.Busy. A directory or file system that
// has no such locks counts as locked.
func LockNames(ctx context.Context, dir string, alone bool) (unlock func(), err error) {
	how := map[bool]int{false: syscall.LOCK_SH, true: syscall.LOCK_EX}[alone]
	d, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return func() {}, nil // opening the files says what there is to say
	}
	unlock = func() { syscall.Close(d) }
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Microsecond) {
		switch err := syscall.Flock(d, how|syscall.LOCK_NB); {
		case err != syscall.EWOULDBLOCK && err != syscall.EINTR:
			return unlock, nil
		case ctx.Err() != nil:
			unlock()
			return nil, ctx.Err()
		case time.Now().After(end):
			unlock()
			return nil, fault.Busy.New(dir+" is locked: a process was stopped while it opened or "+
				"removed a file in it", "let it go on, or end it")
		}
	}
}
