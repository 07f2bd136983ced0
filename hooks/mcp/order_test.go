package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"blackboard/hooks/mcp/transport"
	"blackboard/testdata/expect"
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
	expect.OK(t, answers.Decode(&m))
	return reply{string(m.ID), string(m.Result), m.Error}
}

func toolCall(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, tool, args)
}

// TestStdioReadsOn: what takes long keeps nobody else waiting, and can be called off.
func TestStdioReadsOn(t *testing.T) {
	s := everything(t, nil)
	boardOf(t, s)
	ask, answers := greeted(t, s, "2025-11-25")
	const wait = `{"for":"event","timeout_seconds":300}`
	io.WriteString(ask, toolCall(1, "board_wait", wait)+toolCall(2, "board_wait", wait))
	for i := range 20 {
		io.WriteString(ask, toolCall(10+i, "get_state", `{"key":"k"}`))
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

// TestHandshakeFirst sends the handshake and a call at once, as a script does: the
// answers are in order.
func TestHandshakeFirst(t *testing.T) {
	s := everything(t, nil)
	for range 50 {
		var out syncBuffer
		s.Serve(t.Context(), transport.NewStdio(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`+"\n"+toolCall(2, "get_state", `{"key":"k"}`)), &out))
		answers := json.NewDecoder(strings.NewReader(out.String()))
		if one, two := next(t, answers), next(t, answers); one.ID != "1" || two.ID != "2" {
			t.Fatalf("%s before %s", one.ID, two.ID)
		}
	}
}
