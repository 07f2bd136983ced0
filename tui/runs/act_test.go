package runs

import (
	"reflect"
	"testing"

	"blackboard/board"
	"blackboard/hooks/ops"
	"blackboard/tui/page"
)

// TestFindingsTakeAllFields: what is typed into any field of a finding becomes part of it.
func TestFindingsTakeAllFields(t *testing.T) {
	for _, command := range []string{"post", "answer", "correct"} {
		form := ops.Form(command)
		if len(form.Fields) < 7 {
			t.Errorf("%s asks for %d things", command, len(form.Fields))
		}
		for _, asked := range form.Fields {
			value := "0.5"
			if n := len(asked.Choices); n > 0 {
				value = asked.Choices[n-1]
			}
			got, err := findingOf(form, page.Values{asked.Name: value}, board.Post{})
			if err != nil || reflect.DeepEqual(got, board.Post{}) {
				t.Errorf("%s: nothing comes of %s: %v", command, asked.Name, err)
			}
			if got, err = findingOf(form, page.Values{asked.Name: ""}, got); err == nil && len(asked.Choices) == 0 &&
				got.Content+got.SourceDoc+got.Evidence != "" || got.Confidence != nil || len(got.Tags) > 0 {
				t.Errorf("%s: %s stays what it was: %+v, %v", command, asked.Name, got, err)
			}
		}
	}
}
