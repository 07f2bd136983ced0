package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/embed/minilm"
	"blackboard/hooks"
	"blackboard/hooks/harness"
	"blackboard/hooks/setup"
	"blackboard/hooks/topics"
)

// lookAtTopics looks for pins that name nothing. A worklog that ends in the middle of a line
// is read without that, and mended by the next entry.
func (d *Doctor) lookAtTopics(ctx context.Context) {
	root, err := topics.Root(d.Env)
	if err != nil {
		d.failed("directory", err)
		return
	}
	all, err := topics.All(ctx, root)
	if err != nil {
		if ctx.Err() == nil {
			d.failed("directory", err)
		}
		return
	}
	workspaces := map[string]bool{}
	for i := range all {
		workspace := all[i].Workspace
		dir, err := topics.Open(root, workspace, topics.Options{})
		if err != nil || workspaces[workspace] {
			continue
		}
		workspaces[workspace] = true
		if _, problem := dir.Pinned(); problem != "" {
			d.note("pin", "`board topic use`, in "+workspace+", pins another", "%s", problem)
		}
	}
	d.ok("topics", "%d, of %s", len(all), text.Count(int64(len(workspaces)), "workspace", "workspaces"))
}

func (d *Doctor) lookAtModel(ctx context.Context) {
	dir := d.ModelDir
	switch {
	case errors.Is(d.modelErr, fault.NoModel):
		d.note("files", "`board model pull` fetches one, or $BOARD_MODEL_DIR names one", "no embedding model in %s: searches use words only", d.short(dir))
		return
	case d.modelErr != nil:
		d.failed("files", d.modelErr)
		return
	case d.model.Int8:
		d.note("speed", "`board model pull` fetches "+minilm.DefaultModel+" with full weights", "the weights of %s have 8 bits, which makes it 12 to 20 times as slow here", d.model.Name)
	}
	if !d.Full {
		d.ok("files", "%s (%s), %s", d.model.Name, d.identity, text.Megabytes(d.model.Bytes))
		return
	}
	r, err := minilm.Verify(ctx, dir)
	if err != nil {
		if ctx.Err() == nil {
			d.failed("files", err)
		}
		return
	}
	for _, c := range r.Checks {
		if c.OK {
			d.ok(c.Name, "%s", d.short(c.Detail))
		} else {
			d.broken(c.Name, "`board model pull --force` fetches it again", "%s", d.short(c.Detail))
		}
	}
}

func (d *Doctor) lookAtDaemon(context.Context) {
	client, place, err := d.daemonClient()
	if err != nil {
		d.failed("process", err)
		return
	}
	defer client.Close()
	info, err := os.Lstat(place.Socket)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSocket != 0 && hasNoListener(place.Socket):
		d.ok("process", "not running; commands work without it") // the next one replaces its socket
		return
	case err != nil:
		d.failed("process", err)
		return
	case !client.There():
		d.broken("process", "make the directory of the socket writable for its owner alone", "%s is writable by others and is not used", place.Socket)
		return
	}
	st := &d.status
	switch {
	case d.asked != nil:
		d.broken("process", "`board daemon logs` may say what it is doing; commands work without it", "it does not answer at %s", place.Socket)
	case st.Build != d.Build:
		d.note("process", "`board daemon stop` ends it; the next search starts one of this build", "process %d is of another build, %s, and is not used", st.PID, st.Build)
	default:
		d.ok("process", "process %d, for %s", st.PID, time.Duration(st.UpSeconds)*time.Second)
		for _, j := range st.Jobs {
			if j.Failed {
				d.note(j.Name, "`board daemon logs` has more", "the upkeep failed: %s", line(j.Result, 200))
			}
		}
	}
}

// hasNoListener reports whether nobody listens at a socket; a busy one is not refused.
func hasNoListener(socket string) bool {
	const patience = 500 * time.Millisecond
	conn, err := net.DialTimeout("unix", socket, patience)
	if err == nil {
		conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// lookAtHooks reads the errors that hooks have logged in the last day, as hooks show them nowhere else. It also looks
// at where they write.
func (d *Doctor) lookAtHooks(context.Context) {
	d.lookAtWrites()
	const most = 64 << 10 // bytes of the log's end
	data, _, err := disk.ReadEnd(hooks.LogPath(d.Home), most)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.failed("log", err)
		return
	}
	var lately []string
	for l := range strings.Lines(string(data)) {
		at, text, _ := strings.Cut(strings.TrimSpace(l), " ")
		if t, err := time.Parse(time.RFC3339, at); err == nil && d.now.Sub(t) < 24*time.Hour {
			lately = append(lately, text)
		}
	}
	if len(lately) > 0 {
		d.note("log", "log/hooks.log in the data home has them", "%s failed in the last day; the last: %s", text.Count(int64(len(lately)), "thing", "things"), line(lately[len(lately)-1], 160))
	} else {
		d.ok("log", "no errors in the last day")
	}
}

// lookAtWrites tries to write where hooks do: they have nobody to tell when they cannot.
func (d *Doctor) lookAtWrites() {
	whole := true
	try := func(variable string, dirs ...string) {
		for _, dir := range dirs {
			if err := tryWrite(dir); err != nil {
				whole = false
				d.broken("writing", "make it writable for this user, or name another directory with "+variable,
					"hooks cannot write into %s, and record nothing there: %s", dir, disk.Cause(err))
			}
		}
	}
	try("$BOARD_HOME", hooks.Dirs(d.Home)...)
	root, err := topics.Root(d.Env)
	if err != nil {
		d.failed("writing", err)
		return
	}
	if try("$BOARD_SPEC_ROOT", root); whole {
		d.ok("writing", "hooks can write")
	}
}

// tryWrite makes a file where a directory is, or would be made, and removes it.
func tryWrite(dir string) error {
	// Its name is that of a leftover, should this be killed.
	f, err := os.CreateTemp(nearest(dir), ".doctor.new-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// aboutHere are problems that depend on the working directory, or that a person settles in the harness. They are no
// fault of the setup.
var aboutHere = []string{harness.ProblemTrust, harness.ProblemMCP, setup.ProblemVersion, setup.ProblemStale, setup.ProblemMemories}

func (d *Doctor) lookAtHarnesses(context.Context) {
	s, dir, err := d.Setup()
	if err != nil {
		if errors.Is(err, fault.Usage) {
			d.note("setup", d.try(err), "not looked at: %s", err)
			return
		}
		d.failed("setup", err)
		return
	}
	reports, err := s.Check(setup.Names(), dir)
	if err != nil {
		d.failed("setup", err)
		return
	}
	for _, r := range reports {
		for _, problem := range r.Problems {
			if slices.Contains(aboutHere, problem.Kind) {
				d.note(r.Name, problem.Hint, "%s: %s", problem.Part, problem.Msg)
			} else {
				d.broken(r.Name, problem.Hint, "%s: %s", problem.Part, problem.Msg)
			}
		}
		if len(r.Problems) == 0 {
			d.ok(r.Name, "OK")
		}
	}
	if len(reports) == 0 {
		d.ok("setup", "no harness is set up; `board setup --list` shows what there is")
	}
}
