//go:build linux || darwin

package ort

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/testdata/models"
	"blackboard/testdata/wait"
)

func crash(m Model) { m.(*fallback).now.(*Embedder).session.cmd.Process.Kill() }

// TestCrash: a library that crashes once is started again; then hugot goes on. No call
// shows it.
func TestCrash(t *testing.T) {
	path := theLibrary(t)
	var problems []string
	m := opened(t, models.Write(t, "static", nil), path, &problems)
	want, err := m.Embed(t.Context(), []string{"gate", "open worker"})
	if err != nil {
		t.Fatal(err)
	}
	for crashes, engine := range []string{ONNXRuntime, ONNXRuntime, Hugot} {
		if crashes > 0 {
			crash(m)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				got, err := m.Embed(t.Context(), []string{"gate", "open worker"})
				if err != nil || embed.Cosine(got[0], want[0]) < 0.99999 || embed.Cosine(got[1], want[1]) < 0.99999 {
					t.Errorf("after %d crashes: %v", crashes, err)
				}
			})
		}
		wg.Wait()
		if m.Engine().Name != engine {
			t.Errorf("after %d crashes it is %+v", crashes, m.Engine())
		}
	}
	if len(problems) != 1 || !strings.Contains(problems[0], path) || !strings.Contains(problems[0], "killed") || m.Resident() != 0 {
		t.Errorf("%q", problems)
	}
}

// TestSegmentationFault: what the library does wrong ends its own process.
func TestSegmentationFault(t *testing.T) {
	e := openTest(t, models.Write(t, "static", nil))
	if _, err := e.session.call(0, 1); !errors.Is(err, errGone) {
		t.Errorf("%v", err)
	}
	if v, err := e.Embed(t.Context(), []string{"gate"}); !errors.Is(err, fault.Closed) || v != nil {
		t.Errorf("%v", err)
	}
}

// TestLibraryRemoved: what is loaded goes on; when it has to be loaded again, hugot
// does.
func TestLibraryRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), filepath.Base(theLibrary(t)))
	copyTo(t, theLibrary(t), path)
	var problems []string
	m := opened(t, models.Write(t, "static", nil), path, &problems)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{ONNXRuntime, Hugot} {
		if _, err := m.Embed(t.Context(), []string{"gate", "open"}); err != nil || m.Engine().Name != engine {
			t.Errorf("%+v, %v", m.Engine(), err)
		}
		crash1(m)
	}
	if len(problems) != 1 {
		t.Errorf("%q", problems)
	}
}

func crash1(m Model) {
	if m.Engine().Name == ONNXRuntime {
		crash(m)
	}
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err == nil {
		_, err = io.Copy(out, in)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestHostEndsWithItsCaller: a process that dies closes the lines, whatever it dies of.
func TestHostEndsWithItsCaller(t *testing.T) {
	h, err := startHost(theLibrary(t), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for i := range h.lines {
		h.lines[i].out.Close()
	}
	<-h.done
	if h.ended != nil {
		t.Errorf("%v", h.ended)
	}
	h.close()
}

// TestCannotRun: a model that loads, and cannot be run, is hugot's.
func TestCannotRun(t *testing.T) {
	o := &models.ONNX{}
	rows := o.Node("Gather", []string{o.Random(0, 1, 3, 16), "input_ids"}) // no tokens but three
	weights := o.File(
		[][]byte{models.Value("input_ids", 7, -1, -1)}, [][]byte{models.Value(rows, 1, -1, -1, 16)},
	)
	var problems []string
	dir := models.Write(t, "tiny-cls", map[string][]byte{"model.onnx": weights})
	m := opened(t, dir, theLibrary(t), &problems)
	if m.Engine().Name != Hugot || len(problems) != 1 ||
		!strings.Contains(problems[0], "cannot be run by ONNX Runtime") {
		t.Errorf("%+v, %q", m.Engine(), problems)
	}
}

func TestTooOld(t *testing.T) {
	if _, err := loadLibrary(theLibrary(t), 0, 9999); !errors.Is(err, errTooOld) || !strings.Contains(err.Error(), "and 1.9999 is needed") {
		t.Errorf("%v", err)
	}
}

// TestNoModel: what is no model is an error of the model, with both engines.
func TestNoModel(t *testing.T) {
	path := theLibrary(t)
	sound := models.All["tiny-cls"]()["model.onnx"]
	for name, weights := range map[string][]byte{
		"garbage": []byte(strings.Repeat("no model at all, ", 100)), "half": sound[:len(sound)/2], "zeros": make([]byte, 4096),
		"other inputs": new(models.ONNX).File([][]byte{models.Value("pixels", 1, -1, -1)}, [][]byte{models.Value("x", 1, -1, -1, 16)}),
	} {
		dir := models.Write(t, "tiny-cls", map[string][]byte{"model.onnx": weights})
		m, err := Open(t.Context(), dir, env(path), func(string) {})
		if !errors.Is(err, fault.BadModel) || m != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "absent"), env(path), nil); !errors.Is(err, fault.NoModel) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, models.Write(t, "static", nil), env(path), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestChoose: a library that cannot be used is named, and hugot computes.
func TestChoose(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, data string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := map[string]string{"amd64": "\xb7\x00", "arm64": "\x3e\x00"}[runtime.GOARCH]
	for _, test := range []struct{ name, named, why, problem string }{
		{"off", Off, Variable + " is off", ""},
		{"absent", filepath.Join(dir, "absent.so"), Variable + " names a library that cannot be used", fs.ErrNotExist.Error()},
		{"text", file("text.so", "no library"), "none of the libraries found can be used", "text.so: "},
		{"empty", file("empty.so", ""), "none of the libraries found can be used", "empty.so: "},
		{"other machine", file("other.so", "\x7fELF\x02\x01\x01"+strings.Repeat("\x00", 9)+"\x03\x00"+other+strings.Repeat("\x00", 44)), "none of the libraries found can be used", "other.so: "},
		{"a directory", dir, "none of the libraries found can be used", dir},
	} {
		e, err := Choose(t.Context(), env(test.named))
		if test.name == "absent" {
			test.problem = "no such file"
		}
		if err != nil || e.Name != Hugot || e.Why != test.why || !strings.Contains(e.Problem, test.problem) || (e.Problem == "") != (test.problem == "") {
			t.Errorf("%s: %+v, %v", test.name, e, err)
		}
		var problems []string
		m := opened(t, models.Write(t, "static", nil), test.named, &problems)
		if m.Engine() != e || len(problems) > 1 || (len(problems) == 1) != (e.Problem != "") {
			t.Errorf("%s: %+v, said %q", test.name, m.Engine(), problems)
		}
	}
	path := theLibrary(t)
	e, err := Choose(t.Context(), env(path))
	if err != nil || e.Name != ONNXRuntime || e.Library != path || e.Version == "" || e.Problem != "" {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestManyAtOnce: 64 goroutines with texts of all kinds, half of them called off;
// afterwards nothing is left over. BOARD_SOAK has it go on for longer.
func TestManyAtOnce(t *testing.T) {
	length, _ := time.ParseDuration(os.Getenv("BOARD_SOAK"))
	e := openTest(t, models.Write(t, "tiny-mean", nil))
	round := func(seed uint64) {
		var wg sync.WaitGroup
		for worker := range uint64(64) {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(seed, worker))
				texts := make([]string, 1+r.IntN(320)*r.IntN(2))
				for i := range texts {
					garbage := make([]byte, r.IntN(400))
					for k := range garbage {
						garbage[k] = byte(r.Uint32())
					}
					texts[i] = string(garbage)
				}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if worker%2 == 0 {
					go func() {
						runtime.Gosched()
						cancel()
					}()
				}
				got, err := e.Embed(ctx, texts)
				if err != nil && (worker%2 == 1 || !errors.Is(err, context.Canceled)) || err == nil && len(got) != len(texts) {
					t.Errorf("%d vectors of %d, %v", len(got), len(texts), err)
				}
			})
		}
		wg.Wait()
	}
	round(0)
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	first, begun := e.resident(), time.Now()
	rounds := uint64(1)
	for ; rounds < 4 || time.Since(begun) < length; rounds++ {
		round(rounds)
	}
	wait.For(t, func() bool { return runtime.NumGoroutine() <= goroutines+2 && openFiles(t) <= files },
		func() string {
			return fmt.Sprintf("%d goroutines and %d files, before %d and %d", runtime.NumGoroutine(), openFiles(t), goroutines, files)
		})
	t.Logf("%d rounds; the library's process has had %d MB at most, after the first round %d", rounds, e.resident()>>20, first>>20)
	if now := e.resident(); now > 2*first+64<<20 {
		t.Errorf("the library's process has grown from %d MB to %d", first>>20, now>>20)
	}
}

func openFiles(t *testing.T) int {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skip("this system does not tell which files are open")
	}
	return len(entries)
}

// TestNothingLeft: what is opened and closed leaves no process, no file and no
// goroutine.
func TestNothingLeft(t *testing.T) {
	dir := models.Write(t, "static", nil)
	openTest(t, dir).Close()
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	for range 10 {
		e := openTest(t, dir)
		host := e.session.host
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		<-host.done
		if _, err := startHost(filepath.Join(dir, "absent.so"), 1<<20); err == nil {
			t.Fatal("a library that is not there was loaded")
		}
	}
	wait.For(t, func() bool { return runtime.NumGoroutine() <= goroutines && openFiles(t) <= files },
		func() string {
			return fmt.Sprintf("%d goroutines and %d files, before %d and %d", runtime.NumGoroutine(), openFiles(t), goroutines, files)
		})
}
