//go:build unix && !solaris && !aix

package disk

import (
	"context"
	"syscall"
	"time"
)

// LockNames locks a directory: alone, for who takes names away, or with others, for who opens
// several files by names that belong together. A file system without such locks stops nobody.
func LockNames(ctx context.Context, dir string, alone bool) (unlock func(), err error) {
	how := map[bool]int{false: syscall.LOCK_SH, true: syscall.LOCK_EX}[alone]
	d, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return func() {}, nil // opening the files says what there is to say
	}
	for {
		err := syscall.Flock(d, how|syscall.LOCK_NB)
		if err != syscall.EWOULDBLOCK && err != syscall.EINTR {
			return func() { syscall.Close(d) }, nil
		}
		select {
		case <-ctx.Done():
			syscall.Close(d)
			return nil, ctx.Err()
		case <-time.After(100 * time.Microsecond):
		}
	}
}
