package op

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"blackboard/board/fault"
)

// Form is what a screen asks for an operation: some of its arguments, in the words and with
// the bounds of its command and its tool.
type Form struct {
	Fields []Asked // texts of several lines first, choices last
	schema *jsonschema.Schema
}

// Asked is an argument in a form.
type Asked struct {
	Name, Label string
	Help        string
	Value       string   // what it is if nobody says otherwise
	Choices     []string // the values that it takes; "" is none, nil: any
	Long        bool     // a text of several lines
	Required    bool
}

// FormOf returns a form for the named arguments of an operation. Without names it leaves out rare
// and hidden ones, those of tools only, what may be given instead of a text (the tag unless), and
// what the screen knows: run, worker, id and key. It panics if a type has no schema.
func FormOf(o Any, lists Enums, names ...string) (form Form) {
	s, err := SchemaOf(o.Takes(), true, lists)
	if err != nil { // a matter of the types, found by any test
		panic(fmt.Sprintf("the form of %s: %v", o.Tells().Command, err))
	}
	form.schema = &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	fields := Fields(o.Takes())
	known := []string{"run", "worker", "id", "key"}
	for _, f := range fields { // what may stand instead of a text
		known = append(known, f.Tag.Get("unless"))
	}
	for _, f := range fields {
		if len(names) > 0 && !slices.Contains(names, f.Name) || len(names) == 0 && (slices.Contains(known, f.Name) ||
			f.Tag.Get("rare")+f.Tag.Get("hidden") != "" || f.Tag.Get("only") == "mcp") {
			continue
		}
		p := s.Properties[f.Name]
		label := strings.ReplaceAll(f.Name, "_", " ")
		a := Asked{Name: f.Name, Label: strings.ToUpper(label[:1]) + label[1:], Help: cmp.Or(f.Tag.Get("jsonschema"), strings.TrimSpace(f.Tag.Get("cli"))),
			Long: f.Tag.Get("as") == "text", Required: f.Required || f.Tag.Get("unless") != "", Value: f.Tag.Get("default")}
		switch {
		case f.Type.Kind() == reflect.Bool:
			a.Choices = []string{"no", "yes"}
		case len(p.Enum) > 0:
			for _, word := range p.Enum {
				a.Choices = append(a.Choices, fmt.Sprint(word))
			}
			if a.Value == "" && !a.Required {
				a.Choices, p.Enum = slices.Insert(a.Choices, 0, ""), append(p.Enum, "")
			}
		}
		p.Default = nil // the field has it
		form.Fields, form.schema.Properties[f.Name] = append(form.Fields, a), p
		form.schema.PropertyOrder = append(form.schema.PropertyOrder, f.Name)
	}
	slices.SortStableFunc(form.Fields, func(a, b Asked) int { return a.rank() - b.rank() })
	return form
}

func (a *Asked) rank() int {
	switch {
	case a.Long:
		return 0
	case a.Choices == nil:
		return 1
	}
	return 2
}

// Decode reads the values of some fields into an input, or returns fault.Usage. An empty value
// clears a text, a list, a pointer, and a choice that may be none; other values stay as they were in the input.
func (f *Form) Decode(values map[string]string, into any) error {
	given, say := map[string]json.RawMessage{}, map[string]string{}
	for _, a := range f.Fields {
		p := f.schema.Properties[a.Name]
		say[a.Name] = strings.ToLower(a.Label[:1]) + a.Label[1:]
		v, is := values[a.Name]
		if !is {
			continue
		}
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if given[a.Name] = Value(a.Name, text, p); strings.TrimSpace(v) == "" && (p.Type != "string" || p.Enum != nil && !slices.Contains(a.Choices, "")) {
			given[a.Name] = json.RawMessage("null")
		}
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return err
	}
	err = Decode(raw, f.schema, func(name string) string { return "the " + say[name] }, into)
	if err != nil { // the fields are in sight
		return fault.With(err, "")
	}
	return nil
}
