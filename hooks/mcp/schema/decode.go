package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"blackboard/board/fault"
	"blackboard/board/lazyregexp"
)

// Defaults returns the arguments of a call that gives none.
func Defaults(check *jsonschema.Resolved) ([]byte, error) {
	object := map[string]any{}
	if err := check.ApplyDefaults(&object); err != nil {
		return nil, err
	}
	return json.Marshal(object)
}

// DecodePlain reads arguments that plainly are what the schema says: a few strings, numbers
// and truth values, within their bounds, as nearly all are. Of others it reports false,
// and Decode reads them, at several times the cost.
func DecodePlain(raw json.RawMessage, s *jsonschema.Schema, defaults []byte, into any) bool {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return false
	}
	for name, v := range object {
		if p := s.Properties[name]; p == nil || p.Enum != nil || !isPlain(name, v, p) {
			return false
		}
	}
	for _, name := range s.Required {
		if object[name] == nil {
			return false
		}
	}
	return (len(defaults) == len(`{}`) || json.Unmarshal(defaults, into) == nil) &&
		json.Unmarshal(raw, into) == nil
}

// isPlain reports whether a value plainly is of a simple type, and within its bounds.
func isPlain(name string, v json.RawMessage, p *jsonschema.Schema) bool {
	switch p.Type {
	case "string":
		return v[0] == '"' && len(v) > len(`""`) && !slices.Contains(references, name)
	case "boolean":
		return v[0] == 't' || v[0] == 'f'
	case "integer", "number":
		n, err := strconv.ParseFloat(string(v), 64)
		return err == nil && (p.Type == "number" || n == math.Trunc(n)) &&
			(p.Minimum == nil || n >= *p.Minimum) && (p.Maximum == nil || n <= *p.Maximum)
	}
	return false
}

// Decode reads the arguments of a call, which must be what the schema says; check is the
// same schema, resolved.
func Decode(raw json.RawMessage, s *jsonschema.Schema, check *jsonschema.Resolved,
	into any) error {
	object := map[string]any{}
	if len(raw) > 0 && string(raw) != "null" {
		if err := json.Unmarshal(raw, &object); err != nil {
			return fault.Usage.New(fmt.Sprintf("the arguments cannot be read: %v", err),
				"they are one JSON object")
		}
	}
	dropNulls(object, s)
	err := check.ApplyDefaults(&object)
	if err == nil {
		err = check.Validate(object)
	}
	var defaulted []byte
	if err == nil {
		defaulted, err = json.Marshal(object)
	}
	if err == nil {
		err = json.Unmarshal(defaulted, into)
	}
	if err == nil && len(raw) > 0 {
		// once more, as they came: a value's numbers keep all their digits
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return fault.Usage.New(fmt.Sprintf("the arguments do not fit: %s", plain(err)), takes(s))
	}
	return nil
}

// plain is an error of the validation without the names of its steps.
func plain(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	for _, step := range []string{"validating root: ", "validating /properties/"} {
		text = strings.ReplaceAll(text, step, "")
	}
	return roughNumber.ReplaceAllString(text, "$1$2")
}

// roughNumber is a number as the validation writes it: 2/1, 1.000000.
var roughNumber = lazyregexp.New(`\b(?:(\d+)/1|(\d+)\.0{6})\b`)

// takes lists what a tool takes.
func takes(s *jsonschema.Schema) string {
	var names []string
	for _, name := range s.PropertyOrder {
		for _, r := range s.Required {
			if r == name {
				name += " (required)"
			}
		}
		names = append(names, name)
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
