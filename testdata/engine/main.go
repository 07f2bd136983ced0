// Command engine measures the embedding engine beside hugot alone, which is the library's
// own pipeline with one text a call:
//
//	go run ./testdata/engine [-only first,short,fill,question] MODEL CORPUS
//
// MODEL is the folder of all-MiniLM-L6-v2, CORPUS a corpus.jsonl of BEIR. Both sides take
// turns in one process, so that what else runs on the machine slows both; what counts is
// the ratio of the medians. Build it with GOEXPERIMENT=simd, as the program is.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"blackboard/embed/minilm"
	"blackboard/kb"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "engine:", err)
		os.Exit(1)
	}
}

// measurements in the order in which they run.
var measurements = []struct {
	name string
	run  func(*bench, context.Context) error
}{
	{"first", (*bench).first}, {"short", (*bench).short},
	{"fill", (*bench).fill}, {"question", (*bench).question},
}

// bench is what is measured with.
type bench struct {
	dir   string
	docs  []doc
	asked int // questions on each side

	ours  *minilm.Embedder
	alone *alone
}

func run(ctx context.Context) error {
	only := flag.String("only", "first,short,fill,question", "what is measured")
	texts := flag.Int("texts", 1000, "capsules of the backfill")
	asked := flag.Int("questions", 300, "questions during a backfill")
	flag.Parse()
	if flag.NArg() != 2 {
		return errors.New("name the folder of a model and a corpus.jsonl")
	}
	docs, err := readDocs(flag.Arg(1), *texts)
	if err != nil {
		return err
	}
	b := &bench{dir: flag.Arg(0), docs: docs, asked: *asked}
	fmt.Println(minilm.ThisEngine(), "on", runtime.GOMAXPROCS(0), "cores")
	for _, m := range measurements {
		if !slices.Contains(strings.Split(*only, ","), m.name) {
			continue
		}
		if m.name != "first" && b.ours == nil {
			if err := b.open(ctx); err != nil {
				return err
			}
			defer b.close()
		}
		if err := m.run(b, ctx); err != nil {
			return err
		}
	}
	return nil
}

// open opens both sides, and lets them compile the model for all lengths.
func (b *bench) open(ctx context.Context) (err error) {
	if b.ours, err = minilm.Open(ctx, b.dir); err != nil {
		return err
	}
	if b.alone, err = openAlone(b.dir); err != nil {
		return err
	}
	for words := 1; words < 250; words += 14 {
		text := strings.Repeat("word ", words)
		if _, err := b.ours.Embed(ctx, []string{text}); err != nil {
			return err
		}
		if err := b.alone.embed(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) close() {
	b.ours.Close()
	b.alone.Close()
}

const short = "how do I configure the memory search index for my project please" // 14 tokens

// first measures from opening the model to its first vector.
func (b *bench) first(ctx context.Context) error {
	var ours, alone []float64
	for range 9 {
		if err := timed(&alone, func() error {
			a, err := openAlone(b.dir)
			if err != nil {
				return err
			}
			defer a.Close()
			return a.embed(ctx, short)
		}); err != nil {
			return err
		}
		if err := timed(&ours, func() error {
			e, err := minilm.Open(ctx, b.dir)
			if err != nil {
				return err
			}
			defer e.Close()
			_, err = e.Embed(ctx, []string{short})
			return err
		}); err != nil {
			return err
		}
		runtime.GC()
	}
	compare("first vector, ms", alone, ours)
	return nil
}

// short measures a short question.
func (b *bench) short(ctx context.Context) error {
	var ours, alone []float64
	for range 100 {
		if err := timed(&alone, func() error { return b.alone.embed(ctx, short) }); err != nil {
			return err
		}
		if err := timed(&ours, func() error {
			_, err := b.ours.Embed(ctx, []string{short})
			return err
		}); err != nil {
			return err
		}
	}
	compare("14 tokens, ms", alone, ours)
	return nil
}

// fill measures a backfill of capsules, in turns of 100 with the same texts by hugot alone.
func (b *bench) fill(ctx context.Context) error {
	k, done, err := b.stored(ctx)
	if err != nil {
		return err
	}
	defer done()
	var ours, alone, tokens []float64
	cpu := [2]time.Duration{}
	for at := 0; at < len(b.docs); at += 100 {
		part := b.docs[at:min(at+100, len(b.docs))]
		texts := make([]string, len(part))
		for i, d := range part {
			texts[i] = d.Title + "\n" + d.Text
			tokens = append(tokens, float64(b.alone.tokens(texts[i])))
		}
		begin := cpuTime()
		if err := timed(&alone, func() error { return b.alone.embedAll(ctx, texts) }); err != nil {
			return err
		}
		cpu[0] += cpuTime() - begin
		begin = cpuTime()
		if err := timed(&ours, func() error {
			r, err := k.Backfill(ctx, (len(part)+49)/50) // batches of 50
			if err == nil && r.Embedded != len(part) {
				err = fmt.Errorf("%d of %d capsules were embedded", r.Embedded, len(part))
			}
			return err
		}); err != nil {
			return err
		}
		cpu[1] += cpuTime() - begin
	}
	slices.Sort(tokens)
	fmt.Printf("%d capsules of %.0f to %.0f tokens, median %.0f\n", len(b.docs), tokens[0],
		tokens[len(tokens)-1], median(tokens))
	n := float64(len(b.docs))
	fmt.Printf("  texts/s: alone %.2f, ours %.2f; of CPU time: alone %.2f, ours %.2f\n",
		1000*n/sum(alone), 1000*n/sum(ours), n/cpu[0].Seconds(), n/cpu[1].Seconds())
	compare("backfill of 100 capsules, ms", alone, ours)
	return nil
}

// question measures searches while a backfill runs, in turns with searches alone.
func (b *bench) question(ctx context.Context) error {
	k, done, err := b.stored(ctx)
	if err != nil {
		return err
	}
	defer done()
	if _, err := k.Backfill(ctx, 1); err != nil { // something is found by meaning
		return err
	}
	const turn = 50
	var alone, during []float64
	for at := 0; at < b.asked; at += turn {
		if err := b.ask(ctx, k, at, turn, &alone); err != nil {
			return err
		}
		filling, stop := context.WithCancel(ctx)
		var wg sync.WaitGroup
		wg.Go(func() { k.Backfill(filling, 0) })
		time.Sleep(500 * time.Millisecond)
		err := b.ask(ctx, k, at, turn, &during)
		stop()
		if wg.Wait(); err != nil {
			return err
		}
		time.Sleep(500 * time.Millisecond) // texts that are still computed
	}
	compare("search during a backfill, ms", alone, during)
	fmt.Printf("  p99 during %.0f: %.1f x the median alone, %.1f x the p99 alone (%.0f)\n",
		quantile(during, .99), quantile(during, .99)/median(alone),
		quantile(during, .99)/quantile(alone, .99), quantile(alone, .99))
	return nil
}

// ask asks n questions of some 14 tokens, with pauses.
func (b *bench) ask(ctx context.Context, k *kb.KB, from, n int, took *[]float64) error {
	for i := range n {
		text := firstWords(b.docs[(from+i)%len(b.docs)].Text, 10)
		if err := timed(took, func() error {
			_, err := k.Search(ctx, kb.Query{Text: text, Measuring: true})
			return err
		}); err != nil {
			return err
		}
		time.Sleep(time.Duration(80+37*i%90) * time.Millisecond)
	}
	return nil
}

// stored returns a knowledge base that has the documents, without embeddings.
func (b *bench) stored(ctx context.Context) (k *kb.KB, done func(), err error) {
	dir, err := os.MkdirTemp("", "board-engine-*")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	if k, err = kb.Open(ctx, dir, kb.Options{}); err != nil {
		return nil, nil, err
	}
	var caps []kb.Capsule
	for _, d := range b.docs {
		caps = append(caps, kb.Capsule{Kind: "doc", Scope: "universal", Title: d.Title, Body: d.Text})
	}
	if err = errors.Join(k.Fill(ctx, caps), k.Close()); err != nil {
		return nil, nil, err
	}
	if k, err = kb.Open(ctx, dir, kb.Options{Embedder: b.ours, Warm: true}); err != nil {
		return nil, nil, err
	}
	return k, func() { k.Close(); os.RemoveAll(dir) }, nil
}

// A doc is a text of 100 to 180 tokens.
type doc struct{ Title, Text string }

func readDocs(path string, n int) (docs []doc, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); len(docs) < n && lines.Scan(); {
		var d doc
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			return nil, err
		}
		d.Title = firstWords(d.Title, 8)
		if words := 60 + len(docs)*7%40; len(strings.Fields(d.Text)) >= words {
			d.Text = firstWords(d.Text, words)
			docs = append(docs, d)
		}
	}
	if len(docs) < n {
		return nil, fmt.Errorf("%s has only %d texts of that length", path, len(docs))
	}
	return docs, nil
}

func firstWords(text string, n int) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(n, len(words))], " ")
}

// timed appends how long fn took, in milliseconds.
func timed(took *[]float64, fn func() error) error {
	begin := time.Now()
	err := fn()
	*took = append(*took, float64(time.Since(begin).Microseconds())/1000)
	return err
}

func compare(what string, alone, ours []float64) {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = ours[i] / alone[i]
	}
	fmt.Printf("%s: alone %.1f, here %.1f; ratio of the medians %.2f, of pairs %.2f\n", what,
		median(alone), median(ours), median(ours)/median(alone), median(ratios))
}

func median(x []float64) float64 { return quantile(x, .5) }

func quantile(x []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[min(int(q*float64(len(s))), len(s)-1)]
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// cpuTime is what this process has used, of all cores.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// parallel calls fn for all texts, as many at the same time as there are cores.
func parallel(texts []string, fn func(string) error) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	for w := range errs {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(texts); i = int(next.Add(1)) - 1 {
				errs[w] = cmp.Or(errs[w], fn(texts[i]))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
