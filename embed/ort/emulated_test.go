//go:build linux && !selfhost

package ort

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blackboard/embed"
	"blackboard/testdata/models"
)

// TestEmulated runs hosts of the other architecture, where an emulator and its library
// are named: BOARD_TEST_EMULATOR is a command such as "qemu-aarch64 -L ROOT",
// BOARD_TEST_EMULATED_ONNXRUNTIME the library. The vectors are those of this machine's.
//
// ROOT is a copy of /usr/aarch64-linux-gnu (Debian's libc6-arm64-cross and
// libstdc++6-arm64-cross), and has besides a proc/cpuinfo as ARM's systems have it: a
// library that reads that of x86-64 crashes, as 1.30.0 does with QEMU 7.2.
func TestEmulated(t *testing.T) {
	command, path := strings.Fields(os.Getenv("BOARD_TEST_EMULATOR")), os.Getenv("BOARD_TEST_EMULATED_ONNXRUNTIME")
	if len(command) == 0 || path == "" {
		t.Skip("BOARD_TEST_EMULATOR and BOARD_TEST_EMULATED_ONNXRUNTIME do not name an emulator and a library for it")
	}
	emulator, err := exec.LookPath(command[0])
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"The gate stays shut while a critical question is open.", "ok", "", strings.Repeat("worker evidence ", 40)}
	for _, name := range []string{"tiny-mean", "tiny-cls", "static"} {
		dir := models.Write(t, name, nil)
		want, err := opened(t, dir, Off, nil).Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		emulated.arch = map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
		emulated.command = append([]string{emulator}, command[1:]...)
		t.Cleanup(func() { emulated.arch, emulated.command = "", nil })
		t.Setenv("BOARD_TEST_ONNXRUNTIME", path)
		e := openTest(t, filepath.Clean(dir))
		got, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s with %s on %s", name, e.Version(), emulated.arch)
		for i := range texts {
			if c := embed.Cosine(got[i], want[i]); c < 0.99999 {
				t.Errorf("%s: cosine %.7f: %.60q", name, c, texts[i])
			}
		}
		e.session.interrupt() // the second line answers
		if _, err := e.session.call(1, e.session.fn[fnSetTerminate], e.session.options); err != nil {
			t.Error(err)
		}
	}
}
