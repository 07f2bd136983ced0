package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/fault"
)

type workerOut struct {
	Name    string `json:"name"`
	Entries int64  `json:"entries"`
	Last    string `json:"last"`
}

type variableOut struct {
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	Version int64           `json:"version" jsonschema:"rises with every change; for if_version"`
	Worker  string          `json:"worker"`
}

func variableOf(v *board.Variable) variableOut {
	return variableOut{v.Key, v.Value, v.Version, v.Worker}
}

// line puts a variable on one line.
func (v *variableOut) line() string {
	return fmt.Sprintf("%s = %s (version %d, by %s)", inLine(v.Key), v.Value, v.Version, inLine(v.Worker))
}

type runOut struct {
	Run         string `json:"run"`
	Goal        string `json:"goal"`
	Entries     int64  `json:"entries"`
	OpenSignals int64  `json:"open_signals"`
	GateOpen    bool   `json:"gate_open"`
}

type stateOut struct {
	Run       string           `json:"run,omitempty"`
	Goal      string           `json:"goal,omitempty"`
	Seq       int64            `json:"seq,omitempty" jsonschema:"the newest event; for since"`
	Entries   map[string]int64 `json:"entries,omitempty" jsonschema:"by type"`
	Statuses  map[string]int64 `json:"statuses,omitempty" jsonschema:"entries by status"`
	Must      int64            `json:"must_surface,omitempty"`
	Signals   []signalOut      `json:"open_signals" jsonschema:"the most urgent first, 20 at most"`
	Open      int64            `json:"open,omitempty" jsonschema:"how many signals are open"`
	Workers   []workerOut      `json:"workers"`
	Expected  []expectedOut    `json:"expected,omitempty" jsonschema:"workers that the gate waits for, and what became of each"`
	Variables []variableOut    `json:"variables"`
	Runs      []runOut         `json:"runs" jsonschema:"where no run is named: those that there are"`
}

// mostListed is how many signals, workers and runs a state lists.
const mostListed = 20

func (c *call) state(in onRun) (out stateOut, text string, err error) {
	out = stateOut{Signals: []signalOut{}, Workers: []workerOut{}, Variables: []variableOut{}, Runs: []runOut{}}
	if in.Run == "" && c.cfg.Run == "" {
		return c.runs(out)
	}
	if c.notYet(in.Run) {
		out.Run = c.cfg.Run
		return out, fmt.Sprintf("Run %s: nothing posted yet; the first board_post begins it.", out.Run), nil
	}
	err = c.onBoard(in.Run, false, func(b *board.Board) error {
		st, err := b.State(c.ctx)
		if err != nil {
			return err
		}
		open, err := b.Signals(c.ctx, board.SignalQuery{Statuses: []string{board.SignalOpen}, Limit: mostListed})
		if err != nil {
			return err
		}
		out.Run, out.Goal, out.Seq, out.Entries, out.Statuses, out.Must, out.Open = st.Run, st.Goal, st.Seq, st.Entries.ByType, st.Entries.ByStatus, st.Entries.MustSurface, st.Signals.Open.Total()
		out.Signals = each(open.Signals, signalOf)
		for _, w := range st.Workers[:min(len(st.Workers), mostListed)] {
			out.Workers = append(out.Workers, workerOut{w.Name, w.Entries, timeText(w.Last)})
		}
		out.Expected = each(st.Expected, expectedOf)
		out.Variables = each(st.Variables, variableOf)
		text = out.text(st.Entries.Total)
		return nil
	})
	return out, text, err
}

// notYet reports whether a call is about the server's run, which the caller may read and nobody has begun.
func (c *call) notYet(run string) bool {
	if c.cfg.NoCreate || c.cfg.Run == "" || run != "" && run != c.cfg.Run || c.cfg.Grants.run(c.cfg.Run, false) != nil {
		return false
	}
	_, err := os.Stat(board.Path(c.boards(), c.cfg.Run))
	return errors.Is(err, fs.ErrNotExist)
}

// text writes a state for a reader.
func (s *stateOut) text(entries int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Run %s, event %d", s.Run, s.Seq)
	if s.Goal != "" {
		fmt.Fprintf(&b, "\nGoal: %s", indented(s.Goal))
	}
	fmt.Fprintf(&b, "\nEntries: %d%s; %d must surface", entries, counted(s.Entries), s.Must)
	if d := s.Statuses[board.Disputed]; d > 0 {
		fmt.Fprintf(&b, "; %d disputed", d)
	}
	fmt.Fprintf(&b, "\nOpen signals: %d", s.Open)
	for i := range s.Signals {
		fmt.Fprintf(&b, "\n- %s", s.Signals[i].line())
	}
	if len(s.Workers) > 0 {
		b.WriteString("\nWorkers:")
		for i, w := range s.Workers {
			fmt.Fprintf(&b, "%s %s (%d)", map[bool]string{true: "", false: ","}[i == 0], inLine(w.Name), w.Entries)
		}
	}
	for i := range s.Expected {
		fmt.Fprintf(&b, "\nExpected: %s", s.Expected[i].line())
	}
	for i := range s.Variables {
		fmt.Fprintf(&b, "\nVariable %s", s.Variables[i].line())
	}
	return b.String()
}

// counted writes counts by name, the names in order.
func counted[N int | int64](counts map[string]N) string {
	var parts []string
	for name, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, n))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	return " (" + strings.Join(parts, ", ") + ")"
}

// runs lists the runs that the caller may read.
func (c *call) runs(out stateOut) (stateOut, string, error) {
	by, err := c.policy()
	if err != nil {
		return out, "", err
	}
	all, err := board.List(c.ctx, c.boards(), by.Gate)
	if err != nil {
		return out, "", err
	}
	var lines []string
	for _, r := range all {
		if c.cfg.Grants.run(r.Run, false) != nil {
			continue
		}
		out.Runs = append(out.Runs, runOut{r.Run, r.Goal, r.Entries, r.OpenSignal, r.Open})
		lines = append(lines, fmt.Sprintf("- %s: %d entries, %d open signals, gate %s. %s", r.Run, r.Entries, r.OpenSignal, gateWord(r.Open), inLine(r.Goal)))
	}
	if len(lines) == 0 {
		return out, "There is no run yet; board_post with a run makes one.", nil
	}
	return out, "Name one of the runs:\n" + strings.Join(lines, "\n"), nil
}

func gateWord(open bool) string {
	if open {
		return "open"
	}
	return "closed"
}

type varGetIn struct {
	onRun
	Key string `json:"key,omitempty" jsonschema:"default: all variables"`
}

type varsOut struct {
	Run       string        `json:"run"`
	Found     bool          `json:"found"`
	Variables []variableOut `json:"variables"`
}

func (c *call) varGet(in varGetIn) (out varsOut, text string, err error) {
	err = c.onBoard(in.Run, false, func(b *board.Board) error {
		out.Run = b.Run()
		var all []board.Variable
		var err error
		if in.Key == "" {
			all, err = b.Variables(c.ctx)
		} else {
			var v board.Variable
			if v, err = b.Get(c.ctx, in.Key); err == nil {
				all = append(all, v)
			} else if errors.Is(err, fault.NotFound) {
				err = nil
			}
		}
		if err != nil {
			return err
		}
		out.Found, out.Variables = len(all) > 0, each(all, variableOf)
		text = lines(out.Variables, "\n", "There is no such variable in "+b.Run()+".", (*variableOut).line)
		return nil
	})
	return out, text, err
}

type varSetIn struct {
	on
	Key       string          `json:"key"`
	Value     json.RawMessage `json:"value,omitempty" jsonschema:"any JSON value"`
	Delete    bool            `json:"delete,omitempty" jsonschema:"in place of a value"`
	IfVersion *int64          `json:"if_version,omitempty" min:"0" jsonschema:"set it only if it has this version now; 0: only if it is new"`
}

func (c *call) varDelete(in *varSetIn, who string, ifMatch int64) (out varSetOut, text string, err error) {
	err = c.onBoard(in.Run, true, func(b *board.Board) error {
		v, err := b.Delete(c.ctx, who, in.Key, ifMatch)
		if err != nil {
			return err
		}
		out = varSetOut{b.Run(), variableOf(&v)}
		text = "Deleted in " + b.Run() + ": " + out.Variable.line()
		return nil
	})
	return out, text, err
}

type varSetOut struct {
	Run      string      `json:"run"`
	Variable variableOut `json:"variable"`
}

func (c *call) varSet(in varSetIn) (out varSetOut, text string, err error) {
	who, err := in.by(c)
	if err != nil {
		return out, "", err
	}
	ifMatch := int64(board.AnyVersion)
	if in.IfVersion != nil {
		ifMatch = *in.IfVersion
	}
	if in.Delete == (in.Value != nil) {
		return out, "", badArgument("give one of value and delete", "a variable is set to a value, or deleted")
	}
	if in.Delete {
		return c.varDelete(&in, who, ifMatch)
	}
	err = c.onNewBoard(in.Run, func(b *board.Board) error {
		v, err := b.Set(c.ctx, who, in.Key, in.Value, ifMatch)
		if err != nil {
			return err
		}
		out = varSetOut{b.Run(), variableOf(&v)}
		text = "Set in " + b.Run() + ": " + out.Variable.line()
		return nil
	})
	return out, text, err
}
