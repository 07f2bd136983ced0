package minilm

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
)

// Identify returns the name of the model in dir by its content, as its embedder has it.
func Identify(dir string) (string, error) {
	c, err := describe(dir)
	if err != nil {
		return "", err
	}
	return c.identify()
}

// identify names a model by what its vectors depend on, so that a moved model stays the
// same and a replaced one does not: by the name that it is published under if its weights
// and tokenizer are known, else by their hash.
func (c *config) identify() (string, error) {
	weights, _, err := sumOf(c.weights)
	if err != nil {
		return "", c.bad("cannot be read", err)
	}
	tokens, _, err := sumOf(filepath.Join(c.dir, "tokenizer.json"))
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

// knownAs returns the known model of that name, or nil.
func knownAs(name string) *Manifest {
	for i := range known {
		if known[i].Name == name {
			return &known[i]
		}
	}
	return nil
}
