package board

import "slices"

// GateChange is an event that opened or closed the gate.
type GateChange struct {
	Seq  int64
	Open bool
}

// GateChanges says when the gate opened and closed. It was closed before the first
// change. It depends on what is counted: posts and signals, workers that are done, open
// questions (burn, from [Board.Burndown]) and disputed entries. If the policy asks for
// more, whole is false: the gate may have been closed where this says open.
func (t *Timeline) GateChanges(p Policy, burn []BurnPoint) (changes []GateChange, whole bool) {
	g := gateCount{policy: p, awaited: map[string]bool{}}
	for _, name := range p.Expect {
		g.awaited[name] = true
	}
	changes = []GateChange{}
	for i := range t.acts {
		seq := int64(i) + 1
		for len(burn) > 0 && burn[0].Seq <= seq {
			g.open, burn = burn[0].Open, burn[1:]
		}
		g.count(t, &t.acts[i])
		open := len(changes) > 0 && changes[len(changes)-1].Open
		if g.isOpen() != open {
			changes = append(changes, GateChange{seq, !open})
		}
	}
	return changes, p.MaxConflicts == nil && !p.RequireSource && !p.RequireVerified &&
		!p.RequireEvidence
}

// gateCount is the part of the board that the gate counts.
type gateCount struct {
	policy         Policy
	posted, raised int64
	open           [4]int64        // signals, by PriorityRank
	awaited        map[string]bool // workers; false: they are not, any more
	disputed       map[int32]bool
}

func (g *gateCount) count(t *Timeline, a *act) {
	switch verb := t.names[a.verb]; verb {
	case verbPost:
		g.posted++
	case verbSignal:
		g.raised++
	case verbExpect, verbDone, verbDrop:
		g.awaited[t.names[a.thing]] = becomes(verb) == WorkerExpected
	case verbDispute, verbSupersede, verbSettle:
		if g.disputed == nil {
			g.disputed = map[int32]bool{}
		}
		if delete(g.disputed, a.thing); verb == verbDispute {
			g.disputed[a.thing] = true
		}
	}
}

func (g *gateCount) isOpen() bool {
	p, total := &g.policy, int64(0)
	for rank, n := range g.open {
		if total += n; n > 0 && slices.Contains(p.block(), Priorities[rank]) {
			return false
		}
	}
	for _, waits := range g.awaited {
		if waits {
			return false
		}
	}
	return g.posted+g.raised > 0 && g.posted >= p.MinEntries &&
		(p.MaxOpen == nil || total <= *p.MaxOpen) &&
		(p.MaxDisputed == nil || int64(len(g.disputed)) <= *p.MaxDisputed)
}
