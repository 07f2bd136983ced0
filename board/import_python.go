package board

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/foreign"
	"blackboard/kb/secret"
)

// formatPython is a board of blackboard.py: an SQLite file with entries, links and
// signals. Where the file does not say who did something, such as a waiver, the log has
// this name.
const formatPython = "blackboard.py"

// sqliteMagic is what an SQLite file begins with.
const sqliteMagic = "SQLite format 3\x00"

type pythonEntry struct {
	post   postPayload
	at     time.Time
	status string
}

type pythonSignal struct {
	raise  signalPayload
	at     time.Time
	worker string
	status string
	reason string
	by     int // the entry that addresses it, by position; -1: none
}

// pythonImport turns a board of blackboard.py into an event log that rebuilds the same
// board. The file holds states, not events: an effect gets the time of the entry that
// caused it.
type pythonImport struct {
	log      *eventLog
	entries  []pythonEntry
	signals  []pythonSignal
	entryNo  map[string]int // position by the id in the file
	signalNo map[string]int
	unsigned int // entries and signals without an author
	notes    []string
}

// importPython imports the board in the file opt.Path.
func importPython(ctx context.Context, dir, worker string, opt ImportOptions) (Imported, error) {
	if opt.Path == "" {
		return Imported{},
			invalid("the input is an SQLite file, which is not read from standard input",
				"give the path of the file")
	}
	if opt.Run == "" {
		base := filepath.Base(opt.Path)
		opt.Run = strings.TrimSuffix(base, filepath.Ext(base))
		if err := CheckRun(opt.Run); err != nil {
			return Imported{}, invalid(fmt.Sprintf("the file name %q makes no name of a run",
				clip(base, 60)), "", fault.Give("run", "", "name it with {}"))
		}
	}
	im := &pythonImport{
		log:      &eventLog{board: newReplayer()},
		entryNo:  map[string]int{},
		signalNo: map[string]int{},
		notes:    []string{},
	}
	var left []string
	var err error
	secret.MaskWrite(ctx, func(m *secret.Masker) {
		left, err = foreign.ReadPython(ctx, opt.Path, foreign.Tables{
			Signal: maskedRow(m, "signal", im.signal), Entry: maskedRow(m, "entry", im.entry),
			Link: im.link})
	})
	if err != nil {
		return Imported{}, err
	}
	if len(left) > 0 {
		im.note("tables that are not of blackboard.py were not read: %s",
			clip(strings.Join(left, ", "), 200))
	}
	if err := im.writeLog(worker, opt); err != nil {
		return Imported{}, err
	}
	out, err := im.log.writeTo(ctx, dir, worker, opt)
	out.Format, out.Notes = formatPython, im.notes
	return out, err
}

// maskedRow returns take for rows with what looks like a secret masked.
func maskedRow(m *secret.Masker, what string, take takeRow) takeRow {
	return func(row foreign.Row, extra map[string]json.RawMessage) error {
		name := what + " " + clip(row["id"], 60)
		for column, text := range row {
			m.Text(name, &text)
			row[column] = text
		}
		for field, raw := range extra {
			extra[field] = m.JSON(name, field, raw)
		}
		return take(row, extra)
	}
}

type takeRow = func(foreign.Row, map[string]json.RawMessage) error

func (im *pythonImport) note(format string, args ...any) {
	im.notes = append(im.notes, fmt.Sprintf(format, args...))
}

// pythonTimes are the formats of time in such files; without a zone, it is UTC.
var pythonTimes = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"}

// who returns the author and the time of a row.
func (im *pythonImport) who(row foreign.Row) (worker string, at time.Time, err error) {
	if worker = strings.TrimSpace(row["created_by"]); worker == "" {
		worker = formatPython
		im.unsigned++
	}
	if err := checkWorker(worker); err != nil {
		return "", at, err
	}
	for _, layout := range pythonTimes {
		if at, err = time.Parse(layout, row["created_at"]); err == nil {
			at = at.UTC().Truncate(time.Millisecond)
			break
		}
	}
	if err != nil || at.UnixMilli() < 0 || at.Year() > 9999 {
		return "", at, invalid(fmt.Sprintf("%q is not a time", clip(row["created_at"], 60)),
			"correct created_at in the file: 2026-01-31T12:00:00Z")
	}
	return worker, at, nil
}

func (im *pythonImport) signal(row foreign.Row, extra map[string]json.RawMessage) error {
	id := "s" + row["id"]
	where := fmt.Sprintf("signal %s: ", clip(id, 60))
	s := pythonSignal{status: row["status"], reason: row["waive_reason"], by: -1}
	s.raise = signalPayload{
		Raise:      Raise{Content: row["content"], Priority: row["priority"]},
		ExternalID: id,
		Extra:      extra,
	}
	var err error
	if err := checkText("the id", id, MaxName, true); err != nil {
		return prefixed(where, err)
	}
	if s.worker, s.at, err = im.who(row); err != nil {
		return prefixed(where, err)
	}
	if row["priority"] == "" {
		return prefixed(where, unknown("priority", "", Priorities))
	}
	if err := s.raise.prepare(); err != nil {
		return prefixed(where, err)
	}
	if !slices.Contains(SignalStatuses, s.status) {
		return prefixed(where, unknown("status", s.status, SignalStatuses))
	}
	if err := checkText("the reason", s.reason, MaxField, false); err != nil {
		return prefixed(where, err)
	}
	im.signalNo[row["id"]] = len(im.signals)
	im.signals = append(im.signals, s)
	return nil
}

func (im *pythonImport) entry(row foreign.Row, extra map[string]json.RawMessage) error {
	id := "e" + row["id"]
	where := fmt.Sprintf("entry %s: ", clip(id, 60))
	e := pythonEntry{status: row["status"]}
	if e.status == "" {
		e.status = Active
	}
	if err := checkText("the id", id, MaxName, true); err != nil {
		return prefixed(where, err)
	}
	worker, at, err := im.who(row)
	if err != nil {
		return prefixed(where, err)
	}
	e.at = at
	p := Post{
		Type:        row["type"],
		Content:     row["content"],
		SourceDoc:   row["source_doc"],
		SourceRef:   row["source_ref"],
		Evidence:    row["evidence"],
		MustSurface: row["must_surface"] != "" && row["must_surface"] != "0",
		Worker:      worker,
	}
	if c := row["confidence"]; c != "" {
		v, err := strconv.ParseFloat(c, 64)
		if err != nil {
			return invalid(fmt.Sprintf("%sthe confidence %q is not a number", where, clip(c, 40)),
				"0 is a guess, 1 is certain")
		}
		p.Confidence = &v
	}
	if p.Type == "" {
		return prefixed(where, unknown("type", "", EntryTypes))
	}
	if err := p.prepare(); err != nil {
		return prefixed(where, err)
	}
	if !slices.Contains(EntryStatuses, e.status) {
		return prefixed(where, unknown("status", e.status, EntryStatuses))
	}
	e.post = postPayload{Post: p, ExternalID: id, Extra: extra}
	im.entryNo[row["id"]] = len(im.entries)
	im.entries = append(im.entries, e)
	return nil
}

// link adds a link to its entry. A link without a target, or a repeated one, is reported
// and kept in the log with the entry.
func (im *pythonImport) link(row foreign.Row, _ map[string]json.RawMessage) error {
	kind, prefix, target := row["rel"], "e", ""
	if !slices.Contains(LinkKinds, kind) {
		return prefixed(fmt.Sprintf("a link of entry e%s: ", clip(row["entry_id"], 40)),
			unknown("link", kind, LinkKinds))
	}
	src, ok := im.entryNo[row["entry_id"]]
	if !ok {
		im.note("a link is left out: e%s, which %s %s, is not in the file", clip(row["entry_id"],
			40), kind, clip(row["target_id"], 40))
		return nil
	}
	if kind == Addresses {
		prefix = "s"
		if n, ok := im.signalNo[row["target_id"]]; ok {
			target = SignalID(int64(n) + 1)
			if im.signals[n].by < 0 || src < im.signals[n].by {
				im.signals[n].by = src
			}
		}
	} else if n, ok := im.entryNo[row["target_id"]]; ok && n != src {
		target = EntryID(int64(n) + 1)
	}
	e := &im.entries[src].post
	if list := e.links().of(kind); target == "" || slices.Contains(*list, target) {
		e.Extra = keepLeftOut(e.Extra, []string{kind + " " + prefix + row["target_id"]})
		im.note(
			"entry %s %s %s%s, which is not another entry or signal of the file: "+
				"the link is kept in the log only",
			e.ExternalID,
			kind,
			prefix,
			clip(row["target_id"], 40),
		)
		return nil
	}
	links := *e.links()
	*links.of(kind) = append(links.Of(kind), target)
	e.SetLinks(links)
	if links.Count() > MaxLinks {
		return invalid(fmt.Sprintf("entry %s has more than %d links", e.ExternalID, MaxLinks),
			"leave some of them out in the file")
	}
	return nil
}

// writeLog writes the log: signals and entries in the order of their times, each followed
// by its effects. Ids keep their order in the file.
func (im *pythonImport) writeLog(worker string, opt ImportOptions) error {
	if err := im.checkCycle(); err != nil {
		return err
	}
	first, last := im.span()
	if err := im.event(first, worker, verbCreate, opt.Run,
		createPayload{Name: opt.Run}); err != nil {
		return err
	}
	effects := im.effects()
	raised := 0
	for i := range im.entries {
		e := &im.entries[i]
		for ; raised < len(im.signals) && im.raisedBefore(raised, i); raised++ {
			if err := im.raise(raised); err != nil {
				return err
			}
		}
		payload, actor := e.post, e.post.Worker
		payload.Worker = "" // the actor says it
		if err := im.event(e.at, actor, verbPost, EntryID(int64(i)+1), payload); err != nil {
			return err
		}
		for _, do := range effects[i] {
			if err := im.event(do.At, do.Actor, do.Verb, do.ID, do.payload); err != nil {
				return err
			}
		}
	}
	for ; raised < len(im.signals); raised++ {
		if err := im.raise(raised); err != nil {
			return err
		}
	}
	if err := im.finish(last); err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	source := importPayload{Name: opt.Run, Format: formatPython, Source: opt.Source}
	if err := im.event(now, worker, verbImport, opt.Run, source); err != nil {
		return err
	}
	im.log.state = im.log.board.snapshot()
	return im.log.state.checkTargets()
}

// event appends to the log and applies the event to the rebuilt board.
func (im *pythonImport) event(at time.Time, actor, verb, id string, payload any) error {
	data, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	e := Event{
		Seq:     int64(len(im.log.events)) + 1,
		At:      at,
		Actor:   actor,
		Verb:    verb,
		ID:      id,
		Payload: data,
	}
	im.log.events = append(im.log.events, e)
	return im.log.board.apply(e)
}

// span returns the first and the last time in the file, or now if it has none.
func (im *pythonImport) span() (first, last time.Time) {
	extend := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	for i := range im.entries {
		extend(im.entries[i].at)
	}
	for i := range im.signals {
		extend(im.signals[i].at)
	}
	if first.IsZero() {
		first = time.Now().UTC().Truncate(time.Millisecond)
		last = first
	}
	return first, last
}

// raisedBefore reports whether signal s comes before entry e: it is as old, or it is
// answered by e or a later entry.
func (im *pythonImport) raisedBefore(s, e int) bool {
	if !im.signals[s].at.After(im.entries[e].at) {
		return true
	}
	for _, id := range im.entries[e].post.Addresses {
		if n, err := ParseSignalID(id); err == nil && int(n)-1 >= s {
			return true
		}
	}
	return false
}

func (im *pythonImport) raise(s int) error {
	return im.event(im.signals[s].at, im.signals[s].worker, verbSignal, SignalID(int64(s)+1),
		im.signals[s].raise)
}

// pythonEffect is an event that an entry caused.
type pythonEffect struct {
	Event
	payload any
}

// effects returns what entries did to others, by the position of the entry that it
// follows: the acting entry or the affected one, whichever is later. The statuses are
// those in the file, even where links would imply others.
func (im *pythonImport) effects() map[int][]pythonEffect {
	after := map[int][]pythonEffect{}
	add := func(by, at int, verb, id string, payload any) {
		e := &im.entries[by]
		after[at] = append(after[at], pythonEffect{Event{At: e.at, Actor: e.post.Worker,
			Verb: verb, ID: id}, payload})
	}
	for by := range im.entries {
		for _, do := range []struct{ kind, status, verb string }{
			{Contradicts, Disputed, verbDispute},
			{Supersedes, Superseded, verbSupersede},
		} {
			for _, id := range im.entries[by].post.links().Of(do.kind) {
				n, _ := ParseEntryID(id) // made from a position
				target := &im.entries[n-1]
				if target.status != do.status {
					continue
				}
				target.status = "" // explained
				add(by, max(by, int(n)-1), do.verb, id, byPayload{By: EntryID(int64(by) + 1)})
			}
		}
	}
	for s := range im.signals {
		if g := &im.signals[s]; g.status == Addressed && g.by >= 0 {
			add(g.by, g.by, verbAddress, SignalID(int64(s)+1),
				addressPayload{By: EntryID(int64(g.by) + 1)})
		}
	}
	return after
}

// finish sets the statuses that no entry explains. The file says neither when nor by whom
// they were set, so they get the last time in it.
func (im *pythonImport) finish(last time.Time) error {
	for i := range im.entries {
		verb := map[string]string{Disputed: verbDispute,
			Superseded: verbSupersede}[im.entries[i].status]
		if verb == "" {
			continue
		}
		so := byPayload{Note: "so in the source"}
		if err := im.event(last, formatPython, verb, EntryID(int64(i)+1), so); err != nil {
			return err
		}
	}
	var waived []string
	for i := range im.signals {
		s, id := &im.signals[i], SignalID(int64(i)+1)
		switch {
		case s.status == Waived:
			waived = append(waived, id)
			if strings.TrimSpace(s.reason) == "" {
				s.reason = Waived
			}
		case s.status == Addressed && s.by < 0:
			s.reason = "addressed in the source, by no entry of it"
			im.note(
				"signal %s is addressed, but by no entry of the file: it is waived here, for "+
					"that reason",
				s.raise.ExternalID,
			)
		default:
			continue
		}
		if err := im.event(last, formatPython, verbWaive, id, waivePayload{s.reason}); err != nil {
			return err
		}
	}
	if len(waived) > 0 {
		im.note(
			"the file does not say who waived %s, or when: %s stands for that, "+
				"at the last time in the file",
			clip(strings.Join(waived, ", "), 200),
			formatPython,
		)
	}
	if im.unsigned > 0 {
		im.note("%d entries and signals name no author: %s stands for that", im.unsigned,
			formatPython)
	}
	renumbered := 0
	for i := range im.entries {
		if im.entries[i].post.ExternalID != EntryID(int64(i)+1) {
			renumbered++
		}
	}
	for i := range im.signals {
		if im.signals[i].raise.ExternalID != SignalID(int64(i)+1) {
			renumbered++
		}
	}
	if renumbered > 0 {
		im.note(
			"%d entries and signals have another id here, as ids are missing in the file; "+
				"their own are kept as external ids",
			renumbered,
		)
	}
	return nil
}

// checkCycle refuses entries that supersede each other.
func (im *pythonImport) checkCycle() error {
	older := make([][]int, len(im.entries))
	for i := range im.entries {
		for _, id := range im.entries[i].post.Supersedes {
			n, _ := ParseEntryID(id) // made from a position
			older[i] = append(older[i], int(n)-1)
		}
	}
	if c := cycle(older); c != nil {
		return invalid(fmt.Sprintf("entry %s of the file supersedes itself, through others",
			im.entries[c[0]].post.ExternalID), "remove one of the links in the file")
	}
	return nil
}
