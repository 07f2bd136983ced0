package transport

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// direct answers calls of tools over stdio without the SDK. The SDK needs three
// goroutines and buffers of 64 KB for each call, which takes longer than to read a chunk
// by its id. Only plain calls are answered directly; the SDK gets all other messages.
type direct struct {
	tools   map[string]sdk.ToolHandler
	session *sdk.ServerSession
	life    context.Context // ends with the session, and the calls with it
}

// PlainCall reads the plain call of one of the tools in a session; nil if the request is
// anything else.
func PlainCall(q *jsonrpc.Request, session *sdk.ServerSession,
	tools map[string]sdk.ToolHandler) *sdk.CallToolRequest {
	if q.Method != "tools/call" || !q.IsCall() {
		return nil
	}
	if p := session.InitializeParams(); p == nil || p.ProtocolVersion >= resultTyped {
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(q.Params, &members) != nil {
		return nil
	}
	params := &sdk.CallToolParamsRaw{Arguments: members["arguments"]}
	for name, v := range members {
		var err error
		switch name {
		case "arguments":
		case "name":
			err = json.Unmarshal(v, &params.Name)
		case "_meta":
			err = json.Unmarshal(v, &params.Meta)
		default:
			return nil
		}
		if err != nil {
			return nil
		}
	}
	if tools[params.Name] == nil || params.Meta[sdk.MetaKeyProtocolVersion] != nil {
		return nil
	}
	return &sdk.CallToolRequest{Session: session, Params: params}
}

// answer calls the tool.
func (d *direct) answer(ctx context.Context, q *jsonrpc.Request,
	call *sdk.CallToolRequest) *jsonrpc.Response {
	deepen(0)
	answer := &jsonrpc.Response{ID: q.ID}
	res, err := d.tools[call.Params.Name](ctx, call)
	if err == nil {
		answer.Result, err = Marshal(writtenOf(res))
	}
	answer.Error = err
	return answer
}

// directly returns a function that answers a message without the SDK; nil if the SDK has
// to. That gets all messages while it answers another one: a client that sends the
// handshake and a call at once gets the answers in that order.
func (s *Stdio) directly(m jsonrpc.Message) func() {
	d := s.direct.Load()
	q, ok := m.(*jsonrpc.Request)
	if !ok || d == nil {
		return nil
	}
	call := PlainCall(q, d.session, d.tools)
	if call == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.left > 0 {
		return nil
	}
	for id, cancel := range s.open {
		if cancel == nil && id != q.ID {
			return nil
		}
	}
	ctx, cancel := context.WithCancel(d.life)
	s.open[q.ID] = cancel
	s.calling.Add(1)
	return func() {
		defer s.calling.Done()
		defer cancel()
		if s.Write(context.Background(), d.answer(ctx, q, call)) != nil {
			s.Finish() // nobody can read what is answered
		}
	}
}

// Serve has calls of the tools answered directly until the session ends, and waits for
// those that are under way. The calls end with life too.
func (s *Stdio) Serve(life context.Context, session *sdk.ServerSession,
	tools map[string]sdk.ToolHandler) error {
	d := &direct{tools: tools, session: session}
	var end context.CancelFunc
	d.life, end = context.WithCancel(life)
	s.direct.Store(d)
	err := session.Wait()
	s.Finish()
	end()
	s.calling.Wait()
	return err
}
