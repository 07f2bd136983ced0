package op

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"blackboard/board/fault"
)

// Names returns what a caller calls an argument: its flag, say.
type Names func(name string) string

// Param is the Names of models and of JSON: the name itself.
func Param(name string) string { return name }

// Defaults returns the default values of arguments, as a JSON object.
func Defaults(s *jsonschema.Schema) []byte {
	object := map[string]json.RawMessage{}
	for name, p := range s.Properties {
		if p.Default != nil {
			object[name] = p.Default
		}
	}
	data, _ := json.Marshal(object) // JSON all of it
	return data
}

// tellGiven tells an input which arguments were given, if it embeds Given.
func tellGiven[V any](into any, object map[string]V) {
	if g, ok := into.(interface{ take([]string) }); ok {
		g.take(slices.Collect(maps.Keys(object)))
	}
}

// Decode reads the arguments of a call into an input; those that are not given get their defaults.
// If they are not what the schema says, the error is fault.Usage and calls them as say does.
func Decode(raw json.RawMessage, s *jsonschema.Schema, say Names, into any) error {
	object := map[string]any{}
	if len(raw) > 0 && string(raw) != "null" {
		if err := json.Unmarshal(raw, &object); err != nil {
			return fault.Usage.New(fmt.Sprintf("the arguments cannot be read: %v", err),
				"they are one JSON object")
		}
	}
	dropNulls(object, s)
	if wrong := misfit(object, s, say); wrong != "" {
		return fault.Usage.New(wrong, takes(s, say))
	}
	err := json.Unmarshal(Defaults(s), into)
	if err == nil && len(raw) > 0 {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return fault.Usage.New(fmt.Sprintf("the arguments do not fit: %v", err), takes(s, say))
	}
	tellGiven(into, object)
	return nil
}

// misfit says which member of an object first breaks the schema, and how; "": none.
func misfit(object map[string]any, s *jsonschema.Schema, say Names) string {
	for _, name := range s.Required {
		instead, _ := s.Properties[name].Extra[unless].(string)
		if object[name] == nil && object[instead] == nil {
			return say(name) + " is missing"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		p := s.Properties[name]
		if p == nil {
			return fmt.Sprintf("there is no argument %q", fault.Clip(name, 60))
		}
		if wrong := misfitValue(say(name), object[name], p); wrong != "" {
			return wrong
		}
	}
	return ""
}

// misfitValue is misfit for one value, which the caller calls by a name.
func misfitValue(name string, v any, p *jsonschema.Schema) string {
	want := ""
	switch p.Type {
	case "string":
		if _, is := v.(string); !is {
			want = "a text"
		} else if len(p.Enum) > 0 && !slices.Contains(p.Enum, v) {
			want = "one of " + strings.Trim(strings.ReplaceAll(fmt.Sprint(p.Enum), " ", ", "), "[]")
		}
	case "boolean":
		if _, is := v.(bool); !is {
			want = "true or false"
		}
	case "integer", "number":
		if n, is := v.(float64); !is || p.Type == "integer" && n != math.Trunc(n) ||
			p.Minimum != nil && n < *p.Minimum || p.Maximum != nil && n > *p.Maximum {
			want = numberWanted(p)
		}
	case "array":
		list, is := v.([]any)
		if !is {
			want = "a list"
		}
		for _, item := range list {
			if wrong := misfitValue(name, item, p.Items); wrong != "" {
				return wrong
			}
		}
	case "object":
		object, is := v.(map[string]any)
		if is && p.Properties != nil {
			return misfit(object, p, Param)
		} else if !is {
			want = "an object"
		}
	}
	if want == "" {
		return ""
	}
	got, _ := json.Marshal(v)
	return fmt.Sprintf("%s must be %s, not %s", name, want, fault.Clip(string(got), 60))
}

// numberWanted says which numbers a schema takes.
func numberWanted(p *jsonschema.Schema) string {
	want := "a number"
	if p.Type == "integer" {
		want = "a whole number"
	}
	switch {
	case p.Minimum != nil && p.Maximum != nil:
		want += fmt.Sprintf(" between %g and %g", *p.Minimum, *p.Maximum)
	case p.Minimum != nil:
		want += fmt.Sprintf(" of at least %g", *p.Minimum)
	case p.Maximum != nil:
		want += fmt.Sprintf(" of at most %g", *p.Maximum)
	}
	return want
}

// takes lists what an operation takes.
func takes(s *jsonschema.Schema, say Names) string {
	var names []string
	for _, name := range s.PropertyOrder {
		said := say(name)
		if slices.Contains(s.Required, name) {
			said += " (required)"
		}
		names = append(names, said)
	}
	if len(names) == 0 {
		return "it takes none"
	}
	return "it takes " + strings.Join(names, ", ")
}

// dropNulls takes members that are null out of an object: a client that has nothing to
// say to a field says null as often as nothing. Where any value will do, null is one.
func dropNulls(v any, s *jsonschema.Schema) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			p := s.Properties[name]
			if p == nil {
				continue
			}
			if member == nil && p.AnyOf == nil {
				delete(v, name)
				continue
			}
			dropNulls(member, p)
		}
	case []any:
		for _, member := range v {
			if s.Items != nil {
				dropNulls(member, s.Items)
			}
		}
	}
}
