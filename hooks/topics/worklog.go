package topics

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

// Record appends an entry to a topic's worklog. added is false if one of the latest
// entries has the same session, ID and event. Texts are cut to the limits and made
// valid UTF-8. The caller has masked secrets. Record does not sync to disk: that would
// cost each tool use some milliseconds, only to save a line from a power failure.
//
// If the lock does not come before the context ends, the line is appended without it. Then
// added is true, without knowing better.
func (d *Dir) Record(ctx context.Context, topic string, e Entry) (added bool, err error) {
	if err := CheckName(topic); err != nil {
		return false, err
	}
	e.Branch = cmp.Or(e.Branch, d.opt.Branch)
	e = e.truncated(d.opt.Now())
	unlock, err := d.lock(ctx)
	if errors.Is(err, fault.Busy) || errors.Is(err, context.Canceled) {
		line, err := e.line()
		if err == nil {
			err = os.MkdirAll(d.path, 0o700)
		}
		return true, cmp.Or(err, appendTo(d.WorklogPath(topic), line))
	}
	if err != nil {
		return false, err
	}
	defer unlock()
	return d.appendEntries(topic, e)
}

// Settle appends what was learned later. An entry about an existing one has its session
// and ID, an exit code, an outcome and no tool; Tail joins the two.
func (d *Dir) Settle(ctx context.Context, topic string, later []Entry) error {
	if err := CheckName(topic); err != nil {
		return err
	}
	for i := range later {
		later[i] = later[i].truncated(d.opt.Now())
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = d.appendEntries(topic, later...)
	return err
}

// applySettled joins later outcomes with the entries that they belong to.
func applySettled(all []Entry) []Entry {
	type use struct{ session, id string }
	open := map[use]int{}
	out := all[:0]
	for _, e := range all {
		of := use{e.Session, e.ID}
		if e.Tool == "" && e.ID != "" && e.ExitCode != nil {
			if i, ok := open[of]; ok {
				out[i].ExitCode, out[i].OK, out[i].Error = e.ExitCode, e.OK, e.Error
				delete(open, of)
				continue
			}
		}
		if e.ID != "" && e.OK == nil && e.Tool != "" {
			open[of] = len(out)
		}
		out = append(out, e)
	}
	return out
}

// appendEntries appends entries to a topic's worklog, except those that are among the
// latest already, and reports whether it appended any. The caller holds the lock.
func (d *Dir) appendEntries(topic string, entries ...Entry) (added bool, err error) {
	name := d.WorklogPath(topic)
	have, start, err := d.readWorklog(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("record in %s: %w", name, err)
	}
	var lines []byte
	latest := tail(have, TailLimits{Entries: repeatWindow + len(entries)})
	for _, e := range entries {
		if containsEntry(latest, e) {
			continue
		}
		line, err := e.line()
		if err != nil {
			return false, err
		}
		lines, latest = append(lines, line...), append(latest, e)
	}
	if len(lines) == 0 {
		return false, nil
	}
	// The last line may be unfinished, or lack its line end.
	kept := have[:bytes.LastIndexByte(have, '\n')+1]
	if torn := have[len(kept):]; json.Valid(torn) {
		kept = slices.Concat(have, []byte("\n"))
	}
	size := start + int64(len(kept)+len(lines))
	if start == 0 && len(kept) == len(have) && size <= int64(d.opt.WorklogBytes) && bytes.Count(kept, []byte("\n"))+
		bytes.Count(lines, []byte("\n")) <= d.opt.WorklogLines {
		return true, appendTo(name, lines)
	}
	old, err := disk.Open(name)
	if err == nil {
		defer old.Close()
	}
	if err := writeFile(name, d.trimOldest(slices.Concat(kept, lines))); err != nil || old == nil {
		return true, err
	}
	// what was appended meanwhile, without the lock
	late, err := io.ReadAll(io.NewSectionReader(old, start+int64(len(have)), 1<<20))
	if len(late) > 0 {
		err = appendTo(name, late)
	}
	return true, err
}

// readWorklog reads a worklog and returns the offset of data. Of a worklog beyond the
// limit it reads only the last whole lines.
func (d *Dir) readWorklog(name string) (data []byte, start int64, err error) {
	data, start, err = disk.ReadEnd(name, int64(d.opt.WorklogBytes))
	if err != nil || start == 0 {
		return data, 0, err
	}
	first := bytes.IndexByte(data, '\n') + 1
	return data[first:], start + int64(first), nil
}

// trimOldest drops the oldest lines until three quarters of the limit are left, so that
// not every write has to trim. The newest line stays.
func (d *Dir) trimOldest(data []byte) []byte {
	most, lines := d.opt.WorklogBytes*3/4, max(1, d.opt.WorklogLines*3/4)
	from, n := len(data), 0
	for from > 0 && n < lines {
		begin := bytes.LastIndexByte(data[:from-1], '\n') + 1
		if len(data)-begin > most && n > 0 {
			break
		}
		from, n = begin, n+1
	}
	return data[from:]
}

// appendTo appends to a file in one go. If another has taken its place meanwhile, it is
// appended there.
func appendTo(name string, data []byte) error {
	for {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		is, _ := f.Stat()
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if now, err := os.Stat(name); err != nil || is == nil || os.SameFile(is, now) {
			return nil
		}
	}
}

// repeatWindow is the number of latest entries in which a repetition is looked for. A
// harness that calls a hook twice does so at nearly the same time.
const repeatWindow = 100

// containsEntry reports whether an entry is among others; one without an ID equals none.
func containsEntry(have []Entry, e Entry) bool {
	return e.ID != "" && slices.ContainsFunc(have, func(old Entry) bool {
		return old.ID == e.ID &&
			old.Session == e.Session && old.Event == e.Event
	})
}

func parseEntry(line []byte) (e Entry, ok bool) {
	if len(line) > maxLine || !bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) ||
		json.Unmarshal(line, &e) != nil {
		return Entry{}, false
	}
	// A time zone can move the year out of the range of JSON.
	if e.Time = e.Time.UTC(); e.Time.Year() < 1 || e.Time.Year() > 9999 {
		e.Time = time.Time{}
	}
	return e, true
}

type TailLimits struct {
	Entries int // 0: no limit
	Bytes   int // of their lines; 0: no limit
}

// Tail is the latest whole entries of a worklog that fit, oldest first; none if it is missing.
func (d *Dir) Tail(topic string, limits TailLimits) ([]Entry, error) {
	if err := CheckName(topic); err != nil {
		return nil, err
	}
	data, _, err := d.readWorklog(d.WorklogPath(topic))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the worklog of %s: %w", topic, err)
	}
	all := applySettled(tail(data, TailLimits{Bytes: limits.Bytes}))
	if n := limits.Entries; n > 0 && len(all) > n {
		all = all[len(all)-n:]
	}
	return all, nil
}

func tail(data []byte, limits TailLimits) []Entry {
	end := bytes.LastIndexByte(data, '\n') + 1
	all, size := []Entry{}, 0
	for end > 0 && (limits.Entries == 0 || len(all) < limits.Entries) {
		begin := bytes.LastIndexByte(data[:end-1], '\n') + 1
		line := data[begin : end-1]
		end = begin
		e, ok := parseEntry(line)
		if !ok {
			continue
		}
		if size += len(line) + 1; limits.Bytes > 0 && size > limits.Bytes {
			break
		}
		all = append(all, e)
	}
	slices.Reverse(all)
	return all
}
