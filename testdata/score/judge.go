package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// program is the command board, built for this, with a data home of its own.
type program struct {
	path, home string
	env        []string
}

func buildBoard(ctx context.Context) (*program, error) {
	dir, err := os.MkdirTemp("", "board-score-*")
	if err != nil {
		return nil, err
	}
	p := &program{path: filepath.Join(dir, "board"), home: dir}
	if out, err := exec.CommandContext(ctx, "go", "build", "-tags", "urfave_cli_no_docs", "-o", p.path, "./cmd/board").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cannot build board: %w: %s", err, out)
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "BOARD_") {
			p.env = append(p.env, v)
		}
	}
	p.env = append(p.env, "HOME="+dir, "BOARD_HOME="+filepath.Join(dir, "data"), "BOARD_DAEMON=off", "BOARD_POLICY=none", "BOARD_WORKER=w", "BOARD_MODEL_DIR="+dir)
	return p, nil
}

func (p *program) close() { os.RemoveAll(p.home) }

// run runs a command, and reads its JSON; a check that fails is a result.
func (p *program) run(ctx context.Context, input string, into any, args ...string) error {
	cmd := exec.CommandContext(ctx, p.path, append(args, "--json")...)
	cmd.Env, cmd.Dir, cmd.Stdin = p.env, p.home, strings.NewReader(input)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 4 {
		return fmt.Errorf("board %s: %w: %s", strings.Join(args[:min(3, len(args))], " "), err, said.Bytes())
	}
	return json.Unmarshal(out.Bytes(), into)
}

// traced is what `board trace` says of a report.
type traced struct {
	Trace struct {
		Facts []struct {
			Verdict, Text string
			Line          int
		}
	}
}

// refused are the lines with a fact that nothing supports.
func (t *traced) refused() (lines []int) {
	for _, f := range t.Trace.Facts {
		if f.Verdict != "supported" && f.Verdict != "derived" {
			lines = append(lines, f.Line)
		}
	}
	return lines
}

// claim is a claim about a text, and whether the text supports it.
type claim struct {
	text string
	doc  []string
	is   bool
}

var sentenceEnd = regexp.MustCompile(`([.!?])\s+|\n+`)

// readClaims reads a file of WiCE (.jsonl) or of SummEdits (.json).
func readClaims(name string) (all []claim, err error) {
	if strings.HasSuffix(name, ".jsonl") {
		err = readJSONL(name, func(b []byte) error {
			var c struct {
				Claim, Label string
				Evidence     []string
			}
			err := json.Unmarshal(b, &c)
			all = append(all, claim{c.Claim, c.Evidence, c.Label == "supported"})
			return err
		})
		return all, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var file []struct {
		Doc     json.RawMessage
		Summary string
		Label   int
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, c := range file {
		var text string
		if json.Unmarshal(c.Doc, &text) != nil {
			text = string(c.Doc)
		}
		all = append(all, claim{c.Summary, strings.Split(sentenceEnd.ReplaceAllString(text, "$1\n"), "\n"), c.Label == 1})
	}
	return all, nil
}

// scoreClaims posts each text to a run of its own, a sentence a finding, and traces the claim as the
// report. A claim counts as refused when something in it has no support.
func scoreClaims(ctx context.Context, dir string, limit int, progress func(string, int, int)) (rows []row, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json*"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s has no *.json and *.jsonl of claims: name a folder that has", dir)
	}
	p, err := buildBoard(ctx)
	if err != nil {
		return nil, err
	}
	defer p.close()
	report := filepath.Join(p.home, "report.md")
	for _, file := range files {
		claims, err := readClaims(file)
		if err != nil {
			return nil, err
		}
		if limit > 0 {
			claims = claims[:min(limit, len(claims))]
		}
		var all []judged
		for i, c := range claims {
			run := fmt.Sprintf("%s-%d", strings.SplitN(filepath.Base(file), ".", 2)[0], i)
			var posts strings.Builder
			for _, s := range c.doc {
				if s = strings.TrimSpace(s); s != "" {
					line, _ := json.Marshal(map[string]string{"content": s[:min(9000, len(s))]})
					posts.Write(append(line, '\n'))
				}
			}
			var posted struct{}
			if err := p.run(ctx, posts.String(), &posted, "post", "--batch", "--run", run); err != nil {
				return nil, err
			}
			if err := os.WriteFile(report, []byte(c.text+"\n"), 0o600); err != nil {
				return nil, err
			}
			var t traced
			if err := p.run(ctx, "", &t, "trace", report, "--run", run, "--policy", "none"); err != nil {
				return nil, err
			}
			all = append(all, judged{c.is, len(t.refused()) == 0, holds(c.text, strings.Join(c.doc, " "))})
			os.Remove(filepath.Join(p.home, "data", "boards", run+".sqlite3"))
			progress(filepath.Base(file), i+1, len(claims))
		}
		rows = append(rows, judgedRow("claims", strings.SplitN(filepath.Base(file), ".", 2)[0]+": claims kept and refused", "trace", all))
	}
	return rows, nil
}

func judgedRow(set, what, how string, all []judged) row {
	return row{Set: set, What: what, Measure: "balanced accuracy", How: how, N: len(all), Ours: balanced(all, func(j judged) bool { return j.ours }),
		Beside: "two-line rule", Base: balanced(all, func(j judged) bool { return j.rule })}
}

// scoreTrust judges the reviews: quotes that were altered, findings that the report lost or
// contradicts, and lines of the report that somebody invented. The rule for quotes is that the source
// has them word for word.
func scoreTrust(ctx context.Context, dir string) ([]row, error) {
	labels, err := filepath.Glob(filepath.Join(dir, "*", "labels.json"))
	if err != nil || len(labels) == 0 {
		return nil, fmt.Errorf("%s has no reviews: a review is a folder with labels.json, findings.jsonl and sources", dir)
	}
	p, err := buildBoard(ctx)
	if err != nil {
		return nil, err
	}
	defer p.close()
	var quotes, survived, lines []judged
	for _, file := range labels {
		r, err := readReview(filepath.Dir(file))
		if err != nil {
			return nil, err
		}
		if err := r.judge(ctx, p, &quotes, &survived, &lines); err != nil {
			return nil, fmt.Errorf("%s: %w", r.dir, err)
		}
	}
	byQuote := judgedRow("trust", "quotes, as they are and altered", "verify", quotes)
	byQuote.Beside = "word for word"
	return []row{byQuote, judgedRow("trust", "findings, in the report or lost", "survival", survived),
		judgedRow("trust", "lines of reports, true and invented", "trace", lines)}, nil
}

// finding is a line of findings.jsonl.
type finding struct {
	Key, Content, Evidence string
	SourceDoc              string `json:"source_doc"`
}

type review struct {
	dir, posts, report, clean string
	findings                  map[string]finding
	altered                   map[string]string
	labels                    struct {
		Invented [][]string
		Survival map[string]string
	}
	sources map[string]string
}

func readReview(dir string) (*review, error) {
	r := &review{dir: dir, findings: map[string]finding{}, sources: map[string]string{}}
	texts := map[string]*string{"findings.jsonl": &r.posts, "report.md": &r.report, "clean.md": &r.clean}
	for name, into := range texts {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		*into = string(data)
	}
	for name, into := range map[string]any{"labels.json": &r.labels, "labels_quotes.json": &r.altered} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, into); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for line := range strings.Lines(r.posts) {
		var f finding
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			return nil, err
		}
		r.findings[f.Key] = f
	}
	return r, filepath.WalkDir(filepath.Join(dir, "sources"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		r.sources[d.Name()] = string(data)
		return err
	})
}

func (r *review) judge(ctx context.Context, p *program, quotes, survived, lines *[]judged) error {
	run := filepath.Base(r.dir)
	keys, err := r.post(ctx, p, run, r.posts)
	if err != nil {
		return err
	}
	var verified struct {
		Verify struct {
			Items []struct {
				ID, Verdict string
				Doubted     bool
			}
		}
	}
	if err := p.run(ctx, "", &verified, "verify", "--sources", filepath.Join(r.dir, "sources"), "--run", run, "--all"); err != nil {
		return err
	}
	for _, it := range verified.Verify.Items {
		if slices.Contains([]string{"no source file", "no source", "unreadable", "nothing to check"}, it.Verdict) {
			continue
		}
		f := r.findings[keys[it.ID]]
		said := strings.Contains(oneLine(r.sources[filepath.Base(f.SourceDoc)]), oneLine(f.Evidence))
		*quotes = append(*quotes, judged{!strings.HasPrefix(r.altered[f.Key], "altered"), !it.Doubted, said})
	}
	var survival struct {
		Survival struct {
			Items []struct {
				ID      string
				Present bool
			}
		}
	}
	report := filepath.Join(r.dir, "report.md")
	if err := p.run(ctx, "", &survival, "survival", report, "--run", run, "--all"); err != nil {
		return err
	}
	for _, it := range survival.Survival.Items {
		f := r.findings[keys[it.ID]]
		if label, known := r.labels.Survival[f.Key]; known {
			lost := strings.HasPrefix(label, "missing") || strings.HasPrefix(label, "contradicted")
			*survived = append(*survived, judged{!lost, it.Present, holds(f.Content, r.report)})
		}
	}
	var t traced
	if err := p.run(ctx, "", &t, "trace", report, "--run", run); err != nil {
		return err
	}
	known := r.posts
	for _, invented := range r.labels.Invented {
		at := strings.Index(r.report, invented[1])
		if at < 0 {
			return fmt.Errorf("the report does not have %q", invented[1])
		}
		first := strings.Count(r.report[:at], "\n") + 1
		last := first + strings.Count(invented[1], "\n")
		named := slices.ContainsFunc(t.refused(), func(line int) bool { return first <= line && line <= last })
		*lines = append(*lines, judged{false, !named, holds(invented[1], known)})
	}
	return r.judgeClean(ctx, p, run+"-clean", lines)
}

// judgeClean adds the lines of the corrected report, over the findings that are true.
func (r *review) judgeClean(ctx context.Context, p *program, run string, lines *[]judged) error {
	posts := ""
	for line := range strings.Lines(r.posts) {
		var f finding
		if json.Unmarshal([]byte(line), &f) == nil && !strings.HasPrefix(r.altered[f.Key], "altered") {
			posts += line
		}
	}
	if _, err := r.post(ctx, p, run, posts); err != nil {
		return err
	}
	var t traced
	if err := p.run(ctx, "", &t, "trace", filepath.Join(r.dir, "clean.md"), "--run", run); err != nil {
		return err
	}
	for i, line := range strings.Split(r.clean, "\n") {
		if len(strings.Fields(line)) > 2 {
			*lines = append(*lines, judged{true, !slices.Contains(t.refused(), i+1), holds(line, posts)})
		}
	}
	return nil
}

func (r *review) post(ctx context.Context, p *program, run, posts string) (keys map[string]string, err error) {
	var posted struct {
		Posted []struct{ Entry struct{ ID, Key string } }
	}
	err = p.run(ctx, posts, &posted, "post", "--batch", "--run", run)
	keys = map[string]string{}
	for _, e := range posted.Posted {
		keys[e.Entry.ID] = e.Entry.Key
	}
	return keys, err
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
