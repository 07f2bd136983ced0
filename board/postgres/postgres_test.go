package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"blackboard/board/fault"
	"blackboard/board/store"
	"blackboard/testdata/expect"
	"blackboard/testdata/pgtest"
)

var server *pgtest.Server

func TestMain(m *testing.M) {
	var err error
	if server, err = pgtest.Start(); errors.Is(err, pgtest.ErrNone) {
		fmt.Fprintln(os.Stderr, "skipped:", err)
		os.Exit(0)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	server.Stop()
	os.Exit(code)
}

// place returns a schema of the test's own; change may turn its URL into another.
func place(t *testing.T, change ...func(url string) string) *Place {
	t.Helper()
	u := server.URL(strings.ToLower(t.Name()))
	for _, c := range change {
		u = c(u)
	}
	p := expect.Value(Open(u))(t)
	t.Cleanup(func() { p.Close() })
	drop(t, p)
	expect.Value(p.Init(t.Context()))(t)
	return p
}

// drop drops what an earlier test has left on a server that is not the tests' own.
func drop(t *testing.T, p *Place) {
	t.Helper()
	expect.Value(p.pool.ExecContext(t.Context(), `DROP SCHEMA IF EXISTS `+p.schema+` CASCADE`))(t)
}

// add adds an event to a run.
func add(ctx context.Context, db store.DB, text string) error {
	return db.Write(ctx, func(tx *store.Tx) error {
		var seq int64
		if err := tx.QueryRow(`SELECT coalesce(max(seq), 0) + 1 FROM events`).Scan(&seq); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO events VALUES (?, ?, 'w', 'post', ?, ?)`, seq, tx.Now.UnixMilli(), fmt.Sprintf("e%d", seq), text)
		return err
	})
}

// texts are those of the events of a run.
func texts(t *testing.T, db store.DB) []string {
	t.Helper()
	var all []string
	expect.OK(t, db.Read(t.Context(), func(tx *store.Tx) (err error) {
		all, err = store.Column[string](tx, `SELECT payload FROM events ORDER BY seq`)
		return err
	}))
	return all
}

func open(t *testing.T, p *Place, run string) store.DB {
	t.Helper()
	db := expect.Value(p.Open(t.Context(), run, true))(t)
	return db
}

// TestRunsApart: a run sees its own rows alone, however many share the tables.
func TestRunsApart(t *testing.T) {
	p := place(t)
	a, b := open(t, p, "a"), open(t, p, "b")
	for i := range 3 {
		for _, err := range []error{add(t.Context(), a, fmt.Sprint("a", i)), add(t.Context(), b, fmt.Sprint("b", i))} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := fmt.Sprint(texts(t, a), texts(t, b)); got != "[a0 a1 a2] [b0 b1 b2]" {
		t.Error(got)
	}
	if err := a.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(`UPDATE all_events SET payload = 'x'`)
		return err
	}); err == nil {
		t.Error("the log was changed")
	}
	expect.OK(t, p.Remove(t.Context(), "a", nil))
	if err := add(t.Context(), a, "late"); !errors.Is(err, fault.Gone) {
		t.Errorf("written to a run that was removed: %v", err)
	}
	if got := fmt.Sprint(texts(t, b)); got != "[b0 b1 b2]" {
		t.Error(got)
	}
}

// TestDurable: a commit waits for the disk, whatever the server does for others.
func TestDurable(t *testing.T) {
	for of, want := range map[string]string{"off": "on", "local": "on", "remote_write": "on", "on": "on", "remote_apply": "remote_apply"} {
		p := place(t, func(u string) string { return u + "&options=" + url.PathEscape("-c synchronous_commit="+of) })
		expect.OK(t, open(t, p, "r").Write(t.Context(), func(tx *store.Tx) error {
			got, err := store.One[string](tx, `SELECT current_setting('synchronous_commit')`)
			if got != want {
				t.Errorf("%s became %s", of, got)
			}
			return err
		}))
		p.Close()
	}
}

// cutter is a way to the server that can be cut at a commit: before the server has it, or before
// its answer is heard.
type cutter struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	where string // "": nowhere
	cuts  int
}

func newCutter(t *testing.T) *cutter {
	t.Helper()
	u, err := url.Parse(server.URL(""))
	if err != nil || !server.Own() {
		t.Skip("it needs a server of the tests' own")
	}
	l := expect.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	c := &cutter{listener: l, target: u.Query().Get("host") + "/.s.PGSQL.5432"}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go c.serve(client)
		}
	}()
	return c
}

func (c *cutter) serve(client net.Conn) {
	defer client.Close()
	srv, err := net.Dial("unix", c.target)
	if err != nil {
		return
	}
	defer srv.Close()
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := srv.Read(buf)
			if err != nil {
				client.Close()
				return
			}
			if c.cut("answer", string(buf[:n]), "COMMIT") {
				client.Close()
				return
			}
			client.Write(buf[:n])
		}
	}()
	buf := make([]byte, 1<<16)
	for {
		n, err := client.Read(buf)
		if err != nil || c.cut("question", string(buf[:n]), "COMMIT;") {
			return
		}
		srv.Write(buf[:n])
	}
}

func (c *cutter) cut(where, data, at string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.where != where || !strings.Contains(data, at) {
		return false
	}
	c.where = ""
	c.cuts++
	return true
}

// through has a URL lead through the cutter.
func (c *cutter) through(u string) string {
	v, _ := url.Parse(u)
	q := v.Query()
	q.Set("host", "127.0.0.1")
	q.Set("port", fmt.Sprint(c.listener.Addr().(*net.TCPAddr).Port))
	q.Set("sslmode", "disable")
	v.RawQuery = q.Encode()
	return v.String()
}

// TestCutAtCommit: a connection that dies while it commits leaves one event, not none and not
// two, whichever way the commit went.
func TestCutAtCommit(t *testing.T) {
	c := newCutter(t)
	p := place(t, c.through)
	db := open(t, p, "r")
	var want []string
	for i, where := range []string{"", "question", "answer", "", "answer", "question"} {
		c.mu.Lock()
		c.where = where
		c.mu.Unlock()
		text := fmt.Sprint(where, i)
		if err := add(t.Context(), db, text); err != nil {
			t.Fatalf("cut at %q: %v", where, err)
		}
		want = append(want, text)
	}
	if got := texts(t, db); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
	if c.cuts != 4 {
		t.Errorf("%d cuts", c.cuts)
	}
	first := open(t, p, "cut") // of a run that this very transaction makes
	c.mu.Lock()
	c.where = "answer"
	c.mu.Unlock()
	expect.OK(t, add(t.Context(), first, "x"))
	if got := texts(t, open(t, p, "cut")); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// TestServerKilled: what was acknowledged is there after the server has crashed, once, while
// writers and a watcher go on by themselves.
func TestServerKilled(t *testing.T) {
	if !server.Own() {
		t.Skip("it needs a server of the tests' own")
	}
	p := place(t)
	db := open(t, p, "r")
	expect.OK(t, add(t.Context(), db, "first"))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	acked := make(chan string, 1000)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				text := fmt.Sprintf("w%d-%d", w, i)
				if err := add(context.WithoutCancel(ctx), db, text); err == nil {
					acked <- text
				} else if !errors.Is(err, fault.Away) {
					t.Error(err)
				}
			}
		})
	}
	go func() { wg.Wait(); close(acked) }()
	var want []string
	for kill := range 3 {
		for range 20 {
			want = append(want, <-acked)
		}
		expect.OK(t, server.Kill())
		if err := server.Again(); err != nil {
			t.Fatal(kill, err)
		}
	}
	stop()
	for text := range acked {
		want = append(want, text)
	}
	times := map[string]int{}
	for _, text := range texts(t, db) {
		times[text]++
	}
	for _, text := range want {
		if times[text] != 1 {
			t.Errorf("%s is there %d times", text, times[text])
		}
	}
	for text, n := range times {
		if n > 1 {
			t.Errorf("%s is there %d times", text, n)
		}
	}
	t.Logf("%d acknowledged of %d written", len(want), len(times))
}

// TestWatch: a watcher hears of what others commit, also once the server was away.
func TestWatch(t *testing.T) {
	p := place(t)
	db := open(t, p, "r")
	expect.OK(t, add(t.Context(), db, "first"))
	ctx, stop := context.WithCancel(t.Context())
	changes, done := make(chan int), make(chan error, 1)
	go func() {
		done <- db.Watch(ctx, func() error {
			var n int
			err := db.Read(ctx, func(tx *store.Tx) (err error) {
				n, err = store.One[int](tx, `SELECT count(*) FROM events`)
				return err
			})
			if err == nil {
				changes <- n
			}
			return err
		})
	}()
	wait := func(want int) {
		t.Helper()
		for n := range changes {
			if n == want {
				return
			}
		}
	}
	wait(1)
	expect.OK(t, add(t.Context(), db, "second"))
	wait(2)
	if server.Own() {
		expect.OK(t, errors.Join(server.Kill(), server.Again()))
		expect.OK(t, add(t.Context(), db, "third"))
		wait(3)
	}
	stop()
	go func() { // it may be about to tell once more
		for range changes {
		}
	}()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestInitTogether: of many who prepare a schema at once, one does; and a newer one is refused.
func TestInitTogether(t *testing.T) {
	p := expect.Value(Open(server.URL("together")))(t)
	defer p.Close()
	drop(t, p)
	if _, err := p.Open(t.Context(), "r", true); !errors.Is(err, fault.Away) || !strings.Contains(err.Error(), "has no boards yet") {
		t.Errorf("before: %v", err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := p.Init(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	expect.Value(p.pool.Exec(`UPDATE together.schema_version SET version = 99`))(t)
	if _, err := p.Open(t.Context(), "r", true); !errors.Is(err, fault.Newer) {
		t.Errorf("a newer schema: %v", err)
	}
	if _, err := p.Init(t.Context()); !errors.Is(err, fault.Newer) {
		t.Errorf("a newer schema is not brought back: %v", err)
	}
}

// TestOtherVersion: a process whose first question goes to the knowledge base is told of a schema
// of another version too, also where that has not the tables that are asked for.
// TestRolesTogether: schemas of one database get their roles at once.
func TestRolesTogether(t *testing.T) {
	if !server.Own() {
		t.Skip("it needs a server of the tests' own: roles belong to a whole server")
	}
	var granting sync.WaitGroup
	for i := range 4 {
		p := place(t, func(u string) string { return strings.Replace(u, "together", fmt.Sprint("together", i), 1) })
		grant := expect.Value(p.Roles(""))(t)
		pg := expect.Value(pgconn.Connect(t.Context(), server.URL("")))(t)
		t.Cleanup(func() { pg.Close(context.Background()) })
		granting.Go(func() {
			for range 20 {
				if _, err := pg.Exec(t.Context(), grant).ReadAll(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	granting.Wait()
}

func TestOtherVersion(t *testing.T) {
	for _, test := range []struct {
		change string
		kind   fault.Kind
		says   string
	}{
		{`UPDATE other.schema_version SET version = 99`, fault.Newer, "has schema 99; this program knows up to"},
		{`UPDATE other.schema_version SET version = 99; DROP TABLE other.capsule_index_meta CASCADE`, fault.Newer, "has schema 99"},
		{`UPDATE other.schema_version SET version = 1`, fault.Away, "has schema 1 and must be migrated"},
		{`DROP SCHEMA other CASCADE`, fault.Away, "has no boards yet"},
	} {
		p := expect.Value(Open(server.URL("other")))(t)
		drop(t, p)
		expect.Value(p.Init(t.Context()))(t)
		expect.Value(p.pool.Exec(test.change))(t)
		first := store.AskFirst(t.Context(), store.Question{Query: `SELECT stamp FROM capsule_index_meta`})
		var told error // that the server is away, which it is not
		asked := store.OnContact(first, func(_ string, err error) { told = errors.Join(told, err) })
		read := false
		err := p.KB().Read(asked, func(*store.Tx) error { read = true; return nil })
		if err == nil || !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) || read || told != nil {
			t.Errorf("%s: %v; read %v, told %v", test.change, err, read, told)
		}
		p.Close()
	}
}

// TestNoPassword: no error of a URL shows a password.
func TestNoPassword(t *testing.T) {
	for _, u := range []string{
		"postgres://u:geheim@/db?host=/nowhere", "postgres://u:geheim@h:p/db", "mysql://u:geheim@h/db", "postgres://u:geheim@h/db?schema=A-b",
		"postgres://u@h/db?password=geheim&sslmode=odd", "://u:geheim@h", "postgres://u:geheim@%zz/db", "host=h password=geheim", "postgres://u:geheim@127.0.0.1:1/db",
	} {
		p, err := Open(u)
		if err == nil {
			if strings.Contains(p.String()+p.what, "geheim") {
				t.Errorf("%s is called %s, %s", u, p, p.what)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			_, err = p.Runs(ctx, time.Time{})
			cancel()
			p.Close()
		}
		if err == nil || strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), "geheim") {
			t.Errorf("%s: %v", u, err)
		}
	}
}

// TestTranslate: statements in the words of PostgreSQL.
func TestTranslate(t *testing.T) {
	for from, want := range map[string]string{
		`SELECT ?, '?' WHERE a = ?`:                `SELECT $1, '?' WHERE a = $2`,
		`SELECT ?1, ?1`:                            `SELECT $1, $1`,
		`SELECT 'it''s ?', ?`:                      `SELECT 'it''s ?', $1`,
		`FROM events INDEXED BY events_id WHERE x`: `FROM events WHERE x`,
		`x LIKE ? ESCAPE '\'`:                      `x ILIKE $1 ESCAPE '\'`,
	} {
		if got := translate(from); got != want {
			t.Errorf("%s became %s", from, got)
		}
	}
}
