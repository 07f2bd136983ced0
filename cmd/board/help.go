package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// rootHelp is what a newcomer needs; all commands are in [allHelp].
const rootHelp = `board: findings, questions and checks for runs of several agents

  board demo                                          see a whole run, in seconds
  board start audit-7 --goal "May we ship v3?" --expect reader-1 --sources docs
  export BOARD_RUN=audit-7 BOARD_WORKER=reader-1
  board post "Tokens never expire" --source auth.go:42 --quote "Expiry: never" --must
  board gate && board digest > findings.md            then write report.md
  board check report.md                               wrong quotes, gaps, inventions

Share what you find
  start    open a run: its goal, its workers, its sources
  post     put a finding on the board, with its source and a quote
  ask      raise a question; critical and high ones keep the gate closed
  answer   answer a question
  done     say that you have finished
See where it stands
  show     the run at a glance, or one finding or question whole
  query    find findings
  tui      walk runs, knowledge and memory on the whole screen
Write the report
  gate     may it be written? exit 0 yes, 3 no
  digest   all findings for its author, by document, with quotes
  check    does it hold, from source to report? exit 0 yes, 4 no
Keep what holds
  kb       what is verified, for later runs: remember, search, get, promote
  memory   what agents were told or noticed: put, read, journal
Connect agents
  setup    install hooks, MCP server and skill in a harness
board COMMAND --help | board help all: every command | board help topics | board doctor
`

// allHelp is the text of "board help all": each command with its line, by category.
func allHelp(commands []*cli.Command) string {
	var b strings.Builder
	var order []string
	of := map[string][]*cli.Command{}
	for _, c := range commands {
		if of[c.Category] == nil {
			order = append(order, c.Category)
		}
		of[c.Category] = append(of[c.Category], c)
	}
	for _, category := range order {
		fmt.Fprintf(&b, "%s:\n", category)
		for _, c := range of[category] {
			fmt.Fprintf(&b, "  %-13s%s\n", c.Name, c.Usage)
		}
		b.WriteString("\n")
	}
	return b.String() + `Every command has --help, and every one that answers has --json. Flags may stand anywhere.
The run: --run or $BOARD_RUN. You: --worker or $BOARD_WORKER.
Files: $BOARD_HOME, else $XDG_DATA_HOME/blackboard, else ~/.local/share/blackboard;
topics have a place of their own: board help topic.
Boards for many machines: board help database.
Exit codes: 0 ok, 1 failure, 2 usage or invalid input, 3 gate closed,
4 survival, verify or check failed, or conflicts or trace found more than is allowed,
5 not found, 6 conflict.
`
}

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
	shown := slices.DeleteFunc(slices.Clone(c.Flags), func(f cli.Flag) bool {
		v, is := f.(cli.VisibleFlag)
		return is && !v.IsVisible()
	})
	for _, f := range shown {
		width = max(width, len(flagNames(f)))
	}
	for _, f := range shown {
		_, usage := flagUsage(f)
		fmt.Fprintf(&b, "  %-*s  %s\n", width, flagNames(f), usage)
	}
	if slices.Contains(pageOrder, name) {
		fmt.Fprintf(&b, "\nMore: board help %s\n", name)
	}
	// The text passes through a template all the same.
	return strings.ReplaceAll(b.String(), "{{", `{{"{{"}}`)
}

// flagNames is a flag as it is written: "-t, --type TYPE". Its older names are shown nowhere.
func flagNames(f cli.Flag) string {
	value, _ := flagUsage(f)
	short := "    "
	for _, n := range f.Names() {
		if len(n) == 1 {
			short = "-" + n + ", "
		}
	}
	return strings.TrimRight(short+"--"+f.Names()[0]+" "+value, " ")
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
				if text, is := strings.CutPrefix(after, ": "); is && before == "" {
					usage = text // "`FILE`: what it is"
				}
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
