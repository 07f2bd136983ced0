package eval

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"blackboard/board/fault"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "qrels"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range [][2]string{
		{"corpus.jsonl", `{"_id":"d1","title":"T","text":"x"}` + "\n\n" +
			`{"_id":"d2","text":"y"}`},
		{"queries.jsonl", `{"_id":"q1","text":"x"}` + "\n" + `{"_id":"q2","text":"y"}` + "\n" +
			`{"_id":"q3","text":" "}` + "\n"},
		{"qrels/test.tsv", "query-id\tcorpus-id\tscore\r\nq1\td1\t2\r\nq1\td2\t0\r\nq3\td1\t1\r\nq9\td1\t1\r\n"},
		{"qrels/dev.tsv", "q2\td2\t1"},
	} {
		if err := os.WriteFile(filepath.Join(dir, f[0]), []byte(f[1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
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
	if _, err = Read(dir, "train"); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
}
