package op

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

type arguments struct {
	Text  string   `json:"text" jsonschema:"what to say"`
	Order string   `json:"order,omitempty" enum:"orders" default:"newest"`
	Limit int      `json:"limit,omitempty" min:"1" max:"10" rare:"true"`
	Tags  []string `json:"tags,omitempty"`
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s := expect.Value(SchemaOf(reflect.TypeFor[arguments](), true, Enums{"orders": {"newest", "oldest"}}))(t)
	return s
}

// TestDecode: arguments get their defaults, null is nothing, and what does not fit is
// named with what the tool takes.
func TestDecode(t *testing.T) {
	s := schema(t)
	var got arguments
	if err := Decode(json.RawMessage(`{"text": "x", "tags": null, "limit": 3}`), s, Param,
		&got); err != nil || !reflect.DeepEqual(got, arguments{Text: "x", Order: "newest", Limit: 3}) {
		t.Errorf("%v: %+v", err, got)
	}
	for _, in := range []string{`[]`, `{}`, `{"text": "x", "limit": 11}`, `{"text": 5}`,
		`{"text": "x", "order": "best"}`, `{"text": "x", "other": 1}`} {
		if err := Decode(json.RawMessage(in), s, Param, new(arguments)); !errors.Is(err,
			fault.Usage) {
			t.Errorf("%s: %v", in, err)
		}
	}
	err := Decode(json.RawMessage(`{}`), s, Param, new(arguments))
	if try := fault.Try(err, nil); !strings.Contains(try, "text (required), order, limit, tags") {
		t.Error(try)
	}
	if _, err := SchemaOf(reflect.TypeFor[arguments](), true, nil); err == nil {
		t.Error("an enum without its list")
	}
}

// TestListed: usual servers leave out rare arguments and defaults, and all the bounds.
func TestListed(t *testing.T) {
	s := schema(t)
	if usual := Listed(s, true); usual.Properties["limit"] != nil ||
		usual.Properties["order"].Default != nil {
		t.Errorf("%+v", usual)
	}
	if all := Listed(s, false); all.Properties["limit"] == nil ||
		all.Properties["limit"].Maximum != nil || all.Properties["order"].Default == nil {
		t.Errorf("%+v", all)
	}
}
