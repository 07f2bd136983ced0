package postgres_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/board/postgres"
	"blackboard/board/store"
	"blackboard/testdata/expect"
)

// schemaOf makes a schema for a benchmark.
func schemaOf(b testing.TB, name string) string {
	b.Helper()
	u := postgres.Server().URL(name)
	prepared(b, u)
	return u
}

// prepared has a schema ready for boards, and returns where they are.
func prepared(b testing.TB, u string) string {
	b.Helper()
	p, err := postgres.Open(u)
	if err == nil {
		_, err = p.Init(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	return p.String()
}

// as is a URL that has a pool of connections of its own, as another process would.
func as(u string, process int) string {
	v, _ := url.Parse(u)
	q := v.Query()
	q.Set("host", q.Get("host")+strings.Repeat("/", process))
	v.RawQuery = q.Encode()
	return v.String()
}

var schemas atomic.Int64

// floorScript is a post as nobody could with less: the run's lock, the rows (counts are
// triggers'), a notification, a commit.
const floorScript = `\set run :client_id % :runs + 1
BEGIN;
SELECT 1 FROM runs WHERE run = :run FOR NO KEY UPDATE;
INSERT INTO all_events SELECT :run, coalesce(max(seq), 0) + 1, 1, 'w', 'post', 'e1',
	'{"content":"Tokens never expire","source_doc":"auth.go","source_ref":"42"}', 1 FROM all_events WHERE run = :run;
INSERT INTO all_entries SELECT :run, coalesce(max(id), 0) + 1, 1, 1, 'observation', 'active', 'Tokens never expire', 'auth.go', '42', '', NULL, 'w', '[]', 0
	FROM all_entries WHERE run = :run;
SELECT pg_notify('board_floor', :run::text);
COMMIT;
`

// floorAfter is floorScript with the notification as a transaction of its own, as the boards have
// it: one within keeps all others of the database from committing meanwhile.
var floorAfter = strings.Replace(floorScript, "SELECT pg_notify('board_floor', :run::text);\nCOMMIT;", "COMMIT;\nSELECT pg_notify('board_floor', :run::text);", 1)

// BenchmarkPost posts with one client, and with 64 on 16 runs, through the boards and, in turn, as
// pgbench does, so that what else the machine does is in both. An operation is a round of some
// hundred posts by each. x-latency and x-rate are what the boards take and reach of the floor.
func BenchmarkPost(b *testing.B) {
	for _, clients := range []int{1, 64} {
		benchmarkPost(b, clients, "within", floorScript)
		benchmarkPost(b, clients, "after", floorAfter)
	}
}

func benchmarkPost(b *testing.B, clients int, floor, script string) {
	const round = 256
	b.Run(fmt.Sprintf("clients=%d/notify=%s", clients, floor), func(b *testing.B) {
		runs := min(clients, 16)
		schema := fmt.Sprintf("b%d", schemas.Add(1))
		ours, theirs := schemaOf(b, schema), schema+"floor"
		floorRuns(b, schemaOf(b, theirs), runs)
		work := posters(b, ours, clients, runs)
		var took, took0, at, at0 float64
		for range b.N {
			latency, rate, err := postgres.Server().Pgbench(theirs, script, clients, round, fmt.Sprintf("runs=%d", runs))
			if err != nil {
				b.Skip(err)
			}
			began := time.Now()
			together(b, work, round)
			d := time.Since(began)
			took, took0 = took+d.Seconds()*1000*float64(clients)/round, took0+latency
			at, at0 = at+round/d.Seconds(), at0+rate
		}
		b.ReportMetric(took/took0, "x-latency")
		b.ReportMetric(at/at0, "x-rate")
		b.ReportMetric(at/float64(b.N), "posts/s")
	})
}

// floorRuns makes the runs that floorScript posts to.
func floorRuns(b *testing.B, u string, runs int) {
	b.Helper()
	dir, err := board.UseDatabase(u)
	for i := 0; i < runs && err == nil; i++ {
		_, err = board.Create(b.Context(), dir, fmt.Sprint("run", i), "", "w", nil)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// posters returns what posts for each client; they share eight pools of connections, as processes
// do.
func posters(b *testing.B, u string, clients, runs int) []func() error {
	b.Helper()
	work := make([]func() error, clients)
	for i := range work {
		dir := expect.Value(board.UseDatabase(as(u, i%8)))(b)
		b.Cleanup(func() {
			if p := postgres.At(dir); p != nil {
				p.Close()
			}
		})
		r := expect.Value(board.OpenOrCreate(b.Context(), dir, fmt.Sprint("run", i%runs)))(b)
		work[i] = func() error {
			_, err := r.Post(b.Context(), "w", board.Post{Content: "Tokens never expire", SourceDoc: "auth.go", SourceRef: "42"})
			return err
		}
		expect.OK(b, work[i]())
	}
	return work
}

// together has clients work at once until there were n operations.
func together(b *testing.B, work []func() error, n int64) {
	var done atomic.Int64
	var wg sync.WaitGroup
	for _, do := range work {
		wg.Go(func() {
			for done.Add(1) <= n {
				if err := do(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkRead100K reads a run of 100,000 entries, among others that share its tables.
func BenchmarkRead100K(b *testing.B) {
	u := schemaOf(b, fmt.Sprintf("b%d", schemas.Add(1)))
	dir := expect.Value(board.UseDatabase(u))(b)
	for _, run := range []string{"other", "big"} {
		r := expect.Value(board.Create(b.Context(), dir, run, "", "w", nil))(b)
		expect.Value(r.Signal(b.Context(), "w", board.Raise{Content: "Who rotates the keys?", Priority: "high"}))(b)
		fill(b, dir, run, 100_000)
	}
	r := expect.Value(board.Open(b.Context(), dir, "big"))(b)
	for name, read := range map[string]func() error{
		"gate":  func() error { _, err := r.Gate(b.Context(), board.Policy{}); return err },
		"state": func() error { _, err := r.State(b.Context()); return err },
		"query/newest": func() error {
			_, err := r.Query(b.Context(), board.Query{Limit: 20})
			return err
		},
		"query/type+worker": func() error {
			_, err := r.Query(b.Context(), board.Query{Types: []string{board.Gap}, Workers: []string{"w3"}, Limit: 20})
			return err
		},
		"query/match-best": func() error {
			_, err := r.Query(b.Context(), board.Query{Match: "token77777", Order: board.Best, Limit: 20})
			return err
		},
		"entry": func() error { _, err := r.Entry(b.Context(), "e50000"); return err },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				expect.OK(b, read())
			}
		})
	}
}

// fill adds entries to a run, whose log does not have them.
func fill(b *testing.B, dir, run string, n int) {
	b.Helper()
	db := expect.Value(postgres.At(dir).Open(b.Context(), run, false))(b)
	expect.OK(b, db.Write(b.Context(), func(tx *store.Tx) error {
		return tx.Bulk(func() error {
			_, err := tx.Exec(`INSERT INTO entries SELECT i, i, 1, CASE i % 50 WHEN 0 THEN 'gap' ELSE 'observation' END, 'active',
			'Finding ' || i || ' of token' || i || ' which is about as long as findings are', 'file' || i % 300, '1', '', NULL, 'w' || i % 8, '[]', 0
			FROM generate_series(1, CAST(? AS BIGINT)) i`, n)
			return err
		})
	}))
}
