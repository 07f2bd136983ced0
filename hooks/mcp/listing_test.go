package mcp

import (
	"slices"
	"strings"
	"testing"

	"blackboard/board/op"
	"blackboard/hooks/mcp/transport"
	"blackboard/testdata/expect"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestListGoesByGrants: a client is told of the tools that it may call, and a call of
// another names the grant that it lacks. A rare tool is not listed, and no error names
// it, but it can be called.
func TestListGoesByGrants(t *testing.T) {
	names := func(profiles, grants []string) (*sdk.ClientSession, []string) {
		t.Helper()
		granted := expect.Value(ParseGrants(grants))(t)
		c := connect(t, everything(t, func(c *Config) {
			c.Profiles, c.Grants = profiles, granted
		}), nil)
		listed := expect.Value(c.ListTools(t.Context(), nil))(t)
		return c, op.Each(listed.Tools, func(tool **sdk.Tool) string { return (*tool).Name })
	}
	for _, test := range []struct {
		grants, has, lacks []string
	}{
		{NetworkGrants, []string{"board_state", "kb_search", "memory_read"},
			[]string{"board_post", "kb_remember", "memory_put", "memory_scrub", "search_context",
				"board_claim"}},
		{[]string{"run:r1"}, []string{"board_post", "board_state"},
			[]string{"kb_search", "memory_read", "memory_named"}},
		{[]string{"run:r1:read"}, []string{"board_state"}, []string{"board_post"}},
		{[]string{AccountRead}, []string{"memory_named", "memory_read"}, []string{"memory_put"}},
		{[]string{"scrub:full", WorkspaceWrite}, []string{"memory_scrub", "memory_put"},
			[]string{"board_state"}},
		{[]string{ContextRead}, []string{"search_context"}, []string{"write_context"}},
	} {
		_, listed := names(Profiles, test.grants)
		for _, name := range test.has {
			if !slices.Contains(listed, name) {
				t.Errorf("%v: %s is not listed", test.grants, name)
			}
		}
		for _, name := range test.lacks {
			if slices.Contains(listed, name) {
				t.Errorf("%v: %s is listed", test.grants, name)
			}
		}
	}
	reader, _ := names(nil, NetworkGrants)
	if res, err := reader.CallTool(t.Context(), &sdk.CallToolParams{Name: "board_post",
		Arguments: map[string]any{"content": "x"}}); err != nil || !res.IsError ||
		!strings.Contains(res.Content[0].(*sdk.TextContent).Text, "run:r1") {
		t.Errorf("%+v, %v", res, err)
	}
	usual, listed := names(nil, []string{"all"})
	if slices.Contains(listed, "board_survival") {
		t.Errorf("a rare tool is listed: %v", listed)
	}
	if _, err := usual.CallTool(t.Context(), &sdk.CallToolParams{Name: "board_post",
		Arguments: map[string]any{"content": "x", "confidence": 0.5}}); err != nil {
		t.Error(err)
	}
	res, err := usual.CallTool(t.Context(), &sdk.CallToolParams{Name: "board_survival",
		Arguments: map[string]any{"text": "x"}})
	if err != nil || res.IsError {
		t.Errorf("a rare tool cannot be called: %+v, %v", res, err)
	}
}

// TestListsDoNotChange: no client waits for news of what stays as it is, and what is its
// own is kept for it alone.
func TestListsDoNotChange(t *testing.T) {
	_, url := network(t, nil)
	for _, era := range eras {
		c := clientOver(t, url, era, nil)
		caps := c.InitializeResult().Capabilities
		if caps.Tools == nil || caps.Tools.ListChanged || caps.Prompts != nil ||
			caps.Resources == nil || caps.Resources.ListChanged ||
			caps.Resources.Subscribe {
			t.Errorf("%s: %+v %+v %+v", era, caps.Tools, caps.Prompts, caps.Resources)
		}
		tools, err := c.ListTools(t.Context(), nil)
		if err != nil || era >= transport.Sessionless && tools.CacheScope != "private" {
			t.Errorf("%s: tools are for %q, %v", era, tools.CacheScope, err)
		}
		if r, err := c.ReadResource(t.Context(),
			&sdk.ReadResourceParams{URI: "board://runs"}); err != nil || era >= transport.Sessionless &&
			r.CacheScope != "private" {
			t.Errorf("%s: a resource is for %q, %v", era, r.CacheScope, err)
		}
	}
}
