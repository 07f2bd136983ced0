package main

import (
	"context"
	"crypto/md5"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/rogpeppe/go-internal/testscript"

	"blackboard/board/postgres"
	"blackboard/cmd/board/daemon"
	"blackboard/testdata/cost"
	"blackboard/testdata/pgtest"
	"blackboard/testdata/served"
)

var updateGolden = flag.Bool("update", false, "rewrite the golden files")

// TestMain lets the test binary be the program: scripts call the real run, so coverage counts.
func TestMain(m *testing.M) {
	if root, err := filepath.Abs(filepath.Join("..", "..")); err == nil && os.Getenv("BOARD_TEST_REPO") == "" {
		os.Setenv("BOARD_TEST_REPO", root) // for tests that change the directory
	}
	flag.Set("test.parallel", "8")                                // as a script's commands mostly wait, for the disk or for their turn; -parallel sets another number
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0") // else each command that is built with the race detector waits a second before it ends
	testscript.Main(inMemory{m}, map[string]func(){
		"board": func() {
			if os.Getenv(served.Env) != "" {
				served.Serve(run)
			}
			os.Exit(run(context.Background(), os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// inMemory has the tests keep their files in memory, and not the program, which is linked on the
// disk.
type inMemory struct{ *testing.M }

// Run also has the commands of scripts served by a few processes. Each has a process of its own,
// as for users, if tests may take long, and with PostgreSQL: a process keeps the connections to
// each database that it has used.
func (m inMemory) Run() int {
	if !cost.Long() && os.Getenv("BOARD_TEST_ENGINE") == "" {
		program, err := exec.LookPath("board")
		if err == nil {
			var stop func()
			source := filepath.Join("..", "..", "testdata", "served", "board")
			if stop, err = served.Start(program, source, 8); err == nil {
				defer stop()
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "each command has a process of its own, which takes longer:", err)
		}
	}
	return cost.Main(m.M)
}

// shared returns the folder of real inputs, or "" when it is not there.
func shared() string {
	dir := os.Getenv("BOARD_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if info, err := os.Stat(filepath.Join(dir, "data", "irys")); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// shortScripts are those that -short runs: one or two of each part of the program.
var shortScripts = []string{"check", "hook_claude", "kb_remember", "mcp", "memory_tiers", "post_links",
	"run_end_to_end", "setup", "topic", "watch_wait"}

// TestScript runs every script below testdata/script. A script has a data home of its own
// ($BOARD_HOME), and the name of no run or worker set.
//
//	exits N cmd…   runs a command that must end with exit code N
//	until cmd…     runs a command again and again until it ends with exit code 0
//	[shared]       the folder of real inputs is there, as $SHARED
//	smalldisk DIR SIZE   mounts a file system of that size, such as 8m; it takes [mount]
//	fill FILE      writes until the disk is full
//	sqlite FILE SQL…  makes an SQLite file of another program, from files with statements
//	[killed]       daemons are killed all the time
//	[postgres]     PostgreSQL is there, or BOARD_TEST_DATABASE_URL names a server; it is started when it is asked for
//	[files]        boards are files; with BOARD_TEST_ENGINE=postgres each script has a schema of its own in such a server
//	database [DIR] has the commands use a schema of that server: without boards, or that of a directory
//	dbsql FILE     runs SQL in that schema, as who made it
//	dbas ROLE      has the commands log in as SCHEMA_ROLE, once board database roles has made it
//	[quick]        tests are to be quick: it leaves out scripts with tables of cases, and those of which smaller ones hold the most
//	[race]         the race detector is on, with which a command takes several times as long; it leaves out scripts of many commands, none of which has company in its process
//
// With BOARD_TEST_DAEMON=on the commands start and use a daemon, as they do for everybody; with
// "killed" it is killed again and again meanwhile. Nothing else may differ.
func TestScript(t *testing.T) {
	if shared() == "" {
		t.Log("the folder of real inputs is absent (set BOARD_SHARED): the scripts that need it are skipped")
	}
	t.Cleanup(stopDatabaseServer)
	dir, files := filepath.Join("..", "..", "testdata", "script"), []string(nil)
	if testing.Short() {
		for _, name := range shortScripts {
			files = append(files, filepath.Join(dir, name+".txtar"))
		}
		dir = ""
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Files:               files,
		UpdateScripts:       *updateGolden,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("BOARD_HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("BOARD_WORKER", "tester")
			env.Setenv("SHARED", shared())
			env.Setenv("REPO", os.Getenv("BOARD_TEST_REPO"))
			env.Setenv("GORACE", os.Getenv("GORACE"))
			if os.Getenv("BOARD_TEST_ENGINE") == "postgres" {
				url, err := schemaFor(env.WorkDir)
				if err != nil {
					return err
				}
				env.Setenv("BOARD_DATABASE_URL", url)
			}
			return daemonForScript(env)
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "shared":
				return shared() != "", nil
			case "race":
				return cost.Race, nil
			case "quick":
				return cost.Quick(), nil
			case "killed":
				return os.Getenv("BOARD_TEST_DAEMON") == "killed", nil
			case "root":
				return os.Geteuid() == 0, nil
			case "mount":
				return canMount(), nil
			case "postgres":
				_, err := databaseServer()
				return err == nil, nil
			case "files":
				return os.Getenv("BOARD_TEST_ENGINE") != "postgres", nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "sqlite": sqliteFile, "until": until, "smalldisk": smallDisk, "fill": fill, "database": useDatabase, "dbsql": databaseSQL, "dbas": databaseAs},
	})
}

// databaseServer is the PostgreSQL of all scripts.
var databaseServer = sync.OnceValues(func() (*pgtest.Server, error) { return pgtest.Start("fsync = off") })

func stopDatabaseServer() {
	if s, err := databaseServer(); err == nil {
		s.Stop()
	}
}

// newSchema is the URL of a schema of a script's own.
func newSchema(dir string) (string, error) {
	s, err := databaseServer()
	if err != nil {
		return "", err
	}
	return s.URL(fmt.Sprintf("t%x", md5.Sum([]byte(dir)))), nil
}

// schemaFor is a schema that is ready for boards.
func schemaFor(dir string) (string, error) {
	url, err := newSchema(dir)
	if err != nil {
		return "", err
	}
	place, err := postgres.Open(url)
	if err != nil {
		return "", err
	}
	defer place.Close()
	_, err = place.Init(context.Background())
	return url, err
}

// useDatabase names a schema in $BOARD_DATABASE_URL.
func useDatabase(ts *testscript.TestScript, _ bool, args []string) {
	schema, dir := newSchema, "database"
	if len(args) > 0 {
		schema, dir = schemaFor, args[0]
	}
	url, err := schema(ts.MkAbs(dir))
	ts.Check(err)
	ts.Setenv("BOARD_DATABASE_URL", url)
}

// databaseSQL runs what a file has.
func databaseSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: dbsql FILE")
	}
	runSQL(ts, ts.ReadFile(args[0]))
}

func runSQL(ts *testscript.TestScript, statements string) {
	s, err := databaseServer()
	ts.Check(err)
	u, err := url.Parse(ts.Getenv("BOARD_DATABASE_URL"))
	ts.Check(err)
	ctx := context.Background()
	pg, err := pgconn.Connect(ctx, s.URL("")+"&search_path="+u.Query().Get("schema"))
	ts.Check(err)
	defer pg.Close(ctx)
	_, err = pg.Exec(ctx, statements).ReadAll()
	ts.Check(err)
}

// databaseAs has $BOARD_DATABASE_URL name another user.
func databaseAs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: dbas ROLE")
	}
	u, err := url.Parse(ts.Getenv("BOARD_DATABASE_URL"))
	ts.Check(err)
	role := u.Query().Get("schema") + "_" + args[0]
	runSQL(ts, "ALTER ROLE "+role+" LOGIN")
	u.User = url.User(role)
	ts.Setenv("BOARD_DATABASE_URL", u.String())
}

// canMount reports whether a small file system can be mounted.
var canMount = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	return exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "none", dir).Run() == nil && exec.Command("umount", dir).Run() == nil
})

// exits runs a command and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N command args…")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("exits: %q is not an exit code", args[0])
	}
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("%v: exit code %d, not %d", args[1:], got, want)
	}
}

// sqliteFile runs the statements in files on an SQLite file, as another program would.
func sqliteFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: sqlite FILE SQL…")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	for _, file := range args[1:] {
		_, err := db.Exec(ts.ReadFile(file))
		ts.Check(err)
	}
}

// until waits for something that a command can tell, as long as the tests may run.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: until command args…")
	}
	for ts.Exec(args[0], args[1:]...) != nil {
		time.Sleep(20 * time.Millisecond)
	}
}

// smallDisk mounts a file system in memory, until the end of the script.
func smallDisk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: smalldisk DIR SIZE")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=0700,size="+args[1], "none", dir).CombinedOutput(); err != nil {
		ts.Fatalf("mount: %v: %s", err, out)
	}
	ts.Defer(func() { exec.Command("umount", "-l", dir).Run() })
}

// fill writes a file until there is no space left.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fill FILE")
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		ts.Fatalf("fill: %v", err)
	}
}

// daemonForScript sets up whether a script's commands use a daemon, and has none of them outlive
// it.
func daemonForScript(env *testscript.Env) error {
	mode := os.Getenv("BOARD_TEST_DAEMON")
	env.Setenv("BOARD_DAEMON", daemon.Off)
	if mode != "" {
		env.Setenv("BOARD_DAEMON", daemon.Auto)
	}
	dir, err := os.MkdirTemp("", "bd") // the script's own directory has too long a path for a socket
	if err != nil {
		return err
	}
	env.Setenv("XDG_RUNTIME_DIR", dir)
	place, err := daemon.PlaceOf(env.Getenv("BOARD_HOME"), env.Getenv)
	if err != nil {
		return err
	}
	client := daemon.NewClient(place, "", "")
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	if mode == "killed" {
		wg.Go(func() {
			for ctx.Err() == nil {
				time.Sleep(time.Duration(20+rand.IntN(150)) * time.Millisecond)
				if st, err := client.Status(ctx); err == nil && st.PID != os.Getpid() {
					if p, err := os.FindProcess(st.PID); err == nil {
						p.Kill()
					}
				}
			}
		})
	}
	env.Defer(func() {
		cancel()
		wg.Wait()
		end, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		starting := 300 * time.Millisecond // one that the last command has started may not answer yet
		if mode == "" {
			starting = time.Millisecond
		}
		for deadline := time.Now().Add(starting); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if client.Stop(end, false) == nil {
				client.WaitGone(end)
			}
		}
		client.Close()
		os.RemoveAll(dir)
	})
	return nil
}
