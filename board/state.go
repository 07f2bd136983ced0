package board

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
)

func (b *Board) State(ctx context.Context) (State, error) {
	return readValue(ctx, b, func(tx *store.Tx) (State, error) { return state(tx, true) })
}

// state reads the summary. Without workers it leaves out all that costs more with a longer log:
// workers, the numbers of retrievals and receipts, and checks.
func state(tx *store.Tx, workers bool) (State, error) {
	st := record.NewState()
	run, err := runRow(tx)
	if err != nil {
		return st, err
	}
	st.Run, st.Goal, st.Created, st.Updated, st.Seq = run.Run, run.Goal, run.Created, run.At,
		run.Seq
	if err := readCounts(tx, &st, workers); err != nil {
		return st, err
	}
	if workers {
		var errs [3]error
		errs[0] = tx.QueryRow(`SELECT count(*) FROM events ` + retrievalsWhere).Scan(&st.Retrievals)
		errs[1] = tx.QueryRow(`SELECT count(*) FROM events WHERE id = '` + record.RanEventID + `' AND verb = '` +
			record.VerbRan + `'`).Scan(&st.Receipts)
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

// readCounts reads the counts of entries, signals and links, and if asked those of workers.
func readCounts(tx *store.Tx, st *State, workers bool) error {
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
					fmt.Sprintf("has an invalid count of questions, %q", clip(name, 60)),
					nil)
			}
			st.Signals.Of(status)[Priorities[priority]] = n
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
	st.Workers = record.ListWorkers(byName)
	return nil
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

// What a Need is about.
const (
	NeedWorker   = "worker"   // has not finished, and is waited for
	NeedQuestion = "question" // keeps the gate closed
	NeedGate     = "gate"     // another reason why it is closed
	NeedFailed   = "failed"   // a report whose last check failed
	NeedReport   = "report"   // the gate is open: it may be written
)

// SilentAfter is how long an awaited worker may be silent before a person wants to know.
const SilentAfter = 10 * time.Minute

// maxNeeds bounds what the list of runs keeps of each; the gate and the state have all.
const maxNeeds = 8

// Need is something that a run waits for.
type Need struct {
	Kind    string `json:"kind"`    // worker, question, gate, failed or report
	ID      string `json:"id"`      // the question or entry; "": none
	Worker  string `json:"worker"`  // who is waited for, or who asked or checked
	Content string `json:"content"` // the question, or the reason or the verdict in words
	// Priority is that of the question; "": it is none.
	Priority string `json:"priority"`
	Claimed  string `json:"claimed_by"` // who works on the question; "": nobody
	// Since is a worker's last word, when a report was checked, or when the run that is ready has
	// last changed; null: unknown.
	Since *time.Time `json:"since"`
}

// Silent reports whether it is about a worker that has said nothing for too long.
func (n *Need) Silent(now time.Time) bool {
	return n.Kind == NeedWorker && n.Since != nil && now.Sub(*n.Since) >= SilentAfter
}

// needs are what a run waits for: the workers that it expects, the longest silent first, reports
// that failed, then questions, then what else keeps the gate closed; or the report, if it is open.
// Many workers leave half of the room to the others.
func needs(st *State, v *Verdict) []Need {
	workers, all := []Need{}, []Need{}
	for i := range st.Expected {
		if e := &st.Expected[i]; e.Status == WorkerExpected {
			since := st.LastWord(e)
			workers = append(workers, Need{Kind: NeedWorker, Worker: e.Worker, Since: &since,
				Content: e.Worker + " has not finished yet"})
		}
	}
	slices.SortStableFunc(workers, func(a, b Need) int { return a.Since.Compare(*b.Since) })
	for i := range st.Checks {
		if c := &st.Checks[i]; len(c.Failed()) > 0 {
			all = append(all, Need{Kind: NeedFailed, Worker: c.Worker, Content: c.Describe(), Since: &c.At})
		}
	}
	reasons := slices.Clone(v.Reasons)
	slices.SortStableFunc(reasons, func(a, b Reason) int {
		return cmp.Compare(rankOf(a.Rule), rankOf(b.Rule))
	})
	for i := range reasons {
		switch r := &reasons[i]; r.Rule {
		case RuleExpected, RuleEmpty, RuleMinEntries: // a worker; or those that work have just begun
		case RuleOpenSignal:
			all = append(all, Need{Kind: NeedQuestion, ID: r.ID, Worker: r.Worker,
				Priority: r.Priority, Content: r.Content, Claimed: r.Claimed})
		default:
			all = append(all, Need{Kind: NeedGate, ID: r.ID, Worker: r.Worker, Content: r.Content})
		}
	}
	if v.Open {
		all = append(all, Need{Kind: NeedReport, Content: "the report may be written",
			Since: &st.Updated})
	}
	room := max(maxNeeds-len(all), maxNeeds/2)
	all = append(workers[:min(len(workers), room)], all...)
	return all[:min(len(all), maxNeeds)]
}

// rankOf puts questions before the other reasons.
func rankOf(rule string) int {
	if rule == RuleOpenSignal {
		return 0
	}
	return 1
}
