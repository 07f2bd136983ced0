package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/postgres"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/runcmd"
)

// takeDatabase takes --database URL out of a line, and keeps it in Database. Every command has it, so none lists it.
func (p *program) takeDatabase(args []string) ([]string, error) {
	for i, a := range args {
		name, url, given := strings.Cut(a, "=")
		switch {
		case a == "--":
			return args, nil
		case name != "--database":
			continue
		}
		rest := args[i+1:]
		if !given {
			if len(rest) == 0 {
				return args, base.Usagef("write it as --database postgres://user@host/database", "the flag --database needs a value")
			}
			url, rest = rest[0], rest[1:]
		}
		if url == "" {
			return args, base.Usagef("write it as --database postgres://user@host/database", "the URL of --database is empty")
		}
		p.Database = url
		return append(args[:i:i], rest...), nil
	}
	return args, nil
}

func (p *program) databaseCommand() *cli.Command {
	return &cli.Command{
		Name: "database", Category: base.CategoryProgram, Usage: "boards and knowledge for many machines, in a PostgreSQL database: init, allow, copy, roles, drop-run",
		Description: "The database is --database URL, with any command, else $BOARD_DATABASE_URL, else what database: in board.yaml says.\nWithout any, or with off in place of a URL, boards and the knowledge base are files.",
		Subcommands: []*cli.Command{
			{
				Name: "init", Usage: "prepare the database for boards, or bring it up to date",
				Description: "Makes a schema (board, or ?schema=NAME of the URL) with the tables of all runs. It may be repeated, by many at once.\nOlder versions of board are refused by a database that a newer one has brought up to date.",
				Flags:       []cli.Flag{base.JSONFlag()}, Action: p.databaseInit,
			},
			p.databaseAllowCommand(),
			p.databaseCopyCommand(),
			{
				Name: "roles", Usage: "print SQL that makes three roles: a reader, a worker and an owner",
				Description: "SCHEMA_reader reads and cannot write by any command: for CI and dashboards. SCHEMA_worker reads and writes, but deletes\nno run. SCHEMA_owner has the tables: it brings them up to date and drops runs. Run it as a superuser, again after\neach `board database init`; then grant the roles to those who log in.",
				Flags:       []cli.Flag{&cli.StringFlag{Name: "prefix", Usage: "begin the names with `NAME`, not with the schema's: the roles are those of the whole server"}},
				Action:      p.databaseRoles,
			},
			{
				Name: "drop-run", Usage: "delete a run and everything on it", ArgsUsage: "RUN",
				Description: "As `board rm` does, but never a file. Asks first; without a terminal it needs --yes.",
				Flags:       append(base.DeleteFlags(), base.JSONFlag()),
				Action: func(c *cli.Context) error {
					if _, err := p.databasePlace(); err != nil {
						return err
					}
					return runcmd.Remove(p.Program, c)
				},
			},
		},
	}
}

func (p *program) databasePlace() (*postgres.Place, error) {
	url, err := p.DatabaseURL(".")
	if err != nil {
		return nil, err
	}
	if url == "" {
		return nil, errNoDatabase
	}
	dir, err := board.UseDatabase(url)
	if err != nil {
		return nil, err
	}
	return postgres.At(dir), nil
}

func (p *program) databaseInit(c *cli.Context) error {
	place, err := p.databasePlace()
	if err != nil {
		return err
	}
	had, err := place.Init(c.Context)
	if err != nil {
		return err
	}
	st, err := place.Status(c.Context)
	return p.Answer(c, err, func() {
		switch had {
		case 0:
			p.Printf("%s is ready for boards\n", base.Safe(st.Database))
		case st.Schema:
			p.Printf("%s is up to date\n", base.Safe(st.Database))
		default:
			p.Printf("%s was brought from schema %d to %d\n", base.Safe(st.Database), had, st.Schema)
		}
	}, "database", st, "had", had)
}

// databaseState says where and what the database is that has boards and knowledge, "" if
// files have them. It fails if that cannot be used.
func (p *program) databaseState(ctx context.Context) (at, say string, err error) {
	url, err := p.DatabaseURL(".")
	if url == "" || err != nil {
		return "", "", err
	}
	at, err = board.UseDatabase(url)
	if err != nil {
		return "", "", err
	}
	place := postgres.At(at)
	if err := place.Ready(ctx); err != nil {
		return "", "", err
	}
	st, err := place.Status(ctx)
	if err != nil {
		return "", "", err
	}
	say = fmt.Sprintf("boards and knowledge are in %s: PostgreSQL %s, schema %d, %s, %s", st.Database, st.Server, st.Schema, base.Count(st.Runs, "run", "runs"), base.Count(st.Capsules, "capsule", "capsules"))
	if st.Standby {
		say += "; a standby, which takes no writes"
	}
	return at, say + "; the files here are not used for them", nil
}
