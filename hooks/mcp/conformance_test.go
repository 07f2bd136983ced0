//lint:file-ignore SA1019 the conformance suite asks for logging, sampling and roots, which the protocol means to drop

package mcp

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board"
	"blackboard/testdata/cost"
)

// fixturesPort names the variable that has this test binary serve fixtures instead of
// testing: at http://127.0.0.1:PORT/mcp, which it prints, until its input ends. 0 is any
// port.
const fixturesPort = "MCP_FIXTURES_PORT"

func TestMain(m *testing.M) {
	port, ok := os.LookupEnv(fixturesPort)
	if !ok {
		os.Exit(cost.Main(m))
	}
	if err := serveFixtures(port, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "serve the fixtures:", err)
		os.Exit(1)
	}
}

func serveFixtures(port string, in io.Reader, out io.Writer) error {
	dir, err := os.MkdirTemp("", "fixtures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	f, err := newFixtures(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", f.Handler())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		io.Copy(io.Discard, in)
		server.Close()
	}()
	fmt.Fprintf(out, "http://%s/mcp\n", l.Addr())
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// fixtures is the server with what the scenarios of the conformance suite call, under the
// names that they call it by, beside its own tools: parts of the protocol that none of
// these uses.
type fixtures struct {
	*Server
	key []byte // seals the state that a client keeps between two rounds
}

func newFixtures(home string) (*fixtures, error) {
	b, err := board.OpenOrCreate(context.Background(), filepath.Join(home, "boards"), "r1")
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if _, err := b.Post(context.Background(), "scout",
		board.Post{Content: "The run has begun."}); err != nil {
		return nil, err
	}
	grants, err := ParseGrants([]string{RunRead})
	if err != nil {
		return nil, err
	}
	f := &fixtures{New(Config{Home: home, Version: "test", Grants: grants}), make([]byte, 32)}
	rand.Read(f.key) // never fails
	f.sdk.AddReceivingMiddleware(stand)
	f.addPlainTools()
	f.addContentTools()
	f.addSchemaTools()
	f.addEraTools()
	f.addRounds()
	f.addFixedResources()
	f.addFixedPrompts()
	return f, nil
}

// stand stands in for what the server has no use for: completions and log messages.
func stand(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if p, ok := req.GetParams().(*sdk.CompleteParams); ok {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{p.Argument.Value + "ing"}, Total: 1}}, nil
		}
		res, err := next(ctx, method, req)
		switch r := res.(type) {
		case *sdk.InitializeResult:
			r.Capabilities.Completions, r.Capabilities.Logging = &sdk.CompletionCapabilities{},
				&sdk.LoggingCapabilities{}
		case *sdk.DiscoverResult:
			r.Capabilities.Completions, r.Capabilities.Logging = &sdk.CompletionCapabilities{},
				&sdk.LoggingCapabilities{}
		}
		return res, err
	}
}

type doneOut struct {
	Done bool `json:"done"`
}

// addPlainTools adds tools that go the way of the server's own.
func (f *fixtures) addPlainTools() {
	plain := func(name, about string, fn handler[struct{}, doneOut]) {
		add(f.Server, tool{Tool: name, Short: name, Profile: ProfileRun, Kind: reads,
			About: about}, fn)
	}
	plain("test_simple_text", "Say something.", func(*call, struct{}) (doneOut, string, error) {
		return doneOut{true}, "Something.", nil
	})
	plain("test_error_handling", "Fail.", func(*call, struct{}) (doneOut, string, error) {
		return doneOut{}, "", errors.New("this tool always fails")
	})
	plain("test_tool_with_progress", "Tell how far it is.", func(c *call, _ struct{}) (
		doneOut, string, error) {
		for done := 0; done <= 100; done += 50 {
			c.progress("going on", done, 100)
		}
		return doneOut{true}, "Gone all the way.", nil
	})
}

// raw adds a tool that answers in the protocol's own terms. schema is that of its
// arguments; "": it takes any.
func (f *fixtures) raw(name, about, schema string, fn sdk.ToolHandler) {
	if schema == "" {
		schema = `{"type": "object"}`
	}
	f.sdk.AddTool(&sdk.Tool{Name: name, Description: about, InputSchema: json.RawMessage(schema)},
		fn)
}

func says(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// always answers each call with the same content, in a result of its own: the library
// writes into results.
func always(content ...sdk.Content) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: content}, nil
	}
}

// picture is a PNG of one pixel.
func picture() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err) // into memory
	}
	return b.Bytes()
}

// sound is a WAV of two silent samples: mono, 8 kHz, 16 bits.
func sound() []byte {
	const header, data = 44, 4
	b := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, header-8+data)...)
	b = append(b, "WAVEfmt "...)
	b, _ = binary.Append(b, binary.LittleEndian, struct {
		Size           uint32
		Format, Mono   uint16
		Rate, PerSec   uint32
		PerFrame, Bits uint16
	}{16, 1, 1, 8000, 16_000, 2, 16})
	b = binary.LittleEndian.AppendUint32(append(b, "data"...), data)
	return append(b, make([]byte, data)...)
}

func document(uri string) *sdk.EmbeddedResource {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain",
		Text: "What the document says."}}
}

// contents are what the tools of addContentTools answer, by name.
var contents = map[string][]sdk.Content{
	"test_image_content":     {&sdk.ImageContent{Data: picture(), MIMEType: "image/png"}},
	"test_audio_content":     {&sdk.AudioContent{Data: sound(), MIMEType: "audio/wav"}},
	"test_embedded_resource": {document("test://embedded-resource")},
	"test_multiple_content_types": {&sdk.TextContent{Text: "Three things."},
		&sdk.ImageContent{Data: picture(), MIMEType: "image/png"},
		document("test://mixed-content-resource")},
}

func (f *fixtures) addContentTools() {
	for name, content := range contents {
		f.raw(name, "Answer with more than text.", "", always(content...))
	}
}

// address2020 has the keywords of JSON Schema 2020-12 that must come through a listing as
// they are. The suite looks for the name address and its anchor.
const address2020 = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"$anchor": "home", "type": "object", "properties": {"town": {"type": "string"}}}},
	"properties": {"address": {"$ref": "#/$defs/address"}, "by": {"enum": ["letter", "telegram"]}, "stamp": {"type": "integer"}, "station": {"type": "string"}},
	"allOf": [{"anyOf": [{"required": ["stamp"]}, {"required": ["station"]}]}],
	"if": {"properties": {"by": {"const": "letter"}}, "required": ["by"]},
	"then": {"required": ["stamp"]},
	"else": {"required": ["station"]},
	"additionalProperties": false
}`

// mirrored has a parameter that a client repeats in a header.
const mirrored = `{"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}`

func (f *fixtures) addSchemaTools() {
	f.raw("json_schema_2020_12_tool", "Take what a schema of many keywords describes.",
		address2020, always(&sdk.TextContent{Text: "Taken."}))
	f.raw("test_x_mcp_header", "Take a region, which a header repeats.", mirrored,
		always(&sdk.TextContent{Text: "Taken."}))
}

// addEraTools adds what the two eras of the protocol handle differently: log messages,
// capabilities, and lists that change.
func (f *fixtures) addEraTools() {
	logs := func(messages ...string) sdk.ToolHandler {
		return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			for _, m := range messages {
				if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info",
					Data: m}); err != nil {
					return nil, err
				}
			}
			return says("Logged."), nil
		}
	}
	f.raw("test_tool_with_logging", "Log three messages.", "", logs("begun", "going on", "done"))
	f.raw("test_logging_tool", "Log a message, which only who asked for the level gets.", "",
		logs("done"))
	f.raw("test_streaming_elicitation", "Answer, and ask nothing on the way.", "",
		always(&sdk.TextContent{Text: "Answered."}))
	f.raw("test_missing_capability", "Insist on sampling.", "",
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			if caps := req.ClientCapabilities(); caps != nil && caps.Sampling != nil {
				return says("There it is."), nil
			}
			data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}}})
			if err != nil {
				return nil, err
			}
			return nil, &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities,
				Message: "it takes a client that samples", Data: data}
		})
	f.raw("test_trigger_tool_change", "Change the list of tools.", "",
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			f.raw("test_late_tool", "Came later.", "", always(&sdk.TextContent{Text: "Here."}))
			return says("Changed."), nil
		})
	f.raw("test_trigger_prompt_change", "Change the list of prompts.", "",
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			f.prompt("test_late_prompt", nil, func(*sdk.GetPromptParams) []sdk.Content {
				return says("Here.").Content
			})
			return says("Changed."), nil
		})
}

func form(question, field, kind string) *sdk.ElicitParams {
	schema := fmt.Sprintf(`{"type": "object", "properties": {%q: {"type": %q}}, "required": [%[1]q]}`, field, kind)
	return &sdk.ElicitParams{Mode: "form", Message: question,
		RequestedSchema: json.RawMessage(schema)}
}

func sample(question string) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{MaxTokens: 50,
		Messages: []*sdk.SamplingMessage{{Role: "user",
			Content: &sdk.TextContent{Text: question}}}}
}

// threeNeeds are one of each kind.
var threeNeeds = sdk.InputRequestMap{"user_name": form("Who are you?", "name", "string"),
	"greeting": sample("Greet somebody."), "client_roots": &sdk.ListRootsParams{}}

// askers are tools that need something of the client. A call without it answers what is
// needed, and the next call brings it; between the two the server keeps nothing.
var askers = []struct {
	name   string
	needs  sdk.InputRequestMap
	sealed bool // the client carries a state that must come back as it was
	able   bool // ask only for what the client says it can give
}{
	{name: "test_input_required_result_elicitation",
		needs: sdk.InputRequestMap{"user_name": form("Who are you?", "name", "string")}},
	{name: "test_input_required_result_sampling",
		needs: sdk.InputRequestMap{"capital_question": sample("Which town governs Peru?")}},
	{name: "test_input_required_result_list_roots",
		needs: sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}}},
	{name: "test_input_required_result_request_state",
		needs:  sdk.InputRequestMap{"confirm": form("Shall it be?", "ok", "boolean")},
		sealed: true},
	{name: "test_input_required_result_tampered_state",
		needs:  sdk.InputRequestMap{"confirm": form("Shall it be?", "ok", "boolean")},
		sealed: true},
	{name: "test_input_required_result_multiple_inputs", needs: threeNeeds, sealed: true},
	{name: "test_input_required_result_capabilities", needs: threeNeeds, able: true},
}

func (f *fixtures) addRounds() {
	for _, a := range askers {
		f.raw(a.name, "Ask the client for something first.", "",
			func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				state := ""
				if a.sealed {
					state = f.seal(a.name)
					if given := req.Params.RequestState; given != "" && !hmac.Equal([]byte(given),
						[]byte(state)) {
						return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
							Message: "the state is not what this server gave"}
					}
				}
				needs := maps.Clone(a.needs)
				if a.able {
					maps.DeleteFunc(needs, func(_ string, need sdk.InputRequest) bool {
						return !can(req.ClientCapabilities(), need)
					})
				}
				if answered(needs, req.Params.InputResponses) && req.Params.RequestState == state {
					return says("state-ok: all that was needed came"), nil
				}
				return &sdk.CallToolResult{InputRequests: needs, RequestState: state}, nil
			})
	}
	name, colour := form("Who are you?", "name", "string"), form("Which colour is yours?",
		"colour", "string")
	f.raw("test_input_required_result_multi_round", "Ask the client twice.", "",
		func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			first, second := sdk.InputRequestMap{"step1": name}, sdk.InputRequestMap{"step2": colour}
			switch {
			case req.Params.RequestState == f.seal("second") &&
				answered(second, req.Params.InputResponses):
				return says("Asked twice, answered twice."), nil
			case req.Params.RequestState == f.seal("first") &&
				answered(first, req.Params.InputResponses):
				return &sdk.CallToolResult{InputRequests: second, RequestState: f.seal("second")}, nil
			}
			return &sdk.CallToolResult{InputRequests: first, RequestState: f.seal("first")}, nil
		})
}

// seal is a state that only this server can have made.
func (f *fixtures) seal(state string) string {
	mac := hmac.New(sha256.New, f.key)
	mac.Write([]byte(state))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// answered reports whether each need has an answer of its kind. Answers to what was not
// asked are no matter.
func answered(needs sdk.InputRequestMap, given sdk.InputResponseMap) bool {
	for name, need := range needs {
		ok := false
		switch need.(type) {
		case *sdk.ElicitParams:
			var r *sdk.ElicitResult
			r, ok = given[name].(*sdk.ElicitResult)
			ok = ok && r.Action == "accept" && len(r.Content) > 0
		case *sdk.CreateMessageParams:
			_, ok = given[name].(*sdk.CreateMessageWithToolsResult)
		case *sdk.ListRootsParams:
			_, ok = given[name].(*sdk.ListRootsResult)
		}
		if !ok {
			return false
		}
	}
	return true
}

// can reports whether a client says that it can give what is needed.
func can(caps *sdk.ClientCapabilities, need sdk.InputRequest) bool {
	if caps == nil {
		return false
	}
	switch need.(type) {
	case *sdk.ElicitParams:
		return caps.Elicitation != nil
	case *sdk.CreateMessageParams:
		return caps.Sampling != nil
	}
	return caps.RootsV2 != nil
}

func (f *fixtures) addFixedResources() {
	fixed := func(uri, mime, text string, blob []byte) {
		f.sdk.AddResource(&sdk.Resource{URI: uri, Name: uri, MIMEType: mime},
			func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri,
					MIMEType: mime, Text: text, Blob: blob}}}, nil
			})
	}
	fixed("test://static-text", "text/plain", "A text that stays.", nil)
	fixed("test://static-binary", "image/png", "", picture())
	r := resource{template: "test://template/{id}/data", name: "template",
		read: func(_ *call, a []string) (any, error) { return map[string]string{"id": a[0]}, nil }}
	f.sdk.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: r.template, Name: r.name,
		MIMEType: "application/json"}, f.reader(r))
}

// prompt adds a prompt of one message for each content. Its arguments are all required.
func (f *fixtures) prompt(name string, args []string,
	fn func(*sdk.GetPromptParams) []sdk.Content) {
	p := &sdk.Prompt{Name: name, Description: "A prompt of the suite's."}
	for _, a := range args {
		p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a, Required: true})
	}
	f.sdk.AddPrompt(p, func(_ context.Context, req *sdk.GetPromptRequest) (
		*sdk.GetPromptResult, error) {
		res := &sdk.GetPromptResult{}
		for _, content := range fn(req.Params) {
			res.Messages = append(res.Messages, &sdk.PromptMessage{Role: "user", Content: content})
		}
		return res, nil
	})
}

func (f *fixtures) addFixedPrompts() {
	f.prompt("test_simple_prompt", nil, func(*sdk.GetPromptParams) []sdk.Content {
		return says("Do it.").Content
	})
	f.prompt("test_prompt_with_arguments", []string{"arg1", "arg2"},
		func(p *sdk.GetPromptParams) []sdk.Content {
			return says("Do " + p.Arguments["arg1"] + ", then " + p.Arguments["arg2"] + ".").Content
		})
	f.prompt("test_prompt_with_embedded_resource", []string{"resourceUri"},
		func(p *sdk.GetPromptParams) []sdk.Content {
			return []sdk.Content{document(p.Arguments["resourceUri"]),
				&sdk.TextContent{Text: "Read it."}}
		})
	f.prompt("test_prompt_with_image", nil, func(*sdk.GetPromptParams) []sdk.Content {
		return []sdk.Content{&sdk.ImageContent{Data: picture(), MIMEType: "image/png"},
			&sdk.TextContent{Text: "Look at it."}}
	})
	asking := &sdk.Prompt{Name: "test_input_required_result_prompt",
		Description: "A prompt that asks for something first."}
	f.sdk.AddPrompt(asking, func(_ context.Context,
		req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		needs := sdk.InputRequestMap{"user_context": form("What is it about?", "context",
			"string")}
		if !answered(needs, req.Params.InputResponses) {
			return &sdk.GetPromptResult{InputRequests: needs}, nil
		}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user",
			Content: &sdk.TextContent{Text: "Do it for that."}}}}, nil
	})
}
