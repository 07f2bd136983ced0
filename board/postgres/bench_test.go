package postgres_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"blackboard/board"
	"blackboard/board/postgres"
	"blackboard/board/store"
)

// schemaOf makes a schema for a benchmark.
func schemaOf(b *testing.B, name string) string {
	b.Helper()
	u := postgres.Server().URL(name)
	p, err := postgres.Open(u)
	if err == nil {
		_, err = p.Init(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	return u
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

// BenchmarkPost posts with one client, and with 64 on 16 runs, through the boards and as the
// floor does: the run's lock, the rows, a notification, a commit, and nothing else.
func BenchmarkPost(b *testing.B) {
	for _, clients := range []int{1, 64} {
		runs := min(clients, 16)
		b.Run(fmt.Sprintf("board/clients=%d", clients), func(b *testing.B) {
			u := schemaOf(b, fmt.Sprintf("b%d", schemas.Add(1)))
			measure(b, clients, func(client int) func() error {
				dir, err := board.UseDatabase(as(u, client%8))
				if err != nil {
					b.Fatal(err)
				}
				r, err := board.OpenOrCreate(b.Context(), dir, fmt.Sprint("run", client%runs))
				if err != nil {
					b.Fatal(err)
				}
				return func() error {
					_, err := r.Post(b.Context(), "w", board.Post{Content: "Tokens never expire", SourceDoc: "auth.go", SourceRef: "42"})
					return err
				}
			})
		})
		b.Run(fmt.Sprintf("floor/clients=%d", clients), func(b *testing.B) {
			schema := fmt.Sprintf("b%d", schemas.Add(1))
			u := schemaOf(b, schema)
			measure(b, clients, func(client int) func() error {
				v, _ := url.Parse(u)
				q := v.Query()
				q.Del("schema")
				v.RawQuery = q.Encode()
				config, err := pgx.ParseConfig(v.String())
				if err != nil {
					b.Fatal(err)
				}
				config.RuntimeParams["search_path"] = schema
				c, err := pgx.ConnectConfig(b.Context(), config)
				if err != nil {
					b.Fatal(err)
				}
				run := client%runs + 1
				if _, err := c.Exec(b.Context(), `INSERT INTO runs (run, name) OVERRIDING SYSTEM VALUE VALUES ($1, $2) ON CONFLICT DO NOTHING`, run, fmt.Sprint(run)); err != nil {
					b.Fatal(err)
				}
				return func() error { return floor(b, c, run) }
			})
		})
	}
}

// floor posts as nobody could with less.
func floor(b *testing.B, c *pgx.Conn, run int) error {
	tx, err := c.Begin(b.Context())
	if err != nil {
		return err
	}
	defer tx.Rollback(b.Context())
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{`SELECT 1 FROM runs WHERE run = $1 FOR NO KEY UPDATE`, []any{run}},
		{`INSERT INTO all_events SELECT $1, coalesce(max(seq), 0) + 1, 1, 'w', 'post', 'e1', $2, 1 FROM all_events WHERE run = $1`,
			[]any{run, `{"content":"Tokens never expire","source_doc":"auth.go","source_ref":"42"}`}},
		{`INSERT INTO all_entries SELECT $1, coalesce(max(id), 0) + 1, 1, 1, 'observation', 'active', $2, 'auth.go', '42', '', NULL, 'w', '[]', 0
			FROM all_entries WHERE run = $1`, []any{run, `Tokens never expire`}},
		{`SELECT pg_notify('board_floor', $1::text)`, []any{fmt.Sprint(run)}},
	} {
		if _, err := tx.Exec(b.Context(), q.sql, q.args...); err != nil {
			return err
		}
	}
	return tx.Commit(b.Context())
}

// measure has clients work for each other's sake until b.N is done.
func measure(b *testing.B, clients int, prepare func(client int) func() error) {
	work := make([]func() error, clients)
	for i := range work {
		work[i] = prepare(i)
		if err := work[i](); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	began := time.Now()
	var done atomic.Int64
	var wg sync.WaitGroup
	for _, do := range work {
		wg.Go(func() {
			for done.Add(1) <= int64(b.N) {
				if err := do(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "posts/s")
}

// BenchmarkRead100K reads a run of 100,000 entries, among others that share its tables.
func BenchmarkRead100K(b *testing.B) {
	u := schemaOf(b, fmt.Sprintf("b%d", schemas.Add(1)))
	dir, err := board.UseDatabase(u)
	if err != nil {
		b.Fatal(err)
	}
	for _, run := range []string{"other", "big"} {
		r, err := board.Create(b.Context(), dir, run, "", "w")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.Signal(b.Context(), "w", board.Raise{Content: "Who rotates the keys?", Priority: "high"}); err != nil {
			b.Fatal(err)
		}
		fill(b, dir, run, 100_000)
	}
	r, err := board.Open(b.Context(), dir, "big")
	if err != nil {
		b.Fatal(err)
	}
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
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// fill adds entries to a run, whose log does not have them.
func fill(b *testing.B, dir, run string, n int) {
	b.Helper()
	db, err := postgres.At(dir).Open(b.Context(), run, false)
	if err != nil {
		b.Fatal(err)
	}
	if err := db.Write(b.Context(), func(tx *store.Tx) error {
		return tx.Bulk(func() error {
			_, err := tx.Exec(`INSERT INTO entries SELECT i, i, 1, CASE i % 50 WHEN 0 THEN 'gap' ELSE 'observation' END, 'active',
			'Finding ' || i || ' of token' || i || ' which is about as long as findings are', 'file' || i % 300, '1', '', NULL, 'w' || i % 8, '[]', 0
			FROM generate_series(1, CAST(? AS BIGINT)) i`, n)
			return err
		})
	}); err != nil {
		b.Fatal(err)
	}
}
