package store

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"blackboard/embed"
	"blackboard/testdata/expect"
)

// TestParts: what a model does not read of a long text is cut after sentences into parts of
// about the same length, with nothing lost, each below the title.
func TestParts(t *testing.T) {
	sentence := "The ferry to the island leaves at noon, whatever the wind says. "
	for name, text := range map[string]string{
		"sentences":    "Timetable\n" + strings.Repeat(sentence, 40),
		"lines":        "Timetable\n" + strings.Repeat(strings.TrimSpace(sentence)+"\n", 17),
		"no spaces":    "Fahrplan\n" + strings.Repeat("ähre", 700),
		"a long title": strings.Repeat(sentence, 30) + "\nand a line",
		"a byte more":  strings.Repeat("x", partBytes+1),
	} {
		all := parts(text)
		title, _, _ := strings.Cut(text, "\n")
		if len(title) > longTitle {
			title = ""
		}
		if len(all) < 2 || all[0] != text {
			t.Fatalf("%s: %d parts", name, len(all))
		}
		from := partBytes
		for i, p := range all[1:] {
			said := strings.TrimSpace(strings.TrimPrefix(p, title))
			at := strings.LastIndex(text[:min(len(text), from+len(said)+1)], said)
			if !strings.HasPrefix(p, title) || !utf8.ValidString(p) || at < 0 || at > from+1 ||
				len(said) > partBytes || len(said) < partBytes/4 {
				t.Errorf("%s: part %d at %d after %d: %q", name, i+1, at, from, p)
			}
			from = at + len(said)
		}
		if from < len(strings.TrimSpace(text)) {
			t.Errorf("%s: the parts end at %d of %d", name, from, len(text))
		}
	}
	short := strings.Repeat("x", partBytes)
	if got := parts(short); !slices.Equal(got, []string{short}) {
		t.Errorf("a short text: %q", got)
	}
	if n := len(parts(strings.Repeat(sentence, 1000))); n != maxParts {
		t.Errorf("%d parts of a very long text", n)
	}
}

// TestVectorsOfParts: each text gets the vectors of its own parts.
func TestVectorsOfParts(t *testing.T) {
	long := strings.Repeat("a", partBytes) + strings.Repeat("b", partBytes)
	vs := expect.Value(Vectors(t.Context(), letters{}, []string{"a", long, "b"}))(t)
	if !slices.Equal(vs[0], embed.Vector{1, 0}) || !slices.Equal(vs[2], embed.Vector{0, 1}) ||
		!slices.Equal(vs[1], embed.Vector{1, 0, 0, 1}) {
		t.Errorf("the vectors: %v", vs)
	}
}

// letters embeds texts by their first letter.
type letters struct{}

func (letters) Model() embed.Model { return embed.Model{Name: "letters", Dim: 2} }

func (letters) Embed(_ context.Context, texts []string) ([]embed.Vector, error) {
	vs := make([]embed.Vector, len(texts))
	for i, t := range texts {
		if vs[i] = (embed.Vector{0, 1}); t[0] == 'a' {
			vs[i] = embed.Vector{1, 0}
		}
	}
	return vs, nil
}
