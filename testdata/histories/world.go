package histories

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	runName   = "history"
	churnName = "churn" // the run that is removed and made again
)

// world is the program under test with its files, and everything that runs.
type world struct {
	Config
	home, work, store string
	env               []string
	begin             time.Time

	begun atomic.Int64 // processes

	mu       sync.Mutex
	ops      []*Op
	faults   []Fault
	calls    int
	acked    int                 // writes that were acknowledged
	news     *sync.Cond          // that there are more of these, or no more to come
	known    map[string][]string // ids that were acknowledged, by kind
	commands map[*exec.Cmd]bool  // that run now
	servers  []*server
	url      string // of the daemon's MCP; "" while there is none
	token    string
	daemon   *daemonProcess
	problems []string // what went wrong with the world itself
}

func newWorld(c Config) (*world, error) {
	w := &world{Config: c, known: map[string][]string{}, commands: map[*exec.Cmd]bool{}}
	w.news = sync.NewCond(&w.mu)
	w.home, w.work, w.store = filepath.Join(c.Dir, "home"), filepath.Join(c.Dir, "work"), filepath.Join(c.Dir, "store")
	for _, dir := range []string{w.home, w.work, w.store, filepath.Join(c.Dir, "none")} { // the last for no model
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	for _, set := range os.Environ() {
		name, _, _ := strings.Cut(set, "=")
		if !strings.HasPrefix(name, "BOARD_") && !strings.HasPrefix(name, "XDG_") && name != "AGENT_STORE_PATH" && name != "HOME" {
			w.env = append(w.env, set)
		}
	}
	w.env = append(w.env, "HOME="+c.Dir, "BOARD_HOME="+w.home, "BOARD_WORKSPACE="+w.work, "AGENT_STORE_PATH="+w.store, "BOARD_RUN="+runName,
		"BOARD_DAEMON=off", "BOARD_MODEL_DIR="+filepath.Join(c.Dir, "none"), "TERM=xterm-256color")
	if c.Database != "" {
		w.env = append(w.env, "BOARD_DATABASE_URL="+c.Database)
	}
	w.env = append(w.env, c.Env...)
	w.begin = time.Now()
	return w, nil
}

func (w *world) now() int64 { return time.Since(w.begin).Nanoseconds() }

func (w *world) command(args ...string) *exec.Cmd {
	line := append([]string{w.Program}, args...)
	if w.Within != nil {
		line = append(slices.Clone(w.Within(int(w.begun.Add(1)))), line...)
	}
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Env = w.work, w.env
	return cmd
}

func (w *world) started(cmd *exec.Cmd) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commands[cmd] = true
}

func (w *world) ended(cmd *exec.Cmd) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.commands, cmd)
}

// more reports whether another call may begin, and numbers it.
func (w *world) more(ctx context.Context) (int, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil || w.Calls > 0 && w.calls >= w.Calls {
		return 0, false
	}
	w.calls++
	return w.calls, true
}

func (w *world) record(o *Op) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ops = append(w.ops, o)
	if o.Out == OK && !reads[o.Kind] {
		w.acked++
	}
	w.news.Broadcast()
	if o.Out == OK {
		w.known[o.Kind] = append(w.known[o.Kind], o.IDs...)
	}
}

// pick returns one of the latest ids of a kind, or "".
func (w *world) pick(r *rand.Rand, latest int, kinds ...string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, kind := range kinds {
		ids := w.known[kind]
		all = append(all, ids[max(0, len(ids)-latest):]...)
	}
	if len(all) == 0 {
		return ""
	}
	return all[r.IntN(len(all))]
}

func (w *world) problem(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

func (w *world) daemonAt() (url, token string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.url, w.token
}

// daemonProcess is a daemon that runs, until ended is closed.
type daemonProcess struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// startDaemon starts a daemon that listens on loopback, and waits until it says where.
func (w *world) startDaemon() error {
	run := filepath.Join(w.Dir, "run")
	if err := os.MkdirAll(run, 0o700); err != nil {
		return err
	}
	cmd := w.command("daemon", "run", "--listen", "127.0.0.1:0", "--grant", "all", "--profile", "all")
	cmd.Env = append(cmd.Env, "BOARD_DAEMON=on", "XDG_RUNTIME_DIR="+run)
	errs, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	d := &daemonProcess{cmd, make(chan struct{})}
	found := make(chan string, 1)
	said := ""
	go func() {
		for sc := bufio.NewScanner(errs); sc.Scan(); {
			said += sc.Text() + "\n"
			if m := listensAt.FindString(sc.Text()); m != "" {
				select {
				case found <- m:
				default:
				}
			}
		}
		cmd.Wait()
		close(d.ended)
	}()
	var url string
	select {
	case url = <-found:
	case <-d.ended:
		return fmt.Errorf("the daemon ended before it said where it listens: %s", said)
	}
	token := w.command("daemon", "token")
	token.Env = append(token.Env, "XDG_RUNTIME_DIR="+run)
	out, err := token.Output()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.daemon, w.url, w.token = d, url, strings.TrimSpace(string(out))
	return err
}

var listensAt = regexp.MustCompile(`http://[0-9.:]+/mcp`)

func (w *world) stopDaemon(kill bool) {
	w.mu.Lock()
	d := w.daemon
	w.daemon, w.url = nil, ""
	w.mu.Unlock()
	if d == nil {
		return
	}
	if kill {
		d.cmd.Process.Kill()
	} else {
		d.cmd.Process.Signal(os.Interrupt)
	}
	select {
	case <-d.ended:
	case <-time.After(patience):
		w.problem("the daemon did not end within %s", patience)
		d.cmd.Process.Kill()
		<-d.ended
	}
}
