package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"blackboard/hooks/mcp/transport"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// TestStdioSurvivesBadLines sends what is no message over stdio.
func TestStdioSurvivesBadLines(t *testing.T) {
	cost.SkipQuick(t)
	s := everything(t, nil)
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for _, c := range []struct {
		name, in string
		want     []string // in the answers, each in a line of its own
	}{
		{"garbage", hello + "\nnonsense\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` +
			"\n", []string{`"id":1,"result"`, `-32700`, `"id":2,"result"`}},
		{"invalid UTF-8", hello + "\n" +
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"board_post","arguments":{"content":"` + "a\xff\xfeb" + `"}}}` + "\n", []string{`"id":1,"result"`, `posted to r1`}},
		{"the end in the middle", hello + "\n" + `{"jsonrpc":"2.0","id":2,"meth`,
			[]string{`"id":1,"result"`, `-32700`}},
		{"the last line has no end", hello + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}`,
			[]string{`"id":1,"result"`, `"id":2,"result"`}},
		{"no handshake", `{"jsonrpc":"2.0","id":5,"method":"tools/list"}` + "\n",
			[]string{`"id":5,"error"`}},
		{"one id twice", hello + "\n" +
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"board_wait","arguments":{"for":"event","timeout_seconds":0.2}}}` + "\n" + `{"jsonrpc":"2.0","id":7,"method":"ping"}` + "\n", []string{`"id":1,"result"`, `the id is in use`, `"happened":false`}},
		{"ids that could not be given back", hello + "\n" +
			`{"jsonrpc":"2.0","id":5.5,"method":"ping"}` + "\n" +
			`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}` + "\n" +
			`{"jsonrpc":"2.0","id":6.0,"method":"ping"}` + "\n", []string{`"id":1,"result"`,
			`"id":5.5`, `-32600`, `"id":9007199254740993`, `"id":6,"result"`}},
		{"an array, a string, nothing", hello + "\n[]\n\"x\"\n\n{}\n" +
			`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n", []string{`"id":1,"result"`,
			`a message is a JSON object`, `"id":2,"result"`}},
		{"too long", hello + "\n" + `{"x":"` + strings.Repeat("y", transport.MaxMessage) + `"}` + "\n" +
			`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n", []string{`"id":1,"result"`,
			`longer than 32 MB`, `"id":2,"result"`}},
		{"deep", hello + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"board_var_set","arguments":{"key":"k","value":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "}}}\n" + `{"jsonrpc":"2.0","id":3,"method":"ping"}` + "\n", []string{`"id":1,"result"`, `deeper than 500 levels`, `"id":3,"result"`}},
		{"too deep", hello + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` +
			strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + "}\n" +
			`{"jsonrpc":"2.0","id":3,"method":"ping"}` + "\n", []string{`"id":1,"result"`,
			`-32700`, `"id":3,"result"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out syncBuffer
			s.Serve(t.Context(), transport.NewStdio(strings.NewReader(c.in), &out))
			for line := range strings.Lines(out.String()) {
				if !json.Valid([]byte(line)) {
					t.Errorf("%.200s is no message", line)
				}
			}
			for _, want := range c.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%s is missing in\n%.2000s", want, out.String())
				}
			}
		})
	}
}

// TestStdioClosed: whoever reads when it is closed is told that it is over, whatever was
// on its way.
func TestStdioClosed(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":1,"method":"notifications/x"}` + "\n"
	for range 200 {
		s := transport.NewStdio(strings.NewReader(strings.Repeat(ping, 5)), io.Discard)
		conn := expect.Value(s.Connect(t.Context()))(t)
		if m, err := conn.Read(t.Context()); m == nil || err != nil {
			t.Fatal(m, err)
		}
		conn.Close()
		for range 2 {
			if m, err := conn.Read(t.Context()); m == nil && err == nil {
				t.Fatal("neither a message nor an end")
			}
		}
	}
}

// TestClientThatDoesNotRead fills the pipe to a client. Its input goes on being read, and
// ends the session.
func TestClientThatDoesNotRead(t *testing.T) {
	s := everything(t, nil)
	in, feed := io.Pipe()
	_, out := io.Pipe() // nobody reads
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { s.Serve(ctx, transport.NewStdio(in, out)); close(done) }()
	for i := range 200 {
		expect.Value(fmt.Fprintf(feed, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n",
			i))(t)
	}
	feed.Close()
	cancel()
	out.Close()
	<-done
}

// TestRecordedSessions plays the recorded sessions of both eras: each request has an
// answer of the same kind, result or error, of the same id.
func TestRecordedSessions(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(sharedDir(), "fixtures", "mcp", "*.in.jsonl"))
	if len(files) == 0 {
		t.Skip("the folder of real inputs is absent (set BOARD_SHARED)")
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			in := expect.Value(os.ReadFile(f))(t)
			recorded := expect.Value(os.ReadFile(strings.Replace(f, ".in.", ".out.", 1)))(t)
			// The server that was recorded had a tool called search, which failed at
			// boom, a resource of its own, and a prompt, which this one has not.
			text := strings.NewReplacer(`"name":"search"`, `"name":"kb_search"`, "board://status",
				"board://runs", `"query":"boom"`, `"query":""`).Replace(string(in))
			var out syncBuffer
			s := everything(t, nil)
			expect.OK(t, os.MkdirAll(s.cfg.Home, 0o700))
			s.Serve(t.Context(), transport.NewStdio(strings.NewReader(text), &out))
			got, want := kinds(out.String()), kinds(string(recorded))
			if strings.Contains(text, `"id":7,"method":"prompts/get"`) {
				want["7"] = fmt.Sprint("error ", jsonrpc.CodeInvalidParams)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("answers %v instead of %v\n%.3000s", got, want, out.String())
			}
		})
	}
}

// kinds says of each id what its answer has.
func kinds(lines string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(lines) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Result map[string]any  `json:"result"`
			Error  *struct {
				Code int `json:"code"`
			} `json:"error"`
		}
		if json.Unmarshal([]byte(line), &m) != nil || len(m.ID) == 0 {
			continue
		}
		what := "result"
		if m.Error != nil {
			what = fmt.Sprint("error ", m.Error.Code)
		}
		if _, modern := m.Result["resultType"]; modern {
			what += " of the new era"
		}
		if m.Result["isError"] == true {
			what += ", the tool's error"
		}
		all[string(m.ID)] = what
	}
	return all
}

// TestStdioFinish: a server that is told to end answers what it was asked, at once, and
// is gone.
func TestStdioFinish(t *testing.T) {
	s := everything(t, nil)
	boardOf(t, s)
	begun := calls(s)
	in, feed := io.Pipe()
	defer feed.Close()
	var out syncBuffer
	client := transport.NewStdio(in, &out)
	done := make(chan error)
	go func() { done <- s.Serve(context.Background(), client) }()
	io.WriteString(feed, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`+"\n"+waitCall(2)+"\n")
	<-begun
	s.End()
	client.Finish()
	<-done
	if got := out.String(); !strings.Contains(got, `"id":2,"result"`) ||
		!strings.Contains(got, "was cancelled") {
		t.Errorf("the call was answered with %s", got)
	}
}
