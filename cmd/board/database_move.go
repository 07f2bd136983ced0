package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
)

func (p *program) databaseCopyCommand() *cli.Command {
	return &cli.Command{
		Name: "copy", Usage: "copy runs between files and a database, either way", ArgsUsage: "[RUN…]",
		Description: `PLACE is the URL of a database, or a directory of boards, which has a RUN.sqlite3 for each run. Without --from or without
--to it is the data home's. Without RUN all runs are copied.
A run is copied as a whole or not at all, with ids, times, authors and its whole log, and verified on both sides: the log makes
what the tables hold, and has the same SHA-256. Nothing is deleted, and nothing is changed at the source.
It may be repeated: what is there is left out, and a run that has gone on at the source goes on at the target. One that is
another there, or has gone on there, is a conflict (exit code 6) and stays as it is; the others are copied.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "from", Usage: "copy the runs of `PLACE`"},
			&cli.StringFlag{Name: "to", Usage: "copy them to `PLACE`"},
			jsonFlag(),
		},
		Action: p.databaseCopy,
	}
}

// boardsAt is the directory, or what stands for the database, that a flag names.
func (p *program) boardsAt(c *cli.Context, flag string) (string, error) {
	place := c.String(flag)
	switch {
	case strings.Contains(place, "://"):
		return board.UseDatabase(place)
	case place != "":
		return filepath.Abs(place)
	case c.IsSet(flag):
		return "", usagef("name a directory of boards, or postgres://user@host/database", "--%s is empty", flag)
	}
	home, err := p.dataHome()
	return filepath.Join(home, "boards"), err
}

// copiedRun is what became of a run.
type copiedRun struct {
	board.Copied
	Error string `json:"error"`
}

func (p *program) databaseCopy(c *cli.Context) error {
	from, err := p.boardsAt(c, "from")
	if err != nil {
		return err
	}
	to, err := p.boardsAt(c, "to")
	if err != nil {
		return err
	}
	if from == to {
		return usagef("name another one with --from or --to: a directory of boards, or postgres://user@host/database", "both places are %s", from)
	}
	runs, err := runsOf(c, from)
	if err != nil {
		return err
	}
	done, failed := []copiedRun{}, error(nil)
	for _, run := range runs {
		got, err := board.Copy(c.Context, from, to, run)
		if c.Context.Err() != nil || errors.Is(err, fault.Away) { // all others would fail as well
			return err
		}
		one := copiedRun{Copied: got}
		if one.Run = run; err != nil {
			one.Error = err.Error()
			if failed == nil || errors.Is(failed, fault.Conflict) { // a failure says more
				failed = err
			}
		}
		done = append(done, one)
		if !c.Bool("json") {
			p.sayCopied(&one)
		}
	}
	if c.Bool("json") {
		if err := p.json("from", from, "to", to, "runs", done); err != nil {
			return err
		}
	}
	if failed != nil {
		return verdictError(fault.KindOf(failed).Exit())
	}
	return nil
}

func (p *program) sayCopied(r *copiedRun) {
	switch {
	case r.Error != "":
		p.printf("%s  %s  %s\n", r.Run, p.paint(red, "ERROR"), safe(r.Error))
	case r.New == 0:
		p.printf("%s  there already, %s, verified\n", r.Run, count(r.Events, "event", "events"))
	default:
		p.printf("%s  copied, %d of %s, verified\n", r.Run, r.New, count(r.Events, "event", "events"))
	}
}

// runsOf are the runs that a command is about: those that it names, else all of a place.
func runsOf(c *cli.Context, dir string) ([]string, error) {
	if c.NArg() > 0 {
		return c.Args().Slice(), nil
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) && !strings.Contains(dir, "://") {
		return nil, fault.NotFound.New("there is no directory "+dir, "name the directory that has a RUN.sqlite3 for each run")
	}
	infos, err := board.List(c.Context, dir, board.Policy{})
	names := make([]string, len(infos))
	for i := range infos {
		names[i] = infos[i].Run
	}
	return names, err
}

// checkedRun is what a check says of a run.
type checkedRun struct {
	Run   string `json:"run"`
	Error string `json:"error"` // "": it is sound
}

func (p *program) databaseCheck(c *cli.Context) error {
	place, err := p.databasePlace()
	if err != nil {
		return err
	}
	runs, err := runsOf(c, place.String())
	if err != nil {
		return err
	}
	checked, bad := []checkedRun{}, error(nil)
	for _, run := range runs {
		one := checkedRun{Run: run}
		if err := checkRun(c, place.String(), run); err != nil {
			if c.Context.Err() != nil || errors.Is(err, fault.Away) {
				return err
			}
			one.Error, bad = err.Error(), err
		}
		checked = append(checked, one)
	}
	err = p.answer(c, nil, func() {
		for _, r := range checked {
			if r.Error != "" {
				p.printf("%s  %s  %s\n", safe(r.Run), p.paint(red, "ERROR"), safe(r.Error))
				continue
			}
			p.printf("%s  verified\n", safe(r.Run))
		}
	}, "runs", checked)
	if err == nil && bad != nil {
		err = verdictError(fault.KindOf(bad).Exit())
	}
	return err
}

func (p *program) databaseRoles(c *cli.Context) error {
	place, err := p.databasePlace()
	if err != nil {
		return err
	}
	sql, err := place.Roles(c.String("prefix"))
	if err != nil {
		return err
	}
	p.printf("%s", sql)
	return nil
}
