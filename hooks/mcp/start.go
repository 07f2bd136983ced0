package mcp

import (
	"errors"
	"fmt"
	"strings"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/hooks/ops"
	kbhome "blackboard/kb/home"
)

type startIn struct {
	Run     string   `json:"run" jsonschema:"its name"`
	Worker  string   `json:"worker,omitempty" rare:"true"`
	Goal    string   `json:"goal,omitempty" jsonschema:"the question it answers"`
	Expect  []string `json:"expect,omitempty" jsonschema:"workers"`
	Sources []string `json:"sources,omitempty" jsonschema:"files and folders"`
	keepSecret
}

type startOut struct {
	Run      string           `json:"run"`
	Goal     string           `json:"goal,omitempty"`
	Existed  bool             `json:"existed"`
	Expected []board.Expected `json:"expected"`
	Sources  int              `json:"sources" jsonschema:"how many files were registered"`
}

// start opens a run, or joins the one that there is, which keeps its goal and its policy.
func (c *call) start(in startIn) (out startOut, said string, err error) {
	if len(in.Sources) > 0 {
		if err := c.cfg.Grants.need(Files, "naming files of the server's machine"); err != nil {
			return out, "", err
		}
	}
	files, err := ops.Sources(c.workspace(), each(in.Sources, c.where)) // before anything is made
	if err != nil {
		return out, "", err
	}
	who, err := c.Worker(in.Worker, false)
	if err != nil {
		return out, "", err
	}
	err = c.onRun(&in, who, &out.Existed, func(b *board.Board) error {
		follow, err := c.Policy(c.ctx, b)
		if err != nil {
			return err
		}
		st, err := ops.Join(c.ctx, b, who, &follow, in.Expect, files)
		out.Run, out.Goal, out.Expected = b.Run(), st.Goal, list(st.Expected)
		out.Sources = len(files)
		return err
	})
	if session := sessionOf(c.req); err == nil && (session != "" || !c.cfg.Far) {
		c.joined.Store(session, out.Run)
	}
	if in.Goal != "" && in.Goal != out.Goal {
		c.Note("it has another goal, which stays")
	}
	return out, out.text(), err
}

// onRun calls fn with the board of a run that is created under the workspace's policy, or
// is there.
func (c *call) onRun(in *startIn, who string, existed *bool, fn func(*board.Board) error) error {
	run, err := c.runOf(in.Run, true)
	if err != nil {
		return err
	}
	if !c.cfg.NoCreate {
		err := kbhome.StartRun(c.ctx, c.boards(), run, in.Goal, who, c.workspace())
		if *existed = errors.Is(err, fault.Conflict); err != nil && !*existed {
			return err
		}
	}
	return c.onBoard(run, true, fn)
}

func (o *startOut) text() string {
	said := o.Run + map[bool]string{true: " was there, and is used", false: " started"}[o.Existed]
	if o.Goal != "" {
		said += fmt.Sprintf(", goal “%s”", inLine(o.Goal))
	}
	if len(o.Expected) > 0 {
		said += "; waits for " + strings.Join(each(o.Expected, func(e *board.Expected) string {
			return inLine(e.Worker)
		}), ", ")
	}
	if o.Sources > 0 {
		said += "; " + text.Count(int64(o.Sources), "source", "sources")
	}
	return said + "."
}

func (s *Server) addRunTools() {
	add(s, tool{Tool: "board_start", Short: "Open a run", Profile: ProfileRun, Kind: writes,
		About: "Open a run, or join it: its goal, the workers the gate waits for, the files " +
			"quotes are checked against."}, (*call).start)
}
