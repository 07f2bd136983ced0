package board

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// State is the summary of a board. Its cost does not depend on the number of entries. It
// grows with the workers and the variables.
type State struct {
	Run       string       `json:"run"`
	Goal      string       `json:"goal"`
	Created   time.Time    `json:"created"`
	Updated   time.Time    `json:"updated"` // of the newest event
	Seq       int64        `json:"seq"`     // of the newest event
	Entries   EntryCounts  `json:"entries"`
	Signals   SignalCounts `json:"signals"`
	Links     CountsByName `json:"links"`   // by kind
	Workers   []Worker     `json:"workers"` // the most recent first
	Variables []Variable   `json:"variables"`
	Expected  []Expected   `json:"expected"` // workers that the run waits or has waited for
	// Retrievals is how often workers were given something of the knowledge base.
	Retrievals int64 `json:"retrievals"`
	// Receipts is how many commands and edits hooks saw.
	Receipts int64 `json:"receipts"`
	// Checks are the last checks of reports, the latest first.
	Checks []CheckRecord `json:"checks"`
}

// CountsByName counts things by a name.
type CountsByName map[string]int64

// Total is the sum of all counts.
func (c CountsByName) Total() (n int64) {
	for _, v := range c {
		n += v
	}
	return n
}

// EntryCounts counts entries. MustSurface does not count superseded ones.
type EntryCounts struct {
	Total       int64        `json:"total"`
	ByType      CountsByName `json:"by_type"`      // active entries by type
	ByStatus    CountsByName `json:"by_status"`    // all entries by status
	MustSurface int64        `json:"must_surface"` // active entries that the report must carry
}

// SignalCounts counts signals by priority.
type SignalCounts struct {
	Total     int64        `json:"total"`
	Open      CountsByName `json:"open"`      // open signals by priority
	Addressed CountsByName `json:"addressed"` // addressed signals by priority
	Waived    CountsByName `json:"waived"`    // waived signals by priority
}

func (c *SignalCounts) of(status string) CountsByName {
	switch status {
	case SignalOpen:
		return c.Open
	case Addressed:
		return c.Addressed
	default:
		return c.Waived
	}
}

// Worker is somebody who wrote to the board.
type Worker struct {
	Name    string    `json:"name"`
	Entries int64     `json:"entries"` // posted
	Events  int64     `json:"events"`  // caused
	Last    time.Time `json:"last"`    // of the last one
}

// State returns the summary of the board.
func (b *Board) State(ctx context.Context) (State, error) {
	return readValue(ctx, b, func(tx *store.Tx) (State, error) { return state(tx, true) })
}

func newState() State {
	st := State{Workers: []Worker{}, Variables: []Variable{}, Expected: []Expected{},
		Checks: []CheckRecord{}, Links: CountsByName{}}
	st.Entries = EntryCounts{ByType: CountsByName{}, ByStatus: CountsByName{}}
	st.Signals = SignalCounts{Open: CountsByName{}, Addressed: CountsByName{},
		Waived: CountsByName{}}
	return st
}

// state reads the summary. Without workers and the number of retrievals, its cost is
// constant.
func state(tx *store.Tx, workers bool) (State, error) {
	st := newState()
	run, err := runRow(tx)
	if err != nil {
		return st, err
	}
	st.Run, st.Goal, st.Created, st.Updated, st.Seq = run.Run, run.Goal, run.Created, run.At,
		run.Seq
	if err := st.readCounts(tx, workers); err != nil {
		return st, err
	}
	if workers {
		var errs [3]error
		errs[0] = tx.QueryRow(`SELECT count(*) FROM events ` + areRetrievals).Scan(&st.Retrievals)
		errs[1] = tx.QueryRow(`SELECT count(*) FROM events WHERE id = '` + ranID + `' AND verb = '` +
			verbRan + `'`).Scan(&st.Receipts)
		st.Checks, errs[2] = checks(tx)
		if err := cmp.Or(errs[:]...); err != nil {
			return st, err
		}
	}
	if st.Expected, err = expected(tx); err != nil {
		return st, err
	}
	st.Variables, err = variables(tx)
	return st, err
}

// readCounts reads the running counts of entries, signals and links, and those of the
// workers if they are asked for.
func (st *State) readCounts(tx *store.Tx, workers bool) error {
	byName := map[string]*Worker{}
	worker := func(name string) *Worker {
		if byName[name] == nil {
			byName[name] = &Worker{Name: name}
		}
		return byName[name]
	}
	var kind, name string
	var n, last int64
	if err := tx.Each([]any{&kind, &name, &n, &last}, func() error {
		switch kind {
		case "type":
			st.Entries.ByType[name] = n
			st.Entries.Total += n
		case "status":
			st.Entries.ByStatus[name] = n
		case "must_surface":
			if name != Superseded {
				st.Entries.MustSurface += n
			}
		case "signal":
			var status string
			var priority int
			if _, err := fmt.Sscan(name, &status, &priority); err != nil || priority < 0 ||
				priority >= len(Priorities) {
				return store.Fault(fault.Corrupt, "",
					fmt.Sprintf("has an invalid count of signals, %q", clip(name, 60)),
					nil)
			}
			st.Signals.of(status)[Priorities[priority]] = n
			st.Signals.Total += n
		case "link":
			st.Links[name] = n
		case "worker":
			worker(name).Entries = n
		case "actor":
			w := worker(name)
			w.Events, w.Last = n, fromMillis(last)
		}
		return nil
	}, `SELECT c.kind, c.name, c.n, coalesce(e.at, 0) FROM counts c LEFT JOIN events e ON c.kind = 'actor' AND e.seq = c.last
		WHERE c.n > 0 AND (? = 1 OR c.kind IN ('type', 'status', 'must_surface', 'signal', 'link'))`, workers); err != nil {
		return err
	}
	st.Workers = listWorkers(byName)
	return nil
}

// listWorkers puts the worker who wrote last first.
func listWorkers(byName map[string]*Worker) []Worker {
	all := []Worker{}
	for _, w := range byName {
		all = append(all, *w)
	}
	slices.SortFunc(all, func(a, b Worker) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(b.Events, a.Events),
			strings.Compare(a.Name, b.Name))
	})
	return all
}

// checkCounts compares the running counts with the rows.
func checkCounts(tx *store.Tx, path string) error {
	var kind, name string
	var have, want int64
	err := tx.QueryRow(`WITH want(kind, name, n) AS (
			SELECT 'type', type, count(*) FROM entries GROUP BY type
			UNION ALL SELECT 'status', status, count(*) FROM entries GROUP BY status
			UNION ALL SELECT 'must_surface', status, count(*) FROM entries WHERE must_surface = 1 GROUP BY status
			UNION ALL SELECT 'worker', worker, count(*) FROM entries GROUP BY worker
			UNION ALL SELECT 'signal', status || ' ' || priority, count(*) FROM signals GROUP BY status, priority
			UNION ALL SELECT 'link', kind, count(*) FROM links GROUP BY kind
			UNION ALL SELECT 'actor', actor, count(*) FROM events GROUP BY actor)
		SELECT kind, name, sum(have), sum(want) FROM (
			SELECT kind, name, n AS have, 0 AS want FROM counts UNION ALL SELECT kind, name, 0, n FROM want) AS both_sides
		GROUP BY kind, name HAVING sum(have) <> sum(want) LIMIT 1`).Scan(&kind, &name, &have, &want)
	if store.IsNoRows(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return store.Fault(fault.Corrupt, path, fmt.Sprintf("counts %d of %s %q where there are %d",
		have, kind, name, want), nil)
}

// State summarises the snapshot as Board.State does.
func (s *Snapshot) State() State {
	st := newState()
	st.Run, st.Goal, st.Created, st.Updated, st.Seq, st.Variables = s.Run, s.Goal, s.Created, s.At,
		s.Seq, s.Variables
	st.Expected, st.Retrievals = s.Expected, int64(len(s.Retrievals))
	st.Checks = append(st.Checks, s.Checks...)
	st.Receipts, st.Workers = int64(len(s.Receipts)), append(st.Workers, s.Workers...)
	for _, e := range s.Entries {
		st.Entries.Total++
		st.Entries.ByType[e.Type]++
		st.Entries.ByStatus[e.Status]++
		if e.MustSurface && e.Status != Superseded {
			st.Entries.MustSurface++
		}
		for _, k := range LinkKinds {
			if n := len(e.Of(k)); n > 0 {
				st.Links[k] += int64(n)
			}
		}
	}
	for _, sig := range s.Signals {
		st.Signals.Total++
		st.Signals.of(sig.Status)[sig.Priority]++
	}
	return st
}

// Variables that say, by convention, what a run has spent so far: a JSON number each.
// What one worker has spent is in the variable with a dot and the worker's name added:
// tokens.reader-1.
const (
	TokensVariable = "tokens"
	BudgetVariable = "token_budget"
	CostVariable   = "cost" // in whatever is paid
)

// Spent is what a run or a worker has spent; nil if not known.
type Spent struct{ Tokens, Budget, Cost *float64 }

// Spent is what a worker has spent or, with "", the run. If the run does not say, it is
// the sum of its workers.
func (s *State) Spent(worker string) (all Spent) {
	var sum Spent
	for _, v := range s.Variables {
		var n float64
		if json.Unmarshal(v.Value, &n) != nil || n < 0 {
			continue
		}
		name, of, _ := strings.Cut(v.Key, ".")
		into := map[string][2]**float64{
			TokensVariable: {&all.Tokens, &sum.Tokens},
			BudgetVariable: {&all.Budget, nil},
			CostVariable:   {&all.Cost, &sum.Cost},
		}[name]
		switch {
		case into[0] == nil:
		case of == worker:
			*into[0] = &n
		case worker == "" && into[1] != nil:
			if *into[1] == nil {
				*into[1] = new(float64)
			}
			**into[1] += n
		}
	}
	if all.Tokens == nil {
		all.Tokens = sum.Tokens
	}
	if all.Cost == nil {
		all.Cost = sum.Cost
	}
	return all
}

// Describe says it in a few words; "" if nothing is known.
func (s Spent) Describe() string {
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	var parts []string
	switch {
	case s.Tokens != nil && s.Budget != nil:
		parts = append(parts, number(*s.Tokens)+" of "+number(*s.Budget)+" tokens")
	case s.Tokens != nil:
		parts = append(parts, number(*s.Tokens)+" tokens")
	}
	if s.Cost != nil {
		parts = append(parts, "cost "+number(*s.Cost))
	}
	return strings.Join(parts, ", ")
}
