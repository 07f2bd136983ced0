package board

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/board/text"
)

const (
	maxTask = 300 // runes that are kept of a task, enough to tell it from others

)

// Retrieved records what a worker was given of the knowledge base: the way, the role, the
// task and the capsules. It never creates a run.
func (b *Board) Retrieved(ctx context.Context, worker string, r Retrieval) error {
	task := strings.ReplaceAll(strings.ToValidUTF8(r.Task, ""), "\x00", "")
	p := record.RetrievalPayload{Role: r.Role, Task: Line(task, maxTask), Capsules: r.Capsules}
	if err := p.Check(r.Way); err != nil {
		return err
	}
	if _, err := readValue(ctx, b, (*store.Tx).LastSeq); err != nil { // there is a run
		return err
	}
	return b.write(ctx, worker, func(w *writer) error { return w.event(record.VerbRetrieval, r.Way, p) })
}

// Retrievals returns the retrievals, latest first; limit 0 means all.
func (b *Board) Retrievals(ctx context.Context, limit int) ([]Retrieval, error) {
	return readValue(ctx, b, func(tx *store.Tx) ([]Retrieval, error) {
		return retrievals(tx, `DESC LIMIT ?`, cmp.Or(limit, math.MaxInt))
	})
}

// retrievalsWhere selects the events of retrievals through the index on their ids. The verb is
// checked too, since a variable may have the same id.
const retrievalsWhere = `INDEXED BY events_id WHERE verb = '` + record.VerbRetrieval +
	`' AND events.id IN ('` + ByBrief + `', '` + BySearch + `', '` + ByPrompt + `', '` + ByStart +
	`')`

func retrievals(tx *store.Tx, order string, args ...any) ([]Retrieval, error) {
	return decodeAll(tx, (*Event).Retrieval, retrievalsWhere+` ORDER BY seq `+order, args...)
}

// Use is how often a run was given a capsule, and whether it used it.
type Use struct {
	Run         string    `json:"run"`
	Times       int64     `json:"times"`        // how often
	Last        time.Time `json:"last"`         // the last time
	CitedBy     []string  `json:"cited_by"`     // entries of the run that name the capsule
	ConfirmedBy []string  `json:"confirmed_by"` // "run:audit-7 role:reviewer"
	Used        bool      `json:"used"`         // one of the two
}

// Outcome says in words whether the run used it.
func (u *Use) Outcome() string {
	if !u.Used {
		return "not used so far"
	}
	made := "used"
	if n := len(u.CitedBy); n == 1 {
		made += ", " + u.CitedBy[0] + " names it"
	} else if n > 1 {
		const some = 5
		made += ", " + strings.Join(u.CitedBy[:min(n, some)], ", ")
		if n > some {
			made += fmt.Sprintf(" and %d more", n-some)
		}
		made += " name it"
	}
	if len(u.ConfirmedBy) > 0 {
		made += ", confirmed by " + strings.Join(u.ConfirmedBy, ", ")
	}
	return made
}

type Usage struct {
	Times  int64    `json:"times"`  // how often
	Runs   []Use    `json:"runs"`   // the runs that it was given in
	Unread []string `json:"unread"` // runs whose boards cannot be read
}

func (u *Usage) Describe() string {
	if len(u.Runs) == 0 {
		return "to no run"
	}
	used := 0
	for i := range u.Runs {
		if u.Runs[i].Used {
			used++
		}
	}
	by := "none"
	if used > 0 {
		by = fmt.Sprint(used)
	}
	runs := text.Count(int64(len(u.Runs)), "run", "runs")
	return fmt.Sprintf("%s to %s, used by %s", text.Count(u.Times, "time", "times"), runs, by)
}

// UsageOf returns the runs in dir that were given a capsule. A run has used it if an
// entry names its id (in content, evidence, source or tags), or if somebody has confirmed
// it in the run. confirmed says who has, from the knowledge base. It opens the file of
// each run that was written to since the capsule was created.
func UsageOf(ctx context.Context, dir, capsule string, made time.Time,
	confirmed []string) (out Usage, err error) {
	out = Usage{Runs: []Use{}, Unread: []string{}}
	const slack = 24 * time.Hour // between the clocks of the machines that both may come from
	names, err := placeOf(dir).Runs(ctx, made.Add(-slack))
	if err != nil {
		return out, err
	}
	all, errs := make([]Use, len(names)), make([]error, len(names))
	const openAtOnce = 4
	if err := parallel(ctx, len(names), openAtOnce, func(i int) error {
		all[i], errs[i] = readUse(ctx, dir, names[i], capsule)
		return nil
	}); err != nil {
		return out, err
	}
	for i, name := range names {
		u := all[i]
		switch {
		case errors.Is(errs[i], fault.NotFound): // it is being made, or was removed
			continue
		case errs[i] != nil:
			out.Unread = append(out.Unread, name)
			continue
		case u.Times == 0:
			continue
		}
		for _, by := range confirmed {
			if run, _, _ := strings.Cut(by, " "); run == "run:"+name {
				u.ConfirmedBy = append(u.ConfirmedBy, by)
			}
		}
		u.Used = len(u.CitedBy)+len(u.ConfirmedBy) > 0
		out.Runs = append(out.Runs, u)
		out.Times += u.Times
	}
	slices.SortStableFunc(out.Runs, func(a, b Use) int { return b.Last.Compare(a.Last) })
	return out, nil
}

// readUse returns how one run was given a capsule, and used it.
func readUse(ctx context.Context, dir, name, capsule string) (Use, error) {
	u := Use{Run: name, CitedBy: []string{}, ConfirmedBy: []string{}}
	b, err := Open(ctx, dir, name)
	if err != nil {
		return u, err
	}
	defer b.Close()
	return u, b.read(ctx, func(tx *store.Tx) error {
		err := tx.QueryRow(`SELECT count(*), coalesce(max(at), 0) FROM events `+retrievalsWhere+`
			AND EXISTS (SELECT 1 FROM json_each(payload, '$.capsules')
				WHERE json_extract(value, '$.id') = ?)`, capsule).
			Scan(&u.Times, store.Time(&u.Last))
		if err != nil || u.Times == 0 {
			return err
		}
		// The full text finds entries by an index, but takes words of one stem for one word.
		hits, err := tx.Match(`"` + strings.ReplaceAll(capsule, `"`, `""`) + `"`)
		if err != nil {
			return err
		}
		where := append(hits.Conditions(), `instr(e.content || ' ' || e.evidence || ' ' ||
			e.source_doc || ' ' || e.source_ref || ' ' || e.tags, ?) > 0`)
		var id int64
		return tx.Each([]any{&id}, func() error {
			u.CitedBy = append(u.CitedBy, EntryID(id))
			return nil
		}, `SELECT e.id FROM `+hits.From+whereClause(where)+` ORDER BY e.id`,
			append(hits.Args, capsule)...)
	})
}
