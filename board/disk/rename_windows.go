package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// sharingViolation is the error for a file that somebody has open.
const sharingViolation syscall.Errno = 32

// rename tries again for 0.1 s: a file that a process reads, such as a virus scanner, cannot be
// replaced until that is done.
func rename(from, to string) error {
	const tries, wait = 20, 5 * time.Millisecond
	for try := 1; ; try++ {
		err := os.Rename(from, to)
		if err == nil || try == tries || !errors.Is(err, sharingViolation) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		time.Sleep(wait)
	}
}
