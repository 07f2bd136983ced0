//go:build unix

package daemon

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// ourAlone reports whether a file is this user's, and nobody else may write to it.
func ourAlone(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid() && info.Mode().Perm()&0o022 == 0
}

// detach has a process live on when the one that started it, and its terminal, are gone.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
