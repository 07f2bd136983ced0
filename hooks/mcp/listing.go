package mcp

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A model pays for each token of tools/list in every turn. So the list leaves out what it
// can do without: tools that the client has no grant for, and on a server that was given
// no profile those that few need. They can be called all the same; without the grant the
// answer says which it is.

// granted reports whether some call of the tool may succeed.
func (t *tool) granted(g Grants) bool {
	switch {
	case t.need != "":
		return g.has[t.need]
	case t.profile == ProfileRun && t.kind == reads:
		return g.has[RunRead] || len(g.runs) > 0
	case t.profile == ProfileRun:
		return g.has[RunWrite] || slices.Contains(slices.Collect(maps.Values(g.runs)), true)
	case t.name == "memory_scrub":
		return slices.ContainsFunc(g.ofMemory(), func(grant string) bool {
			return strings.HasPrefix(grant, Scrub)
		})
	case t.kind == reads || t.name == "memory_named": // it reads with any tier
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

// rareArgument marks an argument, by the tag rare, that few agents need: it is listed
// only where the tool's profile is asked for.
const rareArgument = "x-rare"

// listedSchema is the schema of a tool's arguments as it is listed: without the bounds,
// which the answer to a wrong call names, without the members of objects that have the
// tool's own, and for usual servers without rare arguments and defaults.
func listedSchema(s *jsonschema.Schema, usual bool) *jsonschema.Schema {
	return listedWithin(s, s, usual)
}

func listedWithin(tool, s *jsonschema.Schema, usual bool) *jsonschema.Schema {
	listed := *s
	listed.AdditionalProperties, listed.Minimum, listed.Maximum, listed.Extra = nil, nil, nil, nil
	if usual {
		listed.Default = nil
		if rest, ok := strings.CutPrefix(s.Description, "default "); ok {
			_, listed.Description, _ = strings.Cut(rest, "; ")
		}
	}
	other := func(name string) bool { return tool.Properties[name] == nil }
	if s != tool && s.Properties != nil && !slices.ContainsFunc(s.PropertyOrder, other) {
		listed.Properties, listed.PropertyOrder, listed.Required = nil, nil, nil
		return &listed
	}
	if s.Properties != nil {
		listed.Properties, listed.PropertyOrder = map[string]*jsonschema.Schema{}, nil
		for _, name := range s.PropertyOrder {
			if p := s.Properties[name]; !usual || p.Extra[rareArgument] == nil {
				listed.Properties[name] = listedWithin(tool, p, usual)
				listed.PropertyOrder = append(listed.PropertyOrder, name)
			}
		}
	}
	if s.Items != nil {
		listed.Items = listedWithin(tool, s.Items, usual)
	}
	return &listed
}
