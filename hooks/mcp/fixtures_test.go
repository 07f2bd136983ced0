//lint:file-ignore SA1019 sampling and roots are asked for as long as the protocol has them

package mcp

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/testdata/expect"
)

// overHTTP is a client of the fixtures over HTTP, in an era of the protocol.
func overHTTP(t *testing.T, url, era string, opt *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "scout", Version: "1"}, opt)
	client.AddRoots(&sdk.Root{URI: "file:///srv", Name: "srv"})
	c := expect.Value(client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url,
		DisableStandaloneSSE: true}, &sdk.ClientSessionOptions{ProtocolVersion: era}))(t)
	t.Cleanup(func() { c.Close() })
	return c
}

// fixturesProcess is the address of the fixtures, served by this test binary as a process
// of its own, which must end with its input.
func fixturesProcess(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fixturesPort+"=0")
	cmd.Stderr = os.Stderr
	in := expect.Value(cmd.StdinPipe())(t)
	out := expect.Value(cmd.StdoutPipe())(t)
	expect.OK(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	url := expect.Value(bufio.NewReader(out).ReadString('\n'))(t)
	return strings.TrimSpace(url)
}

// The parts of the protocol that none of the server's tools uses come through its
// transport in both eras.
func TestFixturesOverHTTP(t *testing.T) {
	url := fixturesProcess(t)
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(era, func(t *testing.T) {
			told := make(chan float64, 3)
			c := overHTTP(t, url, era,
				&sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context,
					r *sdk.ProgressNotificationClientRequest) {
					told <- r.Params.Progress
				}})
			ctx := t.Context()
			for name, want := range contents {
				r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: name})
				if err != nil || !reflect.DeepEqual(r.Content, want) {
					t.Errorf("%s: %v, %v, want %v", name, r, err, want)
				}
			}
			if r, err := c.CallTool(ctx,
				&sdk.CallToolParams{Name: "test_error_handling"}); err != nil || !r.IsError {
				t.Errorf("a tool that fails: %+v, %v", r, err)
			}
			call := &sdk.CallToolParams{Name: "test_tool_with_progress"}
			call.SetProgressToken("p")
			expect.Value(c.CallTool(ctx, call))(t)
			if got := []float64{<-told, <-told, <-told}; !slices.Equal(got,
				[]float64{0, 50, 100}) {
				t.Errorf("progress %v", got)
			}
			if r, err := c.ReadResource(ctx,
				&sdk.ReadResourceParams{URI: "test://template/123/data"}); err != nil ||
				!strings.Contains(r.Contents[0].Text, "123") {
				t.Errorf("a resource of a template: %+v, %v", r, err)
			}
		})
	}
}

// What a tool needs of the client is asked for and brought within calls; a state that was
// changed on the way is refused.
func TestFixturesAsk(t *testing.T) {
	url := fixturesProcess(t)
	c := overHTTP(t, url, "2026-07-28", &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (
			*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada",
				"ok": true, "colour": "blue"}}, nil
		},
		CreateMessageHandler: func(context.Context,
			*sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			return &sdk.CreateMessageResult{Role: "assistant", Model: "none",
				Content: &sdk.TextContent{Text: "Lima."}}, nil
		},
	})
	names := []string{"test_input_required_result_multi_round"}
	for _, a := range askers {
		names = append(names, a.name)
	}
	for _, name := range names {
		if r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name}); err != nil ||
			r.NeedsInput() || len(r.Content) == 0 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	const sealed = "test_input_required_result_tampered_state"
	_, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: sealed,
		RequestState: "of somebody else"})
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) || refused.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("a state that was changed: %v", err)
	}
}

// What is refused outside of tools is refused with the code that says whose fault it is.
func TestRefusalsHaveCodes(t *testing.T) {
	c := overHTTP(t, fixturesProcess(t), "2025-11-25", nil)
	_, tool := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "board_pots"})
	_, address := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "board://run/\u202e/state"})
	for _, refused := range []struct {
		what, say string
		err       error
	}{
		{"a tool that there is not", "unknown tool", tool},
		{"an address that cannot be printed", "cannot be printed", address},
	} {
		var e *jsonrpc.Error
		if !errors.As(refused.err, &e) || e.Code != jsonrpc.CodeInvalidParams ||
			!strings.Contains(e.Message, refused.say) {
			t.Errorf("%s: %#v, want %q", refused.what, refused.err, refused.say)
		}
	}
}
