package mcp

import (
	"context"
	"maps"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A model pays for each token of tools/list in every turn. So the list leaves out what it
// can do without: tools that the client has no grant for, and on a server that was given
// no profile those that few need. They can be called all the same; without the grant the
// answer says which it is.

// granted reports whether some call of the tool may succeed.
func (t *tool) granted(g Grants) bool {
	switch {
	case t.Need != "":
		return g.has[t.Need]
	case t.Profile == ProfileRun && t.Kind == reads:
		return g.has[RunRead] || len(g.runs) > 0
	case t.Profile == ProfileRun:
		return g.has[RunWrite] || slices.Contains(slices.Collect(maps.Values(g.runs)), true)
	case t.Tool == "memory_scrub":
		return slices.ContainsFunc(g.ofMemory(), func(grant string) bool {
			return strings.HasPrefix(grant, Scrub)
		})
	case t.Kind == reads || t.Tool == "memory_named": // it reads with any tier
		return len(g.tiers()) > 0
	}
	return len(g.writable()) > 0
}

// offers reports whether clients are told of a tool.
func (s *Server) offers(tool string) bool { return s.takes[tool] != nil && !s.unlisted[tool] }

// list is the middleware of tools/list.
func (s *Server) list(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		res, err := next(ctx, method, req)
		if all, ok := res.(*sdk.ListToolsResult); ok && err == nil {
			all.Tools = slices.DeleteFunc(slices.Clone(all.Tools), func(t *sdk.Tool) bool {
				return s.unlisted[t.Name]
			})
		}
		return res, err
	}
}
