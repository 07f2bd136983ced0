package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/check"
	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/cmd/board/base"
)

var errNoDatabase = base.Usagef("set $BOARD_DATABASE_URL, or add --database postgres://user@host/database", "no database is named: boards are files")

func (p *program) databaseAllowCommand() *cli.Command {
	return &cli.Command{
		Name: "allow", Usage: "allow the database that this board.yaml names",
		Description: `A board.yaml comes with a repository. If somebody else wrote it, a database URL in it could send everything that a run
finds to their server. So such a URL counts only after you allow it: for this file, and as long as the URL does
not change. env:NAME and service=NAME need no permission, as your environment defines them.`,
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"}, base.JSONFlag()},
		Action: p.databaseAllow,
	}
}

func (p *program) databaseAllow(c *cli.Context) error {
	if err := base.NoArgs(c); err != nil {
		return err
	}
	path, says, err := check.PolicyDatabase(".")
	if err == nil && says == "" {
		err = base.Usagef("write database: into board.yaml first; `board help database` shows how", "no board.yaml here names a database")
	}
	if err == nil && (strings.HasPrefix(says, "env:") || strings.HasPrefix(says, "service=")) {
		return base.Usagef("", "%s names %s, which needs no permission: your environment defines it", path, fault.Clip(says, 60))
	}
	if err == nil {
		err = base.CheckDatabase(path, says)
	}
	if err != nil {
		return err
	}
	if err := p.Confirm(c, fmt.Sprintf("keeping the boards of %s in %s", path, says), fmt.Sprintf(
		"Allow %s to keep this project's runs in %s?", base.Safe(path), base.Safe(says)), "changed", "add --yes"); err != nil {
		return err
	}
	note, err := p.AllowanceFile(path, says)
	if err == nil {
		err = disk.Write(note, []byte(path+"\n"+says+"\n"), 0o600)
	}
	return p.Answer(c, err, func() {
		p.Printf("the boards of %s are in %s\n", base.Safe(path), base.Safe(says))
	}, "file", path, "allowed", says)
}
