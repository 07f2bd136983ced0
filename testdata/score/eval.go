package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/embed"
	"blackboard/kb"
)

// Set is a retrieval test in the layout of BEIR: documents, questions, and which
// documents answer which.
type Set struct {
	Name    string
	Split   string // name of the qrels file without .tsv
	Docs    []Doc
	Queries []Query // those with at least one relevant document
}

// Doc is a document of a set.
type Doc struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// Metadata is an object, of which a memory's set makes use; see Metadata.
	Metadata json.RawMessage `json:"metadata"`
}

// Query is a question of a set, with the grades (above 0) of the documents that answer
// it.
type Query struct {
	ID       string         `json:"_id"`
	Text     string         `json:"text"`
	Relevant map[string]int `json:"-"`
}

// ReadAll reads the sets of several directories.
func ReadAll(dirs []string, split string) (sets []*Set, err error) {
	for _, dir := range dirs {
		set, err := Read(dir, split)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// Read reads DIR/corpus.jsonl, DIR/queries.jsonl and DIR/qrels/SPLIT.tsv. With split ""
// there must be one qrels file, or test.tsv is taken.
func Read(dir, split string) (*Set, error) {
	if split == "" {
		files, err := filepath.Glob(filepath.Join(dir, "qrels", "*.tsv"))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if split = strings.TrimSuffix(filepath.Base(f), ".tsv"); split == "test" {
				break
			}
		}
		if len(files) > 1 && split != "test" {
			return nil, fmt.Errorf("%s has several qrels files: choose one with -split", dir)
		}
	}
	abs, err := filepath.Abs(dir) // the current directory has a name too
	if err != nil {
		return nil, err
	}
	set := &Set{Name: filepath.Base(abs), Split: split}
	known := map[string]bool{}
	err = readJSONL(filepath.Join(dir, "corpus.jsonl"), func(b []byte) error {
		var d Doc
		if err := json.Unmarshal(b, &d); err != nil {
			return err
		}
		if d.ID == "" || known[d.ID] {
			return fmt.Errorf("the document id %q is empty or occurs twice", d.ID)
		}
		known[d.ID] = true
		set.Docs = append(set.Docs, d)
		return nil
	})
	if err != nil {
		return nil, err
	}
	relevant, err := readQrels(filepath.Join(dir, "qrels", split+".tsv"), known)
	if err != nil {
		return nil, err
	}
	err = readJSONL(filepath.Join(dir, "queries.jsonl"), func(b []byte) error {
		var q Query
		if err := json.Unmarshal(b, &q); err != nil {
			return err
		}
		if q.Relevant = relevant[q.ID]; len(q.Relevant) > 0 && strings.TrimSpace(q.Text) != "" {
			set.Queries = append(set.Queries, q)
		}
		return nil
	})
	if err == nil && len(set.Queries) == 0 {
		err = fmt.Errorf("%s has no question with a relevant document: check that queries.jsonl "+
			"and qrels belong to the same set", dir)
	}
	return set, err
}

// missingFile adds the files of a set to the error for a missing one.
func missingFile(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: a set is a folder with corpus.jsonl, queries.jsonl and "+
			"qrels/SPLIT.tsv", err)
	}
	return err
}

func readJSONL(name string, fn func([]byte) error) error {
	f, err := os.Open(name)
	if err != nil {
		return missingFile(err)
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if len(strings.TrimSpace(string(line))) > 0 {
			if err := fn(line); err != nil {
				return fmt.Errorf("%s, line %d: %w", name, n, err)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func readQrels(name string, known map[string]bool) (map[string]map[string]int, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, missingFile(err)
	}
	all := map[string]map[string]int{}
	for n, line := range strings.Split(string(b), "\n") {
		f := strings.Split(strings.TrimRight(line, "\r"), "\t")
		if len(f) == 1 && f[0] == "" || n == 0 && f[0] == "query-id" {
			continue
		}
		if len(f) != 3 {
			return nil, fmt.Errorf("%s, line %d has %d columns, not three: query-id, corpus-id, "+
				"score", name, n+1, len(f))
		}
		grade, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: the score %q is not an integer", name, n+1, f[2])
		}
		if grade <= 0 {
			continue
		}
		if !known[f[1]] {
			return nil, fmt.Errorf("%s, line %d: document %q not found", name, n+1, f[1])
		}
		if all[f[0]] == nil {
			all[f[0]] = map[string]int{}
		}
		all[f[0]][f[1]] = grade
	}
	return all, nil
}

// Options select what to measure.
type Options struct {
	Modes    []string // nil: all that the model allows
	NoMMR    bool     // as of a Query
	Progress func(what string, done, of int)
}

// Metrics are means over a set's questions, as BEIR and trec_eval compute them.
type Metrics struct {
	Mode      string  `json:"mode"`
	NDCG10    float64 `json:"ndcg_10"`
	Recall5   float64 `json:"recall_5"`
	Recall10  float64 `json:"recall_10"`
	Recall100 float64 `json:"recall_100"`
	MRR10     float64 `json:"mrr_10"`
	// time of a question with its embedding, warm, in this process
	Median float64 `json:"median_ms"`
	// PerQuery has what each question got, to compare two runs.
	PerQuery []QueryMetrics `json:"per_query,omitempty"`
}

// QueryMetrics are the metrics of one question.
type QueryMetrics struct {
	ID        string   `json:"id"`
	NDCG10    float64  `json:"ndcg_10"`
	Recall100 float64  `json:"recall_100"`
	Top       []string `json:"top"` // the first ten
}

// Report is the result of Run.
type Report struct {
	Set     string    `json:"set"`
	Split   string    `json:"split"` // the file of judgements: qrels/SPLIT.tsv
	Docs    int       `json:"docs"`  // documents of the set
	Queries int       `json:"queries"`
	Model   string    `json:"model"` // "" without one
	Modes   []Metrics `json:"modes"`
}

const (
	depth = 100 // hits that are looked at
	batch = 200 // documents that are stored at once
)

// Run asks a set's questions of a knowledge base that has only the set's documents,
// with the same code as all commands.
func Run(ctx context.Context, set *Set, emb embed.Embedder, opt Options) (*Report, error) {
	dir, err := os.MkdirTemp("", "board-score-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	k, err := kb.Open(ctx, dir, kb.Options{Embedder: emb, Warm: true})
	if err != nil {
		return nil, err
	}
	defer k.Close()
	if opt.Progress == nil {
		opt.Progress = func(string, int, int) {}
	}
	names, err := load(ctx, k, set, opt.Progress)
	if err != nil {
		return nil, err
	}
	report := &Report{Set: set.Name, Split: set.Split, Docs: len(set.Docs),
		Queries: len(set.Queries)}
	modes := opt.Modes
	if modes == nil {
		modes = []string{kb.ModeBM25}
		if emb != nil {
			modes = []string{kb.ModeBM25, kb.ModeVector, kb.ModeHybrid}
		}
	}
	if emb != nil {
		report.Model = emb.Model().Name
	}
	for _, mode := range modes {
		m := Metrics{Mode: mode}
		var times []float64
		for i, q := range set.Queries {
			start := time.Now()
			res, err := k.Search(ctx, kb.Query{Text: q.Text, Mode: mode, Limit: depth,
				NoMMR: opt.NoMMR, Measuring: true})
			if err != nil {
				return nil, err
			}
			times = append(times, float64(time.Since(start).Microseconds())/1000)
			m.add(&q, res.Hits, names)
			opt.Progress(mode, i+1, len(set.Queries))
		}
		n := float64(len(set.Queries))
		m.NDCG10, m.Recall5, m.Recall10, m.Recall100, m.MRR10 = m.NDCG10/n, m.Recall5/n,
			m.Recall10/n, m.Recall100/n, m.MRR10/n
		slices.Sort(times)
		m.Median = times[len(times)/2]
		report.Modes = append(report.Modes, m)
	}
	return report, nil
}

func (m *Metrics) add(q *Query, hits []kb.Hit, names map[string]string) {
	ranked := make([]string, len(hits))
	for i, h := range hits {
		ranked[i] = names[h.ID]
	}
	pq := QueryMetrics{ID: q.ID, NDCG10: nDCG(ranked, q.Relevant, 10),
		Recall100: recall(ranked, q.Relevant, 100), Top: ranked[:min(10, len(ranked))]}
	m.PerQuery = append(m.PerQuery, pq)
	m.NDCG10 += pq.NDCG10
	m.Recall100 += pq.Recall100
	m.Recall5 += recall(ranked, q.Relevant, 5)
	m.Recall10 += recall(ranked, q.Relevant, 10)
	m.MRR10 += mrr(ranked, q.Relevant, 10)
}

// load stores a set's documents as capsules and returns their names by capsule id.
func load(ctx context.Context, k *kb.KB, set *Set, progress func(string, int,
	int)) (map[string]string, error) {
	names := make(map[string]string, len(set.Docs))
	for at := 0; at < len(set.Docs); {
		part := set.Docs[at:min(at+batch, len(set.Docs))]
		caps := make([]kb.Capsule, len(part))
		for i, d := range part {
			caps[i] = kb.Capsule{Kind: "doc", Scope: "universal", Title: d.Title, Body: d.Text}
		}
		if err := k.Fill(ctx, caps); err != nil {
			return nil, err
		}
		for i := range caps {
			names[caps[i].ID] = part[i].ID
		}
		at += len(part)
		progress("indexing", at, len(set.Docs))
	}
	return names, nil
}
