package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"blackboard/board/sqlite"
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
		return usagef("`board kb eval DIR`", "no set is given")
	}
	var earlier map[string]queryLine
	if name := c.String("against"); name != "" {
		var err error
		if earlier, err = readPerQuery(name); err != nil {
			return err
		}
	}
	sets, err := evalSets(c)
	if err != nil {
		return err
	}
	modes := list(c, "mode")
	for _, m := range modes {
		if !slices.Contains([]string{kb.ModeBM25, kb.ModeVector, kb.ModeHybrid}, m) {
			return usagef("bm25, vector or hybrid", "the mode %q cannot be measured", line(m, 40))
		}
	}
	e, err := p.ownEmbedder(c.Context)
	if err != nil {
		return err
	}
	if len(modes) == 1 && modes[0] == kb.ModeBM25 {
		e = nil // nothing to embed for
	}
	bar := p.stepBar()
	defer bar.clear()
	var reports []*eval.Report
	var lines []queryLine
	for _, set := range sets {
		opt := eval.Options{Modes: modes, Fusion: c.String("fusion"), NoMMR: c.Bool("no-mmr"), Progress: bar.show}
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
	bar.clear()
	if name := c.String("per-query"); name != "" {
		if err := p.writeFile(name, func(w io.Writer) error {
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
	return p.answer(c, nil, func() {
		p.printEval(reports)
		p.printCompared(compared, earlier != nil)
	}, "eval", reports, "compared", compared)
}

// evalSets reads the sets that a command names.
func evalSets(c *cli.Context) (sets []*eval.Set, err error) {
	for _, dir := range c.Args().Slice() {
		set, err := eval.Read(dir, c.String("split"))
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

func (p *program) printEval(reports []*eval.Report) {
	for _, r := range reports {
		model := ""
		if r.Model != "" {
			model = ", " + safe(r.Model)
		}
		p.printf("%s (%s): %s, %s%s\n", safe(r.Set), safe(r.Split), count(int64(r.Docs), "document", "documents"), count(int64(r.Queries), "question", "questions"), model)
		p.printf("  %-8s %8s %8s %8s %10s %8s %10s\n", "mode", "nDCG@10", "rec@5", "rec@10", "rec@100", "MRR@10", "median")
		for _, m := range r.Modes {
			p.printf("  %-8s %8.4f %8.4f %8.4f %10.4f %8.4f %7.1f ms\n", m.Mode, m.NDCG10, m.Recall5, m.Recall10, m.Recall100, m.MRR10, m.Median)
		}
	}
}

// comparison is how the questions fared that two runs have in common.
type comparison struct {
	Set     string  `json:"set"`
	Mode    string  `json:"mode"`
	Queries int     `json:"queries"`
	Better  int     `json:"better"`
	Worse   int     `json:"worse"`
	Mean    float64 `json:"mean_change"` // of nDCG@10
	// Most changed first, at most ten.
	Changes []change `json:"changes"`
}

type change struct {
	ID     string  `json:"id"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

func readPerQuery(name string) (map[string]queryLine, error) {
	data, err := sqlite.ReadFile(name)
	if err != nil {
		return nil, usagef("name a file that --per-query wrote", "%v", err)
	}
	all := map[string]queryLine{}
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		var l queryLine
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil || l.ID == "" {
			return nil, usagef("name a file that --per-query wrote", "%s, line %d is not one of such a file", name, n)
		}
		all[l.Set+"\n"+l.Mode+"\n"+l.ID] = l
	}
	return all, sc.Err()
}

func compare(earlier map[string]queryLine, now []queryLine) []comparison {
	out := []comparison{}
	for _, l := range now {
		old, known := earlier[l.Set+"\n"+l.Mode+"\n"+l.ID]
		if !known {
			continue
		}
		if n := len(out); n == 0 || out[n-1].Set != l.Set || out[n-1].Mode != l.Mode {
			out = append(out, comparison{Set: l.Set, Mode: l.Mode, Changes: []change{}})
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
		slices.SortStableFunc(out[i].Changes, func(a, b change) int { return cmp.Compare(size(b), size(a)) })
		out[i].Changes = out[i].Changes[:min(10, len(out[i].Changes))]
	}
	return out
}

func (p *program) printCompared(all []comparison, asked bool) {
	if asked && len(all) == 0 {
		p.talk("the earlier run has none of these questions and modes")
	}
	for _, c := range all {
		p.printf("%s %s: %d better, %d worse of %d; nDCG@10 %+.4f in the mean\n", safe(c.Set), c.Mode, c.Better, c.Worse, c.Queries, c.Mean)
		for _, ch := range c.Changes {
			p.printf("  %-16s %.3f -> %.3f\n", line(ch.ID, 60), ch.Before, ch.After)
		}
	}
}

func (p *program) kbCalibrate(c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("name one set", "`board kb calibrate` takes one set, but got %d", c.NArg())
	}
	var set io.Reader
	if c.NArg() == 1 {
		data, err := sqlite.ReadFile(c.Args().First())
		if err != nil {
			return usagef("name a file in the format that `board kb calibrate --help` shows", "%v", err)
		}
		if err := kb.CheckCalibrationSet(bytes.NewReader(data)); err != nil {
			return err // before a knowledge base is made for it
		}
		set = bytes.NewReader(data)
	}
	k, done, err := p.openKB(c, kb.Open, true)
	if err != nil {
		return err
	}
	defer done()
	all, err := k.Calibrate(c.Context, set)
	return p.answer(c, err, func() {
		for _, r := range all {
			name := r.Model
			if name == "" {
				name = "words alone"
			}
			p.printf("%s: evidence from %.3f on; of %d prompts that something helps with %.0f %% get it, of %d others %.0f %% get nothing\n", safe(name), r.Threshold, r.OnTopic,
				100*r.Kept, r.OffTopic, 100*r.Rejected)
			if r.Titles > 0 {
				p.printf("  here: of %s %.0f %% find their capsule\n", count(int64(r.Titles), "title", "titles and prompts"), 100*r.TitlesFound)
			}
		}
	}, "calibrations", all)
}

func (p *program) memoryEval(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("`board memory eval DIR`", "no set is given")
	}
	sets, err := evalSets(c)
	if err != nil {
		return err
	}
	e, err := p.ownEmbedder(c.Context)
	if err != nil {
		return err
	}
	reports := make([]*eval.MemoryReport, len(sets))
	for i, set := range sets {
		if reports[i], err = eval.RunMemory(c.Context, set, e); err != nil {
			return err
		}
	}
	return p.answer(c, nil, func() {
		for _, r := range reports {
			p.printf("%s: %s, %s\n", safe(r.Set), count(int64(r.Items), "item", "items"), count(int64(r.Queries), "question", "questions"))
			p.printf("  %-36s %6s %6s %6s\n", "", "hit@1", "hit@3", "hit@10")
			for _, m := range r.Modes {
				how := "plain FTS5"
				if m.Mode != eval.ModePlain {
					how = cmp.Or(safe(m.Model), "words alone") + ", " + m.Mode
				}
				p.printf("  %-36s %6.2f %6.2f %6.2f\n", how, m.Hit1, m.Hit3, m.Hit10)
			}
		}
	}, "eval", reports)
}
