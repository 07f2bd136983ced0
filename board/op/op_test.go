package op

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

type greeting struct {
	Name  string   `json:"name" arg:"NAME" jsonschema:"whom"`
	Loud  bool     `json:"loud,omitempty" flag:"loud,l"`
	Times *int     `json:"times,omitempty" min:"1" max:"3"`
	Tone  string   `json:"tone,omitempty" enum:"tones" cli:"how"`
	Tags  []string `json:"tags,omitempty" flag:"tag,tags"`
	Given
}

type greeted struct {
	*said
	Names []string `json:"names,omitempty"`
}

type said struct {
	Text string  `json:"text"`
	Why  *string `json:"why"`
}

var greet = Op[string, greeting, greeted]{
	Info: Info{Command: "greet"},
	Do: func(_ context.Context, host string, in greeting) (greeted, error) {
		if in.Name == "nobody" {
			return greeted{}, fault.NotFound.New("nobody is there", "")
		}
		return greeted{said: &said{Text: host + " " + in.Name}}, nil
	},
	Text: func(p *Page, o greeted) { p.Printf("%s\n", p.Line(o.Text, 20)) },
}

// TestCall: an operation gets its input and its host, and its answer is data and a text.
func TestCall(t *testing.T) {
	var o Any = &greet
	in := reflect.New(o.Takes())
	expect.OK(t, json.Unmarshal([]byte(`{"name":"ann\nto the  end of a long name"}`), in.Interface()))
	a := expect.Value(o.Call(t.Context(), "hello", in.Interface()))(t)
	var page Page
	if a.Text(&page); page.String() != "hello ann to the en…\n" {
		t.Errorf("%q", page.String())
	}
	in.Interface().(*greeting).Name = "nobody"
	if _, err := o.Call(t.Context(), "hello", in.Interface()); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

// TestFields: what is an argument, what a flag, and what is said of it.
func TestFields(t *testing.T) {
	lists := Enums{"tones": {"kind", "rude"}}
	got := []string{}
	for _, f := range Fields(reflect.TypeFor[greeting]()) {
		got = append(got, f.Name+":"+strings.Join(f.Flags(), ",")+":"+f.Usage(lists))
	}
	want := []string{"name::whom", "loud:loud,l:", "times:times:", "tone:tone:how: kind, rude", "tags:tag,tags:"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestMisfits: what is wrong with an argument is said by the name that the caller gave it,
// with what it should be.
func TestMisfits(t *testing.T) {
	s := expect.Value(SchemaOf(reflect.TypeFor[greeting](), true, Enums{"tones": {"kind", "rude"}}))(t)
	dashed := func(name string) string { return "--" + name }
	for args, want := range map[string]string{
		`{}`:                         "--name is missing",
		`{"name":5}`:                 `--name must be a text, not 5`,
		`{"name":"x","times":4}`:     `--times must be a whole number between 1 and 3, not 4`,
		`{"name":"x","times":1.5}`:   `--times must be a whole number between 1 and 3, not 1.5`,
		`{"name":"x","loud":"very"}`: `--loud must be true or false, not "very"`,
		`{"name":"x","tone":"cold"}`: `--tone must be one of kind, rude, not "cold"`,
		`{"name":"x","tags":[1]}`:    `--tags must be a text, not 1`,
		`{"name":"x","tags":{}}`:     `--tags must be a list, not {}`,
		`{"name":"x","other":1}`:     `there is no argument "other"`,
		`[`:                          `the arguments cannot be read`,
	} {
		err := Decode(json.RawMessage(args), s, dashed, new(greeting))
		if err == nil || !strings.HasPrefix(err.Error(), want) || !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", args, err)
		}
	}
	var in greeting
	raw, _ := Meant(json.RawMessage(`{"name":"x","times":" 2.0","tone":"RUDE","tag":"a, b"}`), s)
	if err := Decode(raw, s, Param, &in); err != nil || *in.Times != 2 || in.Tone != "rude" || len(in.Tags) != 2 {
		t.Errorf("%s: %+v, %v", raw, in, err)
	}
	if !in.Has("tags") || in.Has("loud") {
		t.Error("given is not what was given")
	}
}

// TestOutput: the schema of an answer asks for nothing that may be absent, and lets null
// be where a pointer is.
func TestOutput(t *testing.T) {
	s, err := SchemaOf(reflect.TypeFor[greeted](), false, nil)
	if err != nil || len(s.Required) > 0 {
		t.Fatalf("%+v, %v", s, err)
	}
	check := expect.Value(s.Resolve(nil))(t)
	for _, data := range []any{map[string]any{"names": []any{}}, map[string]any{"text": "x", "why": nil}} {
		if err := check.Validate(data); err != nil {
			t.Error(err)
		}
	}
}
