//go:build unix

package documents

import (
	"path/filepath"
	"syscall"
	"testing"

	"blackboard/testdata/expect"
)

// namedPipe makes a named pipe, to which nobody ever writes.
func namedPipe(t *testing.T, dir string) []string {
	expect.OK(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	return []string{"pipe"}
}
