package minilm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/embed"
)

// Check is one check of Verify.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`     // whether it passed
	Detail string `json:"detail"` // what was found
}

type Report struct {
	OK     bool         `json:"ok"` // all checks passed
	Dir    string       `json:"dir"`
	Model  *embed.Model `json:"model"`  // nil if it does not load
	Checks []Check      `json:"checks"` // what was checked
}

func (r *Report) add(name string, ok bool, format string, a ...any) {
	r.Checks = append(r.Checks, Check{name, ok, fmt.Sprintf(format, a...)})
	r.OK = r.OK && ok
}

// Verify checks the model in dir: its files are those that Pull installed or, without its
// record, those of a known model; it loads; and its vectors are sound. That a model is not
// known is no fault.
//
// The error means that the check failed; the report has what is wrong with the model.
func Verify(ctx context.Context, dir string) (*Report, error) {
	abs, _ := filepath.Abs(dir)
	if _, err := os.ReadDir(dir); err != nil {
		_, err := describe(dir)
		return nil, err
	}
	r := &Report{OK: true, Dir: abs, Checks: []Check{}}
	r.checkFiles(abs)
	e, err := Open(ctx, abs)
	if err != nil {
		r.add("loads", false, "%v", err)
		return r, ctx.Err()
	}
	defer e.Close()
	model := e.Model()
	r.Model = &model
	r.add("loads", true, "%d numbers in a vector, %d tokens of a text are read", model.Dim, model.MaxTokens)
	near, far, err := e.tryOut(ctx)
	if err != nil {
		r.add("vectors", false, "%v", err)
		return r, ctx.Err()
	}
	r.add("vectors", true, "length 1, and the same each time")
	english := knownAs(model.Name) != nil
	detail := fmt.Sprintf("English texts of the same meaning: cosine %.2f and more; of different meaning: at most %.2f", near, far)
	if near <= far && !english {
		detail += "; it may be a model for something else"
	}
	r.add("meaning", near > far || !english, "%s", detail)
	return r, nil
}

// checkFiles compares the files with those that were installed, or with a known model.
func (r *Report) checkFiles(dir string) {
	record, _ := readRecord(dir) // if it is unreadable, the weights decide
	if record == nil {
		detail := "no checksums are known for them"
		if name, err := Identify(dir); err == nil && knownAs(name) != nil {
			detail = "weights and tokenizer as published as " + knownAs(name).Repo + ", by SHA-256"
		}
		r.add("files", true, "%s", detail)
	} else if wrong := checkFiles(dir, record.Files); len(wrong) > 0 {
		r.add("files", false, "not those installed from %s: %s", record.Source, strings.Join(wrong, "; "))
	} else {
		r.add("files", true, "%d, all as installed from %s, by SHA-256", len(record.Files), record.Source)
	}
}

// Pairs of texts with a similar meaning, different from that of the other pairs.
var pairs = []string{
	"The payment service retries failed refunds every night.", "Each night, refunds that failed are tried again by the payment service.",
	"How do I replace the keys that sign our tokens?", "Rotating the signing keys of the tokens, step by step.",
	"Heavy rain flooded the cellar of the old house.", "Water stood in the old house's cellar after the heavy rain.",
}

// tryOut returns the least cosine of texts that mean the same, and the greatest of others.
func (e *Embedder) tryOut(ctx context.Context) (near, far float64, err error) {
	vs, err := e.Embed(ctx, slices.Concat(pairs, pairs[:1], []string{"", strings.Repeat("a long text about the gate ", 200)}))
	if err != nil {
		return 0, 0, err
	}
	near, far = 1.0, -1.0
	for i := range pairs {
		for k := range i {
			if c := embed.Cosine(vs[i], vs[k]); i/2 == k/2 {
				near = min(near, c)
			} else {
				far = max(far, c)
			}
		}
	}
	if c := embed.Cosine(vs[0], vs[len(pairs)]); c < 1-1e-5 { // 0 for a vector of zeros
		return 0, 0, badModel(hintFetch, nil, "%s gives no sound vectors: the same text gave two of cosine %v", e.session.weights, c)
	}
	return near, far, nil
}
