package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/cmd/board/daemon"
	"blackboard/cmd/board/doctor"
	"blackboard/hooks/setup"
	"blackboard/kb"
	"blackboard/kb/memory"
)

func (p *program) doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor", Category: catProgram, Usage: "look at everything, say what is wrong, and mend what can be: exit 1 if something is broken",
		Description: `Boards, knowledge base, memory, the context store here, topics, daemon, model,
environment, harnesses, permissions, space, clock. Looking changes nothing, but
that a file of an older version is brought up to date, as by any command; where
hooks write, it makes a file and removes it.

What an earlier version may have damaged is found: SQLite's integrity check, ids
and events without a gap, the event log against the tables, capsules against
their files. A write that such a version lost as a whole left nothing to find.

  --full       reads the rest too: search indexes, metadata, documents, checksums
  --repair     shows what it would do and asks. What it changes or removes is
               copied before, to backups/TIME in the data home; nothing is deleted.
               A damaged board is made anew from its event log; if that is not
               whole, what can be read goes into the new run NAME-salvaged, and the
               board stays. Other stores are made anew from what can be read.
               What is lost is told, and all of it is written down in the backup
  --selftest   tries this disk, and this program on it: servers that several calls
               are under way to, and commands beside them, write to all stores, and
               some are killed. It counts what was acknowledged and what is there,
               ids given twice, changes won by two and errors of SQLite, in a
               directory of its own that is removed

Exit codes: 0 nothing is broken, 1 something is, 2 --repair has nobody to ask.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "full", Usage: "read everything, which may take minutes"},
			&cli.BoolFlag{Name: "repair", Usage: "mend what can be mended, after a backup; then look again"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "with --repair: do not ask"},
			&cli.BoolFlag{Name: "selftest", Usage: "write, kill and count, in a directory of its own"},
			&cli.IntFlag{Name: "seconds", Usage: "with --selftest: write for `N` seconds", Value: 6},
			&cli.IntFlag{Name: "writers", Usage: "with --selftest: so many commands at a time, `N`, beside the servers", Value: 8},
			jsonFlag(),
		},
		Action: p.doctorRun,
	}
}

// doctorRun looks, and does what the flags ask for.
func (p *program) doctorRun(c *cli.Context) error {
	if err := doctorFlags(c); err != nil {
		return err
	}
	home, err := p.dataHome()
	if err != nil {
		return err
	}
	if c.Bool("selftest") {
		return p.selftest(c, home)
	}
	d := &doctor.Doctor{Config: p.doctorConfig(c, home)}
	found, err := d.Look(c.Context)
	if err != nil {
		return err
	}
	if c.Bool("repair") {
		return p.doctorRepair(c, d, found)
	}
	return p.tellFindings(c, found, nil, "")
}

func (p *program) doctorConfig(c *cli.Context, home string) doctor.Config {
	return doctor.Config{
		Home: home, Full: c.Bool("full"), Env: p.env, Variables: p.doctorVariables(),
		Build: daemon.Build(versionString()), ModelDir: p.usedModelDir(home), Model: p.ownEmbedder,
		Setup: func() (*setup.Setup, string, error) { return p.openSetup(false) },
		Words: words, Progress: p.doctorBar(),
	}
}

// doctorVariables are the variables that commands read, with what each would say of its value.
func (p *program) doctorVariables() []doctor.Variable {
	_, mode := p.daemonMode()
	_, create := p.creationOff()
	_, curate := p.curateEvery()
	var watch error
	if v := p.env("BOARD_WATCH"); v != "" && v != "poll" {
		watch = usagef("poll, or leave it unset", "$BOARD_WATCH is %q", line(v, 40))
	}
	var database error
	if url := p.databaseURL(); url != "" {
		_, database = board.UseDatabase(url)
	}
	name := "BOARD_MEMORY_DECAY"
	_, err := memory.ParseRates(p.env(name))
	if err == nil {
		name = "BOARD_MEMORY_GRANTS"
		if err = p.memoryEnvironment(&memory.Options{}); err != nil && strings.Contains(err.Error(), "$BOARD_MEMORY_TIERS") {
			name = "BOARD_MEMORY_TIERS"
		}
	}
	return []doctor.Variable{
		{Name: "BOARD_DAEMON", Err: mode}, {Name: "BOARD_CREATE", Err: create}, {Name: "BOARD_DATABASE_URL", Err: database},
		{Name: "BOARD_CURATE_EVERY", Err: curate}, {Name: name, Err: err}, {Name: "BOARD_WATCH", Err: watch},
	}
}

// doctorRepair shows the plan, asks, has it done, and looks again.
func (p *program) doctorRepair(c *cli.Context, d *doctor.Doctor, found []doctor.Finding) error {
	plan := d.Plan()
	if len(plan.Steps) == 0 {
		return p.tellFindings(c, found, []doctor.Repaired{}, "")
	}
	if !c.Bool("json") {
		p.showPlan(plan)
	}
	if !c.Bool("yes") {
		if !isTerminal(p.in) || c.Bool("json") {
			return usagef("add --yes to do it; without --repair nothing is changed", "there is nobody to ask: standard input is no terminal, or --json is given")
		}
		if !p.agreed("Do this? [y/N] ") {
			p.talk("nothing was changed")
			return verdictError(exitFailure)
		}
	}
	done, err := d.Repair(c.Context, plan)
	if err != nil {
		return err
	}
	if !c.Bool("json") {
		p.showDone(done, plan)
	}
	if found, err = d.Look(c.Context); err != nil {
		return err
	}
	return p.tellFindings(c, found, done, plan.Backup)
}

// doctorFlags refuses what does not go together.
func doctorFlags(c *cli.Context) error {
	if err := noArgs(c); err != nil {
		return err
	}
	for _, name := range []string{"full", "repair", "yes"} {
		if c.Bool("selftest") && c.Bool(name) {
			return usagef("give one of them", "--selftest and --%s do not go together", name)
		}
	}
	for _, name := range []string{"seconds", "writers"} {
		if c.IsSet(name) && !c.Bool("selftest") {
			return usagef("add --selftest", "--%s has no meaning without --selftest", name)
		}
	}
	switch {
	case c.Bool("yes") && !c.Bool("repair"):
		return usagef("add --repair", "--yes has no meaning without --repair")
	case c.Int("seconds") < 1 || c.Int("seconds") > 3600:
		return usagef("give 1 to 3600", "--seconds is %d", c.Int("seconds"))
	case c.Int("writers") < 1 || c.Int("writers") > 64:
		return usagef("give 1 to 64", "--writers is %d", c.Int("writers"))
	}
	return nil
}

func (p *program) showPlan(plan doctor.Plan) {
	p.printf("%s\n", p.paint(bold, "what would be done"))
	for _, f := range plan.Steps {
		p.printf("  %s, %s: %s\n", f.Area, line(f.What, 60), safe(f.Step.Offer))
		p.printf("    found: %s\n", safe(f.Say))
		for _, path := range f.Step.Changes {
			p.printf("    copied before: %s\n", safe(path))
		}
	}
	p.printf("  the backup: %s\n", safe(plan.Backup))
}

func (p *program) showDone(done []doctor.Repaired, plan doctor.Plan) {
	p.printf("%s\n", p.paint(bold, "what was done"))
	for _, r := range done {
		if r.Error != "" {
			p.printf("  %s  %s, %s: %s\n", p.paint(red, "FAILED"), r.Area, line(r.What, 60), safe(r.Error))
		} else {
			p.printf("  %s  %s, %s: %s\n", p.paint(green, "done  "), r.Area, line(r.What, 60), safe(r.Say))
		}
	}
	p.printf("  what was there before: %s\n", safe(plan.Backup))
}

// tellFindings prints what was found, and what was repaired before that, and ends with 1 if something is broken.
func (p *program) tellFindings(c *cli.Context, found []doctor.Finding, repairs []doctor.Repaired, backup string) error {
	n := map[string]int{}
	mendable := 0
	for _, f := range found {
		n[f.State]++
		if f.Repair {
			mendable++
		}
	}
	failed := slices.ContainsFunc(repairs, func(r doctor.Repaired) bool { return r.Error != "" })
	err := p.answer(c, nil, func() {
		p.printFindings(found)
		p.printf("%d broken, %d worth knowing, %d well", n[kb.StateBroken], n[kb.StateNote], n[kb.StateOK])
		switch {
		case mendable > 0 && repairs == nil:
			p.printf("; `board doctor --repair` can mend %d of them", mendable)
		case !c.Bool("full"):
			p.printf("; `board doctor --full` reads everything")
		}
		p.printf("\n")
	}, "findings", found, "broken", n[kb.StateBroken], "notes", n[kb.StateNote], "well", n[kb.StateOK], "full", c.Bool("full"),
		"repairs", append([]doctor.Repaired{}, repairs...), "backup", backup)
	if err != nil {
		return err
	}
	if n[kb.StateBroken] > 0 || failed {
		return verdictError(exitFailure)
	}
	return nil
}

// printFindings prints them, area by area.
func (p *program) printFindings(found []doctor.Finding) {
	width := 0
	for i := range found {
		width = max(width, len([]rune(found[i].What)))
	}
	width = min(width, 30)
	area := ""
	for i := range found {
		f := &found[i]
		if f.Area != area {
			area = f.Area
			p.printf("%s\n", p.paint(bold, area))
		}
		mark := map[string]string{kb.StateOK: p.paint(green, "ok    "), kb.StateNote: p.paint(yellow, "note  "), kb.StateBroken: p.paint(red, "BROKEN")}[f.State]
		p.printf("  %s  %-*s  %s\n", mark, width, line(f.What, 30), safe(f.Say))
		if f.Try != "" {
			p.printf("          try: %s\n", safe(f.Try))
		}
	}
}

// selftest tries this program.
func (p *program) selftest(c *cli.Context, home string) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("the path of this program is not known: %w", err)
	}
	r, err := doctor.Selftest(c.Context, doctor.SelftestOptions{
		Home: home, Program: exe, Seconds: c.Int("seconds"), Writers: c.Int("writers"), Progress: p.doctorBar(),
	})
	if err := p.answer(c, err, func() { p.tellSelftest(r) }, "selftest", r); err != nil {
		return err
	}
	if !r.OK {
		return verdictError(exitFailure)
	}
	return nil
}

func (p *program) tellSelftest(r *doctor.SelftestResult) {
	p.printf("wrote        for %d s with %d at a time in %s, which is gone\n", r.Seconds, r.Writers, safe(r.Directory))
	p.printf("processes    %d, %d of them killed, %d failed\n", r.Processes, r.Killed, r.Failed)
	if r.Failure != "" {
		p.printf("             the first that failed: %s\n", line(r.Failure, 200))
	}
	p.printf("servers      %d, %d of them killed; %d calls, %d at a time, %d answered with an error\n", r.Servers.Processes, r.Servers.Killed, r.Servers.Calls, r.Servers.Overlap, r.Servers.Errors)
	if r.Servers.Error != "" {
		p.printf("             the first error: %s\n", line(r.Servers.Error, 200))
	}
	for _, n := range []struct {
		name string
		n    *doctor.SelftestCount
	}{{"entries", &r.Entries}, {"capsules", &r.Capsules}, {"items", &r.Items}, {"chunks", &r.Chunks}} {
		p.printf("%-12s %d acknowledged, %d of them found; %d more of processes that were killed\n", n.name, n.n.Acknowledged, n.n.Found, n.n.Unacknowledged)
	}
	p.printf("variable     set by its version %d times, refused %d times, won twice %d times\n", r.CompareAndSet.Won, r.CompareAndSet.Refused, r.CompareAndSet.Twice)
	p.printf("fsync        median %.2f ms, 99 %% within %.2f ms, of %d\n", r.Fsync.Median, r.Fsync.P99, r.Fsync.Samples)
	for _, problem := range r.Problems {
		p.printf("%s  %s\n", p.paint(red, "WRONG"), safe(problem))
	}
	if r.OK {
		p.printf("nothing that was acknowledged is missing, and all files are sound\n")
	} else {
		p.printf("this disk, or this program, does not keep what it acknowledges: do not trust it with what matters\n")
	}
}
