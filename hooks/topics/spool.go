package topics

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// This file keeps entries whose writer did not get the lock in time. Each has a file of
// its own, which needs no lock, until the next writer appends it to its worklog.
//
//	.new-lines/TIME-RANDOM.TOPIC    a worklog line; without a line end it is unfinished

const spoolDir = unfinished + "lines"

// spooled is an entry that waits for the next writer.
type spooled struct {
	path, topic string
	entry       Entry
}

// spool leaves an entry to the next writer. An entry without an ID gets one, so that it
// is recognized if a writer is killed after appending it and before removing the file.
func (d *Dir) spool(topic string, e Entry) error {
	if e.ID == "" {
		e.ID = rand.Text()
	}
	line, err := e.line()
	if err != nil {
		return err
	}
	dir := filepath.Join(d.path, spoolDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, fmt.Sprintf("%020d-*.%s", e.Time.UnixMilli(), topic))
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
	}
	return err
}

// waiting returns the spooled entries of a topic, or of all topics for "", the oldest
// first. Unreadable files stay where they are.
func (d *Dir) waiting(topic string) []spooled {
	files, err := os.ReadDir(filepath.Join(d.path, spoolDir))
	if err != nil { // without a directory there are no spooled entries
		return nil
	}
	var all []spooled
	for _, f := range files {
		_, of, _ := strings.Cut(f.Name(), ".")
		if CheckName(of) != nil || topic != "" && of != topic {
			continue
		}
		path := filepath.Join(d.path, spoolDir, f.Name())
		data, _, err := readFile(path, maxLine)
		line, whole := bytes.CutSuffix(data, []byte("\n"))
		if e, ok := parseEntry(line); err == nil && whole && ok {
			all = append(all, spooled{path, of, e})
		}
	}
	return all
}

// unspool appends spooled entries to their worklogs, under the lock, and then removes their files.
// Until that succeeds readers read the spool.
func (d *Dir) unspool() {
	byTopic := map[string][]spooled{}
	for _, s := range d.waiting("") {
		byTopic[s.topic] = append(byTopic[s.topic], s)
	}
	for topic, all := range byTopic {
		entries := make([]Entry, len(all))
		for i, s := range all {
			entries[i] = s.entry
		}
		if _, err := d.appendEntries(topic, entries...); err != nil {
			continue
		}
		for _, s := range all {
			os.Remove(s.path) // if this fails, the entry is recognized next time
		}
	}
}

func (d *Dir) withSpooled(topic string) ([]byte, error) {
	late := d.waiting(topic) // first, so that an entry appended in between is found in the worklog
	data, _, err := d.readWorklog(d.WorklogPath(topic))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(late) == 0 {
		return data, nil
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	have := tail(data, TailLimits{})
	for _, s := range late {
		if containsEntry(have, s.entry) {
			continue
		}
		line, err := s.entry.line()
		if err != nil {
			return nil, err
		}
		data, have = append(data, line...), append(have, s.entry)
	}
	return data, nil
}
