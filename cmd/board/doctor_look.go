package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blackboard/cmd/board/daemon"
	"blackboard/embed/minilm"
	"blackboard/kb"
)

// doctorFinding is one thing that was looked at. Its state is one of kb.StateOK, StateNote (worth knowing), StateBroken.
type doctorFinding struct {
	Area   string `json:"area"`
	What   string `json:"what"`
	State  string `json:"state"`
	Say    string `json:"say"`
	Try    string `json:"try"`    // the next step, "" if none is needed
	Repair bool   `json:"repair"` // `board doctor --repair` does it

	step *repairStep // how, if it does
}

// doctor looks at a data home and what belongs to it.
type doctor struct {
	*program
	home string
	full bool
	now  time.Time
	all  []doctorFinding
	bar  *doctorBar

	area     string // that is being looked at
	model    minilm.Info
	modelErr error         // why it cannot be used
	status   daemon.Status // of the daemon
	asked    error         // why it did not answer
	upkeep   bool          // there is a daemon of this build, which does the upkeep
}

func newDoctor(p *program, home string, full bool) *doctor {
	return &doctor{program: p, home: home, full: full, bar: p.doctorBar()}
}

// look looks at everything. It fails only if it is called off: what cannot be looked at is a finding.
func (d *doctor) look(ctx context.Context) error {
	d.all, d.now = []doctorFinding{}, time.Now()
	defer d.bar.clear()
	d.model, d.modelErr = minilm.Inspect(d.usedModelDir(d.home))
	d.askStatus(ctx)
	for _, a := range []struct {
		name string
		look func(context.Context)
	}{
		{"data home", d.lookAtHome}, {"boards", d.lookAtBoards}, {"knowledge base", d.lookAtKB}, {"memory", d.lookAtMemory}, {"context store", d.lookAtChunks}, {"topics", d.lookAtTopics},
		{"model", d.lookAtModel}, {"daemon", d.lookAtDaemon}, {"hooks", d.lookAtHooks}, {"harnesses", d.lookAtHarnesses}, {"environment", d.lookAtEnvironment},
	} {
		if d.area = a.name; ctx.Err() != nil {
			return ctx.Err()
		}
		d.bar.show(a.name, 0, 0)
		a.look(ctx)
	}
	return ctx.Err()
}

func (d *doctor) add(f doctorFinding) {
	f.Area, f.Repair = d.area, f.step != nil
	d.all = append(d.all, f)
}

func (d *doctor) ok(what, format string, a ...any) {
	d.add(doctorFinding{What: what, State: kb.StateOK, Say: fmt.Sprintf(format, a...)})
}

func (d *doctor) note(what, try, format string, a ...any) {
	d.add(doctorFinding{What: what, State: kb.StateNote, Say: fmt.Sprintf(format, a...), Try: try})
}

func (d *doctor) broken(what, try, format string, a ...any) {
	d.add(doctorFinding{What: what, State: kb.StateBroken, Say: fmt.Sprintf(format, a...), Try: try})
}

// repairable adds something that --repair does something about.
func (d *doctor) repairable(what, state string, step *repairStep, format string, a ...any) {
	d.add(doctorFinding{What: what, State: state, Say: fmt.Sprintf(format, a...), Try: "`board doctor --repair` " + step.offer, step: step})
}

// failed adds what an error says, with its next step.
func (d *doctor) failed(what string, err error) {
	try := try(err)
	if try == "" && errors.Is(err, os.ErrPermission) {
		try = "make it readable for this user"
	}
	d.broken(what, try, "%s", d.short(err.Error()))
}

// short writes paths below the data home without it, as the first finding names it.
func (d *doctor) short(s string) string {
	return strings.ReplaceAll(s, d.home+string(filepath.Separator), "")
}

// askStatus asks the daemon how it is, if there may be one.
func (d *doctor) askStatus(ctx context.Context) {
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
	d.upkeep = d.asked == nil && d.status.Build == daemon.Build(versionString())
}

// listed names the first few of many.
func listed(names []string) string {
	const few = 3
	s := strings.Join(names[:min(few, len(names))], ", ")
	if more := len(names) - few; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
