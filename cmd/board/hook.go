package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/hooks"
	"blackboard/hooks/harness"
)

func (p *program) hookCommand() *cli.Command {
	return &cli.Command{
		Name: "hook", Category: catKnow, Usage: "what agents' harnesses call: give a session its start, recall for a prompt, record tools", ArgsUsage: "EVENT",
		Description: `Reads the event from standard input, as the harness sends it, and prints one JSON
object in the harness's form; {} where there is nothing to say. It never breaks a
turn: it ends within $BOARD_HOOK_TIMEOUT (300ms) with exit 0 and nothing on
standard error; what went wrong is in log/hooks.log of the data home.

  session start    one page: the topic's spec, the gate of $BOARD_RUN, the end of the
                   worklog, capsules about the topic, the memory (named entries, the
                   agent's own notes, what is critical, about the topic and recent),
                   the rules "What counts as verified …". Your own rules go into
                   prefix.txt in $BOARD_CONFIG_DIR, else $XDG_CONFIG_HOME/blackboard,
                   else ~/.config/blackboard; an empty file leaves them out.
                   A resumed session gets what is new, after a compaction all
  prompt           capsules and memories that are surely about it (board kb calibrate
                   measures how sure) and were not given yet, open signals of $BOARD_RUN
                   that are for $BOARD_WORKER
  tool             a line in the worklog; secrets are masked, <private>…</private> is dropped
  session end      the session's sum in the worklog

$BOARD_DEPTH: fast, balanced (the default) or deep: how much is given.
$BOARD_HOOK_CONTEXT=0 gives nothing, and records all the same.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "harness", Usage: "the `NAME` of the harness; default: what the payload looks like"},
			&cli.StringFlag{Name: "budget", Usage: "the answer has at most `N` tokens; default 600 for a prompt, 1500 for a session's start"},
			&cli.StringFlag{Name: "limit", Usage: "the answer has at most `N` capsules; default 3"},
			&cli.BoolFlag{Name: "list", Usage: "list the harnesses, their events, and what is done at each"},
			jsonFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.Bool("list") {
				return p.hookList(c)
			}
			p.hook(c)
			return nil
		},
	}
}

// hook answers an event. It has no errors: whoever calls it is in the middle of something.
func (p *program) hook(c *cli.Context) {
	home, err := p.dataHome()
	if err != nil {
		home = "" // then there is nothing to remember, and nowhere to log
	}
	search := p.hookSearcher(home)
	cfg := hooks.Config{Harness: c.String("harness"), Event: strings.Join(c.Args().Slice(), " "), Home: home, Env: p.env, Words: words, Budget: hookNumber(c, "budget"), Limit: min(hookNumber(c, "limit"), 100)}
	if home != "" {
		cfg.Searcher, cfg.Memory = search, search.memory
	}
	if url := p.databaseURL(); url != "" {
		if cfg.Boards, err = board.UseDatabase(url); err != nil {
			cfg.Boards = url // which no directory is called: nothing else takes its place
			hooks.Log(home, "the database of the boards: %v", err)
		}
	}
	in := p.in
	if isTerminal(in) { // a person who wants to see what a session starts with
		in = strings.NewReader("{}")
	}
	r := hooks.Handle(c.Context, cfg, in)
	// Not through p.out, whose errors become those of the program: a harness that has hung up is none.
	p.out.w.Write(r.Answer)
	search.afterwards(r.Kind)
	if r.Kind == harness.SessionEnd && home != "" {
		if err := p.tidyMemory(c.Context, home, r.Dir); err != nil {
			hooks.Log(home, "tidy up the memory of %s: %v", r.Dir, err)
		}
	}
}

// hookNumber is a flag's number, 0 for what is none: a configuration with a mistake must not stop the harness.
func hookNumber(c *cli.Context, name string) int {
	n, err := strconv.Atoi(c.String(name))
	if err != nil {
		return 0
	}
	return max(0, n)
}

func (p *program) hookList(c *cli.Context) error {
	if err := noArgs(c); err != nil {
		return err
	}
	all := hooks.List()
	if c.Bool("json") {
		return p.json("harnesses", all, "depths", hooks.Depths)
	}
	for i, h := range all {
		if i > 0 {
			p.printf("\n")
		}
		p.printf("%s", h.Name)
		if len(h.Aliases) > 0 {
			p.printf(" (%s)", strings.Join(h.Aliases, ", "))
		}
		if h.Untried {
			p.printf(": untried, by its documentation only")
		}
		p.printf("\n")
		for _, e := range h.Events {
			p.printf("  %-34s %-15s %s\n", e.Name, e.Kind, e.Does)
		}
	}
	return nil
}

// hookFlagValues are the values of the hook command's flags.
func hookFlagValues(name string) (values []string) {
	if name == "harness" {
		for _, h := range hooks.List() {
			values = append(values, h.Name)
		}
	}
	return values
}

// hookArgValues are the events of the harness that the line names, else of all.
func hookArgValues(words []string) (values []string) {
	for _, h := range hooks.List() {
		named := slices.Contains(words, "--harness="+h.Name)
		for i := 1; i < len(words); i++ {
			named = named || words[i] == h.Name && words[i-1] == "--harness"
		}
		for _, e := range h.Events {
			if named || !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "--harness") }) {
				if !slices.Contains(values, e.Name) {
					values = append(values, e.Name)
				}
			}
		}
	}
	return values
}
