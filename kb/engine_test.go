package kb

import (
	"context"
	"crypto/md5"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"blackboard/board/postgres"
	"blackboard/testdata/cost"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
	"blackboard/testdata/pgtest"
)

// onFiles reports whether the knowledge bases of the tests are files. With
// BOARD_TEST_ENGINE=postgres they are in a PostgreSQL of their own, each data home a schema.
var onFiles = os.Getenv("BOARD_TEST_ENGINE") != "postgres"

// needsFile skips a test that is about files.
func needsFile(t testing.TB) {
	t.Helper()
	if !onFiles {
		t.Skip("it is about files")
	}
}

// server is the tests' own, started when it is first needed.
var (
	server = sync.OnceValues(func() (*pgtest.Server, error) {
		s, err := pgtest.Start("fsync = off", "max_connections = 1000")
		if err == nil {
			stopServer = s.Stop
		}
		return s, err
	})
	stopServer = func() {}
)

// onServer returns what stands for the knowledge base of a data home in the server.
func onServer(home string) (string, error) {
	s, err := server()
	if err != nil {
		return "", err
	}
	p, err := postgres.Open(s.URL(schemaOf(home)))
	if err == nil {
		_, err = p.Init(context.Background())
	}
	return p.String(), err
}

func schemaOf(home string) string { return fmt.Sprintf("t%x", md5.Sum([]byte(home))) }

// useEngine has the tests use the engine that is asked for.
func useEngine() {
	if onFiles {
		return
	}
	s, err := server()
	if err != nil {
		fmt.Fprintln(os.Stderr, "BOARD_TEST_ENGINE=postgres:", err)
		os.Exit(1)
	}
	os.Setenv("BOARD_TEST_DATABASE_URL", s.URL("")) // for processes of their own
	var homes sync.Map
	sharedAs = func(home string) string {
		open, _ := homes.LoadOrStore(home, sync.OnceValues(func() (string, error) { return onServer(home) }))
		name, err := open.(func() (string, error))()
		if err != nil {
			panic(err)
		}
		return name
	}
}

// twin is one of two knowledge bases to which the same is done.
type twin struct {
	*KB
	ids []string
}

// TestSameHits does the same to a knowledge base in a file and one in PostgreSQL, and asks both
// the same: hits, scores, their order and all that is said of them are the same to the last bit.
func TestSameHits(t *testing.T) {
	cost.SkipTable(t)
	home, err := onServer(t.TempDir())
	if errors.Is(err, pgtest.ErrNone) {
		t.Skip(err)
	}
	expect.OK(t, err)
	var now time.Time
	opt := Options{Embedder: embedtest.NewHash(384), Actor: "ada", Now: func() time.Time { return now }}
	inFile, err := openFile(t.Context(), t.TempDir()+"/kb.sqlite3", 1, opt)
	expect.OK(t, err)
	defer inFile.Close()
	inRows, err := openFile(t.Context(), home, 1, opt)
	expect.OK(t, err)
	defer inRows.Close()
	twins := []*twin{{KB: inFile}, {KB: inRows}}
	many, asked := 700, 60 // two segments, and a tail
	if cost.Quick() {
		many, asked = 300, 20
	}
	for _, x := range twins {
		x.fill(t, many, &now)
	}
	r := rand.New(rand.NewPCG(7, 7))
	for i := range asked {
		q := Query{Text: vocabulary(r, 1+i%9), Explain: i%4 == 0, Gate: i%11 == 3, Superseded: i%5 == 0, Workspace: []string{"", "/w/1"}[i%2], Limit: 1 + i%20, Peek: true}
		if i%3 == 0 {
			q.Mode = ModeBM25
		}
		if i%7 == 2 {
			q.Tags, q.Kinds = []string{"t1"}, []string{"fact", "gotcha"}
		}
		if i%10 == 9 {
			q.Text = "die Verbindung zur Datenbank ist abgebrochen " + q.Text
		}
		var said []string
		for _, x := range twins {
			res := ask(t, x.KB, q)
			said = append(said, x.plain(t, res))
		}
		if said[0] != said[1] {
			t.Fatalf("%+v:\nfile   %s\nserver %s", q, said[0], said[1])
		}
	}
	var said []string
	for _, x := range twins {
		sound(t, x.KB)
		list, _, err := x.List(t.Context(), ListQuery{Tags: []string{"t2"}, Superseded: true, Retired: true, Limit: 50})
		expect.OK(t, err)
		history, err := x.History(t.Context(), x.ids[4])
		expect.OK(t, err)
		stats, err := x.Stats(t.Context())
		expect.OK(t, err)
		stats.Index.Bytes = 0
		found, err := x.Doctor(t.Context())
		expect.OK(t, err)
		said = append(said, x.plain(t, list, history, stats, found))
	}
	if said[0] != said[1] {
		t.Errorf("file   %s\nserver %s", said[0], said[1])
	}
}

// fill stores capsules, and does to some what can be done to them.
func (x *twin) fill(t *testing.T, n int, now *time.Time) {
	start := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	defer func() { *now = start.Add(60 * 24 * time.Hour) }()
	r := rand.New(rand.NewPCG(3, 3))
	for i := range n {
		*now = start.Add(time.Duration(i) * time.Hour)
		c := Capsule{Kind: Kinds[i%5], Scope: "universal", Title: fmt.Sprintf("%d %s", i, vocabulary(r, 4)), Body: vocabulary(r, 30+i%50),
			Tags: []string{fmt.Sprintf("t%d", i%4)}, DomainTags: []string{"db"}, Workspace: fmt.Sprintf("/w/%d", i%3)}
		if i%20 == 7 {
			c.Body = "Die Datenbank hat die Verbindungen abgebrochen, weil der Rechner nicht geantwortet hat und alle Fristen abgelaufen waren. " + c.Body
		}
		opt := RememberOptions{Force: true}
		if i%50 == 49 {
			c.Supersedes = []string{x.ids[i-3]}
		}
		x.ids = append(x.ids, put(t, x.KB, c, opt).ID)
	}
	for i := 4; i < n; i += 40 {
		body := vocabulary(r, 20)
		_, err := x.Edit(t.Context(), x.ids[i], func(c *Capsule) error { c.Body = body; return nil }, EditOptions{Force: true})
		expect.OK(t, err)
		_, err = x.Retire(t.Context(), x.ids[i+1], "it was wrong")
		expect.OK(t, err)
	}
	_, err := x.Decay(t.Context(), CurateOptions{})
	expect.OK(t, err)
}

// plain writes things with the ids of capsules replaced by their numbers.
func (x *twin) plain(t *testing.T, things ...any) string {
	b, err := json.Marshal(things)
	expect.OK(t, err)
	var pairs []string
	for i, id := range x.ids {
		pairs = append(pairs, id, fmt.Sprintf("capsule %d", i))
	}
	return strings.NewReplacer(pairs...).Replace(string(b))
}
