package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/hookcmd"
	"blackboard/cmd/board/runcmd"
	"blackboard/embed/minilm"
	"blackboard/hooks/ops"
	"blackboard/hooks/setup"
	"blackboard/hooks/topics"
	"blackboard/kb"
	"blackboard/kb/chunks"
	"blackboard/kb/importers"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// completeCommand is the hidden first argument by which shells ask for candidates. The
// words so far follow, the last one unfinished.
const completeCommand = "__complete"

// complete prints the last word's candidates, one per line; without an answer, nothing.
func (p *program) complete(commands []*cli.Command, words []string) {
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
		words = words[:len(words)-1]
	}
	for _, candidate := range p.candidates(commands, words, last) {
		// Agents choose variables' and workers' names: what a shell takes for more is not offered.
		if strings.HasPrefix(candidate, last) && plainWord.MatchString(candidate) {
			p.Printf("%s\n", candidate)
		}
	}
}

var plainWord = text.NewRegexp(`^[A-Za-z0-9._@:/+=-]+$`)

func (p *program) candidates(commands []*cli.Command, words []string, last string) []string {
	if len(words) == 1 && words[0] == "help" {
		out := append([]string{"topics"}, pageOrder...)
		for _, c := range commands {
			if !c.Hidden {
				out = append(out, c.Name)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	path, rest, err := findCommand(commands, words)
	if err != nil {
		return nil
	}
	level, leafFlags := commands, []cli.Flag(nil)
	if len(path) > 0 {
		leaf := path[len(path)-1]
		level, leafFlags = leaf.Subcommands, leaf.Flags
	}
	if len(words) > 0 {
		if name, _, hasValue := base.CutFlag(words[len(words)-1]); name != "" && !hasValue &&
			flagArity(leafFlags)[name] {
			return (&line{p, names(path), words}).flagValues(name)
		}
	}
	var out []string
	switch {
	case strings.HasPrefix(last, "-"):
		for _, f := range append(leafFlags, cli.HelpFlag) {
			out = append(out, "--"+f.Names()[0])
		}
	case len(level) > 0:
		for _, c := range level {
			if !c.Hidden {
				out = append(out, c.Name)
			}
		}
	default:
		out = (&line{p, names(path), words}).argValues(rest)
	}
	return out
}

// flagValues are the known values of a flag: those that an operation lists, runs and topics.
func (l *line) flagValues(name string) []string {
	if list := l.Listed[l.command+" "+name]; list != nil {
		return list
	}
	switch l.command + " " + name {
	case "kb import format":
		return importers.Formats
	case "kb learn role":
		return kb.Roles
	case "export format", "export f":
		return []string{"jsonl", "md", "html"}
	}
	switch name {
	case "run", "r", "board":
		return l.RunNames()
	case "importance", "i", "min-importance":
		return chunks.Importances
	case "topic":
		return l.topics(topics.Kinds...)
	case "theme":
		return cells.Themes
	case "mute":
		return page.Mutes
	case "format", "f":
		return runcmd.Formats
	}
	return nil
}

func (l *line) argValues(rest []string) []string {
	switch l.command {
	case "rm":
		return l.RunNames()
	case "model pull":
		return []string{minilm.DefaultModel}
	case "model verify", "model use":
		models, _ := l.models()
		return op.Each(models, func(m *modelEntry) string { return m.Name })
	case "setup":
		return setup.Names()
	case "completion":
		return []string{"bash", "zsh", "fish"}
	case "kb curate":
		return ops.Curations
	case "topic use":
		return l.topics(topics.KindNamed, topics.KindReview)
	}
	// A line's words that are not flags, values of flags among them: rather a candidate too few.
	if slices.ContainsFunc(rest, func(w string) bool { return !strings.HasPrefix(w, "-") }) {
		return nil
	}
	switch l.command {
	case "topic show", "topic edit", "topic wipe", "topic archive":
		return l.topics(topics.Kinds...)
	}
	return nil
}

// line is a command line that is being completed. What it looks into is not created.
type line struct {
	*program
	command string
	words   []string
}

const maxCandidates = 200

// workspace is the directory that the line names, else that of the environment.
func (l *line) workspace() string {
	dir := l.Env("BOARD_WORKSPACE")
	for i, w := range l.words {
		switch name, value, hasValue := base.CutFlag(w); {
		case name != "workspace":
		case hasValue:
			dir = value
		case i+1 < len(l.words):
			dir = l.words[i+1]
		}
	}
	return dir
}

func (l *line) topics(kinds ...string) (names []string) {
	all, _ := hookcmd.TopicsOf(l.Program, l.workspace())
	for i := range all {
		if slices.Contains(kinds, all[i].Kind) && len(names) < maxCandidates {
			names = append(names, all[i].Name)
		}
	}
	return names
}

var completionScripts = map[string]string{
	"bash": `_board() {
  local IFS=$'\n'
  COMPREPLY=($(board __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _board board
`,
	"zsh": `#compdef board
_board() {
  local -a candidates
  candidates=("${(@f)$(board __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${candidates[1]}" ]]; then compadd -a candidates; else _files; fi
}
compdef _board board
`,
	"fish": `function __board_complete
  set -l words (commandline -opc) (commandline -ct)
  board __complete $words[2..-1] 2>/dev/null
end
complete -c board -a '(__board_complete)'
`,
}

func (p *program) completion(c *cli.Context) error {
	script, ok := completionScripts[c.Args().First()]
	if c.NArg() != 1 || !ok {
		return base.Usagef("`board completion bash`", "one shell is needed: bash, zsh or fish")
	}
	p.Printf("%s", script)
	return nil
}
