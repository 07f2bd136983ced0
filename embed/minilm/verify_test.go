package minilm

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/fault"

	"blackboard/testdata/cost"
	"blackboard/testdata/models"
)

// writeReference writes the vectors that a model gives, with a change.
func writeReference(t *testing.T, e *Embedder, change func([]knownVector) []knownVector) string {
	t.Helper()
	texts := pairs
	vectors, err := e.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	var list []knownVector
	for i := range texts {
		list = append(list, knownVector{texts[i], vectors[i]})
	}
	if change != nil {
		list = change(list)
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "vectors.json")
	write(t, path, data)
	return path
}

func check(r *Report, name string) Check {
	for _, c := range r.Checks {
		if c.Name == name {
			return c
		}
	}
	return Check{}
}

func TestVerify(t *testing.T) {
	ctx := context.Background()
	dir := models.Write(t, "static", nil)
	e := open(t, dir)
	r, err := Verify(ctx, dir, "")
	if err != nil || !r.OK || r.Model == nil || r.Model.Dim != 16 || r.Reference != nil || !strings.Contains(check(r, "files").Detail, "no checksums are known") {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = Verify(ctx, dir, writeReference(t, e, nil))
	if err != nil || !r.OK || r.Reference == nil || r.Reference.Texts != 6 || r.Reference.MinCosine < 0.999999 || r.Reference.MeanCosine < 0.999999 || r.Reference.MaxDifference > 1e-6 {
		t.Errorf("its own vectors: %+v, %v", r, err)
	}
	r, err = Verify(ctx, dir, writeReference(t, e, func(list []knownVector) []knownVector {
		for i := range list[2].Embedding {
			list[2].Embedding[i] += 0.05 * float32(i%3)
		}
		return list
	}))
	if err != nil || r.OK || r.Reference.MinCosine > MinReferenceCosine || r.Reference.MaxDifference < 0.01 || r.Reference.Worst != pairs[2] || !strings.Contains(check(r, "reference").Detail, "0.999 is needed") {
		t.Errorf("a changed vector: %+v, %v", r, err)
	}
	r, err = Verify(ctx, dir, writeReference(t, e, func(list []knownVector) []knownVector {
		for i := range list {
			list[i].Embedding = list[i].Embedding[:8]
		}
		return list
	}))
	if err != nil || r.OK || r.Reference != nil || !strings.Contains(check(r, "reference").Detail, "another model") {
		t.Errorf("shorter vectors: %+v, %v", r, err)
	}
	// A file in the directory is taken without being named.
	data, err := os.ReadFile(writeReference(t, e, nil))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "reference_vectors.json"), data)
	if r, err = Verify(ctx, dir, ""); err != nil || !r.OK || r.Reference == nil {
		t.Errorf("%+v, %v", r, err)
	}

	for content, words := range map[string]string{
		"":    "has no known vectors",
		"{}":  "has no known vectors",
		"[]":  "is empty",
		"[1]": "has no known vectors",
		`[{"text":"a","embedding":[1]},{"text":"b","embedding":[1,2]}]`: "text 2",
		`[{"text":"a"}]`: "text 1",
	} {
		path := filepath.Join(t.TempDir(), "vectors.json")
		write(t, path, []byte(content))
		_, err := Verify(ctx, dir, path)
		fails(t, err, fault.Invalid, words, path)
	}
	_, err = Verify(ctx, dir, filepath.Join(dir, "absent.json"))
	fails(t, err, fault.NotFound, "not found")
	for _, dir := range []string{"", filepath.Join(dir, "absent"), filepath.Join(dir, "config.json")} {
		_, err := Verify(ctx, dir, "")
		fails(t, err, fault.NoModel)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Verify(cancelled, dir, ""); err != context.Canceled {
		t.Errorf("%v", err)
	}
}

// TestVerifyFiles: what was published, or installed, must still be there.
func TestVerifyFiles(t *testing.T) {
	ctx := context.Background()
	m := newMirror(t, models.All["static"]())
	known := []Manifest{manifestOf(m.files)}
	for _, test := range []struct {
		name     string
		unpinned bool
		damage   func(dir string)
		ok       bool
		words    string
	}{
		{"published", false, func(string) {}, true, "7, all as published as org/m"},
		{"installed", true, func(string) {}, true, "all as installed from " + m.URL},
		{"published elsewhere", false, func(dir string) { os.Remove(filepath.Join(dir, recordName)) }, true, "published as org/m"},
		{"changed", false, func(dir string) { write(t, filepath.Join(dir, "config.json"), []byte("{}")) }, false, "config.json has 2 bytes"},
		{"changed since", true, func(dir string) { write(t, filepath.Join(dir, "config.json"), []byte("{}")) }, false, "config.json has 2 bytes"},
		{"missing", true, func(dir string) { os.Remove(filepath.Join(dir, "modules.json")) }, false, "modules.json is missing"},
		{"no weights", false, func(dir string) { os.Remove(filepath.Join(dir, weightsName)) }, false, "onnx/model.onnx is missing"},
		{"damaged weights", true, func(dir string) {
			data := append([]byte{}, m.files[weightsName]...)
			data[len(data)/2] ^= 0x40
			write(t, filepath.Join(dir, weightsName), data)
		}, false, "onnx/model.onnx has the SHA-256"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "m")
			known := known
			mustPull(t, m, dir, func(o *PullOptions) {
				if test.unpinned {
					o.Manifest, known = unpinned(), nil
				}
			})
			test.damage(dir)
			r, err := verify(ctx, dir, "", known)
			if err != nil {
				t.Fatal(err)
			}
			// Random weights mean nothing, so a known model that is one fails for that.
			if c := check(r, "files"); c.OK != test.ok || !strings.Contains(c.Detail, test.words) || !c.OK && r.OK {
				t.Errorf("%+v", r)
			}
		})
	}
	// A known model under another name is known by its weights.
	dir := filepath.Join(t.TempDir(), "renamed")
	mustPull(t, m, dir, nil)
	os.Remove(filepath.Join(dir, recordName))
	if r, err := verify(ctx, dir, "", known); err != nil || !check(r, "files").OK || !strings.Contains(check(r, "files").Detail, "published") {
		t.Errorf("%+v, %v", r, err)
	}
	known[0].Dim = 99
	if r, err := verify(ctx, dir, "", known); err != nil || r.OK || check(r, "loads").OK {
		t.Errorf("a model of another size than it should have: %+v, %v", r, err)
	}
}

// TestVerifyReal: a real model passes, and not for another one.
func TestVerifyReal(t *testing.T) {
	cost.SkipUnlessLong(t)
	ctx := context.Background()
	r, err := Verify(ctx, potionDir(t), "")
	if err != nil || !r.OK || strings.Contains(check(r, "meaning").Detail, "something else") {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = Verify(ctx, potionDir(t), filepath.Join(miniLMReference(t), "reference_vectors_100.json"))
	if err != nil || r.OK || !strings.Contains(check(r, "reference").Detail, "another model: its vectors have 384 numbers") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestInspect(t *testing.T) {
	info, err := Inspect(models.Write(t, "tiny-mean", nil))
	if err != nil || info.Name != "tiny-mean" || info.Dim != 16 || info.MaxTokens != 48 || info.Bytes < 10_000 {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := Inspect(models.Write(t, "tiny-mean", map[string][]byte{weightsName: nil})); err == nil {
		t.Error("no weights, no error")
	}
}
