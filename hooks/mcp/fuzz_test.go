package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"blackboard/hooks/mcp/transport"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// FuzzTools calls every tool with whatever arguments. None panics, each answer can be
// encoded and read.
func FuzzTools(f *testing.F) {
	s := everything(f, nil)
	names := s.Tools()
	number := map[string]int{}
	for i, name := range names {
		number[name] = i
	}
	for _, st := range steps(f) {
		f.Add(uint8(number[st.Tool]), []byte(st.Args))
	}
	f.Add(uint8(0), []byte(`{"more":[{}],"content":null}`))
	f.Add(uint8(1), []byte(`{"lease_minutes":1e300}`))
	f.Add(uint8(2), []byte(`[`))
	f.Fuzz(func(t *testing.T, which uint8, args []byte) {
		name := names[int(which)%len(names)]
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		r, err := s.answers[name](ctx,
			&sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{Name: name, Arguments: args}})
		if err != nil {
			t.Fatalf("%s %q: %v", name, args, err)
		}
		if text := textOf(r); strings.Contains(text, failedBadly) || text == "" ||
			!utf8.ValidString(text) {
			t.Errorf("%s %q: %q", name, args, text)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%s %q: %v", name, args, err)
		}
	})
}

// FuzzStdio sends whatever lines. The session survives them, and the server writes
// messages only.
func FuzzStdio(f *testing.F) {
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n"
	f.Add([]byte(hello + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`))
	f.Add([]byte(hello + `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"board://runs"}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	f.Add([]byte("[{}]\n[\n\x00\n"))
	s := everything(f, nil)
	f.Fuzz(func(t *testing.T, in []byte) {
		var out syncBuffer
		s.Serve(t.Context(), transport.NewStdio(strings.NewReader(string(in)+"\n"+`{"jsonrpc":"2.0","id":"the last","method":"ping"}`), &out))
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%q is no message", line)
			}
		}
		if !strings.Contains(out.String(), `"the last"`) {
			t.Errorf("it does not outlive %q", in)
		}
	})
}
