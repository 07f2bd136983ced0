package board

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"time"

	"blackboard/board/store"
)

// exportSchema is the version of the JSONL export. An import refuses a newer one.
const exportSchema = 1

// exportLine is one line of the JSONL export. The first line is about the run, with the
// counts of what follows: entries, signals, variables, expected workers, dropped duties
// and settlements, then the whole event log. An import rebuilds the board from the log
// alone; the other lines are for readers, and to check the result.
type exportLine struct {
	V int `json:"v"`
	// run, entry, signal, variable, expected, dropped_duty, settlement, source or event
	Kind     string     `json:"kind"`
	Run      *exportRun `json:"run,omitempty"`
	Entry    *Entry     `json:"entry,omitempty"`
	Signal   *Signal    `json:"signal,omitempty"`
	Variable *Variable  `json:"variable,omitempty"`
	Expected *Expected  `json:"expected,omitempty"`
	Source   *Source    `json:"source,omitempty"`
	Event    *Event     `json:"event,omitempty"`

	Dropped    *DroppedDuty `json:"dropped_duty,omitempty"`
	Settlement *Settlement  `json:"settlement,omitempty"`
}

type exportRun struct {
	Schema    int       `json:"schema"`
	Name      string    `json:"name"`
	Goal      string    `json:"goal"`
	Created   time.Time `json:"created"`
	Seq       int64     `json:"seq"`
	Entries   int       `json:"entries"`
	Signals   int       `json:"signals"`
	Variables int       `json:"variables"`
}

// Export writes everything on the board as JSONL, all of the same moment.
func (b *Board) Export(ctx context.Context, out io.Writer) error {
	w := bufio.NewWriterSize(out, 1<<16)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	line := func(l exportLine) error { l.V = 1; return enc.Encode(l) }
	err := b.read(ctx, func(tx *store.Tx) error {
		s, err := loadSnapshot(tx)
		if err != nil {
			return err
		}
		if err := line(exportLine{Kind: "run", Run: &exportRun{exportSchema, s.Run, s.Goal,
			s.Created, s.Seq, len(s.Entries), len(s.Signals), len(s.Variables)}}); err != nil {
			return err
		}
		for i := range s.Entries {
			if err := line(exportLine{Kind: "entry", Entry: &s.Entries[i]}); err != nil {
				return err
			}
		}
		for i := range s.Signals {
			if err := line(exportLine{Kind: "signal", Signal: &s.Signals[i]}); err != nil {
				return err
			}
		}
		for i := range s.Variables {
			if err := line(exportLine{Kind: "variable", Variable: &s.Variables[i]}); err != nil {
				return err
			}
		}
		for i := range s.Expected {
			if err := line(exportLine{Kind: "expected", Expected: &s.Expected[i]}); err != nil {
				return err
			}
		}
		for i := range s.Dropped {
			if err := line(exportLine{Kind: "dropped_duty", Dropped: &s.Dropped[i]}); err != nil {
				return err
			}
		}
		for i := range s.Settled {
			if err := line(exportLine{Kind: "settlement", Settlement: &s.Settled[i]}); err != nil {
				return err
			}
		}
		for i := range s.Sources {
			if err := line(exportLine{Kind: "source", Source: &s.Sources[i]}); err != nil {
				return err
			}
		}
		for after := int64(0); after < s.Seq; {
			events, err := eventsAfter(tx, after, 5000)
			if err != nil {
				return err
			}
			for i := range events {
				if err := line(exportLine{Kind: "event", Event: &events[i]}); err != nil {
					return err
				}
				after = events[i].Seq
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.Flush()
}
