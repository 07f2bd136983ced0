package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// DefaultSchema is the boards' schema unless the URL names one: ?schema=NAME.
const DefaultSchema = "board"

const (
	connectTimeout = 5 * time.Second // unless the URL has another
	maxConns       = 32              // of a process
	maxIdle        = 8
	// pause is how long to wait before a run is looked for again.
	pause = 100 * time.Millisecond
)

// Place is a schema of a database, with the boards of any number of runs. It is safe for
// concurrent use, and has one pool of connections.
type Place struct {
	name   string // as a URL, without a password
	what   string // in messages
	schema string
	config *pgconn.Config
	pool   *sql.DB

	mu      sync.Mutex
	ready   bool // the schema is that of this program
	indexes map[int64]*index
	asked   int64 // how often for an index
	live    *listener
}

// places are the databases that this process uses, by name.
var places sync.Map

// At returns the place that was opened under a name, or nil: a directory has none.
func At(name string) *Place {
	if p, ok := places.Load(name); ok {
		return p.(*Place)
	}
	return nil
}

// isSchemaName reports whether the name of a schema needs no quotes, and is not the server's own.
func isSchemaName(name string) bool {
	other := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' }
	return name != "" && len(name) <= 63-len("board_") && !strings.ContainsFunc(name, other) &&
		(name[0] < '0' || name[0] > '9') && !strings.HasPrefix(name, "pg_")
}

// Open reads the URL of a database, and whatever libpq's rules add to it: PGHOST and its
// like, PGSERVICE, the password file, certificates. It does not connect. The name of the
// place, which At takes, is the URL without the password.
func Open(text string) (*Place, error) {
	bad := func(why string) error {
		return fault.Usage.New("the URL of the database cannot be read: "+why, "write it as postgres://user@host/database; $PGPASSWORD or ~/.pgpass has the password")
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, bad("it is not a URL") // the error would show the password
	}
	if u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, bad("it does not begin with postgres://")
	}
	q := u.Query()
	schema := DefaultSchema
	if q.Has("schema") {
		schema = q.Get("schema")
		q.Del("schema")
		u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20") // libpq takes + as it is
	}
	if !isSchemaName(schema) {
		return nil, bad("a schema's name has lower-case letters, digits and _")
	}
	config, err := pgconn.ParseConfig(u.String())
	if name := cmp.Or(q.Get("service"), os.Getenv("PGSERVICE")); err != nil && strings.Contains(err.Error(), "read service") {
		return nil, fault.Usage.New(fmt.Sprintf("the service %s of the database was not found in %s", fault.Clip(name, 60), serviceFile(q)),
			"add a section ["+fault.Clip(name, 60)+"] with host, dbname and user there, or name another file in $PGSERVICEFILE")
	}
	if err != nil {
		return nil, bad("a setting is missing or unknown; look at sslmode, service and the files that it names")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	config.DialFunc = newDialer(config.ConnectTimeout).DialContext
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "board"
	}
	p := &Place{schema: schema, config: config, indexes: map[int64]*index{}}
	p.name = (&url.URL{Scheme: "postgres", User: url.User(config.User), Host: fmt.Sprintf("%s:%d", config.Host, config.Port),
		Path: "/" + config.Database, RawQuery: url.Values{"schema": {schema}}.Encode()}).String()
	p.what = fmt.Sprintf("the database %s on %s", config.Database, config.Host)
	if schema != DefaultSchema {
		p.what = fmt.Sprintf("the schema %s of %s", schema, p.what)
	}
	if known := At(p.name); known != nil && known.config.Password == config.Password {
		return known, nil
	}
	p.pool = sql.OpenDB(connector{config})
	p.pool.SetMaxOpenConns(maxConns)
	p.pool.SetMaxIdleConns(maxIdle)
	p.pool.SetConnMaxIdleTime(5 * time.Minute)
	places.Store(p.name, p)
	return p, nil
}

// serviceFile is where the driver looks for services.
func serviceFile(q url.Values) string {
	if name := cmp.Or(q.Get("servicefile"), os.Getenv("PGSERVICEFILE")); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return filepath.Join(u.HomeDir, ".pg_service.conf")
	}
	return "~/.pg_service.conf"
}

// String returns the name of the place: its URL, without the password.
func (p *Place) String() string { return p.name }

func (p *Place) Close() error {
	places.CompareAndDelete(p.name, p)
	p.mu.Lock()
	live := p.live
	p.live = nil
	p.mu.Unlock()
	if live != nil {
		live.stop()
	}
	return p.pool.Close()
}

// Name is the same for all runs: messages say which run they are about.
func (p *Place) Name(string) string { return p.what }

// Open finds the run, see store.Place. It returns fault.Corrupt if the row has another run's name.
func (p *Place) Open(ctx context.Context, run string, create bool) (store.DB, error) {
	db := &DB{place: p, run: run}
	var own string // the run's own name
	err := p.ask(ctx, func(ctx context.Context) error {
		err := p.pool.QueryRowContext(ctx, `SELECT r.run, coalesce(own.name, r.name) FROM `+p.schema+`.runs r
			LEFT JOIN `+p.schema+`.all_run own ON own.run = r.run WHERE r.name = $1`, run).Scan(&db.id, &own)
		if errors.Is(err, sql.ErrNoRows) && create {
			return nil
		}
		return err
	})
	if err == nil && db.id != 0 && own != run {
		return nil, store.Fault(fault.Corrupt, p.what, fmt.Sprintf("has the run %s under the name %s: "+
			"somebody has exchanged names", own, run), nil, fault.Step{Text: "ask the database's owner to give the row its name back"})
	}
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%s has no run %s: %w", p.what, run, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	db.created = db.id == 0
	return db, nil
}

// Runs names the runs whose last event is not older than since; all if that is zero.
func (p *Place) Runs(ctx context.Context, since time.Time) (names []string, err error) {
	query, args := `SELECT name FROM `+p.schema+`.runs ORDER BY name`, []any{}
	if !since.IsZero() {
		query = `SELECT name FROM ` + p.schema + `.runs r
			WHERE (SELECT at FROM ` + p.schema + `.all_events e WHERE e.run = r.run ORDER BY seq DESC LIMIT 1) >= $1 ORDER BY name`
		args = append(args, since.UnixMilli())
	}
	err = p.ask(ctx, func(ctx context.Context) error {
		names = nil
		rows, err := p.pool.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				return err
			}
			names = append(names, name)
		}
		return rows.Err()
	})
	return names, err
}

func (p *Place) Has(ctx context.Context, run string) (has bool, err error) {
	err = p.ask(ctx, func(ctx context.Context) error {
		return p.pool.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+p.schema+`.runs WHERE name = $1)`, run).Scan(&has)
	})
	return has, err
}

// Unfinished reports false: a run comes with its first event.
func (p *Place) Unfinished(string) bool { return false }

// Size returns 0, not known: the runs share their tables.
func (p *Place) Size(string) int64 { return 0 }

// Pause is longer than that of files: each look is a query to the server.
func (p *Place) Pause() time.Duration { return pause }

// ofRuns are the tables that have rows of runs, in the order in which they can be emptied.
var ofRuns = []string{"run", "entry_tags", "links", "dropped_duties", "settlements", "verifications", "entries", "signals", "variables",
	"events", "expected", "sources", "counts"}

func (p *Place) Remove(ctx context.Context, run string, check func() error) error {
	return p.change(ctx, func(tx *sql.Tx) error {
		var id int64
		err := tx.QueryRowContext(ctx, `SELECT run FROM runs WHERE name = $1 FOR UPDATE`, run).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%s has no run %s: %w", p.what, run, fs.ErrNotExist)
		}
		if err == nil && check != nil {
			err = check()
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `SELECT set_config('board.dropped', $1, true)`, fmt.Sprint(id)); err != nil {
			return err
		}
		for _, table := range ofRuns {
			if _, err := tx.ExecContext(ctx, `DELETE FROM all_`+table+` WHERE run = $1`, id); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM runs WHERE run = $1`, id)
		return err
	})
}

// path is the search path for names of tables: no temporary table hides one of the boards.
func (p *Place) path() string { return p.schema + ", pg_temp" }

// ask runs fn, which asks one question, again if the connection is lost. A transaction of
// its own would cross the network three times more.
func (p *Place) ask(ctx context.Context, fn func(context.Context) error) error {
	if err := p.Ready(ctx); err != nil {
		return err
	}
	return p.retryWhileDown(ctx, func() error { return within(ctx, replyTimeout, fn) })
}

func (p *Place) change(ctx context.Context, fn func(*sql.Tx) error) error {
	if err := p.Ready(ctx); err != nil {
		return err
	}
	return p.wrap(p.inTx(ctx, nil, fn))
}

func (p *Place) inTx(ctx context.Context, opts *sql.TxOptions, fn func(*sql.Tx) error) error {
	tx, err := p.pool.BeginTx(ctx, opts)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SELECT set_config('search_path', $1, true)`, p.path()); err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// retryTimeout is how long to try again while the server is down.
const retryTimeout = 5 * time.Second

// reportStatus tells the callback of store.OnContact whether the server has answered.
func (p *Place) reportStatus(ctx context.Context, err error) {
	if err = p.wrap(err); !errors.Is(err, fault.Away) {
		err = nil
	}
	store.Contact(ctx, p.name, err)
}

// retryWhileDown retries fn, with growing pauses, while the server is down; errors as of wrap.
func (p *Place) retryWhileDown(ctx context.Context, fn func() error) error {
	began := time.Now()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := fn()
		p.reportStatus(ctx, err)
		if !lost(err) || time.Since(began)+wait > retryTimeout {
			return p.wrap(err)
		}
		select {
		case <-ctx.Done():
			return p.wrap(err)
		case <-time.After(wait):
		}
	}
}
