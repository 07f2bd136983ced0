package histories

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Problem is something that must not be, with the calls that show it.
type Problem struct {
	What string
	Ops  []*Op
}

func (p *Problem) String() string {
	s := p.What
	for i, o := range p.Ops {
		if i == 12 {
			return fmt.Sprintf("%s\n    … and %d more calls", s, len(p.Ops)-i)
		}
		s += "\n    " + o.String()
	}
	return s
}

// Verdict is what became of a history.
type Verdict struct {
	Problems  []Problem
	Acked     int // calls that were acknowledged and change something
	Lost      int // of these, not there in the end, or not as they were sent
	DoubleIDs int
	Errors    int // answers that are neither an acknowledgement nor a refusal, and for which nothing was done to the world
	Undecided int // histories of one thing that were too long to be judged in time
	Files     int // problems of the files themselves
}

type judgement struct {
	*History
	*final
	Verdict
}

func (j *judgement) add(what string, ops ...*Op) { j.Problems = append(j.Problems, Problem{what, ops}) }

func (j *judgement) lost(what string, o *Op) {
	j.Lost++
	j.add("lost: "+what, o)
}

// Judge holds a history against the files in a directory, and against itself.
func Judge(h *History, dir string) Verdict {
	j := &judgement{History: h, final: readFinal(dir)}
	j.Files = len(j.final.problems)
	for _, p := range j.final.problems {
		j.add(p)
	}
	j.errors()
	j.board()
	j.churned()
	j.knowledge()
	j.memories()
	j.context()
	j.linearizable()
	return j.Verdict
}

var reads = map[string]bool{"board-read": true, "var-get": true, "kb-read": true, "memory-read": true, "get": true, "context-read": true, "around": true}

// errors finds answers that nothing explains.
func (j *judgement) errors() {
	for _, o := range j.Ops {
		if o.Out == OK && !reads[o.Kind] {
			j.Acked++
		}
		explained := false
		switch o.Out {
		case Failed:
			explained = j.away(o) || during(j.Faults, "disk", o) && containsAny(o.Err, "space", "full", "room", "read-only", "not written", "disk I/O") ||
				// A board that was opened while there was no room for what readers share is read
				// as it was then.
				slices.Contains(j.Config.Faults, "disk") && reads[o.Kind] && containsAny(o.Err, "was written to while it was read") ||
				during(j.Faults, "schema", o) && containsAny(o.Err, "has schema 99", "newer") ||
				during(j.Faults, "stop", o) && containsAny(o.Err, "did not finish in time", "is locked by another process") ||
				o.Key == "doctor" && j.Config.Daemon && len(j.Faults) > 0 && containsAny(o.Err, "it does not answer at") // it was killed, or stands still
		case Unknown:
			explained = slices.Contains(j.Config.Faults, "kill") || slices.Contains(j.Config.Faults, "reopen")
		default:
			explained = true
		}
		if !explained {
			j.Errors++
			j.add("an answer that nothing explains", o)
		}
	}
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// sent returns what a call wanted to write, by the order of the ids that answer it.
func (o *Op) sent() []string { return append([]string{o.Value}, o.More...) }

var posting = map[string]bool{"post": true, "batch": true, "post-key": true, "post-again": true, "supersede": true, "address": true}

func (j *judgement) board() {
	byID, sentBy := map[string]entry{}, map[string]*Op{}
	for i, e := range j.entries {
		byID["e"+strconv.FormatInt(e.id, 10)] = e
		if e.id != int64(i+1) || i > 0 && e.seq <= j.entries[i-1].seq {
			j.add(fmt.Sprintf("e%d is number %d of the entries, at event %d: ids must be dense and in the order of events", e.id, i+1, e.seq))
		}
	}
	ids, contents := map[string]*Op{}, map[string]int{}
	for _, o := range j.Ops {
		switch {
		case posting[o.Kind]:
			for _, v := range o.sent() {
				if o.Kind != "post-again" {
					sentBy[v] = o
				}
			}
			if o.Out == OK {
				j.posted(o, byID, ids)
			}
		case o.Kind == "link" && o.Out == OK && !j.links[o.Key+" supports "+o.Link]:
			j.lost("a link", o)
		case o.Kind == "signal":
			sentBy[o.Value] = o
			if s := j.signals[first(o.IDs)]; o.Out == OK && (s.content != o.Value || s.worker != o.Caller) {
				j.lost(fmt.Sprintf("the signal is %.60q by %s", s.content, s.worker), o)
			}
			j.unique(ids, o)
		}
	}
	for _, e := range j.entries {
		o := sentBy[e.content]
		contents[e.content]++
		switch {
		case o == nil:
			j.add(fmt.Sprintf("e%d was sent by nobody: %.80q", e.id, e.content))
		case o.Out == Refused:
			j.add(fmt.Sprintf("e%d is there although its call was refused", e.id), o)
		case contents[e.content] > 1:
			j.add(fmt.Sprintf("e%d is there twice", e.id), o)
		}
	}
	for _, o := range j.Ops {
		if o.Kind != "batch" {
			continue
		}
		there := 0
		for _, v := range o.sent() {
			there += min(1, contents[v])
		}
		if there != 0 && there != len(o.sent()) {
			j.add(fmt.Sprintf("%d of %d entries of a batch are there", there, len(o.sent())), o)
		}
	}
	j.inOrder("entries", func(o *Op) bool { return posting[o.Kind] && !o.Exists })
	j.inOrder("signals", func(o *Op) bool { return o.Kind == "signal" })
}

func (j *judgement) posted(o *Op, byID map[string]entry, ids map[string]*Op) {
	if len(o.IDs) != len(o.sent()) {
		j.add("an acknowledgement without its ids", o)
		return
	}
	for i, v := range o.sent() {
		e, ok := byID[o.IDs[i]]
		if !ok {
			j.lost(o.IDs[i]+" is not there", o)
		} else if e.content != v || e.worker != o.Caller {
			j.lost(fmt.Sprintf("%s is %.80q by %s", o.IDs[i], e.content, e.worker), o)
		}
	}
	if o.Kind == "supersede" && (!j.links[o.IDs[0]+" supersedes "+o.Link] || byID[o.Link].status != "superseded") {
		j.lost("a link that supersedes", o)
	}
	if !o.Exists {
		j.unique(ids, o)
	}
}

// unique finds two acknowledgements with one id.
func (j *judgement) unique(ids map[string]*Op, o *Op) {
	if o.Out != OK {
		return
	}
	for _, id := range o.IDs {
		if other := ids[id]; other != nil {
			j.DoubleIDs++
			j.add("two callers got the id "+id, other, o)
		}
		ids[id] = o
	}
}

// inOrder finds a call that began after another was answered and has a lower id.
func (j *judgement) inOrder(what string, of func(*Op) bool) {
	var calls []*Op
	for _, o := range j.Ops {
		if o.Out == OK && len(o.IDs) > 0 && of(o) {
			calls = append(calls, o)
		}
	}
	byReturn := slices.Clone(calls)
	slices.SortFunc(byReturn, func(a, b *Op) int { return int(a.Return - b.Return) })
	var latest *Op // of those answered, the one with the highest id
	for _, o := range calls {
		for len(byReturn) > 0 && byReturn[0].Return < o.Call {
			if latest == nil || number64(byReturn[0].IDs[0]) > number64(latest.IDs[0]) {
				latest = byReturn[0]
			}
			byReturn = byReturn[1:]
		}
		if latest != nil && number64(o.IDs[0]) < number64(latest.IDs[0]) {
			j.add("ids of "+what+" are not in the order of the calls", latest, o)
			return
		}
	}
}

func number64(id string) int64 {
	n, _ := strconv.ParseInt(strings.TrimLeft(id, "es"), 10, 64)
	return n
}

func first(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}

// churned judges the run that is removed and made again: what was acknowledged is there unless
// somebody may have removed it since, and what was removed is not.
func (j *judgement) churned() {
	there := map[string]bool{}
	for _, e := range j.churn {
		there[e.content] = true
	}
	var removals []*Op
	for _, o := range j.Ops {
		if o.Kind == "churn-rm" && o.Out != Refused {
			removals = append(removals, o)
		}
	}
	for _, o := range j.Ops {
		if o.Kind != "churn-post" || o.Out != OK {
			continue
		}
		mayBeGone := slices.ContainsFunc(removals, func(r *Op) bool { return r.Return >= o.Call || r.Out == Unknown })
		mustBeGone := slices.ContainsFunc(removals, func(r *Op) bool { return r.Out == OK && r.Call > o.Return })
		switch {
		case !there[o.Value] && !mayBeGone:
			j.lost("nobody removed the run since", o)
		case there[o.Value] && mustBeGone:
			j.add("it is there although its run was removed", o)
		}
	}
}

// written finds what was acknowledged with an id and is not there, and what nobody sent.
func (j *judgement) written(kind string, there map[string]string, of func(*Op) string) {
	sent := map[string]bool{}
	ids := map[string]*Op{}
	for _, o := range j.Ops {
		if o.Kind != kind && o.Kind != "hand-"+kind {
			continue
		}
		sent[of(o)] = true
		if o.Out == OK {
			j.unique(ids, o)
			if have, ok := there[first(o.IDs)]; !ok || have != of(o) {
				j.lost(fmt.Sprintf("there is %.80q", have), o)
			}
		}
	}
	for id, what := range there {
		if !sent[what] {
			j.add(fmt.Sprintf("%s was sent by nobody: %.80q", id, what))
		}
	}
}

func (j *judgement) knowledge() {
	titles := map[string]string{}
	for id, c := range j.capsules {
		titles[id] = c.title
	}
	hands := 0
	j.written("remember", titles, func(o *Op) string {
		if o.Kind == "hand-remember" {
			return "To be edited, " + strings.TrimPrefix(o.Value, "by hand ")
		}
		return "Title of " + o.Value
	})
	for _, o := range j.Ops {
		switch {
		case o.Kind == "retire" && o.Out == OK && !j.capsules[o.Key].gone:
			j.lost("the capsule is not retired", o)
		case o.Kind == "hand-edit":
			hands++
			if have := j.capsules[o.Key].value; have != o.Value {
				j.lost(fmt.Sprintf("edited by hand, it is %.60q", have), o)
			}
		}
	}
}

func (j *judgement) memories() {
	// The first content of an item is known by its id alone once it was updated.
	there, updated := map[string]string{}, map[string]map[string]bool{}
	for _, o := range j.Ops {
		if o.Kind == "update" && o.Out != Refused {
			if updated[o.Key] == nil {
				updated[o.Key] = map[string]bool{}
			}
			updated[o.Key][o.Value] = true
		}
		if o.Kind == "forget" && o.Out == OK && !j.items[o.Key].gone {
			j.lost("the memory is not forgotten", o)
		}
	}
	firsts := map[string]string{}
	for _, o := range j.Ops {
		if o.Kind == "put" && o.Out == OK {
			firsts[first(o.IDs)] = o.Value
		}
	}
	for id, item := range j.items {
		there[id] = item.value
		if updated[id][item.value] && firsts[id] != "" {
			there[id] = firsts[id]
		}
	}
	j.written("put", there, func(o *Op) string { return o.Value })
}

func (j *judgement) context() {
	j.written("write", j.chunks, func(o *Op) string { return o.Value })
}
