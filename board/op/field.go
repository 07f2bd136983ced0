package op

import (
	"reflect"
	"strings"
)

// Field is an argument: a field of an input. Its tags are
//
//	json        its name; without omitempty it is required
//	jsonschema  what it is, for people and models
//	cli         what it is, where a command has to say it otherwise
//	arg         the command has it as an argument, which its usage writes like this
//	as          how the argument is read: text or note (or standard input; a text is not
//	            meant for another command, as an id is), json (the same), words (all that
//	            are left), line (these as one), ask (the same, and none is no
//	            question), question (the same, or standard input, of which a part is read)
//	unless      the flag beside which a text, or the argument beside which a required one, is not needed
//	flag        names of its flag, the first is shown; "-": none
//	value       what the help calls the value of the flag
//	enum        the list of words that it takes
//	commas      "no": commas are part of the values of a list
//	nth         its flag may be given again: for another source, in more_sources
//	blank       "no": on the command line it must not be empty if it is given
//	min, max, default
//	only        "cli" or "mcp": the other has not got it
//	needs       "mcp": the tool cannot do without
//	rare        it can be given to the tool, and is not listed
//	hidden      the same for the command
type Field struct {
	Name     string
	Required bool
	Type     reflect.Type
	Tag      reflect.StructTag
}

// Fields returns the arguments of an input, in the order of its fields; no Type is a pointer.
func Fields(input reflect.Type) (all []Field) {
	for _, f := range reflect.VisibleFields(input) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		of := f.Type
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		all = append(all, Field{name, rest == "", of, f.Tag})
	}
	return all
}

// IsList reports whether the argument is a list, and not JSON, which is bytes.
func (f *Field) IsList() bool { return f.Type.Kind() == reflect.Slice && f.Type != anyValue }

// Flags are the names of the argument's flag, the shown one first; none if it has none.
func (f *Field) Flags() []string {
	switch names := f.Tag.Get("flag"); {
	case names == "-" || names == "" && f.Tag.Get("arg") != "":
		return nil
	case names != "":
		return strings.Split(names, ",")
	}
	return []string{strings.ReplaceAll(f.Name, "_", "-")}
}

// Usage is what a command's help says of the argument.
func (f *Field) Usage(lists Enums) string {
	usage := f.Tag.Get("cli")
	if usage == "" {
		usage = f.Tag.Get("jsonschema")
	}
	if list := lists[f.Tag.Get("enum")]; len(list) > 0 {
		usage = strings.TrimPrefix(usage+": ", ": ") + strings.Join(list, ", ")
	}
	return usage
}
