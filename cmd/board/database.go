package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/postgres"
)

// databaseURL is the database that has the boards: --database, else $BOARD_DATABASE_URL; "" if
// they are files.
func (p *program) databaseURL() string {
	if p.database != "" {
		return p.database
	}
	return p.env("BOARD_DATABASE_URL")
}

// takeDatabase takes --database URL out of a line: every command has it, so none lists it.
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
				return args, usagef("write it as --database postgres://user@host/database", "the flag --database needs a value")
			}
			url, rest = rest[0], rest[1:]
		}
		if url == "" {
			return args, usagef("write it as --database postgres://user@host/database", "the URL of --database is empty")
		}
		p.database = url
		return append(args[:i:i], rest...), nil
	}
	return args, nil
}

func (p *program) databaseCommand() *cli.Command {
	return &cli.Command{
		Name: "database", Category: catProgram, Usage: "boards for many machines, in a PostgreSQL database: init, status, copy, check, roles, drop-run",
		Description: "The database is $BOARD_DATABASE_URL, or --database URL with any command. Without either, boards are files.",
		Subcommands: []*cli.Command{
			{
				Name: "init", Usage: "prepare the database for boards, or bring it up to date",
				Description: "Makes a schema (board, or ?schema=NAME of the URL) with the tables of all runs. It may be repeated, by many at once.\nOlder versions of board are refused by a database that a newer one has brought up to date.",
				Flags:       []cli.Flag{jsonFlag()}, Action: p.databaseInit,
			},
			{
				Name: "status", Usage: "show the server, the version of the schema, and how many runs there are",
				Flags: []cli.Flag{jsonFlag()}, Action: p.databaseStatus,
			},
			p.databaseCopyCommand(),
			{
				Name: "check", Usage: "verify runs of the database, or all: that the event log of each makes what its tables hold", ArgsUsage: "[RUN…]",
				Description: "As `board runs --check` does for all runs, wherever they are. A run that fails is shown with why, and the exit code is 1.",
				Flags:       []cli.Flag{jsonFlag()}, Action: p.databaseCheck,
			},
			{
				Name: "roles", Usage: "print SQL that makes three roles: a reader, a worker and an owner",
				Description: "SCHEMA_reader reads and cannot write by any command: for CI and dashboards. SCHEMA_worker reads and writes, but deletes\nno run. SCHEMA_owner has the tables: it brings them up to date and drops runs. Run it as a superuser, again after\neach `board database init`; then grant the roles to those who log in.",
				Flags:       []cli.Flag{&cli.StringFlag{Name: "prefix", Usage: "begin the names with `NAME`, not with the schema's: the roles are those of the whole server"}},
				Action:      p.databaseRoles,
			},
			{
				Name: "drop-run", Usage: "delete a run and everything on it", ArgsUsage: "RUN",
				Description: "As `board rm` does, but never a file. Asks first; without a terminal it needs --yes.",
				Flags:       []cli.Flag{&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"}, jsonFlag()},
				Action: func(c *cli.Context) error {
					if _, err := p.databasePlace(); err != nil {
						return err
					}
					return p.rm(c)
				},
			},
		},
	}
}

// databasePlace is the database that is named.
func (p *program) databasePlace() (*postgres.Place, error) {
	url := p.databaseURL()
	if url == "" {
		return nil, usagef("set $BOARD_DATABASE_URL, or add --database postgres://user@host/database", "no database is named: boards are files")
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
	return p.answer(c, err, func() {
		switch had {
		case 0:
			p.printf("%s is ready for boards\n", safe(st.Database))
		case st.Schema:
			p.printf("%s is up to date\n", safe(st.Database))
		default:
			p.printf("%s was brought from schema %d to %d\n", safe(st.Database), had, st.Schema)
		}
	}, "database", st, "had", had)
}

func (p *program) databaseStatus(c *cli.Context) error {
	place, err := p.databasePlace()
	if err != nil {
		return err
	}
	st, err := place.Status(c.Context)
	return p.answer(c, err, func() {
		p.printf("%s\nPostgreSQL %s\n", safe(st.Database), safe(st.Server))
		if st.Standby {
			p.printf("a standby: it takes no writes\n")
		}
		switch {
		case st.Schema == 0:
			p.printf("no boards yet; `board database init` prepares it\n")
		case st.Schema < st.Knows:
			p.printf("schema %d; `board database init` brings it to %d\n", st.Schema, st.Knows)
		case st.Schema > st.Knows:
			p.printf("schema %d, of a newer version of board; this one knows up to %d\n", st.Schema, st.Knows)
		default:
			p.printf("schema %d, %s, %d bytes\n", st.Schema, count(st.Runs, "run", "runs"), st.Bytes)
		}
	}, "database", st)
}
