package minilm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/models"
)

// mirror is a hub on this machine that has one model, and what goes wrong with it.
type mirror struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string][]byte
	wrong func(w http.ResponseWriter, r *http.Request, name string) bool // answers instead, or says false
	asked []string                                                       // "name range"
}

const mirrorPath = "/org/m/resolve/rev"

func newMirror(t *testing.T, files map[string][]byte) *mirror {
	m := &mirror{files: maps.Clone(files)}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, mirrorPath+"/")
		m.mu.Lock()
		m.asked = append(m.asked, strings.TrimSpace(name+" "+r.Header.Get("Range")))
		data, found := m.files[name]
		wrong := m.wrong
		m.mu.Unlock()
		switch {
		case wrong != nil && wrong(w, r, name):
		case !ok || !found:
			http.NotFound(w, r)
		default:
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		}
	}))
	t.Cleanup(m.Close)
	return m
}

func (m *mirror) goesWrong(wrong func(w http.ResponseWriter, r *http.Request, name string) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wrong, m.asked = wrong, nil
}

func (m *mirror) requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked)
}

// cut lets a connection end after n bytes of the weights.
func cut(files map[string][]byte, n int) func(http.ResponseWriter, *http.Request, string) bool {
	return func(w http.ResponseWriter, _ *http.Request, name string) bool {
		if name != weightsName {
			return false
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(files[name])))
		w.Write(files[name][:n])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

func status(code int, header ...string) func(http.ResponseWriter, *http.Request, string) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ string) bool {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		return true
	}
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

const weightsName = "onnx/model.onnx"

// manifestOf pins the files of a test model, the weights last.
func manifestOf(files map[string][]byte) Manifest {
	m := Manifest{Name: "m", Repo: "org/m", Revision: "rev"}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(n string) bool { return n == weightsName })
	for _, name := range append(names, weightsName) {
		m.Files = append(m.Files, File{Name: name, Bytes: int64(len(files[name])), SHA256: sum(files[name])})
	}
	return m
}

// unpinned is the same model as one that nobody knows.
func unpinned() Manifest {
	return Manifest{Name: "m", Repo: "org/m", Revision: "rev", Files: anyFiles}
}

// bigger is a test model whose weights are worth cutting.
func bigger() map[string][]byte {
	s := models.Tiny
	s.Positions = 4096 // 256 KB
	return models.WithWeights(models.BERTFiles(s, "mean", 48), weightsName, s, 16)
}

func pull(t *testing.T, m *mirror, dir string, change func(*PullOptions)) (*Pulled, error) {
	t.Helper()
	o := PullOptions{Manifest: manifestOf(m.files), Dir: dir, Endpoint: m.URL}
	if change != nil {
		change(&o)
	}
	return Pull(context.Background(), o)
}

func mustPull(t *testing.T, m *mirror, dir string, change func(*PullOptions)) *Pulled {
	t.Helper()
	return expect.Value(pull(t, m, dir, change))(t)
}

// fails checks an error: its kind, that it says what to do next, and its words.
func fails(t *testing.T, err error, kind error, words ...string) {
	t.Helper()
	var e *fault.Error
	if !errors.Is(err, kind) || !errors.As(err, &e) {
		t.Fatalf("error %v, want %v", err, kind)
	}
	if len(e.Next) == 0 {
		t.Errorf("%v: no hint", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error()+fmt.Sprint(e.Next), w) {
			t.Errorf("%v / %v: does not say %q", err, e.Next, w)
		}
	}
}

// beside lists what lies in the parent of a model's directory besides it and the lock.
func beside(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != filepath.Base(dir) && e.Name() != ".m.lock" {
			names = append(names, e.Name())
		}
	}
	return names
}

func sameFiles(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, error %v", name, len(got), err)
		}
	}
	if b := beside(t, dir); b != nil {
		t.Errorf("left beside the model: %q", b)
	}
}

func TestPull(t *testing.T) {
	m := newMirror(t, models.All["tiny-mean"]())
	dir := filepath.Join(t.TempDir(), "models", "m")
	last := map[string]Progress{}
	got := mustPull(t, m, dir, func(o *PullOptions) { o.Progress = func(p Progress) { last[p.File] = p } })
	sameFiles(t, dir, m.files)
	if got.Already || !got.Pinned || got.Name != "m" || got.Dir != dir || len(got.Files) != len(m.files) || got.Source != m.URL+mirrorPath {
		t.Errorf("%+v", got)
	}
	if p := last[weightsName]; p.Done != int64(len(m.files[weightsName])) || p.Total != p.Done {
		t.Errorf("the last word on the weights was %+v", p)
	}
	if asked := m.requests(); asked[len(asked)-1] != weightsName {
		t.Errorf("the weights were not the last: %q", asked)
	}
	if info, err := os.Stat(filepath.Join(dir, weightsName)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	open(t, dir)
	if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("opened, the directory is %v, %v", info, err)
	}

	m.goesWrong(nil)
	again := mustPull(t, m, dir, nil)
	if asked := m.requests(); len(asked) > 0 || !again.Already || again.Bytes != got.Bytes || again.Source != got.Source {
		t.Errorf("a second pull asked for %q and says %+v", asked, again)
	}
	mustPull(t, m, dir, func(o *PullOptions) { o.Force = true })
	if asked := m.requests(); len(asked) == 0 {
		t.Error("with Force nothing was fetched")
	}
	sameFiles(t, dir, m.files)
}

// TestPullMiniLMShaped has the real size but for the vocabulary.
func TestPullMiniLMShaped(t *testing.T) {
	t.Parallel()
	cost.SkipUnlessLong(t)
	m := newMirror(t, models.All["minilm-shaped"]())
	dir := filepath.Join(t.TempDir(), "m")
	m.goesWrong(cut(m.files, 20_000_000))
	_, err := pull(t, m, dir, nil)
	fails(t, err, fault.Failure, "broke after", "same command")
	m.goesWrong(nil)
	mustPull(t, m, dir, nil)
	if asked := m.requests(); !slices.Equal(asked, []string{weightsName + " bytes=20000000-"}) {
		t.Errorf("asked for %q", asked)
	}
	sameFiles(t, dir, m.files)
}

func TestPullResume(t *testing.T) {
	files := bigger()
	const have = 100_000
	rest := fmt.Sprintf("%s bytes=%d-", weightsName, have)
	other := maps.Clone(files)
	other[weightsName] = bytes.Clone(files[weightsName])
	other[weightsName][have/2] ^= 1
	for _, test := range []struct {
		name      string
		wrong     func(http.ResponseWriter, *http.Request, string) bool
		wantAsked []string
	}{
		{"range honoured", nil, []string{rest}},
		{"range ignored", func(_ http.ResponseWriter, r *http.Request, _ string) bool { r.Header.Del("Range"); return false }, []string{rest}},
		{"no range of this file", func(w http.ResponseWriter, r *http.Request, _ string) bool {
			if r.Header.Get("Range") != "" {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			}
			return r.Header.Get("Range") != ""
		}, []string{rest, weightsName}},
		{"another range", func(w http.ResponseWriter, r *http.Request, _ string) bool {
			if r.Header.Get("Range") != "" {
				w.Header().Set("Content-Range", "bytes 7-9/10")
				w.WriteHeader(http.StatusPartialContent)
			}
			return r.Header.Get("Range") != ""
		}, []string{rest, weightsName}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMirror(t, files)
			dir := filepath.Join(t.TempDir(), "m")
			m.goesWrong(cut(files, have))
			_, err := pull(t, m, dir, nil)
			fails(t, err, fault.Failure, "127.0.0.1", "0.1 MB of onnx/model.onnx", "same command")
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the directory is there before it is complete: %v", err)
			}
			m.goesWrong(test.wrong)
			mustPull(t, m, dir, nil)
			if asked := m.requests(); !slices.Equal(asked, test.wantAsked) {
				t.Errorf("asked for %q, want %q", asked, test.wantAsked)
			}
			sameFiles(t, dir, files)
		})
	}
	t.Run("of unknown checksum", func(t *testing.T) {
		m := newMirror(t, files)
		dir := filepath.Join(t.TempDir(), "m")
		m.goesWrong(func(w http.ResponseWriter, r *http.Request, name string) bool {
			if name == weightsName {
				w.Write(files[name][:have])
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
			return false
		})
		if _, err := pull(t, m, dir, func(o *PullOptions) { o.Manifest = unpinned() }); err == nil {
			t.Fatal("a broken connection went unnoticed")
		}
		m.goesWrong(nil)
		mustPull(t, m, dir, func(o *PullOptions) { o.Manifest = unpinned() })
		if !slices.Contains(m.requests(), weightsName) {
			t.Errorf("what may be of another file was continued: %q", m.requests())
		}
		sameFiles(t, dir, files)
	})
	t.Run("a changed part", func(t *testing.T) {
		m := newMirror(t, files)
		dir := filepath.Join(t.TempDir(), "m")
		m.goesWrong(cut(other, have))
		if _, err := pull(t, m, dir, nil); err == nil {
			t.Fatal("a broken connection went unnoticed")
		}
		m.goesWrong(nil)
		_, err := pull(t, m, dir, nil)
		fails(t, err, fault.Failure, "not the published file", "SHA-256", "deleted")
		mustPull(t, m, dir, nil) // from the beginning
		sameFiles(t, dir, files)
	})
}
