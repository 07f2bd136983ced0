package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/kb"
)

func (p *program) databaseCopyCommand() *cli.Command {
	return &cli.Command{
		Name: "copy", Usage: "copy runs and capsules between files and a database, either way", ArgsUsage: "[RUN…]",
		Description: `PLACE is the URL of a database, or a directory of boards, which has a RUN.sqlite3 for each run. Without --from or without
--to it is the data home's. Without RUN all runs are copied, and the capsules of the knowledge base; a directory has those of
the data home that it is the folder boards of.
A run is copied as a whole or not at all, with ids, times, authors and its whole log, and verified on both sides: the log makes
what the tables hold, and has the same SHA-256. Nothing is deleted, and nothing is changed at the source.
It may be repeated: what is there is left out, and a run that has gone on at the source goes on at the target. One that is
another there, or has gone on there, is a conflict (exit code 6) and stays as it is; the others are copied. So is a capsule
that was changed at both; one that was changed at the target alone stays as it is, and is counted.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "from", Usage: "copy the runs of `PLACE`"},
			&cli.StringFlag{Name: "to", Usage: "copy them to `PLACE`"},
			base.JSONFlag(),
		},
		Action: p.databaseCopy,
	}
}

func (p *program) boardsAt(c *cli.Context, flag string) (string, error) {
	place := c.String(flag)
	switch {
	case strings.Contains(place, "://"):
		return board.UseDatabase(place)
	case place != "":
		return filepath.Abs(place)
	case c.IsSet(flag):
		return "", base.Usagef("name a directory of boards, or postgres://user@host/database", "--%s is empty", flag)
	}
	home, err := p.DataHome()
	return filepath.Join(home, "boards"), err
}

type copiedRun struct {
	board.Copied
	Error string `json:"error"` // why it was not copied, "" if it was
	err   error
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
		return base.Usagef("name another one with --from or --to: a directory of boards, or postgres://user@host/database", "both places are %s", from)
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
			one.Error, one.err = err.Error(), err
			if failed == nil || errors.Is(failed, fault.Conflict) { // a failure says more
				failed = err
			}
		}
		done = append(done, one)
		if !c.Bool("json") {
			p.sayCopied(&one)
		}
	}
	knowledge, leftOut, err := p.copyKnowledge(c, from, to)
	if err != nil {
		return err
	}
	if leftOut != "" {
		p.Messagef("capsules were not copied: %s", leftOut)
	}
	if c.Bool("json") {
		if err := p.JSON("from", from, "to", to, "runs", done, "knowledge", knowledge, "knowledge_left_out", leftOut); err != nil {
			return err
		}
	}
	if failed == nil && knowledge != nil && len(knowledge.Conflicts) > 0 {
		failed = fault.Conflict.New("capsules were changed in both places", "")
	}
	if failed != nil {
		return base.ExitError(fault.KindOf(failed).Exit())
	}
	return nil
}

// knowledgeOf is the data home of a directory of boards, or the database, or "".
func knowledgeOf(boards string) string {
	switch {
	case kb.IsShared(boards):
		return boards
	case filepath.Base(boards) == "boards":
		return filepath.Dir(boards)
	}
	return ""
}

// copyKnowledge copies the capsules, if all is copied; nil: left out, and why if not asked for.
func (p *program) copyKnowledge(c *cli.Context, from, to string) (_ *kb.Copied, leftOut string, _ error) {
	if c.NArg() > 0 {
		return nil, "", nil
	}
	for _, place := range []*string{&from, &to} {
		home := knowledgeOf(*place)
		if home == "" {
			return nil, *place + " is not the folder boards of a data home; name one as DIR/boards", nil
		}
		*place = home
	}
	got, err := kb.Copy(c.Context, from, to, p.WorkerName(c))
	if err != nil {
		return nil, "", err
	}
	if got.Capsules > 0 && !c.Bool("json") {
		there := got.Capsules - got.New - got.Changed - got.Newer - len(got.Conflicts)
		p.Printf("%s: %d copied, %d updated, %d there already, %d newer there, %s\n", base.Count(int64(got.Capsules), "capsule", "capsules"), got.New, got.Changed, there, got.Newer,
			base.Count(int64(len(got.Conflicts)), "conflict", "conflicts"))
		for _, id := range got.Conflicts {
			p.Printf("%s  %s  changed in both places, so it was not copied; `board kb history %s` shows how\n", id, p.Paint(base.Red, "CONFLICT"), id)
		}
	}
	return &got, "", nil
}

func (p *program) sayCopied(r *copiedRun) {
	switch {
	case r.Error != "":
		what := "ERROR"
		if errors.Is(r.err, fault.Conflict) {
			what = "CONFLICT"
		}
		p.Printf("%s  %s  %s\n", r.Run, p.Paint(base.Red, what), base.Safe(r.Error))
		if next := base.NextStep(r.err); next != "" {
			p.Printf("  %s\n", base.Safe(next))
		}
	case r.New == 0:
		p.Printf("%s  there already, %s, verified\n", r.Run, base.Count(r.Events, "event", "events"))
	default:
		p.Printf("%s  copied, %d of %s, verified\n", r.Run, r.New, base.Count(r.Events, "event", "events"))
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

func (p *program) databaseRoles(c *cli.Context) error {
	place, err := p.databasePlace()
	if err != nil {
		return err
	}
	sql, err := place.Roles(c.String("prefix"))
	if err != nil {
		return err
	}
	// One that cannot be reached from here may be prepared all the same.
	if st, err := place.Status(c.Context); err == nil && st.Schema == 0 {
		return fault.Away.New("there are no tables yet to grant rights on", "run `board database init` first, then this")
	}
	p.Printf("%s", sql)
	return nil
}
