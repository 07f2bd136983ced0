package schema

import "github.com/google/jsonschema-go/jsonschema"

// Rare marks an argument, by the tag rare, that few agents need.
const Rare = "x-rare"

// Listed returns the schema of a tool's arguments as clients are told it: without unions,
// without the bounds, which the answer to a wrong call names, and without defaults, which
// descriptions name. For usual servers it also lacks rare arguments.
func Listed(s *jsonschema.Schema, usual bool) *jsonschema.Schema {
	listed := *s
	if s.AnyOf != nil { // any value: some clients refuse a list of tools with a union in it
		return &jsonschema.Schema{Type: "string", Description: "JSON or text"}
	}
	listed.AdditionalProperties, listed.Minimum, listed.Maximum = nil, nil, nil
	listed.Default, listed.Extra = nil, nil
	if s.Properties != nil {
		listed.Properties, listed.PropertyOrder = map[string]*jsonschema.Schema{}, nil
		for _, name := range s.PropertyOrder {
			if p := s.Properties[name]; !usual || p.Extra[Rare] == nil {
				listed.Properties[name] = Listed(p, usual)
				listed.PropertyOrder = append(listed.PropertyOrder, name)
			}
		}
	}
	if s.Items != nil {
		listed.Items = Listed(s.Items, usual)
	}
	return &listed
}
