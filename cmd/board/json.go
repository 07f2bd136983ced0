package main

import (
	_ "embed"
	"fmt"

	"slices"
	"strings"
	"sync"

	"blackboard/board/text"
	"blackboard/cmd/board/base"
)

// The tables of all JSON answers, which a test writes from the Go types: a section for
// each command, and one for each type that their tables name.
//
//go:embed json.txt
var jsonTables string

// A jsonSection is a command with its table, or a type with its own.
type jsonSection struct{ name, text string }

// jsonSections are the sections of the tables: the commands first, each part in order.
var jsonSections = sync.OnceValue(func() (all []jsonSection) {
	for section := range strings.SplitSeq(strings.TrimPrefix(jsonTables, "== "), "\n\n== ") {
		name, text, _ := strings.Cut(section, "\n")
		all = append(all, jsonSection{name, text})
	}
	return all
})

func jsonCommands() (names []string) {
	for _, s := range jsonSections() {
		if strings.ToLower(s.name) == s.name { // types begin with a capital
			names = append(names, s.name)
		}
	}
	return names
}

// jsonCommandList lists the commands that have a table, those of a group on one line.
func jsonCommandList() string {
	var lines []string
	group := ""
	for _, name := range jsonCommands() {
		first, rest, grouped := strings.Cut(name, " ")
		switch {
		case grouped && first == group:
			lines[len(lines)-1] += ", " + rest
		case grouped:
			lines = append(lines, first+": "+rest)
			group = first
		case group == "" && len(lines) > 0:
			lines[len(lines)-1] += ", " + name
		default:
			lines = append(lines, name)
			group = ""
		}
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(wrapLine("  "+line, 88) + "\n")
	}
	return b.String()
}

// jsonTable is `board help json NAME`: a command's or type's table, then of the types it names.
func jsonTable(words []string) (string, error) {
	name := strings.TrimPrefix(strings.Join(words, " "), "board ")
	if section(name) == "" {
		var under []string
		for _, c := range jsonCommands() {
			if strings.HasPrefix(c, name+" ") {
				under = append(under, c)
			}
		}
		if len(under) > 0 {
			return "board help json COMMAND, with one of these:\n\n  " + strings.Join(under, "\n  ") + "\n",
				nil
		}
		i := slices.IndexFunc(jsonSections(), func(s jsonSection) bool {
			return strings.EqualFold(s.name,
				name)
		})
		if i < 0 {
			return "", base.Usagef("`board help json` lists the commands that have one",
				"no JSON table for %q", name)
		}
		name = jsonSections()[i].name
	}
	var b strings.Builder
	for names := []string{name}; len(names) > 0; {
		text := section(names[0])
		fmt.Fprintf(&b, "%s\n%s\n\n", names[0], strings.TrimRight(text, "\n"))
		for _, t := range typesIn(text) {
			if !slices.Contains(names, t) && !strings.Contains("\n"+b.String(), "\n"+t+"\n") &&
				section(t) != "" {
				names = append(names, t)
			}
		}
		names = names[1:]
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}

func section(name string) string {
	for _, s := range jsonSections() {
		if s.name == name {
			return s.text
		}
	}
	return ""
}

// tableRow matches a row of a table: field, type, presence, meaning.
var tableRow = text.NewRegexp(`(?m)^  (\S+) +(\S+(?: \S+)*) {2,}(always|sometimes) *(.*)$`)

// typesIn are the types that a table names, in its order.
func typesIn(table string) (names []string) {
	for _, row := range tableRow.FindAllStringSubmatch(table, -1) {
		for word := range strings.FieldsSeq(row[2]) {
			if word[0] >= 'A' && word[0] <= 'Z' {
				names = append(names, word)
			}
		}
	}
	return names
}
