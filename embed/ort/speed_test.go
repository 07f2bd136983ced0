//go:build linux || darwin

package ort

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/testdata/models"
)

// miniLM writes a model of the size of all-MiniLM-L6-v2, its vocabulary included.
func miniLM(t *testing.T) string {
	t.Helper()
	const vocabulary = 30522
	return models.Write(t, "minilm-shaped", map[string][]byte{"onnx/model.onnx": models.BERT(models.MiniLM, vocabulary, 384)})
}

// TestSpeed measures beside ONNX Runtime itself: BOARD_TEST_ONNXRUNTIME_NODE is a
// directory in which onnxruntime-node is installed. Both take turns, so that what else
// the machine does falls on both. It decides nothing, and skips where that is not set.
func TestSpeed(t *testing.T) {
	node := skipSpeed(t)
	dir := miniLM(t)
	for _, threads := range []int{1, 2} {
		theirs, ours := startTheirs(t, node, dir, threads), openWith(t, dir, threads)
		report := func(what string, theirs, ours []float64) {
			t.Logf("%d threads, %s: theirs %.2f ms, ours %.2f ms: median ratio %.2f", threads, what, median(theirs), median(ours), ratio(ours, theirs))
		}
		for _, tokens := range []int{14, 200} {
			var a, b []float64
			text := strings.Repeat("gate ", tokens-2)
			theirs.run(t, tokens, 3)
			runOurs(t, ours, []string{text}, 3)
			for range 40 {
				a = append(a, mean(theirs.run(t, tokens, 4)))
				b = append(b, mean(runOurs(t, ours, []string{text}, 4)))
			}
			report(fmt.Sprintf("one text of %d tokens", tokens), a, b)
		}
		var a, b []float64
		texts := slices.Repeat([]string{strings.Repeat("gate ", 198)}, 8)
		for range 15 {
			a = append(a, mean(theirs.run(t, 200, len(texts))))
			b = append(b, runOurs(t, ours, texts, 1)[0]/float64(len(texts)))
		}
		report("a text of 200 tokens among 8", a, b)
		ours.Close()
	}
	var a, b []float64
	for range 9 {
		a = append(a, timed(t, exec.Command("node", script(t), filepath.Join(dir, "onnx", "model.onnx"), "2", "14"), node))
		self := exec.Command(os.Args[0])
		self.Env = append(os.Environ(), "BOARD_TEST_COLD="+dir, "BOARD_TEST_ONNXRUNTIME="+theLibrary(t))
		b = append(b, timed(t, self, ""))
	}
	t.Logf("a process to its first vector: theirs %.0f ms, ours %.0f ms: median ratio %.2f", median(a), median(b), ratio(b, a))
}

// skipSpeed skips what only measures, unless somebody has named onnxruntime-node.
func skipSpeed(t *testing.T) (node string) {
	t.Helper()
	if node = os.Getenv("BOARD_TEST_ONNXRUNTIME_NODE"); node == "" {
		t.Skip("BOARD_TEST_ONNXRUNTIME_NODE does not name a directory that has onnxruntime-node")
	}
	return node
}

// TestSpeedOfQuestions measures questions alone, and while a long list is computed, with
// both engines.
func TestSpeedOfQuestions(t *testing.T) {
	skipSpeed(t)
	dir := miniLM(t)
	t.Run(ONNXRuntime, func(t *testing.T) { speedOfQuestions(t, openTest(t, dir), 6) })
	t.Run(Hugot, func(t *testing.T) { speedOfQuestions(t, opened(t, dir, Off, nil), 2) })
}

func speedOfQuestions(t *testing.T, e embed.Embedder, rounds int) {
	question := []string{strings.Repeat("gate ", 12)}
	list := slices.Repeat([]string{strings.Repeat("gate ", 198)}, 1<<16)
	var alone, meanwhile []float64
	ask := func() float64 {
		took := runOurs(t, e, question, 1)[0]
		time.Sleep(20 * time.Millisecond) // a person, or an agent, reads the answer
		return took
	}
	ask() // hugot compiles the model for this length, and that of the list
	runOurs(t, e, list[:2], 1)
	for range rounds {
		ctx, cancel := context.WithCancel(t.Context())
		for range 40 {
			alone = append(alone, ask())
		}
		over := make(chan bool)
		go func() {
			e.Embed(ctx, list)
			close(over)
		}()
		for range 40 {
			meanwhile = append(meanwhile, ask())
		}
		cancel()
		<-over
	}
	t.Logf("alone: median %.1f ms, p99 %.1f ms; during a backfill: median %.1f ms, p99 %.1f ms; ratios %.2f, %.2f",
		median(alone), p99(alone), median(meanwhile), p99(meanwhile),
		median(meanwhile)/median(alone), p99(meanwhile)/p99(alone))
}

// cold is a process that embeds one text, and ends.
func cold(dir string) {
	f, err := minilm.Read(context.Background(), dir)
	if err == nil {
		var e *Embedder
		if e, err = open(f, os.Getenv("BOARD_TEST_ONNXRUNTIME"), 2); err == nil {
			_, err = e.Embed(context.Background(), []string{strings.Repeat("gate ", 12)})
			e.Close()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func script(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "testdata", "embed", "speed.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func timed(t *testing.T, cmd *exec.Cmd, dir string) float64 {
	t.Helper()
	cmd.Dir = dir
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return time.Since(start).Seconds() * 1000
}

// theirs is onnxruntime-node with a model.
type theirs struct {
	in  io.Writer
	out *bufio.Scanner
}

func startTheirs(t *testing.T, node, dir string, threads int) *theirs {
	t.Helper()
	cmd := exec.Command("node", script(t), filepath.Join(dir, "onnx", "model.onnx"), strconv.Itoa(threads))
	cmd.Dir, cmd.Stderr = node, os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil || err1 != nil || err2 != nil {
		t.Fatal(err, err1, err2)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return &theirs{in, bufio.NewScanner(out)}
}

func (n *theirs) run(t *testing.T, tokens, runs int) (took []float64) {
	t.Helper()
	fmt.Fprintln(n.in, tokens, runs)
	if !n.out.Scan() {
		t.Fatal("onnxruntime-node has ended")
	}
	for _, field := range strings.Fields(n.out.Text()) {
		ms, err := strconv.ParseFloat(field, 64)
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, ms)
	}
	return took
}

func runOurs(t *testing.T, e embed.Embedder, texts []string, runs int) (took []float64) {
	t.Helper()
	for range runs {
		start := time.Now()
		if _, err := e.Embed(t.Context(), texts); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(start).Seconds()*1000)
	}
	return took
}

func mean(x []float64) (sum float64) {
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}

func median(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

func p99(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)*99/100] }

// ratio is the median of those of each pair.
func ratio(a, b []float64) float64 {
	var r []float64
	for i := range a {
		r = append(r, a[i]/b[i])
	}
	return median(r)
}
