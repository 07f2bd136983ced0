// Package potion opens the real model in the folder of shared files. It is apart from package
// shared, so that tests which only read a file there are linked without what runs models.
package potion

import (
	"path/filepath"
	"testing"

	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/testdata/shared"
)

// Open opens a real, small model: a weak one, which a good fusion must not lose by. It is nil
// where the folder of shared files is absent.
func Open(t testing.TB) embed.Embedder {
	t.Helper()
	file := shared.File("models", "potion-base-2M", "model.onnx")
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
