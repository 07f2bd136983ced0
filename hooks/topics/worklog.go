package topics

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"blackboard/board/fault"
)

// Record appends an entry to a topic's worklog and says whether it did: an entry with the session, id and event of one among the latest is there already. Texts are cut to what an entry may
// have, and made valid UTF-8. It masks no secrets: the caller has done so. The entry is with the system when Record returns, but not yet forced to the disk: that would cost each use of a tool
// some milliseconds, to save a line from a power failure.
//
// If the turn to write does not come before the context ends, the entry waits in a file of its own, where Tail finds it, for the next writer; then nobody knows yet whether it was there.
func (d *Dir) Record(ctx context.Context, topic string, e Entry) (added bool, err error) {
	if err := CheckName(topic); err != nil {
		return false, err
	}
	e = e.bounded(d.opt.Now())
	unlock, err := d.lock(ctx)
	if errors.Is(err, fault.Busy) || errors.Is(err, context.Canceled) {
		return true, d.spool(topic, e)
	}
	if err != nil {
		return false, err
	}
	defer unlock()
	return d.add(topic, e)
}

// Settle appends what was learned later. What is about entries that are there already has their
// session and ID, an exit code, how it went, and no tool: Tail puts the two together.
func (d *Dir) Settle(ctx context.Context, topic string, later []Entry) error {
	if err := CheckName(topic); err != nil {
		return err
	}
	for i := range later {
		later[i] = later[i].bounded(d.opt.Now())
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = d.add(topic, later...)
	return err
}

// settled puts what was learned later to the entries that it is about.
func settled(all []Entry) []Entry {
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

// add appends entries to a topic's worklog, without those that are among the latest already, and says whether there was any to append. Whoever calls it has the turn to write.
func (d *Dir) add(topic string, entries ...Entry) (added bool, err error) {
	name := d.WorklogPath(topic)
	have, start, err := d.readWorklog(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("record in %s: %w", name, err)
	}
	var lines []byte
	latest := tail(have, TailLimits{Entries: repeats + len(entries)})
	for _, e := range entries {
		if recorded(latest, e) {
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
	// Whoever wrote the last line did not finish, or did so without an end of line.
	whole := bytes.LastIndexByte(have, '\n') + 1
	missing := ""
	if torn := have[whole:]; json.Valid(torn) {
		whole, missing = len(have), "\n"
	}
	kept := have[:whole]
	more := append([]byte(missing), lines...)
	size := start + int64(whole) + int64(len(more))
	if start > 0 || size > int64(d.opt.WorklogBytes) || bytes.Count(kept, []byte("\n"))+bytes.Count(more, []byte("\n")) > d.opt.WorklogLines {
		return true, writeFile(name, d.trimmed(append(bytes.Clone(kept), more...)))
	}
	return true, appendTo(name, start+int64(whole), more)
}

// readWorklog reads a worklog, of one that is longer than it should be the last whole lines, and says where they start.
func (d *Dir) readWorklog(name string) (data []byte, start int64, err error) {
	limit := int64(d.opt.WorklogBytes)
	f, info, err := openFile(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if start = info.Size() - limit; start <= 0 {
		data, err = io.ReadAll(f) // somebody may append meanwhile
		return data, 0, err
	}
	data = make([]byte, limit)
	n, err := f.ReadAt(data, start)
	if err != nil && err != io.EOF { // it was cut meanwhile
		return nil, 0, err
	}
	data = data[:n]
	first := bytes.IndexByte(data, '\n') + 1
	return data[first:], start + int64(first), nil
}

// trimmed leaves out whole lines, the oldest first, until the rest has three quarters of what a worklog may have, so that not every write has to. The newest line stays.
func (d *Dir) trimmed(data []byte) []byte {
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

// appendTo writes at the end of what a file is to keep. What cannot be written whole is taken back.
func appendTo(name string, at int64, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err = f.Truncate(at); err == nil {
		if _, err = f.WriteAt(data, at); err != nil {
			err = errors.Join(err, f.Truncate(at))
		}
	}
	return errors.Join(err, f.Close())
}

// repeats is how many of the latest entries are looked at for one that comes again: hooks that are called twice are called at nearly the same time.
const repeats = 100

// recorded says whether an entry is among others. One without an ID is like no other.
func recorded(have []Entry, e Entry) bool {
	return e.ID != "" && slices.ContainsFunc(have, func(old Entry) bool { return old.ID == e.ID && old.Session == e.Session && old.Event == e.Event })
}

// parseEntry reads a line that Record, or somebody else, has written.
func parseEntry(line []byte) (e Entry, ok bool) {
	if len(line) > maxLine || !bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) || json.Unmarshal(line, &e) != nil {
		return Entry{}, false
	}
	if e.Time = e.Time.UTC(); e.Time.Year() < 1 || e.Time.Year() > 9999 { // which the time zone can bring about
		e.Time = time.Time{}
	}
	return e, true
}

// TailLimits say how much of a worklog's end is wanted.
type TailLimits struct {
	Entries int // at most; 0 for no limit
	Bytes   int // of their lines, at most; 0 for no limit
}

// Tail returns the latest entries of a topic's worklog, the oldest of them first: as many as fit, each whole. A worklog that is not there is empty.
func (d *Dir) Tail(topic string, limits TailLimits) ([]Entry, error) {
	if err := CheckName(topic); err != nil {
		return nil, err
	}
	data, err := d.withSpooled(topic)
	if err != nil {
		return nil, fmt.Errorf("read the worklog of %s: %w", topic, err)
	}
	all := settled(tail(data, TailLimits{Bytes: limits.Bytes}))
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
