//go:build unix

package wait

import (
	"syscall"
	"time"
)

// CPU is the time that this process has computed for, which is the same on a busy machine and on a quiet one.
func CPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
