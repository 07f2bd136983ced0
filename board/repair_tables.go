package board

import (
	"cmp"
	"slices"
	"time"
)

// fillDuty adds the duty to surface of an entry that has it in its row only.
func (m *mender) fillDuty(at time.Time, e, row *Entry) {
	if !row.MustSurface || e.MustSurface {
		return
	}
	from := append(slices.Clone(row.Supersedes), "what is lost")[0]
	if err := m.made(at, "doctor", verbMustSurface, e.ID, takenPayload{from}); err != nil {
		m.miss("that %s must surface is lost: %v", e.ID, err)
	}
}

// fillExpected adds expected workers and dropped duties that only the rows have.
func (m *mender) fillExpected() {
	for _, e := range m.expects {
		at := slices.IndexFunc(m.Expected, func(x Expected) bool { return x.Worker == e.Worker })
		if at >= 0 && m.Expected[at].Status == e.Status {
			continue
		}
		verb := map[string]string{WorkerExpected: verbExpect, WorkerDone: verbDone,
			WorkerDropped: verbDrop}[e.Status]
		if err := m.made(e.At, cmp.Or(e.By, "doctor"), verb, e.Worker,
			reasonPayload{e.Reason}); err != nil {
			m.miss("that %s is %s is lost: %v", clip(e.Worker, 60), clip(e.Status, 40), err)
		}
	}
	for _, d := range m.drops {
		if slices.ContainsFunc(m.Dropped, func(x DroppedDuty) bool {
			return x.ID == d.ID &&
				x.By == d.By
		}) {
			continue
		}
		if err := m.made(m.At, cmp.Or(d.Worker, "doctor"), verbDropDuty, d.ID,
			dropDutyPayload{d.By, d.Reason}); err != nil {
			m.miss("that %s need not surface is lost: %v", d.ID, err)
		}
	}
}

// fillSettled adds the state of signals, settled pairs and variables that only the rows
// have, where the log is not whole.
func (m *mender) fillSettled(at time.Time) error {
	if m.out.Whole {
		return nil
	}
	m.fillExpected()
	for i := range m.Signals {
		row, g := m.signals[int64(i)+1], &m.Signals[i]
		if row == nil || row.Status == g.Status {
			continue
		}
		by, when := cmp.Or(row.ClosedBy, "doctor"), at
		if row.Closed != nil {
			when = *row.Closed
		}
		var err error
		switch row.Status {
		case Addressed:
			err = m.made(when, by, verbAddress, g.ID, addressPayload{By: row.AddressedBy})
		case Waived:
			err = m.made(when, by, verbWaive, g.ID, waivePayload{Reason: row.Reason})
		default:
			err = m.made(at, "doctor", verbReopen, g.ID, notePayload{Note: "as the tables had it"})
		}
		if err != nil {
			m.miss("that %s is %s is lost: %v", g.ID, row.Status, err)
		}
	}
	for _, s := range m.settled {
		if !slices.ContainsFunc(m.Settled, func(have Settlement) bool {
			return have.A == s.A &&
				have.B == s.B
		}) {
			if err := m.made(s.At, s.Worker, verbReconcile, s.A,
				reconcilePayload{s.B, s.Reason}); err != nil {
				m.miss("that %s and %s were settled is lost: %v", s.A, s.B, err)
			}
		}
	}
	for _, v := range m.set {
		if have := m.vars[v.Key]; have == nil || have.Version < v.Version {
			if err := m.made(v.Updated, v.Worker, verbSet, v.Key,
				setPayload{Value: v.Value, Version: v.Version}); err != nil {
				m.miss("the variable %q is lost: %v", clip(v.Key, 60), err)
			}
		}
	}
	return nil
}

// fillSources adds the sources and verdicts that only the rows have, where the log is not
// whole or ends before them. The text of a source is only in its event.
func (m *mender) fillSources() {
	whole, last := m.out.Whole, m.Seq
	for _, s := range m.registered {
		if _, there := m.replayer.sources[s.Name]; !there && (!whole || s.Seq > last) {
			m.out.Whole = false
			if err := m.made(s.At, s.Worker, verbSource, s.Name,
				sourcePayload{Path: s.Path, SHA256: s.SHA256, Size: s.Size}); err != nil {
				m.miss("the source %q is lost: %v", clip(s.Name, 60), err)
			}
		}
	}
	for i := range m.Entries {
		row, e := m.entries[int64(i)+1], &m.Entries[i]
		if row == nil || row.Verified == nil || e.Verified != nil || row.Content != e.Content ||
			whole && row.Verified.Seq <= last {
			continue
		}
		v := row.Verified
		m.out.Whole = false
		if err := m.made(v.At, v.Worker, verbVerify, e.ID,
			verifyPayload{v.Verdict, v.Source, v.SHA256, v.Place, v.Note}); err != nil {
			m.miss("the verdict on %s is lost: %v", e.ID, err)
		}
	}
}
