// Package pgtest starts a PostgreSQL server of their own for tests.
package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blackboard/testdata/cost"
)

// Server is a server that was started, or that $BOARD_TEST_DATABASE_URL names.
type Server struct {
	url  string
	dir  string // "": somebody else's
	bin  string
	user string // as whom it runs; "": as who runs the tests
}

// ErrNone says that there is no PostgreSQL for a test, which is then skipped.
var ErrNone = errors.New("no PostgreSQL")

// Start starts a server in a temporary directory, on a Unix socket alone. Settings are those of
// postgresql.conf, such as "fsync=off". If tests are to be quick ([cost.Quick]) it starts none,
// but for the race detector.
func Start(settings ...string) (*Server, error) {
	if u := os.Getenv("BOARD_TEST_DATABASE_URL"); u != "" {
		return &Server{url: u}, nil
	}
	if cost.Quick() && (!cost.Race || testing.Short()) {
		return nil, fmt.Errorf("%w: a plain go test starts no server; set BOARD_TEST_LONG=1 to run this test", ErrNone)
	}
	bin := find()
	if bin == "" {
		return nil, fmt.Errorf("%w: install postgresql, or set BOARD_TEST_DATABASE_URL", ErrNone)
	}
	dir, err := os.MkdirTemp("/tmp", "boardpg-") // the path of a socket has at most 107 bytes
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin, url: "postgres://board@/postgres?host=" + url.QueryEscape(dir)}
	if os.Geteuid() == 0 {
		s.user = "nobody" // it refuses to run as root
	}
	if err := s.own(dir); err != nil {
		return nil, err
	}
	err = s.run("initdb", "-D", s.data(), "-U", "board", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if err == nil {
		err = s.set(append([]string{"listen_addresses = ''", "unix_socket_directories = '" + dir + "'", "max_connections = 500"}, settings...)...)
	}
	if err == nil { // of Net
		err = s.add("pg_hba.conf", "host all all 198.18.0.0/15 trust")
	}
	if err == nil {
		err = s.Again()
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

// set adds settings, which go before earlier ones.
func (s *Server) set(settings ...string) error {
	return s.add("postgresql.auto.conf", settings...)
}

func (s *Server) add(file string, lines ...string) error {
	f, err := os.OpenFile(filepath.Join(s.data(), file), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	return errors.Join(err, f.Close())
}

// own gives a directory to whom the server runs as.
func (s *Server) own(dir string) error {
	if s.user == "" {
		return nil
	}
	u, err := user.Lookup(s.user)
	if err != nil {
		return ErrNone
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	return os.Chown(dir, uid, gid)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (s *Server) socket() string  { return filepath.Join(s.dir, ".s.PGSQL.5432") }
func (s *Server) pidFile() string { return filepath.Join(s.data(), "postmaster.pid") }

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// find is the directory of the server's programs, "" if there are none.
func find() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real // the others are beside it
		}
		return filepath.Dir(path)
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return ""
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }))
}

// run runs one of the server's programs.
func (s *Server) run(name string, args ...string) error {
	args = s.as(append([]string{filepath.Join(s.bin, name)}, args...)...)
	var said bytes.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stderr = s.dir, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, said.String())
	}
	return nil
}

// as is a command as whom the server runs as.
func (s *Server) as(command ...string) []string {
	if s.user == "" {
		return command
	}
	return append([]string{"setpriv", "--reuid=" + s.user, "--regid=nogroup", "--clear-groups", "--"}, command...)
}

// URL is the server's database, with the boards in a schema; "": in the default one.
func (s *Server) URL(schema string) string {
	u, err := url.Parse(s.url)
	if err != nil {
		return s.url
	}
	q := u.Query()
	if schema != "" {
		q.Set("schema", schema)
	}
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20")
	return u.String()
}

// Own reports whether the server is the tests' own, and may be stopped.
func (s *Server) Own() bool { return s.dir != "" }

// Again starts the server again, after Kill.
func (s *Server) Again() error {
	log := filepath.Join(s.dir, "log")
	if err := s.run("pg_ctl", "-D", s.data(), "-w", "-t", "60", "-l", log, "start"); err != nil {
		said, _ := os.ReadFile(log)
		return fmt.Errorf("%w%s", err, said[max(0, len(said)-2000):])
	}
	return nil
}

// Kill stops the server at once, as a crash does; what was committed it recovers.
func (s *Server) Kill() error {
	return s.run("pg_ctl", "-D", s.data(), "-m", "immediate", "stop")
}

// Stop stops the server for good.
func (s *Server) Stop() {
	if s.dir != "" {
		s.Kill()
		os.RemoveAll(s.dir)
	}
}

// Log is what the server has said since it was first started.
func (s *Server) Log() (string, error) {
	text, err := os.ReadFile(filepath.Join(s.dir, "log"))
	return string(text), err
}
