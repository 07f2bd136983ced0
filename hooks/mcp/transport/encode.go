package transport

import (
	"bytes"
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// written is a call's result, written in one go: the SDK would encode the text and compact it
// three times, which takes longer than to list a hundred chunks.
type written struct {
	sdk.ResultBase
	Content           []textContent   `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	IsError           bool            `json:"isError,omitempty"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// resultTyped is the first protocol with a type in results, which only the SDK's own can have.
const resultTyped = "2026-07-28"

// Once is the middleware of tools/call: its results are encoded once.
func Once(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		res, err := next(ctx, method, req)
		session, _ := req.GetSession().(*sdk.ServerSession)
		r, ok := res.(*sdk.CallToolResult)
		if !ok || err != nil || session == nil {
			return res, err
		}
		if p := session.InitializeParams(); p == nil || p.ProtocolVersion >= resultTyped {
			return res, nil
		}
		if short := writtenOf(r); short != nil {
			return short, nil
		}
		return res, nil
	}
}

// writtenOf is the result of a call as it is written; nil if only the SDK can write it.
func writtenOf(r *sdk.CallToolResult) *written {
	short := &written{Content: make([]textContent, len(r.Content)), IsError: r.IsError}
	for i, c := range r.Content {
		text, ok := c.(*sdk.TextContent)
		if !ok {
			return nil
		}
		short.Content[i] = textContent{"text", text.Text}
	}
	if r.StructuredContent != nil {
		data, ok := r.StructuredContent.(json.RawMessage)
		if !ok {
			return nil
		}
		short.StructuredContent = data
	}
	return short
}

// Marshal writes data as JSON, with <, > and & as they are.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
