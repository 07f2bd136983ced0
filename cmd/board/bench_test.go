package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"blackboard/testdata/cost"
)

// BenchmarkProcess runs the built program as agents and CI do: a whole process for each call.
// "true" is the yardstick: what starting any process costs here.
func BenchmarkProcess(b *testing.B) {
	exe := filepath.Join(b.TempDir(), "board")
	build := exec.Command("go", "build", "-trimpath", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	home := b.TempDir()
	call := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "BOARD_HOME="+home, "BOARD_RUN=bench", "BOARD_WORKER=w")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	call(exe, "post", "first")
	for _, c := range []struct {
		name string
		args []string
	}{
		{"true", []string{"true"}},
		{"version", []string{exe, "version"}},
		{"post", []string{exe, "post", "Tokens never expire once they were issued", "--source-doc", "auth.go", "--source-ref", "42"}},
		{"gate", []string{exe, "gate"}},
		{"query", []string{exe, "query", "tokens", "--limit", "10"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			cost.Timed(b, func(int) error {
				call(c.args[0], c.args[1:]...)
				return nil
			})
		})
	}
}
