package minilm

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Identify returns the name of the model in dir by its content, as its embedder has it.
func Identify(dir string) (string, error) {
	c, err := describe(dir)
	if err != nil {
		return "", err
	}
	return c.identify(nil)
}

// identify names a model by what its vectors depend on, so that a moved model stays the
// same and a replaced one does not: by the name that it is published under if its weights
// and tokenizer are known, else by their hash.
//
// Files that are older than r, the record of their installation, have the sums that it
// says, if there is one: to read 90 MB takes 50 ms.
func (c *config) identify(r *record) (string, error) {
	weights, err := r.sumOf(c.weights, c.top)
	if err != nil {
		return "", c.bad("cannot be read", err)
	}
	tokens, err := r.sumOf(filepath.Join(c.dir, "tokenizer.json"), c.top)
	if err != nil {
		return "", c.bad("has a tokenizer that cannot be read", err)
	}
	for _, m := range known {
		if slices.Contains(m.weights, weights) && tokens == m.sumOf("tokenizer.json") &&
			c.limit == m.limit && c.pooling == m.pooling && !c.lower {
			return m.Name, nil
		}
	}
	what := fmt.Sprintln(weights, tokens, c.limit, c.pooling, c.lower)
	return fmt.Sprintf("model-%x", sha256.Sum256([]byte(what)))[:len("model-")+12], nil
}

func knownAs(name string) *Manifest {
	if i := slices.IndexFunc(known, func(m Manifest) bool { return m.Name == name }); i >= 0 {
		return &known[i]
	}
	return nil
}

// sumOf returns a file's SHA-256: from the record, which may be nil, if the file is older.
func (r *record) sumOf(path, top string) (string, error) {
	info, err := os.Stat(path)
	recorded, err2 := os.Stat(filepath.Join(top, recordName))
	if r != nil && err == nil && err2 == nil && info.ModTime().Before(recorded.ModTime()) {
		for _, f := range r.Files {
			if f.in(top) == path && f.Bytes == info.Size() {
				return f.SHA256, nil
			}
		}
	}
	return sumOf(path)
}
