package sqlite

import "golang.org/x/sys/unix"

// birth is when a file was created, in nanoseconds; 0 if that is not known. File systems
// reuse the inode number of a removed file at once. The number and this time together
// identify a file.
func birth(path string) int64 {
	var s unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_BTIME, &s) != nil ||
		s.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return s.Btime.Sec*1e9 + int64(s.Btime.Nsec)
}
