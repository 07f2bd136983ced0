package histories

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// patience is how long a call may take. It is longer than the program waits for anything.
const patience = 2 * time.Minute

var (
	errGone  = errors.New("whoever was to answer is gone")
	errNoOne = errors.New("nobody is there to be called") // the call was not made
)

// answer is what came back: the structured part of a tool's result, or the JSON of a command.
type answer struct {
	data    map[string]any
	text    string
	isError bool
	code    int // of a command
}

// server is a `board mcp` over stdio that takes overlapping calls. A server that has ended is
// started again by the next call.
type server struct {
	w    *world
	name string

	mu   sync.Mutex
	proc *process
}

type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	ended   chan struct{}
	mu      sync.Mutex
	pending map[int]chan json.RawMessage
	next    int
}

func (s *server) running(ctx context.Context) (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc != nil {
		select {
		case <-s.proc.ended:
		default:
			return s.proc, nil
		}
	}
	if ctx.Err() != nil {
		return nil, errGone
	}
	cmd := s.w.command("mcp", "--run", runName, "--profile", "all", "--grant", "all", "--no-import")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, in: in, ended: make(chan struct{}), pending: map[int]chan json.RawMessage{}}
	go func() {
		p.read(out)
		cmd.Wait()
		close(p.ended)
	}()
	s.proc = p
	_, err = p.call(ctx, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": s.name, "version": "1"}})
	if err == nil {
		err = p.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	return p, err
}

func (p *process) read(out io.Reader) {
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		var msg struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if json.Unmarshal(line, &msg) == nil && msg.ID > 0 {
			p.mu.Lock()
			ch := p.pending[msg.ID]
			delete(p.pending, msg.ID)
			p.mu.Unlock()
			if ch != nil {
				if msg.Result == nil {
					msg.Result = json.RawMessage(fmt.Sprintf(`{"isError":true,"content":[{"type":"text","text":%q}]}`, "protocol error: "+string(msg.Error)))
				}
				ch <- msg.Result
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *process) send(msg any) error {
	line, err := json.Marshal(msg)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err = p.in.Write(append(line, '\n'))
	return err
}

func (p *process) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	ch := make(chan json.RawMessage, 1)
	p.mu.Lock()
	p.next++
	id := p.next
	p.pending[id] = ch
	p.mu.Unlock()
	if err := p.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return nil, errGone
	}
	select {
	case r := <-ch:
		return r, nil
	case <-p.ended:
		select {
		case r := <-ch:
			return r, nil
		default:
			return nil, errGone
		}
	case <-time.After(patience):
		return nil, fmt.Errorf("no answer to %s within %s", method, patience)
	}
}

func (s *server) tool(ctx context.Context, name string, args map[string]any) (answer, error) {
	p, err := s.running(ctx)
	if err != nil {
		return answer{}, err
	}
	r, err := p.call(ctx, "tools/call", map[string]any{"name": name, "arguments": asData(args)})
	if err != nil {
		return answer{}, err
	}
	return toolAnswer(r)
}

// asData asks for the data of an answer: without it, there is only a text to read.
func asData(args map[string]any) map[string]any {
	args = maps.Clone(args)
	if args == nil {
		args = map[string]any{}
	}
	args["format"] = "json"
	return args
}

func toolAnswer(r json.RawMessage) (answer, error) {
	var msg struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Structured map[string]any `json:"structuredContent"`
		IsError    bool           `json:"isError"`
	}
	if err := json.Unmarshal(r, &msg); err != nil {
		return answer{}, fmt.Errorf("an answer that is not a tool's result: %w: %.200s", err, r)
	}
	a := answer{data: msg.Structured, isError: msg.IsError}
	for _, c := range msg.Content {
		a.text += c.Text
	}
	return a, nil
}

// leave ends the server, by closing its input or by SIGKILL, and is false if none runs.
func (s *server) leave(kill bool) bool {
	s.mu.Lock()
	p := s.proc
	s.proc = nil // whoever calls from now on starts another
	s.mu.Unlock()
	if p == nil {
		return false
	}
	if kill {
		p.cmd.Process.Kill()
		<-p.ended
		return true
	}
	p.in.Close()
	select {
	case <-p.ended:
	case <-time.After(patience):
		s.w.problem("%s did not end within %s of the end of its input", s.name, patience)
		p.cmd.Process.Kill()
		<-p.ended
	}
	return true
}

// overHTTP calls the daemon's MCP endpoint.
type overHTTP struct {
	w *world
	c http.Client
}

func (h *overHTTP) tool(ctx context.Context, name string, args map[string]any) (answer, error) {
	url, token := h.w.daemonAt()
	if url == "" {
		time.Sleep(10 * time.Millisecond) // it is being started
		return answer{}, errNoOne
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": asData(args)}})
	if err != nil {
		return answer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token, "Mcp-Protocol-Version": "2025-06-18"} {
		req.Header.Set(k, v)
	}
	resp, err := h.c.Do(req)
	if err != nil {
		return answer{}, errGone
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || len(data) == 0 {
		return answer{}, errGone // the daemon died, or was stopped, while it answered
	}
	for _, line := range strings.Split(string(data), "\n") {
		line = strings.TrimPrefix(strings.TrimSpace(line), "data: ")
		var msg struct {
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if json.Unmarshal([]byte(line), &msg) != nil || msg.Result == nil && msg.Error == nil {
			continue
		}
		if msg.Result == nil {
			return answer{isError: true, text: "protocol error: " + string(msg.Error)}, nil
		}
		return toolAnswer(msg.Result)
	}
	return answer{isError: true, text: fmt.Sprintf("protocol error: HTTP %d: %.200s", resp.StatusCode, data)}, nil
}

// run runs a command and reads the JSON that it prints. A command that a signal ended has no
// answer.
func (w *world) run(ctx context.Context, stdin string, args ...string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := w.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Stdin = &out, &errs, strings.NewReader(stdin)
	if err := cmd.Start(); err != nil {
		return answer{}, err
	}
	w.started(cmd)
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		cmd.Process.Kill()
		<-done
		return answer{}, fmt.Errorf("no answer to %s within %s", strings.Join(args, " "), patience)
	}
	w.ended(cmd)
	a := answer{text: errs.String()}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if a.code = exit.ExitCode(); a.code < 0 {
			return answer{}, errGone
		}
		a.isError = true
		if a.text == "" {
			a.text = out.String() // a verdict is no error
		}
	} else if err != nil {
		return answer{}, err
	}
	if !a.isError && out.Len() > 0 && out.Bytes()[0] == '{' {
		if err := json.Unmarshal(out.Bytes(), &a.data); err != nil {
			a.data = nil // JSON lines, of an export
		}
	}
	return a, nil
}
