//go:build !unix

package daemon

import (
	"io/fs"
	"os/exec"
)

// ourAlone: who may write to a directory is not in its mode here; a user's own ones are
// closed to others from the start.
func ourAlone(fs.FileInfo) bool { return true }

// detach has nothing to do where a process does not end with the terminal of the one that
// started it.
func detach(*exec.Cmd) {}
