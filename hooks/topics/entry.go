package topics

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"blackboard/board/text"
)

// Entry is a worklog's line: an action and its outcome. Unknown fields are left out.
type Entry struct {
	// Time is the time of recording; the zero time means now.
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"` // the harness's id of the session
	// ID identifies this tool use within the session. A harness may call a hook twice;
	// with an ID the second call changes nothing.
	ID      string `json:"id,omitempty"`
	Event   string `json:"event,omitempty"`   // the harness's name of the event
	Tool    string `json:"tool,omitempty"`    // the harness's name of the tool
	Command string `json:"command,omitempty"` // of a shell
	Path    string `json:"path,omitempty"`    // the file that was edited or read
	Summary string `json:"summary,omitempty"` // any other description of the action
	Error   string `json:"error,omitempty"`   // the tool's error message

	ExitCode   *int   `json:"exit_code,omitempty"`   // of a shell
	OK         *bool  `json:"ok,omitempty"`          // the action succeeded
	DurationMS *int64 `json:"duration_ms,omitempty"` // milliseconds
	Branch     string `json:"branch,omitempty"`      // of the repository

	// Set by Fold:
	Times  int `json:"times,omitempty"`  // number of entries; 0: one
	Failed int `json:"failed,omitempty"` // how many of them failed
	// Passed means that it failed, and that a later command of the kind went well.
	Passed bool `json:"passed,omitempty"`

	elsewhere bool // it was done on another branch than the reader's
}

// Upper limits of an entry's texts in bytes: even with every byte escaped they fit maxLine.
const (
	maxWord    = 128 // event, tool
	maxID      = 256 // id, session
	maxPath    = 1000
	maxCommand = 2000
	maxWords   = 1000 // summary, error

	maxLine = 64 << 10
)

// truncated returns an entry within the limits, with valid text and a time.
func (e Entry) truncated(now time.Time) Entry {
	if y := e.Time.Year(); e.Time.IsZero() || y < 1 || y > 9999 {
		e.Time = now
	}
	e.Time = e.Time.UTC().Truncate(time.Millisecond)
	for _, f := range []struct {
		s     *string
		limit int
	}{
		{&e.Session, maxID}, {&e.ID, maxID}, {&e.Event, maxWord}, {&e.Branch, maxID}, {&e.Tool, maxWord},
		{&e.Command, maxCommand}, {&e.Path, maxPath},
		{&e.Summary, maxWords}, {&e.Error, maxWords},
	} {
		*f.s = truncate(*f.s, f.limit)
	}
	return e
}

// truncate cuts a text to valid UTF-8 of at most n bytes, between runes, and marks the cut.
func truncate(s string, n int) string {
	mark := ""
	if len(s) > n {
		s, mark = s[:n], "…"
	}
	return text.ClipBytes(strings.ToValidUTF8(s, string(utf8.RuneError))+mark, n)
}

// line returns the entry as a line of the file, with its line end.
func (e Entry) line() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(e)
	return b.Bytes(), err
}

// oneLine makes line ends and tabs spaces, and drops control characters and marks of writing
// direction: what would break a line or change its display.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// String returns an entry as one line for prompts and people, with its outcome:
// "2026-11-21 14:03:05 Bash: go test ./... (failed, exit 1, 3.2s: main_test.go:7: got
// 2)".
func (e Entry) String() string {
	return strings.TrimSpace(e.Time.UTC().Format("2006-01-02 15:04:05") + " " + e.said())
}

// Brief is String for a page: without seconds, or the day if the line before has the same.
func (e Entry) Brief(before time.Time) string {
	const day = "01-02"
	at := e.Time.UTC()
	form := "15:04"
	if before.IsZero() || at.Format(day) != before.UTC().Format(day) {
		form = day + " " + form
	}
	return strings.TrimSpace(at.Format(form) + " " + e.said())
}

// trailer matches what tools add to the message of a commit.
var trailer = text.NewRegexp(`(?i)\s*(?:\x{1F916}\s*)?(?:\b(?:co-authored-by|signed-off-by|` +
	`change-id|reviewed-by):|generated with )[^"']*`)

// said is what was done, and how it went.
func (e Entry) said() string {
	what := cmp.Or(oneLine(e.Tool), oneLine(e.Event))
	var parts []string
	for _, s := range []string{e.Command, e.Path, e.Summary} {
		if s = trailer.ReplaceAllString(oneLine(s), ""); s != "" {
			parts = append(parts, clip(s, 200+b2i(e.Times > 1)*maxFiles))
		}
	}
	var how []string
	if oneLine(e.Tool) != "" {
		how = append(how, e.outcome()...)
	}
	if e.DurationMS != nil && *e.DurationMS >= 1000 {
		how = append(how, (time.Duration(*e.DurationMS) * time.Millisecond).Round(
			100*time.Millisecond).String())
	}
	told := strings.Join(how, ", ")
	// What went wrong before it went well is no news any more.
	if ok := e.Succeeded(); ok == nil || !*ok {
		if wrong := e.wrong(); wrong != "" {
			told += ": " + clip(wrong, 120)
		}
	}
	s := clip(what, maxWord)
	if e.elsewhere {
		s = "[branch " + clip(e.Branch, 60) + "] " + s
	}
	if len(parts) > 0 {
		s += ": " + strings.Join(parts, ", ")
	}
	if told != "" {
		s += " (" + strings.TrimPrefix(told, ": ") + ")"
	}
	return s
}

// wrong is the error on one line. FAIL stands there once at most: it says that it failed.
func (e *Entry) wrong() string {
	fields := slices.DeleteFunc(strings.Fields(oneLine(e.Error)),
		func(w string) bool { return w == "FAIL" })
	return strings.Join(fields, " ")
}

// outcome describes the outcome: ok, failed or unknown, and how often.
func (e *Entry) outcome() (how []string) {
	switch ok := e.Succeeded(); {
	case ok == nil:
		how = append(how, "unknown")
	case *ok:
		how = append(how, "ok")
	default:
		how = append(how, "failed")
		if e.ExitCode != nil && *e.ExitCode != 0 {
			how = append(how, fmt.Sprintf("exit %d", *e.ExitCode))
		}
	}
	if e.Times > 1 {
		how = append(how, fmt.Sprintf("%d times", e.Times))
	}
	switch {
	case e.Failed > 0 && how[0] == "ok":
		how = append(how, fmt.Sprintf("%d failed before", e.Failed))
	case e.Failed > 0:
		how = append(how, fmt.Sprintf("%d failed", e.Failed))
	}
	if e.Passed {
		how = append(how, "passed later")
	}
	return how
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
