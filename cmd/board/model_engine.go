package main

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/embed/ort"
)

func (p *program) modelEngine(c *cli.Context) error {
	e, err := ort.Choose(c.Context, p.Env)
	return p.Answer(c, err, func() {
		what := strings.TrimSpace(e.Name + " " + e.Version)
		if e.Name == ort.Hugot {
			what += ", " + buildKind()
		}
		p.Printf("%s: %s\n", base.Safe(what), base.Safe(e.Why))
		if e.Library != "" {
			p.Printf("  %s\n", base.Safe(e.Library))
		}
		if e.Problem != "" {
			p.Printf("  %s\n", p.Paint(base.Yellow, base.Safe(e.Problem)))
		}
	}, "engine", e)
}

func (p *program) hasFastEngine(ctx context.Context) bool {
	e, err := ort.Choose(ctx, p.Env)
	return err == nil && e.Name == ort.ONNXRuntime
}

func buildKind() string {
	if minilm.SIMD() {
		return "built with SIMD"
	}
	return "built without SIMD"
}

// availableModel is a model that can be fetched.
type availableModel struct {
	minilm.Choice
	Speed *minilm.Speed `json:"speed"` // as measured on this machine; null: not measured
}

// modelAvailable shows the models that are worth choosing.
func (p *program) modelAvailable(c *cli.Context) error {
	home, err := p.DataHome()
	if err != nil {
		return err
	}
	var all []availableModel
	speeds, width := minilm.Speeds(home), 0
	for _, m := range minilm.Available() {
		all = append(all, availableModel{m, speeds[m.Name]})
		width = max(width, len(m.Pull))
	}
	return p.Answer(c, nil, func() {
		const row = "%-*s  %9s  %5s  %6s  %-12s  %13s  %-12s"
		p.Printf(row+"\n", width, "model", "size", "dim", "tokens", "language", "retrieval", "a question")
		for _, m := range all {
			quality, speed := "not published", "not measured"
			if m.Retrieval > 0 {
				quality = fmt.Sprintf("%.1f", m.Retrieval)
			}
			if m.Speed != nil && len(m.Speed.Lengths) > 0 {
				speed = fmt.Sprintf("%.1f ms", m.Speed.Lengths[0].MedianMS)
			}
			p.Printf(row+"  %s\n", width, m.Pull, base.Megabytes(m.Bytes), fmt.Sprintf("%d-d", m.Dim),
				strconv.Itoa(m.MaxTokens), m.Language, quality, speed, p.Paint(base.Dim, m.Note))
		}
		p.Messagef("retrieval is the mean nDCG@10 of MTEB's English sets, as published")
		p.Messagef("`board model pull MODEL` fetches a model, `board model bench MODEL` measures it here")
	}, "available", all)
}

func (p *program) modelBench(c *cli.Context) error {
	if n := c.Int("texts"); n < 0 || n > 100_000 {
		return base.Usagef("32 is enough for most; 0 leaves the throughput out", "--texts %d is not between 0 and 100000", n)
	}
	var tokens []int
	for _, word := range strings.Split(c.String("tokens"), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || n > 1_000_000 {
			return base.Usagef("give lengths with commas between them: 14,200", "--tokens %q is not a list of lengths", c.String("tokens"))
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
	if base.IsTerminal(p.Err) {
		p.Messagef("measuring; it may take a minute")
	}
	var all []*minilm.Speed
	for _, dir := range dirs {
		measured, err := p.measure(c.Context, dir, tokens, c.Int("texts"))
		if err != nil {
			return asAbsent(err)
		}
		all = append(all, measured...)
	}
	home, err := p.DataHome()
	if err == nil {
		err = minilm.KeepSpeeds(home, all)
	}
	if err != nil {
		p.Messagef("warning: %s", base.Safe(err.Error()))
	}
	return p.Answer(c, nil, func() { p.printSpeeds(all) }, "bench", all[0], "all", all)
}

// measure measures a model with each engine, the fastest first.
func (p *program) measure(ctx context.Context, dir string, tokens []int, texts int) ([]*minilm.Speed, error) {
	var engine ort.Engine
	s, err := minilm.Measure(ctx, dir, tokens, texts, func() (embed.Embedder, func() error, error) {
		m, err := ort.Open(ctx, dir, p.Env, func(problem string) { p.Messagef("%s", base.Safe(problem)) })
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
	if engine.Name != ort.ONNXRuntime {
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
			engine += ", " + buildKind()
		}
		p.Printf("%s, %d-d: %s, %s, %s\n", s.Model.Name, s.Model.Dim, engine, s.Go,
			base.Count(int64(s.CPUs), "processor", "processors"))
		p.Printf("  load %.0f ms, then %.0f ms to the first vector\n", s.LoadMS, s.FirstMS)
		for _, l := range s.Lengths {
			p.Printf("  %4d tokens: %.2f ms median, %.2f ms p95 of %d", l.Tokens, l.MedianMS, l.P95MS, l.Runs)
			if l.Texts > 0 {
				p.Printf("; %d at once: %.1f texts/s", l.Texts, l.TextsPerSecond)
			}
			p.Printf("\n")
		}
		if s.ResidentBytes != nil {
			p.Printf("  resident at most %s\n", base.Megabytes(*s.ResidentBytes))
		}
	}
	p.compareSpeeds(all)
	if !minilm.SIMD() && runtime.GOARCH == "amd64" && all[0].Engine == ort.Hugot {
		p.Messagef("`make install` builds with SIMD where the toolchain has it, which is about five times as fast")
	}
}

// compareSpeeds shows models and engines side by side, with the first as the yardstick.
func (p *program) compareSpeeds(all []*minilm.Speed) {
	if len(all) < 2 {
		return
	}
	const title = "side by side"
	width := len(title)
	for _, s := range all {
		width = max(width, len(s.Model.Name))
	}
	p.Printf("\n%-*s  %-11s", width, title, "engine")
	for _, l := range all[0].Lengths {
		p.Printf("  %15s", fmt.Sprintf("%d tokens", l.Tokens))
	}
	p.Printf("\n")
	for _, s := range all {
		p.Printf("%-*s  %-11s", width, s.Model.Name, s.Engine)
		for i, l := range s.Lengths {
			times := l.MedianMS / max(all[0].Lengths[i].MedianMS, 0.001)
			p.Printf("  %15s", fmt.Sprintf("%.1f ms %4.1f×", l.MedianMS, times))
		}
		p.Printf("\n")
	}
}
