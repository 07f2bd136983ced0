package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"blackboard/hooks/mcp/transport"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// greeted is a client of a server over stdio that has said who it is: what it asks, and
// the answers.
func greeted(t *testing.T, s *Server, protocol string) (ask io.Writer, answers *json.Decoder) {
	t.Helper()
	in, feed := io.Pipe()
	read, out := io.Pipe()
	done := make(chan struct{})
	go func() { s.Serve(t.Context(), transport.NewStdio(in, out)); out.Close(); close(done) }()
	t.Cleanup(func() { feed.Close(); io.Copy(io.Discard, read); <-done })
	answers = json.NewDecoder(read)
	fmt.Fprintf(feed, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"scout","version":"1"}}}`+"\n", protocol)
	if got := next(t, answers); got.ID != `"hello"` || got.Error != nil {
		t.Fatal(got)
	}
	return feed, answers
}

// reply is an answer as it came.
type reply struct {
	ID     string
	Result string
	Error  any
}

func next(t *testing.T, answers *json.Decoder) reply {
	t.Helper()
	var m struct {
		ID, Result json.RawMessage
		Error      any
	}
	if err := answers.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return reply{string(m.ID), string(m.Result), m.Error}
}

// toolCall is a call with more members of its params.
func toolCall(id int, tool, args, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`+"\n", id, tool, args, more)
}

// TestDirectIsWhatTheSDKSays compares answers with those to the same calls that the SDK
// reads.
func TestDirectIsWhatTheSDKSays(t *testing.T) {
	s := everything(t, nil)
	ask, answers := greeted(t, s, "2025-11-25")
	for i, c := range []struct{ tool, args string }{
		{"board_post", `{"content":"<a> & \u2028 b","worker":"w"}`},
		{"board_post", `{"content":7}`},
		{"board_state", `null`},
		{"get_state", `{"key":"none"}`},
		{"list_context", `{"limit":7.5}`},
		{"list_context", `{"limit":5,"nobody":"knows"}`},
		{"kb_search", `{"query":"refunds"}`},
		{"kb_get", `{"id":"none"}`},
	} {
		if c.tool == "board_post" && i == 0 { // each makes an entry
			io.WriteString(ask, toolCall(100, c.tool, c.args, ""))
			next(t, answers)
			continue
		}
		io.WriteString(ask, toolCall(2*i, c.tool, c.args, `,"_meta":{"progressToken":1}`))
		direct := next(t, answers)
		io.WriteString(ask, toolCall(2*i+1, c.tool, c.args, `,"requestState":""`))
		if by := next(t, answers); direct.Result != by.Result ||
			fmt.Sprint(direct.Error) != fmt.Sprint(by.Error) {
			t.Errorf("%s %s\nis answered %+v\nand by the SDK %+v", c.tool, c.args, direct, by)
		}
	}
}

// TestDirectTakesCalls holds which requests are answered without the SDK.
func TestDirectTakesCalls(t *testing.T) {
	s := everything(t, nil)
	session := func(protocol string) *sdk.ServerSession {
		ask, answers := greeted(t, s, protocol)
		io.WriteString(ask, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
		next(t, answers)
		for there := range s.sdk.Sessions() {
			if there.InitializeParams().ProtocolVersion == protocol {
				return there
			}
		}
		t.Fatal("the server has no such session")
		return nil
	}
	old, young := session("2025-06-18"), session("2026-07-28")
	id, err := jsonrpc.MakeID("x")
	if err != nil {
		t.Fatal(err)
	}
	const call = `{"name":"get_state","arguments":{"key":"k"}}`
	for _, c := range []struct {
		what    string
		session *sdk.ServerSession
		id      jsonrpc.ID
		method  string
		params  string
		direct  bool
	}{
		{"a call", old, id, "tools/call", call, true},
		{"without arguments", old, id, "tools/call", `{"name":"board_state"}`, true},
		{"with a token", old, id, "tools/call",
			`{"name":"board_state","_meta":{"progressToken":5}}`, true},
		{"of the new protocol", young, id, "tools/call", call, false},
		{"of the new protocol, by itself", old, id, "tools/call",
			`{"name":"board_state","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`, false},
		{"no call", old, jsonrpc.ID{}, "tools/call", call, false},
		{"another method", old, id, "tools/list", call, false},
		{"no tool", old, id, "tools/call", `{"name":"none"}`, false},
		{"no name", old, id, "tools/call", `{"Name":"board_state"}`, false},
		{"something more", old, id, "tools/call", `{"name":"board_state","requestState":"x"}`,
			false},
		{"a list", old, id, "tools/call", `[]`, false},
		{"nothing", old, id, "tools/call", ``, false},
		{"a name that is none", old, id, "tools/call", `{"name":5}`, false},
	} {
		if got := transport.PlainCall(&jsonrpc.Request{ID: c.id, Method: c.method,
			Params: json.RawMessage(c.params)}, c.session, s.answers); got != nil != c.direct {
			t.Errorf("%s: answered directly: %t", c.what, got != nil)
		}
	}
}

// TestStdioReadsOn: what takes long keeps nobody else waiting, and can be called off,
// whoever answers it.
func TestStdioReadsOn(t *testing.T) {
	for _, more := range []string{"", `,"requestState":""`} {
		s := everything(t, nil)
		boardOf(t, s)
		ask, answers := greeted(t, s, "2025-11-25")
		const wait = `{"for":"event","timeout_seconds":300}`
		io.WriteString(ask, toolCall(1, "board_wait", wait, more)+toolCall(2, "board_wait", wait,
			more))
		for i := range 20 {
			io.WriteString(ask, toolCall(10+i, "get_state", `{"key":"k"}`, more))
			if got := next(t, answers); got.ID != fmt.Sprint(10+i) {
				t.Fatalf("%+v came before the answer to %d", got, 10+i)
			}
		}
		for i := 1; i <= 2; i++ {
			fmt.Fprintf(ask, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", i)
			if got := next(t, answers); got.ID != fmt.Sprint(i) || !strings.Contains(got.Result,
				"was cancelled") {
				t.Fatalf("%d was answered with %+v", i, got)
			}
		}
	}
}

// TestHandshakeFirst sends the handshake and a call at once, as a script does: the
// answers are in order.
func TestHandshakeFirst(t *testing.T) {
	s := everything(t, nil)
	for range 50 {
		var out syncBuffer
		s.Serve(t.Context(), transport.NewStdio(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`+"\n"+toolCall(2, "get_state", `{"key":"k"}`, "")), &out))
		answers := json.NewDecoder(strings.NewReader(out.String()))
		if one, two := next(t, answers), next(t, answers); one.ID != "1" || two.ID != "2" {
			t.Fatalf("%s before %s", one.ID, two.ID)
		}
	}
}
