// Package shared finds, for tests, what lies in the folder of shared files: real inputs and a
// small real model, which are no part of the project.
package shared

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"blackboard/embed"
	"blackboard/embed/minilm"
)

// File returns the path of a file in the folder of shared files, or "" where it is absent. The
// folder is $BOARD_SHARED, else shared beside the project.
func File(elem ...string) string {
	dir := os.Getenv("BOARD_SHARED")
	if dir == "" {
		_, here, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(here), "..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// Potion opens a real, small model: a weak one, which a good fusion must not lose by. It is nil
// where the folder of shared files is absent.
func Potion(t testing.TB) embed.Embedder {
	t.Helper()
	file := File("models", "potion-base-2M", "model.onnx")
	if file == "" {
		t.Log("without models/potion-base-2M in the folder of shared files (BOARD_SHARED) only words are measured")
		return nil
	}
	m, err := minilm.Open(t.Context(), filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}
