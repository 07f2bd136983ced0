// Package doctor looks at all that the program keeps, says what is wrong, and mends what
// it can.
//
// Look finds, Plan says what of it would be mended, and Repair does that after a backup.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/cmd/board/daemon"
	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/hooks/setup"
	"blackboard/kb"
)

type Config struct {
	Home      string // the data home
	Full      bool   // read everything
	Env       func(string) string
	Variables []Variable // that the program itself reads
	Build     string     // of the daemon that belongs to this program
	ModelDir  string
	Model     func(context.Context) (embed.Embedder, error)
	// what is set up, as seen from where one works
	Setup func() (s *setup.Setup, dir string, err error)
	// where and what the database is that has the boards; "": files have them
	Database func(context.Context) (at, say string, err error)
	Words    func(fault.Step) string // a next step as a command
	Progress Progress
}

// Progress is told what is under way, and how far it is: of is 0 where the end is not
// known. With an empty text, nothing is any more.
type Progress func(what string, done, of int)

type Variable struct {
	Name string
	Err  error
}

// Finding is a thing looked at. Its state: kb.StateOK, StateNote (worth knowing), StateBroken.
type Finding struct {
	Area   string `json:"area"`   // what it belongs to: boards, knowledge base, memory, …
	What   string `json:"what"`   // what was looked at
	State  string `json:"state"`  // ok, note or broken
	Say    string `json:"say"`    // what was found
	Try    string `json:"try"`    // the next step, "" if none is needed
	Repair bool   `json:"repair"` // Repair does it

	Step *Step `json:"-"` // how, if it does
}

type Doctor struct {
	Config
	now time.Time
	all []Finding

	area     string // that is being looked at
	model    minilm.Info
	identity string        // of the model, by which embeddings are compared
	modelErr error         // why it cannot be used
	status   daemon.Status // of the daemon
	asked    error         // why it did not answer
	upkeep   bool          // there is a daemon of this build, which does the upkeep
	served   string        // the place on a server of boards and knowledge, "" if files have them
}

// Look looks at everything, and fails only if called off: what it cannot see is a finding.
func (d *Doctor) Look(ctx context.Context) ([]Finding, error) {
	d.all, d.now = []Finding{}, time.Now()
	defer d.Progress("", 0, 0)
	if d.model, d.modelErr = minilm.Inspect(d.ModelDir); d.modelErr == nil {
		d.identity, d.modelErr = minilm.Identify(d.ModelDir)
	}
	d.askStatus(ctx)
	for _, a := range []struct {
		name string
		look func(context.Context)
	}{
		{"data home", d.lookAtHome}, {"database", d.lookAtDatabase}, {"boards", d.lookAtBoards}, {"knowledge base", d.lookAtKB}, {"memory", d.lookAtMemory}, {"context store", d.lookAtChunks}, {"topics", d.lookAtTopics},
		{"model", d.lookAtModel}, {"daemon", d.lookAtDaemon}, {"hooks", d.lookAtHooks}, {"harnesses", d.lookAtHarnesses}, {"environment", d.lookAtEnvironment},
	} {
		if d.area = a.name; ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d.Progress(a.name, 0, 0)
		a.look(ctx)
	}
	return d.all, ctx.Err()
}

func (d *Doctor) add(f Finding) {
	f.Area, f.Repair = d.area, f.Step != nil
	d.all = append(d.all, f)
}

func (d *Doctor) ok(what, format string, a ...any) {
	d.add(Finding{What: what, State: kb.StateOK, Say: fmt.Sprintf(format, a...)})
}

func (d *Doctor) note(what, try, format string, a ...any) {
	d.add(Finding{What: what, State: kb.StateNote, Say: fmt.Sprintf(format, a...), Try: try})
}

func (d *Doctor) broken(what, try, format string, a ...any) {
	d.add(Finding{What: what, State: kb.StateBroken, Say: fmt.Sprintf(format, a...), Try: try})
}

// repairable adds something that --repair does something about.
func (d *Doctor) repairable(what, state string, step *Step, format string, a ...any) {
	d.add(Finding{What: what, State: state, Say: fmt.Sprintf(format, a...), Try: "`board doctor --repair` " + step.Offer, Step: step})
}

func (d *Doctor) failed(what string, err error) {
	try := d.try(err)
	if try == "" && errors.Is(err, os.ErrPermission) {
		try = "make it readable for this user"
	}
	d.broken(what, try, "%s", d.short(err.Error()))
}

// try is the next step of an error, "" for none.
func (d *Doctor) try(err error) string { return fault.Try(err, d.Words) }

// short writes paths below the data home without it, as the first finding names it.
func (d *Doctor) short(s string) string {
	return strings.ReplaceAll(s, d.Home+string(filepath.Separator), "")
}

// daemonClient is how this program asks the data home's daemon.
func (d *Doctor) daemonClient() (*daemon.Client, daemon.Place, error) {
	place, err := daemon.PlaceOf(d.Home, d.Env)
	if err != nil {
		return nil, place, err
	}
	return daemon.NewClient(place, d.Build, d.ModelDir), place, nil
}

func (d *Doctor) askStatus(ctx context.Context) {
	const patience = time.Second
	client, _, err := d.daemonClient()
	if err != nil {
		d.status, d.asked, d.upkeep = daemon.Status{}, err, false
		return
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if d.asked = daemon.ErrNone; client.There() {
		d.status, d.asked = client.Status(ctx)
	}
	d.upkeep = d.asked == nil && d.status.Build == d.Build
}

// line is content on one line, harmless on a terminal.
func line(s string, n int) string { return text.Visible(board.Line(s, n)) }
