package postgres_test

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/board/postgres"
	"blackboard/testdata/expect"
)

// TestPlans: with the runs of a hundred others in the same tables, no statement of what agents do
// all the time reads a table from its beginning to its end, nor do those of the triggers. The runs
// are small; $BOARD_TEST_PLANS is how many entries each has otherwise.
func TestPlans(t *testing.T) {
	server := postgres.Server()
	if !server.Own() {
		t.Skip("it needs a server of the tests' own, whose log it reads")
	}
	entries := 1000
	if v := os.Getenv("BOARD_TEST_PLANS"); v != "" {
		var err error
		if entries, err = strconv.Atoi(v); err != nil {
			t.Fatalf("BOARD_TEST_PLANS=%s is no number", v)
		}
	}
	const runs = 100
	u := schemaOf(t, "plans")
	dir := expect.Value(board.UseDatabase(u))(t)
	expect.OK(t, postgres.At(dir).Exec(t.Context(), fmt.Sprintf(manyRuns, runs, entries)))
	if st, err := postgres.At(dir).Status(t.Context()); err == nil {
		t.Logf("%d runs of %d entries: %d bytes an entry", runs, entries, st.Bytes/int64(runs*entries))
	}
	postgres.At(dir).Close()
	explained := expect.Value(board.UseDatabase(u + "&options=" + url.PathEscape("-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0 "+
		"-c auto_explain.log_nested_statements=on -c auto_explain.log_analyze=on -c auto_explain.log_buffers=on")))(t)
	defer postgres.At(explained).Close()
	r, err := board.Open(t.Context(), explained, "r50")
	if err != nil {
		if strings.Contains(err.Error(), "auto_explain") {
			t.Skip("it needs auto_explain, of postgresql-contrib")
		}
		t.Fatal(err)
	}
	check := func(what string, do func() error) {
		t.Helper()
		before := len(serverLog(t))
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		plans := serverLog(t)[before:]
		for _, found := range seqScan.FindAllString(plans, -1) {
			t.Errorf("%s: %s\n%s", what, found, planWith(plans, found))
		}
		n := strings.Count(plans, "Query Text:")
		if n == 0 {
			t.Errorf("%s: no plan is in the log", what)
		}
		t.Logf("%s: %d plans", what, n)
	}
	ctx := t.Context()
	check("post", func() error {
		_, err := r.Post(ctx, "w1", board.Post{Content: "Tokens never expire", Tags: []string{"auth"}, Supports: []string{"e7"}, Key: "k"})
		return err
	})
	check("post again", func() error {
		_, err := r.Post(ctx, "w1", board.Post{Content: "Tokens never expire", Tags: []string{"auth"}, Supports: []string{"e7"}, Key: "k"})
		return err
	})
	check("supersede", func() error {
		_, err := r.Post(ctx, "w1", board.Post{Content: "Tokens expire", Supersedes: []string{"e8"}, MustSurface: true})
		return err
	})
	check("signal", func() error {
		_, err := r.Signal(ctx, "w1", board.Raise{Content: "Who rotates the keys?", Priority: "high"})
		return err
	})
	check("claim", func() error { _, err := r.Claim(ctx, "w1", "s1", time.Minute); return err })
	check("signals", func() error { _, err := r.Signals(ctx, board.SignalQuery{Statuses: []string{"open"}}); return err })
	check("gate", func() error { _, err := r.Gate(ctx, board.Policy{}); return err })
	check("state", func() error { _, err := r.State(ctx); return err })
	check("entry", func() error { _, err := r.Entry(ctx, "e9"); return err })
	for what, q := range map[string]board.Query{
		"newest": {}, "type": {Types: []string{board.Gap}}, "worker": {Workers: []string{"w3"}}, "tag": {Tags: []string{"auth"}}, "must surface": {MustSurface: true},
	} {
		q.Limit = 20
		check("query: "+what, func() error { _, err := r.Query(ctx, q); return err })
	}
	check("events", func() error {
		for _, err := range r.Events(ctx, int64(entries)-5) {
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// seqScan is a table that is read as a whole; those of a row or two a run are not meant.
var seqScan = regexp.MustCompile(`Seq Scan on all_(entries|events|entry_tags|links|signals|counts|verifications)\b.*`)

// planWith is the plan that has a line.
func planWith(plans, line string) string {
	for _, p := range strings.Split(plans, "Query Text:") {
		if strings.Contains(p, line) {
			return p
		}
	}
	return ""
}

func serverLog(t *testing.T) string {
	t.Helper()
	log := expect.Value(postgres.Server().Log())(t)
	return log
}

// manyRuns makes runs with entries, as if they had been posted. They lie mixed, as those of runs
// that went on at the same time: to count one is to read all pages. All have the same counts, so
// one is counted.
const manyRuns = `SET search_path = plans; SET board.bulk = on;
INSERT INTO runs (name) SELECT 'r' || g FROM generate_series(1, %d) g;
INSERT INTO all_run SELECT run, 1, name, '', 1 FROM runs;
INSERT INTO all_events SELECT run, 1, 1, 'w', 'create', '', '{"name":"' || name || '"}', 1 FROM runs;
INSERT INTO all_events SELECT run, i + 1, 1, 'w' || i %% 8, 'post', 'e' || i,
	'{"type":"observation","content":"Finding ' || i || ' of token' || i || ' is about as long as findings are","source_doc":"file.go","source_ref":"1"}', 1
	FROM runs, generate_series(1, %[2]d) i;
INSERT INTO all_entries SELECT run, i, i + 1, 1, CASE i %% 50 WHEN 0 THEN 'gap' ELSE 'observation' END, 'active',
	'Finding ' || i || ' of token' || i || ' is about as long as findings are', 'file.go', '1', '', NULL, 'w' || i %% 8, '["t"]', CASE i %% 100 WHEN 0 THEN 1 ELSE 0 END
	FROM runs, generate_series(1, %[2]d) i;
INSERT INTO all_entry_tags SELECT run, 't', i FROM runs, generate_series(1, %[2]d) i WHERE i %% 10 = 0;
INSERT INTO all_links SELECT run, i, 'supports', 0, i - 1 FROM runs, generate_series(2, %[2]d) i WHERE i %% 5 = 0;
INSERT INTO all_verifications SELECT run, i, i + 1, 1, 'w', 'found', 'file.go', '', '1', '' FROM runs, generate_series(1, %[2]d) i WHERE i %% 3 = 0;
INSERT INTO all_signals SELECT run, i, i, 1, 'Question ' || i, i %% 4, CASE WHEN i > 10 THEN 'addressed' ELSE 'open' END, 'w', NULL, NULL, '', '', NULL, '', NULL
	FROM runs, generate_series(1, %[2]d / 20) i;
SELECT set_config('board.run', min(run)::text, true) FROM runs;
SELECT count_again();
INSERT INTO all_counts SELECT r.run, kind, c.name, n, last FROM all_counts c, runs r WHERE r.run <> c.run;
ANALYZE runs, all_run, all_events, all_entries, all_entry_tags, all_links, all_counts, all_signals, all_verifications;
RESET search_path; RESET board.bulk`
