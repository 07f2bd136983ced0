package sidebyside

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"blackboard/kb/chunks"
)

// chunkIDs are the ids in an answer to a search.
var chunkIDs = regexp.MustCompile("\\*\\*id:\\*\\* `[0-9a-f]{10}`")

// fill makes a store of n chunks that both programs have: theirs in their own file, taken over
// into ours beside it.
func fill(b *testing.B, p *peer, n int) (store string) {
	b.Helper()
	store = b.TempDir()
	begin := time.Now()
	theirs := openTheirs(b, p, store)
	c := newCorpus(uint64(n))
	for i := 0; i < n; {
		batch := make([]chunk, 0, 1000)
		for ; i < n && len(batch) < cap(batch); i++ {
			batch = append(batch, c.chunk(i))
		}
		if _, err := theirs.ask(map[string]any{"load": batch}); err != nil {
			b.Fatal(err)
		}
		if i%50_000 == 0 {
			progress("%d of %d chunks are loaded, %.0f s", i, n, time.Since(begin).Seconds())
		}
	}
	theirs.close()
	loaded := time.Now()
	mine := ours(b, store, "context")
	cmd := exec.Command(mine.args[0], "context", "import")
	cmd.Dir, cmd.Env = store, mine.env
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("board context import: %v\n%s", err, out)
	}
	progress("%d chunks: loaded by theirs in %.1f s, taken over by ours in %.1f s; %d and %d MB", n, loaded.Sub(begin).Seconds(), time.Since(loaded).Seconds(),
		megabytes(b, filepath.Join(store, "store.db")), megabytes(b, filepath.Join(store, chunks.FileName)))
	return store
}

func megabytes(b *testing.B, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size() / 1e6
}

// startBoth starts both as MCP servers over one store, and makes sure that they go by words alone.
func startBoth(b *testing.B, p *peer, store string) (mine, theirs *server) {
	b.Helper()
	for _, s := range []struct {
		program
		to **server
	}{{ours(b, store, "context"), &mine}, {p.theirs(store, true), &theirs}} {
		started, err := s.start(store)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { started.stop() })
		if err := started.atRest(); err != nil {
			b.Fatal(err)
		}
		*s.to = started
	}
	r, _, err := mine.call("search_context", map[string]any{"query": word(0), "format": "json"})
	var how struct{ Mode string }
	if err == nil {
		err = json.Unmarshal(r.StructuredContent, &how)
	}
	if err != nil || how.Mode != chunks.ModeBM25 {
		b.Fatalf("ours goes by more than words: %q, %v, %s", how.Mode, err, r.text())
	}
	return mine, theirs
}

// measure is a side of the level "mcp".
func (s *server) measure(op *operation, calls []arguments, budget time.Duration) (all []time.Duration, err error) {
	for end := time.Now().Add(budget); len(all) < len(calls) && (len(all) == 0 || time.Now().Before(end)); {
		r, took, err := s.call(op.tool, calls[len(all)])
		if err != nil {
			return all, fmt.Errorf("%s: %w", s.name, err)
		}
		if r.IsError || !strings.HasPrefix(r.text(), op.begins) {
			return all, fmt.Errorf("%s: %s answers %.200q", s.name, op.tool, r.text())
		}
		all = append(all, took)
	}
	return all, nil
}

// starter is a side that starts servers and stops them, which is not measured.
type starter struct {
	program
	dir string
}

func (s *starter) measure(_ *operation, calls []arguments, budget time.Duration) (all []time.Duration, err error) {
	for end := time.Now().Add(budget); len(all) < len(calls) && (len(all) == 0 || time.Now().Before(end)); {
		started, err := s.start(s.dir)
		if err != nil {
			return all, err
		}
		all = append(all, started.tools)
		if err := started.atRest(); err != nil { // what one still does would be in the next one's time
			return all, err
		}
		started.stop()
	}
	return all, nil
}

// ourStore is this program's store in process.
type ourStore struct{ *chunks.Store }

func openOurs(b *testing.B, store string) ourStore {
	b.Helper()
	s, _, err := chunks.Open(b.Context(), store, chunks.Options{Warm: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return ourStore{s}
}

var errNothing = errors.New("ours finds nothing")

// measure calls the method of each tool.
func (s ourStore) measure(op *operation, calls []arguments, budget time.Duration) (all []time.Duration, err error) {
	for end := time.Now().Add(budget); len(all) < len(calls) && (len(all) == 0 || time.Now().Before(end)); {
		begin := time.Now()
		err := s.call(op.tool, &calls[len(all)])
		all = append(all, time.Since(begin))
		if err != nil {
			return all, fmt.Errorf("%s: %w", op.tool, err)
		}
	}
	return all, nil
}

func (s ourStore) call(tool string, a *arguments) (err error) {
	ctx, found := context.Background(), 1
	switch tool {
	case "read_context":
		_, err = s.Read(ctx, a.ID)
	case "list_context":
		var l chunks.List
		l, err = s.List(ctx, chunks.ListQuery{Tags: a.Tags})
		found = len(l.Chunks)
	case "search_context":
		var r chunks.Result
		r, err = s.Search(ctx, chunks.Query{Text: a.Query, Mode: a.Mode})
		found = len(r.Hits)
	case "get_state":
		_, err = s.State(ctx, a.Key)
	case "set_state":
		var value []byte
		if value, err = json.Marshal(a.Value); err == nil {
			_, err = s.SetState(ctx, a.Key, value)
		}
	case "write_context":
		_, err = s.Write(ctx, chunks.NewChunk{Topic: a.Topic, Content: a.Content, Agent: a.Agent, Tags: a.Tags})
	}
	if err == nil && found == 0 {
		err = errNothing
	}
	return err
}

// theirStore is the other program's store, in the process of peer.mjs.
type theirStore struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	errs strings.Builder
}

func openTheirs(b *testing.B, p *peer, store string) *theirStore {
	b.Helper()
	s := &theirStore{cmd: exec.Command(p.node, "--import", p.offline, p.script, p.src)}
	s.cmd.Dir, s.cmd.Env, s.cmd.Stderr = store, append(cleanEnv(), "AGENT_STORE_PATH="+store), &s.errs
	in, err := s.cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	s.in, s.out = in, bufio.NewReaderSize(out, 1<<20)
	if err := s.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.close)
	return s
}

// close ends the process; it may be called again.
func (s *theirStore) close() {
	s.in.Close()
	s.cmd.Wait() // how it ends is of no interest: what it was asked it has answered
}

// ask asks the process one thing and returns the times of the calls.
func (s *theirStore) ask(request any) ([]float64, error) {
	if err := json.NewEncoder(s.in).Encode(request); err != nil {
		return nil, err
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		s.close()
		return nil, fmt.Errorf("peer.mjs: %w: %s", err, s.errs.String())
	}
	var answer struct {
		MS    []float64
		Error string
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, err
	}
	if answer.Error != "" {
		return nil, errors.New("theirs: " + answer.Error)
	}
	return answer.MS, nil
}

func (s *theirStore) measure(op *operation, calls []arguments, budget time.Duration) ([]time.Duration, error) {
	ms, err := s.ask(map[string]any{"tool": op.tool, "calls": calls, "budget": budget.Milliseconds()})
	all := make([]time.Duration, len(ms))
	for i, t := range ms {
		all[i] = time.Duration(t * 1e6)
	}
	return all, err
}
