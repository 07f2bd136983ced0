package op

import "github.com/google/jsonschema-go/jsonschema"

// Rare marks an argument, by the tag rare, that few agents need: "true" for those that only
// servers with profiles list, Never for those that none lists.
const (
	Rare  = "x-rare"
	Never = "never"
)

// unless marks a required argument, by the tag unless: it may be missing beside the one that the mark names.
const unless = "x-unless"

// Listed returns the schema of a tool's arguments as clients are told it: without unions,
// and without the bounds, which the answer to a wrong call names. For usual servers it
// also lacks rare arguments and defaults.
func Listed(s *jsonschema.Schema, usual bool) *jsonschema.Schema {
	listed := *s
	if s.AnyOf != nil { // any value: some clients refuse a list of tools with a union in it
		return &jsonschema.Schema{Type: "string", Description: "JSON or text"}
	}
	listed.AdditionalProperties, listed.Minimum, listed.Maximum, listed.Extra = nil, nil, nil, nil
	if usual { // descriptions name it
		listed.Default = nil
	}
	if s.Properties != nil {
		listed.Properties, listed.PropertyOrder = map[string]*jsonschema.Schema{}, nil
		for _, name := range s.PropertyOrder {
			if p := s.Properties[name]; p.Extra[Rare] == nil || !usual && p.Extra[Rare] != Never {
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
