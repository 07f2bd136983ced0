package main

import (
	"fmt"
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
whether it can be used (board runs --check verifies it). It changes nothing,
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

Exit codes: 0 nothing is broken, 1 something is, 2 --repair cannot ask.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "full", Usage: "read everything, which may take minutes"},
			&cli.BoolFlag{Name: "repair",
				Usage: "repair what can be repaired, after a backup; then check again"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "with --repair: do not ask"},
			base.JSONFlag(),
		},
		Action: p.doctorRun,
	}
}

func (p *program) doctorRun(c *cli.Context) error {
	if err := base.NoArgs(c); err != nil {
		return err
	}
	if c.Bool("yes") && !c.Bool("repair") {
		return base.Usagef("add --repair", "--yes needs --repair")
	}
	home, err := p.DataHome()
	if home == "" {
		return err // a file in its place is a finding
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
	if err := p.Confirm(c, "a repair", "Do this?", "changed",
		"add --yes to do it; without --repair nothing is changed"); err != nil {
		return err
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
	return p.AnswerFailed(c, n[kb.StateBroken] > 0 || failed, func() {
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
}

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

// doctorBar shows what is checked: each new thing at once, its progress now and then.
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
