package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"blackboard/hooks/mcp/transport"
	"blackboard/testdata/expect"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestWrittenOnce holds what a client is sent to what the SDK would have written of the
// same answer.
func TestWrittenOnce(t *testing.T) {
	s := everything(t, nil)
	for _, c := range []struct{ tool, args string }{
		{"write_context", `{"topic":"a <b> & \"c\"","content":"é\u2028\t\\ \u0001 <script>"}`},
		{"list_context", `{}`},
		{"get_state", `{"key":"none"}`},
		{"read_context", `{}`}, // an error
	} {
		var out syncBuffer
		hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
		s.Serve(t.Context(), transport.NewStdio(strings.NewReader(hello+"\n"+fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, c.tool, c.args)+"\n"), &out))
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		var sent struct{ Result json.RawMessage }
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &sent); err != nil ||
			sent.Result == nil {
			t.Fatalf("%s: %v in %q", c.tool, err, lines)
		}
		var read sdk.CallToolResult
		if err := json.Unmarshal(sent.Result, &read); err != nil || len(read.Content) == 0 {
			t.Fatalf("%s: %v in %s", c.tool, err, sent.Result)
		}
		again := expect.Value(json.Marshal(&read))(t)
		var got, want any
		expect.OK(t, json.Unmarshal(sent.Result, &got))
		expect.OK(t, json.Unmarshal(again, &want))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: sent %s\nthe SDK writes %s", c.tool, sent.Result, again)
		}
		if read.IsError != (c.args == `{}` && c.tool == "read_context") {
			t.Errorf("%s: an error: %t", c.tool, read.IsError)
		}
		if strings.Contains(string(sent.Result), `\u003c`) {
			t.Errorf("%s: written by way of the SDK: %s", c.tool, sent.Result)
		}
	}
}
