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

// This file keeps the entries of those whose turn to write did not come in time: each in a file of its own, which needs no turn, until the next writer puts it into its worklog.
//
//	.new-lines/TIME-RANDOM.TOPIC    one line of a worklog; without its line end it is not finished

const spoolDir = unfinished + "lines"

// spooled is an entry that waits for its worklog.
type spooled struct {
	path, topic string
	entry       Entry
}

// spool keeps an entry for the next writer. It gets an ID if it has none, so that it is known again where a writer was killed after writing it down and before removing it here.
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

// waiting returns the spooled entries of a topic, of all topics for "", the oldest first. What cannot be read stays where it is.
func (d *Dir) waiting(topic string) []spooled {
	files, err := os.ReadDir(filepath.Join(d.path, spoolDir))
	if err != nil { // no directory: nothing was ever late
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

// unspool puts the spooled entries into their worklogs. Whoever calls it has the turn to write. An entry leaves the spool when it is in its worklog, so that one whose worklog cannot be written
// to is tried again by the next writer, and read from the spool until then.
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
		if _, err := d.add(topic, entries...); err != nil {
			continue
		}
		for _, s := range all {
			os.Remove(s.path) // if it stays, it is known again
		}
	}
}

// withSpooled is what a worklog holds with what waits for it.
func (d *Dir) withSpooled(topic string) ([]byte, error) {
	late := d.waiting(topic) // first: what is put into the worklog meanwhile is found there
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
		if recorded(have, s.entry) {
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
