package mcp

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/kb/memory"
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

func (s *Server) list(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		res, err := next(ctx, method, req)
		if all, ok := res.(*sdk.ListToolsResult); ok && err == nil {
			all.Tools = slices.DeleteFunc(slices.Clone(all.Tools), func(t *sdk.Tool) bool {
				return s.unlisted[t.Name]
			})
			for i, t := range all.Tools {
				all.Tools[i] = s.usable(t)
			}
			slices.SortStableFunc(all.Tools, func(a, b *sdk.Tool) int {
				return slices.Index(s.wanted, a.Name) - slices.Index(s.wanted, b.Name)
			})
		}
		return res, err
	}
}

// usable leaves out of memory_put's tiers those the client's tools cannot write.
func (s *Server) usable(t *sdk.Tool) *sdk.Tool {
	in, ok := t.InputSchema.(*jsonschema.Schema)
	if !ok || t.Name != "memory_put" || in.Properties["tier"] == nil {
		return t
	}
	tier := *in.Properties["tier"]
	tier.Enum = slices.DeleteFunc(slices.Clone(tier.Enum), func(v any) bool {
		return v == memory.Conversation && !s.offers("conversation") ||
			v == memory.Account && s.cfg.Grants.writeTier(memory.Account) != nil
	})
	schema, tool := *in, *t
	schema.Properties = maps.Clone(in.Properties)
	schema.Properties["tier"], tool.InputSchema = &tier, &schema
	return &tool
}
