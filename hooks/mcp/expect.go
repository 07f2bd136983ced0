package mcp

import (
	"fmt"
	"strings"

	"blackboard/board"
)

// What board_expect does.
const (
	expectAct = "expect"
	doneAct   = "done"
	dropAct   = "drop"
)

func (s *Server) addExpectTools() {
	add(s, tool{name: "board_expect", title: "Wait for workers", profile: ProfileRun, kind: writes,
		about: "Name workers that the gate waits for; say that one is done, with a note in " +
			"reason, or drop it with a reason."}, (*call).expect)
}

type expectIn struct {
	on
	Do     string   `json:"do,omitempty" enum:"expectations" default:"expect" jsonschema:"default expect"`
	Names  []string `json:"names,omitempty" jsonschema:"workers"`
	Reason string   `json:"reason,omitempty" jsonschema:"why, or a note"`
}

type expectedOut struct {
	Worker string `json:"worker"`
	Status string `json:"status"`
	By     string `json:"by"`
	Reason string `json:"reason,omitempty"`
}

func (k cut) expected(e *board.Expected) expectedOut {
	return expectedOut{e.Worker, e.Status, e.By, k.text(e.Reason, "", "")}
}

// line puts a worker that is expected on one line.
func (e *expectedOut) line() string {
	text := inLine(e.Worker) + " " + e.Status
	if e.Reason != "" {
		text += fmt.Sprintf(" by %s: %s", inLine(e.By), inLine(e.Reason))
	}
	return text
}

type expectOut struct {
	Run      string        `json:"run"`
	Expected []expectedOut `json:"expected"`
}

func (c *call) expect(in expectIn) (out expectOut, text string, err error) {
	who, err := in.by(c)
	if err != nil {
		return out, "", err
	}
	if in.Do == dropAct && len(in.Names) != 1 {
		return out, "", badArgument("give one name in names, and the reason",
			"drop takes one worker, not %d", len(in.Names))
	}
	change := func(b *board.Board) error {
		var all []board.Expected
		var err error
		switch in.Do {
		case doneAct:
			all, err = b.DoneWithNote(c.ctx, who, in.Reason, in.Names...)
		case dropAct:
			all, err = b.Drop(c.ctx, who, in.Names[0], in.Reason)
		default:
			all, err = b.Expect(c.ctx, who, in.Names, false)
		}
		if err != nil {
			return err
		}
		out, text = fitted(c, func(k cut) (expectOut, string) {
			out := expectOut{b.Run(), each(some(k, all), k.expected)}
			said := each(out.Expected, (*expectedOut).line)
			return out, further(fmt.Sprintf("Expected in %s: %s", b.Run(),
				strings.Join(said, "; ")), len(said), len(all))
		})
		return nil
	}
	if in.Do == doneAct || in.Do == dropAct {
		err = c.onBoard(in.Run, true, change)
	} else {
		err = c.onNewBoard(in.Run, change)
	}
	return out, text, err
}
