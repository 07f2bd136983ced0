//go:build !unix

package daemon

import (
	"io/fs"
	"os/exec"
)

func ownedByUs(fs.FileInfo) bool { return true } // who may write is not in the mode there

func detach(*exec.Cmd) {}
