package kb

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file reads what the workers of a run say they have learned. Three things are told apart by their content:
//
//	text    a transcript with LEARNING: lines
//	jsonl   a harness's transcript, one JSON object a line: only what the assistant said counts, since a file that it read may hold LEARNING: lines too
//	json    a list of capsules, as a reflector answers; also in a ```json fence, or with prose around it

// Roles of a run's workers.
var Roles = []string{"planner", "executor", "reviewer", "re_reviewer", "reflector"}

// RoleKinds returns the kinds of capsules that a role wants to read; nil: all of them.
func RoleKinds(role string) []string {
	switch strings.ReplaceAll(role, "-", "_") {
	case "executor":
		return []string{"fact", "recipe", "gotcha", "anti_pattern", "pattern"}
	case "reviewer":
		return []string{"gotcha", "anti_pattern"}
	case "re_reviewer":
		return []string{"gotcha", "anti_pattern", "principle"}
	}
	return nil
}

// Limits of what is read.
const (
	MaxLearnings     = 200       // of one transcript
	maxRefusals      = 200       // that are told one by one
	maxLearnLine     = 1 << 20   // bytes of a line
	maxLearnInput    = 256 << 20 // bytes of it all
	maxLearnDocument = 16 << 20  // bytes of a JSON document that is not lines
	learnTitle       = 100       // characters of a title that is made from a text
	learnWords       = 4         // fewer say nothing
)

// Learning is a capsule that a transcript or a reflector proposes. Its scope is empty unless a wider one than workspace was stated.
type Learning struct {
	Capsule Capsule `json:"capsule"`
	From    string  `json:"from"` // "line 12", "item 3", "line 12, item 3"
}

// LearnSet is what was found in a transcript.
type LearnSet struct {
	Format    string     `json:"format"` // text, jsonl or json
	Lines     int        `json:"lines"`
	Learnings []Learning `json:"learnings"`
	Refused   []Refused  `json:"refused"`
}

// ReadLearnings reads a transcript or a reflector's answer. The role, which may be empty, tells the kind of what has no label. What looks like a
// learning and is none comes back as refused, with the reason; only what cannot be read at all is an error.
func ReadLearnings(r io.Reader, role string) (LearnSet, error) {
	role = strings.ReplaceAll(role, "-", "_")
	if role != "" && !slices.Contains(Roles, role) {
		return LearnSet{}, unknown("role", role, Roles)
	}
	l := learner{role: role, seen: map[string]string{}, set: LearnSet{Format: "text", Learnings: []Learning{}, Refused: []Refused{}}}
	head, err := io.ReadAll(io.LimitReader(r, maxLearnDocument+1))
	if err != nil {
		return l.set, fmt.Errorf("reading the transcript: %w", err)
	}
	start := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	isJSON := len(head) <= maxLearnDocument && len(start) > 0 && (start[0] == '{' || start[0] == '[') && json.Valid(start)
	switch {
	case isJSON && (start[0] == '[' || bytes.ContainsRune(start, '\n')): // one line with an object may be a short transcript
		l.set.Format, l.set.Lines = "json", 1+bytes.Count(start, []byte("\n"))
		if !l.document(start, "", true) {
			return l.set, invalid("the JSON is neither a list of capsules nor a transcript", `give [{"kind":…,"title":…,"body":…}], the same in {"capsules":…}, or {"messages":…}`)
		}
	case mostlyObjects(start):
		l.set.Format = "jsonl"
		err = l.read(io.MultiReader(bytes.NewReader(head), r), l.jsonLine, nil)
	default:
		s := scan{l: &l}
		if err = l.read(io.MultiReader(bytes.NewReader(head), r), s.line, s.end); err != nil || len(l.set.Learnings)+len(l.set.Refused) > 0 {
			break
		}
		if found, broken := l.buried(head); found {
			l.set.Format = "json"
		} else if broken != nil && listStart.Match(start) {
			return l.set, invalid(fmt.Sprintf("it begins like a list in JSON that cannot be read: %v", broken), "was the answer cut short? ask for it again")
		}
	}
	l.close()
	return l.set, err
}

// listStart begins a list of objects, which a line of a log does not.
var listStart = regexp.MustCompile(`^\[\s*\{`)

// mostlyObjects says whether the first lines are JSON objects.
func mostlyObjects(head []byte) bool {
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

// A learner collects what is found.
type learner struct {
	role string
	set  LearnSet
	seen map[string]string // where a text was met first
	over []string          // where there was one more than MaxLearnings: the first, and a mark for each
	mute int               // refusals that are only counted
}

func (l *learner) refuse(from, format string, args ...any) {
	if len(l.set.Refused) >= maxRefusals {
		l.mute++
		return
	}
	l.set.Refused = append(l.set.Refused, Refused{From: from, Why: fmt.Sprintf(format, args...)})
}

// add takes a capsule, or says why not.
func (l *learner) add(from string, c Capsule) {
	if n := wordCount(c.Body); n < learnWords {
		l.refuse(from, "%q is too short to be of use: at least %d words", clip(c.Body, 60), learnWords)
		return
	}
	key := string(hash(strings.ToLower(strings.Join(strings.Fields(c.Body), " "))))
	if first, ok := l.seen[key]; ok {
		l.refuse(from, "it says the same as %s", first)
		return
	}
	if err := c.Check(); err != nil {
		var e *Error
		errors.As(err, &e)
		l.refuse(from, "%s: %s", e.Msg, e.Try())
		return
	}
	if len(l.set.Learnings) == MaxLearnings {
		if l.over == nil {
			l.over = []string{from}
		}
		l.over = append(l.over, "")
		return
	}
	l.seen[key] = from
	l.set.Learnings = append(l.set.Learnings, Learning{Capsule: c, From: from})
}

func (l *learner) close() {
	if n := len(l.over) - 1; n > 0 {
		l.set.Refused = append(l.set.Refused, Refused{From: l.over[0], Why: fmt.Sprintf("from here on %d more: at most %d are taken of one transcript, so split it", n, MaxLearnings)})
	}
	if l.mute > 0 {
		l.set.Refused = append(l.set.Refused, Refused{From: "the rest", Why: fmt.Sprintf("%d more were refused", l.mute)})
	}
}

// read gives each line to take, and end says that there are no more.
func (l *learner) read(r io.Reader, take func(line, from string), end func()) error {
	in := newLineReader(r)
	for in.next() {
		if in.long {
			l.refuse(fmt.Sprintf("line %d", in.n), "the line is longer than 1 MB")
			continue
		}
		take(in.text, fmt.Sprintf("line %d", in.n))
	}
	if end != nil {
		end()
	}
	l.set.Lines = in.n
	if in.cut() {
		l.refuse(fmt.Sprintf("after line %d", in.n), "the rest was not read: at most 256 MB are")
	}
	if in.err != nil {
		return fmt.Errorf("reading the transcript: %w", in.err)
	}
	return nil
}

// A lineReader gives one line after the other in bounded memory.
type lineReader struct {
	in   io.LimitedReader
	buf  *bufio.Reader
	n    int    // its number
	text string // the line, without its end
	long bool   // it had more than maxLearnLine bytes, and is not here
	err  error
}

func newLineReader(r io.Reader) *lineReader {
	l := &lineReader{in: io.LimitedReader{R: r, N: maxLearnInput + 1}}
	l.buf = bufio.NewReaderSize(&l.in, 64<<10)
	return l
}

// cut says that there was more than maxLearnInput.
func (l *lineReader) cut() bool { return l.in.N <= 0 }

func (l *lineReader) next() bool {
	var line []byte
	l.long = false
	for {
		part, err := l.buf.ReadSlice('\n')
		if l.long = l.long || len(line)+len(part) > maxLearnLine+1; !l.long {
			line = append(line, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && err != io.EOF {
			l.err = err
			return false
		}
		if err == io.EOF && (len(line) == 0 && !l.long || l.cut()) { // a line that was cut says something else
			return false
		}
		l.n++
		if l.n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		l.text = strings.TrimRight(string(line), "\r\n")
		return true
	}
}

// A turn is one line of a harness's transcript, or what is nested in it.
type turn struct {
	Type, Role       string
	Text             string
	Message, Content json.RawMessage
	Payload, Item    json.RawMessage
	Info             json.RawMessage // opencode: who says the parts
	Parts            json.RawMessage // opencode, gemini
	Messages         []json.RawMessage
	HookEvent        string `json:"hook_event_name"`
	LastAssistant    string `json:"last_assistant_message"` // the events of hooks: Claude Code, Codex
	PromptResponse   string `json:"prompt_response"`        // Gemini
	Kind             any
	Title, Body      any
	Capsules         json.RawMessage
	Learnings        json.RawMessage
}

// jsonLine reads a line of a harness's transcript.
func (l *learner) jsonLine(line, from string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	if !json.Valid([]byte(line)) {
		if learnMention.MatchString(line) {
			l.refuse(from, "the line is not JSON, so nobody can tell who said it")
		}
		return
	}
	l.turn([]byte(line), from, "", 0)
}

// turn takes what the assistant says in a turn. Unknown shapes say nothing; neither do thoughts, tools, users and systems.
func (l *learner) turn(raw json.RawMessage, from, role string, depth int) {
	var t turn
	json.Unmarshal(raw, &t) // a field of another type stays empty
	if depth > 3 {
		return
	}
	if t.Role != "" {
		role = t.Role
	} else if slices.Contains([]string{"assistant", "user", "system", "tool", "gemini", "model"}, t.Type) {
		role = t.Type
	}
	speaks := slices.Contains([]string{"assistant", "gemini", "model"}, role)
	var inner turn
	json.Unmarshal(t.Info, &inner)
	nothing := t.Role == "" && t.Type == "" && t.Message == nil
	switch {
	case nothing && (t.Capsules != nil || t.Learnings != nil || t.Kind != nil && (t.Title != nil || t.Body != nil)):
		l.document(raw, from, true)
	case nothing && len(t.Messages) > 0:
		for _, m := range t.Messages {
			l.turn(m, from, "", depth+1)
		}
	case t.HookEvent != "":
		l.say(t.LastAssistant+t.PromptResponse, from)
		if t.HookEvent == "afterAgentResponse" { // Cursor
			l.say(t.Text, from)
		}
	case t.Type == "response_item": // Codex; its event_msg lines say the same once more
		l.turn(t.Payload, from, "", depth+1)
	case t.Type == "item.completed":
		l.turn(t.Item, from, "", depth+1)
	case t.Type == "agent_message" && depth > 0:
		l.say(t.Text, from)
	case slices.Contains([]string{"message_start", "message_update", "turn_end", "result"}, t.Type): // they say what another line says
	case len(t.Message) > 0 && t.Message[0] == '{' && (role == "" || speaks):
		l.turn(t.Message, from, role, depth+1)
	case inner.Role == "assistant" || inner.Role == "" && speaks:
		l.blocks(t.Content, from)
		l.blocks(t.Parts, from)
	}
}

// blocks takes the texts of a message: a string, or a list of blocks.
func (l *learner) blocks(raw json.RawMessage, from string) {
	var whole string
	if json.Unmarshal(raw, &whole) == nil {
		l.say(whole, from)
		return
	}
	var list []struct {
		Type, Text string
		Thought    bool
	}
	json.Unmarshal(raw, &list)
	for _, b := range list {
		if !b.Thought && slices.Contains([]string{"", "text", "output_text"}, b.Type) {
			l.say(b.Text, from)
		}
	}
}

// say reads a message of the assistant.
func (l *learner) say(text, from string) {
	s := scan{l: l}
	for line := range strings.Lines(text) {
		s.line(strings.TrimRight(line, "\r\n"), from)
	}
	s.end()
}

var (
	ansi       = regexp.MustCompile(`\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\))`)
	learnFence = regexp.MustCompile("^[ \\t]*(?:[-*+] +)?(`{3,}|~{3,})[ \\t]*([^`]*)$")
	// bullets and emphasis, LEARNING with a number, a label in brackets or bare, the colon, the text
	learnStart   = regexp.MustCompile(`^((?:[ \t]*(?:[-*+•●⏺▪◦]|\d+[.)]|#{1,6})[ \t]+)*[ \t]*)(?:\*\*|__)?LEARNING(?:[ \t]*#?\d+)?(?:[ \t]*\(([^)]*)\)|[ \t]*\[([^\]]*)\]|[ \t]+([A-Za-z][A-Za-z _-]{0,30}))?(?:\*\*|__)?[ \t]*[:：](?:\*\*|__)?[ \t]*(.*)$`)
	learnMention = regexp.MustCompile(`\bLEARNING\b[^:：\n]{0,40}[:：]`)
	// "Write them in this form:", "Example:", but not "Here is what I learned, in the format you want:"
	learnForm   = regexp.MustCompile(`(?i)(\b(emit|write|print|output|add|report|use)\b.*\b(form|format|lines?|like|syntax|template)\b.*|^\W*(for )?example):\W*$`)
	firstPerson = regexp.MustCompile(`\b(I|I'm|my|My|[Hh]ere (is|are))\b`)
	listItem    = regexp.MustCompile(`^([-*+•]|\d+[.)])[ \t]`)
)

// A scan goes through a text line by line.
type scan struct {
	l       *learner
	open    bool   // a learning goes on
	from    string // where it began
	label   string
	indent  int
	text    strings.Builder
	more    bool   // a backslash: the next line belongs to it, however it stands
	before  string // the last line that was not blank
	fence   string // what closes the code block
	fenceAt string
	code    *strings.Builder // of a block that may hold a reflector's list
}

func (s *scan) line(line, from string) {
	if strings.Contains(line, "\x1b") {
		line = ansi.ReplaceAllString(line, "")
	}
	line = strings.TrimRightFunc(line, unicode.IsSpace)
	var f, m []string // most lines are neither, and need no more than this to know
	if strings.Contains(line, "```") || strings.Contains(line, "~~~") {
		f = learnFence.FindStringSubmatch(line)
	}
	if s.fence != "" {
		s.fenced(line, from, f)
		return
	}
	word := strings.Contains(line, "LEARNING")
	if word {
		m = learnStart.FindStringSubmatch(line)
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	if s.open && m == nil && f == nil && line != "" && (s.more || indent > s.indent) {
		s.append(strings.TrimSpace(line))
		return
	}
	s.finish()
	if line == "" {
		return
	}
	if f != nil {
		s.fence, s.fenceAt, s.code = f[1], from, nil
		if lang, _, _ := strings.Cut(strings.ToLower(f[2]), " "); lang == "" || lang == "json" || lang == "jsonc" {
			s.code = new(strings.Builder)
		}
	} else if m != nil && learnForm.MatchString(s.before) && !firstPerson.MatchString(s.before) {
		s.l.refuse(from, "it shows the form that %q asks for", clip(strings.TrimSpace(s.before), 60))
	} else if m != nil {
		s.open, s.from, s.label, s.indent = true, from, m[2]+m[3]+m[4], indent
		s.append(m[5])
	} else if word && learnMention.MatchString(line) {
		s.l.refuse(from, "it is quoted, or talk about learnings: one begins its line with LEARNING:")
	}
	if m == nil {
		s.before = line
	}
}

// fenced reads a line of a code block, in which nothing is meant.
func (s *scan) fenced(line, from string, f []string) {
	if f != nil && f[2] == "" && strings.HasPrefix(f[1], s.fence) {
		if s.code != nil {
			s.l.document([]byte(s.code.String()), s.fenceAt, s.l.role == "reflector")
		}
		s.fence, s.before = "", ""
		return
	}
	if strings.Contains(line, "LEARNING") && learnMention.MatchString(line) && !strings.HasPrefix(strings.TrimSpace(line), `"`) {
		s.l.refuse(from, "it stands in a code block, which begins at %s", s.fenceAt)
	}
	if s.code != nil && s.code.Len() < maxLearnDocument {
		s.code.WriteString(line + "\n")
	}
}

func (s *scan) append(line string) {
	line, s.more = strings.CutSuffix(line, `\`)
	switch line = strings.TrimSpace(line); {
	case s.text.Len() > MaxBody: // Check will say so
		return
	case s.text.Len() > 0 && listItem.MatchString(line):
		s.text.WriteByte('\n')
	case s.text.Len() > 0 && line != "":
		s.text.WriteByte(' ')
	}
	s.text.WriteString(line)
}

func (s *scan) finish() {
	if s.open {
		s.l.words(s.from, s.label, s.text.String())
	}
	s.open, s.more = false, false
	s.text.Reset()
}

func (s *scan) end() {
	s.finish()
	if s.fence != "" && s.code != nil { // an answer that was cut short, or a last fence without its end
		s.l.document([]byte(s.code.String()), s.fenceAt, s.l.role == "reflector")
	}
}

var (
	placeholder = regexp.MustCompile(`<[^<>]*>|\{\{?[^{}]*\}\}?|…|\.{3}`)
	inlineLabel = regexp.MustCompile(`^(?:\*\*|__)?(?:\[([^\]]{1,40})\]|\(([^)]{1,40})\)|([A-Za-z][A-Za-z _-]{1,14})(?:\*\*|__)?[:：])(?:\*\*|__)?[:：]?[ \t]+`)
	aboutLines  = regexp.MustCompile(`^(lines?|markers?|prefix)\b`)
)

// words makes a capsule of the words of a LEARNING: line.
func (l *learner) words(from, label, text string) {
	if strings.Count(text, "**")%2 == 1 { // the other half stood before LEARNING
		text = strings.TrimSuffix(text, "**")
	}
	kind, tags, known := labelKind(label)
	if m := inlineLabel.FindStringSubmatch(text); m != nil && label == "" {
		if k, t, ok := labelKind(m[1] + m[2] + m[3]); ok {
			kind, tags, known, text = k, t, true, text[len(m[0]):]
		}
	}
	c := Capsule{Tags: tags}
	text = cutMetadata(text, &c)
	left := placeholder.ReplaceAllString(text, " ")
	switch {
	case strings.ContainsAny(label, "<|") || left != text && wordCount(left) < learnWords:
		l.refuse(from, "%q is a placeholder, not a learning", clip(text, 60))
		return
	case label == "" && aboutLines.MatchString(text):
		l.refuse(from, "%q is talk about learnings, not one", clip(text, 60))
		return
	case label != "" && !known:
		l.refuse(from, "the kind %q is unknown: choose one of %s", clip(label, 60), strings.Join(Kinds, ", "))
		return
	}
	if c.Kind = kind; kind == "" {
		c.Kind = roleKind(l.role, text)
	}
	c.Title, c.Body = titleOf(text), text
	l.add(from, c)
}

// kindNames are the other names of kinds. A decision is a principle, and stays known as a decision by its tag.
var kindNames = map[string]string{
	"decision": "principle", "lesson": "principle", "rule": "principle", "tip": "recipe", "howto": "recipe", "how_to": "recipe",
	"bug": "gotcha", "pitfall": "gotcha", "warning": "gotcha", "antipattern": "anti_pattern",
}

// labelKind reads the label of a learning: a kind, perhaps with tags after or before it.
func labelKind(label string) (kind string, tags []string, ok bool) {
	for _, name := range strings.FieldsFunc(label, func(r rune) bool { return r == ',' || r == ';' || r == '/' }) {
		name = strings.Trim(strings.TrimSpace(name), "*`")
		k := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
		if other := kindNames[k]; other != "" {
			if k == "decision" {
				tags = append(tags, k)
			}
			k = other
		}
		switch {
		case kind == "" && slices.Contains(Kinds, k):
			kind = k
		case name != "":
			tags = append(tags, name)
		}
	}
	return kind, tags, kind != ""
}

// roleKind is the kind of a text that has no label: reviewers warn, planners decide, the others state facts. An executor that begins with a verb of
// doing tells a recipe.
func roleKind(role, text string) string {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	switch {
	case role == "reviewer" || role == "re_reviewer":
		return "gotcha"
	case role == "planner":
		return "principle"
	case role == "executor" && slices.Contains([]string{"run", "use", "call", "set", "pass", "install", "start", "export"}, first):
		return "recipe"
	}
	return "fact"
}

var (
	metaGroup = regexp.MustCompile(`[ \t]*[(\[]([^()\[\]]*)[)\]]\.?$`)
	metaKey   = regexp.MustCompile(`(?i)\b(source|confidence|tags?|domains?|domain_tags|verified[_ -]by)[ \t]*[:=][ \t]*`)
)

// cutMetadata takes (source: foo.py:42), (confidence: 0.9), tags: a, b and their like from the end of a text. What is not surely meant so stays.
func cutMetadata(text string, c *Capsule) string {
	head := text[:max(0, len(text)-metaTail)]
	text = text[len(head):]
	for range 8 {
		text = strings.TrimRight(text, " \t\n,;|—–")
		if m := metaGroup.FindStringSubmatchIndex(text); m != nil && metadata(text[m[2]:m[3]], c) {
			text = text[:m[0]]
			continue
		}
		cut := -1
		keys := metaKey.FindAllStringIndex(text, -1)
		for _, m := range keys[max(0, len(keys)-8):] {
			before := strings.TrimRight(text[:m[0]], " \t\n")
			glued := strings.Contains(text[m[0]:m[1]], "=")
			if before == "" || strings.ContainsAny(text[m[0]-1:m[0]], "?&/.$-") || !glued && !strings.ContainsAny(before[len(before)-1:], ".;|,)]!?") && !strings.HasSuffix(before, "—") && !strings.HasPrefix(strings.ToLower(text[m[0]:]), "tag") {
				continue // "look at the source: it says so" is a sentence
			}
			if metadata(text[m[0]:], c) {
				cut = m[0]
				break
			}
		}
		if cut < 0 {
			break
		}
		text = text[:cut]
	}
	return head + text
}

// metaTail is how many bytes at the end of a text may hold metadata; a text is never gone through as often as it has keys.
const metaTail = 2000

// metadata reads pairs of keys and values, all of them or none.
func metadata(s string, c *Capsule) bool {
	keys := metaKey.FindAllStringSubmatchIndex(s, -1)
	if len(keys) == 0 || strings.TrimSpace(s[:keys[0][0]]) != "" {
		return false
	}
	got := *c
	for i, k := range keys {
		end := len(s)
		if i+1 < len(keys) {
			end = keys[i+1][0]
		}
		key, value := strings.ToLower(s[k[2]:k[3]]), strings.Trim(s[k[1]:end], " \t\n,;|`\"'")
		if value == "" || strings.Count(value, " ") > 8 {
			return false
		}
		switch {
		case key == "source":
			got.Source = value
		case key == "confidence":
			v, ok := fraction(value)
			if !ok {
				return false
			}
			got.Confidence = &v
		case strings.HasPrefix(key, "verified"):
			got.VerifiedBy = value
		case strings.HasPrefix(key, "tag"):
			got.Tags = append(slices.Clone(got.Tags), splitTags(value)...)
		default:
			got.DomainTags = append(slices.Clone(got.DomainTags), splitTags(value)...)
		}
	}
	*c = got
	return true
}

// fraction reads 0.9 and 90%.
func fraction(s string) (float64, bool) {
	s, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(s, 64)
	if percent {
		v /= 100
	}
	return v, err == nil
}

func splitTags(s string) (tags []string) {
	for _, t := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '\n' }) {
		if t = strings.TrimLeft(strings.Trim(strings.TrimSpace(t), "`\"'."), "#"); t != "" {
			tags = append(tags, t)
		}
	}
	return tags
}

// sentenceEnd is where a sentence ends: not after "e.g.", nor within v1.2.
var sentenceEnd = regexp.MustCompile(`[.!?]["')\]]?[ \n]+[^a-z\s]|[。！？]`)

// titleOf is the first sentence of a text, or as much of it as a title takes, cut at a word.
func titleOf(text string) string {
	text = plainLine(firstBytes(text, 10*MaxTitle)) // the rest is never shown
	for _, m := range sentenceEnd.FindAllStringIndex(text, -1) {
		first := text[:m[0]]
		if wordCount(first) >= learnWords && !strings.HasSuffix(first, "e.g") && !strings.HasSuffix(first, "i.e") && !strings.HasSuffix(first, " vs") {
			text = first
			break
		}
	}
	return cutTitle(strings.TrimRight(text, ".。 "))
}

// plainLine makes one line of a text.
func plainLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "�"), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// cutTitle cuts a text at a word, for a title.
func cutTitle(text string) string {
	if utf8.RuneCountInString(text) <= learnTitle && len(text) <= MaxTitle {
		return text
	}
	cut, runes, word := 0, 0, 0 // in bytes, in runes, and the end of the last whole word in bytes
	for i, r := range text {
		if runes++; runes >= learnTitle || i+utf8.RuneLen(r) > MaxTitle-len("…") {
			break
		}
		if r == ' ' {
			word = i
		}
		cut = i + utf8.RuneLen(r)
	}
	if word > cut/2 {
		cut = word
	}
	return strings.TrimRight(text[:cut], " ,;:") + "…"
}

// wordCount counts words; scripts without spaces have one for every two characters.
func wordCount(s string) int {
	n, unspaced, in := 0, 0, false
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer):
			unspaced++
			in = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !in {
				n++
			}
			in = true
		case unicode.IsSpace(r):
			in = false
		}
	}
	return n + unspaced/2
}

// buried finds a list of capsules in prose.
func (l *learner) buried(text []byte) (found bool, broken error) {
	for at := 0; at >= 0 && at < len(text); {
		if rest := text[at:]; rest[0] == '[' || rest[0] == '{' {
			var doc json.RawMessage
			if err := json.NewDecoder(bytes.NewReader(rest)).Decode(&doc); err != nil {
				broken = errors.Join(broken, err)
				if at == 0 || len(broken.Error()) > 500 {
					return false, broken
				}
			} else if l.document(doc, "", false) {
				return true, nil
			}
		}
		next := bytes.IndexByte(text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return false, broken
}

// document reads a list of capsules, or of messages, bare or in an object. Unless sure, its items must look like capsules. It says whether it was one.
func (l *learner) document(data []byte, from string, sure bool) bool {
	data = bytes.TrimSpace(data)
	var list []json.RawMessage
	if len(data) == 0 || !json.Valid(data) {
		return false
	}
	if data[0] == '{' {
		var t turn
		json.Unmarshal(data, &t)
		switch {
		case t.Capsules != nil:
			json.Unmarshal(t.Capsules, &list)
			sure = true
		case t.Learnings != nil:
			json.Unmarshal(t.Learnings, &list)
			sure = true
		case len(t.Messages) > 0 && from == "":
			list = t.Messages
		case t.Title != nil || t.Body != nil:
			list = []json.RawMessage{data}
		default:
			return false
		}
	} else if json.Unmarshal(data, &list) != nil {
		return false
	}
	for i, raw := range list {
		var t turn
		json.Unmarshal(raw, &t)
		at := fmt.Sprintf("item %d", i+1)
		if from != "" {
			at = from + ", " + at
		}
		switch isCapsule := t.Title != nil || t.Body != nil; {
		case !isCapsule && from == "" && sure && (t.Role != "" || t.Info != nil || t.Message != nil || t.Type != ""):
			l.turn(raw, at, "", 0)
		case i == 0 && !sure && !(isCapsule && t.Kind != nil):
			return false
		default:
			l.item(raw, at)
		}
	}
	return true
}

// item makes a capsule of an object that a reflector wrote.
func (l *learner) item(raw json.RawMessage, from string) {
	var m map[string]any
	if json.Unmarshal(raw, &m) != nil || m == nil {
		l.refuse(from, `it is not an object with a "kind", a "title" and a "body"`)
		return
	}
	var bad string
	text := func(key string) string {
		switch v := m[key].(type) {
		case nil:
		case string:
			return strings.TrimSpace(v)
		default:
			bad = key
		}
		return ""
	}
	list := func(key string) (out []string) {
		switch v := m[key].(type) {
		case nil:
		case string:
			return splitTags(v)
		case []any:
			for _, e := range v {
				s, ok := e.(string)
				if !ok {
					bad = key
				}
				out = append(out, s)
			}
		default:
			bad = key
		}
		return out
	}
	c := Capsule{Title: text("title"), Body: text("body"), Source: text("source"), VerifiedBy: text("verified_by"), Scope: strings.ToLower(text("scope")),
		Tags: list("tags"), DomainTags: list("domain_tags"), Refs: list("refs"), Supersedes: list("supersedes")}
	label := text("kind")
	switch v := m["confidence"].(type) {
	case nil:
	case float64:
		c.Confidence = &v
	case string:
		if f, ok := fraction(v); ok {
			c.Confidence = &f
		} else if v != "" {
			bad = "confidence"
		}
	default:
		bad = "confidence"
	}
	if bad != "" {
		l.refuse(from, "its %q is of the wrong type", bad)
		return
	}
	kind, tags, known := labelKind(label)
	if label != "" && (!known || strings.ContainsAny(label, ",;/")) {
		l.refuse(from, "the kind %q is unknown: choose one of %s", clip(label, 60), strings.Join(Kinds, ", "))
		return
	}
	if c.Kind = kind; kind == "" {
		c.Kind = roleKind(l.role, c.Title+" "+c.Body)
	}
	c.Tags = append(c.Tags, tags...)
	if c.Body == "" {
		c.Body = c.Title
	}
	if c.Title = strings.Join(strings.Fields(c.Title), " "); c.Title == "" {
		c.Title = titleOf(c.Body)
	}
	if c.Scope == "workspace" { // as without one; which workspace is not known here
		c.Scope = ""
	}
	if left := placeholder.ReplaceAllString(c.Body, " "); left != c.Body && wordCount(left) < learnWords {
		l.refuse(from, "%q is a placeholder, not a learning", clip(c.Body, 60))
		return
	}
	l.add(from, c)
}
