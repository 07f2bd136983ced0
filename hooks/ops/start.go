package ops

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/op"
	"blackboard/board/verify"
)

// sources returns the files below paths; those below dir have names relative to it.
func sources(dir string, paths []string) ([]verify.File, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	all, err := verify.FindFiles(paths...)
	SetRelNames(dir, all)
	return all, err
}

// SetRelNames sets the Name of each file below a directory to its path relative to it; no file is moved.
func SetRelNames(dir string, files []verify.File) {
	for i := range files {
		f := &files[i]
		if near, err := filepath.Rel(dir, f.Path); err == nil && filepath.IsLocal(near) {
			f.Name = filepath.ToSlash(near)
		}
	}
}

type Starts interface {
	Runs
	// Start opens a run that is made, or is there, and calls fn with its board and the
	// policy that it is judged by; recorded: it has been put on record now.
	Start(ctx context.Context, in *StartIn, who string, fn func(b *board.Board, f *check.Policy,
		existed, recorded bool) error) error
	// Named are paths that a call names, if the caller may read files, and the directory
	// from which their names are seen.
	Named(paths []string) (as []string, from string, err error)
}

type StartIn struct {
	Run     string   `json:"run,omitempty" arg:"[RUN]" flag:"run,r,board" needs:"mcp" jsonschema:"its name"`
	Worker  string   `json:"worker,omitempty" rare:"true"`
	Goal    string   `json:"goal,omitempty" flag:"goal,g" value:"TEXT" jsonschema:"the question it answers"`
	Expect  []string `json:"expect,omitempty" value:"WORKER" jsonschema:"workers" cli:"that the gate waits for, or with commas"`
	Sources []string `json:"sources,omitempty" value:"PATH" commas:"no" jsonschema:"files and folders" cli:"files that quotes are checked against"`
	Reason  string   `json:"reason,omitempty" only:"cli" value:"TEXT" cli:"why the policy on record is replaced"`
	KeepSecrets
}

type StartOut struct {
	State    board.State      `json:"state"`
	Existed  bool             `json:"existed"`
	Policy   check.UsedPolicy `json:"policy"`
	own      []string         // workers that the policy waits for
	named    []string         // and the call
	sources  int              // that were registered
	recorded bool
}

// Start opens a run, or joins the one that there is, which keeps its goal and its policy.
var Start = op.Op[Starts, StartIn, StartOut]{
	Info: op.Info{Command: "start", Group: "Post and settle", Tool: "board_start", Profile: "run",
		Kind: op.Writes, Short: "open a run: its goal, its workers, its sources",
		About: "Open a run, or join it: its goal, the workers the gate waits for, the files " +
			"quotes are checked against.",
		Long: `Creates the run, with the policy of this directory on record: it is judged
by that one, wherever it is asked. A run that is there is joined; one without a policy on
record takes the directory's. --policy FILE with --reason records another one.`},
	Do: func(ctx context.Context, h Starts, in StartIn) (out StartOut, err error) {
		paths, from, err := h.Named(in.Sources)
		if err != nil {
			return out, err
		}
		files, err := sources(from, paths) // before anything is made
		if err != nil {
			return out, err
		}
		who, err := h.Worker(in.Worker, false)
		if err != nil {
			return out, err
		}
		err = h.Start(ctx, &in, who, func(b *board.Board, f *check.Policy, existed, recorded bool) error {
			out = StartOut{Existed: existed, Policy: f.UsedPolicy, own: f.Gate.Expect, named: in.Expect,
				sources: len(files), recorded: recorded || !existed && f.Path != "" || f.Note != ""}
			if all := slices.Concat(f.Gate.Expect, in.Expect); len(all) > 0 {
				if _, err := b.Expect(ctx, who, all, false); err != nil {
					return err
				}
			}
			if !existed {
				alike, err := b.SpeltAlike()
				if err != nil {
					return err
				}
				for _, name := range alike {
					h.Note("note: there is also a run " + name + ": join that one if you meant it")
				}
			}
			if len(files) > 0 {
				if _, err := b.AddSources(ctx, who, files, false); err != nil {
					return err
				}
			}
			var err error
			if out.State, err = b.State(ctx); existed && in.Goal != "" && in.Goal != out.State.Goal {
				h.Note("note: " + b.Run() + " has another goal, which stays: " + board.Line(cmp.Or(out.State.Goal,
					"none"), 200))
			}
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o StartOut) {
		if o.Existed {
			p.Printf("run %s already exists, and is used\n", o.State.Run)
		} else {
			p.Printf("created run %s\n", o.State.Run)
		}
		if o.State.Goal != "" {
			p.Printf("goal: %s\n", p.Text(o.State.Goal, 200, "", ""))
		}
		if len(o.own) > 0 {
			p.Printf("its gate waits for %s, as %s says\n", p.Line(strings.Join(o.own, ", "), 1000),
				p.Line(o.Policy.Path, 300))
		}
		if len(o.named) > 0 {
			p.Printf("its gate waits for %s\n", p.Line(strings.Join(o.named, ", "), 1000))
		}
		if o.sources > 0 {
			p.Printf("%s registered\n", amount(o.sources, "source", "sources"))
		}
		if o.recorded {
			PolicyText(p, &o.Policy)
		}
	},
}
