package kbcmd

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"blackboard/board/sqlite"
	"blackboard/cmd/board/base"
	"blackboard/kb"
	"blackboard/kb/eval"
)

// queryLine is a line of the file that --per-query writes.
type queryLine struct {
	Set  string `json:"set"`
	Mode string `json:"mode"`
	eval.QueryMetrics
}

func (p *program) kbEval(c *cli.Context) error {
	if c.NArg() == 0 {
		return base.Usagef("`board kb eval DIR`", "no set is given")
	}
	var earlier map[string]queryLine
	if name := c.String("against"); name != "" {
		var err error
		if earlier, err = readPerQuery(name); err != nil {
			return err
		}
	}
	sets, err := eval.ReadAll(c.Args().Slice(), c.String("split"))
	if err != nil {
		return err
	}
	modes := base.List(c, "mode")
	for _, m := range modes {
		if !slices.Contains([]string{kb.ModeBM25, kb.ModeVector, kb.ModeHybrid}, m) {
			return base.Usagef("bm25, vector or hybrid", "the mode %q cannot be measured",
				base.Line(m, 40))
		}
	}
	e, err := p.OwnEmbedder(c.Context)
	if err != nil {
		return err
	}
	if len(modes) == 1 && modes[0] == kb.ModeBM25 {
		e = nil // nothing to embed for
	}
	bar := p.StepBar()
	defer bar.Clear()
	var reports []*eval.Report
	var lines []queryLine
	for _, set := range sets {
		opt := eval.Options{Modes: modes, Fusion: c.String("fusion"), NoMMR: c.Bool("no-mmr"),
			Progress: bar.Show}
		if len(modes) == 0 {
			opt.Modes = nil
		}
		r, err := eval.Run(c.Context, set, e, opt)
		if err != nil {
			return err
		}
		for i := range r.Modes {
			for _, q := range r.Modes[i].PerQuery {
				lines = append(lines, queryLine{r.Set + "/" + r.Split, r.Modes[i].Mode, q})
			}
			r.Modes[i].PerQuery = nil
		}
		reports = append(reports, r)
	}
	bar.Clear()
	if name := c.String("per-query"); name != "" {
		if err := p.WriteFile(name, func(w io.Writer) error {
			enc := json.NewEncoder(w)
			enc.SetEscapeHTML(false)
			for _, l := range lines {
				if err := enc.Encode(l); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	compared := compare(earlier, lines)
	return p.Answer(c, nil, func() {
		p.printEval(reports)
		p.printCompared(compared, earlier != nil)
	}, "eval", reports, "compared", compared)
}

func (p *program) printEval(reports []*eval.Report) {
	for _, r := range reports {
		model := ""
		if r.Model != "" {
			model = ", " + base.Safe(r.Model)
		}
		p.Printf("%s (%s): %s, %s%s\n", base.Safe(r.Set), base.Safe(r.Split),
			base.Count(int64(r.Docs), "document", "documents"), base.Count(int64(r.Queries), "question",
				"questions"), model)
		p.Printf("  %-8s %8s %8s %8s %10s %8s %10s\n", "mode", "nDCG@10", "rec@5", "rec@10", "rec@100",
			"MRR@10", "median")
		for _, m := range r.Modes {
			p.Printf("  %-8s %8.4f %8.4f %8.4f %10.4f %8.4f %7.1f ms\n", m.Mode, m.NDCG10, m.Recall5,
				m.Recall10, m.Recall100, m.MRR10, m.Median)
		}
	}
}

// evalComparison compares the questions that two runs have in common.
type evalComparison struct {
	Set     string  `json:"set"`
	Mode    string  `json:"mode"`
	Queries int     `json:"queries"`
	Better  int     `json:"better"`      // questions that got a better answer
	Worse   int     `json:"worse"`       // questions that got a worse one
	Mean    float64 `json:"mean_change"` // of nDCG@10
	// Most changed first, at most ten.
	Changes []change `json:"changes"`
}

type change struct {
	ID     string  `json:"id"`
	Before float64 `json:"before"` // nDCG@10 before
	After  float64 `json:"after"`  // nDCG@10 now
}

func readPerQuery(name string) (map[string]queryLine, error) {
	data, err := sqlite.ReadFile(name)
	if err != nil {
		return nil, base.Usagef("name a file that --per-query wrote", "%v", err)
	}
	all := map[string]queryLine{}
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		var l queryLine
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil || l.ID == "" {
			return nil, base.Usagef("name a file that --per-query wrote",
				"%s, line %d: not a line of a --per-query file", name, n)
		}
		all[l.Set+"\n"+l.Mode+"\n"+l.ID] = l
	}
	return all, sc.Err()
}

func compare(earlier map[string]queryLine, now []queryLine) []evalComparison {
	out := []evalComparison{}
	for _, l := range now {
		old, known := earlier[l.Set+"\n"+l.Mode+"\n"+l.ID]
		if !known {
			continue
		}
		if n := len(out); n == 0 || out[n-1].Set != l.Set || out[n-1].Mode != l.Mode {
			out = append(out, evalComparison{Set: l.Set, Mode: l.Mode, Changes: []change{}})
		}
		c := &out[len(out)-1]
		c.Queries++
		diff := l.NDCG10 - old.NDCG10
		c.Mean += diff
		switch {
		case diff > 0:
			c.Better++
		case diff < 0:
			c.Worse++
		default:
			continue
		}
		c.Changes = append(c.Changes, change{l.ID, old.NDCG10, l.NDCG10})
	}
	size := func(c change) float64 { return max(c.After-c.Before, c.Before-c.After) }
	for i := range out {
		out[i].Mean /= float64(out[i].Queries)
		slices.SortStableFunc(out[i].Changes, func(a, b change) int {
			return cmp.Compare(size(b),
				size(a))
		})
		out[i].Changes = out[i].Changes[:min(10, len(out[i].Changes))]
	}
	return out
}

func (p *program) printCompared(all []evalComparison, asked bool) {
	if asked && len(all) == 0 {
		p.Messagef("the earlier run has none of these questions and modes")
	}
	for _, c := range all {
		p.Printf("%s %s: %d better, %d worse of %d; nDCG@10 %+.4f in the mean\n", base.Safe(c.Set),
			c.Mode, c.Better, c.Worse, c.Queries, c.Mean)
		for _, ch := range c.Changes {
			p.Printf("  %-16s %.3f -> %.3f\n", base.Line(ch.ID, 60), ch.Before, ch.After)
		}
	}
}

func (p *program) kbCalibrate(c *cli.Context) error {
	if c.NArg() > 1 {
		return base.Usagef("name one set", "`board kb calibrate` takes one set, but got %d", c.NArg())
	}
	var set io.Reader
	if c.NArg() == 1 {
		data, err := sqlite.ReadFile(c.Args().First())
		if err != nil {
			return base.Usagef("name a file in the format that `board kb calibrate --help` shows", "%v",
				err)
		}
		if err := kb.CheckCalibrationSet(bytes.NewReader(data)); err != nil {
			return err // before a knowledge base is made for it
		}
		set = bytes.NewReader(data)
	}
	return base.With(p.openKB(c, kb.Open, true))(func(k *kb.KB) error {
		all, err := k.Calibrate(c.Context, set)
		return p.Answer(c, err, func() {
			for _, r := range all {
				name := r.Model
				if name == "" {
					name = "words alone"
				}
				p.Printf("%s: evidence from %.3f on; of %d prompts that something helps with "+
					"%.0f %% get "+
					"it, of %d others %.0f %% get nothing\n", base.Safe(name), r.Threshold, r.OnTopic,
					100*r.Kept, r.OffTopic, 100*r.Rejected)
				if r.Titles > 0 {
					p.Printf("  here: of %s %.0f %% find their capsule\n",
						base.Count(int64(r.Titles), "title",
							"titles and prompts"), 100*r.TitlesFound)
				}
			}
		}, "calibrations", all)
	})
}
