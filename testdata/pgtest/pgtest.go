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
)

// Server is a server that was started, or that $BOARD_TEST_DATABASE_URL names.
type Server struct {
	url  string
	dir  string // "": somebody else's
	bin  string
	user string // as whom it runs; "": as who runs the tests
}

// ErrNone is where there is no PostgreSQL: tests that need one are skipped.
var ErrNone = errors.New("no PostgreSQL: install postgresql, or set BOARD_TEST_DATABASE_URL")

// Start starts a server in a temporary directory, on a Unix socket alone. Settings are those of
// postgresql.conf, such as "fsync=off".
func Start(settings ...string) (*Server, error) {
	if u := os.Getenv("BOARD_TEST_DATABASE_URL"); u != "" {
		return &Server{url: u}, nil
	}
	bin := find()
	if bin == "" {
		return nil, ErrNone
	}
	dir, err := os.MkdirTemp("/tmp", "boardpg-") // the path of a socket has at most 107 bytes
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin, url: "postgres://board@/postgres?host=" + url.QueryEscape(dir)}
	if os.Geteuid() == 0 { // who it refuses to run as
		s.user = "nobody"
		u, err := user.Lookup(s.user)
		if err != nil {
			return nil, ErrNone
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			return nil, err
		}
	}
	err = s.run("initdb", "-D", s.data(), "-U", "board", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if err == nil {
		conf := "listen_addresses = ''\nunix_socket_directories = '" + dir + "'\nmax_connections = 200\n" + strings.Join(settings, "\n") + "\n"
		err = os.WriteFile(filepath.Join(s.data(), "postgresql.auto.conf"), []byte(conf), 0o666)
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

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// find is the directory of the server's programs, "" if there are none.
func find() string {
	if path, err := exec.LookPath("initdb"); err == nil {
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
	args = append([]string{filepath.Join(s.bin, name)}, args...)
	if s.user != "" {
		args = append([]string{"setpriv", "--reuid=" + s.user, "--regid=nogroup", "--clear-groups", "--"}, args...)
	}
	var said bytes.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stderr = s.dir, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, said.String())
	}
	return nil
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
	return s.run("pg_ctl", "-D", s.data(), "-w", "-t", "60", "-l", filepath.Join(s.dir, "log"), "start")
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
