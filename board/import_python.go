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

// pythonImport reads a board of blackboard.py.
type pythonImport struct {
	*stateImport
	entryNo  map[string]int // position by the id in the file
	signalNo map[string]int
	unsigned int // entries and signals without an author
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
		stateImport: newStateImport(opt, formatPython, formatPython),
		entryNo:     map[string]int{},
		signalNo:    map[string]int{},
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
	im.atEnd = im.tell
	return im.writeTo(ctx, dir, worker, opt)
}

// tell notes what the file does not say.
func (im *pythonImport) tell() {
	var waived []string
	for i := range im.signals {
		if im.signals[i].status == Waived {
			waived = append(waived, SignalID(int64(i)+1))
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
	s := importedSignal{status: row["status"], reason: row["waive_reason"], by: -1, after: -1}
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
	e := importedEntry{status: row["status"]}
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
