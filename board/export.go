package board

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"time"

	"blackboard/board/store"
	"blackboard/board/trace"
)

// exportSchema is the version of the JSONL export. An import refuses a newer one.
const exportSchema = 1

// exportLine is one line of the JSONL export. The first is the run's, with the counts of what follows: entries, signals, variables, expected
// workers, dropped duties and settlements as they are, then the whole event log. The log alone is what an import rebuilds the board from; the other lines are for readers, and a check.
type exportLine struct {
	V        int        `json:"v"`
	Kind     string     `json:"kind"` // run, entry, signal, variable, expected, dropped_duty, settlement, source or event
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

// Export writes everything on the board as JSONL, as of one moment.
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
		if err := line(exportLine{Kind: "run", Run: &exportRun{exportSchema, s.Run, s.Goal, s.Created, s.Seq, len(s.Entries), len(s.Signals), len(s.Variables)}}); err != nil {
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

// ExportHTML writes the board as one HTML file, as of one moment, with the gate by a policy;
// with traced, if there is any, what reports stand on.
func (b *Board) ExportHTML(ctx context.Context, w io.Writer, by Policy, traced *trace.Result) error {
	var s *Snapshot
	var events []Event
	err := b.read(ctx, func(tx *store.Tx) (err error) {
		if s, err = loadSnapshot(tx); err != nil {
			return err
		}
		events, err = eventsAfter(tx, 0, -1) // SQLite: a negative limit is none
		return err
	})
	if err != nil {
		return err
	}
	return s.HTML(w, by, events, traced)
}
