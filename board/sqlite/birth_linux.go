package sqlite

import "golang.org/x/sys/unix"

// birth is when a file was made, in nanoseconds; 0: unknown. With the inode number, which file
// systems reuse at once, it identifies a file.
func birth(path string) int64 {
	var s unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_BTIME, &s) != nil ||
		s.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return s.Btime.Sec*1e9 + int64(s.Btime.Nsec)
}
