package main

import (
	"bufio"
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
)

func (p *program) runCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "runs", Category: catRun, Usage: "list the runs, with gate and counts",
			Description: "With --check every file is verified too: SQLite's integrity check, the running counts, and that the\nevent log rebuilds exactly what the tables hold. A run that fails is shown with why, and the exit code is 1.",
			Flags:       []cli.Flag{&cli.BoolFlag{Name: "check", Usage: "verify every file"}, policyFlag(), jsonFlag()},
			Action:      p.runs,
		},
		{
			Name: "new", Category: catRun, Usage: "make a run (the first post does it too)", ArgsUsage: "[RUN]",
			Flags: writeFlags(&cli.StringFlag{Name: "goal", Aliases: []string{"g"}, Usage: "what the run is to find out (`TEXT`)"},
				&cli.BoolFlag{Name: "exists-ok", Usage: "a run that is there already is no error, and stays as it is"}, policyFlag()),
			Action: p.newRun,
		},
		{
			Name: "rm", Category: catRun, Usage: "delete a run and everything on it", ArgsUsage: "RUN",
			Description: "Asks first; without a terminal it needs --yes. The run must be named: $BOARD_RUN does not count. `board export` before it keeps what was found.",
			Flags:       readFlags(&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"}),
			Action:      p.rm,
		},
	}
}

func (p *program) runs(c *cli.Context) error {
	dir, err := p.boardsDir()
	if err != nil {
		return err
	}
	follow, err := p.policy(c)
	if err != nil {
		return err
	}
	infos, err := board.List(c.Context, dir, follow.Gate)
	if err != nil {
		return err
	}
	bad := false
	for i := range infos {
		if c.Bool("check") && infos[i].Error == "" {
			if err := checkRun(c, dir, infos[i].Run); err != nil {
				infos[i].Error = err.Error()
			}
		}
		bad = bad || infos[i].Error != ""
	}
	if c.Bool("json") {
		if err := p.json("runs", infos); err != nil {
			return err
		}
	} else if len(infos) == 0 {
		p.talk("no runs yet; `board demo` shows one, the first `board post` makes one")
	} else {
		width := 0
		for _, r := range infos {
			width = max(width, len(r.Run))
		}
		for _, r := range infos {
			name := r.Run + strings.Repeat(" ", width-len(r.Run))
			if r.Error != "" {
				p.printf("%s  %s  %s\n", name, p.paint(red, "ERROR "), safe(r.Error))
				continue
			}
			verified := ""
			if c.Bool("check") {
				verified = ", verified"
			}
			p.printf("%s  %s  %s  %s%s\n", name, p.light(r.Open), clock(r.Updated),
				strings.Join([]string{count(r.Entries, "entry", "entries"), count(r.OpenSignal, "open signal", "open signals"),
					count(r.Blocking, "blocking", "blocking"), count(int64(r.Workers), "worker", "workers")}, ", "), verified)
		}
	}
	if bad && c.Bool("check") {
		return verdictError(exitFailure)
	}
	return nil
}

func checkRun(c *cli.Context, dir, run string) error {
	b, err := board.Open(c.Context, dir, run)
	if err != nil {
		return err
	}
	defer b.Close()
	return b.Check(c.Context)
}

// light is the gate in one word.
func (p *program) light(open bool) string {
	if open {
		return p.paint(green, "open  ")
	}
	return p.paint(red, "CLOSED")
}

// namedRun is the run of a command that takes it as its argument, or by the flag.
func namedRun(c *cli.Context) (string, error) {
	switch {
	case c.NArg() > 1:
		return "", usagef("name one", "`board %s` takes one run, but got %d", c.Command.Name, c.NArg())
	case c.NArg() == 1 && c.IsSet("run") && c.String("run") != c.Args().First():
		return "", usagef("name one", "two runs are named: %q and %q", c.Args().First(), c.String("run"))
	case c.NArg() == 1:
		return c.Args().First(), board.CheckRun(c.Args().First())
	case c.IsSet("run"):
		return c.String("run"), board.CheckRun(c.String("run"))
	}
	return "", usagef("`board "+c.Command.Name+" NAME`", "no run is named")
}

func (p *program) newRun(c *cli.Context) error {
	if c.NArg() == 0 && !c.IsSet("run") {
		name, err := p.runName(c) // $BOARD_RUN is what a script has set up
		if err != nil {
			return err
		}
		return p.makeRun(c, name)
	}
	name, err := namedRun(c)
	if err != nil {
		return err
	}
	return p.makeRun(c, name)
}

// makeRun makes a run. It expects the workers that the policy does.
func (p *program) makeRun(c *cli.Context, name string) error {
	dir, err := p.boardsDir()
	if err != nil {
		return err
	}
	follow, err := p.policy(c)
	if err != nil {
		return err
	}
	b, err := board.Create(c.Context, dir, name, c.String("goal"), p.workerName(c))
	there := errors.Is(err, fault.Conflict) && c.Bool("exists-ok")
	if there {
		b, err = board.Open(c.Context, dir, name)
	}
	if errors.Is(err, fault.Conflict) {
		err = fault.With(err, "choose another name; --exists-ok goes on with the one that is there")
	}
	if err != nil {
		return err
	}
	defer b.Close()
	if expect := follow.Gate.Expect; len(expect) > 0 {
		if _, err := b.Expect(c.Context, p.workerName(c), expect, false); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		st, err := b.State(c.Context)
		if err != nil {
			return err
		}
		return p.json("state", st)
	}
	p.printf("run %s %s\n", name, map[bool]string{true: "is there already, and goes on", false: "made"}[there])
	if expect := follow.Gate.Expect; len(expect) > 0 {
		p.printf("its gate waits for %s, as %s says\n", safe(strings.Join(expect, ", ")), safe(follow.Path))
	}
	if p.env("BOARD_RUN") != name {
		p.talk("export BOARD_RUN=%s and every command is about it", name)
	}
	return nil
}

func (p *program) rm(c *cli.Context) error {
	name, err := namedRun(c) // never $BOARD_RUN: what is deleted is said
	if err != nil {
		return err
	}
	dir, err := p.boardsDir()
	if err != nil {
		return err
	}
	seen := int64(0) // --yes: whatever is on it
	if !c.Bool("yes") {
		if !isTerminal(p.in) {
			return usagef("add --yes to confirm", "deleting the run %s must be confirmed", name)
		}
		b, err := board.Open(c.Context, dir, name)
		if err != nil {
			return err
		}
		st, err := b.State(c.Context)
		b.Close()
		if err != nil {
			return err
		}
		seen = st.Seq
		p.talk("Delete the run %s with %s and %s? It cannot be undone. [y/N] ", name,
			count(st.Entries.Total, "entry", "entries"), count(st.Signals.Total, "signal", "signals"))
		answer, err := p.readLine(c.Context)
		if err != nil {
			return err
		}
		if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
			p.talk("kept")
			return verdictError(exitFailure)
		}
	}
	if err := board.Remove(c.Context, dir, name, seen); err != nil {
		return err
	}
	return p.answer(c, nil, func() { p.printf("run %s deleted\n", name) }, "removed", name)
}

// readLine reads one line of what a person types. A signal ends the wait.
func (p *program) readLine(ctx context.Context) (string, error) {
	done := make(chan string, 1)
	go func() {
		l, _ := bufio.NewReader(p.in).ReadString('\n') // no answer is an answer
		done <- l
	}()
	select {
	case l := <-done:
		return l, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
