package pgtest

import (
	"bufio"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Standby starts a standby, which follows the server. Commits of the server wait for it from
// then on.
func (s *Server) Standby() (*Server, error) {
	dir, err := os.MkdirTemp("/tmp", "boardpg-")
	if err != nil {
		return nil, err
	}
	to := &Server{dir: dir, bin: s.bin, user: s.user, url: "postgres://board@/postgres?host=" + url.QueryEscape(dir)}
	err = to.own(dir)
	if err == nil {
		err = to.run("pg_basebackup", "-D", to.data(), "-h", s.dir, "-U", "board", "-X", "stream", "-c", "fast", "-R", "--no-sync")
	}
	if err == nil {
		err = to.set("unix_socket_directories = '"+dir+"'", "hot_standby = on", "synchronous_standby_names = ''", "primary_conninfo = 'host="+s.dir+" user=board application_name=follower'")
	}
	if err == nil {
		err = to.Again()
	}
	if err == nil {
		err = s.set("synchronous_standby_names = 'follower'")
	}
	if err == nil {
		err = s.run("pg_ctl", "-D", s.data(), "reload")
	}
	if err != nil {
		to.Stop()
		return nil, err
	}
	return to, nil
}

// Promote has a standby take the server's place.
func (s *Server) Promote() error { return s.run("pg_ctl", "-D", s.data(), "-w", "promote") }

// Either is a URL that leads to whichever of the servers takes writes.
func Either(text string, servers ...*Server) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	hosts, ports := "", ""
	for i, s := range servers {
		if i > 0 {
			hosts, ports = hosts+",", ports+","
		}
		hosts, ports = hosts+s.dir, ports+"5432"
	}
	q := u.Query()
	q.Set("host", hosts)
	q.Set("port", ports)
	q.Set("target_session_attrs", "read-write")
	u.RawQuery = q.Encode()
	return u.String()
}

// Pooler is a PgBouncer in transaction mode, with fewer connections to the server than it has
// clients.
type Pooler struct {
	cmd   *exec.Cmd
	dir   string
	port  string
	ended chan struct{}
	last  string // what it said last, once it has ended
}

// NewPooler starts one, or matches ErrNone where there is no pgbouncer.
func NewPooler(to *Server) (*Pooler, error) {
	bin, err := exec.LookPath("pgbouncer")
	if err != nil {
		if bin = "/usr/sbin/pgbouncer"; !exists(bin) {
			return nil, fmt.Errorf("%w, and pgbouncer", ErrNone)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // a port that is free
	if err != nil {
		return nil, err
	}
	port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	l.Close()
	dir, err := os.MkdirTemp("/tmp", "boardpb-")
	if err != nil {
		return nil, err
	}
	p := &Pooler{dir: dir, port: port, ended: make(chan struct{})}
	ini := filepath.Join(dir, "pgbouncer.ini")
	conf := `[databases]
* = host=` + to.dir + ` port=5432 user=board
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ` + port + `
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 400
server_login_retry = 1
ignore_startup_parameters = extra_float_digits,options
`
	if err := os.WriteFile(ini, []byte(conf), 0o644); err != nil {
		return nil, err
	}
	if err := to.own(dir); err != nil {
		return nil, err
	}
	args := to.as(bin, ini)
	p.cmd = exec.Command(args[0], args[1:]...)
	errs, err := p.cmd.StderrPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	// Its log goes to standard error, and says when it takes connections.
	up := make(chan struct{})
	go func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			if p.last = lines.Text(); strings.Contains(p.last, "process up") {
				close(up)
			}
		}
		p.cmd.Wait()
	}()
	select {
	case <-up:
		return p, nil
	case <-p.ended:
		os.RemoveAll(dir)
		return nil, p.Ended()
	}
}

// Ended is why the pooler has ended by itself, nil if it runs. 1.18 does so, rarely, where
// clients cancel while the server is away: "bad client state".
func (p *Pooler) Ended() error {
	select {
	case <-p.ended:
		return fmt.Errorf("pgbouncer has ended: %s", p.last)
	default:
		return nil
	}
}

// Through is a URL of the server that leads through the pooler.
func (p *Pooler) Through(text string) string { return atHost(text, "127.0.0.1", p.port) }

// Stop ends it.
func (p *Pooler) Stop() {
	p.cmd.Process.Kill()
	<-p.ended
	os.RemoveAll(p.dir)
}
