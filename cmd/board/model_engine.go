package main

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/embed/ort"
)

func (p *program) modelEngine(c *cli.Context) error {
	e, err := ort.Choose(c.Context, p.env)
	return p.answer(c, err, func() {
		what := strings.TrimSpace(e.Name + " " + e.Version)
		if e.Name == ort.Hugot {
			what += ", " + buildKind()
		}
		p.printf("%s: %s\n", safe(what), safe(e.Why))
		if e.Library != "" {
			p.printf("  %s\n", safe(e.Library))
		}
		if e.Problem != "" {
			p.printf("  %s\n", p.paint(yellow, safe(e.Problem)))
		}
	}, "engine", e)
}

func (p *program) hasFastEngine(ctx context.Context) bool {
	e, err := ort.Choose(ctx, p.env)
	return err == nil && e.Name == ort.ONNXRuntime
}

func buildKind() string {
	if minilm.SIMD() {
		return "built with SIMD"
	}
	return "built without SIMD"
}

// modelAvailable shows the models that are worth choosing.
func (p *program) modelAvailable(c *cli.Context) error {
	all := minilm.Available()
	return p.answer(c, nil, func() {
		width := 0
		for _, m := range all {
			width = max(width, len(m.Pull))
		}
		p.printf("%-*s  %9s  %5s  %6s  %-8s  %9s\n", width, "model", "size", "dim", "tokens", "language", "retrieval")
		for _, m := range all {
			quality := "not published"
			if m.Retrieval > 0 {
				quality = fmt.Sprintf("%.1f", m.Retrieval)
			}
			p.printf("%-*s  %9s  %3d-d  %6d  %-8s  %9s  %s\n", width, m.Pull, megabytes(m.Bytes), m.Dim, m.MaxTokens, m.Language, quality, p.paint(dim, m.Note))
		}
		p.talk("`board model pull MODEL` fetches one, `board model bench` measures those that are there; retrieval is nDCG@10 of MTEB's English sets, as published")
	}, "available", all)
}

func (p *program) modelBench(c *cli.Context) error {
	if n := c.Int("texts"); n < 0 || n > 100_000 {
		return usagef("32 is enough for most; 0 leaves the throughput out", "--texts %d is not between 0 and 100000", n)
	}
	var tokens []int
	for _, word := range strings.Split(c.String("tokens"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || n > 1_000_000 {
			return usagef("give lengths with commas between them: 14,200", "--tokens %q is not a list of lengths", c.String("tokens"))
		}
		tokens = append(tokens, n)
	}
	names := c.Args().Slice()
	var dirs []string
	for _, name := range names {
		dir, err := p.namedModelDir(name)
		if err != nil {
			return err
		}
		dirs = append(dirs, dir)
	}
	if len(names) == 0 {
		dir, err := p.modelDir(c)
		if err != nil {
			return err
		}
		dirs = []string{dir}
	}
	if isTerminal(p.err) {
		p.talk("measuring; it may take a minute")
	}
	var all []*minilm.Speed
	for _, dir := range dirs {
		measured, err := p.measure(c.Context, dir, tokens, c.Int("texts"))
		if err != nil {
			return asAbsent(err)
		}
		all = append(all, measured...)
	}
	return p.answer(c, nil, func() { p.printSpeeds(all) }, "bench", all[0], "all", all)
}

// measure measures a model with each engine, the fastest first.
func (p *program) measure(ctx context.Context, dir string, tokens []int, texts int) ([]*minilm.Speed, error) {
	var engine ort.Engine
	s, err := minilm.Measure(ctx, dir, tokens, texts, func() (embed.Embedder, func() error, error) {
		m, err := ort.Open(ctx, dir, p.env, func(problem string) { p.talk("%s", safe(problem)) })
		if err != nil {
			return nil, nil, err
		}
		engine = m.Engine()
		return m, m.Close, nil
	})
	if err != nil {
		return nil, err
	}
	s.Engine, s.Version = engine.Name, engine.Version
	if engine.Name == ort.Hugot {
		return []*minilm.Speed{s}, nil
	}
	reference, err := minilm.Measure(ctx, dir, tokens, texts, nil)
	if err != nil {
		return nil, err
	}
	reference.Engine = ort.Hugot
	return []*minilm.Speed{s, reference}, nil
}

func (p *program) printSpeeds(all []*minilm.Speed) {
	for _, s := range all {
		engine := strings.TrimSpace(s.Engine + " " + s.Version)
		if s.Engine == ort.Hugot {
			engine = buildKind() + ", " + engine
		}
		p.printf("%s, %d-d: %s, %s, %s\n", s.Model.Name, s.Model.Dim, engine, s.Go, count(int64(s.CPUs), "processor", "processors"))
		p.printf("  load %.0f ms, then %.0f ms to the first vector\n", s.LoadMS, s.FirstMS)
		for _, l := range s.Lengths {
			p.printf("  %4d tokens: %.2f ms median, %.2f ms p95 of %d", l.Tokens, l.MedianMS, l.P95MS, l.Runs)
			if l.Texts > 0 {
				p.printf("; %d at once: %.1f texts/s", l.Texts, l.TextsPerSecond)
			}
			p.printf("\n")
		}
		if s.ResidentBytes != nil {
			p.printf("  resident at most %s\n", megabytes(*s.ResidentBytes))
		}
	}
	if !minilm.SIMD() && runtime.GOARCH == "amd64" && all[0].Engine == ort.Hugot {
		p.talk("`make install` builds with SIMD where the toolchain has it, which is about five times as fast")
	}
}
