package op

import (
	"fmt"
	"slices"
	"testing"

	"blackboard/testdata/expect"
)

type telling struct {
	ID    string   `json:"id" arg:"ID" jsonschema:"of whom"`
	Tone  string   `json:"tone,omitempty" enum:"tones" jsonschema:"how"`
	Loud  bool     `json:"loud,omitempty" cli:"so that all hear it"`
	Order string   `json:"order,omitempty" enum:"tones" default:"rude"`
	Other string   `json:"other,omitempty" jsonschema:"or what was told"`
	Text  string   `json:"text,omitempty" as:"text" unless:"other" jsonschema:"what to tell"`
	Far   *int     `json:"how_far,omitempty" min:"1" max:"3" jsonschema:"in steps"`
	Names []string `json:"names,omitempty"`
	Key   string   `json:"key,omitempty"`
	Mode  string   `json:"mode,omitempty" rare:"true"`
	Model string   `json:"model,omitempty" only:"mcp"`
}

var tell = Op[string, telling, greeted]{Info: Info{Command: "tell"}}

// TestForm: the fields of a form are what the declaration says, and nothing else.
func TestForm(t *testing.T) {
	lists := Enums{"tones": {"kind", "rude"}}
	form := FormOf(&tell, lists)
	want := []Asked{
		{Name: "text", Label: "Text", Help: "what to tell", Long: true, Required: true},
		{Name: "how_far", Label: "How far", Help: "in steps"},
		{Name: "names", Label: "Names"},
		{Name: "tone", Label: "Tone", Help: "how", Choices: []string{"", "kind", "rude"}},
		{Name: "loud", Label: "Loud", Help: "so that all hear it", Choices: []string{"no", "yes"}},
		{Name: "order", Label: "Order", Value: "rude", Choices: []string{"kind", "rude"}},
	}
	if fmt.Sprintf("%+v", form.Fields) != fmt.Sprintf("%+v", want) {
		t.Errorf("%+v", form.Fields)
	}
	named := FormOf(&tell, lists, "mode", "other")
	if len(named.Fields) != 2 || named.Fields[0].Name != "other" {
		t.Errorf("%+v", named.Fields)
	}
	three := 3
	got := telling{Far: &three, Names: []string{"ann"}, Text: "as it was", Tone: "kind"}
	expect.OK(t, form.Decode(map[string]string{"how_far": "", "names": " ", "tone": "", "loud": "yes"}, &got))
	if got.Far != nil || got.Names != nil || got.Text != "as it was" || got.Tone != "" || !got.Loud || got.Order != "" {
		t.Errorf("%+v", got)
	}
	if err := form.Decode(map[string]string{"how_far": "2", "names": "ann, bob", "text": "", "tone": "rude"}, &got); err != nil || *got.Far != 2 ||
		!slices.Equal(got.Names, []string{"ann", "bob"}) || got.Text != "" || got.Tone != "rude" {
		t.Errorf("%+v, %v", got, err)
	}
	got.Order = "kind"
	if err := form.Decode(map[string]string{"order": "", "loud": ""}, &got); err != nil || got.Order != "kind" || !got.Loud {
		t.Errorf("what has no empty choice is %+v, %v", got, err)
	}
	for value, wrong := range map[string]string{"4": "4", "far": `"far"`} {
		err := form.Decode(map[string]string{"how_far": value}, &got)
		if err == nil || err.Error() != "the how far must be a whole number between 1 and 3, not "+wrong {
			t.Errorf("%s: %v", value, err)
		}
	}
}
