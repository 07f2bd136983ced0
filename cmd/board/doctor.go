package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"blackboard/kb"
)

func (p *program) doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor", Category: catProgram, Usage: "look at everything, say what is wrong, and mend what can be: exit 1 if something is broken",
		Description: `Boards, knowledge base, memory, the context store here, topics, daemon, model,
environment, harnesses, permissions, space, clock. Looking changes nothing, but
that a file of an older version is brought up to date, as by any command.

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
	d := newDoctor(p, home, c.Bool("full"))
	if err := d.look(c.Context); err != nil {
		return err
	}
	if c.Bool("repair") {
		return d.repair(c)
	}
	return d.tell(c, nil, "")
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

// tell prints what was found, and what was repaired before that, and ends with 1 if something is broken.
func (d *doctor) tell(c *cli.Context, repairs []repaired, backup string) error {
	n := map[string]int{}
	mendable := 0
	for _, f := range d.all {
		n[f.State]++
		if f.Repair {
			mendable++
		}
	}
	failed := slices.ContainsFunc(repairs, func(r repaired) bool { return r.Error != "" })
	if c.Bool("json") {
		if err := d.json("findings", d.all, "broken", n[kb.StateBroken], "notes", n[kb.StateNote], "well", n[kb.StateOK], "full", d.full,
			"repairs", append([]repaired{}, repairs...), "backup", backup); err != nil {
			return err
		}
	} else {
		d.print()
		d.printf("%d broken, %d worth knowing, %d well", n[kb.StateBroken], n[kb.StateNote], n[kb.StateOK])
		switch {
		case mendable > 0 && repairs == nil:
			d.printf("; `board doctor --repair` can mend %d of them", mendable)
		case !d.full:
			d.printf("; `board doctor --full` reads everything")
		}
		d.printf("\n")
	}
	if n[kb.StateBroken] > 0 || failed {
		return verdictError(exitFailure)
	}
	return nil
}

// print prints the findings, area by area.
func (d *doctor) print() {
	width := 0
	for i := range d.all {
		width = max(width, len([]rune(d.all[i].What)))
	}
	width = min(width, 30)
	area := ""
	for i := range d.all {
		f := &d.all[i]
		if f.Area != area {
			area = f.Area
			d.printf("%s\n", d.paint(bold, area))
		}
		mark := map[string]string{kb.StateOK: d.paint(green, "ok    "), kb.StateNote: d.paint(yellow, "note  "), kb.StateBroken: d.paint(red, "BROKEN")}[f.State]
		d.printf("  %s  %-*s  %s\n", mark, width, line(f.What, 30), safe(f.Say))
		if f.Try != "" {
			d.printf("          try: %s\n", safe(f.Try))
		}
	}
}
