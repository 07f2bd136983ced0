package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/text"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/hookcmd"
	"blackboard/cmd/board/runcmd"
	"blackboard/embed/minilm"
	"blackboard/hooks"
	"blackboard/hooks/ops"
	"blackboard/hooks/setup"
	"blackboard/hooks/topics"
	"blackboard/kb"
	"blackboard/kb/chunks"
	kbhome "blackboard/kb/home"
	"blackboard/kb/importers"
	"blackboard/kb/memory"
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
		return nextTableWords(words[2:])
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
			return (&line{p, ctx, names(path), words}).flagValues(name)
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
		out = (&line{p, ctx, names(path), words}).argValues(rest)
	}
	return out
}

// flagValues are the known values of a flag. Short names mean other things in each group.
func (l *line) flagValues(name string) []string {
	if list := l.Listed[l.command+" "+name]; list != nil {
		return list
	}
	group, _, _ := strings.Cut(l.command, " ")
	switch group + " " + name {
	case "kb format":
		return importers.Formats
	case "kb scope":
		return kb.Scopes
	case "kb supersedes", "kb before":
		return l.capsules(false)
	case "memory before":
		return l.items(false)
	case "hook harness":
		return each(hooks.List(), func(h *hooks.HarnessInfo) string { return h.Name })
	case "export format", "export f":
		return []string{"jsonl", "md", "html"}
	case "topic session": // a session's topic tells its id, but for ids that are no file names
		return each(l.topics(topics.KindSession),
			func(t *string) string {
				return strings.TrimPrefix(*t, strings.TrimSuffix(topics.SessionTopic("x"), "x"))
			})
	}
	switch name {
	case "run", "r", "board":
		return l.RunNames()
	case "role":
		return kb.Roles
	case "kind":
		return kb.Kinds
	case "tier", "tiers":
		if strings.HasPrefix(l.command, "memory named") {
			return []string{memory.Workspace, memory.Account}
		}
		return memory.Tiers
	case "scope":
		return l.scopes()
	case "channel":
		return l.channels()
	case "conversation":
		return l.talks()
	case "importance", "i", "min-importance":
		return chunks.Importances
	case "mode":
		return memory.ScrubModes
	case "replaced-by":
		return l.items(false)
	case "subject":
		return l.items(true)
	case "topic":
		return l.topics(topics.Kinds...)
	case "block", "must-surface":
		return board.Priorities
	case "theme":
		return cells.Themes
	case "mute":
		return page.Mutes
	case "format", "f":
		return runcmd.Formats
	case "signal", "addresses":
		return l.signals(board.SignalOpen)
	case "entry", "supports", "contradicts", "supersedes", "origin", "before":
		return l.entries()
	case "by", "worker", "w", "claimed-by", "drop":
		return l.workers()
	}
	return nil
}

// argValues are the known arguments of a command.
func (l *line) argValues(rest []string) []string {
	switch l.command {
	case "hook":
		return l.hookEvents()
	case "claim", "waive", "wait", "answer":
		return l.signals(board.SignalOpen)
	case "reopen":
		return l.signals(board.Addressed, board.Waived)
	case "expect", "done":
		return l.workers()
	case "link", "accept", "kb promote":
		return l.entries()
	case "show":
		return append(l.entries(), l.signals()...)
	case "rm":
		return l.RunNames()
	case "model pull":
		return []string{minilm.DefaultModel}
	case "model verify", "model use":
		models, _ := l.models()
		return each(models, func(m *modelEntry) string { return m.Name })
	case "setup":
		return setup.Names()
	case "completion":
		return []string{"bash", "zsh", "fish"}
	case "state get", "state set":
		return l.onRun(func(b *board.Board) []string {
			vars, _ := b.Variables(l.ctx)
			return each(vars, func(v *board.Variable) string { return v.Key })
		})
	case "kb get", "kb history", "kb restore":
		return l.capsules(true)
	case "kb edit", "kb retire":
		return l.capsules(false)
	case "kb curate":
		return ops.Curations
	case "memory get", "memory restore":
		return l.items(true)
	case "memory forget":
		return l.items(false)
	case "memory scrub":
		return l.scopes()
	case "memory conversation show":
		return l.talks(memory.Statuses...)
	case "memory conversation idle":
		return l.talks(memory.StatusActive)
	case "memory conversation reopen":
		return l.talks(memory.StatusIdle, memory.StatusArchived)
	case "memory conversation archive":
		return l.talks()
	case "context read", "context delete":
		return l.inContext(func(s *chunks.Store) []string {
			found, _ := s.List(l.ctx, chunks.ListQuery{Limit: new(maxCandidates)})
			return each(found.Chunks, func(c *chunks.Meta) string { return c.ID })
		})
	case "topic use":
		return l.topics(topics.KindNamed, topics.KindReview)
	}
	// Words of a line that are not flags; values of flags are among them: rather a candidate
	// too few than one too many.
	if slices.ContainsFunc(rest, func(w string) bool { return !strings.HasPrefix(w, "-") }) {
		return nil
	}
	switch l.command {
	case "memory update":
		return l.items(false)
	case "memory channel describe", "memory channel rm":
		return l.channels()
	case "memory named show", "memory named edit", "memory named rm":
		return l.inMemory(func(s *memory.Store) []string {
			found, _ := s.Named(l.ctx)
			return each(found, func(n *memory.Named) string { return n.Name })
		})
	case "memory conversation invite":
		return l.talks(memory.Statuses...)
	case "context get", "context set":
		return l.inContext(func(s *chunks.Store) []string {
			keys, _ := s.Keys(l.ctx, maxCandidates)
			return keys
		})
	case "topic show", "topic edit", "topic wipe", "topic archive":
		return l.topics(topics.Kinds...)
	}
	return nil
}

// line is a command line that is being completed. What it looks into is not created.
type line struct {
	*program
	ctx     context.Context
	command string
	words   []string
}

// maxCandidates is the most candidates of a completion.
const maxCandidates = 200

// value is what the line gives a flag, else usual.
func (l *line) value(usual string, flags ...string) string {
	for i, w := range l.words {
		switch name, value, hasValue := base.CutFlag(w); {
		case !slices.Contains(flags, name):
		case hasValue:
			usual = value
		case i+1 < len(l.words):
			usual = l.words[i+1]
		}
	}
	return usual
}

func each[T any](all []T, of func(*T) string) (words []string) {
	for i := range all {
		words = append(words, of(&all[i]))
	}
	return words
}

// onRun is what fn finds on the board of the line, if there is one.
func (l *line) onRun(fn func(*board.Board) []string) (words []string) {
	if dir, err := l.BoardsDir(); err == nil {
		_ = kbhome.OnRun(l.ctx, dir, l.value(l.Env("BOARD_RUN"), "run", "r", "board"),
			func(b *board.Board) error { words = fn(b); return nil })
	}
	return words
}

func (l *line) signals(statuses ...string) []string {
	return l.onRun(func(b *board.Board) []string {
		found, _ := b.Signals(l.ctx, board.SignalQuery{Statuses: statuses, Limit: maxCandidates})
		return each(found.Signals, func(s *board.Signal) string { return s.ID })
	})
}

func (l *line) entries() []string {
	return l.onRun(func(b *board.Board) []string {
		found, _ := b.Query(l.ctx, board.Query{Limit: maxCandidates})
		return each(found.Entries, func(e *board.Entry) string { return e.ID })
	})
}

func (l *line) workers() []string {
	return l.onRun(func(b *board.Board) []string {
		st, _ := b.State(l.ctx)
		return each(st.Workers, func(w *board.Worker) string { return w.Name })
	})
}

// capsules are the newest ids of the knowledge base: of active ones, or of all.
func (l *line) capsules(all bool) []string {
	home, err := l.KBHome()
	if err != nil {
		return nil
	}
	k, err := kbhome.Knowledge(l.ctx, home, kb.Options{Sync: kb.SyncNever})
	if err != nil {
		return nil
	}
	defer k.Close()
	found, _, _ := k.List(l.ctx, kb.ListQuery{Superseded: all, Retired: all, Limit: maxCandidates})
	return each(found, func(c *kb.Capsule) string { return c.ID })
}

// inMemory is what fn finds in the memory of the line: of its agent and its workspace.
func (l *line) inMemory(fn func(*memory.Store) []string) []string {
	home, err := l.DataHome()
	if err != nil {
		return nil
	}
	opt := memory.Options{Agent: l.value(l.AgentName(), "agent")}
	dir := l.value(l.Env("BOARD_WORKSPACE"), "workspace")
	if opt.Workspace, err = l.FindWorkspace(cmp.Or(dir, ".")); err != nil || l.MemoryEnvironment(&opt) != nil {
		return nil
	}
	s, err := kbhome.Memory(home, opt)
	if err != nil {
		return nil
	}
	defer s.Close()
	return fn(s)
}

func (l *line) items(forgotten bool) []string {
	return l.inMemory(func(s *memory.Store) []string {
		found, _, _ := s.List(l.ctx, memory.ListQuery{Forgotten: forgotten, Limit: maxCandidates})
		return each(found, func(it *memory.Item) string { return it.ID })
	})
}

func (l *line) channels() []string {
	return l.inMemory(func(s *memory.Store) []string {
		found, _ := s.Channels(l.ctx)
		return each(found, func(c *memory.ChannelInfo) string { return c.Name })
	})
}

func (l *line) talks(statuses ...string) []string {
	return l.inMemory(func(s *memory.Store) []string {
		found, _ := s.Conversations(l.ctx, "", statuses, maxCandidates)
		return each(found, func(v *memory.ConversationInfo) string { return v.Ref })
	})
}

// scopes are the existing scopes of the memory.
func (l *line) scopes() []string {
	scopes := []string{memory.Workspace, memory.Account}
	for _, name := range l.channels() {
		scopes = append(scopes, memory.Scope{Tier: memory.Channel, Channel: name}.String())
	}
	for _, ref := range l.talks(memory.Statuses...) {
		scopes = append(scopes, memory.Scope{Tier: memory.Conversation, Conversation: ref}.String())
	}
	return scopes
}

// inContext is what fn finds in the context store of the line. It imports nothing.
func (l *line) inContext(fn func(*chunks.Store) []string) []string {
	s, _, err := kbhome.Context(l.ctx, l.value(chunks.DefaultDir(l.Env), "store"), chunks.Options{})
	if err != nil {
		return nil
	}
	defer s.Close()
	return fn(s)
}

// hookEvents are those of the harness that the line names, else of all.
func (l *line) hookEvents() (events []string) {
	named := l.value("", "harness")
	for _, h := range hooks.List() {
		for _, e := range h.Events {
			if (named == "" || named == h.Name) && !slices.Contains(events, e.Name) {
				events = append(events, e.Name)
			}
		}
	}
	return events
}

// topics are those of some kinds.
func (l *line) topics(kinds ...string) (names []string) {
	all, _ := hookcmd.TopicsOf(l.Program, l.value(l.Env("BOARD_WORKSPACE"), "workspace"))
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
