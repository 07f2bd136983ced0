package op

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"blackboard/board/fault"
)

// synonyms are groups of names for one thing. A name that a tool does not have means the first of
// its group that the tool has and the call does not give.
var synonyms = [][]string{
	{"content", "text", "finding", "question", "body", "title"},
	{"reason", "why", "note"},
	{"id", "entry", "signal", "ref"},
	{"only", "step"},
	{"seconds", "timeout_seconds", "timeout"},
	{"query", "match", "search", "q"},
	{"must_surface", "must"},
	{"worker", "agent"},
	{"importance", "level"},
}

// Meant returns the arguments of a call as they are plainly meant: numbers and truth
// values in strings, one string for a list, words and ids in other letters, other names of
// an argument, what is empty for what is not given. What is no argument by any of these
// is left out; notes say so, and name the nearest one. What cannot be read as an object,
// or is no clear value, is returned as it came: [Decode] says what is wrong with it.
func Meant(raw json.RawMessage, s *jsonschema.Schema) (meant json.RawMessage, notes []string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return raw, nil
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value := object[name]
		if s.Properties[name] == nil {
			delete(object, name)
			to, note := argument(name, value, s, object)
			if note != "" {
				notes = append(notes, note)
			}
			if name = to; name == "" {
				continue
			}
		}
		p := s.Properties[name]
		value, more := valueOf(name, value, p)
		notes = append(notes, more...)
		if object[name] = value; isNothing(value, p) && (!slices.Contains(s.Required, name) ||
			p.Type != "string") {
			delete(object, name)
		}
	}
	if meant, err := json.Marshal(object); err == nil {
		return meant, notes
	}
	return raw, notes
}

// argument returns the argument that an unknown name means, "" if it means none or one that is
// given. The note is for a name that was guessed or left out.
func argument(name string, value json.RawMessage, s *jsonschema.Schema,
	given map[string]json.RawMessage) (to, note string) {
	var free []string
	for _, p := range s.PropertyOrder {
		if _, has := given[p]; !has {
			free = append(free, p)
		}
	}
	in := letters(name)
	for _, p := range free { // tag, Tags, source-doc
		if own := letters(p); own == in || own == in+"s" || own+"s" == in {
			return p, ""
		}
	}
	for _, group := range synonyms {
		if !slices.Contains(group, strings.ToLower(name)) {
			continue
		}
		for _, p := range group {
			if slices.Contains(free, p) && !isOther(p, value) {
				return p, ""
			}
		}
	}
	return misspelled(name, free)
}

// isOther reports whether a value is the id of a signal, for entry, or of an entry, for signal.
func isOther(name string, value json.RawMessage) bool {
	text, _ := stringOf(value)
	id := reference(text)
	return name == "entry" && strings.HasPrefix(id, "s") || name == "signal" &&
		strings.HasPrefix(id, "e")
}

// misspelled finds the one argument that differs from a name in a letter, or in two of a long name.
func misspelled(name string, free []string) (to, note string) {
	const most, long = 60, 7 // bytes
	near := slices.DeleteFunc(slices.Clone(free), func(p string) bool {
		d := fault.Distance(strings.ToLower(name), p)
		return d > 2 || d > 1 && len(p) < long
	})
	shown := strconv.Quote(name[:min(len(name), most)])
	if len(near) == 1 {
		return near[0], fmt.Sprintf("%s is no argument: taken as %s", shown, near[0])
	}
	return "", fmt.Sprintf("%s is no argument, and was left out. %s", shown,
		fault.DidYouMean(name, free))
}

// letters are the letters and digits of a name, in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// isNothing reports whether a value says nothing: null where that is no value, "", {}. An
// empty list says that there are none.
func isNothing(v json.RawMessage, p *jsonschema.Schema) bool {
	if p.AnyOf != nil {
		return false
	}
	switch string(bytes.TrimSpace(v)) {
	case `null`, `""`, `{}`:
		return true
	}
	return false
}

// valueOf converts a value to the type of an argument, see Meant. It returns what it cannot convert as it is.
func valueOf(name string, v json.RawMessage, p *jsonschema.Schema) (json.RawMessage, []string) {
	text, isText := stringOf(v)
	plain := strings.TrimSpace(text)
	switch {
	case p.AnyOf != nil: // any value; a text may hold one
		if isText && (strings.HasPrefix(plain, "{") || strings.HasPrefix(plain, "[")) &&
			json.Valid([]byte(plain)) {
			return json.RawMessage(plain), nil
		}
	case p.Type == "array" && p.Items != nil:
		return listOf(name, v, p)
	case p.Type == "object" && p.Properties != nil:
		if isText && strings.HasPrefix(plain, "{") && json.Valid([]byte(plain)) {
			v = json.RawMessage(plain)
		}
		return Meant(v, p)
	case p.Type == "integer" || p.Type == "number":
		written := v
		if isText {
			written = json.RawMessage(plain)
		}
		if n, ok := number(written); ok {
			return n, nil
		}
	case p.Type == "boolean":
		if yes, ok := truth(v, plain, isText); ok {
			return yes, nil
		}
	case p.Type == "string":
		return wordOf(name, v, p), nil
	}
	if isText && plain == "" {
		return json.RawMessage(`""`), nil
	}
	return v, nil
}

func stringOf(v json.RawMessage) (text string, is bool) {
	is = bytes.HasPrefix(bytes.TrimSpace(v), []byte{'"'}) && json.Unmarshal(v, &text) == nil
	return text, is
}

// number returns a number as JSON, a whole one without a fraction; false: it is no finite number.
func number(v json.RawMessage) (json.RawMessage, bool) {
	n, err := strconv.ParseFloat(string(v), 64)
	switch {
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		return nil, false
	case n == float64(int64(n)):
		return strconv.AppendInt(nil, int64(n), 10), true
	case !json.Valid(v): // .5
		return strconv.AppendFloat(nil, n, 'g', -1, 64), true
	}
	return v, true
}

func truth(v json.RawMessage, plain string, isText bool) (json.RawMessage, bool) {
	if !isText {
		plain = string(v)
	}
	switch strings.ToLower(plain) {
	case "true", "1", "yes", "1.0":
		return json.RawMessage("true"), true
	case "false", "0", "no", "0.0":
		return json.RawMessage("false"), true
	}
	return nil, false
}

// references are arguments that are ids of entries or signals.
var references = []string{"id", "entry", "entries", "other", "signal", "signals", "origin",
	"supports", "contradicts", "supersedes", "addresses"}

// wordOf returns a value for an argument that is a text: a word as p.Enum spells it, an id in lower
// case, a number, truth value or the only text of a list as a string; everything else as it is.
func wordOf(name string, v json.RawMessage, p *jsonschema.Schema) json.RawMessage {
	text, isText := stringOf(v)
	if !isText {
		if _, is := number(v); is || string(v) == "true" || string(v) == "false" {
			text = string(v)
		} else {
			var one []string
			if json.Unmarshal(v, &one) != nil || len(one) != 1 {
				return v
			}
			text = one[0]
		}
	}
	for _, word := range p.Enum {
		if w, is := word.(string); is && (letters(w) == letters(text) ||
			w == "question" && letters(text) == "signal") { // its old name
			text = w
		}
	}
	if slices.Contains(references, name) {
		text = cmp.Or(reference(text), text)
	}
	if p.Enum != nil && strings.TrimSpace(text) == "" {
		text = ""
	}
	v, _ = json.Marshal(text)
	return v
}

// reference is a text as the id of an entry or a signal, e12 for #E12; "": it is none.
func reference(text string) string {
	id := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(text), "#"))
	if len(id) > 1 && (id[0] == 'e' || id[0] == 's') && strings.Trim(id[1:], "0123456789") == "" {
		return id
	}
	return ""
}

// listOf returns a value as a list: a list, the text of one, words with commas between, or one
// thing. Items that say nothing are left out; null: there were only those.
func listOf(name string, v json.RawMessage, p *jsonschema.Schema) (json.RawMessage, []string) {
	var list []json.RawMessage
	text, isText := stringOf(v)
	plain := strings.TrimSpace(text)
	switch {
	case !isText && json.Unmarshal(v, &list) == nil:
	case isText && strings.HasPrefix(plain, "[") && json.Unmarshal([]byte(plain), &list) == nil:
	case isText && p.Items.Type == "string":
		for part := range strings.SplitSeq(plain, ",") {
			if part, err := json.Marshal(strings.TrimSpace(part)); err == nil {
				list = append(list, part)
			}
		}
	case isText && strings.HasPrefix(plain, "{") && json.Valid([]byte(plain)):
		list = []json.RawMessage{json.RawMessage(plain)}
	case isText && plain == "":
	default:
		list = []json.RawMessage{v}
	}
	if len(list) == 0 && !isText {
		return v, nil
	}
	kept, notes := []json.RawMessage{}, []string(nil)
	for _, item := range list {
		item, more := valueOf(name, item, p.Items)
		notes = append(notes, more...)
		if !isNothing(item, p.Items) {
			kept = append(kept, item)
		}
	}
	if len(kept) == 0 { // [""]
		return json.RawMessage("null"), notes
	}
	if meant, err := json.Marshal(kept); err == nil {
		v = meant
	}
	return v, notes
}

// Value is valueOf for what is typed on a command line or into a form, without notes.
func Value(name string, v json.RawMessage, p *jsonschema.Schema) json.RawMessage {
	v, _ = valueOf(name, v, p)
	return v
}
