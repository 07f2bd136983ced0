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
			if merged[c.Name] != "" {
				continue
			}
			fmt.Fprintf(&b, "  %-13s%s\n", c.Name, c.Usage)
		}
		b.WriteString("\n")
	}
	return b.String() + `Every command has --help, and every one that answers has --json. Flags may stand anywhere;
those that few calls need are on the manual page alone: board man.
The run: --run or $BOARD_RUN. You: --worker or $BOARD_WORKER; to the memory --agent, or
--author --reason for a person. The project: --workspace or $BOARD_WORKSPACE.
Files: $BOARD_HOME, else $XDG_DATA_HOME/blackboard, else ~/.local/share/blackboard;
topics have a place of their own: board help topic.
Boards for many machines: board help database.
Exit codes: 0 ok, 1 failure, 2 usage or invalid input, 3 gate closed,
4 survival, verify or check failed, or conflicts or trace found more than is allowed,
5 not found, 6 conflict.
`
}

// merged are commands that another one took over: they work, and help shows the other.
var merged = map[string]string{"new": "start", "replay": "show --at SEQ"}

// renamed are lines that another one took over, word for word.
var renamed = map[string]string{"release": "claim --release", "state list": "state get",
	"state delete": "state set --unset", "kb stats": "doctor", "memory stats": "doctor", "memory status": "doctor",
	"context status": "doctor", "memory reembed": "kb reembed", "context reembed": "kb reembed",
	"model path": "model list", "database status": "doctor", "database check": "runs --check"}

// commandHelp is one command's help, made when asked for: all of them would slow each start.
func commandHelp(name string, c *cli.Command) string {
	if now := merged[name]; now != "" {
		return fmt.Sprintf("board %s: the same as `board %s`, its new name\n", name, now)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "board %s: %s\n\n", name, c.Usage)
	if len(c.Subcommands) > 0 {
		width := 0
		shown := slices.DeleteFunc(slices.Clone(c.Subcommands), func(sub *cli.Command) bool {
			return merged[name+" "+sub.Name] != ""
		})
		for _, sub := range shown {
			width = max(width, len(sub.Name+" "+sub.ArgsUsage))
		}
		for _, sub := range shown {
			fmt.Fprintf(&b, "  board %s %-*s  %s\n", name, width, sub.Name+" "+sub.ArgsUsage, sub.Usage)
		}
	} else {
		fmt.Fprintf(&b, "  %s\n", strings.Join(strings.Fields("board "+name+" "+c.ArgsUsage+" [flags]"),
			" "))
	}
	if c.Description != "" {
		fmt.Fprintf(&b, "\n%s\n", c.Description)
	}
	b.WriteString(flagHelp(name, c.Flags))
	if slices.Contains(pageOrder, name) {
		fmt.Fprintf(&b, "\nMore: board help %s\n", name)
	}
	// The text passes through a template all the same.
	return strings.ReplaceAll(b.String(), "{{", `{{"{{"}}`)
}

// footFlags are the flags of many commands: one line at the foot of a help text names them.
const footFlags = " run worker workspace agent author reason limit dry-run yes quiet json "

// rareFlags are rarely needed flags and old names: they work; only the manual page has them.
const rareFlags = " block content debug drop-duty execute exists-ok expires file force idle " +
	"match max-conflicts max-disputed max-open min-cosine min-entries " +
	"min-importance min-items min-priority min-score mute no-create no-docs no-embed " +
	"no-hooks no-import no-trust prefix report require-evidence require-source " +
	"require-verified restore retired semantic session store strict superseded task " +
	"text theme ttl-days why "

// flagHelp lists the flags of a command: those of its own, then the common ones in one line.
func flagHelp(command string, flags []cli.Flag) string {
	var own, foot []string
	var listed []cli.Flag
	width := 0
	for _, f := range flags {
		name := " " + f.Names()[0] + " "
		v, is := f.(cli.VisibleFlag)
		switch {
		case is && !v.IsVisible() || strings.Contains(rareFlags, name) ||
			name == " policy " && command != "gate" && command != "check":
		case strings.Contains(footFlags, name):
			foot = append(foot, strings.TrimSpace(flagNames(f)))
		default:
			listed = append(listed, f)
			width = max(width, len(flagNames(f)))
		}
	}
	for _, f := range listed {
		_, usage := flagUsage(f)
		own = append(own, fmt.Sprintf("  %-*s  %s\n", width, flagNames(f), usage))
	}
	if len(foot) > 0 {
		own = append(own, "  Also: "+strings.Join(foot, "; ")+"\n")
	}
	if len(own) == 0 {
		return ""
	}
	return "\n" + strings.Join(own, "")
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
