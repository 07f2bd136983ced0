package mcp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/policy"
	"blackboard/hooks/ops"
)

type workerOut struct {
	Name    string `json:"name"`
	Entries int64  `json:"entries"`
	Last    string `json:"last"`
}

type variableOut struct {
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value,omitempty"`
	Long    bool            `json:"value_left_out,omitempty" jsonschema:"the value is too long; max_tokens asks for more"`
	Version int64           `json:"version" jsonschema:"rises with every change; for if_version"`
	Worker  string          `json:"worker"`
	text    string          // the value, for a reader
}

func (k cut) variable(v *board.Variable) variableOut {
	value := k.value(v.Value)
	return variableOut{v.Key, value, value == nil, v.Version, v.Worker,
		k.text(string(v.Value), "board_var_get", v.Key)}
}

// line puts a variable on one line.
func (v *variableOut) line() string {
	return fmt.Sprintf("%s = %s (version %d, by %s)", inLine(v.Key), jsonLine(v.text), v.Version,
		inLine(v.Worker))
}

type runOut struct {
	Run         string `json:"run"`
	Goal        string `json:"goal,omitempty"`
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
	GateOpen  bool             `json:"gate_open,omitempty"`
	ClosedBy  []string         `json:"gate_closed_by,omitempty" jsonschema:"what keeps the gate closed, 8 at most"`
	Signals   []board.Signal   `json:"open_signals" jsonschema:"the most urgent first, 20 at most"`
	Open      int64            `json:"open,omitempty" jsonschema:"how many signals are open"`
	Workers   []workerOut      `json:"workers"`
	Expected  []board.Expected `json:"expected,omitempty" jsonschema:"workers that the gate waits for, and what became of each"`
	Variables []variableOut    `json:"variables"`
	AllRuns   int              `json:"all_runs,omitempty" jsonschema:"how many there are"`
	Runs      []runOut         `json:"runs" jsonschema:"where no run is named: those that there are"`
}

// mostListed is how many signals, workers and runs a state lists.
const mostListed = 20

func (c *call) state(in ops.OnRun) (out stateOut, text string, err error) {
	out = stateOut{Signals: []board.Signal{}, Workers: []workerOut{}, Variables: []variableOut{},
		Runs: []runOut{}}
	if in.Run == "" && c.ownRun() == "" {
		return c.runs(out)
	}
	err = c.onBoard(in.Run, false, func(b *board.Board) error {
		st, err := b.State(c.ctx)
		if err != nil {
			return err
		}
		open, err := b.Signals(c.ctx, board.SignalQuery{Statuses: []string{board.SignalOpen},
			Limit: mostListed})
		if err != nil {
			return err
		}
		by, err := c.Policy(c.ctx, b)
		if err != nil {
			return err
		}
		v, err := b.Gate(c.ctx, by.Gate)
		if err != nil {
			return err
		}
		out, text = fitted(c, func(k cut) (stateOut, string) {
			out := k.state(&st, open.Signals)
			out.GateOpen, out.ClosedBy = v.Open, closedBy(&v)
			return out, k.stateText(&out, &st)
		})
		return nil
	})
	if errors.Is(err, fault.NotFound) && !c.cfg.NoCreate && (in.Run == "" || in.Run == c.cfg.Run) {
		out.Run = c.cfg.Run
		return out, fmt.Sprintf("Run %s: nothing posted yet; the first board_post begins it.",
			out.Run), nil
	}
	return out, text, err
}

// state is as much of a state as there is room for.
func (k cut) state(st *board.State, open []board.Signal) stateOut {
	workers := st.Workers[:min(len(st.Workers), mostListed)]
	return stateOut{Run: st.Run, Goal: k.text(st.Goal, "", ""), Seq: st.Seq,
		Entries: st.Entries.ByType, Statuses: st.Entries.ByStatus, Must: st.Entries.MustSurface,
		Open:    st.Signals.Open.Total(),
		Signals: list(some(k, open)),
		Workers: each(some(k, workers), func(w *board.Worker) workerOut {
			return workerOut{w.Name, w.Entries, timeText(w.Last)}
		}),
		Expected: some(k, st.Expected), Variables: each(some(k, st.Variables),
			k.variable), Runs: []runOut{}}
}

// closedBy are the rules and ids that keep a gate closed.
func closedBy(v *board.Verdict) (all []string) {
	const most = 8
	for i := range v.Reasons[:min(len(v.Reasons), most)] {
		r := &v.Reasons[i]
		about := cmp.Or(strings.TrimSpace(r.ID+" "+r.Other), r.Worker)
		all = append(all, strings.Join(strings.Fields(r.Rule+" "+inLine(about)+" "+r.Priority), " "))
	}
	if left := len(v.Reasons) - most; left > 0 {
		all = append(all, fmt.Sprintf("%d more", left))
	}
	return all
}

// stateText writes a state for a reader.
func (k cut) stateText(s *stateOut, st *board.State) string {
	page := k.page(nil)
	var b strings.Builder
	fmt.Fprintf(&b, "Run %s, event %d", s.Run, s.Seq)
	if s.Goal != "" {
		fmt.Fprintf(&b, "\nGoal: %s", indented(s.Goal))
	}
	gate := "open"
	if !s.GateOpen {
		gate = "CLOSED: " + strings.Join(s.ClosedBy, "; ")
	}
	fmt.Fprintf(&b, "\nGate %s", gate)
	fmt.Fprintf(&b, "\nEntries: %d%s; %d must surface", st.Entries.Total, counted(s.Entries),
		s.Must)
	if d := s.Statuses[board.Disputed]; d > 0 {
		fmt.Fprintf(&b, "; %d disputed", d)
	}
	fmt.Fprintf(&b, "\nOpen signals: %d", s.Open)
	for i := range s.Signals {
		fmt.Fprintf(&b, "\n- %s", ops.SignalLine(page, &s.Signals[i], time.Now()))
	}
	b.WriteString(further("", len(s.Signals), int(s.Open)))
	if len(s.Workers) > 0 {
		b.WriteString("\nWorkers:")
		for i, w := range s.Workers {
			fmt.Fprintf(&b, "%s %s (%d)", map[bool]string{true: "", false: ","}[i == 0],
				inLine(w.Name), w.Entries)
		}
	}
	b.WriteString(further("", len(s.Workers), len(st.Workers)))
	for i := range s.Expected {
		fmt.Fprintf(&b, "\nExpected: %s", k.expected(&s.Expected[i]))
	}
	b.WriteString(further("", len(s.Expected), len(st.Expected)))
	for i := range s.Variables {
		fmt.Fprintf(&b, "\nVariable %s", s.Variables[i].line())
	}
	b.WriteString(further("", len(s.Variables), len(st.Variables)))
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
	by, err := policy.Find(c.workspace())
	if err != nil {
		return out, "", err
	}
	all, err := board.List(c.ctx, c.boards(), by.Gate)
	if err != nil {
		return out, "", err
	}
	all = slices.DeleteFunc(all, func(r board.Info) bool {
		return c.cfg.Grants.run(r.Run, false) != nil
	})
	if len(all) == 0 {
		return out, "No runs yet; board_post with a run creates one.", nil
	}
	out, text := fitted(c, func(k cut) (stateOut, string) {
		out := out
		out.AllRuns = len(all)
		text := []string{"Name one of the runs:"}
		for _, r := range some(k, all) {
			goal := k.text(r.Goal, "", "")
			out.Runs = append(out.Runs, runOut{r.Run, goal, r.Entries, r.OpenSignal, r.Open})
			text = append(text, fmt.Sprintf("- %s: %d entries, %d open signals, gate %s. %s",
				r.Run, r.Entries, r.OpenSignal, gateWord(r.Open), inLine(goal)))
		}
		return out, further(strings.Join(text, "\n"), len(out.Runs), len(all))
	})
	return out, text, nil
}

func gateWord(open bool) string {
	if open {
		return "open"
	}
	return "closed"
}

// expected puts a worker that is expected on one line.
func (k cut) expected(e *board.Expected) string {
	text := inLine(e.Worker) + " " + e.Status
	if e.Reason != "" {
		text += fmt.Sprintf(" by %s: %s", inLine(e.By), inLine(k.text(e.Reason, "", "")))
	}
	return text
}
