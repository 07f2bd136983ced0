package hookcmd

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/hooks"
	"blackboard/hooks/harness"
)

func (p *program) hookCommand() *cli.Command {
	return &cli.Command{
		Name: "hook", Category: base.CategoryKnow,
		Usage:     "the command that harnesses call: start a session, recall for a prompt, record tools",
		ArgsUsage: "EVENT",
		Description: `Reads the harness's event from standard input and prints one JSON object in the
harness's format, {} if there is nothing to add. It never breaks a turn: it ends
within $BOARD_HOOK_TIMEOUT (300ms) with exit 0 and prints nothing to stderr. One
event has exit 2: a worker that the run expects, and that has posted nothing, is kept
at work once when it says that a task is done (TaskCompleted of Claude Code).
Errors are logged in log/hooks.log of the data home, and {} is also the answer after
an error. log/recall.log says what was considered for each answer, and why it was given
or left out. To try a hook by hand, add --strict.

  session start    one page: what keeps the gate of $BOARD_RUN closed, the memory (named
                   entries, what is critical, about the topic and recent, the agent's
                   own notes), the topic's spec, the end of the worklog, capsules,
                   the rules "Verified means …". Your own rules go into
                   prefix.txt in $BOARD_CONFIG_DIR, else $XDG_CONFIG_HOME/blackboard,
                   else ~/.config/blackboard, with at most 4,000 bytes; empty: no rules.
                   A resumed session gets what is new, after a compaction all
  prompt           confident matches among capsules and memories (board kb calibrate
                   measures the threshold), each once a session; open questions of
                   $BOARD_RUN that are for $BOARD_WORKER
  tool             a line in the worklog; secrets are masked, <private>…</private> is dropped
  session end      the session's summary in the worklog

$BOARD_DEPTH sets how much is given: fast, balanced (the default) or deep.
$BOARD_HOOK_CONTEXT=0 gives nothing, but still records.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "harness",
				Usage: "the `NAME` of the harness; default: detected from the payload"},
			&cli.StringFlag{Name: "budget",
				Usage: "the answer has at most `N` tokens; default 600 for a prompt, 1500 for a session's " +
					"start"},
			&cli.StringFlag{Name: "limit", Usage: "the answer has at most `N` capsules; default 3"},
			&cli.BoolFlag{Name: "strict",
				Usage: "print errors to stderr too, and exit with 2 after one; not for harnesses"},
		},
		Action: func(c *cli.Context) error {
			problems, refused := p.hook(c)
			if c.Bool("strict") && len(problems) > 0 {
				return fault.Usage.New(base.Safe(strings.Join(problems, "; ")), "")
			}
			if refused {
				return base.ExitError(refusal)
			}
			return nil
		},
	}
}

// refusal is the exit code of a hook that refuses an event.
const refusal = 2

// hook answers an event. It returns the problems that it has logged, and whether the event is refused.
func (p *program) hook(c *cli.Context) (logged []string, refused bool) {
	cfg, search, _ := p.hookConfig()
	home := cfg.Home // "": there is nothing to remember, and nowhere to log
	cfg.Harness, cfg.Event = c.String("harness"), strings.Join(c.Args().Slice(), " ")
	cfg.Budget, cfg.Limit = hookNumber(c, "budget"), min(hookNumber(c, "limit"), 100)
	var mu sync.Mutex
	var problems []string // not the result: work that is late may still add some
	cfg.Told = func(problem string) {
		mu.Lock()
		defer mu.Unlock()
		problems = append(problems, problem)
	}
	in := p.In
	if base.IsTerminal(in) { // a person who wants to see what a session starts with
		in = strings.NewReader("{}")
	}
	r := hooks.Handle(c.Context, cfg, in)
	// Not through p.Out, whose errors fail the program: a harness may hang up.
	p.Out.W.Write(r.Answer)
	if r.Refused {
		io.WriteString(p.Err, r.Text+"\n")
	}
	search.startDaemon(r.Kind)
	if r.Kind == harness.SessionStart && home != "" {
		p.recognise(c.Context, home, r.Dir)
	}
	if r.Kind == harness.SessionEnd && home != "" {
		if err := p.tidyMemory(c.Context, home, r.Dir); err != nil {
			hooks.Log(home, "tidy up the memory of %s: %v", r.Dir, err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(problems), r.Refused
}

func (p *program) hookConfig() (hooks.Config, *Searcher, error) {
	home, err := p.DataHome()
	if err != nil {
		home = ""
	}
	search := p.hookSearcher(home)
	cfg := hooks.Config{Home: home, Env: p.Env, Words: base.CommandFor, Boards: p.BoardsDirFrom}
	if home != "" {
		cfg.Searcher, cfg.Memory = search, search.memory
	}
	return cfg, search, err
}

// hookNumber is a flag's number, 0 if invalid or negative: the harness must not stop for it.
func hookNumber(c *cli.Context, name string) int {
	n, err := strconv.Atoi(c.String(name))
	if err != nil {
		return 0
	}
	return max(0, n)
}
