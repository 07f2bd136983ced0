package op

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Enums are lists of words by the names that the tag enum gives them.
type Enums map[string][]string

// SchemaOf makes the schema of a Go type. The tag jsonschema is the description; enum names a
// list of enums; min, max and default are numbers, or the default is a word. A slice is
// never null, and a pointer that may be left out never either. Of input, nothing is taken
// that is not named; output may have more.
func SchemaOf(t reflect.Type, input bool, enums Enums) (*jsonschema.Schema, error) {
	if input {
		return enums.input(t)
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{anyValue: anySchema()}})
	if err != nil {
		return nil, err
	}
	return s, enums.refine(s, t)
}

// anySchema lets any JSON value through.
func anySchema() *jsonschema.Schema {
	free := &jsonschema.Schema{Description: "any JSON value"}
	for _, kind := range []string{"string", "number", "boolean", "object", "array", "null"} {
		free.AnyOf = append(free.AnyOf, &jsonschema.Schema{Type: kind})
	}
	return free
}

// input is the schema of an argument, or of all of them. It is made at each start of a
// command, so it goes by the kinds of types alone.
func (e Enums) input(t reflect.Type) (s *jsonschema.Schema, err error) {
	switch kind := t.Kind(); {
	case t == anyValue:
		return anySchema(), nil
	case kind == reflect.Pointer:
		return e.input(t.Elem())
	case kind == reflect.Slice:
		s = &jsonschema.Schema{Type: "array"}
		s.Items, err = e.input(t.Elem())
	case kind == reflect.Map:
		s = &jsonschema.Schema{Type: "object"}
		s.AdditionalProperties, err = e.input(t.Elem())
	case kind == reflect.Struct:
		return e.object(t)
	case kind == reflect.String:
		s = &jsonschema.Schema{Type: "string"}
	case kind == reflect.Bool:
		s = &jsonschema.Schema{Type: "boolean"}
	case kind == reflect.Float64:
		s = &jsonschema.Schema{Type: "number"}
	case kind == reflect.Int || kind == reflect.Int64:
		s = &jsonschema.Schema{Type: "integer"}
	default:
		err = fmt.Errorf("no argument can be a %s", t)
	}
	return s, err
}

// object is the schema of the fields of an input.
func (e Enums) object(t reflect.Type) (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, f := range Fields(t) {
		p, err := e.input(f.Type)
		if err == nil {
			err = e.constrain(p, f.Tag)
		}
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		if said := f.Tag.Get("jsonschema"); said != "" {
			p.Description = said
		}
		rare, instead := f.Tag.Get("rare"), f.Tag.Get("unless")
		if rare != "" {
			p.Extra = map[string]any{Rare: rare}
		} else if instead != "" {
			p.Extra = map[string]any{unless: instead}
		}
		if s.Properties[f.Name] = p; f.Required {
			s.Required = append(s.Required, f.Name)
		}
		s.PropertyOrder = append(s.PropertyOrder, f.Name)
	}
	return s, nil
}

// anyValue is the type of what may be any JSON value.
var anyValue = reflect.TypeFor[json.RawMessage]()

func (e Enums) refine(s *jsonschema.Schema, t reflect.Type) error {
	if t == anyValue {
		return nil
	}
	null := t.Kind() == reflect.Pointer // an answer may have null there: no type
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	kind := s.Type
	if i := slices.IndexFunc(s.Types, func(t string) bool { return t != "null" }); i >= 0 {
		if kind, s.Types = s.Types[i], nil; !null {
			s.Type = kind
		}
	}
	switch {
	case kind == "array" && s.Items != nil:
		return e.refine(s.Items, t.Elem())
	case kind == "object" && t.Kind() == reflect.Struct:
		s.AdditionalProperties = nil
		return e.refineFields(s, t)
	case kind == "object" && t.Kind() == reflect.Map && s.AdditionalProperties != nil:
		return e.refine(s.AdditionalProperties, t.Elem())
	}
	return nil
}

func (e Enums) refineFields(s *jsonschema.Schema, t reflect.Type) error {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.Properties[name]
		if f.Anonymous || p == nil {
			continue
		}
		if t.Field(f.Index[0]).Type.Kind() == reflect.Pointer && len(f.Index) > 1 {
			s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
		}
		if err := e.refine(p, f.Type); err != nil {
			return err
		}
		if err := e.constrain(p, f.Tag); err != nil {
			return fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
	}
	return nil
}

// constrain adds what a field's tags say.
func (e Enums) constrain(p *jsonschema.Schema, tag reflect.StructTag) error {
	if name := tag.Get("enum"); name != "" {
		list := e[name]
		if len(list) == 0 {
			return fmt.Errorf("there is no list %q", name)
		}
		of := p
		if p.Items != nil {
			of = p.Items
		}
		for _, v := range list {
			of.Enum = append(of.Enum, v)
		}
	}
	for _, bound := range []struct {
		tag string
		to  **float64
	}{{"min", &p.Minimum}, {"max", &p.Maximum}} {
		if v := tag.Get(bound.tag); v != "" {
			f, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return err
			}
			*bound.to = &f
		}
	}
	if v := tag.Get("default"); v != "" {
		p.Default = json.RawMessage(v)
		if p.Type == "string" {
			p.Default, _ = json.Marshal(v) // a string
		}
	}
	return nil
}
