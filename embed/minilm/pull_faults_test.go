package minilm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"blackboard/board/fault"

	"blackboard/testdata/expect"
	"blackboard/testdata/models"
)

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
		{"checksum", serve(wrongSum), fault.Failure, []string{"onnx/model.onnx from 127.0.0.1", "SHA-256", "deleted", "HF_ENDPOINT"}},
		{"too small", serve(files[weightsName][:5000]), fault.Failure, []string{"SHA-256", "deleted", "HF_ENDPOINT"}},
		{"too large", serve(append(wrongSum, "more"...)), fault.Failure, []string{"SHA-256", "deleted", "HF_ENDPOINT"}},
		{"a body that ends early", func(w http.ResponseWriter, _ *http.Request, name string) bool {
			if name == weightsName {
				w.Write(files[name][:5000])
				w.(http.Flusher).Flush() // no Content-Length
			}
			return name == weightsName
		}, fault.Failure, []string{"broke after 5000 bytes", "same command"}},
		{"404", status(404), fault.NotFound, []string{"has no 1_Pooling/config.json of m", "revision:main"}},
		{"403", status(403), fault.Failure, []string{"refuses", "403 Forbidden", "from:DIRECTORY"}},
		{"401", status(401), fault.Failure, []string{"401 Unauthorized", "look for the name", "from:DIRECTORY"}},
		{"429", status(429), fault.Failure, []string{"429 Too Many Requests", "later"}},
		{"500", status(500), fault.Failure, []string{"500 Internal Server Error", "later"}},
		{"teapot", status(418), fault.Failure, []string{"418"}},
		{"a circle", func(w http.ResponseWriter, r *http.Request, _ string) bool {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
			return true
		}, fault.Failure, []string{"loop"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMirror(t, files)
			m.goesWrong(test.wrong)
			dir := filepath.Join(t.TempDir(), "m")
			_, err := pull(t, m, dir, nil)
			fails(t, err, test.kind, test.words...)
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
		fails(t, err, fault.Failure, m.Listener.Addr().String()+" cannot be reached", "from:", "HF_ENDPOINT", "proxy")
	})
}

// direct is a way to a mirror without a network, so that the clock can be the test's:
// what a request gets from it stops after some bytes of the weights, or before the answer
// where that is none.
type direct struct {
	to   http.Handler
	stop int
}

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	d.to.ServeHTTP(answer, r)
	resp := answer.Result()
	if resp.Request = r; d.stop == 0 {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if strings.HasSuffix(r.URL.Path, weightsName) {
		resp.Body = io.NopCloser(io.MultiReader(io.LimitReader(resp.Body, int64(d.stop)), stalled{r.Context()}))
	}
	return resp, nil
}

// stalled sends nothing until somebody loses patience.
type stalled struct{ ctx context.Context }

func (s stalled) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

// TestPullStalls: a mirror that sends nothing for a while is given up, and the next
// attempt continues.
func TestPullStalls(t *testing.T) {
	files := bigger()
	for what, test := range map[string]struct {
		stop  int
		words []string
	}{
		"before the answer": {0, []string{"127.0.0.1", "sent nothing for 30s"}},
		"in between":        {5000, []string{"sent nothing for 30s, after 5000 bytes of onnx/model.onnx", "same command"}},
	} {
		t.Run(what, func(t *testing.T) {
			m := newMirror(t, files)
			dir := filepath.Join(t.TempDir(), "m")
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				_, err := pull(t, m, dir, func(o *PullOptions) { o.client = &http.Client{Transport: direct{m.Config.Handler, test.stop}} })
				fails(t, err, fault.Failure, test.words...)
				if took := time.Since(begin); took != stallTime {
					t.Errorf("given up after %v", took)
				}
			})
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the directory is there: %v", err)
			}
			m.goesWrong(nil)
			mustPull(t, m, dir, nil)
			if asked := strings.Join(m.requests(), "\n"); strings.Contains(asked, fmt.Sprintf("%s bytes=%d-", weightsName, test.stop)) != (test.stop > 0) {
				t.Errorf("asked for %s", asked)
			}
			sameFiles(t, dir, files)
		})
	}
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
	client.CheckRedirect = newClient("").CheckRedirect
	_, err := pull(t, hub, filepath.Join(t.TempDir(), "m"), func(o *PullOptions) { o.Endpoint, o.client = secure.URL, client })
	fails(t, err, fault.Failure, "unencrypted")
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
	for err, want := range map[error]error{syscall.ENOSPC: fault.Full, syscall.EDQUOT: fault.Full, syscall.EROFS: fault.ReadOnly} {
		err := cannotWrite(&fs.PathError{Op: "write", Path: "/a/m", Err: err}, "other")
		fails(t, err, want, "/a/m cannot be written", "BOARD_MODEL_DIR")
	}
	if err := cannotWrite(nil, "m"); err != nil {
		t.Error(err)
	}
}

func TestPullNotWritable(t *testing.T) {
	m := newMirror(t, models.All["static"]())
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	_, err := pull(t, m, filepath.Join(file, "m"), nil)
	fails(t, err, fault.Failure, file, "BOARD_MODEL_DIR")
	_, err = pull(t, m, file, nil)
	fails(t, err, fault.Conflict, "is a file", "BOARD_MODEL_DIR")
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("nothing is forbidden to this user")
	}
	parent := t.TempDir()
	expect.OK(t, os.Chmod(parent, 0o500))
	_, err = pull(t, m, filepath.Join(parent, "m"), nil)
	fails(t, err, fault.ReadOnly, parent, "permission denied", "writable")
}
