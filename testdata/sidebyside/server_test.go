package sidebyside

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program is one of the two, as an MCP server over a store.
type program struct {
	name string // ours or theirs
	args []string
	env  []string
	// ready are lines of its standard error that it writes one after the other before it is at
	// rest; none: it is once it has answered.
	ready []string
}

// ours is the MCP server of this program, built from the source beside it, with the tools of a
// profile. It has no model, and no daemon.
func ours(tb testing.TB, store, profile string) program {
	tb.Helper()
	exe, err := built()
	if err != nil {
		tb.Fatal(err)
	}
	home := filepath.Join(store, "home")
	return program{name: "ours", args: []string{exe, "mcp", "--profile", profile, "--run", "race"},
		env: append(cleanEnv(), "AGENT_STORE_PATH="+store, "BOARD_HOME="+home, "BOARD_MODEL_DIR="+filepath.Join(home, "none"), "BOARD_DAEMON=off")}
}

// theirs is the MCP server of agent-memory-store. It has no model either, since nothing can be
// fetched; it says so, and then goes through all chunks that have no embedding, as it does
// whenever it starts. A store is filled if it has some.
func (p *peer) theirs(store string, filled bool) program {
	ready := []string{"Falling back to BM25-only search"}
	if filled {
		ready = append(ready, "Embedding backfill complete")
	}
	return program{name: "theirs", args: []string{p.node, "--import", p.offline, filepath.Join(p.src, "index.js")}, env: append(cleanEnv(), "AGENT_STORE_PATH="+store), ready: ready}
}

// cleanEnv is the environment without what would change either program.
func cleanEnv() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "BOARD_") && !strings.HasPrefix(v, "XDG_") && !strings.HasPrefix(v, "AGENT_STORE_PATH=") && !strings.HasPrefix(v, "NODE_") {
			env = append(env, v)
		}
	}
	return env
}

// server is a program that runs.
type server struct {
	program
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	errs  chan string // lines of its standard error; closed with it
	n     int
	tools time.Duration // from its start to the list of its tools
}

// patience is how long a server may take for one answer, or to come to rest. At 250,000 chunks a
// search of the slower one takes part of a second.
const patience = 2 * time.Minute

// start starts a server in a directory and lists its tools, as a client does.
func (p program) start(dir string) (*server, error) {
	s := &server{program: p, cmd: exec.Command(p.args[0], p.args[1:]...), errs: make(chan string, 1000)}
	s.cmd.Dir, s.cmd.Env = dir, p.env
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	errs, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	s.in, s.out = in, bufio.NewReaderSize(out, 1<<20)
	begin := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(s.errs)
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			select {
			case s.errs <- lines.Text():
			default: // nobody reads them any more
			}
		}
	}()
	hello := map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "sidebyside", "version": "1"}}
	if _, _, err = s.send("initialize", hello); err == nil {
		fmt.Fprintln(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		_, _, err = s.send("tools/list", map[string]any{})
	}
	s.tools = time.Since(begin)
	if err != nil {
		said := s.stop()
		return nil, fmt.Errorf("%s did not start: %w: %s", p.name, err, said)
	}
	return s, nil
}

// atRest waits until the server has nothing more to do, and goes by words alone.
func (s *server) atRest() error {
	late := time.After(patience)
	for _, want := range s.ready {
		for found := false; !found; {
			select {
			case line, open := <-s.errs:
				if found = strings.Contains(line, want); !open {
					return fmt.Errorf("%s ended without a word of %q", s.name, want)
				}
			case <-late:
				return fmt.Errorf("%s did not say %q", s.name, want)
			}
		}
	}
	return nil
}

// stop ends the server and returns the end of what it has said on standard error.
func (s *server) stop() string {
	s.in.Close()
	kill := time.AfterFunc(10*time.Second, func() { s.cmd.Process.Kill() })
	defer kill.Stop()
	go io.Copy(io.Discard, s.out)
	var last []string
	for line := range s.errs {
		if last = append(last, strings.TrimSpace(line)); len(last) > 5 {
			last = last[1:]
		}
	}
	s.cmd.Wait() // how it ends is of no interest
	return strings.Join(last, " ")
}

// result is the answer to a call of a tool.
type result struct {
	Content           []struct{ Text string }
	IsError           bool
	StructuredContent json.RawMessage
}

func (r *result) text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// call calls a tool, and says how long it took from the request to its answer.
func (s *server) call(tool string, args any) (result, time.Duration, error) {
	var r result
	raw, took, err := s.send("tools/call", map[string]any{"name": tool, "arguments": args})
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	return r, took, err
}

// send sends a request and waits for its answer. The time is that of the first byte sent to the
// last one received: what is made of the answer is not the server's.
func (s *server) send(method string, params any) (json.RawMessage, time.Duration, error) {
	s.n++
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.n, "method": method, "params": params})
	if err != nil {
		return nil, 0, err
	}
	hung := time.AfterFunc(patience, func() { s.cmd.Process.Kill() })
	defer hung.Stop()
	begin := time.Now()
	if _, err := s.in.Write(append(request, '\n')); err != nil {
		return nil, 0, err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		took := time.Since(begin)
		if err != nil {
			return nil, took, fmt.Errorf("%s: %w", method, err)
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, took, fmt.Errorf("%s: %w in %.200s", method, err, line)
		}
		if answer.ID != s.n {
			continue // a notification
		}
		if answer.Error != nil {
			return nil, took, errors.New(answer.Error.Message)
		}
		return answer.Result, took, nil
	}
}
