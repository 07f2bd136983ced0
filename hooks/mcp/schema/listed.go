package schema

import (
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// rareArgument marks an argument, by the tag rare, that few agents need.
const rareArgument = "x-rare"

// Listed returns the schema of a tool's arguments as clients are told it: without the
// bounds, which the answer to a wrong call names, and without the members of objects that
// have the tool's own. For usual servers it also lacks rare arguments and defaults.
func Listed(s *jsonschema.Schema, usual bool) *jsonschema.Schema {
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
