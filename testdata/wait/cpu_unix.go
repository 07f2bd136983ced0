//go:build unix

package wait

import (
	"syscall"
	"time"
)

// CPU is the time that this process has computed for, which hardly depends on how busy the
// machine is.
func CPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
