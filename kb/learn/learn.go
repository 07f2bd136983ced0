package learn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/kb"
)

// This file reads the learnings of a run's workers. The content decides between three formats:
//
//	text    a transcript with LEARNING: lines
//	jsonl   a harness's transcript, one JSON object a line; only the assistant's texts count,
//	        because a file that it read may have LEARNING: lines too
//	json    a reflector's answer, a list of capsules; also in a ```json fence or within prose

const (
	MaxLearnings     = 200       // of one transcript
	maxRefusals      = 200       // that are told one by one
	maxLearnLine     = 1 << 20   // bytes of a line
	maxLearnInput    = 256 << 20 // bytes of it all
	maxLearnDocument = 16 << 20  // bytes of a JSON document that is not lines
	learnTitle       = 160       // characters of a title that is made from a text
	learnWords       = 4         // words of a learning at least
	maxSentence      = 2000      // bytes of a sentence over several lines
)

type Set struct {
	Format    string       `json:"format"` // text, jsonl or json
	Lines     int          `json:"lines"`
	Learnings []Learning   `json:"learnings"`
	Refused   []kb.Refused `json:"refused"` // meant as learnings, and wrong
	Unsure    []kb.Refused `json:"unsure"`  // look like learnings, and were not taken
	Again     int          `json:"said_again"`
	Spoken    int          `json:"spoken"` // messages of the assistant, in jsonl
}

// A Transcript reads a line of a harness's transcript. It calls say with each text of the
// assistant, and other with each object that is no message, which returns whether it knows the
// object. With part, a text is a piece of a message: more pieces follow, then the whole message or
// an empty text. With again, it repeats what was said, and counts only if nothing else was said.
type Transcript func(line []byte, say func(text string, part, again bool),
	other func(object map[string]any) bool)

// Read reads a transcript, whose lines said parses, or a reflector's answer. The role,
// which may be empty, decides the kind of learnings without a label. An invalid
// learning is returned in Refused, and a text that only looks like one in Unsure, each
// with the reason. Only unreadable input is an error.
func Read(r io.Reader, role string, said Transcript) (Set, error) {
	role = strings.ReplaceAll(role, "-", "_")
	if role != "" && !slices.Contains(kb.Roles, role) {
		return Set{}, fault.Unknown("role", role, kb.Roles)
	}
	l := learner{workerRole: role, said: said, seen: map[string]bool{}, set: Set{Format: "text",
		Learnings: []Learning{}, Refused: []kb.Refused{}, Unsure: []kb.Refused{}}}
	r = text.Reader(r)
	head, err := io.ReadAll(io.LimitReader(r, maxLearnDocument+1))
	if err != nil {
		return l.set, fmt.Errorf("read the transcript: %w", err)
	}
	start := bytes.TrimSpace(head)
	isJSON := len(head) <= maxLearnDocument && len(start) > 0 && (start[0] == '{' ||
		start[0] == '[') && json.Valid(start)
	switch {
	case isJSON && (start[0] == '[' ||
		bytes.ContainsRune(start, '\n')): // one line with an object may be a short transcript
		l.set.Format, l.set.Lines = "json", 1+bytes.Count(start, []byte("\n"))
		if !l.readDocument(start, "", true) {
			return l.set, invalid("the JSON is neither a list of capsules nor a transcript",
				`give [{"kind":…,"title":…,"body":…}], the same in {"capsules":…}, or {"messages":…}`)
		}
	case isJSONL(start):
		l.set.Format = "jsonl"
		err = l.read(io.MultiReader(bytes.NewReader(head), r), l.jsonLine, nil)
	default:
		s := scan{l: &l, pane: newPane(head)}
		end := func() { s.end(false) }
		if err = l.read(io.MultiReader(bytes.NewReader(head), r), s.readLine, end); err != nil ||
			len(l.set.Learnings)+len(l.set.Refused) > 0 {
			break
		}
		if found, broken := l.findBuried(head); found {
			l.set.Format = "json"
		} else if broken != nil && listStart.Match(start) {
			return l.set, invalid(fmt.Sprintf("it begins like a JSON list but is invalid: %v",
				broken), "check if the answer was cut, and ask for it again")
		}
	}
	l.close()
	return l.set, err
}

// A bracket alone would not do: "[12:03] started" is a line of a log.
var listStart = text.NewRegexp(`^\[\s*\{`)

// isJSONL: of the first 50 lines, more than half are objects. A crash may be among them.
func isJSONL(head []byte) bool {
	objects, lines := 0, 0
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if lines++; line[0] == '{' && (json.Valid(line) || len(line) > maxLearnLine) {
			objects++
		}
		if lines == 50 {
			break
		}
	}
	return objects*2 > lines
}

// learner collects all learnings, so that limits count across the whole transcript.
type learner struct {
	workerRole string
	said       Transcript
	set        Set
	seen       map[string]bool // texts
	more       int             // learnings beyond MaxLearnings
	from       string          // where they begin
	mute       int             // refusals that are only counted
	vague      int             // and what is unsure
	parts      strings.Builder // of a message that goes on
	partAt     string
	last       string // what was said again
	lastAt     string
}

func (l *learner) refuse(from, format string, args ...any) {
	addOrCount(&l.set.Refused, &l.mute, from, format, args...)
}

func (l *learner) unsure(from, format string, args ...any) {
	addOrCount(&l.set.Unsure, &l.vague, from, format, args...)
}

// addOrCount adds to a list, or only counts if the list has maxRefusals.
func addOrCount(list *[]kb.Refused, more *int, from, format string, args ...any) {
	if len(*list) >= maxRefusals {
		*more++
		return
	}
	*list = append(*list, kb.Refused{From: from, Why: fmt.Sprintf(format, args...)})
}

func (l *learner) refuseKind(from, label string) {
	l.refuse(from, "the kind %q is unknown: choose one of %s", clip(label, 60),
		strings.Join(kb.Kinds, ", "))
}

func (l *learner) notePlaceholder(from, text string) {
	l.unsure(from, "%q is a placeholder, not a learning", clip(text, 60))
}

// jsonLine skips lines that are not JSON, and reports a learning lost this way.
func (l *learner) jsonLine(line, from string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	if !json.Valid([]byte(line)) {
		if strings.Contains(line, "LEARNING:") {
			l.refuse(from, "the line is not JSON, so its speaker is unknown")
		}
		return
	}
	l.takeTurn([]byte(line), from)
}

// takeTurn takes what the assistant says: files and prompts may hold LEARNING: lines too.
func (l *learner) takeTurn(line []byte, from string) {
	l.said(line, func(text string, part, again bool) { l.hear(from, text, part, again) },
		func(o map[string]any) bool {
			is := o["capsules"] != nil || o["learnings"] != nil || o["kind"] != nil &&
				(o["title"] != nil || o["body"] != nil)
			if is {
				document, _ := json.Marshal(o) // what was read from JSON can be written
				l.readDocument(document, from, true)
			}
			return is
		})
}

// hear takes what the assistant says, and keeps parts until the message is whole, or over.
func (l *learner) hear(from, text string, part, again bool) {
	switch {
	case part:
		if l.parts.Len() == 0 {
			l.partAt = from
		}
		if l.parts.Len() < maxLearnDocument {
			l.parts.WriteString(text)
		}
		return
	case again:
		l.last, l.lastAt, text = text, from, ""
	}
	// a whole message that contains the collected parts replaces them
	if strings.Contains(text, strings.TrimSpace(l.parts.String())) {
		l.parts.Reset()
	}
	l.endMessage(false)
	if text != "" {
		l.say(text, from, false)
	}
}

// endMessage reads the collected parts of a message that does not go on; cut: it may lack its end.
func (l *learner) endMessage(cut bool) {
	if l.parts.Len() > 0 {
		l.say(l.parts.String(), l.partAt, cut)
		l.parts.Reset()
	}
}

// say reads a message of the assistant as a text of its own, which does not go on in the next.
func (l *learner) say(text, from string, cut bool) {
	l.set.Spoken++
	s := scan{l: l}
	for line := range strings.Lines(text) {
		s.readLine(strings.TrimRight(line, "\r\n"), from)
	}
	s.end(cut)
}

// add adds a capsule, or refuses it with a reason. A repetition is only counted.
func (l *learner) add(from string, c kb.Capsule) {
	if n := wordCount(c.Body); n < learnWords {
		l.refuse(from, "%q is too short: the minimum is %d words",
			clip(c.Body, 60), learnWords)
		return
	}
	key := strings.ToLower(strings.Join(strings.Fields(c.Body), " "))
	if l.seen[key] {
		l.set.Again++
		return
	}
	if err := c.Check(); err != nil {
		l.refuse(from, "%s", fault.Told(err))
		return
	}
	if len(l.set.Learnings) == MaxLearnings {
		if l.more++; l.more == 1 {
			l.from = from
		}
		return
	}
	l.seen[key] = true
	l.set.Learnings = append(l.set.Learnings, Learning{Capsule: c, From: from})
}

// close reads the rest, and adds the totals of what was only counted, so that lists stay short.
func (l *learner) close() {
	l.endMessage(true)
	if l.set.Spoken == 0 && l.last != "" {
		l.say(l.last, l.lastAt, false)
	}
	if l.more > 0 {
		l.set.Refused = append(l.set.Refused, kb.Refused{From: l.from,
			Why: fmt.Sprintf("%d more follow: the limit of one transcript is %d, so split it",
				l.more, MaxLearnings)})
	}
	if l.mute > 0 {
		l.set.Refused = append(l.set.Refused, kb.Refused{From: "the rest",
			Why: fmt.Sprintf("%d more were refused", l.mute)})
	}
	if l.vague > 0 {
		l.set.Unsure = append(l.set.Unsure, kb.Refused{From: "the rest",
			Why: fmt.Sprintf("%d more look like learnings", l.vague)})
	}
}

// read gives each line to take; end takes what is still open, before the rest is refused.
func (l *learner) read(r io.Reader, take func(line, from string), end func()) error {
	in := newLineReader(r)
	for in.next() {
		if in.long {
			l.refuse(fmt.Sprintf("line %d", in.n), "the line exceeds 1 MB")
			continue
		}
		take(in.text, fmt.Sprintf("line %d", in.n))
	}
	if end != nil {
		end()
	}
	l.set.Lines = in.n
	if in.cut() {
		l.refuse(fmt.Sprintf("after line %d", in.n), "the rest was not read: the limit is 256 MB")
	}
	if in.err != nil {
		return fmt.Errorf("read the transcript: %w", in.err)
	}
	return nil
}
