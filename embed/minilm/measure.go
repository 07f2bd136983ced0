package minilm

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"blackboard/embed"
)

// Speed is the speed of a model on this machine, in this build.
type Speed struct {
	Model  embed.Model `json:"model"`
	Engine string      `json:"engine"`
	// of the engine's library; "" if it is part of this program
	Version string  `json:"version"`
	SIMD    bool    `json:"simd"`
	Go      string  `json:"go"`
	CPUs    int     `json:"cpus"`
	LoadMS  float64 `json:"load_ms"` // from the directory to the loaded model
	// from there to the first vector, for which a short command waits as well
	FirstMS       float64  `json:"first_vector_ms"`
	Lengths       []Length `json:"lengths"`
	ResidentBytes *int64   `json:"resident_bytes"` // nil if the system does not tell
}

// Length is the speed with texts of one length.
type Length struct {
	Tokens         int     `json:"tokens"` // with the special ones
	Runs           int     `json:"runs"`   // of one text at a time
	MedianMS       float64 `json:"median_ms"`
	P95MS          float64 `json:"p95_ms"`
	Texts          int     `json:"texts"` // embedded together
	TextsPerSecond float64 `json:"texts_per_second"`
}

// The runs with one text end after maxRuns, or after runsTime if there were at least
// minRuns.
const (
	maxRuns  = 100
	minRuns  = 5
	runsTime = 3 * time.Second
)

// Measure loads the model in dir and embeds generated texts: for each length first one at
// a time, and then as many as texts says with the model's own concurrency. open loads the
// model with another engine; nil means this package's.
func Measure(ctx context.Context, dir string, tokens []int, texts int, open func() (embed.Embedder, func() error, error)) (*Speed, error) {
	f, err := Read(ctx, dir)
	if err != nil {
		return nil, err
	}
	if open == nil {
		open = func() (embed.Embedder, func() error, error) {
			e, err := Open(ctx, dir)
			if err != nil {
				return nil, nil, err
			}
			return e, e.Close, nil
		}
	}
	start := time.Now()
	e, done, err := open()
	if err != nil {
		return nil, err
	}
	defer done()
	s := &Speed{Model: e.Model(), SIMD: SIMD(), Go: runtime.Version(), CPUs: runtime.GOMAXPROCS(0), LoadMS: ms(time.Since(start)), Lengths: []Length{}}
	start = time.Now()
	if _, err := e.Embed(ctx, []string{"the first text"}); err != nil {
		return nil, err
	}
	s.FirstMS = ms(time.Since(start))
	for _, n := range tokens {
		l, err := f.measure(ctx, e, n, texts)
		if err != nil {
			return nil, err
		}
		s.Lengths = append(s.Lengths, l)
	}
	n := Resident(os.Getpid())
	if elsewhere, ok := e.(interface{ Resident() int64 }); ok && elsewhere.Resident() > 0 {
		n = elsewhere.Resident()
	}
	if n > 0 {
		s.ResidentBytes = &n
	}
	return s, nil
}

func (f *Files) measure(ctx context.Context, e embed.Embedder, tokens, texts int) (Length, error) {
	sample := make([]string, max(texts, 1))
	for i := range sample {
		sample[i] = f.textOf(tokens, i)
	}
	l := Length{Tokens: len(f.Encode(sample[0])), Texts: texts}
	if _, err := e.Embed(ctx, sample[:1]); err != nil { // compiles for this length
		return l, err
	}
	var took []time.Duration
	for begin := time.Now(); len(took) < maxRuns && (len(took) < minRuns || time.Since(begin) < runsTime); {
		start := time.Now()
		if _, err := e.Embed(ctx, sample[len(took)%len(sample):][:1]); err != nil {
			return l, err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	l.Runs, l.MedianMS, l.P95MS = len(took), ms(took[len(took)/2]), ms(took[len(took)*95/100])
	if texts == 0 {
		return l, nil
	}
	start := time.Now()
	if _, err := e.Embed(ctx, sample); err != nil {
		return l, err
	}
	l.TextsPerSecond = float64(texts) / time.Since(start).Seconds()
	return l, nil
}

// textOf returns text number i with about the given number of tokens, never more, so that
// it stays within one of the compiled lengths.
func (f *Files) textOf(tokens, i int) string {
	words := strings.Fields("the gate stays shut while a critical question is open and every worker posts what it has found with its source")
	text := words[i%len(words)]
	for n := i + 1; n <= i+tokens; n++ { // each word has at least one token
		longer := text + " " + words[n%len(words)]
		ids := len(f.Encode(longer))
		if ids > tokens || ids >= f.Limit {
			break
		}
		text = longer
	}
	return text
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// SIMD reports whether the program was built with GOEXPERIMENT=simd. Without it a model
// is five times as slow.
func SIMD() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "GOEXPERIMENT" {
			return slices.Contains(strings.Split(s.Value, ","), "simd")
		}
	}
	return false
}

// Resident returns the peak memory of a process, if the system tells it.
func Resident(pid int) int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var kib int64
			fmt.Sscan(rest, &kib) // stays 0 if it is not a number
			return kib << 10
		}
	}
	return 0
}
