//go:build unix

// Package nobody runs tests as a user who owns nothing.
package nobody

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Run runs one test of this binary as an unprivileged user, with env in its environment. Only
// root may call it.
func Run(t *testing.T, test, env string) {
	t.Helper()
	// The binary's own directory is root's alone.
	exe := filepath.Join(os.TempDir(), filepath.Base(t.TempDir())+"-"+filepath.Base(os.Args[0]))
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(exe, data, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(exe) })
	cmd := exec.Command(exe, "-test.run", "^"+test+"$", "-test.v")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), env)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("as nobody: %v\n%s", err, out)
	}
}
