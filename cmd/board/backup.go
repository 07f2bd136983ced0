package main

import (
	"github.com/urfave/cli/v2"

	"blackboard/board/text"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/doctor"
)

func (p *program) backupCommand() *cli.Command {
	return &cli.Command{
		Name: "backup", Category: base.CategoryProgram,
		Usage: "copy all stores into a new directory, while they are in use", ArgsUsage: "DIR",
		Description: `Boards, knowledge base and memory are copied by SQLite's own backup, each as it was
at one moment, and checked; capsules' files, topics and the context store of this
directory come too. Models and logs do not. Each copied database is complete by
itself: nothing of it lies in a -wal.

  board backup ~/backups/2026-11-28
  BOARD_HOME=~/backups/2026-11-28 board runs      look at it, or go on from it

To go back, stop the daemon and move the copy to where the data home was. Do not
back up by hard links (ln, cp -al): a database with two names loses writes, so
that nothing is written to it. For boards in PostgreSQL, use pg_dump.

Exit codes: 0 all is copied, 1 something could not be copied or is damaged,
6 DIR is not empty.`,
		Flags:  []cli.Flag{base.JSONFlag()},
		Action: p.backup,
	}
}

func (p *program) backup(c *cli.Context) error {
	if c.NArg() != 1 {
		return base.Usagef("name one: `board backup ~/backups/today`",
			"`board backup` takes one directory, but got %d", c.NArg())
	}
	home, err := p.DataHome()
	if err != nil {
		return err
	}
	done, err := doctor.Copy(c.Context, home, c.Args().First(), p.Env, p.doctorBar())
	if err := p.Answer(c, err, func() { p.tellCopied(done) }, "copied", done); err != nil {
		return err
	}
	if len(done.Problems) > 0 {
		return base.ExitError(base.ExitFailure)
	}
	return nil
}

func (p *program) tellCopied(done *doctor.StoresCopy) {
	p.Printf("copied %s and %s to %s: %s\n",
		base.Count(int64(done.Databases), "database", "databases"),
		base.Count(int64(done.Files), "other file", "other files"), base.Safe(done.Directory),
		text.Megabytes(done.Bytes))
	for _, problem := range done.Problems {
		p.Printf("%s  %s\n", p.Paint(base.Red, "PROBLEM"), base.Safe(problem))
	}
	if url, err := p.DatabaseURL(""); err == nil && url != "" {
		p.Messagef("note: the boards of the database are not copied; pg_dump does that")
	}
}
