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

	"blackboard/embed"
)

// mirror is a hub on this machine that has one model, and what goes wrong with it.
type mirror struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string][]byte
	tags  bool                                                           // ETags are sent
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
		wrong, tags := m.wrong, m.tags
		m.mu.Unlock()
		switch {
		case wrong != nil && wrong(w, r, name):
		case !ok || !found:
			http.NotFound(w, r)
		default:
			if tags {
				w.Header().Set("ETag", `"`+sum(data)+`"`)
			}
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
		w.Header().Set("ETag", `"`+sum(files[name])+`"`)
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
	m := Manifest{Name: "m", Repo: "org/m", Revision: "rev", Dim: 16}
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
	s := tinyShape
	s.Positions = 4096 // 256 KB
	return withWeights(bertFiles(s, "mean", 48), weightsName, s, 16)
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
	p, err := pull(t, m, dir, change)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fails checks an error: its kind, that it says what to do next, and its words.
func fails(t *testing.T, err error, kind error, words ...string) {
	t.Helper()
	var e *embed.Error
	if !errors.Is(err, kind) || !errors.As(err, &e) {
		t.Fatalf("error %v, want %v", err, kind)
	}
	if e.Hint == "" {
		t.Errorf("%v: no hint", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error()+" / "+e.Hint, w) {
			t.Errorf("%v / %s: does not say %q", err, e.Hint, w)
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
	m := newMirror(t, testModels["tiny-mean"]())
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
	if raceEnabled || testing.Short() {
		t.Skip("a model of this size is slow with -race, and skipped with -short")
	}
	m := newMirror(t, testModels["minilm-shaped"]())
	dir := filepath.Join(t.TempDir(), "m")
	m.goesWrong(cut(m.files, 20_000_000))
	_, err := pull(t, m, dir, nil)
	fails(t, err, ErrFetch, "broke after", "continues")
	m.goesWrong(nil)
	mustPull(t, m, dir, nil)
	if asked := m.requests(); !slices.Equal(asked, []string{weightsName + " bytes=20000000-"}) {
		t.Errorf("asked for %q", asked)
	}
	sameFiles(t, dir, m.files)

	e := open(t, dir)
	reference := writeReference(t, e, nil)
	r, err := verify(context.Background(), dir, reference, []Manifest{manifestOf(m.files)})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Reference; c == nil || c.Texts != 6 || c.MinCosine < 0.99999 || c.MaxDifference > 1e-5 {
		t.Errorf("against its own vectors: %+v", r)
	}
	// The vectors published for the real model are none of this one's. A few of them show it.
	texts, err := readReference(filepath.Join(miniLMReference(t), "reference_vectors_100.json"))
	if err != nil || len(texts) != 100 {
		t.Fatalf("%d texts, %v", len(texts), err)
	}
	r, err = Verify(context.Background(), dir, writeReference(t, e, func([]knownVector) []knownVector { return texts[:4] }))
	if err != nil || r.OK || r.Reference == nil || r.Reference.MinCosine > 0.9 {
		t.Errorf("against another model's vectors: %+v, %v", r, err)
	}
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
		unpinned  bool
		tags      bool
		then      map[string][]byte // what the mirror has the second time
		wrong     func(http.ResponseWriter, *http.Request, string) bool
		wantAsked []string
	}{
		{"range honoured", false, false, files, nil, []string{rest}},
		{"range ignored", false, false, files, func(_ http.ResponseWriter, r *http.Request, _ string) bool { r.Header.Del("Range"); return false }, []string{rest}},
		{"the same ETag", true, true, files, nil, []string{rest}},
		{"another file since", true, true, other, nil, []string{rest}},
		{"no range of this file", true, true, files, func(w http.ResponseWriter, r *http.Request, _ string) bool {
			if r.Header.Get("Range") != "" {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			}
			return r.Header.Get("Range") != ""
		}, []string{rest, weightsName}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMirror(t, files)
			m.tags = test.tags
			change := func(o *PullOptions) {
				if o.Manifest = manifestOf(files); test.unpinned {
					o.Manifest = unpinned()
				}
			}
			dir := filepath.Join(t.TempDir(), "m")
			m.goesWrong(cut(files, have))
			_, err := pull(t, m, dir, change)
			fails(t, err, ErrFetch, "127.0.0.1", "0.1 MB of onnx/model.onnx", "same command")
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the directory is there before it is complete: %v", err)
			}
			m.goesWrong(test.wrong)
			m.files = test.then
			mustPull(t, m, dir, change)
			asked := slices.DeleteFunc(m.requests(), func(s string) bool { return !strings.HasPrefix(s, weightsName) })
			if !slices.Equal(asked, test.wantAsked) {
				t.Errorf("asked for %q, want %q", asked, test.wantAsked)
			}
			sameFiles(t, dir, map[string][]byte{weightsName: test.then[weightsName]})
		})
	}
	t.Run("no validator", func(t *testing.T) {
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
		fails(t, err, ErrFetch, "not the published file", "SHA-256", "deleted")
		mustPull(t, m, dir, nil) // from the beginning
		sameFiles(t, dir, files)
	})
	t.Run("complete, but not looked at", func(t *testing.T) {
		m := newMirror(t, files)
		dir := filepath.Join(t.TempDir(), "m")
		write(t, filepath.Join(filepath.Dir(dir), ".m.part", weightsName+".part"), files[weightsName])
		mustPull(t, m, dir, nil)
		if slices.Contains(m.requests(), weightsName) {
			t.Error("the weights were fetched again")
		}
		sameFiles(t, dir, files)
	})
}

func TestPullFaults(t *testing.T) {
	files := bigger()
	wrongSum := bytes.Clone(files[weightsName])
	wrongSum[1000] ^= 1
	serve := func(data []byte) func(http.ResponseWriter, *http.Request, string) bool {
		return func(w http.ResponseWriter, _ *http.Request, name string) bool {
			if name == weightsName {
				w.Header().Set("Content-Length", fmt.Sprint(len(data)))
				w.Write(data)
			}
			return name == weightsName
		}
	}
	for _, test := range []struct {
		name  string
		wrong func(http.ResponseWriter, *http.Request, string) bool
		kind  error
		words []string
	}{
		{"checksum", serve(wrongSum), ErrFetch, []string{"onnx/model.onnx from 127.0.0.1", "SHA-256", "deleted", "HF_ENDPOINT"}},
		{"another size", serve(files[weightsName][:5000]), ErrFetch, []string{"5000 bytes", "HF_ENDPOINT"}},
		{"a body that ends early", func(w http.ResponseWriter, _ *http.Request, name string) bool {
			if name == weightsName {
				w.Write(files[name][:5000])
				w.(http.Flusher).Flush() // no Content-Length
			}
			return name == weightsName
		}, ErrFetch, []string{"broke after 5000 bytes", "continues"}},
		{"404", status(404), ErrNotFound, []string{"has no 1_Pooling/config.json of m", "--revision main"}},
		{"403", status(403), ErrFetch, []string{"refuses", "403 Forbidden", "--from DIRECTORY"}},
		{"401", status(401, "X-Error-Code", "RepoNotFound"), ErrNotFound, []string{"has no model org/m", "--from DIRECTORY"}},
		{"no such revision", status(404, "X-Error-Code", "RevisionNotFound"), ErrNotFound, []string{"no revision rev", "--revision main"}},
		{"429", status(429), ErrFetch, []string{"429 Too Many Requests", "later"}},
		{"500", status(500), ErrFetch, []string{"500 Internal Server Error", "later"}},
		{"teapot", status(418), ErrFetch, []string{"418"}},
		{"another range", func(w http.ResponseWriter, _ *http.Request, _ string) bool {
			w.Header().Set("Content-Range", "bytes 7-9/10")
			w.WriteHeader(206)
			return true
		}, ErrFetch, []string{"another part", "anew"}},
		{"a circle", func(w http.ResponseWriter, r *http.Request, _ string) bool {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
			return true
		}, ErrFetch, []string{"circle"}},
		{"a stall before the answer", func(_ http.ResponseWriter, r *http.Request, _ string) bool {
			select {
			case <-r.Context().Done():
			case <-time.After(10 * time.Second):
			}
			return true
		}, ErrFetch, []string{"127.0.0.1", "sent nothing for 100ms"}},
		{"a stall in between", func(w http.ResponseWriter, r *http.Request, name string) bool {
			if name != weightsName {
				return false
			}
			w.Header().Set("Content-Length", fmt.Sprint(len(files[name])))
			w.Write(files[name][:5000])
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(10 * time.Second):
			}
			return true
		}, ErrFetch, []string{"sent nothing for 100ms, after 5000 bytes of onnx/model.onnx", "continues"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMirror(t, files)
			m.goesWrong(test.wrong)
			dir := filepath.Join(t.TempDir(), "m")
			begin := time.Now()
			_, err := pull(t, m, dir, func(o *PullOptions) {
				if strings.Contains(test.name, "stall") {
					o.stall = 100 * time.Millisecond
				}
			})
			fails(t, err, test.kind, test.words...)
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the directory is there: %v", err)
			}
			m.goesWrong(nil) // whatever it was, it is over
			mustPull(t, m, dir, nil)
			sameFiles(t, dir, files)
		})
	}
	t.Run("refused", func(t *testing.T) {
		m := newMirror(t, files)
		m.Close()
		_, err := pull(t, m, filepath.Join(t.TempDir(), "m"), nil)
		fails(t, err, ErrFetch, m.Listener.Addr().String()+" cannot be reached", "--from", "HF_ENDPOINT", "proxy")
	})
}

// TestPullOptional: what a mirror lacks may be missing if the model does without it.
func TestPullOptional(t *testing.T) {
	m := newMirror(t, testModels["tiny-mean"]())
	manifest := manifestOf(m.files)
	for i := range manifest.Files {
		if manifest.Files[i].Name == "tokenizer_config.json" {
			manifest.Files[i].Optional = true
		}
	}
	delete(m.files, "tokenizer_config.json")
	dir := filepath.Join(t.TempDir(), "m")
	got := mustPull(t, m, dir, func(o *PullOptions) { o.Manifest = manifest })
	if len(got.Files) != len(m.files) {
		t.Errorf("%+v", got.Files)
	}
	if again := mustPull(t, m, dir, func(o *PullOptions) { o.Manifest = manifest }); !again.Already {
		t.Error("fetched again for the sake of a file that may be missing")
	}
	sameFiles(t, dir, m.files)
}

// TestPullRedirect: hubs keep large files elsewhere. Ranges must survive the way there.
func TestPullRedirect(t *testing.T) {
	files := bigger()
	cdn := newMirror(t, files)
	hub := newMirror(t, files)
	to := func(base string) func(http.ResponseWriter, *http.Request, string) bool {
		return func(w http.ResponseWriter, r *http.Request, name string) bool {
			http.Redirect(w, r, base+r.URL.Path, http.StatusFound)
			return true
		}
	}
	hub.goesWrong(to(cdn.URL))
	dir := filepath.Join(t.TempDir(), "m")
	cdn.goesWrong(cut(files, 70_000))
	if _, err := pull(t, hub, dir, nil); err == nil {
		t.Fatal("a broken connection went unnoticed")
	}
	cdn.goesWrong(nil)
	mustPull(t, hub, dir, nil)
	if asked := cdn.requests(); !slices.Equal(asked, []string{weightsName + " bytes=70000-"}) {
		t.Errorf("asked for %q", asked)
	}
	sameFiles(t, dir, files)

	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { to(cdn.URL)(w, r, "") }))
	defer secure.Close()
	client := secure.Client()
	client.CheckRedirect = newClient().CheckRedirect
	_, err := pull(t, hub, filepath.Join(t.TempDir(), "m"), func(o *PullOptions) { o.Endpoint, o.client = secure.URL, client })
	fails(t, err, ErrFetch, "unencrypted")
}

func TestPullCancelled(t *testing.T) {
	m := newMirror(t, bigger())
	dir := filepath.Join(t.TempDir(), "m")
	ctx, cancel := context.WithCancelCause(context.Background())
	m.goesWrong(func(w http.ResponseWriter, r *http.Request, name string) bool {
		if name != weightsName {
			return false
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(m.files[name])))
		w.Write(m.files[name][:100_000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	})
	_, err := Pull(ctx, PullOptions{Manifest: manifestOf(m.files), Dir: dir, Endpoint: m.URL, Progress: func(p Progress) {
		if p.File == weightsName {
			cancel(errors.New("Ctrl-C"))
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	part := filepath.Join(filepath.Dir(dir), ".m.part", weightsName+".part")
	if info, err := os.Stat(part); err != nil || info.Size() == 0 {
		t.Fatalf("the part was not kept: %v, %v", info, err)
	}
	m.goesWrong(nil)
	mustPull(t, m, dir, nil)
	if asked := m.requests(); len(asked) != 1 || !strings.Contains(asked[0], " bytes=") {
		t.Errorf("asked for %q", asked)
	}
	sameFiles(t, dir, m.files)
}

func TestPullNoSpace(t *testing.T) {
	m := newMirror(t, bigger())
	dir := filepath.Join(t.TempDir(), "m")
	full := func(o *PullOptions) { o.free = func(string) (int64, bool) { return 1000, true } }
	_, err := pull(t, m, dir, full)
	fails(t, err, ErrNoSpace, "m needs 0.3 MB", "has 1000 bytes", "BOARD_MODEL_DIR")
	if asked := m.requests(); len(asked) > 0 {
		t.Errorf("asked for %q all the same", asked)
	}
	_, err = pull(t, m, dir, func(o *PullOptions) {
		o.free = func(string) (int64, bool) { return 200_000, true }
		o.Manifest = unpinned()
	})
	fails(t, err, ErrNoSpace, "onnx/model.onnx needs 0.3 MB")
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full to write to")
	}
	part := filepath.Join(filepath.Dir(dir), ".m.part", weightsName+".part")
	if err := os.MkdirAll(filepath.Dir(part), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", part); err != nil {
		t.Fatal(err)
	}
	_, err = pull(t, m, dir, nil)
	fails(t, err, ErrNoSpace, part+" cannot be written", "make room", "continues")
	os.Remove(part)
	mustPull(t, m, dir, nil)
	sameFiles(t, dir, m.files)
}

func TestPullNotWritable(t *testing.T) {
	m := newMirror(t, testModels["static"]())
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	_, err := pull(t, m, filepath.Join(file, "m"), nil)
	fails(t, err, ErrFetch, file, "BOARD_MODEL_DIR")
	_, err = pull(t, m, file, nil)
	fails(t, err, ErrConflict, "is a file", "BOARD_MODEL_DIR")
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("nothing is forbidden to this user")
	}
	parent := t.TempDir()
	if err := os.Chmod(parent, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err = pull(t, m, filepath.Join(parent, "m"), nil)
	fails(t, err, ErrReadOnly, parent, "permission denied", "writable")
}

// TestPullTogether: one fetches, the others wait and find it there.
func TestPullTogether(t *testing.T) {
	m := newMirror(t, testModels["static"]())
	var slow sync.Once
	m.wrong = func(http.ResponseWriter, *http.Request, string) bool {
		slow.Do(func() { time.Sleep(500 * time.Millisecond) })
		return false
	}
	dir := filepath.Join(t.TempDir(), "m")
	var wg sync.WaitGroup
	var mu sync.Mutex
	already, waited := 0, 0
	for range 4 {
		wg.Go(func() {
			got, err := pull(t, m, dir, func(o *PullOptions) {
				o.Progress = func(p Progress) {
					if p.Waiting {
						mu.Lock()
						waited++
						mu.Unlock()
					}
				}
			})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if got.Already {
				already++
			}
		})
	}
	wg.Wait()
	if asked := m.requests(); already != 3 || waited == 0 || len(asked) != len(m.files) {
		t.Errorf("%d found it there, %d waited, %d requests for %d files", already, waited, len(asked), len(m.files))
	}
	sameFiles(t, dir, m.files)

	p, err := newPlace(dir)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := p.lock(context.Background(), &PullOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = Pull(ctx, PullOptions{Manifest: manifestOf(m.files), Dir: dir, Endpoint: m.URL, Force: true})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("who waits cannot be interrupted: %v", err)
	}
	unlock()
}

// TestPullReplace: what is there is touched only when it may be.
func TestPullReplace(t *testing.T) {
	files := bigger()
	m := newMirror(t, files)
	another := func(t *testing.T) string {
		dir := filepath.Join(t.TempDir(), "m")
		other := newMirror(t, testModels["static"]())
		mustPull(t, other, dir, func(o *PullOptions) { o.Manifest.Name = "other" })
		return dir
	}
	t.Run("another model", func(t *testing.T) {
		dir := another(t)
		_, err := pull(t, m, dir, nil)
		fails(t, err, ErrConflict, "another model, other", "--force")
		mustPull(t, m, dir, func(o *PullOptions) { o.Force = true })
		sameFiles(t, dir, files)
	})
	t.Run("another model that came by itself", func(t *testing.T) {
		dir := another(t)
		os.Remove(filepath.Join(dir, recordName))
		_, err := pull(t, m, dir, nil)
		fails(t, err, ErrConflict, "was not fetched as m", "--force")
	})
	t.Run("a model that came by itself", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "m")
		for name, data := range files {
			write(t, filepath.Join(dir, name), data)
		}
		if got := mustPull(t, m, dir, nil); !got.Already {
			t.Error("fetched once more")
		}
		if got := mustPull(t, m, dir, func(o *PullOptions) { o.Manifest = unpinned() }); !got.Already || len(got.Files) == 0 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("other people's files", func(t *testing.T) {
		dir := another(t)
		write(t, filepath.Join(dir, "notes.txt"), []byte("mine"))
		_, err := pull(t, m, dir, func(o *PullOptions) { o.Force = true })
		fails(t, err, ErrConflict, "notes.txt", "move them away")
		if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
			t.Error(err)
		}
	})
	t.Run("an empty directory", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "m")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		mustPull(t, m, dir, nil)
		sameFiles(t, dir, files)
	})
	t.Run("a damaged model", func(t *testing.T) {
		for _, damage := range []func(path string) error{
			os.Remove,
			func(path string) error { return os.Truncate(path, 3) },
			func(path string) error {
				return os.WriteFile(path, bytes.Repeat([]byte(" "), len(files["config.json"])), 0o600)
			},
		} {
			dir := filepath.Join(t.TempDir(), "m")
			mustPull(t, m, dir, nil)
			if err := damage(filepath.Join(dir, "config.json")); err != nil {
				t.Fatal(err)
			}
			m.goesWrong(nil)
			mustPull(t, m, dir, nil)
			if asked := m.requests(); !slices.Equal(asked, []string{"config.json"}) {
				t.Errorf("to repair one file, %q were asked for", asked)
			}
			sameFiles(t, dir, files)
		}
	})
	t.Run("an interrupted replacement", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "m")
		mustPull(t, m, dir, nil)
		old := filepath.Join(filepath.Dir(dir), ".m.old")
		if err := os.Rename(dir, old); err != nil {
			t.Fatal(err)
		}
		if got := mustPull(t, m, dir, nil); !got.Already {
			t.Error("what was there was not taken back")
		}
		write(t, filepath.Join(old, "config.json"), nil)
		mustPull(t, m, dir, func(o *PullOptions) { o.Force = true })
		sameFiles(t, dir, files)
	})
	t.Run("a link", func(t *testing.T) {
		real := filepath.Join(t.TempDir(), "m")
		mustPull(t, m, real, nil)
		link := filepath.Join(t.TempDir(), "m")
		if err := os.Symlink(real, link); err != nil {
			t.Skip(err)
		}
		mustPull(t, m, link, func(o *PullOptions) { o.Force = true })
		if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link was replaced: %v, %v", info, err)
		}
		sameFiles(t, real, files)
	})
}

// TestPullFrom takes a model from a directory, or from below an address.
func TestPullFrom(t *testing.T) {
	files := testModels["tiny-cls"]() // the weights at the top
	src := writeModel(t, "tiny-cls", map[string][]byte{"notes.txt": []byte("x")})
	dir := filepath.Join(t.TempDir(), "m")
	got, err := Pull(context.Background(), PullOptions{Manifest: unpinned(), Dir: dir, From: src})
	if err != nil {
		t.Fatal(err)
	}
	if got.Pinned || got.Source != src || got.Bytes == 0 || len(got.Files) != len(files) {
		t.Errorf("%+v", got)
	}
	sameFiles(t, dir, files)
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err == nil {
		t.Error("a file that belongs to no model was taken too")
	}
	if again, err := Pull(context.Background(), PullOptions{Manifest: unpinned(), Dir: dir, From: src}); err != nil || !again.Already {
		t.Errorf("%+v, %v", again, err)
	}
	_, err = Pull(context.Background(), PullOptions{Manifest: unpinned(), Dir: dir, From: dir, Force: true})
	fails(t, err, ErrInvalid, "from itself")

	pinned := testModels["tiny-mean"]()
	flat := t.TempDir() // all in one directory, as a browser downloads them
	for name, data := range pinned {
		if name == weightsName {
			name = "model.onnx"
		}
		write(t, filepath.Join(flat, name), data)
	}
	dir = filepath.Join(t.TempDir(), "m")
	if _, err := Pull(context.Background(), PullOptions{Manifest: manifestOf(pinned), Dir: dir, From: flat}); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, dir, pinned)

	m := newMirror(t, files)
	dir = filepath.Join(t.TempDir(), "m")
	if _, err := Pull(context.Background(), PullOptions{Manifest: unpinned(), Dir: dir, From: m.URL + mirrorPath + "/"}); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, dir, files)

	for _, test := range []struct {
		from  string
		kind  error
		words string
	}{
		{filepath.Join(src, "absent"), ErrNotFound, "there is no directory"},
		{filepath.Join(src, "config.json"), ErrInvalid, "is a file"},
		{"ftp://example.org/m", ErrInvalid, "not an address"},
		{"https:///m", ErrInvalid, "not an address"},
		{t.TempDir(), ErrNotFound, "has no model.onnx"},
		{writeModel(t, "static", map[string][]byte{"tokenizer.json": nil}), embed.ErrNoModel, "neither tokenizer.json nor vocab.txt"},
		{writeModel(t, "tiny-cls", map[string][]byte{"model.onnx": []byte("<!doctype html><title>Sign in</title>")}), embed.ErrBadModel, "tiny-cls" + string(filepath.Separator) + "model.onnx is text"},
	} {
		dir := filepath.Join(t.TempDir(), "m")
		_, err := Pull(context.Background(), PullOptions{Manifest: unpinned(), Dir: dir, From: test.from})
		fails(t, err, test.kind, test.words)
		if b := beside(t, dir); len(b) > 1 {
			t.Errorf("left: %q", b)
		}
	}
	_, err = Pull(context.Background(), PullOptions{Manifest: unpinned(), Dir: "", From: src})
	fails(t, err, ErrInvalid)
	_, err = Pull(context.Background(), PullOptions{Manifest: unpinned(), Dir: dir + "2", Endpoint: "nonsense"})
	fails(t, err, ErrInvalid, "HF_ENDPOINT")
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{
		"all-MiniLM-L6-v2":                       "sentence-transformers/all-MiniLM-L6-v2",
		"all-minilm-l6-v2":                       "sentence-transformers/all-MiniLM-L6-v2",
		"sentence-transformers/all-MiniLM-L6-v2": "sentence-transformers/all-MiniLM-L6-v2",
		"org/model-1.0":                          "org/model-1.0",
		"potion-base-2M":                         "",
	} {
		m, err := Named(name)
		if err != nil || m.Repo != want || strings.Contains(m.Name, "/") || m.Pinned() != strings.HasPrefix(want, "sentence") {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	for _, name := range []string{"", ".", "..", "../x", "a/b/c", "/etc", "a/", "/a", "a/..", "../..", ".hidden", "a b", "a\\b", "a\x00", strings.Repeat("x", 200)} {
		_, err := Named(name)
		fails(t, err, ErrInvalid, "cannot name a model")
	}
	_, err := Pull(context.Background(), PullOptions{Manifest: Manifest{Name: "m", Repo: "o/m", Files: []File{{Name: "../x"}}}, Dir: t.TempDir()})
	if !errors.Is(err, ErrInvalid) {
		t.Errorf("a file outside the directory: %v", err)
	}
	_, err = Pull(context.Background(), PullOptions{Manifest: Manifest{Name: "m", Files: anyFiles}, Dir: filepath.Join(t.TempDir(), "m")})
	fails(t, err, ErrInvalid, "m is not known by name", "--from")
	for _, f := range allMiniLM.Files {
		if len(f.SHA256) != 64 || f.Bytes == 0 {
			t.Errorf("%+v", f)
		}
	}
}

// TestPinnedFiles holds the sums against the files of the model that can be had here.
func TestPinnedFiles(t *testing.T) {
	dir := miniLMReference(t)
	checked := 0
	for _, f := range allMiniLM.Files {
		if f.Name == "1_Pooling/config.json" {
			f.Name = "1_Pooling_config.json" // as it lies there
		}
		f.Optional = true
		if wrong := checkFile(dir, f); wrong != "" {
			t.Error(wrong)
		}
		if _, err := os.Stat(filepath.Join(dir, f.Name)); err == nil {
			checked++
		}
	}
	if checked < 7 {
		t.Errorf("only %d files were there", checked)
	}
}
