package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"blackboard/board/text"
	"blackboard/cmd/board/base"
)

func (p *program) manCommand() *cli.Command {
	return &cli.Command{
		Name: "man", Category: base.CategoryProgram, Usage: "print the manual page, in roff",
		Description: "board man | man -l -                  read it\nboard man > " +
			"~/.local/share/man/man1/board.1   install it",
		Action: func(c *cli.Context) error {
			if err := base.NoArgs(c); err != nil {
				return err
			}
			p.Printf("%s", manual(p.commands(), base.Version()))
			return nil
		},
	}
}

// manual is the manual page, made from the commands themselves.
func manual(commands []*cli.Command, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH BOARD 1 \"\" \"board %s\" \"User Commands\"\n", roff(version))
	b.WriteString(".SH NAME\nboard \\- a shared, typed, auditable blackboard for multi-agent runs\n")
	b.WriteString(".SH SYNOPSIS\n.B board\n.I COMMAND\n[ARGUMENTS] [FLAGS]\n")
	b.WriteString(".SH DESCRIPTION\nWorkers post findings with their sources and raise open " +
		"questions. The gate is closed while a critical or high question is open. " +
		"Survival checks that the final report carries what the run found. What was learned goes to " +
		"a knowledge base, what agents remember to a memory in tiers. " +
		"Flags may stand anywhere. Results go to standard output, messages to standard error; every " +
		"command that answers takes \\fB\\-\\-json\\fP.\n")
	for _, category := range categories(commands) {
		fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(category)))
		for _, c := range commands {
			if c.Category == category && !c.Hidden {
				manCommands(&b, "board", c)
			}
		}
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, code := range exitMeanings {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", code.code, roff(code.means))
	}
	b.WriteString(".SH ENVIRONMENT\n")
	for _, v := range environment {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(v.name), roff(v.means))
	}
	b.WriteString(".SH FILES\nRuns are in \\fIboards\\fP, capsules and their index in \\fIkb\\fP, " +
		"memories in \\fImemory\\fP, models in \\fImodels\\fP of the data home: " +
		"$BOARD_HOME, else $XDG_DATA_HOME/blackboard, else ~/.local/share/blackboard. " +
		"Topics are in $BOARD_SPEC_ROOT, else $XDG_STATE_HOME/blackboard/specs, else ~/.local/state/blackboard/specs.\n")
	return b.String()
}

func categories(commands []*cli.Command) (all []string) {
	for _, c := range commands {
		if !c.Hidden && !slices.Contains(all, c.Category) {
			all = append(all, c.Category)
		}
	}
	return all
}

// manCommands writes a command, or its subcommands.
func manCommands(b *strings.Builder, parent string, c *cli.Command) {
	name := parent + " " + c.Name
	if len(c.Subcommands) > 0 {
		for _, sub := range c.Subcommands {
			manCommands(b, name, sub)
		}
		return
	}
	fmt.Fprintf(b, ".SS %s\n%s.\n", roff(strings.TrimSpace(name+" "+c.ArgsUsage)), roff(c.Usage))
	if c.Description != "" {
		fmt.Fprintf(b, ".PP\n.nf\n%s\n.fi\n", roff(c.Description))
	}
	for _, f := range c.Flags {
		_, usage := flagUsage(f)
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(flagNames(f))), roff(usage))
	}
}

// lineStart finds what roff takes for a request at the start of a line.
var lineStart = text.NewRegexp(`(?m)^([.'])`)

// roff escapes a text for roff, in ASCII. Hyphens stay, so that flags can be copied.
func roff(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	s = b.String()
	return lineStart.ReplaceAllString(s, `\&$1`)
}

var exitMeanings = []struct {
	code  int
	means string
}{
	{base.ExitOK, "ok"}, {base.ExitFailure, "failure"}, {base.ExitUsage, "usage or invalid input"},
	{base.ExitGate, "the gate is closed"}, {base.ExitSurvival,
		"survival, verify or check failed; conflicts or trace found more than is allowed"},
	{base.ExitNotFound, "not found: also a gate whose run, or a survival whose report, does not " +
		"exist"},
	{base.ExitConflict, "conflict: claimed by another, exists already, version does not match, " +
		"looks like a secret"},
}

var environment = []struct{ name, means string }{
	{"BOARD_HOME", "the data home"},
	{"BOARD_RUN", "the run that commands are about, unless --run names one"},
	{"BOARD_DATABASE_URL", "the PostgreSQL database that has the boards, unless --database names " +
		"one; off, or nothing here and in board.yaml: they are files in the data home"},
	{"BOARD_CREATE", "off: a post, a question or a variable creates no run; board start does"},
	{"BOARD_WORKER", "who acts, unless --worker says; else the login name"},
	{"BOARD_HARNESS", "the harness whose agent runs these commands, where its own variables do " +
		"not tell"},
	{"BOARD_WORKSPACE", "the project, unless --workspace names one; else that of the working " +
		"directory"},
	{"BOARD_MODEL_DIR", "the directory of the embedding model; else the one of `board model use`, " +
		"else models/all-MiniLM-L6-v2 in the data home"},
	{"BOARD_DAEMON", "auto, off or require: whether commands use a daemon, and may start one for the " +
		"next"},
	{"BOARD_CURATE_EVERY", "how often a daemon curates the knowledge base, such as 24h; never " +
		"unless it is set"},
	{"BOARD_CONVERSATION", "the conversation that memory commands are about, and take part in"},
	{"BOARD_MEMORY_DECAY", "by how much memories fade per hour, for each tier: " +
		"channel=0.99,workspace=0.995"},
	{"BOARD_MEMORY_TIERS, BOARD_MEMORY_GRANTS",
		"which tiers can be reached, and what an agent may do besides: author, named, scrub, " +
			"conversations, conversation:REF"},
	{"BOARD_SPEC_ROOT", "where topics are; else $XDG_STATE_HOME/blackboard/specs"},
	{"BOARD_SESSION", "the session that topic commands are about, and that asks the memory"},
	{"BOARD_WATCH", "poll: check files regularly instead of by notifications, as on a " +
		"file system that does not tell"},
	{"BOARD_HOOK_TIMEOUT", "how long a hook may take; 300ms unless it is set"},
	{"BOARD_HOOK_CONTEXT", "0: hooks inject nothing but still record"},
	{"BOARD_CONFIG_DIR", "where prefix.txt is, with which sessions begin, and tui.conf"},
	{"BOARD_DEPTH", "fast, balanced or deep: how much hooks give"},
	{"VISUAL, EDITOR", "the editor for edit commands and the TUI; vi or nano without"},
	{"NO_COLOR", "if it is set, nothing is coloured"},
}
