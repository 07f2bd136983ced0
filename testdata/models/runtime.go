package models

import (
	"os"
	"testing"
)

// ONNXRuntime is the path of a library of ONNX Runtime for tests. The test is skipped
// where there is none: $BOARD_TEST_ONNXRUNTIME names one, else found is where the
// program would find it.
func ONNXRuntime(tb testing.TB, found ...string) string {
	tb.Helper()
	if path := os.Getenv("BOARD_TEST_ONNXRUNTIME"); path != "" {
		return path
	}
	if len(found) > 0 {
		return found[0]
	}
	tb.Skip("there is no libonnxruntime here: BOARD_TEST_ONNXRUNTIME may name one, as npm's onnxruntime-node has it")
	return ""
}
