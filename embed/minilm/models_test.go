package minilm

import (
	"os"
	"path/filepath"
	"testing"

	"blackboard/testdata/cost"
	"blackboard/testdata/models"
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

// tinyTokenizer reads the tokenizer of the tiny model, which may give 64 tokens.
func tinyTokenizer(tb testing.TB) *tokenizer {
	tb.Helper()
	dir := tb.TempDir()
	for name, data := range models.BERTFiles(models.Tiny, "mean", 64) {
		write(tb, filepath.Join(dir, filepath.FromSlash(name)), data)
	}
	c, err := readConfig(dir)
	if err != nil {
		tb.Fatal(err)
	}
	t, err := c.readTokenizer()
	if err != nil {
		tb.Fatal(err)
	}
	return t
}
