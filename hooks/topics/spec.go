package topics

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"blackboard/board/fault"
)

// Upper limits of a spec and a note.
const (
	MaxSpec = 1 << 20 // bytes
	MaxNote = 10_000  // bytes
)

type Spec struct {
	Path    string     `json:"path"`    // may not exist
	Exists  bool       `json:"exists"`  // the file exists
	Bytes   int64      `json:"bytes"`   // its size
	Changed *time.Time `json:"changed"` // nil if it does not exist
	// Seeded means that it has only the text that Use wrote.
	Seeded bool `json:"seeded"`
	// TooLong means that it has more than MaxSpec bytes and was not read.
	TooLong bool   `json:"too_long"`
	Text    string `json:"text"` // the whole spec; "" if it is too long
}

func (d *Dir) Spec(topic string) (Spec, error) {
	s := Spec{Path: d.SpecPath(topic)}
	if err := CheckName(topic); err != nil {
		return s, err
	}
	data, info, err := readFile(s.Path, MaxSpec)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	s.TooLong = errors.Is(err, errTooLong)
	if err != nil && !s.TooLong {
		return s, fmt.Errorf("read the spec of %s: %w", topic, err)
	}
	changed := info.ModTime().UTC().Truncate(time.Millisecond)
	s.Exists, s.Bytes, s.Changed, s.Text = true, info.Size(), &changed, string(data)
	s.Seeded = s.Text == seed(topic, "")
	return s, nil
}

// seed is a new spec's text. A topic's name and goal become the query for what is known of it.
func seed(topic, goal string) string {
	if goal != "" {
		goal = " " + goal
	}
	return "# " + topic + "\n\nGoal:" + goal + "\nScope:\n"
}

// Note appends a text with its time (UTC) to the section "Notes" at the end of a
// topic's spec, and returns the line or lines. It creates a missing spec.
func (d *Dir) Note(ctx context.Context, topic, text string) (string, error) {
	if err := CheckName(topic); err != nil {
		return "", err
	}
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if err := checkText("the note", text, MaxNote); err != nil {
		return "", err
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	s, err := d.Spec(topic)
	if err != nil {
		return "", err
	}
	if !s.Exists {
		s.Text = seed(topic, "")
	}
	mark := ""
	if strings.EqualFold(topic, Current) && d.opt.Branch != "" { // branches share this topic
		mark = "[" + d.opt.Branch + "] "
	}
	note := "- " + d.opt.Now().UTC().Format("2006-01-02 15:04") + " " + mark +
		strings.ReplaceAll(text, "\n", "\n  ")
	body := strings.TrimRight(s.Text, "\n")
	if !strings.EqualFold(lastHeading(s.Text), notesHeading) {
		body += "\n\n## " + notesHeading + "\n"
	}
	body = strings.TrimLeft(body, "\n") + "\n" + note + "\n"
	if s.TooLong || len(body) > MaxSpec {
		return "", tooLong(s.Path)
	}
	return note, writeFile(s.Path, []byte(body))
}

// notesHeading heads the notes; one may be a finding, so a clean room drops it.
const notesHeading = "Notes"

// Rewrite replaces a topic's spec. If was is not nil, the spec must still have that
// text ("" for none); otherwise the error is fault.Conflict.
func (d *Dir) Rewrite(ctx context.Context, topic, text string, was *string) (Spec, error) {
	if err := CheckName(topic); err != nil {
		return Spec{}, err
	}
	if err := checkText("the spec", text, MaxSpec); err != nil {
		return Spec{}, err
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return Spec{}, err
	}
	defer unlock()
	s, err := d.Spec(topic)
	if err != nil {
		return s, err
	}
	if was != nil && (s.TooLong || s.Text != *was) {
		return s, fault.Conflict.New("the spec of "+topic+" was changed in the meantime", "",
			fault.Do("topic.show", "read it again ({}) and edit that text", "topic", topic))
	}
	if err := writeFile(s.Path, []byte(text)); err != nil {
		return s, err
	}
	return d.Spec(topic)
}

func tooLong(path string) error {
	return invalid(fmt.Sprintf("%s would exceed the limit of %d bytes", path, MaxSpec), "",
		fault.Do("topic.edit", "remove what no longer matters: {}; a session sees only "+
			"some KB of a spec"))
}

func checkText(what, text string, limit int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return invalid(what+" is empty", "give it some text",
			fault.Do("topic.wipe", "{} removes a topic"))
	case len(text) > limit:
		return invalid(fmt.Sprintf("%s has %d bytes; the limit is %d", what, len(text),
			limit), "shorten it, and name the file that has the rest")
	case !utf8.ValidString(text):
		return invalid(what+" is not valid UTF-8", "convert it to UTF-8")
	case strings.ContainsRune(text, 0):
		return invalid(what+" contains a NUL character", "give text, not a binary file")
	}
	return nil
}
