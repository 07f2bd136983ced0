// Command score measures how well a knowledge base, or a memory, finds what answers the
// questions of a set, by the usual metrics of retrieval:
//
//	go run ./testdata/score [-model DIR] [-memory] [-json] SET…
//
// A set is a folder in the layout of BEIR: corpus.jsonl, queries.jsonl and
// qrels/SPLIT.tsv. It is stored in a knowledge base or memory of its own, which is asked
// by the code that answers everybody. Without a model only words are measured. With -json
// the metrics of each question are there too, to compare two runs. What was measured is
// in README.md.
//
// The threshold for answering prompts unasked is measured by Calibrate of package kb,
// which stores it.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/embed"
	"blackboard/embed/minilm"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "score:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, messages io.Writer) error {
	flags := flag.NewFlagSet("score", flag.ContinueOnError)
	flags.SetOutput(messages)
	model := flags.String("model", os.Getenv("BOARD_MODEL_DIR"), "the `folder` of an embedding model")
	split := flags.String("split", "", "the `name` of the qrels file")
	mode := flags.String("mode", "", "bm25, vector or hybrid; several with commas")
	noMMR := flags.Bool("no-mmr", false, "do not rank down near-duplicates of a better hit")
	inMemory := flags.Bool("memory", false, "ask a memory: fresh, aged and tidied, beside plain full text")
	limit := flags.Int("limit", 0, "of each set of claims at most this many; the table is not written then")
	asJSON := flags.Bool("json", false, "print one JSON list, with each question")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return fmt.Errorf("no set is given: name a folder with corpus.jsonl, queries.jsonl and qrels, or one of the sets of SCORES.md")
	}
	named := slices.ContainsFunc(scoreboards, func(s struct{ name, path, about string }) bool { return s.name == flags.Arg(0) })
	var sets []*Set
	if !named {
		var err error
		if sets, err = ReadAll(flags.Args(), *split); err != nil {
			return err
		}
	}
	var emb embed.Embedder
	if *model != "" {
		m, err := minilm.Open(ctx, *model)
		if err != nil {
			return err
		}
		defer m.Close()
		emb = m
	}
	opt := Options{NoMMR: *noMMR, Progress: progress(messages)}
	if *mode != "" {
		opt.Modes = strings.Split(*mode, ",")
	}
	if named {
		rows, err := scoreSet(ctx, flags.Arg(0), flags.Arg(1), emb, opt, *limit)
		if err != nil {
			return err
		}
		for i := range rows {
			if emb != nil { // by the name that people know
				rows[i].How = strings.Replace(rows[i].How, emb.Model().Name, filepath.Base(*model), 1)
			}
			fmt.Fprintln(out, rows[i])
		}
		if *limit > 0 {
			return nil
		}
		return writeScores(scoresFile, rows)
	}
	var err error
	reports := make([]any, len(sets))
	for i, set := range sets {
		if *inMemory {
			reports[i], err = RunMemory(ctx, set, emb)
		} else {
			reports[i], err = Run(ctx, set, emb, opt)
		}
		if err != nil {
			return err
		}
		if !*asJSON {
			fmt.Fprint(out, reports[i])
		}
	}
	if *asJSON {
		return json.NewEncoder(out).Encode(reports)
	}
	return nil
}

// progress reports each tenth of a step.
func progress(messages io.Writer) func(what string, done, of int) {
	said := ""
	return func(what string, done, of int) {
		if line := fmt.Sprintf("%s: %d0 %%", what, 10*done/of); line != said {
			said = line
			fmt.Fprintln(messages, line)
		}
	}
}

func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %d documents, %d questions", r.Set, r.Split, r.Docs, r.Queries)
	if r.Model != "" {
		b.WriteString(", " + r.Model)
	}
	fmt.Fprintf(&b, "\n  %-8s %8s %8s %8s %10s %8s %10s\n", "mode", "nDCG@10", "rec@5", "rec@10",
		"rec@100", "MRR@10", "median")
	for _, m := range r.Modes {
		fmt.Fprintf(&b, "  %-8s %8.4f %8.4f %8.4f %10.4f %8.4f %7.1f ms\n", m.Mode, m.NDCG10,
			m.Recall5, m.Recall10, m.Recall100, m.MRR10, m.Median)
	}
	return b.String()
}

func (r *MemoryReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d items, %d questions\n", r.Set, r.Items, r.Queries)
	fmt.Fprintf(&b, "  %-36s %6s %6s %6s\n", "", "hit@1", "hit@3", "hit@10")
	for _, m := range r.Modes {
		how := "plain FTS5"
		if m.Mode != ModePlain {
			how = cmp.Or(m.Model, "words alone") + ", " + m.Mode
		}
		fmt.Fprintf(&b, "  %-36s %6.2f %6.2f %6.2f\n", how, m.Hit1, m.Hit3, m.Hit10)
	}
	return b.String()
}
