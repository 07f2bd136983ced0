package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/hooks/ops"
)

// What a tool does to the world.
const (
	reads    = op.Reads
	writes   = op.Writes
	destroys = op.Destroys
)

// enums are the lists that the tag enum names, of the operations and of this package's tools.
var enums = sync.OnceValue(func() op.Enums {
	all := maps.Clone(ops.Lists())
	maps.Copy(all, op.Enums{"waits": {waitGate, waitEvent, waitSignal}})
	return all
})

// tool is what is said of a tool, as of an operation.
type tool op.Info

// annotations are what clients decide by: some never run what is destructive, or says nothing.
func (t *tool) annotations() *sdk.ToolAnnotations {
	if t.Kind == reads {
		return &sdk.ToolAnnotations{ReadOnlyHint: true}
	}
	no, destroys := false, t.Kind == destroys
	return &sdk.ToolAnnotations{DestructiveHint: &destroys, OpenWorldHint: &no}
}

type call struct {
	*Server
	ctx    context.Context
	req    *sdk.CallToolRequest
	client string   // what the client calls itself
	place  string   // the project that the call names, where the server knows none
	notes  []string // what is to be said besides, apart from the answer
	room   int      // tokens of the answer
	grows  bool     // max_tokens asks for more
	json   bool     // the answer is data, not a text to read
	// keepSecret: what looks like a secret is written as it is
	keepSecret bool
}

// handler answers a call: with data, and with a text to read that has the whole of it.
type handler[In, Out any] func(c *call, in In) (Out, string, error)

func add[In, Out any](s *Server, t tool, fn handler[In, Out]) {
	s.register(t, reflect.TypeFor[In](), reflect.TypeFor[Out](), func(c *call, in any) (any, string,
		error) {
		return fn(c, *in.(*In))
	})
}

func (s *Server) addOperation(o op.Any) {
	i := o.Tells()
	s.register(tool(*i), o.Takes(), o.Gives(), func(c *call, in any) (any, string, error) {
		a, err := o.Call(c.ctx, c, in)
		if err != nil {
			return nil, "", err
		}
		write := func(k cut) (any, string) {
			page := k.page(s.takes[i.Tool])
			a.Text(page)
			return a.Data, strings.TrimSuffix(page.String(), "\n")
		}
		if c.json { // which is cut as data
			return a.Data, "", nil
		}
		data, text := fitted(c, write)
		return data, text, nil
	})
}

// page is where the text of an answer is written, to what takes such arguments.
func (k cut) page(takes *jsonschema.Schema) *op.Page {
	return &op.Page{Words: k.c.words(takes), Items: k.items, Shorten: func(text, operation,
		id string) string {
		return k.text(text, operations()[operation].tool, id)
	}}
}

func (t *tool) inputOf(takes reflect.Type) (*jsonschema.Schema, error) {
	in, err := op.SchemaOf(takes, true, enums())
	if err != nil {
		return nil, err
	}
	if in.Properties == nil {
		in.Properties = map[string]*jsonschema.Schema{} // some clients insist
	}
	for _, f := range op.Fields(takes) {
		if f.Tag.Get("only") == "cli" {
			delete(in.Properties, f.Name)
			in.PropertyOrder = slices.DeleteFunc(in.PropertyOrder, func(name string) bool {
				return name == f.Name
			})
		}
		if f.Tag.Get("needs") == "mcp" {
			in.Required = append(in.Required, f.Name)
		}
		if f.Name == "limit" && in.Properties[f.Name] != nil &&
			in.Properties[f.Name].Maximum == nil { // of a person it is "all"
			least, most := 1.0, 200.0
			in.Properties[f.Name].Minimum, in.Properties[f.Name].Maximum = &least, &most
		} else if t.Shows != nil && !slices.Contains(t.Shows, f.Name) && in.Properties[f.Name] != nil {
			in.Properties[f.Name].Extra = map[string]any{op.Rare: op.Never}
		}
	}
	if t.Budget > 0 {
		t.takeMaxTokens(in)
	}
	return in, nil
}

// register registers a tool. All can be called; which are listed goes by the profiles.
func (s *Server) register(t tool, takes, gives reflect.Type,
	fn func(c *call, in any) (any, string, error)) {
	in, err := t.inputOf(takes)
	var out *jsonschema.Schema
	if err == nil {
		out, err = op.SchemaOf(gives, false, enums())
	}
	if err != nil {
		// a matter of the types, found by any test
		panic(fmt.Sprintf("the tool %s: %v", t.Tool, err))
	}
	answer := func(ctx context.Context, req *sdk.CallToolRequest) (
		res *sdk.CallToolResult, err error) {
		defer func() {
			if r := recover(); r != nil {
				s.log.Error("a tool panicked", "tool", t.Tool, "panic", r, "stack",
					string(debug.Stack()))
				res, err = s.failed(fmt.Errorf("%s %s", t.Tool, failedBadly), in), nil
			}
		}()
		if err := s.cfg.Grants.need(t.Need, "the tool "+t.Tool); err != nil {
			return s.failed(err, in), nil
		}
		c := &call{Server: s, ctx: ctx, req: req, client: clientName(req)}
		raw, err := c.takeFormat(req.Params.Arguments, in)
		if err == nil {
			raw, err = c.takeWorkspace(raw, in)
		}
		if err != nil {
			return s.failed(err, in), nil
		}
		args := reflect.New(takes)
		raw, c.notes = t.meant(raw, in)
		if err := op.Decode(raw, in, op.Param, args.Interface()); err != nil {
			return s.failed(err, in, c.notes...), nil
		}
		c.ctx, c.room, c.grows = s.stores.Keeping(ctx), t.roomFor(raw), t.Budget > 0
		if k, masks := args.Interface().(interface{ KeepsSecret() bool }); masks {
			c.maskSecrets(k.KeepsSecret())
		}
		data, text, err := fn(c, args.Interface())
		if err != nil {
			if ctx.Err() != nil {
				err = errCancelled
			}
			s.log.Debug("a call failed", "tool", t.Tool, "client", c.client, "error", err)
			return s.failed(err, in, c.notes...), nil
		}
		if !c.json && !s.bothForms {
			return c.result(text, nil), nil
		}
		body, err := marshal(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Tool, err)
		}
		return c.result(text, cleanJSON(body)), nil
	}
	s.answers[t.Tool], s.takes[t.Tool], s.gives[t.Tool] = answer, in, out
	title, _, _ := strings.Cut(strings.ReplaceAll(t.Short, ";", ":"), ": ") // the rest is a command's
	listed := &sdk.Tool{Name: t.Tool, Title: title, Description: t.About,
		Annotations: t.annotations(), InputSchema: op.Listed(in, s.usual)}
	if s.usual { // what a model does not read, and pays for
		listed.Title = ""
	}
	// Two tools answer as another one does, by what they are asked.
	if s.cfg.JSON && t.Tool != "board_show" && t.Tool != "memory_read" {
		listed.OutputSchema = out
	}
	wanted := s.profiles[t.Profile]
	if s.wanted != nil {
		wanted = slices.Contains(s.wanted, t.Tool)
	}
	s.unlisted[t.Tool] = !wanted || !t.granted(s.cfg.Grants)
	s.sdk.AddTool(listed, answer)
}

// result is a call's answer within its budget: one block of text, which all clients show.
// Structured content, which some show instead, only comes if asked for.
func (c *call) result(text string, body []byte) *sdk.CallToolResult {
	notes := linesOf(c.notes)
	res := &sdk.CallToolResult{}
	if c.json {
		body = c.boundedData(body)
		text, notes = string(body), ""
	} else {
		c.room -= tokens(notes)
		text, body = c.bounded(cleanText(text)), c.boundedData(body)
	}
	if body != nil {
		res.StructuredContent = json.RawMessage(body)
	}
	res.Content = []sdk.Content{&sdk.TextContent{Text: text + notes}}
	return res
}

func linesOf(notes []string) (lines string) {
	const most, runes = 4, 300
	for _, n := range notes[:min(len(notes), most)] {
		lines += "\nNote: " + inLine(fault.Clip(n, runes))
	}
	return lines
}

// formatArgument is accepted by every tool, and listed by none: it is for programs.
const formatArgument = "format"

// takeFormat takes the argument out of those of a call.
func (c *call) takeFormat(raw json.RawMessage, takes *jsonschema.Schema) (json.RawMessage, error) {
	c.json = c.cfg.JSON
	value, rest := without(raw, takes, formatArgument)
	if value == nil {
		return raw, nil
	}
	var format string
	if json.Unmarshal(value, &format) != nil || format != "json" && format != "text" {
		return nil, fault.Unknown(formatArgument, string(value), []string{"text", "json"})
	}
	c.json = format == "json"
	return rest, nil
}

// without returns the value of an argument that the tool itself does not take, nil if the call does not give it, and
// the other arguments.
func without(raw json.RawMessage, takes *jsonschema.Schema, name string) (value, rest json.RawMessage) {
	var object map[string]json.RawMessage
	if takes.Properties[name] != nil || !bytes.Contains(raw, []byte(`"`+name+`"`)) ||
		json.Unmarshal(raw, &object) != nil || object[name] == nil {
		return nil, raw
	}
	value = object[name]
	delete(object, name)
	rest, _ = json.Marshal(object) // as it came
	return value, rest
}

// errCancelled answers a call that the client, or the end of the server, has cancelled.
var errCancelled = errors.New("the call was cancelled")

// failedBadly is said of a tool that panicked.
const failedBadly = "panicked; the log of the server has more"

func (s *Server) Tools() []string { return slices.Sorted(maps.Keys(s.answers)) }

// failed is the answer that says what went wrong, the next step, and notes.
func (s *Server) failed(err error, takes *jsonschema.Schema, notes ...string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true,
		Content: []sdk.Content{&sdk.TextContent{Text: s.explained(err, takes) + linesOf(notes)}}}
}

// explained is an error with its next step, for who called what takes such arguments: the
// message, then a line that begins with "try: ".
func (s *Server) explained(err error, takes *jsonschema.Schema) string {
	text := indented(err.Error()) // it may quote what others wrote
	if short := clipTokens(text, errorTokens); len(short) < len(text) {
		text = short + "…"
	}
	if try := fault.Try(err, s.words(takes)); try != "" {
		text += "\ntry: " + try
	}
	return cleanText(text)
}

// guarded calls what serves a request other than a tool's; a panic is the request's error.
func guarded[T any](s *Server, what string, fn func() (T, error)) (v T, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("a request panicked", "what", what, "panic", r, "stack",
				string(debug.Stack()))
			err = fmt.Errorf("%s %s", what, failedBadly)
		}
	}()
	return fn()
}

func badArgument(try, format string, a ...any) error {
	return fault.Usage.New(fmt.Sprintf(format, a...), try)
}

// meant are the arguments of a call as they are meant, with what has to be said of that.
// The original of the context tools says nothing of what it does not know.
func (t *tool) meant(raw json.RawMessage, s *jsonschema.Schema) (json.RawMessage, []string) {
	raw, notes := op.Meant(raw, s)
	if t.Profile == ProfileContext {
		notes = nil
	}
	return raw, notes
}

// clientName is what the client calls itself, as a name of a worker can be.
func clientName(req interface{ ClientInfo() *sdk.Implementation }) string {
	name := ""
	if info := req.ClientInfo(); info != nil {
		visible := strings.Map(func(r rune) rune {
			if unicode.IsGraphic(r) || unicode.IsSpace(r) {
				return r
			}
			return -1 // what no worker's name may have
		}, strings.ToValidUTF8(info.Name, ""))
		name = strings.Join(strings.Fields(visible), "-")
	}
	const most = 60
	if r := []rune(name); len(r) > most {
		name = string(r[:most])
	}
	name = cmp.Or(name, unnamed)
	return name
}

// unnamed is what a client is called that does not say.
const unnamed = "mcp-client"

// progress tells the client how far a call has come, if it wants to know.
func (c *call) progress(what string, done, of int) {
	if token := c.req.Params.GetProgressToken(); token != nil {
		// one that is lost is no matter
		c.req.Session.NotifyProgress(c.ctx, &sdk.ProgressNotificationParams{ProgressToken: token,
			Progress: float64(done), Total: float64(of), Message: what})
	}
}
