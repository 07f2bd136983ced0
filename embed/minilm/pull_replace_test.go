package minilm

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"blackboard/board/fault"

	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/models"
)

// TestPullTogether: one fetches, the others wait and find it there.
func TestPullTogether(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	m := newMirror(t, models.All["static"]())
	waits := make(chan bool, 100)
	var once sync.Once
	m.wrong = func(http.ResponseWriter, *http.Request, string) bool { // the first request is answered when three others wait
		once.Do(func() {
			for range 3 {
				<-waits
			}
		})
		return false
	}
	dir := filepath.Join(t.TempDir(), "m")
	var wg sync.WaitGroup
	var mu sync.Mutex
	already := 0
	for range 4 {
		wg.Go(func() {
			got, err := pull(t, m, dir, func(o *PullOptions) {
				o.Progress = func(p Progress) {
					if p.Waiting {
						waits <- true
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
	if asked := m.requests(); already != 3 || len(asked) != len(m.files) {
		t.Errorf("%d found it there, %d requests for %d files", already, len(asked), len(m.files))
	}
	sameFiles(t, dir, m.files)

	unlock, err := (&PullOptions{Dir: dir}).lock(t.Context())
	expect.OK(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err = Pull(ctx, PullOptions{Manifest: manifestOf(m.files), Dir: dir, Endpoint: m.URL, Force: true, Progress: func(p Progress) {
		if p.Waiting {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
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
		other := newMirror(t, models.All["static"]())
		mustPull(t, other, dir, func(o *PullOptions) { o.Manifest.Name = "other" })
		return dir
	}
	t.Run("another model", func(t *testing.T) {
		dir := another(t)
		_, err := pull(t, m, dir, nil)
		fails(t, err, fault.Conflict, "another model, other", "force:")
		mustPull(t, m, dir, func(o *PullOptions) { o.Force = true })
		sameFiles(t, dir, files)
	})
	t.Run("another model that came by itself", func(t *testing.T) {
		dir := another(t)
		os.Remove(filepath.Join(dir, recordName))
		_, err := pull(t, m, dir, nil)
		fails(t, err, fault.Conflict, "was not installed by a pull", "move it away")
	})
	t.Run("a model that came by itself", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "m")
		for name, data := range files {
			write(t, filepath.Join(dir, name), data)
		}
		if got := mustPull(t, m, dir, nil); !got.Already {
			t.Error("fetched once more")
		}
		if got := mustPull(t, m, dir, func(o *PullOptions) { o.Manifest = unpinned() }); !got.Already || got.Files == nil {
			t.Errorf("%+v", got)
		}
	})
	t.Run("other people's files", func(t *testing.T) {
		dir := another(t)
		write(t, filepath.Join(dir, "notes.txt"), []byte("mine"))
		_, err := pull(t, m, dir, func(o *PullOptions) { o.Force = true })
		fails(t, err, fault.Conflict, "notes.txt", "move it away")
		if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
			t.Error(err)
		}
	})
	t.Run("an empty directory", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "m")
		expect.OK(t, os.Mkdir(dir, 0o700))
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
			expect.OK(t, damage(filepath.Join(dir, "config.json")))
			if got := mustPull(t, m, dir, nil); got.Already {
				t.Error("a damaged model was taken for a sound one")
			}
			sameFiles(t, dir, files)
		}
	})
	t.Run("an interrupted replacement", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "m")
		mustPull(t, m, dir, nil)
		old := filepath.Join(filepath.Dir(dir), ".m.old")
		expect.OK(t, os.Rename(dir, old))
		mustPull(t, m, dir, nil)
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
	files := models.All["tiny-cls"]() // the weights at the top
	src := models.Write(t, "tiny-cls", map[string][]byte{"notes.txt": []byte("x")})
	dir := filepath.Join(t.TempDir(), "m")
	got, err := Pull(context.Background(), PullOptions{Manifest: unpinned(), Dir: dir, From: src})
	expect.OK(t, err)
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
	fails(t, err, fault.Invalid, "cannot be fetched from")

	pinned := models.All["tiny-mean"]()
	flat := t.TempDir() // all in one directory, as a browser downloads them
	for name, data := range pinned {
		if name == weightsName {
			name = "model.onnx"
		}
		write(t, filepath.Join(flat, name), data)
	}
	dir = filepath.Join(t.TempDir(), "m")
	got, err = Pull(context.Background(), PullOptions{Manifest: manifestOf(pinned), Dir: dir, From: flat})
	if err != nil || got.Pinned { // sound, and what it is supposed to be is not known
		t.Fatalf("%+v, %v", got, err)
	}
	pinned["model.onnx"] = pinned[weightsName]
	delete(pinned, weightsName)
	sameFiles(t, dir, pinned)

	m := newMirror(t, files)
	dir = filepath.Join(t.TempDir(), "m")
	expect.Value(Pull(context.Background(), PullOptions{Manifest: unpinned(), Dir: dir, From: m.URL + mirrorPath + "/"}))(t)
	sameFiles(t, dir, files)

	for _, test := range []struct {
		from  string
		kind  error
		words string
	}{
		{filepath.Join(src, "absent"), fault.NotFound, "not found"},
		{filepath.Join(src, "config.json"), fault.Invalid, "config.json cannot be fetched from"},
		{"ftp://example.org/m", fault.Invalid, "not an address"},
		{"https:///m", fault.Invalid, "not an address"},
		{t.TempDir(), fault.NotFound, "has no onnx/model.onnx or model.onnx"},
		{models.Write(t, "static", map[string][]byte{"tokenizer.json": nil}), fault.NotFound, "no tokenizer.json"},
		{models.Write(t, "tiny-cls", map[string][]byte{"model.onnx": []byte("<!doctype html><title>Sign in</title>")}), fault.BadModel, "tiny-cls" + string(filepath.Separator) + "model.onnx is text"},
	} {
		dir := filepath.Join(t.TempDir(), "m")
		_, err := Pull(context.Background(), PullOptions{Manifest: unpinned(), Dir: dir, From: test.from})
		fails(t, err, test.kind, test.words)
		if b := beside(t, dir); len(b) > 1 {
			t.Errorf("left: %q", b)
		}
	}
	_, err = Pull(context.Background(), PullOptions{Manifest: unpinned(), Dir: "", From: src})
	fails(t, err, fault.Invalid)
	_, err = Pull(context.Background(), PullOptions{Manifest: unpinned(), Dir: dir + "2", Endpoint: "nonsense"})
	fails(t, err, fault.Invalid, "HF_ENDPOINT")
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
		fails(t, err, fault.Invalid, "cannot name a model")
	}
	_, err := Pull(context.Background(), PullOptions{Manifest: Manifest{Name: "m", Files: anyFiles}, Dir: filepath.Join(t.TempDir(), "m")})
	fails(t, err, fault.Invalid, "m is not known by name", "from:")
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
		if _, err := os.Stat(filepath.Join(dir, f.Name)); err == nil {
			checked++
			for _, wrong := range checkFiles(dir, []File{f}) {
				t.Error(wrong)
			}
		}
	}
	if checked < 6 {
		t.Errorf("only %d files were there", checked)
	}
}
