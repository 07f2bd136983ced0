package minilm

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/embed"
)

// MinReferenceCosine is the least cosine of each vector with the known one. Another
// computation of the same model stays above 0.9999; its 8-bit form, or another tokenizer,
// is below the limit.
const MinReferenceCosine = 0.999

// referenceNames are files with known vectors that Verify uses by default if the model's
// directory has them.
var referenceNames = []string{"reference_vectors.json", "reference_vectors_100.json"}

// Check is one check of Verify.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`     // whether it passed
	Detail string `json:"detail"` // what was found
}

// Comparison compares a model's vectors with known ones.
type Comparison struct {
	File          string  `json:"file"`  // with the known vectors
	Texts         int     `json:"texts"` // number of compared texts
	MinCosine     float64 `json:"min_cosine"`
	MeanCosine    float64 `json:"mean_cosine"`
	MaxDifference float64 `json:"max_difference"` // of two numbers at the same index
	Worst         string  `json:"worst"`          // the text with the least cosine
}

// Report is the result of Verify.
type Report struct {
	OK        bool         `json:"ok"` // all checks passed
	Dir       string       `json:"dir"`
	Model     *embed.Model `json:"model"`     // nil if it does not load
	Checks    []Check      `json:"checks"`    // what was checked
	Reference *Comparison  `json:"reference"` // nil without known vectors
}

func (r *Report) add(name string, ok bool, format string, a ...any) {
	r.Checks = append(r.Checks, Check{name, ok, fmt.Sprintf(format, a...)})
	r.OK = r.OK && ok
}

// Verify checks the model in dir: its files have the published checksums (of a known
// model) or those of the installation (by Pull), it loads, and its vectors are valid.
// reference is a file with known vectors to compare with, a list of {"text",
// "embedding"}; "" uses one in the directory, if it exists.
//
// The error means that the check failed; the report has what is wrong with the model.
func Verify(ctx context.Context, dir, reference string) (*Report, error) {
	return verify(ctx, dir, reference, known())
}

func verify(ctx context.Context, dir, reference string, known []Manifest) (*Report, error) {
	abs, err := filepath.Abs(dir)
	if err != nil || dir == "" {
		return nil, noModel(hintNoSuch, err, "no directory of an embedding model is named")
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		_, err := readConfig(abs)
		return nil, err
	}
	for _, name := range referenceNames {
		if path := filepath.Join(abs, name); reference == "" && checkFile(abs, File{Name: name}) == "" {
			reference = path
		}
	}
	var texts []knownVector
	if reference != "" {
		if texts, err = readReference(reference); err != nil {
			return nil, err
		}
	}
	r := &Report{OK: true, Dir: abs, Checks: []Check{}}
	m := r.checkFiles(abs, known)
	e, err := Open(ctx, abs)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		r.add("loads", false, "%v", err)
		return r, nil
	}
	defer e.Close()
	model := e.Model()
	r.Model = &model
	r.add("loads", m == nil || m.Dim == 0 || m.Dim == model.Dim, "%d numbers in a vector, %d tokens of a text are read", model.Dim, model.MaxTokens)
	if err := r.checkVectors(ctx, e, m != nil); err != nil {
		return nil, err
	}
	if reference != "" {
		if err := r.compare(ctx, e, reference, texts); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// checkFiles compares the checksums of the files, and returns the model's manifest if it
// is a known one.
func (r *Report) checkFiles(dir string, known []Manifest) *Manifest {
	record, _ := readRecord(dir) // if it is unreadable, the other files decide
	m := identify(dir, record, known)
	var files []File
	what := ""
	switch {
	case m != nil:
		files, what = m.Files, "published as "+m.Repo
	case record != nil:
		files, what = record.Files, "installed from "+record.Source
	default:
		r.add("files", true, "no checksums are known for them")
		return nil
	}
	var wrong []string
	checked := 0
	for _, f := range files {
		if m == nil {
			f.Optional = false
		}
		if problem := checkFile(dir, f); problem != "" {
			wrong = append(wrong, problem)
		} else if _, err := os.Stat(f.in(dir)); err == nil {
			checked++
		}
	}
	if len(wrong) > 0 {
		r.add("files", false, "not those %s: %s", what, strings.Join(wrong, "; "))
	} else {
		r.add("files", true, "%d, all as %s, by SHA-256", checked, what)
	}
	return m
}

// identify returns the known model that a directory has or claims to have: by its record,
// its name, or its weights.
func identify(dir string, r *record, known []Manifest) *Manifest {
	name := filepath.Base(dir)
	if r != nil {
		name = r.Name
	}
	for i := range known {
		if known[i].Name == name {
			return &known[i]
		}
	}
	for i, m := range known {
		for _, f := range m.Files {
			if strings.HasSuffix(f.Name, ".onnx") && f.SHA256 != "" && checkFile(dir, f) == "" {
				return &known[i]
			}
		}
	}
	return nil
}

// Pairs of texts with a similar meaning, different from that of the other pairs.
var pairs = []string{
	"The payment service retries failed refunds every night.", "Each night, refunds that failed are tried again by the payment service.",
	"How do I replace the keys that sign our tokens?", "Rotating the signing keys of the tokens, step by step.",
	"Heavy rain flooded the cellar of the old house.", "Water stood in the old house's cellar after the heavy rain.",
}

// checkVectors checks vectors against the contract of embed.Embedder, and that similar
// texts are closer than others. The latter is required of a model that is known to read
// English, and a note for others.
func (r *Report) checkVectors(ctx context.Context, e *Embedder, english bool) error {
	first, err := e.Embed(ctx, slices.Concat(pairs, []string{"", "ok", strings.Repeat("a long text about the gate ", 200)}))
	var again []embed.Vector
	if err == nil {
		again, err = e.Embed(ctx, pairs)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.add("vectors", false, "%v", err)
		return nil
	}
	length, apart := 0.0, 0.0
	for _, v := range first {
		var sum float64
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if sum > 0 { // a text without a known token has zeros
			length = max(length, math.Abs(math.Sqrt(sum)-1))
		}
	}
	near, far := 1.0, -1.0
	for i, v := range again {
		for k, x := range v {
			apart = max(apart, math.Abs(float64(x-first[i][k])))
		}
		for k := range i {
			if c := embed.Cosine(v, again[k]); i/2 == k/2 {
				near = min(near, c)
			} else {
				far = max(far, c)
			}
		}
	}
	switch {
	case embed.Cosine(first[0], first[0]) == 0:
		r.add("vectors", false, "an ordinary text has a vector of zeros")
	case length > 1e-3:
		r.add("vectors", false, "a length differs from 1 by %.1e", length)
	case apart > 1e-5:
		r.add("vectors", false, "the same text gave numbers that differ by %.1e", apart)
	default:
		r.add("vectors", true, "length 1, and the same each time")
	}
	detail := fmt.Sprintf("English texts of the same meaning: cosine %.2f and more; of different meaning: at most %.2f", near, far)
	if near <= far && !english {
		detail += "; it may be a model for something else"
	}
	r.add("meaning", near > far || !english, "%s", detail)
	return nil
}

type knownVector struct {
	Text      string       `json:"text"`
	Embedding embed.Vector `json:"embedding"`
}

func readReference(path string) ([]knownVector, error) {
	const hint = `it must be a JSON list of {"text": …, "embedding": [numbers]}`
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, failure(fault.NotFound, "name a file of known vectors: "+hint, nil, "file %s not found", path)
	}
	var texts []knownVector
	if err := json.Unmarshal(data, &texts); err != nil {
		return nil, failure(fault.Invalid, hint, err, "%s has no known vectors", path)
	}
	if len(texts) == 0 {
		return nil, failure(fault.Invalid, hint, nil, "%s is empty", path)
	}
	for i, t := range texts {
		if len(t.Embedding) == 0 || len(t.Embedding) != len(texts[0].Embedding) {
			return nil, failure(fault.Invalid, hint, nil, "text %d of %s has a vector of %d numbers, the first one has %d", i+1, path, len(t.Embedding), len(texts[0].Embedding))
		}
	}
	return texts, nil
}

// compare embeds the texts of a reference, in one call, which uses all processors.
func (r *Report) compare(ctx context.Context, e *Embedder, path string, want []knownVector) error {
	if dim := len(want[0].Embedding); dim != e.Model().Dim {
		r.add("reference", false, "%s is of another model: its vectors have %d numbers, those of %s %d", path, dim, e.Model().Name, e.Model().Dim)
		return nil
	}
	var texts []string
	for _, w := range want {
		texts = append(texts, w.Text)
	}
	got, err := e.Embed(ctx, texts)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.add("reference", false, "%v", err)
		return nil
	}
	c := &Comparison{File: path, Texts: len(texts), MinCosine: math.Inf(1)}
	for i, w := range want {
		cos := embed.Cosine(got[i], w.Embedding)
		c.MeanCosine += cos / float64(len(want))
		if cos < c.MinCosine {
			c.MinCosine, c.Worst = cos, w.Text
		}
		known := slices.Clone(w.Embedding)
		known.Normalize()
		for k := range known {
			c.MaxDifference = max(c.MaxDifference, math.Abs(float64(known[k]-got[i][k])))
		}
	}
	r.Reference = c
	detail := fmt.Sprintf("%d texts of %s: cosine %.5f at least, %.5f on average; largest difference of a number %.1e", c.Texts, path, c.MinCosine, c.MeanCosine, c.MaxDifference)
	if c.MinCosine < MinReferenceCosine {
		detail += fmt.Sprintf("; %g is needed. Either this is another model or its files are damaged", MinReferenceCosine)
	}
	r.add("reference", c.MinCosine >= MinReferenceCosine, "%s", detail)
	return nil
}
