package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/embed"
	"blackboard/kb"
)

// scoresFile is the table, which `go run ./testdata/score SET [PATH]` writes at the top of the
// repository.
const scoresFile = "testdata/score/SCORES.md"

// A row is one figure beside that of a trivial baseline.
type row struct {
	Set, What, Measure, How string
	N                       int
	Ours                    figure
	Beside                  string
	Base                    figure
}

// scoreboards are the sets by their names. Without a path, those in shared lie beside the repository.
var scoreboards = []struct{ name, path, about string }{
	{"scifact", "../shared/data/eval/scifact", "5,183 abstracts, 809 claims (BEIR's layout, train)"},
	{"nfcorpus", "", "medical abstracts; PATH in BEIR's layout"},
	{"beir", "", "any folder in BEIR's layout, by its own name"},
	{"locomo", "", "turns of long conversations; PATH of its own JSON, which its licence does not let us pass on"},
	{"claims", "../shared/data/claims", "WiCE and SummEdits"},
	{"trust", "../shared/data/trust", "five reviews with labels made first"},
	{"notes", "testdata/score/testdata/notes", "440 short notes, 80 questions"},
	{"languages", "testdata/recall/queries.jsonl", "typing errors, prefixes, identifiers and more in seven languages"},
	{"memory", "testdata/memory", "three projects, 60 questions each"},
}

// scoreSet measures one set, and writes its rows into the table.
func scoreSet(ctx context.Context, name, path string, emb embed.Embedder, opt Options, limit int) (rows []row, err error) {
	i := slices.IndexFunc(scoreboards, func(s struct{ name, path, about string }) bool { return s.name == name })
	if path == "" {
		path = scoreboards[i].path
	}
	if path == "" {
		return nil, fmt.Errorf("%s is not in this repository: give its path", name)
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	switch name {
	case "claims":
		return scoreClaims(ctx, path, limit, opt.Progress)
	case "trust":
		return scoreTrust(ctx, path)
	case "locomo":
		return scoreLocomo(ctx, path, emb, opt)
	case "memory":
		return scoreMemories(ctx, path, emb)
	case "languages":
		set, err := readQuestions(path)
		if err != nil {
			return nil, err
		}
		return scoreSearch(ctx, name, set, emb, opt)
	}
	set, err := Read(path, "")
	if err != nil {
		return nil, err
	}
	if name == "beir" {
		name = set.Name
	}
	return scoreSearch(ctx, name, set, emb, opt)
}

// scoreSearch is nDCG@10 by words beside plain BM25, and by both beside plain BM25 and the vectors
// alone.
func scoreSearch(ctx context.Context, name string, set *Set, emb embed.Embedder, opt Options) ([]row, error) {
	report, err := Run(ctx, set, emb, opt)
	if err != nil {
		return nil, err
	}
	base, plain := plainBM25(set), []float64{}
	for _, q := range set.Queries {
		plain = append(plain, nDCG(base[q.ID], q.Relevant, 10))
	}
	of := map[string]figure{}
	for _, m := range report.Modes {
		var values []float64
		for _, q := range m.PerQuery {
			values = append(values, q.NDCG10)
		}
		of[m.Mode] = mean(values)
	}
	one := row{Set: name, Measure: "nDCG@10", What: fmt.Sprintf("search, %d documents", report.Docs), N: report.Queries, Base: mean(plain), Beside: "plain BM25"}
	one.How, one.Ours = "words", of[kb.ModeBM25]
	rows := []row{one}
	if both, ok := of[kb.ModeHybrid]; ok {
		one.How, one.Ours = "both, "+report.Model, both
		rows = append(rows, one)
		one.Beside, one.Base = "its vectors alone", of[kb.ModeVector]
		rows = append(rows, one)
	}
	return rows, nil
}

// scoreLocomo is recall@5 and @10 of all conversations, by type of question.
func scoreLocomo(ctx context.Context, path string, emb embed.Embedder, opt Options) (rows []row, err error) {
	sets, kind, err := readLocomo(path)
	if err != nil {
		return nil, err
	}
	type cell struct{ ours, base []float64 }
	cells := map[string]*cell{}
	for _, set := range sets {
		report, err := Run(ctx, set, emb, opt)
		if err != nil {
			return nil, err
		}
		base := plainBM25(set)
		for _, m := range report.Modes {
			if m.Mode == kb.ModeVector {
				continue
			}
			how := map[string]string{kb.ModeBM25: "words", kb.ModeHybrid: "both, " + report.Model}[m.Mode]
			for i, q := range m.PerQuery {
				for _, k := range []int{5, 10} {
					key := fmt.Sprintf("%s\t%s\trecall@%d", locomoKinds[kind[q.ID]], how, k)
					if cells[key] == nil {
						cells[key] = &cell{}
					}
					asked := set.Queries[i]
					cells[key].ours = append(cells[key].ours, recall(q.Top, asked.Relevant, k))
					cells[key].base = append(cells[key].base, recall(base[q.ID], asked.Relevant, k))
				}
			}
		}
	}
	for _, key := range sortedKeys(cells) {
		f := strings.Split(key, "\t")
		c := cells[key]
		rows = append(rows, row{Set: "locomo", What: "questions on " + f[0], Measure: f[2], How: f[1], N: len(c.ours), Ours: mean(c.ours), Beside: "plain BM25", Base: mean(c.base)})
	}
	return rows, nil
}

// scoreMemories is the share of questions that a memory answers among ten, beside SQLite's full text.
func scoreMemories(ctx context.Context, path string, emb embed.Embedder) (rows []row, err error) {
	dirs, err := filepath.Glob(filepath.Join(path, "*", "corpus.jsonl"))
	if err != nil {
		return nil, err
	}
	got := map[string][]float64{}
	for _, dir := range dirs {
		set, err := Read(filepath.Dir(dir), "")
		if err != nil {
			return nil, err
		}
		report, err := RunMemory(ctx, set, emb)
		if err != nil {
			return nil, err
		}
		for _, m := range report.Modes {
			for _, q := range set.Queries {
				hit := 0.0
				if m.Right[q.ID] > 0 {
					hit = 1
				}
				got[m.Mode+"\t"+m.Model] = append(got[m.Mode+"\t"+m.Model], hit)
			}
		}
	}
	base := mean(got[ModePlain+"\t"])
	for _, key := range sortedKeys(got) {
		if mode, model, _ := strings.Cut(key, "\t"); mode != ModePlain {
			how := "words"
			if model != "" {
				how = "both, " + model
			}
			rows = append(rows, row{Set: "memory", What: "items, " + mode, Measure: "hit@10", How: how, N: len(got[key]), Ours: mean(got[key]), Beside: "plain FTS5", Base: base})
		}
	}
	return rows, nil
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// readQuestions reads the questions in several languages; see testdata/recall.
func readQuestions(path string) (*Set, error) {
	set := &Set{Name: "languages"}
	return set, readJSONL(path, func(b []byte) error {
		var l struct {
			Doc, Query, Title, Body, Text string
			Relevant                      []string
		}
		if err := json.Unmarshal(b, &l); err != nil {
			return err
		}
		if l.Doc != "" {
			set.Docs = append(set.Docs, Doc{ID: l.Doc, Title: l.Title, Text: l.Body})
			return nil
		}
		q := Query{ID: l.Query, Text: l.Text, Relevant: map[string]int{}}
		for _, id := range l.Relevant {
			q.Relevant[id] = 1
		}
		set.Queries = append(set.Queries, q)
		return nil
	})
}

const scoresHead = `# Scores

How well searches and checks do on public sets and on our own, each beside a baseline that takes a few lines
(baseline.go). In brackets: 95 % confidence, by 1,000 samples of the questions. Written by
` + "`go run ./testdata/score SET [PATH]`" + `, which replaces the rows of its set. A figure below its baseline stands here like
the others. Labels of our own sets were made before anything ran; the checks were developed on claims and trust, the
search on all of these.

| set | what | measure | n | by | board | beside | it |
| --- | --- | --- | --- | --- | --- | --- | --- |
`

const scoresFoot = `
Measured elsewhere, at 2011c4aa: LoCoMo by dialogue, nDCG@10, by words .509, by all-MiniLM-L6-v2 .277, by both .536.

Not run here:
`

func (f figure) String() string {
	return strings.ReplaceAll(fmt.Sprintf("%.3f [%.3f, %.3f]", f.Value, f.Low, f.High), "0.", ".")
}

func (r row) String() string {
	return fmt.Sprintf("| %s | %s | %s | %d | %s | %s | %s | %s |", r.Set, r.What, r.Measure, r.N, r.How, r.Ours, r.Beside, r.Base)
}

// writeScores puts rows into the table in the place of those that the same set and way of asking had.
func writeScores(name string, rows []row) error {
	old, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	kept := map[string]string{} // by all but the figures
	key := func(line string) string {
		f := strings.Split(line, " | ")
		return strings.Join(append(f[:3:3], f[4], f[6]), "|")
	}
	for line := range strings.Lines(string(old)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "| ") && strings.Count(line, " | ") == 7 && !strings.HasPrefix(line, "| set |") && !strings.HasPrefix(line, "| ---") {
			kept[key(line)] = line
		}
	}
	for _, r := range rows {
		kept[key(r.String())] = r.String()
	}
	text, run := scoresHead, map[string]bool{}
	for _, k := range sortedKeys(kept) {
		text += kept[k] + "\n"
		run[strings.TrimPrefix(strings.Split(kept[k], " | ")[0], "| ")] = true
	}
	text += scoresFoot
	for _, s := range scoreboards {
		if !run[s.name] && s.name != "beir" {
			text += "- " + s.name + ": " + s.about + "\n"
		}
	}
	for _, not := range [][2]string{
		{"scifact", ", which takes hours on two cores; README.md has 2,415 of its abstracts"}, {"memory", ""}} {
		set, why := not[0], not[1]
		if !slices.ContainsFunc(sortedKeys(kept), func(k string) bool {
			return strings.HasPrefix(k, "| "+set+"|") && strings.Contains(k, "all-MiniLM-L6-v2")
		}) {
			text += "- " + set + " with all-MiniLM-L6-v2" + why + "\n"
		}
	}
	return os.WriteFile(name, []byte(text), fs.FileMode(0o644))
}
