package board

import (
	"cmp"
	"slices"
	"time"
)

// fillDuty has an entry surface that must by its row alone.
func (m *mender) fillDuty(at time.Time, e, row *Entry) {
	if !row.MustSurface || e.MustSurface {
		return
	}
	from := append(slices.Clone(row.Supersedes), "what is lost")[0]
	if err := m.made(at, "doctor", verbMustSurface, e.ID, takenPayload{from}); err != nil {
		m.miss("that %s must surface is lost: %v", e.ID, err)
	}
}

// fillExpected adds workers that are expected, and duties that were dropped, by the rows alone.
func (m *mender) fillExpected() {
	for _, e := range m.expects {
		at := slices.IndexFunc(m.Expected, func(x Expected) bool { return x.Worker == e.Worker })
		if at >= 0 && m.Expected[at].Status == e.Status {
			continue
		}
		verb := map[string]string{WorkerExpected: verbExpect, WorkerDone: verbDone, WorkerDropped: verbDrop}[e.Status]
		if err := m.made(e.At, cmp.Or(e.By, "doctor"), verb, e.Worker, reasonPayload{e.Reason}); err != nil {
			m.miss("that %s is %s is lost: %v", clip(e.Worker, 60), clip(e.Status, 40), err)
		}
	}
	for _, d := range m.drops {
		if slices.ContainsFunc(m.Dropped, func(x DroppedDuty) bool { return x.ID == d.ID && x.By == d.By }) {
			continue
		}
		if err := m.made(m.At, cmp.Or(d.Worker, "doctor"), verbDropDuty, d.ID, dropDutyPayload{d.By, d.Reason}); err != nil {
			m.miss("that %s need not surface is lost: %v", d.ID, err)
		}
	}
}
