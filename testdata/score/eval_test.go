package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// write writes files below a new folder.
func write(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRead(t *testing.T) {
	dir := write(t, map[string]string{
		"corpus.jsonl": `{"_id":"d1","title":"T","text":"x"}` + "\n\n" +
			`{"_id":"d2","text":"y"}`,
		"queries.jsonl": `{"_id":"q1","text":"x"}` + "\n" + `{"_id":"q2","text":"y"}` + "\n" +
			`{"_id":"q3","text":" "}` + "\n",
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\r\nq1\td1\t2\r\nq1\td2\t0\r\nq3\td1\t1\r\nq9\td1\t1\r\n",
		"qrels/dev.tsv":  "q2\td2\t1",
	})
	set, err := Read(dir, "")
	if err != nil || set.Split != "test" || set.Name != filepath.Base(dir) || len(set.Docs) != 2 ||
		len(set.Queries) != 1 || !reflect.DeepEqual(set.Queries[0].Relevant,
		map[string]int{"d1": 2}) {
		t.Errorf("%+v, %v", set, err)
	}
	if set, err = Read(dir, "dev"); err != nil || len(set.Queries) != 1 ||
		set.Queries[0].ID != "q2" {
		t.Errorf("%+v, %v", set, err)
	}
	if _, err = Read(dir, "train"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestReadErrors: bad sets are told by file and line.
func TestReadErrors(t *testing.T) {
	one, rel := `{"_id":"d1","text":"x"}`, "q1\td1\t1"
	for want, files := range map[string][3]string{
		"corpus.jsonl, line 2: ":                        {one + "\n" + `{"_id":"d2","text":`, one, rel},
		`the document id "d1" is empty or occurs twice`: {one + "\n" + one, one, rel},
		`test.tsv, line 2: document "d9" not found`:     {one, one, "query-id\tcorpus-id\tscore\nq1\td9\t1"},
		"test.tsv, line 1 has 2 columns":                {one, one, "q1 d1\t1"},
		`line 1: the score "good" is not an integer`:    {one, one, "q1\td1\tgood"},
		"has no question with a relevant document":      {one, `{"_id":"q1","text":"x"}`, "q2\td1\t1"},
	} {
		dir := write(t, map[string]string{"corpus.jsonl": files[0], "queries.jsonl": files[1],
			"qrels/test.tsv": files[2]})
		if _, err := Read(dir, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
	dir := write(t, map[string]string{"corpus.jsonl": one, "queries.jsonl": one,
		"qrels/dev.tsv": rel, "qrels/train.tsv": rel})
	if _, err := Read(dir, ""); err == nil || !strings.Contains(err.Error(), "choose one with -split") {
		t.Error(err)
	}
}

// asked runs the command, without a model.
func asked(t *testing.T, args ...string) string {
	t.Helper()
	t.Setenv("BOARD_MODEL_DIR", "")
	var out bytes.Buffer
	if err := run(t.Context(), args, &out, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func matches(t *testing.T, got string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile(`(?m)` + p).MatchString(got) {
			t.Errorf("no %s in\n%s", p, got)
		}
	}
}

func TestKnowledge(t *testing.T) {
	dir := write(t, map[string]string{
		"corpus.jsonl": `{"_id":"d1","title":"Refunds","text":"Refunds need an idempotency key."}
{"_id":"d2","title":"Retries","text":"The client retries by itself: retries, retries."}
{"_id":"d3","title":"Keys","text":"Keys rotate every month."}
{"_id":"d4","title":"","text":"Nothing of the kind, but a client."}`,
		"queries.jsonl": `{"_id":"q1","text":"idempotency of refunds"}
{"_id":"q2","text":"a client that retries"}
{"_id":"q3","text":"rotate the keys"}
{"_id":"q4","text":"has no answer"}`,
		"qrels/test.tsv": "q1\td1\t1\nq2\td4\t2\nq3\td3\t1\nq4\td1\t0",
	})
	matches(t, asked(t, dir), `^\d+ \(test\): 4 documents, 3 questions$`,
		`^  mode +nDCG@10 +rec@5 +rec@10 +rec@100 +MRR@10 +median$`,
		`^  bm25 +0\.\d{4} +1\.0000 +1\.0000 +1\.0000 +0\.8333 +\d+\.\d ms$`)
	matches(t, asked(t, "-json", dir),
		`^\[\{"set":"\d+","split":"test","docs":4,"queries":3,"model":"","modes":\[\{"mode":"bm25",`+
			`"ndcg_10":0\.8\d+,"recall_5":1,.*"per_query":\[\{"id":"q1","ndcg_10":1,"recall_100":1,"top":\["d1"`)
	if err := run(t.Context(), []string{"-mode", "vector", dir}, &bytes.Buffer{}, &bytes.Buffer{}); err == nil ||
		!strings.Contains(err.Error(), "model") {
		t.Errorf("meaning without a model: %v", err)
	}
}

func TestMemory(t *testing.T) {
	files := map[string]string{
		"corpus.jsonl": `{"_id":"d1","text":"The staging database is read-only on Fridays","metadata":{"age_days":200,"importance":0.3}}
{"_id":"d2","title":"Releases","text":"A release needs a signed tag","metadata":{"tier":"channel","channel":"release","age_days":3,"accesses":12,"accessed_days":1}}
{"_id":"d3","text":"Answers are wanted in English","metadata":{"tier":"account"}}
{"_id":"d4","text":"The release job runs at two"}`,
		"queries.jsonl": `{"_id":"q1","text":"is the staging database read-only"}
{"_id":"q2","text":"does a release need a tag"}
{"_id":"q3","text":"which language are answers wanted in"}`,
		"qrels/test.tsv": "q1\td1\t1\nq2\td2\t1\nq3\td3\t1",
	}
	matches(t, asked(t, "-memory", write(t, files)), `^\d+: 4 items, 3 questions$`,
		`^ +hit@1 +hit@3 +hit@10$`, `^  plain FTS5 +\d\.\d\d +\d\.\d\d +1\.00$`,
		`^  words alone, fresh +1\.00 +1\.00 +1\.00$`, `^  words alone, aged +1\.00 +1\.00 +1\.00$`,
		`^  words alone, tidied +1\.00 +1\.00 +1\.00$`)
	matches(t, asked(t, "-memory", "-json", write(t, files)), `"right":\{"q1":1,"q2":1,"q3":1\}`)
	for corpus, want := range map[string]string{
		`{"_id":"d1","text":"x","metadata":{"importance":"high"}}`: `the metadata of the document "d1": `,
		`{"_id":"d1","text":" "}`:                                  "1 of its 1 documents are not valid memory items, the first: ",
	} {
		dir := write(t, map[string]string{"corpus.jsonl": corpus,
			"queries.jsonl": `{"_id":"q1","text":"x"}`, "qrels/test.tsv": "q1\td1\t1"})
		err := run(t.Context(), []string{"-memory", dir}, &bytes.Buffer{}, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}
