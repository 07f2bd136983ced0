package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/daemon"
	"blackboard/cmd/board/doctor"
	"blackboard/cmd/board/hookcmd"
	"blackboard/hooks/setup"
	"blackboard/kb"
	"blackboard/kb/memory"
)

func (p *program) doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor", Category: base.CategoryProgram,
		Usage: "check everything, and repair what can be repaired: exit 1 if something is broken",
		Description: `Boards, knowledge base, memory, the context store here, topics, daemon, model,
environment, harnesses, permissions, space, clock. For a database, the check says
whether it can be used (board database check verifies it). It changes nothing,
except that files of an older version are migrated, as by any command, and a
file is created and removed where hooks write.

It finds damage by earlier versions: SQLite's integrity check, ids and events
without a gap, the event log against the tables, capsules against their files. A
write that such a version lost completely left no trace.

  --full       also reads search indexes, metadata, documents, checksums
  --repair     shows the plan and asks. Files are copied to backups/TIME in the data
               home before they are changed; nothing is deleted. A damaged board is
               rebuilt from its event log. If the log is damaged too, the readable
               part goes into the new run NAME-salvaged, and the board is kept.
               Other stores are rebuilt from what can be read. The answer and the
               backup list what is lost
  --selftest   tests this disk and this program: servers and commands write to all
               stores at the same time, and some are killed. It counts acknowledged
               and found writes, duplicate ids, changes won twice and errors of
               SQLite, in a temporary directory

Exit codes: 0 nothing is broken, 1 something is, 2 --repair cannot ask.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "full", Usage: "read everything, which may take minutes"},
			&cli.BoolFlag{Name: "repair",
				Usage: "repair what can be repaired, after a backup; then check again"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "with --repair: do not ask"},
			&cli.BoolFlag{Name: "selftest", Usage: "write, kill and count, in a directory of its own"},
			&cli.IntFlag{Name: "seconds", Usage: "with --selftest: write for `N` seconds", Value: 6},
			&cli.IntFlag{Name: "writers",
				Usage: "with --selftest: run `N` commands at a time beside the servers", Value: 8},
			base.JSONFlag(),
		},
		Action: p.doctorRun,
	}
}

// doctorRun checks, and repairs if the flags ask for it.
func (p *program) doctorRun(c *cli.Context) error {
	if err := doctorFlags(c); err != nil {
		return err
	}
	home, err := p.DataHome()
	if home == "" {
		return err // a file in its place is a finding
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
		Home: home, Full: c.Bool("full"), Env: p.Env, Variables: p.doctorVariables(),
		Build: daemon.Build(base.Version()), ModelDir: p.ModelDir(home), Model: p.OwnEmbedder,
		Setup:    func() (*setup.Setup, string, error) { return hookcmd.OpenSetup(p.Program) },
		Database: p.databaseState,
		Words:    base.CommandFor, Progress: p.doctorBar(),
	}
}

// doctorVariables are environment variables, with the check of their values.
func (p *program) doctorVariables() []doctor.Variable {
	_, mode := p.DaemonMode()
	_, create := p.CreationOff()
	_, curate := p.curateEvery()
	var watch error
	if v := p.Env("BOARD_WATCH"); v != "" && v != "poll" {
		watch = base.Usagef("set it to poll, or leave it unset", "invalid $BOARD_WATCH %q",
			base.Line(v, 40))
	}
	var database error
	if url, err := p.DatabaseURL(""); url != "" || err != nil {
		_, database = board.UseDatabase(url)
	}
	name := "BOARD_MEMORY_DECAY"
	_, err := memory.ParseRates(p.Env(name))
	if err == nil {
		name = "BOARD_MEMORY_GRANTS"
		if err = p.MemoryEnvironment(&memory.Options{}); err != nil &&
			strings.Contains(err.Error(), "$BOARD_MEMORY_TIERS") {
			name = "BOARD_MEMORY_TIERS"
		}
	}
	return []doctor.Variable{
		{Name: "BOARD_DAEMON", Err: mode}, {Name: "BOARD_CREATE", Err: create},
		{Name: "BOARD_DATABASE_URL", Err: database},
		{Name: "BOARD_CURATE_EVERY", Err: curate}, {Name: name, Err: err},
		{Name: "BOARD_WATCH", Err: watch},
	}
}

// doctorRepair shows the plan, asks, repairs, and checks again.
func (p *program) doctorRepair(c *cli.Context, d *doctor.Doctor, found []doctor.Finding) error {
	plan := d.Plan()
	if len(plan.Steps) == 0 {
		return p.tellFindings(c, found, []doctor.Repaired{}, "")
	}
	if !c.Bool("json") {
		p.showPlan(plan)
	}
	if !c.Bool("yes") {
		if err := p.Asks(c, "add --yes to do it; without --repair nothing is changed"); err != nil {
			return err
		}
		yes, err := p.Ask(c.Context, "Do this?")
		if err != nil {
			return err
		}
		if !yes {
			p.Messagef("nothing was changed")
			return base.ExitError(base.ExitFailure)
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

// doctorFlags refuses flags that contradict each other.
func doctorFlags(c *cli.Context) error {
	if err := base.NoArgs(c); err != nil {
		return err
	}
	for _, name := range []string{"full", "repair", "yes"} {
		if c.Bool("selftest") && c.Bool(name) {
			return base.Usagef("give one of them", "--selftest and --%s do not go together", name)
		}
	}
	for _, name := range []string{"seconds", "writers"} {
		if c.IsSet(name) && !c.Bool("selftest") {
			return base.Usagef("add --selftest", "--%s needs --selftest", name)
		}
	}
	switch {
	case c.Bool("yes") && !c.Bool("repair"):
		return base.Usagef("add --repair", "--yes needs --repair")
	case c.Int("seconds") < 1 || c.Int("seconds") > 3600:
		return base.Usagef("give 1 to 3600", "--seconds is %d", c.Int("seconds"))
	case c.Int("writers") < 1 || c.Int("writers") > 64:
		return base.Usagef("give 1 to 64", "--writers is %d", c.Int("writers"))
	}
	return nil
}

func (p *program) showPlan(plan doctor.Plan) {
	p.Printf("%s\n", p.Paint(base.Bold, "what would be done"))
	for _, f := range plan.Steps {
		p.Printf("  %s, %s: %s\n", f.Area, base.Line(f.What, 60), base.Safe(f.Step.Offer))
		p.Printf("    found: %s\n", base.Safe(f.Say))
		for _, path := range f.Step.Changes {
			p.Printf("    copied before: %s\n", base.Safe(path))
		}
	}
	p.Printf("  the backup: %s\n", base.Safe(plan.Backup))
}

func (p *program) showDone(done []doctor.Repaired, plan doctor.Plan) {
	p.Printf("%s\n", p.Paint(base.Bold, "what was done"))
	for _, r := range done {
		if r.Error != "" {
			p.Printf("  %s  %s, %s: %s\n", p.Paint(base.Red, "FAILED"), r.Area, base.Line(r.What, 60),
				base.Safe(r.Error))
		} else {
			p.Printf("  %s  %s, %s: %s\n", p.Paint(base.Green, "done  "), r.Area, base.Line(r.What, 60),
				base.Safe(r.Say))
		}
	}
	p.Printf("  what was there before: %s\n", base.Safe(plan.Backup))
}

// tellFindings prints repairs and findings, with exit code 1 if something is broken.
func (p *program) tellFindings(c *cli.Context, found []doctor.Finding, repairs []doctor.Repaired,
	backup string) error {
	n := map[string]int{}
	repairable := 0
	for _, f := range found {
		n[f.State]++
		if f.Repair {
			repairable++
		}
	}
	failed := slices.ContainsFunc(repairs, func(r doctor.Repaired) bool { return r.Error != "" })
	err := p.Answer(c, nil, func() {
		p.printFindings(found)
		p.Printf("%d broken, %s, %d ok", n[kb.StateBroken],
			base.Count(int64(n[kb.StateNote]), "note", "notes"), n[kb.StateOK])
		switch {
		case repairable > 0 && repairs == nil:
			p.Printf("; `board doctor --repair` can repair %d of them", repairable)
		case !c.Bool("full"):
			p.Printf("; `board doctor --full` checks everything")
		}
		p.Printf("\n")
	}, "findings", found, "broken", n[kb.StateBroken], "notes", n[kb.StateNote], "well",
		n[kb.StateOK], "full", c.Bool("full"),
		"repairs", append([]doctor.Repaired{}, repairs...), "backup", backup)
	if err != nil {
		return err
	}
	if n[kb.StateBroken] > 0 || failed {
		return base.ExitError(base.ExitFailure)
	}
	return nil
}

// printFindings prints findings by area.
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
			p.Printf("%s\n", p.Paint(base.Bold, area))
		}
		mark := map[string]string{kb.StateOK: p.Paint(base.Green, "ok    "),
			kb.StateNote: p.Paint(base.Yellow, "note  "), kb.StateBroken: p.Paint(base.Red,
				"BROKEN")}[f.State]
		p.Printf("  %s  %-*s  %s\n", mark, width, base.Line(f.What, 30), base.Safe(f.Say))
		if f.Try != "" {
			p.Printf("          try: %s\n", base.Safe(f.Try))
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
		Home: home, Program: exe, Seconds: c.Int("seconds"), Writers: c.Int("writers"),
		Progress: p.doctorBar(),
	})
	if err := p.Answer(c, err, func() { p.tellSelftest(r) }, "selftest", r); err != nil {
		return err
	}
	if !r.OK {
		return base.ExitError(base.ExitFailure)
	}
	return nil
}

func (p *program) tellSelftest(r *doctor.SelftestResult) {
	p.Printf("wrote        for %d s with %d at a time in %s, which is gone\n", r.Seconds, r.Writers,
		base.Safe(r.Directory))
	p.Printf("processes    %d, %d of them killed, %d failed\n", r.Processes, r.Killed, r.Failed)
	if r.Failure != "" {
		p.Printf("             the first that failed: %s\n", base.Line(r.Failure, 200))
	}
	p.Printf("servers      %d, %d of them killed; %d calls, %d at a time, %d answered with an "+
		"error\n", r.Servers.Processes, r.Servers.Killed, r.Servers.Calls, r.Servers.Overlap,
		r.Servers.Errors)
	if r.Servers.Error != "" {
		p.Printf("             the first error: %s\n", base.Line(r.Servers.Error, 200))
	}
	for _, n := range []struct {
		name string
		n    *doctor.SelftestCount
	}{{"entries", &r.Entries}, {"capsules", &r.Capsules}, {"items", &r.Items},
		{"chunks", &r.Chunks}} {
		p.Printf("%-12s %d acknowledged, %d of them found; %d more of processes that were killed\n",
			n.name, n.n.Acknowledged, n.n.Found, n.n.Unacknowledged)
	}
	p.Printf("variable     set by its version %d times, refused %d times, won twice %d times\n",
		r.CompareAndSet.Won, r.CompareAndSet.Refused, r.CompareAndSet.Twice)
	p.Printf("fsync        median %.2f ms, 99 %% within %.2f ms, of %d\n", r.Fsync.Median,
		r.Fsync.P99, r.Fsync.Samples)
	for _, problem := range r.Problems {
		p.Printf("%s  %s\n", p.Paint(base.Red, "WRONG"), base.Safe(problem))
	}
	if r.OK {
		p.Printf("no acknowledged write is missing, and all files are intact\n")
	} else {
		p.Printf("this disk or this program loses acknowledged writes: do not store important data " +
			"here\n")
	}
}

// doctorBar shows what is being checked: each new thing at once, its progress now and
// then.
func (p *program) doctorBar() doctor.Progress {
	b := p.StatusLine()
	return func(what string, done, of int) {
		switch {
		case what == "":
			b.Clear()
		case b.Draw && (done == 0 || done >= of || !b.Fresh()):
			text := "looking at: " + what
			if of > 0 {
				text += fmt.Sprintf("  %d of %d", done, of)
			}
			b.Put(text)
		}
	}
}
