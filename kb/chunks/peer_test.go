package chunks

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
	"reflect"
	"regexp"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// peer is the other program as its clients see it.
type peer struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	n   int
}

// startPeer starts the npm package agent-memory-store on a store, if
// $BOARD_AGENT_MEMORY_STORE names the directory where it was installed ("npm install
// agent-memory-store"; it needs Node.js 22.5 or newer, such as that of the npm package
// node).
func startPeer(t *testing.T, store string) *peer {
	t.Helper()
	dir := os.Getenv("BOARD_AGENT_MEMORY_STORE")
	if dir == "" {
		t.Skip("$BOARD_AGENT_MEMORY_STORE does not name a directory in which npm has installed agent-memory-store: nothing is compared with the program itself")
	}
	node := "node"
	if own, err := filepath.Glob(filepath.Join(dir, "node_modules", "node*", "bin", "node")); err == nil && len(own) > 0 {
		node = own[0]
	}
	p := &peer{t: t, cmd: exec.Command(node, filepath.Join(dir, "node_modules", "agent-memory-store", "src", "index.js"))}
	p.cmd.Env = append(os.Environ(), "AGENT_STORE_PATH="+store)
	in := expect.Value(p.cmd.StdinPipe())(t)
	out := expect.Value(p.cmd.StdoutPipe())(t)
	p.in, p.out = in, bufio.NewReader(out)
	expect.OK(t, p.cmd.Start())
	t.Cleanup(func() { p.cmd.Process.Kill(); p.cmd.Wait() })
	p.send("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	fmt.Fprintln(p.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

// send sends a request and returns the result.
func (p *peer) send(method string, params any) json.RawMessage {
	p.t.Helper()
	p.n++
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": p.n, "method": method, "params": params})
	if err != nil {
		p.t.Fatal(err)
	}
	fmt.Fprintf(p.in, "%s\n", request)
	for {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			p.t.Fatalf("%s: %v", method, err)
		}
		var answer struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		if json.Unmarshal(line, &answer) == nil && answer.ID == p.n {
			return answer.Result
		}
	}
}

// call calls a tool and returns its text.
func (p *peer) call(tool string, args map[string]any) string {
	p.t.Helper()
	var result struct {
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(p.send("tools/call", map[string]any{"name": tool, "arguments": args}), &result); err != nil || len(result.Content) != 1 {
		p.t.Fatalf("%s: %+v, %v", tool, result, err)
	}
	return result.Content[0].Text
}

// call does the same with this package, as an adapter of the tools would.
func (s *Store) call(ctx context.Context, tool string, args map[string]any) string {
	str := func(name string) string { v, _ := args[name].(string); return v }
	num := func(name string) *int {
		if v, ok := args[name].(int); ok {
			return &v
		}
		return nil
	}
	tags, _ := args["tags"].([]string)
	var answer string
	var err error
	switch tool {
	case "search_context":
		var r Result
		r, err = s.Search(ctx, Query{Text: str("query"), Tags: tags, Agent: str("agent"), TopK: num("top_k"), Mode: str("search_mode")})
		answer = SearchText(r)
	case "write_context":
		n := NewChunk{Topic: str("topic"), Content: str("content"), Agent: str("agent"), Tags: tags, Importance: str("importance")}
		if d, ok := args["ttl_days"].(float64); ok {
			n.TTLDays = &d
		}
		var c Chunk
		c, err = s.Write(ctx, n)
		answer = WriteText(c)
	case "read_context":
		var c Chunk
		c, err = s.Read(ctx, str("id"))
		answer = ReadText(c)
	case "list_context":
		q := ListQuery{Agent: str("agent"), Tags: tags, Limit: num("limit")}
		if n := num("offset"); n != nil {
			q.Offset = *n
		}
		var l List
		l, err = s.List(ctx, q)
		answer = ListText(l)
	case "delete_context":
		err = s.Delete(ctx, str("id"))
		answer = DeleteText(str("id"))
	case "get_state":
		var v State
		v, err = s.State(ctx, str("key"))
		answer = StateText(v)
	case "set_state":
		var value []byte
		var v State
		if value, err = json.Marshal(args["value"]); err == nil {
			v, err = s.SetState(ctx, str("key"), value)
		}
		answer = SetStateText(v)
	}
	if errors.Is(err, fault.NotFound) {
		return err.Error()
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return answer
}

var (
	anID    = regexp.MustCompile("`[0-9a-f]{10}`")
	aTime   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	aScore  = regexp.MustCompile(`\[score: [\d.]+\]`)
	savedID = regexp.MustCompile("^Chunk saved: id=`([^`]*)`")
)

// TestPeer asks both programs the same and compares the answers, except for ids, times
// and scores. Then it imports the other program's store and asks again: now ids and times
// must be equal too.
func TestPeer(t *testing.T) {
	dir := t.TempDir()
	p := startPeer(t, filepath.Join(dir, "theirs"))
	ours := openStore(t, filepath.Join(dir, "ours"), Options{})
	masked := func(s string) string {
		return aScore.ReplaceAllString(aTime.ReplaceAllString(anID.ReplaceAllString(s, "`ID`"), "TIME"), "[score: N]")
	}
	type args = map[string]any
	var theirID, ourID string
	for _, c := range []struct {
		tool string
		args args
	}{
		{"list_context", args{}}, {"search_context", args{"query": "anything"}}, {"get_state", args{"key": "project_tags"}},
		{"write_context", args{"topic": "Auth service — chose JWT over sessions", "content": "Chose stateless JWT.\n\nRefresh tokens in Redis.", "agent": "pm-agent", "tags": []string{"auth", "decision"}, "importance": "critical"}},
		{"read_context", args{"id": "$ID"}},
		{"write_context", args{"topic": "Scraper run 042", "content": "Source: ZAP Imóveis.", "tags": []string{"Scraper", "output"}, "importance": "high"}},
		{"write_context", args{"topic": "ends", "content": "later", "ttl_days": 30.5}},
		{"list_context", args{}}, {"list_context", args{"tags": []string{"scraper"}}}, {"list_context", args{"limit": 1, "offset": 1}}, {"list_context", args{"agent": "pm-agent"}},
		{"search_context", args{"query": "JWT sessions decision", "search_mode": "bm25"}}, {"search_context", args{"query": "JWT scraper", "top_k": 1, "tags": []string{"output"}}},
		{"search_context", args{"query": "a"}}, {"search_context", args{"query": ""}}, {"search_context", args{"query": "Imoveis"}}, {"search_context", args{"query": "JWT", "agent": "nobody"}},
		{"set_state", args{"key": "current_phase", "value": "scraping"}}, {"get_state", args{"key": "current_phase"}},
		{"set_state", args{"key": "o", "value": json.RawMessage(`{"b":[1,2.5,true,null],"a":{},"c":[],"é":"ü<&>"}`)}}, {"get_state", args{"key": "o"}},
		{"set_state", args{"key": "n", "value": 42}}, {"get_state", args{"key": "n"}}, {"set_state", args{"key": "e", "value": ""}}, {"get_state", args{"key": "e"}},
		{"delete_context", args{"id": "$ID"}}, {"delete_context", args{"id": "$ID"}}, {"read_context", args{"id": "nope"}}, {"list_context", args{}},
	} {
		with := func(id string) args {
			all := args{}
			for k, v := range c.args {
				if v == "$ID" {
					v = id
				}
				all[k] = v
			}
			return all
		}
		theirs, mine := p.call(c.tool, with(theirID)), ours.call(t.Context(), c.tool, with(ourID))
		if masked(theirs) != masked(mine) {
			t.Errorf("%s %v:\n%s\nand here\n%s", c.tool, c.args, theirs, mine)
		}
		if a, b := savedID.FindStringSubmatch(theirs), savedID.FindStringSubmatch(mine); a != nil && b != nil {
			theirID, ourID = a[1], b[1]
		}
	}
	// Import while the other program has its database open, with all data in the WAL.
	before := contents(t, filepath.Join(dir, "theirs"))
	s, res := imported(t, filepath.Join(dir, "theirs"), Options{})
	if res.Chunks.Added != 2 || res.State.Added != 4 || len(res.Refused)+len(res.Notes) != 0 {
		t.Errorf("%+v", res)
	}
	if after := contents(t, filepath.Join(dir, "theirs")); !reflect.DeepEqual(before, after) {
		t.Error("its files have changed")
	}
	for _, key := range []string{"current_phase", "o", "n", "e", "none"} {
		if a, b := p.call("get_state", args{"key": key}), s.call(t.Context(), "get_state", args{"key": key}); a != b {
			t.Errorf("%s is\n%s\nand here\n%s", key, a, b)
		}
	}
	list := p.call("list_context", args{})
	if mine := s.call(t.Context(), "list_context", args{}); mine != list {
		t.Errorf("it lists\n%s\nand here\n%s", list, mine)
	}
	for _, id := range anID.FindAllString(list, -1) {
		id = strings.Trim(id, "`")
		if a, b := p.call("read_context", args{"id": id}), s.call(t.Context(), "read_context", args{"id": id}); a != b {
			t.Errorf("%s is\n%s\nand here\n%s", id, a, b)
		}
	}
}
