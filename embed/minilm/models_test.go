package minilm

import (
	"os"
	"testing"

	"blackboard/testdata/cost"
)

// needsProduct skips a test of a model with matrix products where it would end the whole
// process.
func needsProduct(tb testing.TB) {
	tb.Helper()
	if cost.Race && os.Getenv("BOARD_TEST_CHECKPTR_OFF") == "" {
		tb.Skip("with -race Go checks pointers, and gomlx's matrix product does not pass; " +
			"this test runs with BOARD_TEST_CHECKPTR_OFF=1 go test -race -gcflags=all=-d=checkptr=0")
	}
}
