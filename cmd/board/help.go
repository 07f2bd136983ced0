package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

const appHelp = `board: a shared, typed, auditable blackboard for multi-agent runs

Workers post findings and raise questions. The gate is closed while critical or high
questions are open. verify checks findings against their sources; survival checks that the
final artifact carries what the run found; trace checks that it states nothing else.

  board demo                                            see it work
  export BOARD_RUN=audit-7 BOARD_WORKER=reader-1        name the run and yourself once
  board post "Tokens never expire" --source-doc auth.go --source-ref 42 --must-surface
  board signal "Who rotates the keys?" --priority high
  board gate && write-the-report && board survival report.md
{{range .VisibleCategories}}
{{.Name}}:{{range .VisibleCommands}}
  {{printf "%-13s" .Name}}{{.Usage}}{{end}}
{{end}}
How a run works: board help run. Gates, search, memory, hooks and more: board help topics.
Every command has --help, and every one that answers has --json. Flags may stand anywhere.
The run: --run or $BOARD_RUN. You: --worker or $BOARD_WORKER.
Files: $BOARD_HOME, else $XDG_DATA_HOME/blackboard, else ~/.local/share/blackboard;
topics have a place of their own: board help topic.
Boards for many machines: board help database.
Exit codes: 0 ok, 1 failure, 2 usage or invalid input, 3 gate closed,
4 survival, verify or check failed, or conflicts or trace found more than is allowed,
5 not found, 6 conflict.
`

// commandHelp is the help of one command, made when it is asked for: the help of all
// commands would take most of a start.
func commandHelp(name string, c *cli.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "board %s: %s\n\n", name, c.Usage)
	if len(c.Subcommands) > 0 {
		width := 0
		for _, sub := range c.Subcommands {
			width = max(width, len(sub.Name+" "+sub.ArgsUsage))
		}
		for _, sub := range c.Subcommands {
			fmt.Fprintf(&b, "  board %s %-*s  %s\n", name, width, sub.Name+" "+sub.ArgsUsage, sub.Usage)
		}
	} else {
		fmt.Fprintf(&b, "  %s\n", strings.Join(strings.Fields("board "+name+" "+c.ArgsUsage+" [flags]"),
			" "))
	}
	if c.Description != "" {
		fmt.Fprintf(&b, "\n%s\n", c.Description)
	}
	if len(c.Flags) > 0 {
		b.WriteString("\n")
	}
	width := 0
	for _, f := range c.Flags {
		width = max(width, len(flagNames(f)))
	}
	for _, f := range c.Flags {
		_, usage := flagUsage(f)
		fmt.Fprintf(&b, "  %-*s  %s\n", width, flagNames(f), usage)
	}
	if len(c.Aliases) > 0 {
		parent := "board " + strings.TrimSuffix(name, c.Name) // with a space at its end
		fmt.Fprintf(&b, "\nThe same: %s\n", parent+strings.Join(c.Aliases, ", "+parent))
	}
	if slices.Contains(pageOrder, name) {
		fmt.Fprintf(&b, "\nMore: board help %s\n", name)
	}
	// The text passes through a template all the same.
	return strings.ReplaceAll(b.String(), "{{", `{{"{{"}}`)
}

// flagNames is a flag as it is written: "-t, --type TYPE".
func flagNames(f cli.Flag) string {
	value, _ := flagUsage(f)
	short, long := "    ", []string(nil)
	for _, n := range f.Names() {
		if len(n) == 1 {
			short = "-" + n + ", "
		} else {
			long = append(long, "--"+n)
		}
	}
	return strings.TrimSpace(short + strings.Join(long, ", ") + " " + value)
}

// flagUsage splits a usage into the name of the value, which stands in backquotes, and
// the text, with a default that is not obvious.
func flagUsage(f cli.Flag) (value, usage string) {
	doc, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return "", ""
	}
	usage = doc.GetUsage()
	if doc.TakesValue() {
		value = "VALUE"
		if before, rest, found := strings.Cut(usage, "`"); found {
			if name, after, found := strings.Cut(rest, "`"); found {
				value = name
				// "`FILE` to write": the name alone says nothing in the text, unless
				// the sentence needs it.
				usage = before + name + after
			}
		}
	}
	if d, ok := f.(*cli.DurationFlag); ok {
		value = "DURATION"
		if d.Value > 0 {
			usage += fmt.Sprintf(" (default %s)", d.Value)
		}
	}
	switch d := f.(type) {
	case *cli.StringFlag:
		if d.Value != "" {
			usage += " (default " + d.Value + ")"
		}
	case *cli.Float64Flag:
		usage += fmt.Sprintf(" (default %g)", d.Value)
	case *cli.IntFlag:
		if d.Value > 0 {
			usage += fmt.Sprintf(" (default %d)", d.Value)
		}
	}
	return value, usage
}
