package minilm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"blackboard/testdata/expect"
)

var testdata = filepath.Join("..", "..", "testdata", "embed")

// shared returns the path of a file in the folder of shared files, which is no part of
// the project. The test is skipped where it is absent.
func shared(tb testing.TB, elem ...string) string {
	tb.Helper()
	dir := os.Getenv("BOARD_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("%s is not in the folder of shared files; set BOARD_SHARED to where it lies", filepath.Join(elem...))
	}
	return path
}

func potionDir(tb testing.TB) string {
	return filepath.Dir(shared(tb, "models", "potion-base-2M", "model.onnx"))
}

func miniLMReference(tb testing.TB) string {
	return filepath.Dir(shared(tb, "models", "all-MiniLM-L6-v2-reference", "tokenizer.json"))
}

func loadJSON(tb testing.TB, path string, v any) {
	tb.Helper()
	data := expect.Value(os.ReadFile(path))(tb)
	if err := json.Unmarshal(data, v); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
}

func write(tb testing.TB, path string, data []byte) {
	tb.Helper()
	expect.OK(tb, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.OK(tb, os.WriteFile(path, data, 0o644))
}
