package minilm

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"

	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/models"
)

func check(r *Report, name string) Check {
	for _, c := range r.Checks {
		if c.Name == name {
			return c
		}
	}
	return Check{}
}

func TestVerify(t *testing.T) {
	ctx := t.Context()
	dir := models.Write(t, "static", nil)
	r, err := Verify(ctx, dir)
	if err != nil || !r.OK || r.Model == nil || r.Model.Dim != 16 || !strings.Contains(check(r, "files").Detail, "no checksums are known") {
		t.Errorf("%+v, %v", r, err)
	}
	for _, dir := range []string{"", filepath.Join(dir, "absent"), filepath.Join(dir, "config.json")} {
		_, err := Verify(ctx, dir)
		fails(t, err, fault.NoModel)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Verify(cancelled, dir); err != context.Canceled {
		t.Errorf("%v", err)
	}
}

// knowing has the program know a model for a test, which must not be parallel.
func knowing(t *testing.T, m Manifest, limit int, weights ...string) {
	was := known
	m.weights, m.limit, m.pooling = weights, limit, poolMean
	known = append(slices.Clone(known), m)
	t.Cleanup(func() { known = was })
}

// TestVerifyFiles: what was installed must still be there, and what is known is said.
func TestVerifyFiles(t *testing.T) {
	m := newMirror(t, models.All["static"]())
	knowing(t, manifestOf(m.files), 48, sum(m.files[weightsName]))
	for _, test := range []struct {
		name   string
		damage func(dir string)
		ok     bool
		words  string
	}{
		{"installed", func(string) {}, true, "all as installed from " + m.URL},
		{"by other means", func(dir string) { os.Remove(filepath.Join(dir, recordName)) }, true, "as published as org/m"},
		{"changed", func(dir string) { write(t, filepath.Join(dir, "config.json"), []byte("{}")) }, false, "config.json has the SHA-256"},
		{"missing", func(dir string) { os.Remove(filepath.Join(dir, "modules.json")) }, false, "modules.json is missing"},
		{"no weights", func(dir string) { os.Remove(filepath.Join(dir, weightsName)) }, false, "onnx/model.onnx is missing"},
		{"damaged weights", func(dir string) {
			data := append([]byte{}, m.files[weightsName]...)
			data[len(data)/2] ^= 0x40
			write(t, filepath.Join(dir, weightsName), data)
		}, false, "onnx/model.onnx has the SHA-256"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "elsewhere")
			mustPull(t, m, dir, nil)
			test.damage(dir)
			r := expect.Value(Verify(t.Context(), dir))(t)
			// Random weights mean nothing, so a known model that has them fails for that.
			if c := check(r, "files"); c.OK != test.ok || !strings.Contains(c.Detail, test.words) || !c.OK && r.OK {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestVerifyReal: a real model passes.
func TestVerifyReal(t *testing.T) {
	cost.SkipUnlessLong(t)
	r, err := Verify(t.Context(), potionDir(t))
	if err != nil || !r.OK || strings.Contains(check(r, "meaning").Detail, "something else") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestInspect(t *testing.T) {
	eight := models.Tiny
	eight.Int8 = true
	int8 := models.Write(t, "tiny-mean", models.WithWeights(models.BERTFiles(eight, "mean", 48), weightsName, eight, 16))
	if info, err := Inspect(int8); err != nil || !info.Int8 {
		t.Errorf("weights of 8 bits: %+v, %v", info, err)
	}
	info, err := Inspect(models.Write(t, "tiny-mean", nil))
	if err != nil || info.Name != "tiny-mean" || info.Dim != 16 || info.MaxTokens != 48 || info.Bytes < 10_000 || info.Int8 {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := Inspect(models.Write(t, "tiny-mean", map[string][]byte{weightsName: nil})); err == nil {
		t.Error("no weights, no error")
	}
}
