package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/text"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/hookcmd"
	"blackboard/cmd/board/kbcmd"
	"blackboard/cmd/board/memorycmd"
	"blackboard/cmd/board/runcmd"
	"blackboard/embed/minilm"
	"blackboard/hooks/setup"
	kbhome "blackboard/kb/home"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// completeCommand is the hidden first argument by which shells ask for candidates. The
// words so far follow, the last one unfinished.
const completeCommand = "__complete"

// complete prints the candidates for the last word, one per line. It never fails:
// without an answer, it prints nothing.
func (p *program) complete(ctx context.Context, commands []*cli.Command, words []string) {
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
		words = words[:len(words)-1]
	}
	for _, candidate := range p.candidates(ctx, commands, words, last) {
		// Agents choose the names of variables and workers; what a shell could take for
		// more than a word is not offered.
		if strings.HasPrefix(candidate, last) && plainWord.MatchString(candidate) {
			p.Printf("%s\n", candidate)
		}
	}
}

var plainWord = text.NewRegexp(`^[A-Za-z0-9._@:/+=-]+$`)

func (p *program) candidates(ctx context.Context, commands []*cli.Command, words []string,
	last string) []string {
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
	if len(words) >= 2 && words[0] == "help" && pageName(words[1]) == "json" {
		return jsonWordsAfter(words[2:])
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
			return p.flagValues(ctx, path, name, words)
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
		out = p.argValues(ctx, names(path), words, rest)
	}
	return out
}

// flagValues are the known values of a flag.
func (p *program) flagValues(ctx context.Context, path []*cli.Command, name string,
	words []string) []string {
	if list := p.Listed[names(path)+" "+name]; list != nil {
		return list
	}
	switch path[0].Name {
	case "kb":
		return kbcmd.FlagValues(ctx, p.Program, names(path), name)
	case "memory":
		return memorycmd.FlagValues(ctx, p.Program, names(path), name, words)
	case "topic":
		return hookcmd.TopicFlagValues(p.Program, name, words)
	case "hook":
		return hookcmd.HookFlagValues(name)
	}
	switch name {
	case "run", "r", "board":
		return p.RunNames()
	case "type", "t":
		return board.EntryTypes
	case "priority", "p", "min-priority", "block":
		return board.Priorities
	case "must-surface":
		return board.Priorities
	case "status":
		if names(path) == "signals" {
			return board.SignalStatuses
		}
		return board.EntryStatuses
	case "theme":
		return cells.Themes
	case "mute":
		return page.Mutes
	case "order":
		return []string{board.Newest, board.Oldest, board.Best}
	case "format", "f":
		if names(path) == "export" {
			return []string{"jsonl", "md", "html"}
		}
		return runcmd.Formats
	case "signal", "addresses":
		return p.signalIDs(ctx, words, []string{board.SignalOpen})
	case "entry", "supports", "contradicts", "supersedes", "origin", "before":
		return p.entryIDs(ctx, words)
	case "by", "worker", "w", "claimed-by", "drop":
		return p.workers(ctx, words)
	}
	return nil
}

// argValues are the known arguments of a command.
func (p *program) argValues(ctx context.Context, command string, words, rest []string) []string {
	if strings.HasPrefix(command, "memory ") {
		return memorycmd.ArgValues(ctx, p.Program, command, words, rest)
	}
	if strings.HasPrefix(command, "kb ") && command != "kb promote" {
		return kbcmd.ArgValues(ctx, p.Program, command)
	}
	if strings.HasPrefix(command, "context ") {
		return memorycmd.ContextArgValues(ctx, p.Program, command, words, rest)
	}
	if strings.HasPrefix(command, "topic ") {
		return hookcmd.TopicArgValues(p.Program, command, words, rest)
	}
	switch command {
	case "hook":
		return hookcmd.HookArgValues(words)
	case "claim", "waive", "wait", "answer":
		return p.signalIDs(ctx, words, []string{board.SignalOpen})
	case "reopen":
		return p.signalIDs(ctx, words, []string{board.Addressed, board.Waived})
	case "expect", "done":
		return p.workers(ctx, words)
	case "link", "accept":
		return p.entryIDs(ctx, words)
	case "show":
		return append(p.entryIDs(ctx, words), p.signalIDs(ctx, words, nil)...)
	case "rm":
		return p.RunNames()
	case "model pull":
		return []string{minilm.DefaultModel}
	case "model verify", "model use":
		var dirs []string
		models, _ := p.models()
		for _, m := range models {
			dirs = append(dirs, m.Name)
		}
		return dirs
	case "kb promote":
		return p.entryIDs(ctx, words)
	case "setup":
		return setup.Names()
	case "completion":
		return []string{"bash", "zsh", "fish"}
	case "state get", "state set":
		var keys []string
		p.withBoard(ctx, words, func(b *board.Board) {
			vars, _ := b.Variables(ctx)
			for _, v := range vars {
				keys = append(keys, v.Key)
			}
		})
		return keys
	}
	return nil
}

// withBoard calls fn with the board of the completed line, if there is one.
func (p *program) withBoard(ctx context.Context, words []string, fn func(*board.Board)) {
	run := p.Env("BOARD_RUN")
	for i, w := range words {
		name, value, hasValue := base.CutFlag(w)
		if slices.Contains([]string{"run", "r", "board"}, name) {
			if hasValue {
				run = value
			} else if i+1 < len(words) {
				run = words[i+1]
			}
		}
	}
	dir, err := p.BoardsDir()
	if err != nil {
		return
	}
	_ = kbhome.OnRun(ctx, dir, run, func(b *board.Board) error { fn(b); return nil })
}

func (p *program) signalIDs(ctx context.Context, words, statuses []string) (ids []string) {
	p.withBoard(ctx, words, func(b *board.Board) {
		found, _ := b.Signals(ctx, board.SignalQuery{Statuses: statuses, Limit: base.MaxCandidates})
		for _, s := range found.Signals {
			ids = append(ids, s.ID)
		}
	})
	return ids
}

func (p *program) entryIDs(ctx context.Context, words []string) (ids []string) {
	p.withBoard(ctx, words, func(b *board.Board) {
		found, _ := b.Query(ctx, board.Query{Limit: base.MaxCandidates})
		for _, e := range found.Entries {
			ids = append(ids, e.ID)
		}
	})
	return ids
}

func (p *program) workers(ctx context.Context, words []string) (names []string) {
	p.withBoard(ctx, words, func(b *board.Board) {
		st, _ := b.State(ctx)
		for _, w := range st.Workers {
			names = append(names, w.Name)
		}
	})
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
