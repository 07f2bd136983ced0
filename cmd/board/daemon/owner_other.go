//go:build !unix

package daemon

import (
	"io/fs"
	"os/exec"
)

// ourAlone: the mode does not tell here; a user's own directories are closed to others anyway.
func ourAlone(fs.FileInfo) bool { return true }

// detach has nothing to do where processes outlive their starter's terminal.
func detach(*exec.Cmd) {}
